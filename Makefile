# One command each for what a learner or a developer does. `make help` lists them.
#
# PYTHON=python3.12   the Python to make .venv with (3.11, 3.12 or 3.13)
# ARGS="..."          more arguments for the command behind a target

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help env lab test notebooks notebooks-twice learner lessons lint types coverage size bench lock book classroom wheelhouse clean

VENV_PYTHON := .venv/bin/python
# A worker for each core, but no more memory than a laptop has.
PARALLEL := --numprocesses auto --maxprocesses 4
# The Chinese ones hold the same code and outputs, which tests compare.
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
RUN_NOTEBOOKS := $(if $(NOTEBOOKS),\
  XDG_DATA_HOME="$$(mktemp -d)" $(VENV_PYTHON) -m pytest --nbval --nbval-current-env \
    --nbval-sanitize-with notebooks/nbval_sanitize.cfg $(PARALLEL) --dist loadfile \
    $(NOTEBOOKS),\
  echo "There are no notebooks.")
CORE_TESTS := $(wildcard tests/test_*.py) $(addprefix tests/,bridge cases cli \
  datasets device hostlog lab tf1 trace)
# Jupyter's servers refuse to start as root (a container's usual user) unless told.
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)

# The environment alone decides what is imported.
unexport PYTHONPATH PYTHONHOME
export JUPYTER_PREFER_ENV_PATH := 1

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' Makefile

env: ## make or renew .venv with all that lab and tests need
	@sh tools/environment.sh test

lab: ## open JupyterLab on the course
	@sh tools/environment.sh lab
	@$(VENV_PYTHON) -m jupyterlab $(AS_ROOT) $(ARGS)

# Four runs: what tests leave behind in their process does not reach the notebooks,
# nothing runs beside those that compare times, and tests that build graphs and those of
# eager TensorFlow keep apart. Status 5 is pytest's for "none chosen", which ARGS can
# bring about in the last three.
test: env ## run every notebook and every test
	@status=0; \
	$(RUN_NOTEBOOKS) || status=1; \
	found=5; \
	run() { \
	  $(VENV_PYTHON) -m pytest "$$@" $(ARGS); code=$$?; \
	  [ $$code = 5 ] || { found=0; [ $$code = 0 ] || status=1; }; \
	}; \
	run -m alone; \
	run $(PARALLEL) --dist loadfile -m eager; \
	run $(PARALLEL) --dist worksteal -m "not alone and not eager"; \
	[ $$found = 0 ] || status=5; \
	exit $$status

notebooks: env ## run every notebook and compare with its stored outputs
	@$(RUN_NOTEBOOKS)

notebooks-twice: env ## run every notebook twice in one kernel (before a release)
	@NPU_LAB_TWICE=1 $(VENV_PYTHON) -m pytest tests/notebooks/test_second_pass.py $(ARGS)

learner: env ## go through the whole course in a browser, solving it (before a release)
	@NPU_LAB_LEARNER=1 $(VENV_PYTHON) -m pytest tests/browser/test_learner.py $(ARGS)

lessons: env ## make the notebooks that are out of date from their sources
	@$(VENV_PYTHON) tools/lessons.py $(ARGS)

lint: env ## check the code's style and layout, notebooks too
	@status=0; \
	$(VENV_PYTHON) -m ruff check $(ARGS) . || status=1; \
	$(VENV_PYTHON) -m ruff format --check . || status=1; \
	exit $$status

size: env ## print how large the core is, by module
	@$(VENV_PYTHON) tools/size.py

types: env ## check the types of the package
	@$(VENV_PYTHON) -m mypy $(ARGS)

coverage: env ## lines that tests run, by module (of the core, 15 minutes)
	@$(VENV_PYTHON) -m coverage erase
	@$(VENV_PYTHON) -m coverage run -m pytest -q $(PARALLEL) --dist worksteal \
	  -m "not alone and not eager and not browser" $(or $(ARGS),$(CORE_TESTS)) || true
	@$(VENV_PYTHON) -m coverage combine -q
	@$(VENV_PYTHON) tools/coverage.py

bench: env ## measure side by side (20 minutes); tables, and build/bench.json
	@$(VENV_PYTHON) -m benchmarks $(ARGS)

lock: env ## pin the newest versions that pyproject.toml allows
	@$(VENV_PYTHON) tools/lock.py $(ARGS)

book: env ## make the course and the reference a static site, build/book
	@$(VENV_PYTHON) tools/book.py $(ARGS)

classroom: env ## start JupyterHub on loopback, a JupyterLab for each learner
	@$(VENV_PYTHON) tools/classroom.py

wheelhouse: env ## gather one folder for installing without a network
	@$(VENV_PYTHON) tools/wheelhouse.py $(ARGS)

clean: ## remove .venv, caches and build outputs
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
	find . -name .git -prune -o -type d \
	  \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +
