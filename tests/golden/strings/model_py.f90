! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_int, c_int32_t, c_int64_t, c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_take_text, py2f_tells_dense
  implicit none
  private
  public :: longest
  public :: label
  public :: upper
  public :: joined
  public :: maybe
  public :: step
  public :: fixed

  !> An array of characters of one length
  type, bind(c) :: py2f_strings_1
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(1)
    type(c_ptr) :: next(1)
    integer(c_int64_t) :: length
  end type py2f_strings_1

  !> An array of characters of one length
  type, bind(c) :: py2f_strings_2
    type(c_ptr) :: first
    integer(c_int64_t) :: extent(2)
    type(c_ptr) :: next(2)
    integer(c_int64_t) :: length
  end type py2f_strings_2

  !> Characters
  type, bind(c) :: py2f_text
    type(c_ptr) :: first
    integer(c_int64_t) :: length
  end type py2f_text

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_a088770c3ffd_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  function longest(names, stat, errmsg) result(res)
    character(len=*), intent(in), target :: names(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_strings_1) :: names
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%names%extent(1) = size(names, 1, c_int64_t)
    frame%names%length = len(names, c_int64_t)
    dense = py2f_tells_dense .and. frame%names%extent(1) > 0 .and. len(names) > 0
    if (dense) dense = is_contiguous(names)
    if (dense) then
      frame%names%first = c_loc(names(1)(1:1))
      frame%names%next(1) = c_null_ptr
    else
      call py2f_locate_string_1(names, frame%names)
    end if
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:longest", stat, errmsg)
  end function longest

  subroutine label(code, text, stat, errmsg)
    integer(c_int32_t), intent(in) :: code
    character(len=*), intent(inout), target :: text
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_text) :: text
      integer(c_int64_t) :: code
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%text%first = c_null_ptr
    frame%text%length = len(text, c_int64_t)
    if (len(text) > 0) frame%text%first = c_loc(text(1:1))
    frame%code = code
    rc = py2f_call(1_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:label", stat, errmsg)
  end subroutine label

  !> Write every element; what is longer than an element NumPy cuts.
  function upper(table, stat, errmsg) result(res)
    character(len=*), intent(inout), target :: table(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_strings_2) :: table
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%table%extent(1) = size(table, 1, c_int64_t)
    frame%table%extent(2) = size(table, 2, c_int64_t)
    frame%table%length = len(table, c_int64_t)
    dense = py2f_tells_dense .and. frame%table%extent(1) > 0 .and. frame%table%extent(2) > 0 .and. &
        len(table) > 0
    if (dense) dense = is_contiguous(table)
    if (dense) then
      frame%table%first = c_loc(table(1, 1)(1:1))
      frame%table%next(1) = c_null_ptr
      frame%table%next(2) = c_null_ptr
    else
      call py2f_locate_string_2(table, frame%table)
    end if
    rc = py2f_call(2_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:upper", stat, errmsg)
  end function upper

  function joined(names, by, stat, errmsg) result(res)
    character(len=*), intent(in), target :: names(:)
    character(len=*), intent(in), optional, target :: by
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_strings_1) :: names
      type(py2f_text) :: by
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%names%extent(1) = size(names, 1, c_int64_t)
    frame%names%length = len(names, c_int64_t)
    dense = py2f_tells_dense .and. frame%names%extent(1) > 0 .and. len(names) > 0
    if (dense) dense = is_contiguous(names)
    if (dense) then
      frame%names%first = c_loc(names(1)(1:1))
      frame%names%next(1) = c_null_ptr
    else
      call py2f_locate_string_1(names, frame%names)
    end if
    frame%by%first = c_null_ptr
    frame%by%length = -1
    if (present(by)) then
      frame%by%length = len(by, c_int64_t)
      if (len(by) > 0) frame%by%first = c_loc(by(1:1))
    end if
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

  function maybe(text, names, table, stat, errmsg) result(res)
    character(len=*), intent(inout), optional, target :: text
    character(len=*), intent(in), optional, target :: names(:)
    character(len=*), intent(in), optional, target :: table(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_text) :: text
      type(py2f_strings_1) :: table
      type(py2f_strings_1) :: names
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%text%first = c_null_ptr
    frame%text%length = -1
    if (present(text)) then
      frame%text%length = len(text, c_int64_t)
      if (len(text) > 0) frame%text%first = c_loc(text(1:1))
    end if
    frame%table%extent(1) = -1
    frame%table%length = 0
    frame%table%first = c_null_ptr
    frame%table%next(1) = c_null_ptr
    if (present(table)) then
      frame%table%extent(1) = size(table, 1, c_int64_t)
      frame%table%length = len(table, c_int64_t)
      dense = py2f_tells_dense .and. frame%table%extent(1) > 0 .and. len(table) > 0
      if (dense) dense = is_contiguous(table)
      if (dense) then
        frame%table%first = c_loc(table(1)(1:1))
        frame%table%next(1) = c_null_ptr
      else
        call py2f_locate_string_1(table, frame%table)
      end if
    end if
    frame%names%extent(1) = -1
    frame%names%length = 0
    frame%names%first = c_null_ptr
    frame%names%next(1) = c_null_ptr
    if (present(names)) then
      frame%names%extent(1) = size(names, 1, c_int64_t)
      frame%names%length = len(names, c_int64_t)
      dense = py2f_tells_dense .and. frame%names%extent(1) > 0 .and. len(names) > 0
      if (dense) dense = is_contiguous(names)
      if (dense) then
        frame%names%first = c_loc(names(1)(1:1))
        frame%names%next(1) = c_null_ptr
      else
        call py2f_locate_string_1(names, frame%names)
      end if
    end if
    rc = py2f_call(4_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:maybe", stat, errmsg)
  end function maybe

  !> Elements of no length lie at the same place.
  function step(table, stat, errmsg) result(res)
    character(len=*), intent(in), target :: table(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_strings_1) :: table
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%table%extent(1) = size(table, 1, c_int64_t)
    frame%table%length = len(table, c_int64_t)
    dense = py2f_tells_dense .and. frame%table%extent(1) > 0 .and. len(table) > 0
    if (dense) dense = is_contiguous(table)
    if (dense) then
      frame%table%first = c_loc(table(1)(1:1))
      frame%table%next(1) = c_null_ptr
    else
      call py2f_locate_string_1(table, frame%table)
    end if
    rc = py2f_call(5_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:step", stat, errmsg)
  end function step

  function fixed(text, stat, errmsg) result(res)
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
    rc = py2f_call(6_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:fixed", stat, errmsg)
  end function fixed

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_string_1(array, place)
    character(len=*), target, intent(in) :: array(:)
    type(py2f_strings_1), intent(inout) :: place

    if (place%extent(1) > 0 .and. len(array) > 0) then
      place%first = c_loc(array(1)(1:1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1)))(1:1))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
    end if
  end subroutine py2f_locate_string_1

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_string_2(array, place)
    character(len=*), target, intent(in) :: array(:, :)
    type(py2f_strings_2), intent(inout) :: place

    if (place%extent(1) > 0 .and. place%extent(2) > 0 .and. len(array) > 0) then
      place%first = c_loc(array(1, 1)(1:1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1)), 1)(1:1))
      place%next(2) = c_loc(array(1, min(2_c_int64_t, place%extent(2)))(1:1))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
      place%next(2) = c_null_ptr
    end if
  end subroutine py2f_locate_string_2

end module model_py
