"""``make torture-types``: random batches, one after the other, for TORTURE_MINUTES; stops at the first that fails.

TORTURE_SEED and TORTURE_FC run one batch again. Its folder is kept when it fails.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))

from batch_run import failures, report
from batches import drawn
from programs import found

COMPILERS = ("gfortran", "flang-new-19", "gfortran", "gfortran-11")


def main() -> int:
    """Run batches until the time is over."""
    seconds, chosen = 60 * float(os.environ.get("TORTURE_MINUTES", "5")), os.environ.get("TORTURE_SEED")
    work = Path(tempfile.mkdtemp(prefix="py2f-torture-"))
    os.environ["PY2F_CACHE_DIR"] = str(work / "cache")
    numbers = [int(chosen)] if chosen else iter(lambda: random.SystemRandom().randrange(2**32), -1)
    compilers = [os.environ["TORTURE_FC"]] if "TORTURE_FC" in os.environ else [c for c in COMPILERS if found(c)]
    start, batches, functions, calls = time.monotonic(), 0, 0, 0
    for number in numbers:
        compiler = compilers[batches % len(compilers)]
        batch = drawn(number)
        differences = failures(batch, work / "batch", compiler)
        if differences:
            print(report(batch, differences, work / "batch", compiler, number), flush=True)
            return 1
        batches, functions, calls = batches + 1, functions + len(batch.functions), calls + batch.calls
        shutil.rmtree(work / "cache", ignore_errors=True)
        if time.monotonic() - start > seconds:
            break
    shutil.rmtree(work)
    print(
        f"{batches} batches, {functions} functions, {calls} calls from Fortran and as many by bridge: as in Python, bit for bit"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
