program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  integer(c_int32_t) :: a(6) = 0
  integer(c_int64_t) :: b(3, 2)
  real(c_float) :: c(2, 2, 2, 2) = 1
  real(c_double) :: d(1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1)
  call rank_1(a(6:1:-2))
  print '(6(1x,i0))', a
  b = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  call rank_2(b(1:3:2, :))
  print '(6(1x,i0))', b
  print '(f6.1,f6.1)', rank_4(c), rank_4(c(2:1:-1, :, 1:1, :))
  d = 1
  print '(i0)', rank_15(d(:, 2:1:-1, :, :, :, :, :, :, :, :, :, :, :, 1:1, :))
  print '(2f6.1)', minval(d), sum(d)
end program main
