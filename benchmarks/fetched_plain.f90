!> Module fetched as f2py and f90wrap can read it: kinds as numbers, a procedure argument without interface.
module fetched_plain
  implicit none

contains

  subroutine nothing()
  end subroutine nothing

  subroutine three(x, y, z)
    real(8), value :: x, y, z
  end subroutine three

  subroutine add(a, b, c)
    real(8), intent(in) :: a(10), b(10)
    real(8), intent(inout) :: c(10)

    c(1) = a(1) + b(10)
  end subroutine add

  subroutine add_n(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), b(n)
    real(8), intent(inout) :: c(n)

    c(1) = a(1) + b(n)
  end subroutine add_n

  function last(x)
    real(8), intent(in) :: x(:)
    real(8) :: last

    last = x(size(x))
  end function last

  ! f2py learns from such a call what f takes and returns
  function each(f, n)
    real(8), external :: f
    integer, intent(in) :: n
    real(8) :: each
    real(8) :: x, y
    integer :: i

    each = 0
    do i = 1, n
      x = i
      y = f(x)
      each = each + y
    end do
  end function each

end module fetched_plain
