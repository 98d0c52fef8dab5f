"""The rows and variants of call.py, and the text made from them: a Fortran loop a case, and modules of C functions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ADDRESS_SETS = 512  # of row D: far more than any cache of frames holds
THREE, SCALARS = ("a", "b", "c"), ("x", "y", "z", "n")
# the dummy arguments of each function: x, y, z are real64, n is int32, all others real64 arrays of 10 x 10
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "fa": (),
    "fb": SCALARS,
    "fc": THREE,
    "fm": THREE + SCALARS,
    "fe": tuple(f"a{k}" for k in range(20)),
    "fraise": THREE,
}


@dataclass(frozen=True)
class Row:
    """What is called: a function, its actual arguments, and the statement before each call."""

    name: str
    title: str
    function: str
    actual: tuple[str, ...]
    before: str = ""
    raises: bool = False
    result: str = ""  # the variable that takes it; "": a subroutine
    alone: bool = False  # py2f's only: neither the peer nor the prototype has such arguments


def turns(last: int) -> str:
    """Return the statement that takes the array sets 1..last in turn."""
    return f"j = mod(j, {last}) + 1"


NEXT = tuple(f"sets(:,:,{k},j)" for k in (1, 2, 3))
ROWS = (
    Row("A", "no arguments", "fa", ()),
    Row("B", "3 real, 1 integer", "fb", SCALARS, "x = x + 1"),
    Row("C", "3 arrays", "fc", THREE),
    Row("M", "C and B together", "fm", THREE + SCALARS, "x = x + 1"),
    Row("D", "C, new addresses each call", "fc", NEXT, turns(ADDRESS_SETS)),
    Row("D2", "C, 2 sets in turn", "fc", NEXT, turns(2)),
    Row("D4", "C, 4 sets in turn", "fc", NEXT, turns(4)),
    Row("E", "20 arrays", "fe", tuple(f"many(:,:,{k})" for k in range(1, 21))),
    Row("X", "C, Python raises", "fraise", THREE, raises=True),
    Row("S", "a text", "ftext", ("'twenty characters it'",), alone=True),
    Row("O", "C, 2 of 3 absent", "foptional", ("a",), alone=True),
    Row("L", "logical array, written", "flogical", ("mask",), alone=True),
    Row("R", "C, result of 1 real", "fresult", THREE, result="x", alone=True),
    Row("V", "15 arrays, shape changes", "fvarying", tuple(f"many(:j,:,{k})" for k in range(1, 16)), turns(10), alone=True),
)


@dataclass(frozen=True)
class Variant:
    """Who is called: a Fortran module whose procedures end in a status argument."""

    name: str
    module: str
    status: str  # the keyword of the status argument
    ok: str
    exception: str | None  # None: cannot raise
    prefix: str = ""  # of the procedures in the module
    uses: str = ""  # the module of the status constants

    def has(self, row: Row) -> bool:
        """Tell whether this variant can be measured in that row."""
        return self is PY2F if row.alone else not row.raises or self.exception is not None

    def use_lines(self) -> Iterator[str]:
        """Yield the use statements; procedures get the variant's name in front, for each module has its fc."""
        functions = dict.fromkeys(row.function for row in ROWS if self.has(row))
        renamed = (f"{self.name}_{function} => {self.prefix}{function}" for function in functions)
        yield f"  use {self.module}, only: {continued(renamed)}"
        if self.uses:
            yield f"  use {self.uses}, only: {self.ok}, {self.exception}"


# The first to be called starts the one Python of the process: py2f, in the venv it was exported with, whatever the
# environment says. The peer would take the python3 that it finds on PATH: alone it would need the venv's bin there.
PY2F = Variant("py2f", "exported_py", "stat", "py2f_ok", "py2f_exception", uses="py2f")
PEER = Variant("peer", "peer_py2fgen", "rc", "1", "2")  # 0 is a failed start: cffi forces it
V4X = Variant("v4x", "v4x_mod", "rc", "1", "2", prefix="v4x_")
CFFI = Variant("cffi", "cffi_calls", "stat", "1", "0")  # as for the peer: 0 is what cffi returns after an exception
EMPTY = Variant("empty", "empty_calls", "stat", "0", None)


def continued(items: Iterable[str]) -> str:
    """Join a Fortran list, one item a line: twenty sections are longer than a line may be."""
    return ", &\n      ".join(items)


def loop(variant: Variant, row: Row) -> str:
    """Return the procedure that is timed: n calls of one case, each status checked."""
    expected = variant.exception if row.raises else variant.ok
    arguments = continued((*row.actual, f"{variant.status}=stat"))
    before = f"      {row.before}\n" if row.before else ""
    verb = f"{row.result} =" if row.result else "call"
    return f"""\
  subroutine loop_{variant.name}_{row.name}(n_calls)
    integer, intent(in) :: n_calls
    integer :: i, j, stat

    j = 1
    do i = 1, n_calls
{before}      {verb} {variant.name}_{row.function}({arguments})
      if (stat /= {expected}) then
        unexpected = unexpected + 1
        last_stat = stat
      end if
    end do
  end subroutine loop_{variant.name}_{row.name}
"""


def first_call(variant: Variant) -> str:
    """Return a program that makes one call without arguments."""
    uses = f"  use {variant.uses}, only: {variant.ok}\n" if variant.uses else ""
    return f"""\
program first
  use {variant.module}, only: {variant.prefix}fa
{uses}  implicit none
  integer :: stat
  call {variant.prefix}fa({variant.status}=stat)
  if (stat /= {variant.ok}) error stop 1
end program first
"""


DATA = f"""\
  real(c_double), target, save :: a(10, 10) = 1, b(10, 10) = 2, c(10, 10) = 3, many(10, 10, 20) = 4
  real(c_double), target, save :: sets(10, 10, 3, {ADDRESS_SETS}) = 5
  real(c_double), save :: x = 1, y = 2, z = 3
  integer(c_int), save :: n = 4
  logical, save :: mask(10, 10) = .true.
"""


def cases_module(variants: tuple[Variant, ...]) -> str:
    """Return module cases: the data, a loop a case, and the list of cases, in which those compared are neighbours."""
    pairs = [(variant, row) for row in ROWS for variant in variants if variant.has(row)]
    listed = (f"case_t('{v.name}:{r.name}', loop_{v.name}_{r.name})" for v, r in pairs)
    uses = "\n".join(line for variant in variants for line in variant.use_lines())
    loops = "\n".join(loop(variant, row) for variant, row in pairs)
    return case_module(uses, DATA, "", listed, loops)


def case_module(uses: str, declared: str, begun: str, listed: Iterable[str], loops: str) -> str:
    """Return the module that alternate.f90 runs: `begun` are statements that come before the list of cases is made."""
    return f"""\
module cases
  use, intrinsic :: iso_c_binding, only: c_double, c_int
{uses}
  implicit none
  private
  public :: case_t, list_cases, unexpected, last_stat

  abstract interface
    subroutine loop_i(n_calls)
      integer, intent(in) :: n_calls
    end subroutine loop_i
  end interface
  type case_t
    character(len=16) :: name
    procedure(loop_i), pointer, nopass :: loop
  end type case_t
  integer, save :: unexpected = 0, last_stat = 0

{declared}
contains

  subroutine list_cases(list)
    type(case_t), allocatable, intent(out) :: list(:)

{begun}
    list = [ &
      {continued(listed)}]
  end subroutine list_cases

{loops}
end module cases
"""


def is_array(argument: str) -> bool:
    """Tell arrays from scalars: by name, see FUNCTIONS."""
    return argument not in SCALARS


def c_parameters(argument: str) -> str:
    """Return what a C function takes for one argument: an array travels as address and two extents."""
    if is_array(argument):
        return f"double *{argument}, int {argument}_1, int {argument}_2"
    return f"int {argument}" if argument == "n" else f"double {argument}"


def c_prototype(prefix: str, function: str) -> str:
    """Return the C prototype of a function, without semicolon."""
    return f"int {prefix}_{function}({', '.join(map(c_parameters, FUNCTIONS[function])) or 'void'})"


def empty_c() -> str:
    """Return the C library that is the limit: a call into another shared library, where nothing is done."""
    return "\n".join(f"{c_prototype(EMPTY.name, function)} {{ return 0; }}" for function in FUNCTIONS)


def scalar_type(argument: str) -> str:
    """Return the Fortran type of a scalar argument."""
    return "integer(c_int)" if argument == "n" else "real(c_double)"


def c_interface(prefix: str, function: str) -> str:
    """Return the Fortran interface of one C function."""
    names: list[str] = []
    declared: list[str] = []
    for name in FUNCTIONS[function]:
        names += [name, f"{name}_1", f"{name}_2"] if is_array(name) else [name]
        declared.append(f"{'type(c_ptr)' if is_array(name) else scalar_type(name)}, value :: {name}")
        declared += [f"integer(c_int), value :: {name}_1, {name}_2"] if is_array(name) else []
    lines = "".join(f"      {line}\n" for line in declared)
    return f"""\
    function {prefix}_{function}({continued(names)}) bind(C) result(stat)
      import :: c_int, c_double, c_ptr
{lines}      integer(c_int) :: stat
    end function {prefix}_{function}
"""


def c_wrapper(prefix: str, function: str) -> str:
    """Return the wrapper a Fortran program calls: the same dummies as those of the other variants."""
    actual: list[str] = []
    declared: list[str] = []
    for name in FUNCTIONS[function]:
        actual += [f"c_loc({name})", f"size({name}, 1)", f"size({name}, 2)"] if is_array(name) else [name]
        array = f"real(c_double), contiguous, target, intent(inout) :: {name}(:, :)"
        declared.append(array if is_array(name) else f"{scalar_type(name)}, value :: {name}")
    lines = "".join(f"    {line}\n" for line in declared)
    return f"""\
  subroutine {function}({continued((*FUNCTIONS[function], "stat"))})
{lines}    integer, intent(out) :: stat

    stat = {prefix}_{function}({continued(actual)})
  end subroutine {function}
"""


def c_module(variant: Variant) -> str:
    """Return the Fortran module of a library of C functions: interfaces and wrappers."""
    interfaces = "".join(c_interface(variant.name, function) for function in FUNCTIONS)
    wrappers = "\n".join(c_wrapper(variant.name, function) for function in FUNCTIONS)
    public = ", ".join(FUNCTIONS)
    return f"""\
module {variant.module}
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_loc, c_ptr
  implicit none
  private
  public :: {public}

  interface
{interfaces}  end interface

contains

{wrappers}
end module {variant.module}
"""
