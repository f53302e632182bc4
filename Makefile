# The two commands are `make check` and `make test`; both set up their environment from the lock first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp

.DEFAULT_GOAL := help
.PHONY: help check test test-editor test-faults test-oracle test-sglang record-oracle explore lint format lock bench bench-agent accuracy demo soak clean docs

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): requirements/dev.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "sgfleet needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip uninstall --quiet --yes setuptools 2>/dev/null  # Python 3.11's venv brings it, and its .pth slows every start
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q tools/sgfleet  # some machines tell Python to write no bytecode: then every start would compile
	@touch $@

check: $(STAMP)  ## validate every host and hold units/ against what the specs render to
	$(BIN)/sgfleet check --units

test: $(STAMP)  ## every test that needs neither the network nor minutes
	$(BIN)/python -m pytest -n 2

test-faults: $(STAMP)  ## every fault around the agent, on a real systemd (root); writes docs/reference/faults.md
	rm -rf .cache/faults
	$(BIN)/python -m pytest -m "" -n 2 tests/agent/faults
	PYTHONPATH=tests $(BIN)/python -m agent.faults.tally

ORACLE := .cache/oracle
$(ORACLE)/.stamp: requirements/oracle.lock
	$(PYTHON) -m venv --clear $(ORACLE)
	$(ORACLE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

test-oracle: $(STAMP) $(ORACLE)/.stamp  ## every release's own parser, from its wheel, against ours (SGFLEET_WHEELS=DIR of wheels)
	$(BIN)/python -m pytest -m oracle -n 2 tests/oracle

record-oracle: $(STAMP) $(ORACLE)/.stamp  ## write tests/engine/argv/recorded anew from the releases' own parsers
	PYTHONPATH=tests $(BIN)/python -m oracle.record
	PYTHONPATH=tests $(BIN)/python -m oracle.startup
	PYTHONPATH=tests $(BIN)/python -m oracle.choices

EDITOR_SERVER := .cache/editor
$(EDITOR_SERVER)/.stamp: tests/editor/package.json tests/editor/package-lock.json
	@mkdir -p $(EDITOR_SERVER) && cp $^ $(EDITOR_SERVER)
	npm ci --prefix $(EDITOR_SERVER) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

test-editor: $(STAMP) $(EDITOR_SERVER)/.stamp  ## the schemas in the real yaml-language-server (needs node and npm)
	$(BIN)/python -m pytest -m editor tests/editor

# Python 3.11 on Linux: what the releases' own wheels are built for. About 3 GB and two minutes a release, the first time.
SGLANG_PYTHON ?= python3.11
.cache/sglang-%/.stamp: requirements/sglang-%.lock tests/real_sglang/install.py $(wildcard tests/real_sglang/stand_ins/*)
	PYTHONPATH=tests $(SGLANG_PYTHON) -m real_sglang.install $* .cache/sglang-$*
	@touch $@

test-sglang: $(STAMP) .cache/sglang-0.5.9/.stamp .cache/sglang-0.5.23/.stamp  ## host pools and servers of the real SGLang, on the CPU
	$(BIN)/python -m pytest -m sglang tests/real_sglang

demo: $(STAMP)  ## the whole story in half a minute: main moves, a host follows, and goes back (as root; no GPU)
	PYTHONPATH=tests $(BIN)/python -m demo

COMMITS ?= 200
soak: $(STAMP)  ## COMMITS random commits against a host with the agent, SEED=N to repeat one (as root; 200: ten minutes)
	PYTHONPATH=tests $(BIN)/python -m agent.soak.run $(COMMITS) $(SEED)

DEPTH ?= 6
explore: $(STAMP)  ## every sequence of DEPTH events played against the agent's planner (6: a minute; 7: five)
	PYTHONPATH=tests $(BIN)/python -m agent.exploration.explore $(DEPTH)

lint: $(STAMP)  ## ruff, mypy and the layers alone
	$(BIN)/ruff check tools tests benchmarks
	$(BIN)/ruff format --check tools tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(STAMP)  ## let ruff put the code in order
	$(BIN)/ruff check --fix-only tools tests benchmarks
	$(BIN)/ruff format tools tests benchmarks

docs: $(STAMP)  ## write the generated reference, the man page, the picture, the schemas for editors and what is kept of the models anew
	$(BIN)/python -m sgfleet.spec.models
	$(BIN)/python -m sgfleet.cli.reference
	$(BIN)/sgfleet export

lock: $(STAMP)  ## resolve requirements/*.lock anew, for every platform, with hashes
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header pyproject.toml -o requirements/run.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header pyproject.toml --group dev -o requirements/dev.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header pyproject.toml --group dev --group bench -o requirements/bench.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --group pyproject.toml:oracle -o requirements/oracle.lock

bench: $(STAMP)  ## start-up, one host, HOSTS=10000 hosts, beside check-jsonschema on the same files
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.lock
	$(BIN)/python benchmarks/run.py $(HOSTS)

bench-agent: $(STAMP)  ## a pass of the agent with nothing to do, beside the interpreter and git ls-remote (as root)
	PYTHONPATH=tests $(BIN)/python benchmarks/agent.py

LOGS ?= tests/corpus/logs.jsonl
ACCURACY_PAGE = docs/reference/accuracy$(patsubst %,-%,$(filter-out logs,$(basename $(notdir $(LOGS))))).md
accuracy: $(STAMP)  ## memory predictions held against start-up logs (LOGS=FILE.jsonl); the table is kept in docs/
	$(BIN)/sgfleet accuracy $(LOGS) --keep $(ACCURACY_PAGE)

clean:  ## remove what make created
	rm -rf $(VENV) .cache build dist
