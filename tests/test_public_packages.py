"""Fortran that nobody here wrote: LAPACK's library, MINPACK and QUADPACK in Fortran 77 with callbacks, SHTOOLS in Fortran 95.

No line of it is in this repository: Debian's liblapack3, and source distributions from PyPI.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from packages import sources
from programs import run
from stubs import EACH_COMPILER, imported, stubbed

import py2f

if TYPE_CHECKING:
    from pathlib import Path

# ---- LAPACK: a library without sources; characters, work arrays, a status

LIBRARY = "liblapack.so.3"
LAPACK = f"""
from py2f import f64, i32
la = functools.partial(pythoncall, library="{LIBRARY}")

@la(errors="info")
def dgesv(n: i32, nrhs: i32, a: InOut[f64[lda, n]], lda: i32, ipiv: Out[i32[n]], b: InOut[f64[ldb, nrhs]], ldb: i32,
          info: Out[i32]) -> i32[n]: ...
@la(errors="info")
def dsyev(jobz: Annotated[str, Length(1)], uplo: Annotated[str, Length(1)], n: i32, a: InOut[f64[lda, n]], lda: i32,
          w: Out[f64[n]], work: InOut[f64[lwork]], lwork: i32, info: Out[i32]) -> f64[n]: ...
@la(name="dsyev", errors="info")
def dsyev_asked(jobz: str, uplo: str, n: i32, a: InOut[f64[lda, n]], lda: i32, w: InOut[f64[n]], work: Out[f64], lwork: i32,
                info: Out[i32]) -> f64: ...
@la()
def dlange(norm: str, m: i32, n: i32, a: f64[lda, n], lda: i32, work: InOut[f64[m]]) -> f64: ...
@la()
def ilaenv(ispec: i32, name: str, opts: str, n1: i32, n2: i32, n3: i32, n4: i32) -> i32: ...
@la(errors="info")
def zheev(jobz: str, uplo: str, n: i32, a: InOut[c64[lda, n]], lda: i32, w: Out[f64[n]], work: InOut[c64[lwork]], lwork: i32,
          rwork: InOut[f64[3 * n]], info: Out[i32]) -> f64[n]: ...
"""


@pytest.fixture(scope="module", params=EACH_COMPILER)
def lapack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        pytest.skip(f"{LIBRARY} is not installed: that py2f calls LAPACK is not verified")
    return stubbed(tmp_path_factory.mktemp("lapack"), request.param, LAPACK)


def _matrix(n: int, *, columns: int = 0) -> Any:
    return np.asfortranarray(np.random.default_rng(n).standard_normal((n, columns or n)))


def _by_ctypes(name: str, *arguments: Any) -> None:
    """Call the library as a Fortran compiler does: addresses, and behind them the lengths of characters."""
    given = [np.array(a, "i4") if isinstance(a, int) else a for a in arguments]
    addresses = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_void_p(a.ctypes.data) for a in given]
    lengths = [ctypes.c_size_t(len(a)) for a in given if isinstance(a, bytes)]
    ctypes.CDLL(LIBRARY)[f"{name}_"](*addresses, *lengths)


def test_dgesv_solves_as_numpy_does_and_bit_for_bit_as_the_library(lapack: Any) -> None:
    a, b = _matrix(7), _matrix(7, columns=3)
    lu, x = a.copy(order="F"), b.copy(order="F")
    pivots = lapack.dgesv(7, 3, lu, 7, x, 7)
    np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-11)
    np.testing.assert_allclose(a @ x, b, rtol=1e-11)
    direct = [a.copy(order="F"), np.zeros(7, "i4"), b.copy(order="F"), np.array(-1, "i4")]
    _by_ctypes("dgesv", 7, 3, direct[0], 7, direct[1], direct[2], 7, direct[3])
    assert [v.tobytes("F") for v in (lu, pivots, x)] == [v.tobytes("F") for v in direct[:3]]


def test_a_singular_matrix_is_an_exception_with_the_status(lapack: Any) -> None:
    with pytest.raises(py2f.FortranError) as raised:
        lapack.dgesv(3, 1, np.ones((3, 3), order="F"), 3, np.ones((3, 1), order="F"), 3)
    assert (raised.value.procedure, raised.value.stat) == ("dgesv", 2)


def test_a_leading_dimension_that_is_wrong_never_reaches_the_library(lapack: Any) -> None:
    with pytest.raises(ValueError, match=r"argument 'a' of 'dgesv': extent 1 is 3, InOut\[f64\[lda, n\]\] makes it 4"):
        lapack.dgesv(3, 1, np.ones((3, 3), order="F"), 4, np.ones((3, 1), order="F"), 3)


def test_a_part_of_a_larger_matrix_is_no_array_of_explicit_shape(lapack: Any) -> None:
    whole = np.zeros((5, 5), order="F")
    with pytest.raises(ValueError, match="it is not contiguous in Fortran's order"):
        lapack.dgesv(3, 1, whole[:3, :3], 3, np.ones((3, 1), order="F"), 3)


@pytest.mark.parametrize("uplo", "UL")
def test_dsyev_has_the_eigenvalues_of_numpy_and_the_bits_of_the_library(lapack: Any, uplo: str) -> None:
    a = _matrix(6)
    a += a.T.copy()
    lwork = int(lapack.dsyev_asked("V", uplo, 6, a.copy(order="F"), 6, np.zeros(6), -1))  # how much work space is best
    assert lwork >= 17
    vectors, work = a.copy(order="F"), np.zeros(lwork)
    values = lapack.dsyev("V", uplo, 6, vectors, 6, work, lwork)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), rtol=1e-11)
    np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-12)
    direct = [a.copy(order="F"), np.zeros(6), np.zeros(lwork), np.array(-1, "i4")]
    _by_ctypes("dsyev", b"V", uplo.encode(), 6, direct[0], 6, direct[1], direct[2], lwork, direct[3])
    assert [v.tobytes("F") for v in (vectors, values)] == [v.tobytes("F") for v in direct[:2]]


def test_zheev_has_the_eigenvalues_of_numpy(lapack: Any) -> None:
    a = np.asfortranarray(_matrix(5) + 1j * _matrix(5, columns=5).T)
    a += a.conj().T.copy()
    vectors = a.copy(order="F")
    values = lapack.zheev("V", "L", 5, vectors, 5, np.zeros(50, complex), 50, np.zeros(15))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), rtol=1e-11)
    np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-12)


@pytest.mark.parametrize(("norm", "order"), [("F", "fro"), ("1", 1), ("I", np.inf)])
def test_dlange_takes_the_norm_that_a_character_says(lapack: Any, norm: str, order: Any) -> None:
    a = _matrix(4, columns=3)
    assert lapack.dlange(norm, 4, 3, a, 4, np.zeros(4)) == pytest.approx(np.linalg.norm(a, order), rel=1e-14)


def test_ilaenv_reads_characters_of_any_length(lapack: Any) -> None:
    """64 and 32: the block sizes that the reference implementation has for these names, 1 for others."""
    sizes = [lapack.ilaenv(1, name, " ", 100, 100, -1, -1) for name in ("DGETRF", "DSYTRD", "none")]
    assert sizes == [64, 32, 1]


# ---- MINPACK and QUADPACK: Fortran 77, fixed form, procedures that Fortran does not declare

SCIPY = "scipy==1.11.4"  # later ones have MINPACK and QUADPACK in C
MINPACK = """
minpack = functools.partial(pythoncall, source={files})
n, m = extent("n"), extent("m")
Square = Callable[[Annotated[i32, Name("n")], f64[n], InOut[f64[n]], InOut[i32]], None]
Residuals = Callable[[Annotated[i32, Name("m")], Annotated[i32, Name("n")], f64[n], InOut[f64[m]], InOut[i32]], None]

@minpack()
def hybrd1(fcn: Square, n: i32, x: InOut[f64[n]], fvec: Out[f64[n]], tol: f64, info: Out[i32], wa: InOut[f64[lwa]],
           lwa: i32) -> tuple[f64[n], i32]: ...
@minpack()
def lmdif1(fcn: Residuals, m: i32, n: i32, x: InOut[f64[n]], fvec: Out[f64[m]], tol: f64, info: Out[i32],
           iwa: InOut[i32[n]], wa: InOut[f64[lwa]], lwa: i32) -> tuple[f64[m], i32]: ...
"""
QUADPACK = """
@pythoncall(source={files})
def dqags(f: Callable[[f64], f64], a: f64, b: f64, epsabs: f64, epsrel: f64, result: Out[f64], abserr: Out[f64],
          neval: Out[i32], ier: Out[i32], limit: i32, lenw: i32, last: Out[i32], iwork: InOut[i32[limit]],
          work: InOut[f64[lenw]]) -> tuple[f64, f64, i32, i32, i32]: ...
"""
QUADPACK_FILES = ("dqags.f", "dqagse.f", "dqelg.f", "dqk21.f", "dqpsrt.f", "d1mach.f", "xerror.f")


def _scipy(request: pytest.FixtureRequest, folder: Path, *names: str) -> list[str]:
    """Copy files, or all of MINPACK, beside the stubs that are to come."""
    patterns = ("optimize/minpack/*.f", "integrate/quadpack/dq*.f", "integrate/mach/*.f")
    found = sources(request.config.cache, SCIPY, *(f"scipy/{pattern}" for pattern in patterns))
    chosen = [found / name for name in names] or [p for p in sorted(found.glob("*.f")) if not _is_quadrature(p)]
    for path in chosen:
        shutil.copy(path, folder)
    return [path.name for path in chosen]


def _is_quadrature(path: Path) -> bool:
    return path.name.startswith("dq") or path.name in QUADPACK_FILES


@pytest.fixture(scope="module", params=EACH_COMPILER)
def minpack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("minpack")
    files = _scipy(request, folder)
    assert len(files) == 23
    head = "from collections.abc import Callable\nfrom py2f import extent\n"
    return stubbed(folder, request.param, head + MINPACK.format(files=files))


@pytest.fixture(scope="module", params=EACH_COMPILER)
def quadpack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("quadpack")
    files = _scipy(request, folder, *QUADPACK_FILES)
    return stubbed(folder, request.param, "from collections.abc import Callable\n" + QUADPACK.format(files=files))


def test_hybrd1_finds_the_zero_of_a_python_function(minpack: Any) -> None:
    """Rosenbrock's function, as a system: the zero is (1, 1)."""
    seen = []

    def rosenbrock(n: int, x: Any, fvec: Any, iflag: Any) -> None:
        seen.append((n, int(iflag)))
        fvec[:] = 10 * (x[1] - x[0] ** 2), 1 - x[0]

    x = np.array([-1.2, 1.0])
    fvec, info = minpack.hybrd1(rosenbrock, 2, x, 1e-12, np.zeros(19), 19)
    assert info == 1
    np.testing.assert_allclose(x, [1, 1], rtol=1e-12)
    assert abs(fvec).max() < 1e-11
    assert len(seen) > 10
    assert set(seen) == {(2, 1), (2, 2)}


def test_lmdif1_fits_a_curve(minpack: Any) -> None:
    t = np.linspace(0, 4, 12)

    def residuals(m: int, n: int, x: Any, fvec: Any, _iflag: Any) -> None:
        assert (m, n) == (12, 3)
        fvec[:] = x[0] * np.exp(-x[1] * t) + x[2] - (3 * np.exp(-0.5 * t) + 1)

    x = np.ones(3)
    fvec, info = minpack.lmdif1(residuals, 12, 3, x, 1e-12, np.zeros(3, "i4"), np.zeros(80), 80)
    assert info in (1, 2, 3)
    np.testing.assert_allclose(x, [3, 0.5, 1], rtol=1e-9)
    assert abs(fvec).max() < 1e-9


def test_an_exception_of_the_function_comes_out_of_minpack(minpack: Any) -> None:
    def bad(_n: int, x: Any, _fvec: Any, _iflag: Any) -> None:
        raise KeyError(float(x[0]))

    with pytest.raises(KeyError, match=r"3\.5"):
        minpack.hybrd1(bad, 1, np.array([3.5]), 1e-12, np.zeros(8), 8)


def test_the_stubs_that_are_written_for_minpack_work_as_they_are(
    minpack: Any, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    os.environ["FC"] = "gfortran"
    files = _scipy(request, tmp_path)
    run([sys.executable, "-m", "py2f.stubs", *files, "-o", "written.py"], cwd=tmp_path)
    text = (tmp_path / "written.py").read_text(encoding="utf-8")
    assert text.count("\ndef ") == 11
    assert text.count("argument 'fcn': procedure without explicit interface") == 12
    written = imported(tmp_path / "written.py")
    assert written.dpmpar(1) == pytest.approx(np.finfo(float).eps, rel=1e-9)
    assert written.enorm(3, np.array([3.0, 4.0, 12.0])) == pytest.approx(13.0, rel=1e-15)
    a = _matrix(5, columns=3)
    q, rdiag = a.copy(order="F"), np.zeros(3)
    written.qrfac(5, 3, q, 5, False, np.zeros(1, "i4"), 1, rdiag, np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(abs(rdiag), abs(np.diag(np.linalg.qr(a)[1])), rtol=1e-12)
    assert hasattr(minpack, "hybrd1")  # the same sources, by hand


def _integral(quadpack: Any, f: Any, a: float, b: float) -> float:
    result, error, evaluations, ier, _ = quadpack.dqags(f, a, b, 0.0, 1e-11, 50, 200, np.zeros(50, "i4"), np.zeros(200))
    assert ier == 0
    assert error < 1e-9
    assert evaluations % 21 == 0
    return float(result)


def test_dqags_integrates_a_singular_function(quadpack: Any) -> None:
    assert _integral(quadpack, lambda x: math.log(x) / math.sqrt(x), 0, 1) == pytest.approx(-4, rel=1e-10)


def test_dqags_integrates_what_integrates(quadpack: Any) -> None:
    """A quarter of a ball: the inner call is made from within the outer one."""
    inner = lambda x: _integral(quadpack, lambda y: math.sqrt(max(0, 1 - x * x - y * y)), 0, math.sqrt(1 - x * x))  # noqa: E731
    assert _integral(quadpack, inner, 0, 1) == pytest.approx(math.pi / 6, rel=1e-9)


# ---- SHTOOLS: Fortran 95, kinds from a module, arrays of assumed shape, optional arguments

SHTOOLS = "pyshtools==4.14.1"
SHTOOLS_FILES = "ftypes SHTOOLS PlmBar PLegendre PLegendreA PlmSchmidt PlmON PlmIndex Wigner3j MakeGridPoint PreGLQ".split()


@pytest.fixture(scope="module", params=EACH_COMPILER)
def shtools(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The stubs that `python -m py2f.stubs` writes, unchanged."""
    folder = tmp_path_factory.mktemp("shtools")
    files = [f"{name}.f95" for name in SHTOOLS_FILES]
    found = sources(request.config.cache, SHTOOLS, "src/*.f95")
    for name in files:
        shutil.copy(found / name, folder)
    run([sys.executable, "-m", "py2f.stubs", *files, "-o", "shtools.py"], cwd=folder)
    os.environ["FC"] = request.param
    return imported(folder / "shtools.py")


def test_preglq_has_the_nodes_and_weights_of_numpy(shtools: Any) -> None:
    nodes, weights, status = shtools.preglq(-1.0, 1.0, 7, zero=np.zeros(7), w=np.zeros(14)[::2])
    x, w = np.polynomial.legendre.leggauss(7)
    np.testing.assert_allclose(np.sort(nodes), x, atol=1e-15)
    np.testing.assert_allclose(weights, w, rtol=1e-14)
    assert status == 0


def test_legendre_polynomials_are_those_of_numpy(shtools: Any) -> None:
    p, status = shtools.plegendre(p=np.zeros(6), lmax=5, z=0.3)
    np.testing.assert_allclose(p, np.polynomial.legendre.legval(0.3, np.eye(6)), atol=1e-15)
    assert status == 0


def test_what_is_too_small_is_reported_by_shtools(shtools: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert shtools.plegendre(p=np.zeros(3), lmax=5, z=0.3)[1] == 1
    del capfd  # it prints as well


@pytest.mark.parametrize("order", "CF")
def test_a_field_of_spherical_harmonics_has_the_value_that_is_known(shtools: Any, order: Any) -> None:
    cilm = np.zeros((2, 3, 3), order=order)
    cilm[0, 0, 0], cilm[0, 1, 0], cilm[1, 2, 1] = 1, 2, 3
    known = 1 + 2 * math.sqrt(3) * 0.5 + 3 * math.sqrt(15) * 0.5 * math.cos(math.pi / 6) * math.sin(math.radians(40))
    assert shtools.makegridpoint(cilm, 2, 30.0, 40.0) == pytest.approx(known, rel=1e-14)
    assert shtools.makegridpoint(cilm, 2, 30.0, 40.0, norm=1, csphase=1) == pytest.approx(known, rel=1e-14)
    assert shtools.makegridpoint(cilm, 2, 30.0, 40.0, csphase=-1) == pytest.approx(2 * (1 + math.sqrt(3)) - known, rel=1e-14)


def test_wigner_symbols_are_those_of_the_tables(shtools: Any) -> None:
    symbols, least, most, status = shtools.wigner3j(w3j=np.zeros(5), j2=2, j3=2, m1=0, m2=0, m3=0)
    np.testing.assert_allclose(symbols, [1 / math.sqrt(5), 0, -math.sqrt(2 / 35), 0, math.sqrt(2 / 35)], atol=1e-15)
    assert (least, most, status) == (0, 4, 0)
