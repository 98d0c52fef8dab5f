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
    function py2f_call(number, frame) bind(c, name="py2f_model_py_faf2531cf9d2_call") result(rc)
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
    if (frame%x%extent(1) > 0) then
      frame%x%first = c_loc(x(1))
      dense = py2f_tells_dense
      if (dense) dense = is_contiguous(x)
      if (dense) then
        frame%x%next(1) = c_null_ptr
      else
        frame%x%next(1) = c_loc(x(min(2_c_int64_t, frame%x%extent(1))))
      end if
    else
      frame%x%first = c_null_ptr
      frame%x%next(1) = c_null_ptr
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

  !> Mean of values, weighted with min: [K].
  !> Python's argument 'größe' is called values here.
  !> Python's argument 'min' is called min_ here.
  subroutine area_weighted_mean(values, min_, mean, stat, errmsg)
    intrinsic :: size
    real(c_double), intent(in), target :: values(:)
    real(c_double), intent(in), target :: min_(:)
    real(c_double), intent(inout), target :: mean(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: values
      type(py2f_array_1) :: min_
      type(py2f_array_1) :: mean
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%values%extent(1) = size(values, 1, c_int64_t)
    if (frame%values%extent(1) > 0) then
      frame%values%first = c_loc(values(1))
      dense = py2f_tells_dense
      if (dense) dense = is_contiguous(values)
      if (dense) then
        frame%values%next(1) = c_null_ptr
      else
        frame%values%next(1) = c_loc(values(min(2_c_int64_t, frame%values%extent(1))))
      end if
    else
      frame%values%first = c_null_ptr
      frame%values%next(1) = c_null_ptr
    end if
    frame%min_%extent(1) = size(min_, 1, c_int64_t)
    if (frame%min_%extent(1) > 0) then
      frame%min_%first = c_loc(min_(1))
      dense = py2f_tells_dense
      if (dense) dense = is_contiguous(min_)
      if (dense) then
        frame%min_%next(1) = c_null_ptr
      else
        frame%min_%next(1) = c_loc(min_(min(2_c_int64_t, frame%min_%extent(1))))
      end if
    else
      frame%min_%first = c_null_ptr
      frame%min_%next(1) = c_null_ptr
    end if
    frame%mean%extent(1) = size(mean, 1, c_int64_t)
    if (frame%mean%extent(1) > 0) then
      frame%mean%first = c_loc(mean(1))
      dense = py2f_tells_dense
      if (dense) dense = is_contiguous(mean)
      if (dense) then
        frame%mean%next(1) = c_null_ptr
      else
        frame%mean%next(1) = c_loc(mean(min(2_c_int64_t, frame%mean%extent(1))))
      end if
    else
      frame%mean%first = c_null_ptr
      frame%mean%next(1) = c_null_ptr
    end if
    if (frame%min_%extent(1) /= frame%values%extent(1)) then
      rc = py2f_mismatch("area_weighted_mean", "min", 1, frame%min_%extent(1), "n", &
          frame%values%extent(1))
    else if (frame%mean%extent(1) /= 1_c_int64_t) then
      rc = py2f_mismatch("area_weighted_mean", "mean", 1, frame%mean%extent(1), "1", 1_c_int64_t)
    else
      rc = py2f_call(4_c_int, c_loc(frame))
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:area_weighted_mean", stat, errmsg)
  end subroutine area_weighted_mean

end module model_py
