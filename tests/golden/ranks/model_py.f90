! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, c_int64_t, c_loc, &
      c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_tells_dense
  implicit none
  private
  public :: rank_1
  public :: rank_2
  public :: rank_4
  public :: rank_15

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
    type(c_ptr) :: next(1)
  end type py2f_array_1

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_15
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(15)
    type(c_ptr) :: next(15)
  end type py2f_array_15

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_2
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(2)
    type(c_ptr) :: next(2)
  end type py2f_array_2

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_4
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(4)
    type(c_ptr) :: next(4)
  end type py2f_array_4

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_1901c341bc17_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  subroutine rank_1(a, stat, errmsg)
    integer(c_int32_t), intent(inout), target :: a(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: a
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%a%extent(1) = size(a, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%a%extent(1) > 0
    if (dense) dense = is_contiguous(a)
    if (dense) then
      frame%a%first = c_loc(a(1))
      frame%a%next(1) = c_null_ptr
    else
      call py2f_locate_i32_1(a, frame%a)
    end if
    rc = py2f_call(0_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:rank_1", stat, errmsg)
  end subroutine rank_1

  subroutine rank_2(a, stat, errmsg)
    integer(c_int64_t), intent(inout), target :: a(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_2) :: a
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%a%extent(1) = size(a, 1, c_int64_t)
    frame%a%extent(2) = size(a, 2, c_int64_t)
    dense = py2f_tells_dense .and. frame%a%extent(1) > 0 .and. frame%a%extent(2) > 0
    if (dense) dense = is_contiguous(a)
    if (dense) then
      frame%a%first = c_loc(a(1, 1))
      frame%a%next(1) = c_null_ptr
      frame%a%next(2) = c_null_ptr
    else
      call py2f_locate_i64_2(a, frame%a)
    end if
    rc = py2f_call(1_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:rank_2", stat, errmsg)
  end subroutine rank_2

  function rank_4(a, stat, errmsg) result(res)
    real(c_float), intent(in), target :: a(:, :, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: res
    type, bind(c) :: frame_layout
      type(py2f_array_4) :: a
      real(c_double) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%a%extent(1) = size(a, 1, c_int64_t)
    frame%a%extent(2) = size(a, 2, c_int64_t)
    frame%a%extent(3) = size(a, 3, c_int64_t)
    frame%a%extent(4) = size(a, 4, c_int64_t)
    dense = py2f_tells_dense .and. frame%a%extent(1) > 0 .and. frame%a%extent(2) > 0 .and. &
        frame%a%extent(3) > 0 .and. frame%a%extent(4) > 0
    if (dense) dense = is_contiguous(a)
    if (dense) then
      frame%a%first = c_loc(a(1, 1, 1, 1))
      frame%a%next(1) = c_null_ptr
      frame%a%next(2) = c_null_ptr
      frame%a%next(3) = c_null_ptr
      frame%a%next(4) = c_null_ptr
    else
      call py2f_locate_f32_4(a, frame%a)
    end if
    rc = py2f_call(2_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:rank_4", stat, errmsg)
  end function rank_4

  function rank_15(a, stat, errmsg) result(res)
    real(c_double), intent(inout), target :: a(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_array_15) :: a
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%a%extent(1) = size(a, 1, c_int64_t)
    frame%a%extent(2) = size(a, 2, c_int64_t)
    frame%a%extent(3) = size(a, 3, c_int64_t)
    frame%a%extent(4) = size(a, 4, c_int64_t)
    frame%a%extent(5) = size(a, 5, c_int64_t)
    frame%a%extent(6) = size(a, 6, c_int64_t)
    frame%a%extent(7) = size(a, 7, c_int64_t)
    frame%a%extent(8) = size(a, 8, c_int64_t)
    frame%a%extent(9) = size(a, 9, c_int64_t)
    frame%a%extent(10) = size(a, 10, c_int64_t)
    frame%a%extent(11) = size(a, 11, c_int64_t)
    frame%a%extent(12) = size(a, 12, c_int64_t)
    frame%a%extent(13) = size(a, 13, c_int64_t)
    frame%a%extent(14) = size(a, 14, c_int64_t)
    frame%a%extent(15) = size(a, 15, c_int64_t)
    dense = py2f_tells_dense .and. frame%a%extent(1) > 0 .and. frame%a%extent(2) > 0 .and. &
        frame%a%extent(3) > 0 .and. frame%a%extent(4) > 0 .and. frame%a%extent(5) > 0 .and. &
        frame%a%extent(6) > 0 .and. frame%a%extent(7) > 0 .and. frame%a%extent(8) > 0 .and. &
        frame%a%extent(9) > 0 .and. frame%a%extent(10) > 0 .and. frame%a%extent(11) > 0 .and. &
        frame%a%extent(12) > 0 .and. frame%a%extent(13) > 0 .and. frame%a%extent(14) > 0 .and. &
        frame%a%extent(15) > 0
    if (dense) dense = is_contiguous(a)
    if (dense) then
      frame%a%first = c_loc(a(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
      frame%a%next(1) = c_null_ptr
      frame%a%next(2) = c_null_ptr
      frame%a%next(3) = c_null_ptr
      frame%a%next(4) = c_null_ptr
      frame%a%next(5) = c_null_ptr
      frame%a%next(6) = c_null_ptr
      frame%a%next(7) = c_null_ptr
      frame%a%next(8) = c_null_ptr
      frame%a%next(9) = c_null_ptr
      frame%a%next(10) = c_null_ptr
      frame%a%next(11) = c_null_ptr
      frame%a%next(12) = c_null_ptr
      frame%a%next(13) = c_null_ptr
      frame%a%next(14) = c_null_ptr
      frame%a%next(15) = c_null_ptr
    else
      call py2f_locate_f64_15(a, frame%a)
    end if
    rc = py2f_call(3_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:rank_15", stat, errmsg)
  end function rank_15

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_f32_4(array, place)
    real(c_float), target, intent(in) :: array(:, :, :, :)
    type(py2f_array_4), intent(inout) :: place

    if (place%extent(1) > 0 .and. place%extent(2) > 0 .and. place%extent(3) > 0 .and. &
        place%extent(4) > 0) then
      place%first = c_loc(array(1, 1, 1, 1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1)), 1, 1, 1))
      place%next(2) = c_loc(array(1, min(2_c_int64_t, place%extent(2)), 1, 1))
      place%next(3) = c_loc(array(1, 1, min(2_c_int64_t, place%extent(3)), 1))
      place%next(4) = c_loc(array(1, 1, 1, min(2_c_int64_t, place%extent(4))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
      place%next(2) = c_null_ptr
      place%next(3) = c_null_ptr
      place%next(4) = c_null_ptr
    end if
  end subroutine py2f_locate_f32_4

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_f64_15(array, place)
    real(c_double), target, intent(in) :: array(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
    type(py2f_array_15), intent(inout) :: place

    if (place%extent(1) > 0 .and. place%extent(2) > 0 .and. place%extent(3) > 0 .and. &
        place%extent(4) > 0 .and. place%extent(5) > 0 .and. place%extent(6) > 0 .and. &
        place%extent(7) > 0 .and. place%extent(8) > 0 .and. place%extent(9) > 0 .and. &
        place%extent(10) > 0 .and. place%extent(11) > 0 .and. place%extent(12) > 0 .and. &
        place%extent(13) > 0 .and. place%extent(14) > 0 .and. place%extent(15) > 0) then
      place%first = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1)), 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, &
          1, 1, 1, 1))
      place%next(2) = c_loc(array(1, min(2_c_int64_t, place%extent(2)), 1, 1, 1, 1, 1, 1, 1, 1, 1, &
          1, 1, 1, 1))
      place%next(3) = c_loc(array(1, 1, min(2_c_int64_t, place%extent(3)), 1, 1, 1, 1, 1, 1, 1, 1, &
          1, 1, 1, 1))
      place%next(4) = c_loc(array(1, 1, 1, min(2_c_int64_t, place%extent(4)), 1, 1, 1, 1, 1, 1, 1, &
          1, 1, 1, 1))
      place%next(5) = c_loc(array(1, 1, 1, 1, min(2_c_int64_t, place%extent(5)), 1, 1, 1, 1, 1, 1, &
          1, 1, 1, 1))
      place%next(6) = c_loc(array(1, 1, 1, 1, 1, min(2_c_int64_t, place%extent(6)), 1, 1, 1, 1, 1, &
          1, 1, 1, 1))
      place%next(7) = c_loc(array(1, 1, 1, 1, 1, 1, min(2_c_int64_t, place%extent(7)), 1, 1, 1, 1, &
          1, 1, 1, 1))
      place%next(8) = c_loc(array(1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, place%extent(8)), 1, 1, 1, &
          1, 1, 1, 1))
      place%next(9) = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, place%extent(9)), 1, 1, &
          1, 1, 1, 1))
      place%next(10) = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, place%extent(10)), &
          1, 1, 1, 1, 1))
      place%next(11) = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, &
          place%extent(11)), 1, 1, 1, 1))
      place%next(12) = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, &
          place%extent(12)), 1, 1, 1))
      place%next(13) = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, &
          place%extent(13)), 1, 1))
      place%next(14) = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, &
          place%extent(14)), 1))
      place%next(15) = c_loc(array(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, min(2_c_int64_t, &
          place%extent(15))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
      place%next(2) = c_null_ptr
      place%next(3) = c_null_ptr
      place%next(4) = c_null_ptr
      place%next(5) = c_null_ptr
      place%next(6) = c_null_ptr
      place%next(7) = c_null_ptr
      place%next(8) = c_null_ptr
      place%next(9) = c_null_ptr
      place%next(10) = c_null_ptr
      place%next(11) = c_null_ptr
      place%next(12) = c_null_ptr
      place%next(13) = c_null_ptr
      place%next(14) = c_null_ptr
      place%next(15) = c_null_ptr
    end if
  end subroutine py2f_locate_f64_15

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

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_i64_2(array, place)
    integer(c_int64_t), target, intent(in) :: array(:, :)
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
  end subroutine py2f_locate_i64_2

end module model_py
