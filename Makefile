# The project's tasks. Each sets up what it needs in .venv; nothing outside the checkout is touched.
PYTHON ?= python3
OLDEST_PYTHON ?= python3.10
PYTHONS ?= 3.10 3.11 3.12 3.13
NUMPY ?=
VENV := .venv
READY := $(VENV)/.ready
TORCH_NPU := $(VENV)-torch_npu
TORCH_READY := $(TORCH_NPU)/.ready

.PHONY: conformance test test-slow tested kernels lint benchmark proofs wheelhouse picture oldest clean
.DEFAULT_GOAL := conformance

conformance: $(READY)  ## judge every operator on the device at hand; evidence in reports/latest/
	@$(VENV)/bin/python -m conformance run --out reports/latest

test: WHICH := not slow
test: tested  ## the tests of each change
test-slow: WHICH := slow
test-slow: tested  ## those that take long: each has a quicker one in `make test`

tested:
	@$(MAKE) --no-print-directory -j 2 $(TORCH_READY) kernels
	@# Hundreds of processes import the suite, some where Python may keep no bytecode.
	@$(VENV)/bin/python -m compileall -q -j 2 conformance reference cases device_kernels tests
	@# Of those that import numpy, each would start threads that wait for work in a loop.
	@# Pytest keeps what it makes of assertions, unless Python is told to keep nothing.
	@PYTHONDONTWRITEBYTECODE= OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python -m pytest tests -m "$(WHICH)" -n 2 --dist worksteal

kernels: $(READY)  ## the simulator and the kernels, compiled where they are not yet
	@$(VENV)/bin/python -m device_kernels.build

lint: $(READY)  ## format, lint, types and import rules alone
	@$(VENV)/bin/python -m pytest tests/project -q

benchmark: $(READY)  ## what verdicts, cases and the simulated device cost, against yardsticks
	@OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python -m tests.benchmark

proofs: $(READY)  ## what takes longer than a test: the list, or those of RUN="soak ladders"
	@$(VENV)/bin/python -m tests.proofs $(RUN)

# Of what is installed four fifths are never imported: Python compiles a module when it is.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile

$(READY): pyproject.toml
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@# Of what there is of 60 packages a later pip chooses in two thirds of the time.
	@$(VENV)/bin/python $(INSTALL) --upgrade pip
	@$(VENV)/bin/python $(INSTALL) -e '.[simulator,test]'
	@touch $@

# A torch_npu in the environment of the suite would be a sign of an NPU, and --device auto want one:
# it has an environment of its own, which sees the packages of the other, and is set up beside it.
# Where it cannot be had, its tests say so.
SITE := import pathlib, site; own = site.getsitepackages()[0]; pathlib.Path(own, "suite.pth").write_text(own.replace("$(TORCH_NPU)", "$(VENV)"))
$(TORCH_READY): pyproject.toml
	@echo "setting up $(TORCH_NPU)"
	@$(PYTHON) -m venv $(TORCH_NPU)
	-@$(TORCH_NPU)/bin/python $(INSTALL) torch==2.13.0 && $(TORCH_NPU)/bin/python $(INSTALL) --no-deps torch_npu==2.13.0
	-@for version in 2.9.0 2.12.0 2.14.0; do $(TORCH_NPU)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps torch_npu==$$version -d $(TORCH_NPU)/wheels; done
	@# Last: pip must not look into an environment that is being set up.
	@$(TORCH_NPU)/bin/python -c '$(SITE)'
	@touch $@

wheelhouse: $(READY)  ## wheels for hosts without a network, of both machines, into wheelhouse/ (PYTHONS="3.11", NUMPY="1.26.*")
	@$(VENV)/bin/python -m tests.wheelhouse --pythons "$(PYTHONS)" --numpy "$(NUMPY)"

picture: $(READY)  ## the README's picture of a failure, drawn anew from the text that a test pins
	@$(VENV)/bin/python -m tests.project.picture

oldest:  ## judge, references and records with the oldest Python and packages that are promised
	@$(OLDEST_PYTHON) -m venv $(VENV)-oldest
	@$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check -e '.[simulator,coverage]' -c tests/project/oldest.txt
	@$(VENV)-oldest/bin/python -m pytest tests/reference tests/cases tests/conformance -n 2

clean:
	rm -rf wheelhouse $(VENV) $(VENV)-oldest $(TORCH_NPU) build reports/latest .hypothesis .*_cache *.egg-info dist
