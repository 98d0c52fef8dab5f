program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double), allocatable :: a(:, :)
  real(c_double), pointer :: p(:, :)
  real(c_double) :: x(4) = 1
  nullify (p)
  print '(a)', seen()
  print '(a)', seen(a, 1_c_int32_t, tag='')
  allocate (a(2, 0))
  print '(a)', seen(a, x=1.5_c_double, z=(1.0_c_double, 2.0_c_double), flag=.false., tag='zero size ')
  print '(a)', seen(p, flag=.true.)
  print '(a)', defaults()
  print '(a)', defaults(4_c_int32_t, flag=.false., last=8_c_int32_t)
  print '(a)', defaults(tag='given', z=(0.0_c_double, 0.0_c_double), x=-1.0_c_double)
  call scale(x)
  print '(4f5.1)', x
  call scale(x(1:4:3), [.true., .false.], factor=10.0_c_double)
  print '(4f5.1)', x
  call forward(x)
  print '(4f5.1)', x
contains
  subroutine forward(x, factor)
    real(c_double), intent(inout) :: x(:)
    real(c_double), intent(in), optional :: factor
    call scale(x, factor=factor)
  end subroutine forward
end program main
