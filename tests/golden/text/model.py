"""Text: UTF-8, trailing blanks trimmed on the way in, a result as long as it is."""

from py2f import export_to_fortran, i32


@export_to_fortran
def greet(name: str) -> str:
    return f"Hello, {name}!"


@export_to_fortran
def length(text: str) -> i32:
    return len(text)


@export_to_fortran
def repeated(text: str, times: i32) -> str:
    return text * times


@export_to_fortran
def joined(a: str, b: str, n: i32, c: str) -> str:
    return "|".join([a, b, str(n), c])


@export_to_fortran
def no_text(kind: i32) -> str:
    return [None, 5, "\ud800", "a\0b"][kind]


@export_to_fortran
def fails(text: str) -> None:
    raise ValueError(text)
