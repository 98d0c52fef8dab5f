"""`python draw.py CALL FETCH SVG`, in an environment with matplotlib: what calls cost, in both directions."""

import json
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt

CALL_ROWS = {
    "A": "no\narguments",
    "B": "4 numbers",
    "C": "3 arrays",
    "D": "3 arrays,\nnew addresses",
    "E": "20 arrays",
    "X": "an\nexception",
}
CALLERS = {"py2f": "py2f", "cffi": "cffi, embedded", "peer": "py2fgen", "empty": "an empty C function"}
FETCH_ROWS = {"a": "no\narguments", "b": "3 float64", "c": "3 arrays", "n": "n, 3 arrays", "d": "strided\narray", "e": "callback"}
FETCHERS = {name: name for name in ("py2f", "f2py", "pyccel", "cffi", "ctypes", "f90wrap")} | {"C glue": "C by hand"}
COLOURS = ("#d1495b", "#00798c", "#edae49", "#30638e", "#7a9e7e", "#9a8c98", "#555555")


def bars(axes: plt.Axes, title: str, rows: dict[str, str], who: dict[str, str], ns: dict[str, float]) -> None:
    """Draw a group of bars for each row."""
    width = 0.84 / len(who)
    for k, (name, shown) in enumerate(who.items()):
        found = [(x, ns[f"{name}:{row}"]) for x, row in enumerate(rows) if f"{name}:{row}" in ns]
        places = [x + (k + 0.5) * width - 0.42 for x, _ in found]
        axes.bar(places, [value for _, value in found], width, label=shown, color=COLOURS[k if k < len(who) - 1 else -1])
    axes.set_yscale("log")
    axes.set_ylabel("ns a call")
    axes.set_title(title, loc="left")
    axes.set_xticks(range(len(rows)), rows.values())
    axes.legend(frameon=False, ncols=4, fontsize="small", loc="upper left")
    axes.set_ylim(top=axes.get_ylim()[1] * 10)  # room for the legend
    axes.spines[["top", "right"]].set_visible(False)


def main(call: Path, fetch: Path, target: Path) -> None:
    """Draw both directions."""
    mpl.rcParams["svg.hashsalt"] = "py2f"  # equal figures, equal bytes
    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 8), layout="constrained")
    first, second = (json.loads(path.read_text()) for path in (call, fetch))
    bars(above, "Fortran calls Python", CALL_ROWS, CALLERS, first["ns"])
    bars(below, "Python calls Fortran", FETCH_ROWS, FETCHERS, second["ns"])
    figure.text(0.01, -0.02, first["circumstances"].splitlines()[0].split(", load")[0], fontsize="small")
    figure.savefig(target, format="svg", metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
