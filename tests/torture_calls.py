"""``make torture-calls``: random stubs and procedures, batch after batch, for TORTURE_MINUTES; stops at the first that fails.

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

from call_batches import failures
from programs import found

COMPILERS = ("gfortran", "flang-new-19", "gfortran", "gfortran-11")


def main() -> int:
    """Run batches until the time is over."""
    seconds, chosen = 60 * float(os.environ.get("TORTURE_MINUTES", "5")), os.environ.get("TORTURE_SEED")
    work = Path(tempfile.mkdtemp(prefix="py2f-torture-"))
    os.environ["PY2F_CACHE_DIR"] = str(work / "cache")
    numbers = [int(chosen)] if chosen else iter(lambda: random.SystemRandom().randrange(2**32), -1)
    compilers = [os.environ["TORTURE_FC"]] if "TORTURE_FC" in os.environ else [c for c in COMPILERS if found(c)]
    start, batches = time.monotonic(), 0
    for number in numbers:
        compiler = compilers[batches % len(compilers)]
        print(f"batch {number} with {compiler}", flush=True)  # the last line, should a call end the process
        different = failures(number, work / "batch", compiler, examples=40)
        if different:
            print(
                "\n\n".join(
                    [*different, f"kept in {work}; again: TORTURE_SEED={number} TORTURE_FC={compiler} make torture-calls"]
                )
            )
            return 1
        batches += 1
        shutil.rmtree(work / "cache", ignore_errors=True)
        if time.monotonic() - start > seconds:
            break
    shutil.rmtree(work)
    print(f"{batches} batches of 25 procedures, each called 40 times: as the model says, bit for bit")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
