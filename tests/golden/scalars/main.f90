program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  print '(i0,3(1x,i0))', next_i8(126_c_int8_t), next_i16(-2_c_int16_t), &
    next_i32(2147483646_c_int32_t), next_i64(9223372036854775806_c_int64_t)
  print '(2f8.4)', half_f32(0.5_c_float), half_f64(-3.0_c_double)
  print '(4f6.2)', turn_c32((1.0_c_float, 2.0_c_float)), turn_c64((1.0_c_double, -2.0_c_double))
  print '(4l2)', not_b8(.true._c_bool), not_b8(.false._c_bool), not_b32(.true.), not_b32(.false.)
  print '(a)', plain(-7_c_int32_t, 0.1_c_double, (0.5_c_double, -1.0_c_double), .true.)
end program main
