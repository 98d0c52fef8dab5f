! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_tells_dense
  implicit none
  private
  public :: address
  public :: same
  public :: nothing
  public :: wrong
  public :: maybe
  public :: reverse

  !> An array: first element, extents, next element along each dimension; null: dense
  type, bind(c) :: py2f_array_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
    type(c_ptr) :: next(1)
  end type py2f_array_1

  !> A scalar that may be absent
  type, bind(c) :: py2f_optional_pointer
    integer(c_int64_t) :: given
    type(c_ptr) :: value
  end type py2f_optional_pointer

  !> Characters
  type, bind(c) :: py2f_text
    type(c_ptr) :: first
    integer(c_int64_t) :: length
  end type py2f_text

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_8eaa81c9bb44_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  function address(handle, stat, errmsg) result(res)
    type(c_ptr), value :: handle
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: res
    type, bind(c) :: frame_layout
      type(c_ptr) :: handle
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%handle = handle
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:address", stat, errmsg)
  end function address

  function same(handle, stat, errmsg) result(res)
    type(c_ptr), value :: handle
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: res
    type, bind(c) :: frame_layout
      type(c_ptr) :: handle
      type(c_ptr) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%handle = handle
    rc = py2f_call(1_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = c_null_ptr
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:same", stat, errmsg)
  end function same

  function nothing(stat, errmsg) result(res)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: res
    type, bind(c) :: frame_layout
      type(c_ptr) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%res = c_null_ptr
    rc = py2f_call(2_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = c_null_ptr
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:nothing", stat, errmsg)
  end function nothing

  function wrong(kind, stat, errmsg) result(res)
    character(len=*), intent(in), target :: kind
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(c_ptr) :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: kind
      type(c_ptr) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%kind%first = c_null_ptr
    frame%kind%length = len(kind, c_int64_t)
    if (len(kind) > 0) frame%kind%first = c_loc(kind(1:1))
    rc = py2f_call(3_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = c_null_ptr
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:wrong", stat, errmsg)
  end function wrong

  function maybe(handle, stat, errmsg) result(res)
    type(c_ptr), intent(in), optional :: handle
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical :: res
    type, bind(c) :: frame_layout
      type(py2f_optional_pointer) :: handle
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%handle%given = 0
    frame%handle%value = c_null_ptr
    if (present(handle)) then
      frame%handle%given = 1
      frame%handle%value = handle
    end if
    rc = py2f_call(4_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res /= 0
    else
      res = .false.
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:maybe", stat, errmsg)
  end function maybe

  function reverse(handles, first, stat, errmsg) result(res)
    type(c_ptr), intent(inout), target :: handles(:)
    type(c_ptr), intent(inout), target :: first
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: handles
      type(c_ptr) :: first
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%handles%extent(1) = size(handles, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%handles%extent(1) > 0
    if (dense) dense = is_contiguous(handles)
    if (dense) then
      frame%handles%first = c_loc(handles(1))
      frame%handles%next(1) = c_null_ptr
    else
      call py2f_locate_cptr_1(handles, frame%handles)
    end if
    frame%first = c_loc(first)
    rc = py2f_call(5_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:reverse", stat, errmsg)
  end function reverse

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_cptr_1(array, place)
    type(c_ptr), target, intent(in) :: array(:)
    type(py2f_array_1), intent(inout) :: place

    if (place%extent(1) > 0) then
      place%first = c_loc(array(1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
    end if
  end subroutine py2f_locate_cptr_1

end module model_py
