"""The ``readback`` command."""


def main() -> None:
    """Entry point; the commands come with cli/*.py."""
