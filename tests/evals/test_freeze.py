import pytest

from langgraph_readback.evals import freeze


def test_what_the_figures_depend_on_is_as_frozen():
    assert freeze.changed() == [], "bump evals/CHANGELOG.md, say why, re-report all arms, then `readback eval --freeze`"


def test_the_frozen_version_is_the_newest_of_the_changelog():
    assert freeze.frozen()["version"] == freeze.versions()[0]


def test_a_frozen_version_cannot_be_frozen_again_after_a_change(monkeypatch):
    monkeypatch.setattr(freeze, "digests", lambda: {"caller.py": "another"})
    monkeypatch.setattr(freeze, "frozen", lambda: {"version": freeze.versions()[0], "files": {"caller.py": "one"}})
    with pytest.raises(ValueError, match="add a version"):
        freeze.refreeze()


def test_comments_and_docstrings_are_free(tmp_path, monkeypatch):
    code = {
        "a": 'def f():\n    """One."""\n    return 1\n',
        "b": "def f():\n    # more\n    return (1)\n",
        "c": "def f():\n    return 2\n",
    }
    monkeypatch.setattr(freeze, "_read", lambda name: code[name[0]])
    one, two, three = (freeze._digest(f"{name}.py") for name in "abc")
    assert one == two != three
