!> `memory CALLS` makes so many calls, each with arrays at other addresses, and prints after a hundredth, a tenth and all of
!> them: the number of calls, and the resident memory in KiB.
program memory
  use m1_0_py, only: f1_0_0
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none

  integer, parameter :: sets = 4096  ! far more than any cache of frames holds
  real(real64), allocatable :: a(:, :, :, :)
  character(len=20) :: word
  integer(int64) :: calls, i
  integer :: j

  call get_command_argument(1, word)
  read (word, *) calls
  allocate (a(5, 3, 3, sets), source=0.0_real64)
  do i = 1, calls
    j = int(mod(i * 7919_int64, int(sets, int64))) + 1
    call f1_0_0(a(:, :, 1, j), a(:, :, 2, j), a(:, :, 3, j))
    if (i == calls / 100 .or. i == calls / 10 .or. i == calls) print '(i0,1x,i0)', i, resident()
  end do

contains

  function resident() result(kib)
    integer :: kib, unit, stat
    character(len=200) :: line

    kib = -1
    open (newunit=unit, file='/proc/self/status', action='read', status='old')
    do
      read (unit, '(a)', iostat=stat) line
      if (stat /= 0) exit
      if (line(:6) == 'VmRSS:') read (line(7:), *) kib
    end do
    close (unit)
  end function resident

end program memory
