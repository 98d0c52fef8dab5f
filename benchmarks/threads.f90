!> Calls cases of module cases from several OpenMP threads at once: `threads ROUNDS NAME...` prints a line for each case and
!> number of threads: its name, the number, then ns/call of each round, which is wall time over the calls of all threads.
program threads
  use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
  use cases, only: case_t, list_cases, unexpected, last_stat
  implicit none

  integer, parameter :: numbers(4) = [1, 2, 4, 8]
  real(real64), parameter :: block_ns = 2e7_real64  ! long against a time slice: threads that follow each other are no contest
  type(case_t), allocatable :: all_cases(:)
  character(len=16) :: word
  real(real64), allocatable :: ns(:, :, :)
  integer, allocatable :: calls(:)
  integer :: rounds, r, c, k, n

  call list_cases(all_cases)
  call get_command_argument(1, word)
  read (word, *) rounds
  allocate (ns(rounds, size(numbers), command_argument_count() - 1), calls(command_argument_count() - 1))
  do r = 0, rounds  ! round 0 warms up
    do n = 1, size(numbers)
      do c = 1, size(ns, 3)
        call get_command_argument(c + 1, word)
        k = find(word)
        if (r == 0) calls(c) = int(block_ns / ns_per_call(all_cases(k), 1, 2000))
        ns(max(r, 1), n, c) = ns_per_call(all_cases(k), numbers(n), calls(c) / numbers(n))
      end do
    end do
  end do
  do c = 1, size(ns, 3)
    call get_command_argument(c + 1, word)
    do n = 1, size(numbers)
      print '(a,1x,i0,*(1x,f0.3))', trim(word), numbers(n), ns(:, n, c)
    end do
  end do

contains

  function find(name) result(k)
    character(len=*), intent(in) :: name
    integer :: k

    do k = 1, size(all_cases)
      if (all_cases(k)%name == name) return
    end do
    write (error_unit, '(3a)') 'there is no case ', trim(name), ': NAME is VARIANT:ROW'
    error stop 1
  end function find

  function ns_per_call(a_case, count, calls) result(ns)
    type(case_t), intent(in) :: a_case
    integer, intent(in) :: count, calls
    real(real64) :: ns
    integer(int64) :: start, finish, rate
    integer :: i

    call system_clock(start, rate)
    !$omp parallel do num_threads(count) schedule(static, 1)
    do i = 1, count
      call a_case%loop(calls)
    end do
    !$omp end parallel do
    call system_clock(finish)
    ns = real(finish - start, real64) * 1e9_real64 / real(rate, real64) / real(calls * count, real64)
    if (unexpected == 0) return
    write (error_unit, '(3a,i0)') 'case ', trim(a_case%name), ' returned the unexpected status ', last_stat
    error stop 1
  end function ns_per_call

end program threads
