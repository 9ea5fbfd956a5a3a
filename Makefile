# Frontdesk. `make run` and `make test` need Python 3.11+ and a package index, nothing else.
PYTHON ?= python3
PORT ?= 8080
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= auto

.PHONY: run test lint bench lock version clean

run: $(VENV)/installed ## the demo: an example business, no key, no server, no model download
	@$(BIN)/frontdesk run --demo --port $(PORT)

test: $(VENV)/developing lint ## lint, types, contracts and tests
	$(BIN)/python -m pytest -n $(WORKERS)

lint: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/developing ## measures; nothing here is a test; DATA=DIR adds public sets, see benchmarks/quality.py
	$(BIN)/python -m benchmarks.turns
	$(BIN)/python -m benchmarks.crawl
	$(BIN)/python -m benchmarks.recrawl
	$(BIN)/python -m benchmarks.start
	$(BIN)/python -m benchmarks.vectors
	$(BIN)/python -m benchmarks.search $(if $(DATA),--data $(DATA))
	$(if $(DATA),$(BIN)/python -m benchmarks.quality --data $(DATA))
	$(if $(DATA),$(BIN)/python -m benchmarks.floor --data $(DATA))

lock: $(VENV)/developing ## write the locked set anew from pyproject.toml
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --python-version 3.11 pyproject.toml -o deploy/requirements.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-emit-index-url --python-version 3.11 pyproject.toml --group dev -o deploy/requirements-dev.lock

version: ## make version VERSION=1.2.3 raises it, here and in the changelog
	$(PYTHON) deploy/release.py $(VERSION)

$(VENV)/installed: pyproject.toml deploy/requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Frontdesk needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -r deploy/requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/developing: $(VENV)/installed deploy/requirements-dev.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check -r deploy/requirements-dev.lock
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache
