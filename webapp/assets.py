"""Where the templates and the static files are.

They stand beside the package in a checkout (an editable install included), inside it in a wheel.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def templates_folder() -> Path:
    return _inside_or_beside(_PACKAGE, "templates")


def static_folder() -> Path:
    return _inside_or_beside(_PACKAGE, "static")


def _inside_or_beside(package: Path, name: str) -> Path:
    inside = package / name
    return inside if inside.is_dir() else package.parent / name
