! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_double, c_funloc, c_funptr, c_int, c_int64_t, c_loc, &
      c_null_funptr, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_tells_dense
  use model_py_host, only: exchange_interface, saturation_interface, extremes_interface, &
      step_rate, step_watch, provide_exchange, provide_saturation, provide_extremes
  implicit none
  private
  public :: step
  public :: deeper
  public :: exchange_interface
  public :: saturation_interface
  public :: extremes_interface
  public :: step_rate
  public :: step_watch
  public :: provide_exchange
  public :: provide_saturation
  public :: provide_extremes

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_2
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(2)
    type(c_ptr) :: next(2)
  end type py2f_array_2

  !> A scalar that may be absent
  type, bind(c) :: py2f_optional_procedure
    integer(c_int64_t) :: given
    type(c_funptr) :: value
  end type py2f_optional_procedure

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_51b1393b1451_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  !> Make a step; `rate` [1/s] is asked once, `watch` sees the field.
  function step(field, rate, watch, stat, errmsg) result(res)
    real(c_double), intent(inout), target :: field(:, :)
    procedure(step_rate) :: rate
    procedure(step_watch), optional :: watch
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: res
    type, bind(c) :: frame_layout
      type(py2f_array_2) :: field
      type(c_funptr) :: rate
      type(py2f_optional_procedure) :: watch
      real(c_double) :: res
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
    frame%rate = c_funloc(rate)
    frame%watch%given = 0
    frame%watch%value = c_null_funptr
    if (present(watch)) then
      frame%watch%given = 1
      frame%watch%value = c_funloc(watch)
    end if
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:step", stat, errmsg)
  end function step

  !> Is called by the host while it is being called.
  function deeper(x, stat, errmsg) result(res)
    real(c_double), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: res
    type, bind(c) :: frame_layout
      real(c_double) :: x
      real(c_double) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = x
    rc = py2f_call(1_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:deeper", stat, errmsg)
  end function deeper

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
