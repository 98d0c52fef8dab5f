! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int32_t, c_int64_t, c_loc, &
      c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_mismatch, py2f_ok, py2f_tells_dense
  implicit none
  private
  public :: by_argument
  public :: by_arrays
  public :: constant
  public :: only_optional
  public :: products

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

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_4af35935264b_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  subroutine by_argument(n, x, stat, errmsg)
    integer(c_int32_t), intent(in) :: n
    real(c_double), intent(inout), target :: x(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      integer(c_int64_t) :: n
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
    frame%n = n
    if (frame%x%extent(1) /= frame%n) then
      rc = py2f_mismatch("by_argument", "x", 1, frame%x%extent(1), "n", frame%n)
    else
      rc = py2f_call(0_c_int, c_loc(frame))
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:by_argument", stat, errmsg)
  end subroutine by_argument

  function by_arrays(x, y, z, stat, errmsg) result(res)
    real(c_double), intent(in), target :: x(:, :)
    real(c_double), intent(in), target :: y(:)
    real(c_double), intent(in), optional, target :: z(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: res(size(x, 1, c_int64_t))
    type, bind(c) :: frame_layout
      type(py2f_array_2) :: x
      type(py2f_array_1) :: y
      type(py2f_array_2) :: z
      type(py2f_result_1) :: res
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
      call py2f_locate_f64_2(x, frame%x)
    end if
    frame%y%extent(1) = size(y, 1, c_int64_t)
    dense = py2f_tells_dense .and. frame%y%extent(1) > 0
    if (dense) dense = is_contiguous(y)
    if (dense) then
      frame%y%first = c_loc(y(1))
      frame%y%next(1) = c_null_ptr
    else
      call py2f_locate_f64_1(y, frame%y)
    end if
    frame%z%extent(1) = -1
    frame%z%extent(2) = -1
    frame%z%first = c_null_ptr
    frame%z%next(1) = c_null_ptr
    frame%z%next(2) = c_null_ptr
    if (present(z)) then
      frame%z%extent(1) = size(z, 1, c_int64_t)
      frame%z%extent(2) = size(z, 2, c_int64_t)
      dense = py2f_tells_dense .and. frame%z%extent(1) > 0 .and. frame%z%extent(2) > 0
      if (dense) dense = is_contiguous(z)
      if (dense) then
        frame%z%first = c_loc(z(1, 1))
        frame%z%next(1) = c_null_ptr
        frame%z%next(2) = c_null_ptr
      else
        call py2f_locate_f64_2(z, frame%z)
      end if
    end if
    frame%res%extent(1) = size(res, 1, c_int64_t)
    frame%res%first = c_null_ptr
    if (size(res, kind=c_int64_t) > 0) frame%res%first = c_loc(res(1))
    if (frame%y%extent(1) /= frame%x%extent(2)) then
      rc = py2f_mismatch("by_arrays", "y", 1, frame%y%extent(1), "m", frame%x%extent(2))
    else if (frame%z%extent(1) >= 0 .and. frame%z%extent(1) /= 2 * frame%x%extent(1) + 1) then
      rc = py2f_mismatch("by_arrays", "z", 1, frame%z%extent(1), "2 * n + 1", 2 * &
          frame%x%extent(1) + 1)
    else
      rc = py2f_call(1_c_int, c_loc(frame))
    end if
    if (rc /= py2f_ok) res = 0
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:by_arrays", stat, errmsg)
  end function by_arrays

  function constant(x, y, stat, errmsg) result(res)
    real(c_float), intent(in), target :: x(:)
    real(c_float), intent(in), target :: y(:, :)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      type(py2f_array_2) :: y
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
      call py2f_locate_f32_1(x, frame%x)
    end if
    frame%y%extent(1) = size(y, 1, c_int64_t)
    frame%y%extent(2) = size(y, 2, c_int64_t)
    dense = py2f_tells_dense .and. frame%y%extent(1) > 0 .and. frame%y%extent(2) > 0
    if (dense) dense = is_contiguous(y)
    if (dense) then
      frame%y%first = c_loc(y(1, 1))
      frame%y%next(1) = c_null_ptr
      frame%y%next(2) = c_null_ptr
    else
      call py2f_locate_f32_2(y, frame%y)
    end if
    if (frame%x%extent(1) /= 3_c_int64_t) then
      rc = py2f_mismatch("constant", "x", 1, frame%x%extent(1), "3", 3_c_int64_t)
    else if (frame%y%extent(2) /= 2_c_int64_t) then
      rc = py2f_mismatch("constant", "y", 2, frame%y%extent(2), "2", 2_c_int64_t)
    else
      rc = py2f_call(2_c_int, c_loc(frame))
    end if
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:constant", stat, errmsg)
  end function constant

  function only_optional(a, b, c, stat, errmsg) result(res)
    real(c_double), intent(in), optional, target :: a(:)
    real(c_double), intent(in), optional, target :: b(:)
    real(c_double), intent(in), optional, target :: c(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: a
      type(py2f_array_1) :: b
      type(py2f_array_1) :: c
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc
    logical :: dense

    frame%a%extent(1) = -1
    frame%a%first = c_null_ptr
    frame%a%next(1) = c_null_ptr
    if (present(a)) then
      frame%a%extent(1) = size(a, 1, c_int64_t)
      dense = py2f_tells_dense .and. frame%a%extent(1) > 0
      if (dense) dense = is_contiguous(a)
      if (dense) then
        frame%a%first = c_loc(a(1))
        frame%a%next(1) = c_null_ptr
      else
        call py2f_locate_f64_1(a, frame%a)
      end if
    end if
    frame%b%extent(1) = -1
    frame%b%first = c_null_ptr
    frame%b%next(1) = c_null_ptr
    if (present(b)) then
      frame%b%extent(1) = size(b, 1, c_int64_t)
      dense = py2f_tells_dense .and. frame%b%extent(1) > 0
      if (dense) dense = is_contiguous(b)
      if (dense) then
        frame%b%first = c_loc(b(1))
        frame%b%next(1) = c_null_ptr
      else
        call py2f_locate_f64_1(b, frame%b)
      end if
    end if
    frame%c%extent(1) = -1
    frame%c%first = c_null_ptr
    frame%c%next(1) = c_null_ptr
    if (present(c)) then
      frame%c%extent(1) = size(c, 1, c_int64_t)
      dense = py2f_tells_dense .and. frame%c%extent(1) > 0
      if (dense) dense = is_contiguous(c)
      if (dense) then
        frame%c%first = c_loc(c(1))
        frame%c%next(1) = c_null_ptr
      else
        call py2f_locate_f64_1(c, frame%c)
      end if
    end if
    if (frame%b%extent(1) >= 0 .and. frame%a%extent(1) >= 0 .and. frame%b%extent(1) /= &
        frame%a%extent(1)) then
      rc = py2f_mismatch("only_optional", "b", 1, frame%b%extent(1), "n", frame%a%extent(1))
    else if (frame%c%extent(1) >= 0 .and. frame%a%extent(1) >= 0 .and. frame%c%extent(1) /= &
        frame%a%extent(1)) then
      rc = py2f_mismatch("only_optional", "c", 1, frame%c%extent(1), "n", frame%a%extent(1))
    else if (frame%c%extent(1) >= 0 .and. frame%b%extent(1) >= 0 .and. frame%c%extent(1) /= &
        frame%b%extent(1)) then
      rc = py2f_mismatch("only_optional", "c", 1, frame%c%extent(1), "n", frame%b%extent(1))
    else
      rc = py2f_call(3_c_int, c_loc(frame))
    end if
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:only_optional", stat, errmsg)
  end function only_optional

  function products(n, m, x, stat, errmsg) result(res)
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), intent(in) :: m
    real(c_double), intent(in), target :: x(:)
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double), target :: res(int(m, c_int64_t) - 1, n)
    type, bind(c) :: frame_layout
      type(py2f_array_1) :: x
      integer(c_int64_t) :: n
      integer(c_int64_t) :: m
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
      call py2f_locate_f64_1(x, frame%x)
    end if
    frame%n = n
    frame%m = m
    frame%res%extent(1) = size(res, 1, c_int64_t)
    frame%res%extent(2) = size(res, 2, c_int64_t)
    frame%res%first = c_null_ptr
    if (size(res, kind=c_int64_t) > 0) frame%res%first = c_loc(res(1, 1))
    if (frame%x%extent(1) /= frame%n * (frame%m - 1)) then
      rc = py2f_mismatch("products", "x", 1, frame%x%extent(1), "n * (m - 1)", frame%n * (frame%m &
          - 1))
    else
      rc = py2f_call(4_c_int, c_loc(frame))
    end if
    if (rc /= py2f_ok) res = 0
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:products", stat, errmsg)
  end function products

  ! Finds the elements of an array that need not be dense, nor have any.
  subroutine py2f_locate_f32_1(array, place)
    real(c_float), target, intent(in) :: array(:)
    type(py2f_array_1), intent(inout) :: place

    if (place%extent(1) > 0) then
      place%first = c_loc(array(1))
      place%next(1) = c_loc(array(min(2_c_int64_t, place%extent(1))))
    else
      place%first = c_null_ptr
      place%next(1) = c_null_ptr
    end if
  end subroutine py2f_locate_f32_1

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
