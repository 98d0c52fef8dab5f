"""Characters of fixed length as views, and names as a list."""

from __future__ import annotations

from py2f import In, InOut, Out, export_to_fortran, i32, string


@export_to_fortran
def longest(names: In[string[:]]) -> str:
    assert not names.flags.writeable
    return max((name.decode().rstrip() for name in names), key=len)


@export_to_fortran
def label(code: i32, text: Out[string]) -> None:
    text[()] = b"code %d" % code


@export_to_fortran
def upper(table: InOut[string[:, :]]) -> i32:
    """Write every element; what is longer than an element NumPy cuts."""
    for index in [(i, j) for i in range(table.shape[0]) for j in range(table.shape[1])]:
        table[index] = table[index].rstrip().upper() + b"!"
    return table.dtype.itemsize


@export_to_fortran
def joined(names: list[str], by: str = "+") -> str:
    assert type(names) is list
    return by.join(names)


@export_to_fortran
def maybe(text: InOut[string] | None, names: list[str] | None, table: In[string[:]] | None) -> str:
    return f"{None if text is None else text.item()} {names} {None if table is None else table.tolist()}"


@export_to_fortran
def step(table: In[string[:]]) -> i32:
    """Elements of no length lie at the same place."""
    return table.strides[0]


@export_to_fortran
def fixed(text: In[string]) -> i32:
    return text.itemsize
