# Work on gpuopt: `make venv` once, then `make test` (two minutes, no compiler needed), `make check` before a commit lands.
PYTHON ?= python3
VENV ?= .venv
PYTEST = PATH="$(abspath $(VENV))/bin:$$PATH" $(VENV)/bin/pytest -n auto --dist loadgroup --no-loadscope-reorder --durations=10

.PHONY: help venv lint test test-changed check

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

venv: $(VENV)/.made ## an environment with this tree installed (edits count at once), and the lint hook of git

$(VENV)/.made: pyproject.toml $(wildcard scripts/*)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet -e '.[test]'
	$(VENV)/bin/python -m tests.found_sooner
	if [ -e .git ]; then git config core.hooksPath .githooks; fi
	touch $@

lint: venv ## formatting, lint, layers, types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/mypy

test: venv ## all tests that need neither a C++ compiler nor nvcc
	$(PYTEST) -m 'not compiler and not nvcc'

test-changed: venv ## the tests that what is not committed can affect; SINCE=main: what has changed since then
	$(PYTEST) $$($(VENV)/bin/python -m tests.changed $(SINCE))

check: lint ## everything, as CI does it
	$(PYTEST)
