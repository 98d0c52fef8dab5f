! SPDX-License-Identifier: 0BSD
!> The functions of the Python module model, for Fortran. Made by py2f; do not edit.
module model_py
  use, intrinsic :: iso_c_binding, only: c_bool, c_double, c_float, c_float_complex, c_int, &
      c_int64_t, c_int8_t, c_loc, c_null_ptr, c_ptr
  use py2f, only: py2f_conclude, py2f_ok
  implicit none
  private
  public :: fill
  public :: advance
  public :: maybe
  public :: untouched

  !> A scalar that may be absent
  type, bind(c) :: py2f_optional_real
    integer(c_int64_t) :: given
    real(c_double) :: value
  end type py2f_optional_real

  interface
    function py2f_call(number, frame) bind(c, name="py2f_model_py_12ee0f40f70b_call") result(rc)
      import :: c_int, c_ptr
      implicit none
      integer(c_int), value :: number
      type(c_ptr), value :: frame
      integer(c_int) :: rc
    end function py2f_call
  end interface

contains

  subroutine fill(i, x, z, flag, byte_flag, stat, errmsg)
    integer(c_int64_t), intent(inout), target :: i
    real(c_float), intent(inout), target :: x
    complex(c_float_complex), intent(inout), target :: z
    logical, intent(inout), target :: flag
    logical(c_bool), intent(inout), target :: byte_flag
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(c_ptr) :: i
      type(c_ptr) :: x
      type(c_ptr) :: z
      type(c_ptr) :: flag
      type(c_ptr) :: byte_flag
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%i = c_loc(i)
    frame%x = c_loc(x)
    frame%z = c_loc(z)
    frame%flag = c_loc(flag)
    frame%byte_flag = c_loc(byte_flag)
    rc = py2f_call(0_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:fill", stat, errmsg)
  end subroutine fill

  subroutine advance(time, steps, done, by, stat, errmsg)
    real(c_double), intent(inout), target :: time
    integer(c_int8_t), intent(inout), target :: steps
    logical, intent(inout), target :: done
    real(c_double), intent(in), optional :: by
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(c_ptr) :: time
      type(c_ptr) :: steps
      type(c_ptr) :: done
      type(py2f_optional_real) :: by
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%time = c_loc(time)
    frame%steps = c_loc(steps)
    frame%done = c_loc(done)
    frame%by%given = 0
    frame%by%value = 0
    if (present(by)) then
      frame%by%given = 1
      frame%by%value = by
    end if
    rc = py2f_call(1_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:advance", stat, errmsg)
  end subroutine advance

  function maybe(x, stat, errmsg) result(res)
    real(c_double), intent(inout), optional, target :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    logical :: res
    type, bind(c) :: frame_layout
      type(c_ptr) :: x
      integer(c_int64_t) :: res
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = c_null_ptr
    if (present(x)) frame%x = c_loc(x)
    rc = py2f_call(2_c_int, c_loc(frame))
    if (rc == py2f_ok) then
      res = frame%res /= 0
    else
      res = .false.
    end if
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:maybe", stat, errmsg)
  end function maybe

  !> What Python leaves unset keeps its value.
  subroutine untouched(x, stat, errmsg)
    real(c_double), intent(inout), target :: x
    integer, intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type, bind(c) :: frame_layout
      type(c_ptr) :: x
    end type frame_layout
    type(frame_layout), target :: frame
    integer(c_int) :: rc

    frame%x = c_loc(x)
    rc = py2f_call(3_c_int, c_loc(frame))
    if (present(stat)) stat = rc
    if (rc /= py2f_ok) call py2f_conclude("model_py:untouched", stat, errmsg)
  end subroutine untouched

end module model_py
