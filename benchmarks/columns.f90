!> Sweeps over all columns in blocks of several lengths, in turn: `columns ROUNDS` prints a line a length, with its name and
!> then ns/column of each round; first of blocks that do something, then of the empty function.
program columns
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use blocks_py, only: adjust, nothing
  implicit none

  integer, parameter :: ncol = 8192, nlev = 60, nproma(*) = [8, 16, 32, 64, 128, 512, 2048, ncol]
  character(len=16) :: number
  real(real64), allocatable :: p(:), t(:), q(:)
  real(real64), allocatable :: ns(:, :, :)
  integer :: i, k, r, rounds

  call get_command_argument(1, number)
  read (number, *) rounds
  allocate (p(ncol * nlev), t(ncol * nlev), q(ncol * nlev), ns(rounds, size(nproma), 2))
  p = 8e4_real64
  do r = 0, rounds
    do i = 1, size(nproma)
      k = mod(i + r, size(nproma)) + 1
      call sweep(nproma(k), p, t, q, .true., ns(max(r, 1), k, 1))  ! round 0 warms up
      call sweep(nproma(k), p, t, q, .false., ns(max(r, 1), k, 2))
    end do
  end do
  do i = 1, 2
    do k = 1, size(nproma)
      print '(i0,1x,i0,*(1x,f0.2))', i, nproma(k), ns(:, k, i)
    end do
  end do

contains

  subroutine sweep(n, p, t, q, works, ns)
    integer, intent(in) :: n
    real(real64), intent(inout) :: p(n, nlev, ncol / n), t(n, nlev, ncol / n), q(n, nlev, ncol / n)
    logical, intent(in) :: works
    real(real64), intent(out) :: ns
    integer(int64) :: start, finish, rate
    integer :: b

    t = 288
    q = 0.02_real64
    call system_clock(start, rate)
    do b = 1, ncol / n
      if (works) then
        call adjust(p(:, :, b), t(:, :, b), q(:, :, b), 0.5_real64)
      else
        call nothing(p(:, :, b), t(:, :, b), q(:, :, b), 0.5_real64)
      end if
    end do
    call system_clock(finish)
    ns = real(finish - start, real64) * 1e9_real64 / real(rate, real64) / ncol
  end subroutine sweep

end program columns
