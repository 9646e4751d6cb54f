# Each target works on a fresh clone: launch.py makes .venv and installs what is missing.
PYTHON ?= $(shell test -x .venv/bin/python && echo .venv/bin/python || echo python3)
VENV := .venv/bin
CODE := trainer labs course ui pages app.py launch.py install.py

.PHONY: run stop test check surprises bench clean

run: ## start the app (STAGECOACH_PORT, STAGECOACH_RUNS)
	@$(PYTHON) launch.py run

stop: ## end the app and every run
	@$(PYTHON) launch.py stop

test: ## all tests; ARGS="-k name" picks some
	@$(PYTHON) launch.py setup-test
	@$(VENV)/python -m pytest $(ARGS)

check: ## format, lint, types, layers, spelling
	@$(PYTHON) launch.py setup-dev
	$(VENV)/ruff format --check .
	$(VENV)/ruff check .
	$(VENV)/mypy $(CODE)
	$(VENV)/lint-imports --no-logo
	$(VENV)/codespell

surprises: ## every lab's promised surprise over ten seeds, as a table
	@$(PYTHON) launch.py setup
	@$(VENV)/python -m bench surprises

bench: ## `make bench mlp-step`: named workloads, results in bench/results
	@$(PYTHON) launch.py setup
	@$(VENV)/python -m bench $(filter-out bench,$(MAKECMDGOALS))

clean: ## remove what can be made again; runs stay
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# The words after `bench` are names of workloads, not targets.
ifeq (bench,$(firstword $(MAKECMDGOALS)))
$(filter-out bench,$(MAKECMDGOALS)):
	@:
endif
