program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  integer(c_int64_t) :: i
  real(c_float) :: x
  complex(c_float_complex) :: z
  logical :: flag, done = .true.
  logical(c_bool) :: byte_flag
  real(c_double) :: time(3) = [1, 2, 3], d = 3
  integer(c_int8_t) :: steps = 7
  flag = transfer(huge(1), flag)
  call fill(i, x, z, flag, byte_flag)
  print '(i0,3f5.1,2l2,1x,i0)', i, x, z, flag, byte_flag, transfer(flag, 1)
  call advance(time(2), steps, done)
  call advance(time(3), steps, done, 0.5_c_double)
  call advance(time(3), steps, done, 0.5_c_double)
  print '(3f5.1,i3,l2)', time, steps, done
  print '(2l2,f5.1)', maybe(), maybe(d), d
  call untouched(d)
  print '(f5.1)', d
end program main
