"""The functions of exported.py that native.py times, as machine code."""

import exported

from py2f import export_to_fortran

functions = (exported.fa, exported.fb, exported.fc, exported.fm, exported.fe)
fa, fb, fc, fm, fe = (export_to_fortran(f, native=True) for f in functions)
