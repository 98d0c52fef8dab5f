! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_take_text
  implicit none
  private
  public :: greet
  public :: length
  public :: repeated
  public :: joined
  public :: no_text
  public :: fails

  !> Characters
  type, bind(c) :: py2f_text
    type(c_ptr) :: first
    integer(c_int64_t) :: length
  end type py2f_text

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_af0f2a910d16_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  function greet(name, stat, errmsg) result(res)
    character(len=*), intent(in), target :: name
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: name
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%name%first = c_null_ptr
    frame%name%length = len(name, c_int64_t)
    if (len(name) > 0) frame%name%first = c_loc(name(1:1))
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:greet", stat, errmsg)
  end function greet

  function length(text, stat, errmsg) result(res)
    character(len=*), intent(in), target :: text
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: text
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%text%first = c_null_ptr
    frame%text%length = len(text, c_int64_t)
    if (len(text) > 0) frame%text%first = c_loc(text(1:1))
    rc = py2f_call(1_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:length", stat, errmsg)
  end function length

  function repeated(text, times, stat, errmsg) result(res)
    character(len=*), intent(in), target :: text
    integer(c_int32_t), intent(in) :: times
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: text
      integer(c_int64_t) :: times
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%text%first = c_null_ptr
    frame%text%length = len(text, c_int64_t)
    if (len(text) > 0) frame%text%first = c_loc(text(1:1))
    frame%times = times
    rc = py2f_call(2_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:repeated", stat, errmsg)
  end function repeated

  function joined(a, b, n, c, stat, errmsg) result(res)
    character(len=*), intent(in), target :: a
    character(len=*), intent(in), target :: b
    integer(c_int32_t), intent(in) :: n
    character(len=*), intent(in), target :: c
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: a
      type(py2f_text) :: b
      integer(c_int64_t) :: n
      type(py2f_text) :: c
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%a%first = c_null_ptr
    frame%a%length = len(a, c_int64_t)
    if (len(a) > 0) frame%a%first = c_loc(a(1:1))
    frame%b%first = c_null_ptr
    frame%b%length = len(b, c_int64_t)
    if (len(b) > 0) frame%b%first = c_loc(b(1:1))
    frame%n = n
    frame%c%first = c_null_ptr
    frame%c%length = len(c, c_int64_t)
    if (len(c) > 0) frame%c%first = c_loc(c(1:1))
    rc = py2f_call(3_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:joined", stat, errmsg)
  end function joined

  function no_text(kind, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: kind
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: kind
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%kind = kind
    rc = py2f_call(4_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:no_text", stat, errmsg)
  end function no_text

  subroutine fails(text, stat, errmsg)
    character(len=*), intent(in), target :: text
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_text) :: text
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%text%first = c_null_ptr
    frame%text%length = len(text, c_int64_t)
    if (len(text) > 0) frame%text%first = c_loc(text(1:1))
    rc = py2f_call(5_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:fails", stat, errmsg)
  end subroutine fails

end module model_py
