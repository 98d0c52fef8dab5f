!> The state of the model; knows nothing of Python.
module state
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  private
  public :: begin

contains

  subroutine begin(temperature)
    real(c_double), intent(out) :: temperature(:, :)
    integer :: i

    do i = 1, size(temperature, 1)
      temperature(i, :) = 280 + i
    end do
  end subroutine begin

end module state
