!> usage: empty CALLS MOVED: calls with fields that stay, then with fields at new addresses each time.
program empty
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use diffusion_empty_py, only: step
  implicit none
  integer, parameter :: nc = 512, ne = 768, nk = 20
  real(real64), allocatable, target :: w(:, :), vn(:, :), c(:, :, :), h(:, :, :), pool(:)
  integer :: calls, moved, i
  integer(int64) :: t0, t1, rate, before, after
  calls = argument(1)
  moved = argument(2)
  allocate (w(nc, nk + 1), vn(ne, nk), c(nc, nk, 3), h(nc, nk + 1, 4), source=0.0_real64)
  allocate (pool(nc*nk*4 + 2*moved + ne*nk), source=0.0_real64)
  call once(w, vn, c(:, :, 1))
  call system_clock(t0, rate)
  do i = 1, calls
    call once(w, vn, c(:, :, 1))
  end do
  call system_clock(t1)
  print "(a, f0.3)", "a call, same addresses = ", real(t1 - t0, real64)/real(rate, real64)/calls*1e6_real64
  call elsewhere(1)
  before = resident()
  call system_clock(t0)
  do i = 2, moved
    call elsewhere(i)
  end do
  call system_clock(t1)
  after = resident()
  print "(a, f0.3)", "a call, new addresses = ", real(t1 - t0, real64)/real(rate, real64)/moved*1e6_real64
  print "(a, f0.3)", "left behind by each = ", real(after - before, real64)*1024/moved
contains
  subroutine once(w, vn, exner)
    real(real64), intent(inout), contiguous, target :: w(:, :), vn(:, :), exner(:, :)
    call step(w, vn, exner, c(:, :, 2), c(:, :, 3), h(:, :, 1), h(:, :, 2), h(:, :, 3), h(:, :, 4), 2.0_real64, .false.)
  end subroutine once

  subroutine elsewhere(i)
    integer, intent(in) :: i
    real(real64), pointer, contiguous :: moved_w(:, :), moved_vn(:, :), moved_exner(:, :)
    moved_w(1:nc, 1:nk + 1) => pool(i:)
    moved_vn(1:ne, 1:nk) => pool(i:)
    moved_exner(1:nc, 1:nk) => pool(i:)
    call once(moved_w, moved_vn, moved_exner)
  end subroutine elsewhere

  integer function argument(number)
    integer, intent(in) :: number
    character(20) :: text
    call get_command_argument(number, text)
    read (text, *) argument
  end function argument

  integer(int64) function resident() ! kB
    character(200) :: line
    integer :: unit, status
    resident = -1
    open (newunit=unit, file="/proc/self/status", action="read")
    do
      read (unit, "(a)", iostat=status) line
      if (status /= 0) exit
      if (line(1:6) == "VmRSS:") read (line(7:), *) resident
    end do
    close (unit)
  end function resident
end program empty
