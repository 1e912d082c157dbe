"""Every command explains itself with an example, and starts without what it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from langgraph_readback import __version__
from langgraph_readback.cli.app import app
from langgraph_readback.cli.handoffs import handoffs

COMMANDS = sorted(command.name or command.callback.__name__ for command in app.registered_commands)
DESK = [f"handoffs {command.name or command.callback.__name__}" for command in handoffs.registered_commands]
HEAVY = ("langgraph", "langchain_core", "langchain_openai", "langsmith", "sqlalchemy", "psycopg")


def test_the_commands():
    assert {"bench", "chat", "graph", "hear", "replay", "reply"} <= set(COMMANDS)


@pytest.mark.parametrize("command", [*COMMANDS, "handoffs", *DESK])
def test_help_has_an_example(run, command):
    done = run(*command.split(), "--help")
    assert done.exit_code == 0
    assert f"Example: readback {command} " in " ".join(done.stdout.split())


def test_help_lists_every_command(run):
    done = run("--help")
    assert done.exit_code == 0
    assert [name for name in COMMANDS if name not in done.stdout] == []


def test_version(run):
    assert run("--version").stdout == f"readback {__version__}\n"


@pytest.mark.parametrize(
    ("argv", "also_light"),
    [
        (["--help"], ("phonenumbers", "email_validator", "dns", "babel")),
        (["hear", "--field", "email", "a@example.com"], ("dns",)),
        (["hear", "--field", "id", "--pattern", "HL-[0-9]{6}", "h l 204117"], ("dns", "email_validator")),
        (["reply", "--value", "a@example.com", "yes"], ("dns",)),
    ],
)
def test_a_command_loads_only_what_it_needs(argv, also_light):
    program = (
        "import sys; from langgraph_readback.cli import main\n"
        f"sys.argv = ['readback', *{argv!r}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print('LOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.rpartition("LOADED")[2].split()}
    assert not loaded & {*HEAVY, *also_light}
