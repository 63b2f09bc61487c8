# Everything here needs Python 3.11 and make, and sets up the rest by itself in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: demo test test-slow test-peers bounds bench lint format docs clean help

help:  ## What there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

$(VENV)/ready: requirements.lock pyproject.toml
	@echo "Setting up $(VENV) (once)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "infoset needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) -r requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/peers: $(VENV)/ready requirements-peers.lock
	@echo "Building the peers to compare with (once, several minutes)"
	$(PIP) -r requirements-peers.lock
	@touch $@

demo: $(VENV)/ready  ## Solve Leduc and a turn of hold'em, show strategies, draw figures in out/
	@mkdir -p out
	$(BIN)/infoset solve leduc --algorithm idcfr+ --exploitability 1e-3 --save out/leduc.infoset
	$(BIN)/infoset show out/leduc.infoset --infoset Ks:check,bet
	$(BIN)/infoset compare leduc -a cfr -a cfr+ -a dcfr -a idcfr+ -a pcfr+ --iterations 10000 --plot out/leduc.svg
	$(BIN)/infoset solve examples/turn.toml --save out/turn.infoset --plot out/range.svg
	$(BIN)/infoset show out/turn.infoset --path "check, bet 50%"
	@echo "The figures are out/leduc.svg and out/range.svg; the solutions are beside them"

test: $(VENV)/ready  ## The default tests, in a few minutes
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/ready  ## The tests that take longer
	$(BIN)/python -m pytest -n 2 -m "slow and not peer"

test-peers: $(VENV)/peers  ## The tests that need pygambit
	$(BIN)/python -m pytest -m peer

# Numba checks what is read from and written to arrays by index. It does not check vector loads and
# stores (machine/simd.py, machine/simd16.py), nor anything by address: most of the vector engine.
# The statistics of sampling are left out: they take long, and run the same kernels as its other tests.
BOUNDS := tests/trees tests/evaluation tests/cards tests/solvers tests/vector \
	--ignore=tests/solvers/test_sampling_theory.py --ignore=tests/solvers/test_sampling_unbiased.py

bounds: $(VENV)/ready  ## The tests of kernels, solvers and the vector engine with array accesses checked
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba_cache/bounds $(BIN)/python -m pytest $(BOUNDS)

bench: $(VENV)/peers  ## Speed beside OpenSpiel and LiteEFG, in one run
	$(BIN)/python -m benchmarks

lint: $(VENV)/ready  ## Style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/ready  ## Put the code in shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/ready  ## Write the tables of the documentation anew
	$(BIN)/python docs/make.py

clean:  ## Remove what was made
	rm -rf $(VENV) out .numba_cache .pytest_cache .mypy_cache .ruff_cache
