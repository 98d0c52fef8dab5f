"""``make mutants``: break py2f on purpose, one line at a time, and see that a test fails.

A row is what is broken, where, the text and its replacement, and the tests that should notice; golden texts do not count,
since any change of an emitter changes them. Every mutant is installed into an environment of its own that shares what the
checkout's environment has; MUTANTS, a regular expression, chooses some. Exit status 1 when one survives.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
BATCH = "tests/test_property.py::test_a_batch_of_random_functions_does_in_fortran_what_it_does_in_python[1-25-gfortran]"
OTHER_BATCH = BATCH.replace("1-25", "2-25")
BRIDGE = "tests/test_round_trip.py"
FRAMES = "tests/test_frames.py"
TRAPS = "tests/test_floating_point.py"
EVERY_NAME = "tests/test_names.py::test_every_keyword_and_intrinsic_may_name_a_function[gfortran]"
FIELD_NAMES = "tests/test_names.py::test_every_keyword_and_intrinsic_may_name_a_field[gfortran-deferred]"
PARTS = "tests/test_arrays.py::test_parts_of_structures_and_what_pointers_point_at[gfortran]"
WHOLE = "tests/test_arrays.py::test_elements_of_a_logical_result_are_written_whole[gfortran]"
PROGRAMS = [
    f"tests/test_golden.py::test_program_prints_what_is_expected[gfortran-{c}]"
    for c in "scalars text extents optional results strings tuples pointers names".split()
]


@dataclass(frozen=True)
class Mutant:
    """One fault."""

    what: str
    file: str
    text: str
    instead: str
    tests: tuple[str, ...] = (BATCH, OTHER_BATCH)


NATIVE = ("tests/test_native.py::test_every_kind_rank_and_layout_is_as_in_python[gfortran]",)
NATIVE_ERRORS = ("tests/test_native.py::test_errors_reach_stat_and_errmsg_as_those_of_python[gfortran]",)
COUNTS = ("tests/test_thread_counts.py",)
STATEMENTS, C_TABLE, EXTENTS, LOCATE = "emit/statements.py", "emit/c_table.py", "emit/extents.py", "emit/locate.py"
VIEWS, VALUES, CALL = "runtime/core/views.h", "runtime/core/values.h", "runtime/core/call.h"
MUTANTS = (
    Mutant(
        "native: any strides are dense",
        "backends/numba_entrance.py",
        'b.icmp_unsigned("!=", neighbours, self.word(0)), likely=False',
        'b.icmp_unsigned("!=", self.word(0), self.word(0)), likely=False',
        NATIVE,
    ),
    Mutant(
        "native: neighbours are not looked at",
        "backends/numba_entrance.py",
        "*pair) for pair in pairs",
        "*pair[:1] * 2) for pair in pairs",
        NATIVE,
    ),
    Mutant(
        "native: logicals are not settled",
        "backends/numba_entrance.py",
        "a.kind.size > 1 and a.intent is not",
        "a.kind.size > 8 and a.intent is not",
        NATIVE_ERRORS,
    ),
    Mutant(
        "native: what does not fit is cut",
        "backends/numba_entrance.py",
        "if declared.kind.size < self.word.width // 8:",
        "if declared.kind.size < 0:",
        NATIVE_ERRORS,
    ),
    Mutant(
        "native: traps stay on",
        "runtime/core/native.h",
        "p2f_trapping() ? p2f_call_native_masked",
        "0 ? p2f_call_native_masked",
        ("tests/test_native.py::test_traps_of_the_model_do_not_see_what_llvm_computes_ahead",),
    ),
    Mutant(
        "the model keeps the threads of a call",
        "runtime/core/threads.h",
        "p2f_openmp.most() != most) p2f_openmp.set(most)",
        "p2f_openmp.most() != most) p2f_openmp.most()",
        COUNTS,
    ),
    Mutant(
        "all threads inside a parallel region",
        "runtime/core/threads.h",
        "p2f_openmp.inside() ? 1 : most",
        "p2f_openmp.inside() ? most : most",
        COUNTS,
    ),
    Mutant(
        "extents swapped",
        STATEMENTS,
        '= size({name}, {d}, c_int64_t)" for d in ranks]',
        '= size({name}, {a.rank + 1 - d}, c_int64_t)" for d in ranks]',
    ),
    Mutant("extent of the wrong dimension", STATEMENTS, "= size({s.result}, {d}, c_int64_t)", "= size({s.result}, 1, c_int64_t)"),
    Mutant(
        "neighbour of the wrong dimension", LOCATE, "{_element(a, 'array', 'place', d)}", "{_element(a, 'array', 'place', 1)}"
    ),
    Mutant("all arrays are dense", LOCATE, "= is_contiguous({name})", "= .true."),
    Mutant("padded arrays are told dense", LOCATE, "not (a.padded or a.keep)", "not a.keep", ("tests/test_marks.py",)),
    Mutant("pointers are told dense", LOCATE, "not (a.padded or a.keep)", "not a.padded", (PARTS,)),
    Mutant(
        "dense arrays have strides of one element",
        "runtime/core/state.h",
        "- (const char *)w[0].p : dense;",
        "- (const char *)w[0].p : w[1].i;",
    ),
    Mutant("neighbour two further", LOCATE, "min(2_c_int64_t,", "min(3_c_int64_t,"),
    Mutant(
        "an intent dropped", "emit/declarations.py", '"intent(in)" if a.intent is Intent.IN else "intent(inout)"', '"intent(in)"'
    ),
    Mutant("readonly forgotten", C_TABLE, '"PY2F_READONLY": a.view and a.intent is Intent.IN', '"PY2F_READONLY": False'),
    Mutant("readonly for all", C_TABLE, "a.view and a.intent is Intent.IN", "a.view"),
    Mutant(
        "optional flag dropped", C_TABLE, '"PY2F_OPTIONAL": a.optional', '"PY2F_OPTIONAL": a.optional and not a.shape and False'
    ),
    Mutant(
        "c_int for c_int64_t in a frame", "emit/frame.py", 'Word.INTEGER: "integer(c_int64_t)"', 'Word.INTEGER: "integer(c_int)"'
    ),
    Mutant("c_int for c_int64_t in the table of types", "types.py", '"integer(c_int64_t)"', '"integer(c_int)"'),
    Mutant("logical kinds mixed up", "types.py", '"logical(c_bool)", Word.LOGICAL, 1', '"logical(c_bool)", Word.LOGICAL, 4'),
    Mutant("optional not checked", STATEMENTS, 'rows = [f"if ({there}) then"', 'rows = ["if (.true.) then"'),
    Mutant("absent not -1", STATEMENTS, 'extent({d}) = -1" for d', 'extent({d}) = 0" for d'),
    Mutant("absent text is empty", STATEMENTS, '%length = -1"', '%length = 0"', PROGRAMS),
    Mutant("absent scalar is given", STATEMENTS, 'f"{c}%given = 0"', 'f"{c}%given = 1"'),
    Mutant(
        "result not zeroed after an error",
        STATEMENTS,
        "if ({s.rc} /= py2f_ok) {row}",
        "if ({s.rc} < py2f_ok) {row}",
    ),
    Mutant(
        "result of deferred shape transposed",
        STATEMENTS,
        'extents = ", ".join(f"{c}%extent({d})" for d in range(1, result.rank + 1))',
        'extents = ", ".join(f"{c}%extent({d})" for d in range(result.rank, 0, -1))',
    ),
    Mutant(
        "mismatch check dropped",
        STATEMENTS,
        "for condition, failure in mismatches(procedure, s):",
        "for condition, failure in mismatches(procedure, s)[1:]:",
        (BATCH, OTHER_BATCH, *PROGRAMS),
    ),
    Mutant(
        "mismatch compared with the wrong dimension",
        EXTENTS,
        'f"{s.component(a)}%extent({d})" if d',
        'f"{s.component(a)}%extent({a.rank})" if d',
    ),
    Mutant(
        "mismatch of absent arrays",
        EXTENTS,
        "ours = [(self.argument, self.dimension)] * may_be_absent(self.argument)",
        "ours = list[Value]()",
        PROGRAMS,
    ),
    Mutant(
        "bound of a result from the wrong dimension",
        "emit/declarations.py",
        "size({s[a]}, {d}, c_int64_t)",
        "size({s[a]}, 1, c_int64_t)",
        ("tests/test_arrays.py::test_a_result_has_the_extents_of_the_dimensions_that_bear_their_names[gfortran]",),
    ),
    Mutant("stat not set on success", STATEMENTS, "if (present(stat)) stat = {s.rc}", "if (present(stat)) continue"),
    Mutant(
        "number of the procedure off by one", STATEMENTS, "py2f_call({number}_c_int", "py2f_call({number and number - 1}_c_int"
    ),
    Mutant("case clash not resolved", "emit/names.py", "used.add(given[i].lower())", "used.add(given[i])"),
    Mutant(
        "alias of an iso_c name forgotten",
        "emit/fortran.py",
        'f"iso_{name}" if name in functions else name',
        "name",
        (EVERY_NAME,),
    ),
    Mutant("a dummy hides an intrinsic", "emit/procedure.py", "taken = {*taken, specific", "taken = {specific"),
    Mutant("long lines not broken behind parentheses", "emit/text.py", 'or _last(line, places[:-1], "(", outside=True)', "or 0"),
    Mutant(
        "errmsg cut in the middle of a character",
        "runtime/loader.c",
        "if (n > length) for (n = length; n > 0 && (from[n] & 0xC0) == 0x80;) n--;",
        "if (n > length) n = length;",
        PROGRAMS,
    ),
    Mutant("errmsg not padded", "runtime/loader.c", "memset(text + n, ' ', length - n);", "", PROGRAMS),
    Mutant(
        "each rank prints a traceback",
        "runtime/py2f_ending.h",
        "|| errno != EADDRINUSE",
        "|| 1",
        ("tests/test_ranks.py::test_ranks_that_fail_at_once_print_one_traceback_and_a_line_each[gfortran-mpich]",),
    ),
    Mutant(
        "variables before the file",
        "runtime/py2f_settings.h",
        "if (s->filed && *s->filed)",
        "if (s->filed && *s->filed && !variable)",
        ("tests/test_configuration.py::test_the_file_decides_over_variables",),
    ),
    Mutant(
        "a setting too late",
        "runtime/py2f_settings.h",
        ": started ?",
        ": 0 ?",
        ("tests/test_configuration.py::test_after_the_start_it_is_too_late",),
    ),
    Mutant("stat set to success", STATEMENTS, 'stat = {s.rc}"', 'stat = 0*{s.rc}"'),
    Mutant("errmsg not set", "runtime/py2f.f90.in", "if (present(errmsg)) call message_copy(errmsg, len(errmsg, c_size_t))", ""),
    Mutant("trailing blanks not trimmed", VALUES, "while (n > 0 && from[n - 1] == ' ') n--;", ""),
    Mutant(
        "range check of i8 dropped",
        VALUES,
        "return size < 8 && (w->i < -half || w->i >= half);",
        "return 0;",
        (BRIDGE, *PROGRAMS),
    ),
    Mutant("range of i8 off by one", VALUES, "w->i < -half || w->i >= half", "w->i <= -half || w->i >= half", PROGRAMS),
    Mutant(
        "f32 overflow unchecked",
        VALUES,
        "return single && isfinite(d) && !isfinite((double)(float)d);",
        "return (void)single, (void)d, 0;",
        (BRIDGE, *PROGRAMS),
    ),
    Mutant(
        "c32 overflow unchecked",
        VALUES,
        "bad |= p2f_out_of_range(z.real, p2f_kind[a->kind].size == 8)",
        "bad |= p2f_out_of_range(z.real, 0)",
        (BRIDGE, *PROGRAMS),
    ),
    Mutant("imaginary part dropped", VALUES, "w[1].d = z.imag;", "w[1].d = 0;"),
    Mutant(
        "shape of a result unchecked",
        VALUES,
        "if (PyArray_DIM(v, r) != w[1 + r].i)",
        "if (0 && PyArray_DIM(v, r) != w[1 + r].i)",
        (BRIDGE, *PROGRAMS),
    ),
    Mutant(
        "default of an absent argument is None",
        VALUES,
        "return Py_NewRef(PyTuple_GET_ITEM(f->absent, j));",
        "return (void)f, Py_NewRef(Py_None);",
    ),
    Mutant(
        "blanks not filled up",
        VIEWS,
        "for (int64_t end = length; end > 0 && !element[end - 1];) element[--end] = ' ';",
        "(void)length;",
    ),
    Mutant(
        "strings filled up with one blank",
        VIEWS,
        "for (int64_t end = length; end > 0 && !element[end - 1];) element[--end]",
        "if (length > 0 && !element[length - 1]) element[length - 1]",
    ),
    Mutant(
        "length of a string from the wrong word",
        VIEWS,
        "const npy_intp length = string ? w[1 + 2 * a->rank].i : 0;",
        "const npy_intp length = string ? w[1 + a->rank].i : 0;",
    ),
    Mutant("elements of no length one byte apart", VIEWS, "if (!length) stride = still;", "", PROGRAMS),
    Mutant(
        "strings of an array have length 1",
        STATEMENTS,
        '%length = len({name}, c_int64_t)"] * characters',
        '%length = min(1, len({name}))"] * characters',
    ),
    Mutant("stride of a list of texts forgotten", VALUES, "i * p2f_stride(w, 1, 0, length)", "i * length"),
    Mutant("element of a list of texts off by one", VALUES, "length, p, a, i + 1)", "length, p, a, i)", PROGRAMS),
    Mutant(
        "an address is signed on the way in",
        VALUES,
        "return PyLong_FromVoidPtr(w->p);",
        "return PyLong_FromLongLong(w->i);",
        (BRIDGE,),
    ),
    Mutant(
        "an address is signed on the way back", VALUES, "(int64_t)PyLong_AsUnsignedLongLong(index)", "PyLong_AsLongLong(index)"
    ),
    Mutant("True is an address", VALUES, "PyIndex_Check(o) && !PyBool_Check(o)", "PyIndex_Check(o)", PROGRAMS),
    Mutant(
        "None is no null pointer",
        VALUES,
        "bad = o != Py_None && p2f_unbox_address(o, w);",
        "bad = p2f_unbox_address(o, w);",
        PROGRAMS,
    ),
    Mutant(
        "extents of fields unchecked",
        EXTENTS,
        "arrays = [*procedure.views, *(r for r in procedure.fields if r.explicit)]",
        "arrays = [*procedure.views]",
    ),
    Mutant("fields in reverse", VALUES, "PyTuple_GET_ITEM(o, k)", "PyTuple_GET_ITEM(o, p->nresults - 1 - k)"),
    Mutant(
        "the last field is not defined after an error",
        STATEMENTS,
        "for row in _nothing(r, s)]",
        "for row in _nothing(r, s)][:-1]",
    ),
    Mutant(
        "strides of a field forgotten",
        VALUES,
        "p2f_copy_array(v, a, a->flags & PY2F_FIELD ? stride : NULL, ",
        "p2f_copy_array(v, a, NULL, ",
    ),
    Mutant(
        "strides of a field forgotten where it is widened",
        VALUES,
        "p2f_settle(a, PyArray_DIMS(from), stride ? stride : dense, to,",
        "p2f_settle(a, PyArray_DIMS(from), dense, to,",
        PROGRAMS,
    ),
    Mutant(
        "number of fields unchecked",
        VALUES,
        "if (PyTuple_GET_SIZE(o) != p->nresults)",
        "if (PyTuple_GET_SIZE(o) < p->nresults)",
        PROGRAMS,
    ),
    Mutant(
        "lack of memory for a result not noticed",
        VALUES,
        "if (!kept || !room) {",
        "if (!kept) {",
        ("tests/test_arrays.py::test_a_result_that_does_not_fit_into_memory_is_an_error[gfortran]",),
    ),
    Mutant("type of a result not written out", STATEMENTS, '"allocate ({spelled} :: {name}', '"allocate ({name}', (FIELD_NAMES,)),
    Mutant(
        "fields before a wrong one are leaked",
        VALUES,
        "p2f_let_go(&p->result[done], w);",
        "(void)p2f_let_go;",
        ("tests/test_leaks.py",),
    ),
    Mutant(
        "names of fields ignored", "decorators/annotations.py", "name=field.fortran or field.name", "name=field.name", PROGRAMS
    ),
    Mutant(
        "names of arguments ignored", "emit/procedure.py", "wanted = [a.fortran or a.name for", "wanted = [a.name for", PROGRAMS
    ),
    Mutant(
        "extents of jaxtyping dropped",
        "decorators/foreign.py",
        "extents = tuple(_jaxtyped_extent(part, spelled, where) for",
        "extents = tuple(_jaxtyped_extent(part, spelled, where) and None for",
    ),
    Mutant("a returned array is leaked", VALUES, "  Py_DECREF(r->object);\n  free(r);", "  free(r);", ("tests/test_leaks.py",)),
    Mutant("INCREF of a returned object forgotten", VALUES, "  Py_INCREF(value.object);\n", ""),
    Mutant("a scalar argument is leaked", CALL, "if (plan[j] != P2F_AS_VIEW) Py_DECREF(args[j]);", ";", ("tests/test_leaks.py",)),
    Mutant("strides forgotten", VIEWS, "dense ? NULL : stride, first", "NULL, first"),
    Mutant("a negative stride is taken for dense", VIEWS, "dense &= stride[r] == step;", "dense &= labs(stride[r]) == step;"),
    Mutant(
        "upper bytes of a logical not widened",
        VIEWS,
        "*(p2f_default_logical *)element = *element != 0;",
        "*element = *element != 0;",
    ),
    Mutant(
        "a logical result not widened",
        VALUES,
        "if (bad || !p2f_settles(a)) return bad;",
        "if (bad || !bad) return bad;",
        (WHOLE,),
    ),
    Mutant(
        "frame compared with n - 1 words",
        CALL,
        "p2f_same(frame->words, words, f->nwords)",
        "p2f_same(frame->words, words, f->nwords - 1)",
        (FRAMES, BATCH),
    ),
    Mutant("frame compared with its first words only", VIEWS, "for (; i < pairs; i++) d |= x[i] ^ y[i];", "", (FRAMES, BATCH)),
    Mutant("view guard removed", CALL, "    p2f_guard(f, views);\n", "", (FRAMES,)),
    Mutant("kept views are handed out again", VIEWS, "other |= (Py_REFCNT(v) ^ was->references) | ", "other |= ", (FRAMES,)),
    Mutant("shapes are not guarded", VIEWS, "changed |= now[r] ^ then[r];", ";", (FRAMES,)),
    Mutant("a view is moved under its weak references", VIEWS, "!field->weakreflist && ", "", (FRAMES,)),
    Mutant("a view is moved that has exported buffers", VIEWS, " && !field->_buffer_info", "", (FRAMES,)),
    Mutant("contiguity of a moved view is not looked at", VIEWS, "other |= (extent[r] ^ n) | (stride[r] ^ s);", "", (FRAMES,)),
    Mutant(
        "alignment of a moved view is not looked at",
        VIEWS,
        "(intptr_t)PyArray_BYTES(v)) & 15;",
        "(intptr_t)PyArray_BYTES(v)) & 0;",
        (FRAMES,),
    ),
    Mutant("views are never moved", VIEWS, "&& !p2f_move(p, f, frame, words)", "", ("tests/test_instructions.py",)),
    Mutant("a view is moved to where nothing is", VIEWS, "if (!p2f_is_ordinary(a, w) || ", "if (", (FRAMES,)),
    Mutant("views not held during a call", CALL, "views = Py_NewRef(frame->views);", "views = frame->views;", (FRAMES,)),
    Mutant(
        "keyword-only arguments handed over by position",
        CALL,
        "| PY_VECTORCALL_ARGUMENTS_OFFSET, f->keywords)",
        "| PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)",
    ),
    Mutant(
        "floating-point mask dropped",
        CALL,
        "const p2f_traps traps = p2f_mask();",
        "const p2f_traps traps = { __builtin_ia32_stmxcsr(), 0, p2f_x87_status() };",
        (TRAPS,),
    ),
    Mutant("floating-point flags not given back", CALL, "  p2f_unmask(traps);\n", "  (void)traps;\n", (TRAPS,)),
    Mutant(
        "a negative zero is lost by the bridge",
        "round_trip.py",
        "type(0 if value is None else value)))",
        "type(value or 0)))",
        (BRIDGE,),
    ),
)


def main() -> int:
    """Try every mutant."""
    work = Path(tempfile.mkdtemp(prefix="py2f-mutants-"))
    site = _environment(work)
    chosen = [m for m in MUTANTS if re.search(os.environ.get("MUTANTS", ""), m.what)]
    survived = []
    tests = tuple(sorted({test for mutant in chosen for test in mutant.tests}))
    _installed(site, work, Mutant("nothing", "types.py", "MAX_RANK = 15", "MAX_RANK = 15"))
    if failed := _first_failure(work, tests):
        raise SystemExit(f"{failed} fails with nothing broken")
    print(f"{'mutant':52} {'seconds':>7}  noticed by")
    for mutant in chosen:
        start = time.monotonic()
        failed = _installed(site, work, mutant) and _first_failure(work, mutant.tests)
        survived += [mutant.what] * (not failed)
        print(f"{mutant.what:52} {time.monotonic() - start:7.1f}  {failed or '*** nobody ***'}", flush=True)
    shutil.rmtree(work)
    print(f"{len(chosen)} mutants, {len(survived)} survived{': ' * bool(survived)}{', '.join(survived)}")
    return bool(survived)


def _environment(work: Path) -> Path:
    """An environment with a py2f of its own; all else is the checkout's."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", work / "venv"], check=True)
    site = next((work / "venv" / "lib").glob("python3*")) / "site-packages"
    (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return site


def _installed(site: Path, work: Path, mutant: Mutant) -> bool:
    """Install py2f with one fault. What does not even compile would be noticed, but shows nothing: that is an error here."""
    source, package = work / "source" / "py2f", site / "py2f"
    for folder in (source, package):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(CHECKOUT / "py2f", source, ignore=shutil.ignore_patterns("__pycache__"))
    file = source / mutant.file
    text = file.read_text()
    if text.count(mutant.text) != 1:
        raise SystemExit(f"{mutant.what}: {mutant.file} has {mutant.text!r} {text.count(mutant.text)} times, not once")
    file.write_text(text.replace(mutant.text, mutant.instead))
    shutil.copytree(Path(sysconfig.get_path("purelib"), "py2f"), package, ignore=shutil.ignore_patterns("__pycache__"))
    for changed in source.rglob("*.py"):
        if (target := package / changed.relative_to(source)).exists():
            shutil.copy(changed, target)
    _compile(source / "runtime", package / "runtime", work / "venv" / "bin" / "python")
    return True


def _compile(source: Path, installed: Path, python: Path) -> None:
    """Make again what the build of the wheel makes."""
    for made in ("py2f_codes.h", "py2f.f90"):
        subprocess.run([python, source / "build_runtime.py", made, installed / made], check=True)
    subprocess.run([python, source / "build_runtime.py", "_runtime.c", source / "_runtime.c"], check=True)
    import numpy as np

    common = ["gcc", "-std=gnu11", "-O1", "-w", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{source}", f"-I{installed}"]
    includes = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    extension = next(installed.glob("_runtime.*.so"))
    subprocess.run([*common, "-D_CFFI_NO_LIMITED_API", *includes, source / "_runtime.c", "-o", extension], check=True)
    loader = ["-Wl,-soname,libpy2f.so.1", "-Wl,-z,nodelete", "-ldl", "-lpthread"]
    subprocess.run([*common, source / "loader.c", "-o", installed / "libpy2f.so", *loader], check=True)


def _first_failure(work: Path, tests: tuple[str, ...]) -> str:
    """The name of the first test that fails, empty if none does."""
    command = [
        work / "venv" / "bin" / "python",
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--basetemp={work / 'tmp' / 'run'}",
    ]
    (work / "tmp").mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "TORTURE_REDUCE": "no"}
    done = subprocess.run([*command, *tests], cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    failed = re.search(r"^(?:FAILED|ERROR) tests/[^:\s]*(?:::(.+?))?(?: - .*)?$", done.stdout, re.MULTILINE)
    if failed:
        return failed[1] or failed[0]
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        return f"the tests themselves, signal {-done.returncode}"
    raise SystemExit(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    raise SystemExit(main())
