"""What things are called in Fortran, where case is nothing and other names may be taken."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from py2f.types import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

KEYWORDS = frozenset(
    """abstract allocatable allocate assign assignment associate asynchronous backspace bind block blockdata call case change
    character class close codimension common complex concurrent contains contiguous continue critical cycle data
    deallocate default deferred dimension do double doubleprecision elemental else elseif elsewhere end endassociate
    endblock endcritical enddo endenum endfile endforall endfunction endif endinterface endmodule endprocedure endprogram
    endselect endsubmodule endsubroutine endteam endtype endwhere entry enum enumerator equivalence error event exit
    extends external fail file final flush forall form format formatted function generic go goto if images implicit import
    impure in include inout inquire integer intent interface intrinsic is kind len local local_init lock logical memory
    module name namelist non_intrinsic non_overridable none nopass nullify only open operator optional out parameter pass
    pause pointer post precision print private procedure program protected public pure quiet rank read real recursive
    result return rewind save select selectcase selecttype sequence shared stat stop submodule subroutine sync target team
    then to type unformatted unlock use value volatile wait where while write""".split()
)
"""Words of statements: legal names, but some compilers stumble over a procedure of that name."""

INTRINSICS = frozenset(
    """abort abs access achar acos acosd acosh adjustl adjustr aimag aint alarm all allocated and anint any asin asind asinh
    associated atan atan2 atan2d atand atanh atomic_add atomic_and atomic_cas atomic_define atomic_fetch_add
    atomic_fetch_and atomic_fetch_or atomic_fetch_xor atomic_or atomic_ref atomic_xor backtrace bessel_j0 bessel_j1
    bessel_jn bessel_y0 bessel_y1 bessel_yn bge bgt bit_size ble blt btest c_associated c_f_pointer c_f_procpointer
    c_funloc c_loc c_sizeof ceiling char chdir chmod cmplx co_broadcast co_max co_min co_reduce co_sum
    command_argument_count compiler_options compiler_version complex conjg cos cosd cosh coshape cotan cotand count
    cpu_time cshift ctime date_and_time dble dcmplx digits dim dot_product dprod dreal dshiftl dshiftr dtime eoshift
    epsilon erf erfc erfc_scaled etime event_query execute_command_line exit exp exponent extends_type_of failed_images
    fdate fget fgetc findloc float floor flush fnum fput fputc fraction free fseek fstat ftell gamma gerror get_command
    get_command_argument get_environment_variable get_team getarg getcwd getenv getgid getlog getpid getuid gmtime hostnm
    huge hypot iachar iall iand iany iargc ibclr ibits ibset ichar idate ieor ierrno image_index image_status imagpart
    index int int2 int8 ior iparity irand is_contiguous is_iostat_end is_iostat_eor isatty ishft ishftc isnan itime kill
    kind lbound lcobound leadz len len_trim lge lgt link lle llt lnblnk loc log log10 log_gamma logical lshift lstat ltime
    malloc maskl maskr matmul max maxexponent maxloc maxval mclock mclock8 merge merge_bits min minexponent minloc minval
    mod modulo move_alloc mvbits nearest new_line nint norm2 not null num_images or out_of_range pack parity perror popcnt
    poppar precision present product radix ran rand random_init random_number random_seed range rank real realpart rename
    repeat reshape rrspacing rshift same_type_as scale scan secnds second selected_char_kind selected_int_kind
    selected_logical_kind selected_real_kind set_exponent shape shifta shiftl shiftr sign signal sin sind sinh size sizeof
    sleep sngl spacing spread sqrt srand stat stopped_images storage_size sum symlnk system system_clock tan tand tanh
    team_number this_image time time8 tiny trailz transfer transpose trim ttynam ubound ucobound umask unlink unpack
    verify xor zabs zcos zexp zlog zsin zsqrt""".split()
)
"""Intrinsic procedures of Fortran 2018 and of gfortran and flang."""

ISO_C = frozenset(
    """c_alert c_associated c_backspace c_bool c_carriage_return c_char c_double c_double_complex c_f_pointer c_f_procpointer
    c_float c_float128 c_float128_complex c_float_complex c_form_feed c_funloc c_funptr c_horizontal_tab c_int c_int128_t
    c_int16_t c_int32_t c_int64_t c_int8_t c_int_fast16_t c_int_fast32_t c_int_fast64_t c_int_fast8_t c_int_least16_t
    c_int_least32_t c_int_least64_t c_int_least8_t c_intmax_t c_intptr_t c_loc c_long c_long_double c_long_double_complex
    c_long_long c_new_line c_null_char c_null_funptr c_null_ptr c_ptr c_ptrdiff_t c_short c_signed_char c_size_t c_sizeof
    c_vertical_tab""".split()
)
"""The names of the intrinsic module iso_c_binding."""

UNSAFE = KEYWORDS | INTRINSICS | ISO_C
"""A function of such a name stands behind a generic interface: the intrinsic stays what it is, the parser is not confused."""

_STATEMENTS = frozenset("if then else end call allocate character".split())
_ATTRIBUTES = frozenset(
    "real integer complex logical character intent in out inout optional target allocatable type bind kind len procedure".split()
)


def free(name: str, taken: Collection[str]) -> str:
    """Append one underscore until nobody has the name; a leading one is dropped, since Fortran has none."""
    base = name.lstrip("_")
    base = base if base[:1].isalpha() else f"x{name}"
    underscores = 0
    while (candidate := base[: MAX_NAME - underscores] + "_" * underscores).lower() in taken:
        underscores += 1
    return candidate


def assign(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Give each name one that is free in Fortran; who has a legal name of their own keeps it."""
    given: dict[int, str] = {}
    used = set(taken)
    legal = [i for i, name in enumerate(names) if name[0].isalpha() and name.lower() not in used]
    for i in dict.fromkeys([*legal, *range(len(names))]):
        given[i] = free(names[i], used)
        used.add(given[i].lower())
    return [given[i] for i in range(len(names))]


def called(rows: Iterable[str], names: Collection[str]) -> list[str]:
    """Which of these names rows call."""
    return sorted(set(re.findall(r"(?<![\w%])([a-z]\w*)\(", "\n".join(rows))) & set(names))


def words(declarations: Iterable[str], statements: Iterable[str]) -> set[str]:
    """The names that rows of Fortran refer to: a dummy argument of such a name would hide what is meant."""
    return (_identifiers(declarations) - _ATTRIBUTES) | (_identifiers(statements) - _STATEMENTS)


def _identifiers(rows: Iterable[str]) -> set[str]:
    return set().union(*map(_of_row, rows))


@lru_cache(4096)  # wrappers are alike
def _of_row(row: str) -> frozenset[str]:
    code = re.sub(r'"[^"]*"|bind\(c\)|\b\w+=(?!=)', "", row)  # literals and keywords refer to nothing
    return frozenset(re.findall(r"(?<![\w%.])(?:\d+_)?([a-z]\w*)", code))
