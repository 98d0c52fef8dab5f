program main
  use, intrinsic :: iso_c_binding
  use model_py
  implicit none
  character(len=10) :: names(3), name, table(2, 3)
  character(len=0) :: nothing, nothings(2)
  character(len=3) :: short
  character(len=100) :: msg
  character(len=:), allocatable :: text
  integer :: stat
  names = [character(len=10) :: 'edge', 'vertices', 'cell']
  print '(a)', longest(names), longest(names(3:1:-2))
  call label(42_c_int32_t, name)
  print '(3a)', '[', name, ']'
  call label(42_c_int32_t, short)
  print '(3a)', '[', short, ']'
  call label(42_c_int32_t, name(3:9))
  print '(3a)', '[', name, ']'
  call label(42_c_int32_t, nothing)
  table = 'abcdefghij'
  table(1, :) = 'x'
  print '(i0)', upper(table(:, 1:3:2))
  print '(6("[", a, "]"))', table
  print '(a)', joined(names), joined(names(3:1:-1), by=' '), joined([character(len=5) :: 'tür', 'ab']), joined(names(1:0))
  print '(a)', joined(nothings)
  print '(a)', maybe()
  print '(a)', maybe(name, names(:2), names(2:))
  print '(a)', maybe(nothing, names(:0), nothings)
  print '(i0,2(1x,i0))', step(names), step(names(::2)), step(nothings)
  print '(i0,1x,i0,1x,i0)', fixed('four'), fixed(name), fixed(repeat('x', 1000000))
  text = joined([repeat('y', 1000000), repeat(' ', 1000000)])
  print '(i0)', len(text)
  names(2) = 'a'//achar(255)
  text = joined(names, stat=stat, errmsg=msg)
  print '(i0,1x,a)', stat, trim(msg)
end program main
