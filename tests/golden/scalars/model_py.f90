! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_bool, c_double, c_double_complex, c_float, &
      c_float_complex, c_int, c_int16_t, c_int32_t, c_int64_t, c_int8_t, c_loc, c_ptr
  use py2f, only: py2f_conclude, py2f_ok, py2f_take_text
  implicit none
  private
  public :: next_i8
  public :: next_i16
  public :: next_i32
  public :: next_i64
  public :: half_f32
  public :: half_f64
  public :: turn_c32
  public :: turn_c64
  public :: not_b8
  public :: not_b32
  public :: plain

  !> Characters
  type, bind(c) :: py2f_text
    type(c_ptr) :: first
    integer(c_int64_t) :: length
  end type py2f_text

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_a5c6c05a5466_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  function next_i8(x, stat, errmsg) result(res)
    integer(c_int8_t), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int8_t) :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: x
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = x
    rc = py2f_call(0_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int8_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:next_i8", stat, errmsg)
  end function next_i8

  function next_i16(x, stat, errmsg) result(res)
    integer(c_int16_t), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int16_t) :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: x
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = x
    rc = py2f_call(1_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int16_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:next_i16", stat, errmsg)
  end function next_i16

  function next_i32(x, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int32_t) :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: x
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = x
    rc = py2f_call(2_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = int(frame%res, c_int32_t)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:next_i32", stat, errmsg)
  end function next_i32

  function next_i64(x, stat, errmsg) result(res)
    integer(c_int64_t), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: x
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = x
    rc = py2f_call(3_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:next_i64", stat, errmsg)
  end function next_i64

  function half_f32(x, stat, errmsg) result(res)
    real(c_float), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_float) :: res
    type, bind(c) :: frame_layout
      real(c_double) :: x
      real(c_double) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = x
    rc = py2f_call(4_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = real(frame%res, c_float)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:half_f32", stat, errmsg)
  end function half_f32

  function half_f64(x, stat, errmsg) result(res)
    real(c_double), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    real(c_double) :: res
    type, bind(c) :: frame_layout
      real(c_double) :: x
      real(c_double) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = x
    rc = py2f_call(5_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:half_f64", stat, errmsg)
  end function half_f64

  function turn_c32(z, stat, errmsg) result(res)
    complex(c_float_complex), intent(in) :: z
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    complex(c_float_complex) :: res
    type, bind(c) :: frame_layout
      complex(c_double_complex) :: z
      complex(c_double_complex) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%z = z
    rc = py2f_call(6_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = cmplx(frame%res, kind=c_float_complex)
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:turn_c32", stat, errmsg)
  end function turn_c32

  function turn_c64(z, stat, errmsg) result(res)
    complex(c_double_complex), intent(in) :: z
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    complex(c_double_complex) :: res
    type, bind(c) :: frame_layout
      complex(c_double_complex) :: z
      complex(c_double_complex) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%z = z
    rc = py2f_call(7_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res
    else
      res = 0
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:turn_c64", stat, errmsg)
  end function turn_c64

  function not_b8(x, stat, errmsg) result(res)
    logical(c_bool), intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical(c_bool) :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: x
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = merge(1_c_int64_t, 0_c_int64_t, x)
    rc = py2f_call(8_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res /= 0
    else
      res = .false.
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:not_b8", stat, errmsg)
  end function not_b8

  function not_b32(x, stat, errmsg) result(res)
    logical, intent(in) :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: x
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = merge(1_c_int64_t, 0_c_int64_t, x)
    rc = py2f_call(9_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res /= 0
    else
      res = .false.
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:not_b32", stat, errmsg)
  end function not_b32

  !> Python's own types; in Fortran i32, f64, c64 and the default logical.
  function plain(i, x, z, flag, stat, errmsg) result(res)
    integer(c_int32_t), intent(in) :: i
    real(c_double), intent(in) :: x
    complex(c_double_complex), intent(in) :: z
    logical, intent(in) :: flag
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: res
    type, bind(c) :: frame_layout
      integer(c_int64_t) :: i
      real(c_double) :: x
      complex(c_double_complex) :: z
      integer(c_int64_t) :: flag
      type(py2f_text) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%i = i
    frame%x = x
    frame%z = z
    frame%flag = merge(1_c_int64_t, 0_c_int64_t, flag)
    rc = py2f_call(10_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      allocate (character(len=frame%res%length) :: res)
      call py2f_take_text(frame%res%first, res)
    else
      res = ""
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:plain", stat, errmsg)
  end function plain

end module model_py
