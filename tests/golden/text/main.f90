program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  character(len=:), allocatable :: text
  character(len=10) :: padded = 'padded'
  integer :: stat
  integer(c_int32_t) :: n
  character(len=120) :: msg
  character(len=14) :: cut = repeat('?', 14)
  character(len=18) :: wide = repeat('?', 18)
  text = greet('ICON   ')
  print '(a,1x,i0)', text, len(text)
  text = greet('')
  print '(a)', text
  text = greet(padded(:3))
  print '(a)', text
  print '(i0,3(1x,i0))', length('tür'), length('a b  '), length('   '), length('')
  text = repeated('x', 1000000_c_int32_t)
  print '(i0,1x,a)', len(text), text(999999:)
  text = repeated('x', 0_c_int32_t)
  print '(i0)', len(text)
  text = repeated(repeat('y', 1000000), 1_c_int32_t)
  print '(i0)', len(text)
  print '(a)', joined('one', 'two', 3_c_int32_t, padded)
  n = length('a'//achar(255)//'b', stat, msg)
  print '(i0,1x,a,1x,i0)', stat, trim(msg), n
  text = no_text(0_c_int32_t, stat, msg)
  print '(i0,1x,a,1x,i0)', stat, trim(msg), len(text)
  text = no_text(1_c_int32_t, stat, msg)
  print '(i0,1x,a,1x,i0)', stat, trim(msg), len(text)
  text = no_text(2_c_int32_t, stat, msg)
  print '(i0,1x,a,1x,i0)', stat, msg(:18), len(text)
  text = no_text(3_c_int32_t)
  print '(i0)', len(text)
  call fails('tür', stat, cut)      ! the first half of a character is no text
  call fails('tür', stat, wide)
  print '(5a)', '[', cut, '][', wide, ']'
end program main
