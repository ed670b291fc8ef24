# Every target sets up what it needs; the only requirement is Python 3.11 or newer with venv, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup demo serve test check bench bench-scale soak chaos clean
setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@echo 'Setting up $(VENV): about 1 GB, some minutes the first time.'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

demo: setup
	$(BIN)/niuma demo $(DEMO_ARGS)

serve: setup
	$(BIN)/niuma serve

test: setup
	@PYTHON=$(BIN)/python .ci/tests $(PYTEST_ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python -m tests.bench $(BENCH_ARGS)

bench-scale: setup
	$(BIN)/python -m tests.bench --only scale $(BENCH_ARGS)

# Every fault alone and every pair; CHAOS_ARGS go to pytest (-k name). NIUMA_TEST_SEED chooses the dice.
CHAOS_WORKERS ?= 3
CHAOS_TALLY := .tmp/chaos
chaos: setup
	@mkdir -p .tmp && rm -f $(CHAOS_TALLY)
	@NIUMA_TEST_CHAOS=all NIUMA_TEST_CHAOS_TALLY=$(CURDIR)/$(CHAOS_TALLY) bash -c 'time $(BIN)/python -m pytest \
		tests/contract/chaos -n $(CHAOS_WORKERS) --dist worksteal --durations=5 $(CHAOS_ARGS); code=$$?; \
		$(BIN)/python -m tests.contract.chaos.tally $(CHAOS_TALLY); rm -f $(CHAOS_TALLY); exit $$code'

soak: setup
	$(BIN)/python -m tests.bench.soak $(SOAK_ARGS)

clean:
	rm -rf $(VENV) *.egg-info .pytest_cache .ruff_cache
