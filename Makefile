# The front door: every command that anybody needs. `make` alone lists them.
# scripts/setup makes .venv, and returns at once when it is up to date.

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests run play test test-slow check format bench docs clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## Make .venv, or renew it when pyproject.toml or constraints.txt changed
	@sh scripts/setup

setup-tests: setup
	@sh scripts/setup tests

run: setup ## Open an arena on this machine, with pages to play and watch; options in ARGS="..."
	@.venv/bin/calza serve $(ARGS)

play: setup ## Play a game in the terminal; options in ARGS="..."
	@.venv/bin/calza play $(ARGS)

test: setup-tests ## Run the fast tests; every line and branch of rules and matches must be reached
	.venv/bin/python -m pytest -n 2 --cov

test-slow: setup-tests ## Run the tests that take long
	.venv/bin/python -m pytest -m slow --timeout 3600

check: setup ## Lint, formatting, types (of Python and of scripts), and which package may import which
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy --strict src
	.venv/bin/lint-imports --no-logo
	@sh scripts/check-js

format: setup ## Format the code and mend what ruff can mend
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

bench: setup ## Measure speed; options in ARGS="..."
	.venv/bin/python -m benchmarks $(ARGS)

docs: setup ## Write docs/reference anew from the code
	.venv/bin/python -m calza.cli.reference

clean: ## Remove .venv and everything else that was made
	rm -rf .venv .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find . -path ./.git -prune -o -type d -name __pycache__ -exec rm -rf {} +
