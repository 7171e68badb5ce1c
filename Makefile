# Every target sets up what it needs: Python 3.11 or newer, make and a package index suffice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: reproduce test check slow bench coverage docs format reports clean

reproduce: $(STAMP)
	$(BIN)/evalkit reproduce

test: $(STAMP)
	$(BIN)/python -m pytest

check: $(STAMP)
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy && $(BIN)/pyright
	$(BIN)/python -m pytest -n 0 -q tests/test_layers.py

slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[bench]'
	$(BIN)/python benchmarks/run.py --write-docs

coverage: $(STAMP)
	$(BIN)/python benchmarks/measure_coverage.py

docs: $(STAMP)
	$(BIN)/python docs/generate_cli.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

format: $(STAMP)
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

reports: $(STAMP)
	$(BIN)/evalkit reproduce --check

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "evalkit needs Python 3.11 or newer; set PYTHON=python3.x"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev,scale]'
	@touch $(STAMP)
