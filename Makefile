# make demo: the main job on made-up patients, end to end.
# make test: lint, types and the quick tests; it says what it did not run.
# make nightly: all tests but the long experiments, with new and more examples in every run.
# make slow: the long experiments.
# make docs: the documentation as a site, in the folder site; a broken link is an error.
# make coverage: the quick tests, and which lines they reach.
# make pins: the hashes of all pinned packages, after constraints.txt has changed.
# make dist: wheels and sdists, checked, with manual pages and a bill of materials.
# make try-wheel: the built wheel in an empty environment.
# All make their own .venv first: with what the program needs, and for the tests, once they are
# asked for, with what developers need besides. Tests that need PostgreSQL or Java start servers of
# their own on loopback, and skip where there are none.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check
CORE := $(VENV)/.core
READY := $(VENV)/.ready
QUICK := "not slow and not nightly"
SPREAD := $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder

# The tests start the command often, which is to find its bytecode as an installed one does.
unexport PYTHONDONTWRITEBYTECODE

PACKING := .venv-packaging
PACKING_READY := $(PACKING)/.ready
HASHED := $(PACKING)/bin/uv pip compile --quiet --universal --generate-hashes --no-header \
	--no-annotate --python-version 3.11.7

.PHONY: demo test docs lint types tests coverage nightly slow format pins dist try-wheel clean

demo: $(CORE)
	@echo "Running the demonstration ..."
	$(BIN)/roadstead demo --out demo-release --force

test: $(READY) lint
	@$(MAKE) --no-print-directory -j2 types tests

docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html"

lint: $(READY)
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --no-cache --check .

types: $(READY)
	$(BIN)/mypy

tests: $(READY)
	$(SPREAD) -m $(QUICK)

coverage: $(READY)
	$(SPREAD) -m $(QUICK) --cov --cov-report=term

nightly: $(READY)
	ROADSTEAD_EXPLORE=1 $(SPREAD) -m "not slow"

slow: $(READY)
	$(BIN)/python -m pytest -m slow

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pins: $(PACKING_READY)
	$(HASHED) -c constraints.txt -o requirements.txt pyproject.toml
	$(HASHED) --no-deps -o requirements-all.txt constraints.txt

dist: $(PACKING_READY) $(CORE)
	rm -rf build/man
	$(BIN)/python packaging/make_man_pages.py build/man
	$(PACKING)/bin/python packaging/make_distribution.py build/man

try-wheel:
	$(PYTHON) packaging/try_wheel.py

$(PACKING_READY): packaging/tools.txt
	@test -x $(PACKING)/bin/python || $(PYTHON) -m venv $(PACKING)
	@$(PACKING)/bin/python -m pip install --quiet --disable-pip-version-check -r packaging/tools.txt
	@touch $(PACKING_READY)

$(CORE): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Roadstead needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	@echo "Making an environment in $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Roadstead and what it runs on: DuckDB, Ibis, Numba, NumPy, SciPy, PyArrow ... (0.7 GB, about half a minute)"
	@$(PIP) -e .
	@touch $(CORE)

$(READY): $(CORE) reproductions/pyproject.toml
	@echo "Installing what developers need: checkers, tests, all engines ... (2 GB in all, some minutes)"
	@$(PIP) -e '.[dev,docs]' -e ./reproductions
	@touch $(READY)

clean:
	rm -rf $(VENV) $(PACKING) build dist demo-release site .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
