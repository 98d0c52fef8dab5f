program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  real(c_double) :: x(5) = 0, y(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3]), z(5, 2) = 10, r(2), q(2, 3)
  integer :: stat
  integer(c_int32_t) :: n
  character(len=120) :: msg
  call by_argument(5_c_int32_t, x)
  call by_argument(4_c_int32_t, x, stat, msg)
  call show()
  call by_argument(3_c_int32_t, x(1:5:2))
  print '(5f5.1)', x
  print '(2f6.1)', by_arrays(y, x(:3)), by_arrays(y, x(:3), z)
  r = by_arrays(y, x, stat=stat, errmsg=msg)
  call show()
  print '(2f5.1)', r
  r = by_arrays(y, x(:3), z(:4, :), stat, msg)
  call show()
  n = constant([1.0, 2.0, 3.0], reshape([1.0, 2.0], [1, 2]))
  print '(i0)', n
  n = constant([1.0, 2.0], reshape([1.0, 2.0], [1, 2]), stat, msg)
  call show()
  n = constant([1.0, 2.0, 3.0], reshape([1.0, 2.0], [2, 1]), stat, msg)
  call show()
  print '(i0,3(1x,i0))', only_optional(), only_optional(c=x), only_optional(a=x, c=x), only_optional(x, x, x)
  n = only_optional(b=x, c=x(:4), stat=stat, errmsg=msg)
  call show()
  n = only_optional(a=x, c=x(:4), stat=stat, errmsg=msg)
  call show()
  q = products(3_c_int64_t, 3_c_int32_t, [(real(n, c_double), n=1, 6)])
  print '(6f5.1)', q
  q = products(3_c_int64_t, 3_c_int32_t, x, stat, msg)
  call show()
contains
  subroutine show()
    print '(i0,1x,a)', stat, trim(msg)
  end subroutine show
end program main
