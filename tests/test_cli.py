"""The command line, as a person types it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from webapp.cli import main

ROOT = Path(__file__).resolve().parent.parent


def strata(*arguments, **environ):
    return CliRunner(env=environ).invoke(main, arguments)


def test_help_names_every_command_and_serve_every_setting():
    text = strata("--help").output
    for command in ("serve", "models"):
        assert command in text
    options = strata("serve", "--help").output
    for option in ("--data", "--port", "--small", "--model", "--context-tokens", "--no-browser"):
        assert option in options


def test_the_version_is_told():
    assert strata("--version").output.startswith("strata, version ")


@pytest.mark.parametrize("arguments", [("--port", "99999"), ("serve", "--port", "far")])
def test_a_wrong_option_is_one_sentence_with_the_range_and_no_traceback(arguments):
    result = strata(*arguments)
    assert result.exit_code == 1
    assert "port cannot be" in result.output
    assert "1 to 65535" in result.output
    assert "Traceback" not in result.output


def test_a_wrong_variable_is_told_like_a_wrong_option(tmp_path):
    result = strata("serve", STRATA_PORT="none", STRATA_DATA=str(tmp_path))
    assert result.exit_code == 1
    assert "port cannot be" in result.output


def test_the_modules_own_command_is_the_same():
    done = subprocess.run(
        [sys.executable, "-m", "webapp", "--help"],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "serve" in done.stdout
