from langgraph_readback.evals import looks


def test_a_look_is_written_down_with_date_commit_and_figures(tmp_path, monkeypatch):
    monkeypatch.setenv("READBACK_COMMIT", "abc123")
    path = looks.log("test", {"pass3": {"loop": 0.5}}, path=tmp_path / "log.jsonl")
    looks.log("again", {"pass3": {"loop": 0.6}}, path=path)
    first, second = looks.looks(path)
    assert (first["commit"], first["why"], first["pass3"], second["why"]) == ("abc123", "test", {"loop": 0.5}, "again")
    assert first["at"].startswith("20")


def test_the_log_is_beside_the_yardstick_or_in_the_folder(tmp_path):
    assert looks.log_path(tmp_path).name == "readback-looks.jsonl"
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "frozen.json").write_text("{}")
    assert looks.log_path(tmp_path) == tmp_path / "evals" / "held_out_looks.jsonl"


def test_no_look_is_no_error(tmp_path):
    assert looks.looks(tmp_path / "none.jsonl") == []
