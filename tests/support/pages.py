"""Pages whose code blocks are run: each fenced block of a page, in order, in one folder.

``python`` runs in one namespace a page; ``fortran`` is a whole program, compiled against the prefix build/ and run; ``sh`` and
``console`` run what follows ``$ `` and compare what stands between the commands with what they print, where ``...`` stands for
anything. A comment in the line before a block says what else it is: ``<!-- file: heat.py -->`` is written to that file,
``<!-- output -->`` is what the block before printed, ``<!-- not run: reason -->`` is counted.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from programs import MPI

HOME = "/home/you/heat"
"""What pages show in place of the folder in which they are run."""

FENCE = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

INTERPRETER = """
import contextlib, io, json, sys
names = {"__name__": "__main__"}
for line in sys.stdin:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(json.loads(line), "<block>", "exec"), names)
    print(json.dumps(printed.getvalue()), flush=True)
"""


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    language: str
    mark: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """Read the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    found = [Block(m["language"], m["mark"] or "", m["text"], text.count("\n", 0, m.start("text"))) for m in FENCE.finditer(text)]
    assert len(found) * 2 == len(re.findall(r"^```", text, re.MULTILINE)), (
        f"{page}: a fence is not closed, or not at the start of a line"
    )
    return found


class Runner:
    """Runs the blocks of a page in a folder."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page, self.folder, self.printed, self.skipped = page, folder, "", list[str]()
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name != "FC"}
        self.environment = {
            **variables,
            **MPI,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "100",
        }
        self.interpreter: subprocess.Popen[str] | None = None

    def run(self) -> None:
        """Run all; an AssertionError names the line."""
        try:
            for block in blocks(self.page):
                self._run(block)
        finally:
            if self.interpreter:
                self.interpreter.communicate()

    def _run(self, block: Block) -> None:
        what, _, detail = block.mark.partition(": ")
        if what == "not run":
            assert detail, f"{self.page}:{block.line}: say why this is not run"
            self.skipped.append(f"{self.page.name}:{block.line} is not run: {detail}")
        elif what == "file":
            (self.folder / detail).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / detail).write_text(block.text, encoding="utf-8")
        elif what == "output":
            self._compare(block.text, block.line)
        elif block.language == "python":
            self.printed = self._python(block)
        elif block.language == "fortran" and "end program" in block.text:
            self._fortran(block)
        elif block.language in ("sh", "console"):
            self._session(block)
        else:
            raise AssertionError(f"{self.page}:{block.line}: nobody knows how to run this; mark it")

    def _compare(self, expected: str, line: int) -> None:
        pattern = r"[^\n]*".join(map(re.escape, re.sub(r"^\.\.\.\n", "\0", expected, flags=re.MULTILINE).split("...")))
        shown = self.printed.replace(str(self.folder), HOME)
        if not re.fullmatch(pattern.replace("\0", r"(?:[^\n]*\n)*"), shown):
            raise AssertionError(f"{self.page}:{line} says\n{expected}\nbut this was printed:\n{shown}")

    def _python(self, block: Block) -> str:
        if self.interpreter is None:
            command = [sys.executable, "-c", f"import sys; sys.path.insert(0, ''){INTERPRETER}"]
            self.interpreter = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert self.interpreter.stdin
        assert self.interpreter.stdout
        self.interpreter.stdin.write(json.dumps("\n" * block.line + block.text) + "\n")
        self.interpreter.stdin.flush()
        answer = self.interpreter.stdout.readline()
        assert answer, f"{self.page}:{block.line}: this Python block raises, see above"
        return str(json.loads(answer))

    def _fortran(self, block: Block) -> None:
        (self.folder / "block.f90").write_text(block.text, encoding="utf-8")
        libraries = " ".join(f"-l{file.name[3:-3]}" for file in sorted((self.folder / "build/lib").glob("lib*_py.so")))
        self._shell(f"gfortran -Ibuild/mod block.f90 -o block -Lbuild/lib -Wl,-rpath,$PWD/build/lib {libraries}", block.line)
        self._shell("./block", block.line)

    def _session(self, block: Block) -> None:
        commands = (
            re.split(r"^\$ ", block.text, flags=re.MULTILINE)
            if re.search(r"^\$ ", block.text, re.MULTILINE)
            else ["", block.text]
        )
        assert not commands[0], f"{self.page}:{block.line}: output before the first command"
        for text in commands[1:]:
            whole = block.text != text
            command, expected = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", text, re.DOTALL).groups() if whole else (text, "")
            self._shell(command, block.line, check=not expected)
            if expected:
                self._compare(expected, block.line)

    def _shell(self, command: str, line: int, *, check: bool = True) -> None:
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
        )  # fmt: skip
        self.printed = done.stdout
        assert done.returncode == 0 or not check, f"{self.page}:{line}: {command} ended with {done.returncode}:\n{done.stdout}"
