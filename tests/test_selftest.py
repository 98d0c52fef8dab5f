"""`py2f selftest`: what it says and writes down when all is well, and when a step fails."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from programs import found, run

if TYPE_CHECKING:
    import subprocess

GOLDEN = Path(__file__).with_name("golden")


def selftest(folder: Path, *options: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    done = run([sys.executable, "-m", "py2f.cli", "selftest", *options], cwd=folder, check=False)
    report = folder / "selftest.json"
    return done, json.loads(report.read_text()) if report.exists() else {}


def test_programs_pass_and_it_is_written_down(tmp_path: Path, compiler: str) -> None:
    done, report = selftest(
        tmp_path, "--fc", compiler, "--fflags=-O1 -g", "--case", "scalars", "--case", "extents", "--launcher", "env A=1"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, second, last = done.stdout.splitlines()
    assert first.startswith("ok     scalars (")
    assert second.startswith("ok     extents (")
    assert last.startswith("2 of 2 programs passed in ")
    assert last.endswith(" s; selftest.json has the details")
    assert (report["passed"], report["fflags"], report["launcher"]) == (True, ["-O1", "-g"], ["env", "A=1"])
    assert report["command"] == [compiler]
    assert re.search(r"(flang|gcc).* version \d+\.", report["compiler"])
    assert [(case["name"], case["passed"], case["trouble"]) for case in report["cases"]] == [
        ("scalars", True, ""),
        ("extents", True, ""),
    ]


def test_all_golden_programs_are_in_the_package(tmp_path: Path) -> None:
    done, _ = selftest(tmp_path, "--case", "nothing")
    names = ", ".join(sorted(folder.name for folder in GOLDEN.iterdir()))
    assert (done.returncode, done.stderr) == (1, f"py2f: --case nothing: there is no such program; there are {names}\n")


@pytest.mark.parametrize(
    ("options", "trouble"),
    [
        (["--fflags=-fno-such-flag"], "export: status 1\n"),
        (["--launcher", "nolauncher -n 1"], "run: nolauncher: No such file or directory"),
        (["--launcher", "sh -c 'echo other; exit 0'"], "run: other output than expected\n"),
        (["--launcher", "sh -c 'echo so it ends >&2; exit 7'"], "run: status 7\nso it ends\n"),
    ],
)
def test_what_fails_is_shown_and_written_down(tmp_path: Path, options: list[str], trouble: str) -> None:
    if not found("gfortran"):
        pytest.skip("gfortran is not installed: how a selftest fails is not verified")
    done, report = selftest(tmp_path, "--fc", "gfortran", "--case", "scalars", *options)
    assert done.returncode == 1
    assert done.stdout.startswith("FAILED scalars (")
    (case,) = report["cases"]
    assert (report["passed"], case["passed"]) == (False, False)
    assert case["trouble"].startswith(trouble)
    assert f"  {trouble.splitlines()[0]}\n" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--fc", "nofortran"], "there is no compiler called 'nofortran' on PATH"),
        (["--launcher", "mpirun '"], '--launcher "mpirun \'": No closing quotation'),
        (["-o", "nowhere/selftest.json", "--case", "scalars"], "cannot write nowhere/selftest.json: No such file or directory"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path: Path, options: list[str], said: str) -> None:
    done, _ = selftest(tmp_path, *options)
    assert (done.returncode, done.stderr) == (1, f"py2f: {said}\n")
