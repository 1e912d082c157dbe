"""The typer application: names, help and order of the commands.

Only the command that runs loads what it needs: ``readback hear`` never imports LangGraph.
"""

import typer

from langgraph_readback import __version__
from langgraph_readback.cli.actions import actions
from langgraph_readback.cli.advise import advise
from langgraph_readback.cli.bench import bench
from langgraph_readback.cli.chat import chat
from langgraph_readback.cli.desk import desk
from langgraph_readback.cli.eval import eval_command
from langgraph_readback.cli.forget import forget
from langgraph_readback.cli.graph import graph
from langgraph_readback.cli.handoffs import handoffs
from langgraph_readback.cli.hear import hear
from langgraph_readback.cli.replay import replay
from langgraph_readback.cli.reply import reply
from langgraph_readback.cli.watch import watch

app = typer.Typer(
    name="readback",
    help="Capture a detail exactly, or hand it to a human.",
    no_args_is_help=True,
    add_completion=False,
    # A traceback with local variables would print captured values.
    pretty_exceptions_enable=False,
)
for command in (chat, hear, reply, replay, graph, bench):
    app.command()(command)
app.command("eval")(eval_command)
app.command()(advise)
app.command()(desk)
app.command()(forget)
app.command()(watch)
app.add_typer(handoffs, name="handoffs")
app.add_typer(actions, name="actions")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"readback {__version__}")
        raise typer.Exit


@app.callback()
def root(
    _: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Capture a detail exactly, or hand it to a human.

    Example: readback hear --field email "kim dot lee at example dot com"
    """
