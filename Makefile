# The project's tasks. Each sets up what it needs in .venv; nothing outside the checkout is touched.
PYTHON ?= python3
OLDEST_PYTHON ?= python3.10
PYTHONS ?= 3.10 3.11 3.12 3.13
NUMPY ?=
VENV := .venv
READY := $(VENV)/.ready
TORCH_NPU := $(VENV)-torch_npu
TORCH_READY := $(TORCH_NPU)/.ready

.PHONY: conformance test kernels lint slips sanitize mutants escapes ladders relations diagnoses removals soak wheelhouse soundness detection recovery kill-matrix mutation benchmark kills faults workers busy picture aarch64 oldest clean
.DEFAULT_GOAL := conformance

conformance: $(READY)  ## judge every operator on the device at hand; evidence in reports/latest/
	@$(VENV)/bin/python -m conformance run --out reports/latest

test: $(READY)  ## every test of the project
	@$(MAKE) --no-print-directory -j 2 $(TORCH_READY) kernels
	@# Hundreds of processes import the suite, some where Python may keep no bytecode.
	@$(VENV)/bin/python -m compileall -q -j 2 conformance reference cases device_kernels tests
	@$(VENV)/bin/python -m pytest tests -n 2 --dist worksteal

kernels: $(READY)  ## the simulator and the kernels, compiled where they are not yet
	@$(VENV)/bin/python -m device_kernels.build

lint: $(READY)  ## format, lint, types and import rules alone
	@$(VENV)/bin/python -m pytest tests/project -q

slips: $(READY)  ## ten slips of an engineer in the checkout that OPS_TRANSFORMER_HOME names, each found within two minutes
	@$(VENV)/bin/python -m tests.foreign.slips_run

sanitize: $(READY)  ## the simulator's own tests and a smoke judgement under address and undefined-behaviour sanitizers
	@$(VENV)/bin/python -m tests.sanitize

mutants: $(READY)  ## kernels with one mistake each: gate must reject each, 20 seeds; and automatic ones, smoke
	@$(VENV)/bin/python -m tests.kernels.detection_run --seeds 20
	@$(VENV)/bin/python -m tests.kernels.mutation_run --seeds 20
	@$(VENV)/bin/python -m tests.kernels.automatic_run

escapes: $(READY)  ## kernels with one mistake each that users met: the regression that is kept for it must reject it
	@$(VENV)/bin/python -m tests.kernels.escapes_run

ladders: $(READY)  ## kernels with a mistake at one size each: the ladders of smoke must reject each, 20 seeds
	@$(VENV)/bin/python -m tests.kernels.ladders_run --seeds 20

relations: $(READY)  ## kernels with one mistake each: which of them relations reject, with no reference
	@$(VENV)/bin/python -m tests.kernels.relations_run

diagnoses: $(READY)  ## kernels with one mistake in values each: what is guessed of it names its nature, and nothing misleads
	@$(VENV)/bin/python -m tests.kernels.diagnoses_run

removals: $(READY)  ## the kernels without each flag, barrier or queue: 95 % of what matters is reported
	@$(VENV)/bin/python -m tests.kernels.removal_run

soak: $(READY)  ## the real kernels, 200,000 cases: no false alarm
	@$(VENV)/bin/python -m tests.kernels.soak_run

soundness: $(READY)  ## the judge of sums: whole toy formats and millions of hard sums, no false alarm
	@$(VENV)/bin/python -m tests.conformance.numerics.soundness_run

detection: $(READY)  ## what a row of 16 elements tells of coarse sums and truncation, 5,000 draws each
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python -m tests.conformance.numerics.detection_run

benchmark: $(READY)  ## what verdicts, cases and the simulated device cost, against yardsticks
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python -m tests.benchmark

kills: $(READY)  ## runs and writers of the history ended by force at 50 random moments each: nothing flushed is lost; 20 runs gone on with: the verdicts of an undisturbed one
	@$(VENV)/bin/python -m tests.conformance.killed.kills_run

faults: $(READY)  ## runs whose device is struck at every call in six ways, and 200 double faults: right status, whole evidence
	@$(VENV)/bin/python -m tests.faults.faults_run

busy: $(READY) kernels  ## every test beside eight busy processes, and those that start or limit processes twenty times
	@$(VENV)/bin/python -m tests.busy_run
	@$(VENV)/bin/python -m tests.busy_run --processes --times 20

workers: $(READY)  ## gate with one worker and with two, twice: the same verdicts, each in all that it tells
	@$(VENV)/bin/python -m tests.conformance.workers_run

recovery: $(READY)  ## order recovery: every named tree and 9,450 drawn ones
	@$(VENV)/bin/python -m tests.conformance.numerics.recovery_run

kill-matrix: $(READY)  ## numerical mistakes against this judge and every published standard, 20 seeds
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@$(VENV)/bin/python -m tests.kill_matrix.run --seeds 20 --out reports/kill-matrix

mutation: $(READY)  ## the judge with one mistake at a time: every one that shows must fail a test
	@$(VENV)/bin/python -m tests.mutation.run

$(READY): pyproject.toml
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[simulator,test]'
	@touch $@

# A torch_npu in the environment of the suite would be a sign of an NPU, and --device auto want one:
# it has an environment of its own, which sees the packages of the other. Where it cannot be had, its
# tests say so.
$(TORCH_READY): $(READY)
	@echo "setting up $(TORCH_NPU)"
	@$(VENV)/bin/python -m venv $(TORCH_NPU)
	@$(VENV)/bin/python -c "import site; print(site.getsitepackages()[0])" > "$$($(TORCH_NPU)/bin/python -c 'import site; print(site.getsitepackages()[0])')/suite.pth"
	-@$(TORCH_NPU)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 && $(TORCH_NPU)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps torch_npu==2.13.0
	-@for version in 2.9.0 2.12.0; do $(TORCH_NPU)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps torch_npu==$$version -d $(TORCH_NPU)/wheels; done
	@touch $@

wheelhouse: $(READY)  ## wheels for hosts without a network, of both machines, into wheelhouse/ (PYTHONS="3.11", NUMPY="1.26.*")
	@$(VENV)/bin/python -m tests.wheelhouse --pythons "$(PYTHONS)" --numpy "$(NUMPY)"

picture: $(READY)  ## the README's picture of a failure, drawn anew from the text that a test pins
	@$(VENV)/bin/python -m tests.project.picture

aarch64: $(READY)  ## the simulator and its tests, cross-compiled and emulated
	@$(VENV)/bin/python -m tests.aarch64

oldest:  ## judge, references and records with the oldest Python and packages that are promised
	@$(OLDEST_PYTHON) -m venv $(VENV)-oldest
	@$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check -e '.[simulator,coverage]' -c tests/project/oldest.txt
	@$(VENV)-oldest/bin/python -m pytest tests/reference tests/cases tests/conformance -n 2

clean:
	rm -rf wheelhouse $(VENV) $(VENV)-oldest $(TORCH_NPU) build reports/latest .hypothesis .*_cache *.egg-info dist
