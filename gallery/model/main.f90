!> The model: three steps.
program main
  use, intrinsic :: iso_c_binding, only: c_double
  use heat_py, only: conduct
  use state, only: begin
  implicit none
  real(c_double) :: temperature(5, 4), mean
  integer :: step

  call begin(temperature)
  do step = 1, 3
    mean = conduct(temperature, 0.5_c_double)
    print '(a,i0,a,f9.4)', 'step ', step, ': ', mean
  end do
end program main
