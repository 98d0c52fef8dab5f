program main
  use, intrinsic :: iso_fortran_env, only: real64
  use model_py, only: density, density_of_column, density_of_section, freezing_temperature, &
    sound_speed
  implicit none
  integer, parameter :: nlevels = 6, nstations = 5
  ! the check cast of TEOS-10
  real(real64), parameter :: sa(nlevels) = &
    [34.7118_real64, 34.8915_real64, 35.0256_real64, 34.8472_real64, 34.7366_real64, 34.7324_real64]
  real(real64), parameter :: ct(nlevels) = &
    [28.8099_real64, 28.4392_real64, 22.7862_real64, 10.2262_real64, 6.8272_real64, 4.3236_real64]
  real(real64), parameter :: p(nlevels) = &
    [10.0_real64, 50.0_real64, 125.0_real64, 250.0_real64, 600.0_real64, 1000.0_real64]
  real(real64), dimension(nstations, nlevels) :: salinity, temperature, pressure
  real(real64) :: point
  real(real64), dimension(nlevels) :: column, upward, station, freezing, airless, short
  real(real64), dimension(3, nlevels) :: rho, sound
  character(len=200) :: file, message
  integer :: i, stat, unit

  do i = 1, nstations ! fresher and colder towards the coast
    salinity(i, :) = sa - 0.5_real64 * (i - 1)
    temperature(i, :) = ct - 0.25_real64 * (i - 1)
    pressure(i, :) = p
  end do

  point = density(sa(1), ct(1), p(1))
  print "(a, f14.8)", "density at 10 dbar [kg m-3]:", point

  column = density_of_column(sa, ct, p)
  print "(a/6f12.6)", "density of the column:", column
  upward = density_of_column(sa(nlevels:1:-1), ct(nlevels:1:-1), p(nlevels:1:-1))
  print "(a/6f12.6)", "the same from the bottom up:", upward
  station = density_of_column(salinity(3, :), temperature(3, :), pressure(3, :))
  print "(a/6f12.6)", "density at the third station, a row of the section:", station

  rho = density_of_section(salinity(::2, :), temperature(::2, :), pressure(::2, :))
  print "(a/(3f12.6))", "density at every other station:", rho
  sound = sound_speed(salinity(5:1:-2, :), temperature(5:1:-2, :), pressure(5:1:-2, :))
  print "(a/(3f12.6))", "speed of sound from the coast outward [m s-1]:", sound

  freezing = freezing_temperature(sa, p)
  print "(a/6f12.6)", "freezing temperature [deg C]:", freezing
  airless = freezing_temperature(sa, p, air=0.0_real64)
  print "(a/6f12.6)", "without dissolved air:", airless

  short = density_of_column(sa, ct, p(2:), stat=stat, errmsg=message)
  print "(a, i0, 2a)", "a level short: stat = ", stat, ", ", trim(message)

  call get_command_argument(1, file)
  if (file /= "") then ! for who wants to compare every bit
    open (newunit=unit, file=file, access="stream", form="unformatted", status="replace", &
      action="write")
    write (unit) sa, ct, p, salinity, temperature, point, column, upward, station, rho, sound, &
      freezing, airless
    close (unit)
  end if
end program main
