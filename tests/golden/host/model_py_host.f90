! SPDX-License-Identifier: 0BSD
!> What the Python module model calls. Made by py2f; do not edit.
module model_py_host
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_f_procpointer, c_funptr, c_int, &
      c_int32_t, c_int64_t, c_ptr
  implicit none
  private
  public :: exchange_interface
  public :: saturation_interface
  public :: extremes_interface
  public :: step_rate
  public :: step_watch
  public :: provide_exchange
  public :: provide_saturation
  public :: provide_extremes

  abstract interface
    !> Exchange the halo of a field.
    subroutine exchange_interface(n, field, name)
      use, intrinsic :: iso_c_binding, only: c_double, c_int32_t
      implicit none
      integer(c_int32_t), intent(in) :: n
      real(c_double), intent(inout) :: field(:, :)
      character(len=*), intent(in) :: name
    end subroutine exchange_interface
    !> Saturation vapour pressure [Pa].
    function saturation_interface(temperature, pressure) result(res)
      use, intrinsic :: iso_c_binding, only: c_double
      implicit none
      real(c_double), intent(in) :: temperature
      real(c_double), intent(in), optional :: pressure
      real(c_double) :: res
    end function saturation_interface
    subroutine extremes_interface(field, low, high)
      use, intrinsic :: iso_c_binding, only: c_double
      implicit none
      real(c_double), intent(out) :: low
      real(c_double), intent(out) :: high
      real(c_double), intent(in) :: field(:, :)
    end subroutine extremes_interface
    function step_rate(x1) result(res)
      use, intrinsic :: iso_c_binding, only: c_double
      implicit none
      real(c_double), intent(in) :: x1
      real(c_double) :: res
    end function step_rate
    subroutine step_watch(x1, x2)
      use, intrinsic :: iso_c_binding, only: c_double, c_int32_t
      implicit none
      integer(c_int32_t), intent(in) :: x1
      real(c_double), intent(inout) :: x2(:, :)
    end subroutine step_watch
    function c_target_saturation(temperature, pressure) bind(c) result(res)
      use, intrinsic :: iso_c_binding, only: c_double
      implicit none
      real(c_double), intent(in) :: temperature
      real(c_double), intent(in), optional :: pressure
      real(c_double) :: res
    end function c_target_saturation
    subroutine c_target_extremes(field, low, high) bind(c)
      use, intrinsic :: iso_c_binding, only: c_double
      implicit none
      real(c_double), intent(out) :: low
      real(c_double), intent(out) :: high
      real(c_double), intent(in) :: field(:, :)
    end subroutine c_target_extremes
  end interface

  procedure(exchange_interface), pointer :: target_exchange => null()
  procedure(saturation_interface), pointer :: target_saturation => null()
  procedure(extremes_interface), pointer :: target_extremes => null()

contains

  !> Let Python call a procedure of this program as 'exchange'. It must not be an internal procedure.
  subroutine provide_exchange(procedure)
    procedure(exchange_interface) :: procedure

    target_exchange => procedure
  end subroutine provide_exchange

  function provided_0() bind(c, name="py2f_model_py_host_provided_0") result(res)
    integer(c_int) :: res

    res = merge(1, 0, associated(target_exchange))
  end function provided_0

  !> Let Python call a procedure of this program as 'saturation'. It must not be an internal procedure.
  subroutine provide_saturation(procedure)
    procedure(saturation_interface) :: procedure

    target_saturation => procedure
  end subroutine provide_saturation

  function provided_1() bind(c, name="py2f_model_py_host_provided_1") result(res)
    integer(c_int) :: res

    res = merge(1, 0, associated(target_saturation))
  end function provided_1

  !> Let Python call a procedure of this program as 'extremes'. It must not be an internal procedure.
  subroutine provide_extremes(procedure)
    procedure(extremes_interface) :: procedure

    target_extremes => procedure
  end subroutine provide_extremes

  function provided_2() bind(c, name="py2f_model_py_host_provided_2") result(res)
    integer(c_int) :: res

    res = merge(1, 0, associated(target_extremes))
  end function provided_2

  subroutine call_0(n, field, name__first, name__length) bind(c, name="py2f_model_py_host_call_0")
    integer(c_int32_t), intent(in) :: n
    real(c_double), intent(inout) :: field(:, :)
    type(c_ptr), value :: name__first
    integer(c_int64_t), value :: name__length
    character(len=name__length), pointer :: name_

    call c_f_pointer(name__first, name_)
    call target_exchange(n, field, name_)
  end subroutine call_0

  subroutine call_1(temperature, pressure, res, bound) bind(c, name="py2f_model_py_host_call_1")
    real(c_double), intent(in) :: temperature
    real(c_double), intent(in), optional :: pressure
    real(c_double), intent(out) :: res
    type(c_funptr), value :: bound
    procedure(c_target_saturation), pointer :: by_symbol

    if (associated(target_saturation)) then
      res = target_saturation(temperature, pressure)
    else
      call c_f_procpointer(bound, by_symbol)
      res = by_symbol(temperature, pressure)
    end if
  end subroutine call_1

  subroutine call_2(field, low, high, bound) bind(c, name="py2f_model_py_host_call_2")
    real(c_double), intent(in) :: field(:, :)
    real(c_double), intent(inout) :: low
    real(c_double), intent(inout) :: high
    type(c_funptr), value :: bound
    procedure(c_target_extremes), pointer :: by_symbol

    if (associated(target_extremes)) then
      call target_extremes(field, low, high)
    else
      call c_f_procpointer(bound, by_symbol)
      call by_symbol(field, low, high)
    end if
  end subroutine call_2

  subroutine call_3(x1, res, bound) bind(c, name="py2f_model_py_host_call_3")
    real(c_double), intent(in) :: x1
    real(c_double), intent(out) :: res
    type(c_funptr), value :: bound
    procedure(step_rate), pointer :: target_rate

    call c_f_procpointer(bound, target_rate)
    res = target_rate(x1)
  end subroutine call_3

  subroutine call_4(x1, x2, bound) bind(c, name="py2f_model_py_host_call_4")
    integer(c_int32_t), intent(in) :: x1
    real(c_double), intent(inout) :: x2(:, :)
    type(c_funptr), value :: bound
    procedure(step_watch), pointer :: target_watch

    call c_f_procpointer(bound, target_watch)
    call target_watch(x1, x2)
  end subroutine call_4

end module model_py_host
