program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double) :: mean(1)
  print '(i0,1x,i0)', size([1.0_c_double, 2.0_c_double], 10_c_int32_t), size([1, 2, 3])
  print '(f6.1)', end(1.0_c_double, 2_c_int32_t, real=3.0_c_double, do=4_c_int32_t)
  print '(i0)', mixed(stat_=1_c_int32_t, errmsg_=2_c_int32_t, frame=3_c_int32_t, rc=4_c_int32_t)
  print '(i0)', mixed_(hidden=1_c_int32_t, case=2_c_int32_t, case_=3_c_int32_t, mixed__=4_c_int32_t)
  call area_weighted_mean([1.0_c_double, 3.0_c_double], is_contiguous_=[1.0_c_double, 3.0_c_double], dense=mean)
  print '(f6.2)', mean
end program main
