program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  integer, target :: x(3) = [10, 20, 30]
  integer, pointer :: p
  type(c_ptr) :: handles(3), first
  character(len=8) :: kinds(4) = [character(len=8) :: 'negative', 'large', 'flag', 'real']
  integer :: i, stat
  character(len=100) :: msg
  print '(l1)', address(c_loc(x(2))) - address(c_loc(x(1))) == 4
  call c_f_pointer(same(c_loc(x(3))), p)
  print '(i0)', p
  print '(4l2)', c_associated(nothing()), c_associated(same(c_null_ptr)), maybe(), maybe(c_null_ptr)
  do i = 1, 4
    first = wrong(kinds(i), stat, msg)
    print '(i0,1x,a,l2)', stat, trim(msg), c_associated(first)
  end do
  handles = [c_loc(x(1)), c_null_ptr, c_loc(x(3))]
  first = c_null_ptr
  print '(i0)', reverse(handles, first)
  call c_f_pointer(first, p)
  print '(i0,3l2)', p, c_associated(handles(1), c_loc(x(3))), c_associated(handles(2)), c_associated(handles(3), c_loc(x(1)))
end program main
