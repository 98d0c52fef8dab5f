module procedures
  use, intrinsic :: iso_fortran_env, only: error_unit
  use model_py, only: deeper
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: failures = 0
contains
  subroutine exchange_halo(n, field, name)
    integer, intent(in) :: n
    real(dp), intent(inout) :: field(:, :)
    character(len=*), intent(in) :: name
    print '(a, 3(1x, i0))', name, n, shape(field)
    field(1, :) = -1
  end subroutine exchange_halo

  function saturation_pressure(temperature, pressure) result(e)
    real(dp), intent(in) :: temperature
    real(dp), intent(in), optional :: pressure
    real(dp) :: e
    integer :: stat
    character(len=40) :: errmsg
    errmsg = ""
    e = deeper(temperature, stat=stat, errmsg=errmsg)
    if (stat /= 0) print '(2a)', "deeper: ", trim(errmsg)
    if (present(pressure)) e = e + pressure
  end function saturation_pressure

  subroutine minmax(field, low, high)
    real(dp), intent(in) :: field(:, :)
    real(dp), intent(out) :: low, high
    low = minval(field)
    high = maxval(field)
  end subroutine minmax

  function rate(x) result(r)
    real(dp), intent(in) :: x
    real(dp) :: r
    r = x * x
  end function rate

  subroutine watch(k, field)
    integer, intent(in) :: k
    real(dp), intent(inout) :: field(:, :)
    print '(a, 3(1x, i0), 1x, f0.1)', "watch", k, shape(field), sum(field)
    field(2, 2) = 200
  end subroutine watch
end module procedures

program main
  use model_py, only: provide_exchange, provide_extremes, provide_saturation, step, step_rate
  use procedures
  implicit none
  real(dp) :: field(6, 4), e
  integer :: stat
  character(len=120) :: errmsg
  procedure(step_rate), pointer :: asked
  field = 0
  asked => rate
  errmsg = ""
  e = step(field(::2, :), asked, stat=stat, errmsg=errmsg)
  print '(i0, 1x, a)', stat, trim(errmsg)
  call provide_exchange(exchange_halo)
  call provide_extremes(minmax)
  call provide_saturation(saturation_pressure)
  e = step(field(::2, :), asked) ! the host prints: not inside of a print
  print '(f0.1)', e
  e = step(field(::2, :), rate, watch)
  print '(f0.1)', e
  print '(6(1x, f6.1))', field
end program main
