"""What a Fortran array is in Python: NumPy's is the first. In calls from Fortran the runtime makes the views (runtime/core)."""
