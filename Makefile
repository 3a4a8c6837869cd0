# The project's tasks. Each sets up what it needs in .venv; nothing outside the checkout is touched.
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready

.PHONY: conformance test lint mutants soak soundness recovery kill-matrix benchmark clean
.DEFAULT_GOAL := conformance

conformance: $(READY)  ## judge every operator on the device at hand; evidence in reports/latest/
	@$(VENV)/bin/python -m conformance run --out reports/latest

test: $(READY)  ## every test of the project
	@$(VENV)/bin/python -m pytest tests -n 2

lint: $(READY)  ## format, lint, types and import rules alone
	@$(VENV)/bin/python -m pytest tests/project -q

mutants: $(READY)  ## kernels with one mistake each: smoke must reject each of them, 20 seeds
	@$(VENV)/bin/python -m tests.kernels.mutation_run --seeds 20

soak: $(READY)  ## the real kernel, 20 seeds of smoke: no false alarm
	@$(VENV)/bin/python -m tests.kernels.mutation_run --seeds 20 --mutant none

soundness: $(READY)  ## the judge of sums: whole toy formats and millions of hard sums, no false alarm
	@$(VENV)/bin/python -m tests.conformance.numerics.soundness_run

benchmark: $(READY)  ## what a verdict costs, in copies of the input
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python -m tests.benchmark

recovery: $(READY)  ## order recovery: every named tree and 9,450 drawn ones
	@$(VENV)/bin/python -m tests.conformance.numerics.recovery_run

kill-matrix: $(READY)  ## numerical mistakes against this judge and every published standard, 20 seeds
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@$(VENV)/bin/python -m tests.kill_matrix.run --seeds 20 --out reports/kill-matrix

$(READY): pyproject.toml
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[simulator,test]'
	@touch $@

clean:
	rm -rf $(VENV) build reports/latest .hypothesis .*_cache *.egg-info
