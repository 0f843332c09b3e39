# Every target sets up what it needs: a machine with Python 3.11 or newer, make and the package registries is enough for
# `demo`, `test` and `test-all`; `e2e` also needs Node 20 and what tests/e2e installs for it.

.DEFAULT_GOAL := help
SHELL := /bin/bash

# The newest suitable interpreter; a shim of a version manager that does not answer is passed over.
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3 python; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then command -v $$name; break; fi; done)
UV_VERSION := 0.13.9
UV := .tools/bin/uv
BIN := .venv/bin
CASES ?=
BENCH ?=
FUZZ ?= --seconds 60
SOAK ?= --edits 100000
MUTATE ?= --sample 300 --seed 1
CORPORA ?= --size 2GB
AUDIT ?=
NAME ?=
GROUP ?=
COVERAGE ?=
PYTEST := $(BIN)/python -m pytest -n auto -m "not editor"

.PHONY: help demo setup test test-all lint timings coverage fuzz soak mutate corpora audit e2e images bench new-rule new-dialect docs wheel clean

help: ## Show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

.tools/uv-$(UV_VERSION):
	@test -n "$(PYTHON)" || { echo "Callwright needs Python 3.11 or newer, and none was found: install it, or run make PYTHON=/path/to/python3" >&2; exit 2; }
	"$(PYTHON)" -m venv --clear .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

# The environment: the locked packages, and Callwright itself as it stands in the tree.
.venv/.synced: .tools/uv-$(UV_VERSION) pyproject.toml uv.lock
	$(UV) sync --frozen --quiet --no-python-downloads --python "$(PYTHON)"
	@touch $@

setup: .venv/.synced ## Set up the environment in .venv

demo: .venv/.synced ## Write a small workspace, check it, and show what is found and mended
	$(BIN)/callwright demo

lint: .venv/.synced ## Style, types and layers
	$(BIN)/ruff check server tests
	$(BIN)/ruff format --check server tests
	$(BIN)/mypy
	$(BIN)/lint-imports

# Style, types and layers are checked beside the tests, so that no core waits; what they say comes after the tests.
# With CASES only those tests run.
define tested
	@mkdir -p artifacts
	@if [ -z "$(CASES)" ]; then $(MAKE) --no-print-directory lint >artifacts/lint.log 2>&1 & lint=$$!; fi; \
	$(PYTEST) $(1) $(CASES); status=$$?; \
	if [ -n "$$lint" ]; then wait $$lint || status=1; cat artifacts/lint.log; fi; exit $$status
endef

test: .venv/.synced ## Style, types, layers and a sample of the tests: CASES=tests/rules runs some tests alone
	$(call tested,)

test-all: .venv/.synced ## The same with all tests, whole
	$(call tested,--whole)

timings: .venv/.synced ## Measure where the time of the tests goes, and write the table of it
	$(PYTEST) --timings test
	$(PYTEST) --timings test-all --whole
	$(BIN)/python server/docs/generate.py

coverage: .venv/.synced ## Which lines the sample runs; COVERAGE=--whole measures all tests
	@mkdir -p artifacts
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto -m "not editor" $(COVERAGE)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# What only fuzzing needs; where there is none of it for a machine, inputs are changed at random.
.venv/.fuzz: .venv/.synced
	$(UV) sync --frozen --quiet --no-python-downloads --python "$(PYTHON)" --group fuzz
	@touch $@

fuzz: .venv/.fuzz ## Look for inputs that break an invariant: FUZZ="--seconds 60", FUZZ="--targets=fixes,wire --count 9000 --seed 1"
	$(BIN)/python tests/fuzz/run.py $(FUZZ)
	$(BIN)/python tests/fuzz/streams.py $(filter-out --targets=%,$(FUZZ))
	$(BIN)/python tests/fuzz/growth.py $(filter-out --targets=%,$(FUZZ))

soak: .venv/.synced ## Edit documents 100,000 times and compare after each: SOAK="--edits 100000 --seed 1"
	$(BIN)/python tests/soak/storm.py $(SOAK)

mutate: .venv/.synced ## Change the product a little and see whether a test notices: MUTATE="--sample 300 --seed 1 --only syntax"
	$(BIN)/python tests/mutation/run.py $(MUTATE)

corpora: .venv/.synced ## Check 2 GB of rows on every engine, and hold what is found against what was planted: CORPORA="--size 2GB --engines local"
	$(BIN)/python tests/corpus/prove.py $(CORPORA)

audit: .venv/.synced ## Ask for advisories about what is locked; AUDIT="--strict" fails where nobody can be asked
	$(BIN)/python tests/packages/audit.py $(UV) $(AUDIT)

e2e: .venv/.synced ## The editors: VS Code, Neovim and Emacs, driven for real
	tests/e2e/run

images: .venv/.synced ## Take the pictures of the pages anew
	CASES=pictures tests/e2e/run
	mkdir -p server/docs/images
	cp artifacts/images/* server/docs/images/
	$(BIN)/python -m pytest -q tests/docs/test_images.py --update-cases

bench: .venv/.synced ## Measure everything, and write the page: BENCH="--quick", BENCH="--fetch FOLDER"
	$(BIN)/python tests/benchmarks/run.py $(BENCH)

new-rule: .venv/.synced ## Write the skeleton of a rule and a failing case: NAME=some-rule GROUP=TC4
	@$(BIN)/python tests/support/skeletons.py rule "$(NAME)" "$(GROUP)"

new-dialect: .venv/.synced ## Write the skeleton of a dialect and a failing case: NAME=some-dialect
	@$(BIN)/python tests/support/skeletons.py dialect "$(NAME)"

docs: .venv/.synced ## Write the generated pages and the index anew
	$(BIN)/python server/docs/generate.py

wheel: .venv/.synced ## Build the wheel into dist/
	$(UV) build --quiet --wheel --out-dir dist

clean: ## Remove what the targets made
	rm -rf .tools .venv dist build artifacts client-vscode/node_modules client-vscode/out client-vscode/server
