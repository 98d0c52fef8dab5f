program main
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use model_py, only: nothing, smooth
  implicit none
  integer, parameter :: ncalls = 1000000
  real(real64) :: field(6, 5), smoothed(6, 5), every_other(3, 5)
  character(len=200) :: message
  character(len=8) :: time_it
  integer(int64) :: start, finish, rate
  integer :: i, stat

  field = 273.15_real64
  field(3:4, 3) = 373.15_real64

  call smooth(field, 0.25_real64, smoothed)
  print "(a)", "a hot spot, smoothed once [K]:"
  print "(6f8.2)", smoothed

  call smooth(field(1:6:2, :), 0.25_real64, every_other)
  print "(a)", "every other row, no copy made:"
  print "(3f8.2)", every_other

  call smooth(field, 0.25_real64, every_other, stat=stat, errmsg=message)
  print "(a, i0, 2a)", "the wrong shape: stat = ", stat, ", ", trim(message)

  call get_command_argument(1, time_it)
  if (time_it == "time") then
    call system_clock(start, rate)
    do i = 1, ncalls
      call nothing(field, smoothed, field)
    end do
    call system_clock(finish)
    print "(a, i0, a)", "a call with three arrays takes ", &
      nint(1.0e9_real64 * (finish - start) / rate / ncalls), " ns"
  end if
end program main
