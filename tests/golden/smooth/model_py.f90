! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_tells_dense
  implicit none
  private
  public :: smooth

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_2
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(2)
    type(c_ptr) :: next(2)
  end type py2f_array_2

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_1780b46284b5_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  !> Smooth a field with a five-point stencil.
  subroutine smooth(field, weight, smoothed, stat, errmsg)
    real(c_double), intent(in), target :: field(:, :)
    real(c_double), intent(in) :: weight
    real(c_double), intent(inout), target :: smoothed(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_2) :: field
      type(py2f_array_2) :: smoothed
      real(c_double) :: weight
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%field%extent(1) = size(field, 1, c_int64_t)
    frame%field%extent(2) = size(field, 2, c_int64_t)
    dense = py2f_tells_dense .and. frame%field%extent(1) > 0 .and. frame%field%extent(2) > 0
    if (dense) dense = is_contiguous(field)
    if (dense) then
      frame%field%first = c_loc(field(1, 1))
      frame%field%next(1) = c_null_ptr
      frame%field%next(2) = c_null_ptr
    else
      call py2f_locate_f64_2(field, frame%field)
    end if
    frame%smoothed%extent(1) = size(smoothed, 1, c_int64_t)
    frame%smoothed%extent(2) = size(smoothed, 2, c_int64_t)
    dense = py2f_tells_dense .and. frame%smoothed%extent(1) > 0 .and. frame%smoothed%extent(2) > 0
    if (dense) dense = is_contiguous(smoothed)
    if (dense) then
      frame%smoothed%first = c_loc(smoothed(1, 1))
      frame%smoothed%next(1) = c_null_ptr
      frame%smoothed%next(2) = c_null_ptr
    else
      call py2f_locate_f64_2(smoothed, frame%smoothed)
    end if
    frame%weight = weight
    rc = py2f_call(0_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:smooth", stat, errmsg)
  end subroutine smooth

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_f64_2(array, place)
    real(c_double), target, intent(in) :: array(:, :)
    type(py2f_array_2), intent(inout) :: place

    if (place%extent(1) > 0 .and. place%extent(2) > 0) then
      place%first = c_loc(array(1, 1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1)), 1))
      place%next(2) = c_loc(array(1, min(2_c_int64_t, place%extent(2))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
      place%next(2) = c_null_ptr
    end if
  end subroutine py2f_locate_f64_2

end module model_py
