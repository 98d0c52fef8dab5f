!> What fetch.py has everybody call. The bodies do next to nothing: only the call is measured.
module fetched
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  private
  public :: nothing, three, add, add_n, last, last_of, each

  abstract interface
    function real_function(x) bind(C) result(y)
      import :: c_double
      implicit none
      real(c_double), intent(in) :: x
      real(c_double) :: y
    end function real_function
  end interface

contains

  subroutine nothing() bind(C, name="fetched_nothing")
  end subroutine nothing

  subroutine three(x, y, z) bind(C, name="fetched_three")
    real(c_double), value :: x, y, z
  end subroutine three

  subroutine add(a, b, c) bind(C, name="fetched_add")
    real(c_double), intent(in) :: a(10), b(10)
    real(c_double), intent(inout) :: c(10)

    c(1) = a(1) + b(10)
  end subroutine add

  subroutine add_n(n, a, b, c) bind(C, name="fetched_add_n")
    integer(c_int), value :: n
    real(c_double), intent(in) :: a(n), b(n)
    real(c_double), intent(inout) :: c(n)

    c(1) = a(1) + b(n)
  end subroutine add_n

  function last(x) bind(C, name="fetched_last") result(r)
    real(c_double), intent(in) :: x(:)
    real(c_double) :: r

    r = x(size(x))
  end function last

  !> The same for those who know of no descriptors.
  function last_of(n, x) bind(C, name="fetched_last_of") result(r)
    integer(c_int), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: r

    r = x(n)
  end function last_of

  function each(f, n) bind(C, name="fetched_each") result(total)
    procedure(real_function) :: f
    integer(c_int), value :: n
    real(c_double) :: total
    integer(c_int) :: i

    total = 0
    do i = 1, n
      total = total + f(real(i, c_double))
    end do
  end function each

end module fetched
