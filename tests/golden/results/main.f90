program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double), allocatable :: pos(:)
  real(c_double) :: two(2)
  integer(c_int8_t) :: small
  real(c_float) :: r
  integer :: stat
  character(len=120) :: msg
  print '(4f5.1)', ramp(4_c_int32_t)
  print '(i0,1x,i0)', size(ramp(0_c_int32_t)), size(ramp(-3_c_int32_t))
  pos = positive([1.0_c_double, -2.0_c_double, 3.0_c_double])
  print '(i0,2f5.1)', size(pos), pos
  print '(i0)', size(positive([-1.0_c_double]))
  print '(6(1x,i0))', table([1, 2], [3, 4, 5])
  print '(4f5.1)', reversed_table(reshape([1.0, 2.0, 3.0, 4.0], [2, 2]))
  print '(3l2)', below([1.0_c_double, 2.0_c_double, 3.0_c_double], 2.5_c_double)
  print '(9l2,i2)', mask(3_c_int32_t), count(.not. mask(3_c_int32_t))
  print '(3l2)', bytes_mask(3_c_int32_t)
  print '(i0,1x,i0,1x,i0)', anything('fits'), anything('numpy'), anything('flag')
  small = anything('large', stat, msg)
  call show(real(small, c_double))
  small = anything('real', stat, msg)
  call show(real(small, c_double))
  small = anything('none', stat, msg)
  call show(real(small, c_double))
  small = anything('text', stat, msg)
  call show(real(small, c_double))
  small = anything('unknown', stat, msg)
  call show(real(small, c_double))
  print '(2f5.1,2l2)', single('fits'), single('integer'), single('nan') /= single('nan'), single('infinite') > huge(r)
  r = single('large', stat, msg)
  call show(real(r, c_double))
  r = single('text', stat, msg)
  call show(real(r, c_double))
  two = wrong('rank', stat, msg)
  call show(sum(two))
  two = wrong('extent', stat, msg)
  call show(sum(two))
  two = wrong('dtype', stat, msg)
  call show(sum(two))
  two = wrong('list', stat, msg)
  call show(sum(two))
  call superfluous(stat, msg)
  call show(0.0_c_double)
contains
  subroutine show(value)
    real(c_double), intent(in) :: value
    print '(i0,1x,a,f5.1)', stat, trim(msg), value
  end subroutine show
end program main
