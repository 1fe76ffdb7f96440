# Every target does its own set-up: a virtual environment in .venv with the versions of constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# What pip says of each of some hundred packages is for whoever has to find out why one is not installed.
PIP_INSTALL = $(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt --editable
install = $(PIP_INSTALL) '$(1)' --quiet --quiet || (echo "pip could not do it. What it says: $(PIP_INSTALL) '$(1)'"; exit 1)
# What users need, without what only tests, measurements and PostgreSQL do.
READY := $(VENV)/.ready
# GDScript's formatter and linter, in an environment of their own: they pin a version of lark that is not ours.
GDTOOLKIT := $(VENV)/gdtoolkit/bin
GDSCRIPT := clients tests/clients

# What is started a hundred times must not be compiled each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo run test check format lock bench attack contract conform real-client arrow page clean

setup: $(STAMP)

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Fletcher needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + ". Try: make PYTHON=python3.11 $(MAKECMDGOALS)")'
	@echo "Installing Fletcher into $(VENV) (about 2 GB on disk, most of it PyTorch; once, 2 to 4 minutes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(call install,.)
	@touch $@

$(STAMP): $(READY)
	@echo "Installing what tests and measurements need (about .6 GB on disk; once) ..."
	@$(call install,.[dev])
	@touch $@

demo: $(READY)
	@$(BIN)/fletcher demo

run: $(READY)
	@$(BIN)/fletcher serve

# Without what is marked `long`; CI runs all: make test LONG=yes
test: setup
	$(BIN)/python -m pytest $(if $(LONG),,-m 'not long') -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

$(GDTOOLKIT)/gdlint: | setup
	$(PYTHON) -m venv $(VENV)/gdtoolkit
	$(GDTOOLKIT)/python -m pip install --disable-pip-version-check --quiet gdtoolkit==4.5.0

check: setup $(GDTOOLKIT)/gdlint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(GDTOOLKIT)/gdformat --check $(GDSCRIPT)
	$(GDTOOLKIT)/gdlint $(GDSCRIPT)

format: setup $(GDTOOLKIT)/gdlint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(GDTOOLKIT)/gdformat $(GDSCRIPT)

# What users install, with the hash of every file; hatchling builds Fletcher itself. Needs the package index.
lock: setup
	echo hatchling | $(BIN)/uv pip compile pyproject.toml - --constraint constraints.txt --universal --python-version 3.11 \
		--generate-hashes --no-emit-index-url --custom-compile-command 'make lock' --quiet --output-file requirements.lock

bench: setup
	$(BIN)/python -m benchmarks

# Everything that a stranger would try, for half an hour, while one good client must notice nothing.
attack: setup
	$(BIN)/python -m tests.ingest.reader_kills
	$(BIN)/python -m tests.attack

# Requests made up from the API's own description: make contract EXAMPLES=200 SEED=7
EXAMPLES := 200
SEED := 0
contract: setup
	$(BIN)/python -m pytest -q tests/server/test_contract.py --contract-examples=$(EXAMPLES) --contract-seed=$(SEED)

# Against the real Arrow: make conform ARROW=<a checkout of Arrow> (needs Godot).
conform: setup
	$(BIN)/python -m tests.arrow_project.conform $(ARROW)

# The real Arrow-AI client against the real server: make real-client ARROW_AI=<a checkout of Arrow-AI> (needs Godot).
real-client: setup
	$(BIN)/python -m tests.real_client $(ARROW_AI)

# Fletcher inside the real Arrow: make arrow ARROW=<a checkout of Arrow> (needs Godot).
arrow: setup
	ARROW_CHECKOUT=$(abspath $(ARROW)) $(BIN)/python -m pytest tests/clients/arrow

AXE := $(VENV)/axe-core/package/axe.min.js

$(AXE): | setup
	mkdir -p $(VENV)/axe-core
	cd $(VENV)/axe-core && npm pack --silent axe-core@4.14.1 && tar -xzf axe-core-4.14.1.tgz && rm axe-core-4.14.1.tgz

# The page in a Chromium, also for those who use it without a mouse or without seeing it (needs chromium and npm).
page: setup $(AXE)
	$(BIN)/python -m pytest tests/workbench

clean:
	rm -rf $(VENV)
