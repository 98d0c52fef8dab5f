! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_bool, c_double, c_float, c_int, c_int32_t, c_int64_t, &
      c_int8_t, c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_take_array, py2f_tells_dense
  implicit none
  private
  public :: ramp
  public :: positive
  public :: table
  public :: reversed_table
  public :: below
  public :: mask
  public :: bytes_mask
  public :: anything
  public :: single
  public :: wrong
  public :: superfluous

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
    type(c_ptr) :: next(1)
  end type py2f_array_1

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_2
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(2)
    type(c_ptr) :: next(2)
  end type py2f_array_2

  !> An array that Python returns
  type, bind(c) :: py2f_result_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
  end type py2f_result_1

  !> An array that Python returns
  type, bind(c) :: py2f_result_2
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(2)
  end type py2f_result_2

  !> Characters
  type, bind(c) :: py2f_text
    type(c_ptr) :: first
    integer(c_int64_t) :: length
  end type py2f_text

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_f0072de0674e_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  function ramp(n, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: n
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: res(n)
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: n
      type(py2f_result_1) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%n = n
    frame%res%extent(1) = size(res, 1, c_int64_t)
    frame%res%first = c_null_ptr
    if (size(res, kind=c_int64_t) > 0) frame%res%first = c_loc(res(1))
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc /= py2f_ok) res = 0
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:ramp", stat, errmsg)
  end function ramp

  !> Its length is known afterwards only.
  function positive(x, stat, errmsg) result(res)
    real(c_double), intent(in), target :: x(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), allocatable :: res(:)
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      type(py2f_result_1) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%x%extent(1) = size(x, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%x%extent(1) > 0
    if (dense) dense = is_contiguous(x)
    if (dense) then
      frame%x%first = c_loc(x(1))
      frame%x%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(x, frame%x)
    end if
    rc = py2f_call(1_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (real(c_double) :: res(frame%res%extent(1)))
      call py2f_take_array(frame%res%first, res)
    else
      allocate (real(c_double) :: res(0))
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:positive", stat, errmsg)
  end function positive

  function table(x, y, stat, errmsg) result(res)
    integer(c_int32_t), intent(in), target :: x(:)
    integer(c_int32_t), intent(in), target :: y(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t), target :: res(size(x, 1, c_int64_t), size(y, 1, c_int64_t))
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      type(py2f_array_1) :: y
      type(py2f_result_2) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%x%extent(1) = size(x, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%x%extent(1) > 0
    if (dense) dense = is_contiguous(x)
    if (dense) then
      frame%x%first = c_loc(x(1))
      frame%x%next(1) = c_null_ptr
    else
      call py2f_locate_i32_1(x, frame%x)
    end if
    frame%y%extent(1) = size(y, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%y%extent(1) > 0
    if (dense) dense = is_contiguous(y)
    if (dense) then
      frame%y%first = c_loc(y(1))
      frame%y%next(1) = c_null_ptr
    else
      call py2f_locate_i32_1(y, frame%y)
    end if
    frame%res%extent(1) = size(res, 1, c_int64_t)
    frame%res%extent(2) = size(res, 2, c_int64_t)
    frame%res%first = c_null_ptr
    if (size(res, kind=c_int64_t) > 0) frame%res%first = c_loc(res(1, 1))
    rc = py2f_call(2_c_int, c_loc(frame))
    if (rc /= py2f_ok) res = 0
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:table", stat, errmsg)
  end function table

  function reversed_table(x, stat, errmsg) result(res)
    real(c_float), intent(in), target :: x(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_float), allocatable :: res(:, :)
    type, bind(c) :: frame_layout
      type(py2f_array_2) :: x
      type(py2f_result_2) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%x%extent(1) = size(x, 1, c_int64_t)
    frame%x%extent(2) = size(x, 2, c_int64_t)
    dense = py2f_tells_dense .and. frame%x%extent(1) > 0 .and. frame%x%extent(2) > 0
    if (dense) dense = is_contiguous(x)
    if (dense) then
      frame%x%first = c_loc(x(1, 1))
      frame%x%next(1) = c_null_ptr
      frame%x%next(2) = c_null_ptr
    else
      call py2f_locate_f32_2(x, frame%x)
    end if
    rc = py2f_call(3_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (real(c_float) :: res(frame%res%extent(1), frame%res%extent(2)))
      call py2f_take_array(frame%res%first, res)
    else
      allocate (real(c_float) :: res(0, 0))
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:reversed_table", stat, errmsg)
  end function reversed_table

  function below(x, limit, stat, errmsg) result(res)
    real(c_double), intent(in), target :: x(:)
    real(c_double), intent(in) :: limit
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical, target :: res(size(x, 1, c_int64_t))
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      real(c_double) :: limit
      type(py2f_result_1) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%x%extent(1) = size(x, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%x%extent(1) > 0
    if (dense) dense = is_contiguous(x)
    if (dense) then
      frame%x%first = c_loc(x(1))
      frame%x%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(x, frame%x)
    end if
    frame%limit = limit
    frame%res%extent(1) = size(res, 1, c_int64_t)
    frame%res%first = c_null_ptr
    if (size(res, kind=c_int64_t) > 0) frame%res%first = c_loc(res(1))
    rc = py2f_call(4_c_int, c_loc(frame))
    if (rc /= py2f_ok) res = .false.
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:below", stat, errmsg)
  end function below

  function mask(n, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: n
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical, allocatable :: res(:, :)
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: n
      type(py2f_result_2) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%n = n
    rc = py2f_call(5_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (logical :: res(frame%res%extent(1), frame%res%extent(2)))
      call py2f_take_array(frame%res%first, res)
    else
      allocate (logical :: res(0, 0))
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:mask", stat, errmsg)
  end function mask

  function bytes_mask(n, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: n
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical(c_bool), allocatable :: res(:)
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: n
      type(py2f_result_1) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%n = n
    rc = py2f_call(6_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (logical(c_bool) :: res(frame%res%extent(1)))
      call py2f_take_array(frame%res%first, res)
    else
      allocate (logical(c_bool) :: res(0))
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:bytes_mask", stat, errmsg)
  end function bytes_mask

  function anything(kind, stat, errmsg) result(res)
    character(len=*), intent(in), target :: kind
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int8_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: kind
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%kind%first = c_null_ptr
    frame%kind%length = len(kind, c_int64_t)
    if (len(kind) > 0) frame%kind%first = c_loc(kind(1:1))
    rc = py2f_call(7_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int8_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:anything", stat, errmsg)
  end function anything

  function single(kind, stat, errmsg) result(res)
    character(len=*), intent(in), target :: kind
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_float) :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: kind
      real(c_double) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%kind%first = c_null_ptr
    frame%kind%length = len(kind, c_int64_t)
    if (len(kind) > 0) frame%kind%first = c_loc(kind(1:1))
    rc = py2f_call(8_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = real(frame%res, c_float)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:single", stat, errmsg)
  end function single

  function wrong(kind, stat, errmsg) result(res)
    character(len=*), intent(in), target :: kind
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: res(2)
    type, bind(c) :: frame_layout
      type(py2f_text) :: kind
      type(py2f_result_1) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%kind%first = c_null_ptr
    frame%kind%length = len(kind, c_int64_t)
    if (len(kind) > 0) frame%kind%first = c_loc(kind(1:1))
    frame%res%extent(1) = size(res, 1, c_int64_t)
    frame%res%first = c_null_ptr
    if (size(res, kind=c_int64_t) > 0) frame%res%first = c_loc(res(1))
    rc = py2f_call(9_c_int, c_loc(frame))
    if (rc /= py2f_ok) res = 0
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:wrong", stat, errmsg)
  end function wrong

  subroutine superfluous(stat, errmsg)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: rc

    rc = py2f_call(10_c_int, c_null_ptr)
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:superfluous", stat, errmsg)
  end subroutine superfluous

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_f32_2(array, place)
    real(c_float), target, intent(in) :: array(:, :)
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
  end subroutine py2f_locate_f32_2

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_f64_1(array, place)
    real(c_double), target, intent(in) :: array(:)
    type(py2f_array_1), intent(inout) :: place

    if (place%extent(1) > 0) then
      place%first = c_loc(array(1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
    end if
  end subroutine py2f_locate_f64_1

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_i32_1(array, place)
    integer(c_int32_t), target, intent(in) :: array(:)
    type(py2f_array_1), intent(inout) :: place

    if (place%extent(1) > 0) then
      place%first = c_loc(array(1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
    end if
  end subroutine py2f_locate_i32_1

end module model_py
