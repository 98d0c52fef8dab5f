!> A periodic domain in parts, one for each process; every part has a halo, one point wide.
module domain
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08, only: MPI_Cart_coords, MPI_Cart_create, MPI_Cart_shift, MPI_Comm, &
    MPI_COMM_WORLD, MPI_Comm_rank, MPI_Comm_size, MPI_Dims_create, MPI_Finalize, MPI_Init, &
    MPI_REAL8, MPI_Reduce, MPI_Sendrecv, MPI_STATUS_IGNORE, MPI_SUM
  implicit none
  private
  public :: start, finish, hot_spots, exchange_halo, report
  integer, parameter :: extents(2) = [48, 36]
  type(MPI_Comm) :: grid
  integer :: rank, parts(2) = 0, part(2), points(2), before(2), after(2)

contains

  subroutine start()
    integer :: along, processes

    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    call MPI_Dims_create(processes, 2, parts)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, parts, [.true., .true.], .false., grid)
    call MPI_Comm_rank(grid, rank)
    call MPI_Cart_coords(grid, rank, 2, part)
    if (any(mod(extents, parts) /= 0)) error stop "the parts would not be equal"
    points = extents / parts
    do along = 1, 2
      call MPI_Cart_shift(grid, along - 1, 1, before(along), after(along))
    end do
    if (rank == 0) print "(i0, a, i0, a)", parts(1), " x ", parts(2), " processes"
  end subroutine start

  subroutine finish()
    call MPI_Finalize()
  end subroutine finish

  !> My part of a field that has the same values however many parts there are.
  function hot_spots() result(field)
    real(real64), allocatable :: field(:, :)
    integer :: at(2), i, j

    allocate (field(0:points(1) + 1, 0:points(2) + 1))
    field = 0
    do j = 1, points(2)
      do i = 1, points(1)
        at = part * points + [i, j]
        field(i, j) = merge(100, 20, mod(7 * at(1) + 5 * at(2), 11) == 0)
      end do
    end do
  end function hot_spots

  !> What Python calls, on whatever array it has at hand.
  subroutine exchange_halo(field)
    real(real64), intent(inout) :: field(:, :)
    integer :: n, m

    n = size(field, 1)
    m = size(field, 2)
    call shift(field(2, :), before(1), field(n, :), after(1))
    call shift(field(n - 1, :), after(1), field(1, :), before(1))
    call shift(field(:, 2), before(2), field(:, m), after(2))
    call shift(field(:, m - 1), after(2), field(:, 1), before(2))
  end subroutine exchange_halo

  subroutine shift(edge, there, halo, from_here)
    real(real64), intent(in) :: edge(:)
    real(real64), intent(inout) :: halo(:)
    integer, intent(in) :: there, from_here
    real(real64) :: sent(size(edge)), received(size(halo))

    sent = edge
    call MPI_Sendrecv(sent, size(sent), MPI_REAL8, there, 0, &
                      received, size(received), MPI_REAL8, from_here, 0, grid, MPI_STATUS_IGNORE)
    halo = received
  end subroutine shift

  !> The first process prints the whole field.
  subroutine report(field)
    real(real64), intent(in) :: field(0:, 0:)
    real(real64) :: mine(extents(1), extents(2)), whole(extents(1), extents(2))
    integer :: first(2), last(2), i
    integer(int64), allocatable :: bits(:)

    first = part * points + 1
    last = first + points - 1
    mine = 0
    mine(first(1):last(1), first(2):last(2)) = field(1:points(1), 1:points(2))
    call MPI_Reduce(mine, whole, size(mine), MPI_REAL8, MPI_SUM, 0, grid) ! of one value and zeros
    if (rank /= 0) return
    bits = transfer(whole, [integer(int64) ::])
    print "(8f8.3)", whole(::6, ::6)
    print "(a, 2f8.3)", "coldest and warmest:", minval(whole), maxval(whole)
    print "(a, z16.16)", "checksum of all bits: ", &
      iparity([(ishftc(bits(i), mod(i, 64)), i = 1, size(bits))])
  end subroutine report
end module domain

program main
  use, intrinsic :: iso_fortran_env, only: real64
  use domain, only: exchange_halo, finish, hot_spots, report, start
  use model_py, only: provide_exchange_halo, step
  implicit none
  real(real64), allocatable :: field(:, :)
  integer :: i

  call start()
  call provide_exchange_halo(exchange_halo)
  field = hot_spots()
  do i = 1, 20
    call step(field, 0.015625_real64)
  end do
  call report(field)
  call finish()
end program main
