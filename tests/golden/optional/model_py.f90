! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_double, c_double_complex, c_int, c_int32_t, c_int64_t, &
      c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_take_text, py2f_tells_dense
  implicit none
  private
  public :: seen
  public :: defaults
  public :: scale

  interface scale
    procedure :: scale_
  end interface scale

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

  !> A scalar that may be absent
  type, bind(c) :: py2f_optional_complex
    integer(c_int64_t) :: given
    complex(c_double_complex) :: value
  end type py2f_optional_complex

  !> A scalar that may be absent
  type, bind(c) :: py2f_optional_integer
    integer(c_int64_t) :: given
    integer(c_int64_t) :: value
  end type py2f_optional_integer

  !> A scalar that may be absent
  type, bind(c) :: py2f_optional_logical
    integer(c_int64_t) :: given
    integer(c_int64_t) :: value
  end type py2f_optional_logical

  !> A scalar that may be absent
  type, bind(c) :: py2f_optional_real
    integer(c_int64_t) :: given
    real(c_double) :: value
  end type py2f_optional_real

  !> Characters
  type, bind(c) :: py2f_text
    type(c_ptr) :: first
    integer(c_int64_t) :: length
  end type py2f_text

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_5474ca29e319_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  function seen(a, n, x, z, flag, tag, stat, errmsg) result(res)
    real(c_double), intent(in), optional, target :: a(:, :)
    integer(c_int32_t), intent(in), optional :: n
    real(c_double), intent(in), optional :: x
    complex(c_double_complex), intent(in), optional :: z
    logical, intent(in), optional :: flag
    character(len=*), intent(in), optional, target :: tag
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_array_2) :: a
      type(py2f_optional_integer) :: n
      type(py2f_optional_real) :: x
      type(py2f_optional_complex) :: z
      type(py2f_optional_logical) :: flag
      type(py2f_text) :: tag
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%a%extent(1) = -1
    frame%a%extent(2) = -1
    frame%a%first = c_null_ptr
    frame%a%next(1) = c_null_ptr
    frame%a%next(2) = c_null_ptr
    if (present(a)) then
      frame%a%extent(1) = size(a, 1, c_int64_t)
      frame%a%extent(2) = size(a, 2, c_int64_t)
      dense = py2f_tells_dense .and. frame%a%extent(1) > 0 .and. frame%a%extent(2) > 0
      if (dense) dense = is_contiguous(a)
      if (dense) then
        frame%a%first = c_loc(a(1, 1))
        frame%a%next(1) = c_null_ptr
        frame%a%next(2) = c_null_ptr
      else
        call py2f_locate_f64_2(a, frame%a)
      end if
    end if
    frame%n%given = 0
    frame%n%value = 0
    if (present(n)) then
      frame%n%given = 1
      frame%n%value = n
    end if
    frame%x%given = 0
    frame%x%value = 0
    if (present(x)) then
      frame%x%given = 1
      frame%x%value = x
    end if
    frame%z%given = 0
    frame%z%value = 0
    if (present(z)) then
      frame%z%given = 1
      frame%z%value = z
    end if
    frame%flag%given = 0
    frame%flag%value = 0
    if (present(flag)) then
      frame%flag%given = 1
      frame%flag%value = merge(1_c_int64_t, 0_c_int64_t, flag)
    end if
    frame%tag%first = c_null_ptr
    frame%tag%length = -1
    if (present(tag)) then
      frame%tag%length = len(tag, c_int64_t)
      if (len(tag) > 0) frame%tag%first = c_loc(tag(1:1))
    end if
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:seen", stat, errmsg)
  end function seen

  function defaults(n, x, z, flag, tag, last, stat, errmsg) result(res)
    integer(c_int32_t), intent(in), optional :: n
    real(c_double), intent(in), optional :: x
    complex(c_double_complex), intent(in), optional :: z
    logical, intent(in), optional :: flag
    character(len=*), intent(in), optional, target :: tag
    integer(c_int32_t), intent(in), optional :: last
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      type(py2f_optional_integer) :: n
      type(py2f_optional_real) :: x
      type(py2f_optional_complex) :: z
      type(py2f_optional_logical) :: flag
      type(py2f_text) :: tag
      type(py2f_optional_integer) :: last
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%n%given = 0
    frame%n%value = 0
    if (present(n)) then
      frame%n%given = 1
      frame%n%value = n
    end if
    frame%x%given = 0
    frame%x%value = 0
    if (present(x)) then
      frame%x%given = 1
      frame%x%value = x
    end if
    frame%z%given = 0
    frame%z%value = 0
    if (present(z)) then
      frame%z%given = 1
      frame%z%value = z
    end if
    frame%flag%given = 0
    frame%flag%value = 0
    if (present(flag)) then
      frame%flag%given = 1
      frame%flag%value = merge(1_c_int64_t, 0_c_int64_t, flag)
    end if
    frame%tag%first = c_null_ptr
    frame%tag%length = -1
    if (present(tag)) then
      frame%tag%length = len(tag, c_int64_t)
      if (len(tag) > 0) frame%tag%first = c_loc(tag(1:1))
    end if
    frame%last%given = 0
    frame%last%value = 0
    if (present(last)) then
      frame%last%given = 1
      frame%last%value = last
    end if
    rc = py2f_call(1_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:defaults", stat, errmsg)
  end function defaults

  subroutine scale_(x, mask, factor, stat, errmsg)
    real(c_double), intent(inout), target :: x(:)
    logical, intent(in), optional, target :: mask(:)
    real(c_double), intent(in), optional :: factor
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      type(py2f_array_1) :: mask
      type(py2f_optional_real) :: factor
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
    frame%mask%extent(1) = -1
    frame%mask%first = c_null_ptr
    frame%mask%next(1) = c_null_ptr
    if (present(mask)) then
      frame%mask%extent(1) = size(mask, 1, c_int64_t)
      dense = py2f_tells_dense .and. frame%mask%extent(1) > 0
      if (dense) dense = is_contiguous(mask)
      if (dense) then
        frame%mask%first = c_loc(mask(1))
        frame%mask%next(1) = c_null_ptr
      else
        call py2f_locate_b32_1(mask, frame%mask)
      end if
    end if
    frame%factor%given = 0
    frame%factor%value = 0
    if (present(factor)) then
      frame%factor%given = 1
      frame%factor%value = factor
    end if
    rc = py2f_call(2_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:scale", stat, errmsg)
  end subroutine scale_

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
