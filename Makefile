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
VERSION ?=
RELEASE ?=
PYTEST := $(BIN)/python -m pytest -n auto -m "not editor"

.PHONY: help demo setup test test-all lint timings coverage fuzz soak mutate corpora audit e2e images bench proof new-rule new-dialect docs site extras bump release wheel clean

help: ## List the targets
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

demo: .venv/.synced ## Create a small workspace, check it, and fix it
	$(BIN)/callwright demo

lint: .venv/.synced ## Check style, types and layers
	$(BIN)/ruff check server tests .github
	$(BIN)/ruff format --check server tests .github
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

test: .venv/.synced ## Check style, types and layers, and run a sample of the tests; CASES=tests/rules runs only some
	$(call tested,)

test-all: .venv/.synced ## The same with all tests
	$(call tested,--whole)

timings: .venv/.synced ## Measure the time of the tests, and update the table
	$(PYTEST) --timings test
	$(PYTEST) --timings test-all --whole
	$(BIN)/python server/docs/generate.py

coverage: .venv/.synced ## Report the lines that the sample covers; COVERAGE=--whole measures all tests
	@mkdir -p artifacts
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto -m "not editor" $(COVERAGE)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# What only fuzzing needs; where there is none of it for a machine, inputs are changed at random.
.venv/.fuzz: .venv/.synced
	$(UV) sync --frozen --inexact --quiet --no-python-downloads --group fuzz
	@touch $@

fuzz: .venv/.fuzz ## Search for inputs that break an invariant: FUZZ="--seconds 60", FUZZ="--targets=fixes,wire --count 9000 --seed 1"
	$(BIN)/python tests/fuzz/run.py $(FUZZ)
	$(BIN)/python tests/fuzz/streams.py $(filter-out --targets=%,$(FUZZ))
	$(BIN)/python tests/fuzz/growth.py $(filter-out --targets=%,$(FUZZ))

soak: .venv/.synced ## Edit documents 100,000 times and compare with a full read after each: SOAK="--edits 100000 --seed 1"
	$(BIN)/python tests/soak/storm.py $(SOAK)

mutate: .venv/.synced ## Mutate the code and count what the tests catch: MUTATE="--sample 300 --seed 1 --only syntax"
	$(BIN)/python tests/mutation/run.py $(MUTATE)

corpora: .venv/.synced ## Check 2 GB of rows on every engine, and compare with the planted errors: CORPORA="--size 2GB --engines local"
	$(BIN)/python tests/corpus/prove.py $(CORPORA)

audit: .venv/.synced ## Look for advisories about locked packages; AUDIT="--strict" fails without a network
	$(BIN)/python tests/packages/audit.py $(UV) $(AUDIT)

e2e: .venv/.synced ## Test VS Code, Neovim and Emacs
	tests/e2e/run

images: .venv/.synced ## Take the screenshots and the moving picture of the documentation
	CASES=pictures,moving_picture tests/e2e/run
	$(UV) run --quiet --no-project --no-python-downloads --with-requirements tests/e2e/moving_picture.txt \
		tests/e2e/moving_picture.py artifacts/frames artifacts/images/fix.gif
	mkdir -p server/docs/images
	cp artifacts/images/* server/docs/images/
	$(BIN)/python -m pytest -q tests/docs/test_images.py --update-cases

bench: .venv/.synced ## Run the benchmarks, and write the page: BENCH="--quick", BENCH="--fetch FOLDER"
	$(BIN)/python tests/benchmarks/run.py $(BENCH)

proof: .venv/.synced ## Make the figures of the page of proof again, and write them: PROOF="--only faults", PROOF=--check
	cd tests && ../$(BIN)/python -m proof.run $(PROOF)

new-rule: .venv/.synced ## Create a rule and a failing case: NAME=some-rule GROUP=TC4
	@$(BIN)/python tests/support/skeletons.py rule "$(NAME)" "$(GROUP)"

new-dialect: .venv/.synced ## Create a dialect and a failing case: NAME=some-dialect
	@$(BIN)/python tests/support/skeletons.py dialect "$(NAME)"

docs: .venv/.synced ## Generate the reference pages and the index
	$(BIN)/python server/docs/generate.py

# What only the site needs.
.venv/.docs: .venv/.synced
	$(UV) sync --frozen --inexact --quiet --no-python-downloads --group docs
	@touch $@

site: .venv/.docs ## Build the documentation as a site with search in build/site, and check its links
	rm -rf build/site
	$(BIN)/sphinx-build -q -W --keep-going -j auto -b html -c server/site -d build/site-cache . build/site
	$(BIN)/python server/site/check.py build/site

extras: .venv/.synced ## Measure the installed size of each extra, and write the table of the page
	@PYTHONPATH=tests $(BIN)/python tests/packages/extras.py

bump: .venv/.synced ## Set the version everywhere, and date the changelogs: VERSION=0.2.0; without VERSION, check that all places agree
	@$(BIN)/python tests/packages/versions.py $(VERSION)

# What only a release needs.
.venv/.release: .venv/.synced
	$(UV) sync --frozen --inexact --quiet --no-python-downloads --group release
	@touch $@

release: .venv/.release ## Build and try all that a release publishes, in build/release; nothing is uploaded
	@PYTHONPATH=tests $(BIN)/python tests/packages/release.py $(RELEASE)

wheel: .venv/.synced ## Build the wheel into dist/
	$(UV) build --quiet --wheel --out-dir dist

clean: ## Remove build results and environments
	rm -rf .tools .venv dist build artifacts client-vscode/node_modules client-vscode/out client-vscode/server
