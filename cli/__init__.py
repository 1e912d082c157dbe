"""The ``readback`` command: one file a command."""


def main() -> None:
    """Entry point of the ``readback`` script."""
    from langgraph_readback.cli.app import app

    app()


__all__ = ["main"]
