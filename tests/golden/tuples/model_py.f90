! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_int, c_int32_t, c_int64_t, &
      c_int8_t, c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_mismatch, py2f_ok, py2f_take_array, py2f_take_text, &
      py2f_tells_dense
  implicit none
  private
  public :: extremes
  public :: split
  public :: wrong

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
    type(c_ptr) :: next(1)
  end type py2f_array_1

  !> An array that Python returns
  type, bind(c) :: py2f_result_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
  end type py2f_result_1

  !> Characters
  type, bind(c) :: py2f_text
    type(c_ptr) :: first
    integer(c_int64_t) :: length
  end type py2f_text

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_2b75c033756c_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  subroutine extremes(x, low, high, where, stat, errmsg)
    real(c_double), intent(in), target :: x(:)
    real(c_double), intent(out) :: low
    real(c_double), intent(out) :: high
    integer(c_int32_t), intent(out) :: where
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      real(c_double) :: low
      real(c_double) :: high
      integer(c_int64_t) :: where
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
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      low = frame%low
      high = frame%high
      where = int(frame%where, c_int32_t)
    else
      low = 0
      high = 0
      where = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:extremes", stat, errmsg)
  end subroutine extremes

  subroutine split(x, m, scaled, split_2, split_3, split_4, split_5, split_6, split_7, stat, errmsg)
    real(c_double), intent(in), target :: x(:)
    integer(c_int32_t), intent(in) :: m
    real(c_double), intent(out), target :: scaled(:)
    real(c_double), allocatable, intent(out) :: split_2(:)
    logical, intent(out), target :: split_3(:)
    complex(c_double_complex), intent(out) :: split_4
    character(len=:), allocatable, intent(out) :: split_5
    integer(c_int8_t), intent(out) :: split_6
    logical, intent(out) :: split_7
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      integer(c_int64_t) :: m
      type(py2f_array_1) :: scaled
      type(py2f_result_1) :: split_2
      type(py2f_array_1) :: split_3
      complex(c_double_complex) :: split_4
      type(py2f_text) :: split_5
      integer(c_int64_t) :: split_6
      integer(c_int64_t) :: split_7
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
    frame%m = m
    frame%scaled%extent(1) = size(scaled, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%scaled%extent(1) > 0
    if (dense) dense = is_contiguous(scaled)
    if (dense) then
      frame%scaled%first = c_loc(scaled(1))
      frame%scaled%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(scaled, frame%scaled)
    end if
    frame%split_3%extent(1) = size(split_3, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%split_3%extent(1) > 0
    if (dense) dense = is_contiguous(split_3)
    if (dense) then
      frame%split_3%first = c_loc(split_3(1))
      frame%split_3%next(1) = c_null_ptr
    else
      call py2f_locate_b32_1(split_3, frame%split_3)
    end if
    if (frame%scaled%extent(1) /= frame%x%extent(1)) then
      rc = py2f_mismatch("split", "scaled", 1, frame%scaled%extent(1), "n", frame%x%extent(1))
    else if (frame%split_3%extent(1) /= frame%x%extent(1)) then
      rc = py2f_mismatch("split", "split_3", 1, frame%split_3%extent(1), "n", frame%x%extent(1))
    else
      rc = py2f_call(1_c_int, c_loc(frame))
    end if
    if (rc == py2f_ok) then
      allocate (real(c_double) :: split_2(frame%split_2%extent(1)))
      call py2f_take_array(frame%split_2%first, split_2)
      split_4 = frame%split_4
      allocate (character(len=frame%split_5%length) :: split_5)
      call py2f_take_text(frame%split_5%first, split_5)
      split_6 = int(frame%split_6, c_int8_t)
      split_7 = frame%split_7 /= 0
    else
      scaled = 0
      allocate (real(c_double) :: split_2(0))
      split_3 = .false.
      split_4 = 0
      split_5 = ""
      split_6 = 0
      split_7 = .false.
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:split", stat, errmsg)
  end subroutine split

  !> Nothing that was returned before the field that does not fit is kept.
  subroutine wrong(kind, wrong_1, wrong_2, wrong_3, wrong_4, stat, errmsg)
    character(len=*), intent(in), target :: kind
    real(c_double), intent(out) :: wrong_1
    real(c_double), allocatable, intent(out) :: wrong_2(:)
    character(len=:), allocatable, intent(out) :: wrong_3
    real(c_double), intent(out), target :: wrong_4(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_text) :: kind
      real(c_double) :: wrong_1
      type(py2f_result_1) :: wrong_2
      type(py2f_text) :: wrong_3
      type(py2f_array_1) :: wrong_4
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%kind%first = c_null_ptr
    frame%kind%length = len(kind, c_int64_t)
    if (len(kind) > 0) frame%kind%first = c_loc(kind(1:1))
    frame%wrong_4%extent(1) = size(wrong_4, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%wrong_4%extent(1) > 0
    if (dense) dense = is_contiguous(wrong_4)
    if (dense) then
      frame%wrong_4%first = c_loc(wrong_4(1))
      frame%wrong_4%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(wrong_4, frame%wrong_4)
    end if
    if (frame%wrong_4%extent(1) /= 2_c_int64_t) then
      rc = py2f_mismatch("wrong", "wrong_4", 1, frame%wrong_4%extent(1), "2", 2_c_int64_t)
    else
      rc = py2f_call(2_c_int, c_loc(frame))
    end if
    if (rc == py2f_ok) then
      wrong_1 = frame%wrong_1
      allocate (real(c_double) :: wrong_2(frame%wrong_2%extent(1)))
      call py2f_take_array(frame%wrong_2%first, wrong_2)
      allocate (character(len=frame%wrong_3%length) :: wrong_3)
      call py2f_take_text(frame%wrong_3%first, wrong_3)
    else
      wrong_1 = 0
      allocate (real(c_double) :: wrong_2(0))
      wrong_3 = ""
      wrong_4 = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:wrong", stat, errmsg)
  end subroutine wrong

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_b32_1(array, place)
    logical, target, intent(in) :: array(:)
    type(py2f_array_1), intent(inout) :: place

    if (place%extent(1) > 0) then
      place%first = c_loc(array(1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
    end if
  end subroutine py2f_locate_b32_1

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

end module model_py
