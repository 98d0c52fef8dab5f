! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t, c_int64_t, c_loc, c_null_ptr, &
      c_ptr
  use py2f, only: py2f_conclude, py2f_mismatch, py2f_ok, py2f_tells_dense
  implicit none
  private
  public :: size
  public :: end
  public :: Mixed
  public :: mixed_
  public :: area_weighted_mean

  interface size
    procedure :: size_
  end interface size

  interface end
    procedure :: end_
  end interface end

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
    type(c_ptr) :: next(1)
  end type py2f_array_1

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_d415260ec864_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  !> Stands behind a generic interface, so that the intrinsic of the name stays what it is.
  function size_(x, kind, stat, errmsg) result(res)
    intrinsic :: size
    real(c_double), intent(in), target :: x(:)
    integer(c_int32_t), intent(in) :: kind
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      integer(c_int64_t) :: kind
      integer(c_int64_t) :: res
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
    frame%kind = kind
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:size", stat, errmsg)
  end function size_

  function end_(result, stat_, real, do, stat, errmsg) result(res)
    real(c_double), intent(in) :: result
    integer(c_int32_t), intent(in) :: stat_
    real(c_double), intent(in) :: real
    integer(c_int32_t), intent(in) :: do
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: res
    type, bind(c) :: frame_layout
      real(c_double) :: result
      integer(c_int64_t) :: stat_
      real(c_double) :: real
      integer(c_int64_t) :: do
      real(c_double) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%result = result
    frame%stat_ = stat_
    frame%real = real
    frame%do = do
    rc = py2f_call(1_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:end", stat, errmsg)
  end function end_

  !> Python's argument 'stat' is called stat_ here.
  !> Python's argument 'errmsg' is called errmsg_ here.
  function Mixed(stat_, errmsg_, frame, rc, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: stat_
    integer(c_int32_t), intent(in) :: errmsg_
    integer(c_int32_t), intent(in) :: frame
    integer(c_int32_t), intent(in) :: rc
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: stat_
      integer(c_int64_t) :: errmsg_
      integer(c_int64_t) :: frame
      integer(c_int64_t) :: rc
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame_
    integer(c_int) :: rc_

    frame_%stat_ = stat_
    frame_%errmsg_ = errmsg_
    frame_%frame = frame
    frame_%rc = rc
    rc_ = py2f_call(2_c_int, c_loc(frame_))
    if (rc_ == py2f_ok) then
      res = int(frame_%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc_
    if (rc_ /= py2f_ok) call py2f_conclude("model_py:Mixed", stat, errmsg)
  end function Mixed

  !> Python's argument '_hidden' is called hidden here.
  !> Python's argument 'case' is called case_ here.
  !> Python's argument 'mixed_' is called mixed__ here.
  function mixed_(hidden, Case, case_, mixed__, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: hidden
    integer(c_int32_t), intent(in) :: Case
    integer(c_int32_t), intent(in) :: case_
    integer(c_int32_t), intent(in) :: mixed__
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: hidden
      integer(c_int64_t) :: Case
      integer(c_int64_t) :: case_
      integer(c_int64_t) :: mixed__
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%hidden = hidden
    frame%Case = Case
    frame%case_ = case_
    frame%mixed__ = mixed__
    rc = py2f_call(3_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:mixed", stat, errmsg)
  end function mixed_

  !> Mean of values, weighted with is_contiguous: [K].
  !> Python's argument 'größe' is called values here.
  !> Python's argument 'is_contiguous' is called is_contiguous_ here.
  subroutine area_weighted_mean(values, is_contiguous_, dense, stat, errmsg)
    intrinsic :: size
    real(c_double), intent(in), target :: values(:)
    real(c_double), intent(in), target :: is_contiguous_(:)
    real(c_double), intent(inout), target :: dense(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: values
      type(py2f_array_1) :: is_contiguous_
      type(py2f_array_1) :: dense
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense_

    frame%values%extent(1) = size(values, 1, c_int64_t)
    dense_ = py2f_tells_dense .and. frame%values%extent(1) > 0
    if (dense_) dense_ = is_contiguous(values)
    if (dense_) then
      frame%values%first = c_loc(values(1))
      frame%values%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(values, frame%values)
    end if
    frame%is_contiguous_%extent(1) = size(is_contiguous_, 1, c_int64_t)
    dense_ = py2f_tells_dense .and. frame%is_contiguous_%extent(1) > 0
    if (dense_) dense_ = is_contiguous(is_contiguous_)
    if (dense_) then
      frame%is_contiguous_%first = c_loc(is_contiguous_(1))
      frame%is_contiguous_%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(is_contiguous_, frame%is_contiguous_)
    end if
    frame%dense%extent(1) = size(dense, 1, c_int64_t)
    dense_ = py2f_tells_dense .and. frame%dense%extent(1) > 0
    if (dense_) dense_ = is_contiguous(dense)
    if (dense_) then
      frame%dense%first = c_loc(dense(1))
      frame%dense%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(dense, frame%dense)
    end if
    if (frame%is_contiguous_%extent(1) /= frame%values%extent(1)) then
      rc = py2f_mismatch("area_weighted_mean", "is_contiguous", 1, frame%is_contiguous_%extent(1), &
          "n", frame%values%extent(1))
    else if (frame%dense%extent(1) /= 1_c_int64_t) then
      rc = py2f_mismatch("area_weighted_mean", "dense", 1, frame%dense%extent(1), "1", 1_c_int64_t)
    else
      rc = py2f_call(4_c_int, c_loc(frame))
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:area_weighted_mean", stat, errmsg)
  end subroutine area_weighted_mean

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
