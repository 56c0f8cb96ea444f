# Every target sets up what it needs in one virtual environment, with pip as it is configured. The stamp .made is
# away while pip works: after an interrupted set-up it is missing, and the environment is made anew.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# what a half-made environment says of itself is not to be believed
$(shell test -e $(VENV)/.made || rm -f $(VENV)/.[a-z]*)

.PHONY: demo test thorough sanitize fuzz extras lint format coverage bench docs wheel clean

demo: $(VENV)/.demo
	$(BIN)/aucmax compare digits --report demo/compare.html --plot demo/compare.png

test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --ignore=tests/extras -m "not thorough"

# what takes minutes: checks of every combination, certificates, oracles of all solvers, nasty tables, fuzzers
thorough: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --ignore=tests/extras tests -m thorough

# compiled loops check the bounds of every array access, or obey another flag of Numba: FLAG=NUMBA_OPT=0 compiles them
# without optimising, FLAG=NUMBA_DISABLE_JIT=1 LIMIT=60 not at all, and skips a test that does not end in 60 seconds
FLAG ?= NUMBA_BOUNDSCHECK=1
LIMIT ?= 0
sanitize: $(VENV)/.test
	$(FLAG) PYTHONPATH=tests $(BIN)/python -m pytest -p time_limit --seconds $(LIMIT) \
	  --numprocesses auto --maxprocesses 4 --ignore=tests/extras $(TESTS)

# mutated files and killed streams, thousands of them; `make test` does a few
fuzz: $(VENV)/.test
	$(BIN)/python tests/fuzz/fuzz.py $(FUZZ)

extras: $(VENV)/.extras
	@command -v java > /dev/null \
	  || echo "tests of Spark are skipped: they need Java 17 or newer (Debian: apt-get install default-jre-headless)"
	$(BIN)/python -m pytest tests/extras

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# compiled functions are not counted: their lines run as machine code
coverage: $(VENV)/.coverage
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --cov=aucmax --cov-report=term --cov-report=html

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

# the site, offline: open docs/_build/html/index.html. `make docs SPHINX="-D plot_gallery=0"` leaves the gallery out
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html $(SPHINX) docs docs/_build/html
	$(BIN)/python docs/_ext/link_check.py docs/_build/html
	@echo "open docs/_build/html/index.html"

# builds the distributions, installs the wheel in a new environment and tries it there
wheel: $(VENV)/.build
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(PYTHON) -m venv --clear dist/venv
	dist/venv/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[cli,plot]"
	cd dist && venv/bin/python -I ../tests/smoke_test.py
	rm -rf dist/venv

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "aucmax needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

$(VENV)/.%: pyproject.toml | $(VENV)/.made
	@echo "setting up aucmax[$*] in $(VENV) ..."
	@rm -f $(VENV)/.made
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $(VENV)/.made $@

clean:
	rm -rf $(VENV) demo htmlcov .coverage docs/_build docs/gallery docs/reference docs/numbers
