"""From the intermediate representation to text: pure functions, the same input gives the same bytes.

What is generated knows no Python: Fortran, a C table of plain data, build files. No dates, no paths of the machine but in
the one header that :mod:`py2f.emit.site` makes.
"""
