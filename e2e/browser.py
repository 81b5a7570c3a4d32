"""Which browser the page tests use: `python -m e2e.browser` names it, or exits with 1."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


def find_browser():
    """The path of a Chromium or Chrome that runs; Playwright's own if it was fetched; else None.

    STRATA_BROWSER names another one. A name alone is not enough: some systems put a stub there
    that only says how to install it."""
    named = os.environ.get("STRATA_BROWSER")
    if named:
        return named
    found = [path for name in (*NAMES, MAC) if (path := shutil.which(name)) and _runs(path)]
    return found[0] if found else _own()


def _runs(path):
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _own():
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - takes a second to start

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


if __name__ == "__main__":
    browser = find_browser()
    print(browser or "no browser found")  # noqa: T201
    sys.exit(browser is None)
