# Every target makes the virtual environment first if there is none: on Python 3.11 where it can, as the pins were.
PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed

.DEFAULT_GOAL := help
.PHONY: help quickstart test lint verify golden standings bench images docs notebooks clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The stamp is written last: a broken or stale installation is done again.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -c constraints.txt -e '.[train,eval,play,ray,docs,notebooks,dev]'
	@touch $@

quickstart: $(STAMP) ## Train a first agent in a few minutes, then measure it against the baselines
	$(BIN)/python -m train configs/quickstart.toml
	$(BIN)/python -m eval quickstart runs/quickstart/agent

test: $(STAMP) ## Run the tests
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: $(STAMP) ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

verify: $(STAMP) ## Play the two engines against each other, at length
	$(BIN)/python -m tests.verify

golden: $(STAMP) ## Write the golden games anew, after a change of the rules or of the records' format
	$(BIN)/python -m tests.golden

standings: $(STAMP) ## Play all agents of the kit against each other, and write the README's tables of them
	$(BIN)/python -m eval standings --markdown README.md

bench: $(STAMP) ## Measure the engine beside other libraries (once: installs them into .venv-peers)
	$(BIN)/python -m benchmarks.peers

images: $(STAMP) ## Draw the pictures of the README and the guides anew
	$(BIN)/python docs/images/table.py
	$(BIN)/python -m eval record sharp greedy --players 4 --games 1 --seed 4 --out build/images/game.jsonl
	$(BIN)/python -m eval watch build/images/game.jsonl --seat 0 --gif docs/images/game.gif

docs: $(STAMP) ## Build the documentation as a site, build/docs/index.html
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs

notebooks: $(STAMP) ## Run the notebooks and keep what they show
	$(BIN)/python -m tests.notebooks

clean: ## Remove the virtual environments, caches and builds; trained runs stay
	rm -rf $(VENV) .venv-peers build dist .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
