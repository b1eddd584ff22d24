# make demo   let the built-in bots play, and look at the result
# make quick  run the tests that start no process, in less than a minute: while you work
# make test   run all tests
# make check  what CI runs: linters, types, import contracts, then all tests, which must cover the rules and the protocol
# make golden run the tests that compare with golden files, and write these again
# make bench  measure, in pure Python and compiled, beside OpenSpiel and beside C, and compare with benchmarks/baseline.json
# make fast   compile the rules, the protocol and the referee, for leagues and simulations: .venv-fast
# make graph  show which room of the code imports which
# make pictures  take the pictures of docs/ from the real pages; needs Chromium
#
# make sweeps         what `make test` takes samples of, in its whole size
# make check-fast     what CI runs on the compiled arena: the tests of what is compiled
# make test-fast      all tests on the compiled arena
# make bench-fast     measure the compiled arena, beside OpenSpiel, beside C, and beside pure Python
# make constraints    renew constraints.txt, the versions that pip installs here
# make anywhere       the demo and a few tests on every machine that this one can pretend to be
# make anywhere-bare  the same on a bare Debian, made with debootstrap; needs root, and takes minutes
# make anywhere-systemd  control groups, as systemd delegates them in a virtual machine; needs root, and takes minutes

PYTHON ?= python3
BIN := .venv/bin
# More than there are cores: many tests wait for a bot, a browser or a deadline.
WORKERS := $(shell expr 2 \* $$(nproc) + 1)

# Variables, because an option would not reach the environment in which pip builds the arena. The path must be relative:
# pip splits it at spaces.
PIP_INSTALL := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/pip install --quiet

# An editable install compiles nothing, and bots cannot write: each start of each built-in bot would compile it again.
COMPILE := $(BIN)/python -m compileall -qq bots/python || true

# The tests that have to reach every line of rules and protocol. To count lines doubles their time, so only `make check` does
# that, and runs all others apart: to stop and start the counting around each of them doubles that of short ones.
COVERING := tests/engine tests/protocol tests/games
PYTEST := $(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal

# Tests start the arena a thousand times. Many containers set this, and each start would compile the arena again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test test-covered sweeps check types anywhere anywhere-bare anywhere-systemd bench constraints golden graph pictures clean
.PHONY: fast check-fast test-fast bench-fast bench-both bench-pure

demo: .venv/.installed
	$(BIN)/arena demo

# These tests do not wait for anything, so a worker for each core is enough: each takes seconds to import all tests.
quick: .venv/.installed-dev
	$(BIN)/pytest --quick --numprocesses $$(nproc)

test: .venv/.installed-dev
	@$(COMPILE)
	$(PYTEST)

# Those that ask tests/sizes.py for their size, and those of properties, whose number of examples it sets.
sweeps: .venv/.installed-dev
	@$(COMPILE)
	ARENA_SWEEPS=whole $(PYTEST) \
	  $$(grep -rlE --include='test_*.py' 'import sweep|^@given' tests)

check: .venv/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(MAKE) --jobs 2 types test-covered

test-covered: .venv/.installed-dev
	@$(COMPILE)
	$(PYTEST) $(COVERING) --cov
	$(PYTEST) $(addprefix --ignore=,$(COVERING))

# They take a minute of one core, so `make check` runs them beside the tests, which do not always need all of them.
types: .venv/.installed-dev
	$(BIN)/lint-imports
	$(BIN)/mypy

anywhere: .venv/.installed-dev
	$(BIN)/python -m tests.anywhere

anywhere-bare: .venv/.installed-dev
	$(BIN)/python -m tests.anywhere --bare

anywhere-systemd: .venv/.installed-dev
	$(BIN)/python -m tests.anywhere.virtual

# Both arenas where there is a compiler. `arena bench all` measures one, and every part.
bench: .venv/.installed-bench
	@$(COMPILE)
	@if $(CAN_COMPILE) >/dev/null 2>&1; then $(MAKE) bench-both; else $(MAKE) bench-pure; fi

bench-both: .venv/.installed-bench .venv-fast/.installed-bench
	$(BIN)/python -m benchmarks.side_by_side --compiled $(FAST_BIN)/arena $(BENCH)

bench-pure: .venv/.installed-bench
	@echo "The arena cannot be compiled here (make fast says why): only pure Python is measured."
	$(BIN)/python -m benchmarks.side_by_side $(BENCH)

golden: .venv/.installed-dev
	$(BIN)/pytest --update-golden

graph: .venv/.installed-dev
	@$(BIN)/python -m tests.rooms

pictures: .venv/.installed-dev
	$(BIN)/python -m tests.web.pictures

# The compiled arena. It is built in a copy: beside a module of the checkout its compiled twin would hide every later change.
# Tests run in that copy too, after its packages were replaced by those of the wheel: there is no other arena to import.

FAST := build/fast
# Without, half of the time to compile is saved, and tests find the same: CI does so.
OPTIMISE ?= 3
FAST_BIN := .venv-fast/bin
WHEEL := "$$(echo ./$(FAST)/dist/*.whl)"
FAST_INSTALL := PIP_CONSTRAINT=constraints.txt $(FAST_BIN)/pip install --quiet
FAST_TEST = cd $(FAST) && ../../$(FAST_BIN)/pytest --numprocesses $(WORKERS) --dist worksteal
BUILT := __pycache__ node_modules target
SOURCES := $(shell find arena bots engine protocol $(BUILT:%=-name % -prune -o) -type f -print)
# .rules would show bots the compiled rules without the library beside them; they have those of .venv-fast.
NOT_COPIED := $(addprefix --exclude=,./.git ./.rules ./.venv ./.venv-fast ./build ./dist ./leagues '.*_cache' $(BUILT))

HAS_HEADERS := import pathlib, sys, sysconfig; sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())
NO_COMPILER := There is no C compiler here, cc. On Debian and Ubuntu: sudo apt install gcc python3-dev. Without one: make demo plays in pure Python.
NO_HEADERS := Python's headers are missing here. On Debian and Ubuntu: sudo apt install python3-dev. Without them: make demo plays in pure Python.
CAN_COMPILE = { command -v cc >/dev/null || { echo "$(NO_COMPILER)" >&2; false; }; } && \
  { $(BIN)/python -c '$(HAS_HEADERS)' || { echo "$(NO_HEADERS)" >&2; false; }; }

fast: .venv-fast/.installed
	@echo "$$($(FAST_BIN)/arena --version) is ready: $(FAST_BIN)/arena, or . $(FAST_BIN)/activate"
	@echo "It does not follow changes of the source: then run make fast again."

# Of the tests of what is compiled those that find what compiling can break. What `make check` has tried with many examples,
# and files about what stays Python, are left to it.
PYTHON_STAYS := cores.py excerpt.py hang.py placement.py record_limits.py speed.py survival.py telling.py tiers.py
check-fast: .venv-fast/.installed-test $(FAST)/.refreshed
	$(FAST_TEST) -m 'not thorough' --hypothesis-profile compiled tests/engine tests/protocol tests/games tests/match \
	  tests/replay/test_earlier_editions.py $(addprefix --ignore=tests/match/test_,$(PYTHON_STAYS))

test-fast: .venv-fast/.installed-dev $(FAST)/.refreshed
	$(FAST_TEST)

bench-fast: .venv-fast/.installed-bench
	$(FAST_BIN)/arena bench engine
	$(FAST_BIN)/arena bench referee
	$(FAST_BIN)/arena bench league

$(FAST)/.built: .venv/.made pyproject.toml constraints.txt $(SOURCES)
	@$(CAN_COMPILE)
	rm -rf $(FAST)
	mkdir -p $(FAST)
	tar -c $(NOT_COPIED) . | tar -x -C $(FAST)
	sed -i 's/debug_level = "0"/&, opt_level = "$(OPTIMISE)"/' $(FAST)/pyproject.toml
	@echo "compiling for about two minutes ..."
	cd $(FAST) && HATCH_BUILD_HOOKS_ENABLE=1 PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	  ../../$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .
	cd $(FAST) && rm -rf arena bots engine protocol && ../../$(BIN)/python -m zipfile -e dist/*.whl .
	@touch $@

# What the tests read and run, as it is now.
.PHONY: $(FAST)/.refreshed
$(FAST)/.refreshed: $(FAST)/.built
	rm -rf $(FAST)/tests
	tar -c $(NOT_COPIED) $(addprefix --exclude=./,arena bots engine protocol) . | tar -x -C $(FAST)

.venv-fast/.installed: .venv-fast/.made $(FAST)/.built
	$(FAST_INSTALL) $(WHEEL)'[web]'
	$(FAST_INSTALL) --force-reinstall --no-deps $(WHEEL)
	@touch $@

.venv-fast/.installed-dev: .venv-fast/.installed
	$(FAST_INSTALL) $(WHEEL)'[dev]'
	@touch $@

# Less than [dev], which takes half a minute.
.venv-fast/.installed-test: .venv-fast/.installed
	$(FAST_INSTALL) $(WHEEL)'[anywhere]' pytest-xdist
	@touch $@

.venv-fast/.installed-bench: .venv-fast/.installed
	$(FAST_INSTALL) $(WHEEL)'[bench]'
	@touch $@

.venv-fast/.made: .venv/.made
	@$(BIN)/python -m venv .venv-fast
	@touch $@

# hatchling and editables are what pip needs to build the arena itself, hatch-mypyc to compile it.
constraints: .venv/.made
	$(BIN)/pip install --quiet --upgrade uv
	printf 'hatchling\neditables\nhatch-mypyc\n' | $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --all-extras \
	  --no-annotate --custom-compile-command 'make constraints' --output-file constraints.txt pyproject.toml -

clean:
	rm -rf .venv .venv-fast build dist

.venv/.installed: .venv/.made pyproject.toml constraints.txt
	$(PIP_INSTALL) --editable '.[web]'
	@$(COMPILE)
	@touch $@

.venv/.installed-dev: .venv/.made pyproject.toml constraints.txt
	$(PIP_INSTALL) --editable '.[dev]'
	@touch $@

.venv/.installed-bench: .venv/.made pyproject.toml constraints.txt
	$(PIP_INSTALL) --editable '.[bench]'
	@touch $@

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Dino Arena needs Python 3.11 or later; $(PYTHON) is older or missing. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { echo "Could not create .venv. On Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; }
	@touch $@
