!> Calls a function of NumPy once.
program first
  use diffusion_numpy_py, only: total
  implicit none
  double precision, target :: x(4) = [1, 2, 3, 4]
  call total(x)
  print *, x(1)
end program first
