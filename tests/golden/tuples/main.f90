program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double) :: low, high, x(4) = [1, -2, 3, 4], scaled(8), two(2)
  real(c_double), allocatable :: positive(:)
  integer(c_int32_t) :: where
  logical :: mask(4), large, wide(8)
  complex(c_double_complex) :: z
  integer(c_int8_t) :: small
  character(len=:), allocatable :: text
  character(len=8) :: kinds(6) = [character(len=8) :: 'good', 'few', 'many', 'none', 'list', 'last']
  integer :: i, stat, bits(8)
  equivalence (wide, bits)
  character(len=100) :: msg
  call extremes(x, low, high, where)
  print '(2f5.1,i3)', low, high, where
  call extremes(x(2:1), low=low, high=high, where=where, stat=stat, errmsg=msg)
  print '(i0,1x,a,2f5.1,i3)', stat, msg(:24), low, high, where
  scaled = 9
  call split(x, 2_c_int32_t, scaled(8:1:-2), positive, mask, z, text, small, large)
  print '(8f5.1)', scaled
  print '(3f5.1,4l2,2f5.1,1x,a,i3,l2)', positive, mask, z, text, small, large
  bits = -2
  call split(x, 3_c_int32_t, scaled(:4), positive, wide(8:1:-2), z, text, small, large)
  print '(8i3)', bits
  call split(x, 200_c_int32_t, scaled(:4), positive, mask, z, text, small, large, stat, msg)
  print '(i0,1x,a)', stat, trim(msg)
  print '(4f5.1,i3,4l2,2f5.1,1x,i0,i3,l2)', scaled(:4), size(positive), mask, z, len(text), small, large
  call split(x, 1_c_int32_t, scaled(:3), positive, mask, z, text, small, large, stat, msg)
  print '(i0,1x,a,3f5.1)', stat, trim(msg), scaled(:3)
  do i = 1, 6
    two = 7
    call wrong(kinds(i), low, positive, text, two, stat, msg)
    if (stat == 0) msg = 'fine'
    print '(i0,1x,a,f5.1,2i3,2f5.1)', stat, trim(msg), low, size(positive), len(text), two
  end do
end program main
