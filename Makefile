# Everything sets itself up: `make demo` and `make test` work on a bare Debian, and again on a used one.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# the checkout's folder py2f/ must not shadow the installed package for `python -m`
export PYTHONSAFEPATH := 1

.PHONY: venv demo test lint bench bench-report gallery matrix granule torture-types torture-calls torture-cache mutants clean

venv:
	@sh tools/apt.sh "$(PYTHON)"
	@sh tools/venv.sh "$(PYTHON)" $(VENV)

demo: venv
	@sh examples/demo.sh $(BIN)/python

test:
	@sh tools/apt.sh "$(PYTHON)" pkg-config=pkg-config flang-new-19=flang-19,libomp-19-dev gfortran-11=gfortran-11 \
	  nf-config=libnetcdff-dev mpifort.openmpi=libopenmpi-dev,openmpi-bin \
	  mpifort.mpich=libmpich-dev,mpich liblapack.so.3=liblapack3 valgrind=valgrind cmake=cmake autoreconf=autoconf automake=automake
	@$(MAKE) --no-print-directory venv
	$(BIN)/pytest -n 2 $(PYTEST)

lint: venv
	@sh tools/lint.sh $(BIN)

# QUESTION: call (from Fortran to Python), fetch (from Python to Fortran), budget (has a call become dearer?), columns (Python for
# each block of columns, or once for all?), native (machine code), first (an import, an export, the first call), threads,
# pythons, scaling (larger arrays, more functions, more calls), cache (hits and herds). BENCH has their options.
QUESTION ?= call fetch budget columns native first threads pythons scaling
bench: venv
	@for question in $(QUESTION); do \
	  PYTHONSAFEPATH= $(PYTHON) benchmarks/$$question.py $(BENCH) || exit; done  # their own folder must be on the path

# all benchmarks, for minutes; their tables and a drawing go to docs/explanation/performance.md
bench-report: venv
	@PYTHONSAFEPATH= $(PYTHON) benchmarks/report.py $(BENCH)

# a small model with seven build systems: what each builds, and what it builds again when Python changes
gallery:
	@sh tools/apt.sh "$(PYTHON)" pkg-config=pkg-config cmake=cmake autoreconf=autoconf automake=automake
	@$(MAKE) --no-print-directory venv
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python gallery/check.py $(ENTRIES)

# py2f selftest with each compiler, Python and set of flags; the table goes to docs/reference/compilers.md
matrix:
	@sh tools/apt.sh "$(PYTHON)" flang-new-19=flang-19,libomp-19-dev gfortran-11=gfortran-11 flang-22=flang-22 \
	  /usr/lib/llvm-19/lib/LLVMgold.so=llvm-19-linker-tools /usr/lib/llvm-22/lib/LLVMgold.so=llvm-22-linker-tools
	@$(PYTHON) tools/matrix.py $(COMPILERS)

# ICON4Py's diffusion granule from Fortran, from nothing: builds, runs, compares, tests what needs it, measures
granule:
	@sh tools/apt.sh "$(PYTHON)" g++=g++
	@sh tools/granule.sh "$(PYTHON)"

# random signatures, values and layouts for TORTURE_MINUTES; TORTURE_SEED and TORTURE_FC repeat one batch
torture-types: venv
	@$(BIN)/python tests/torture.py

# the same for the way back: random stubs, and the procedures that they call
torture-calls: venv
	@$(BIN)/python tests/torture_calls.py

# 64 processes, killed builders, publishers against readers: what takes too long for `make test`
torture-cache: venv
	@$(BIN)/pytest -m torture tests/cache

# breaks py2f on purpose, line by line: every fault must make a test fail; MUTANTS, a regular expression, chooses some
mutants: venv
	@$(BIN)/python tests/mutants.py

clean:
	rm -rf $(VENV) .bench .matrix build
