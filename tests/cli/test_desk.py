"""``readback desk``: serves on loopback, signs in with the link it prints, stops on Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

READBACK = Path(sys.executable).with_name("readback")


def env(folder, **more):
    return {**os.environ, "XDG_DATA_HOME": str(folder), "PYTHONUNBUFFERED": "1", **more}


def opened(browser, path):
    """A page of a server that is still starting."""
    for _ in range(300):
        try:
            return browser.get(path).text
        except httpx.ConnectError:
            time.sleep(0.1)
    raise AssertionError("nothing listens after 30 seconds")


def test_the_printed_link_signs_in(tmp_path):
    command = [READBACK, "desk", "--name", "ana", "--port", "0"]
    with subprocess.Popen(
        command, env=env(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        try:
            url, token = re.search(
                r"(http://127\.0\.0\.1:\d+)/desk/sign-in#token=(\S+)", served.stdout.readline()
            ).groups()
            with httpx.Client(base_url=url, follow_redirects=True) as browser:
                form = re.search(r'name="form_token" value="([^"]+)"', opened(browser, "/desk"))[1]
                page = browser.post("/desk/sign-in", data={"form_token": form, "token": token})
                assert (page.url.path, "Signed in as ana" in page.text) == ("/desk/", True)
                assert browser.get("/try/").status_code == httpx.codes.OK
        finally:
            served.send_signal(signal.SIGINT)
            try:
                served.wait(20)
            except subprocess.TimeoutExpired:
                served.kill()
                raise
        assert "Traceback" not in served.stderr.read()
    assert (tmp_path / "langgraph-readback" / "readback.db").exists()


@pytest.mark.parametrize(
    ("options", "more", "said"),
    [
        (["--name", "a na"], {}, "must be a list like"),
        ([], {"READBACK_DESK_TOKENS": "ana:short"}, "the token of 'ana' in READBACK_DESK_TOKENS is too short"),
        (["--database", "mysql://x"], {}, "the database URL must be"),
        (["--host", "203.0.113.7"], {}, "cannot listen on 203.0.113.7 port 2025"),
    ],
)
def test_what_cannot_be_is_one_line(run, monkeypatch, options, more, said):
    for name, value in {
        "READBACK_SEAL_KEYS": "a key of the test suite",
        "READBACK_DATABASE_URL": "memory:",
        **more,
    }.items():
        monkeypatch.setenv(name, value)
    done = run("desk", *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
