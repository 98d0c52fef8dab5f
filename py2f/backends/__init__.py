"""What a Fortran array is in Python. NumPy is the first; views that are made in Fortran calls are the runtime's (runtime/core)."""
