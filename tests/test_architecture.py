"""Rules of the code that no linter knows: what belongs together, sizes, what is written down."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from webapp.settings import SETTINGS

ROOT = Path(__file__).resolve().parent.parent
WEBAPP, TESTS, TEMPLATES = ROOT / "webapp", ROOT / "tests", ROOT / "templates"
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
REGISTRIES = {
    "webapp/web/__init__.py",
    "webapp/documents/tools/__init__.py",
    "webapp/documents/parsing/__init__.py",
}
ABOUT_THE_WHOLE = {"tests/test_architecture.py", "tests/test_set_up.py"}
# test_<module>_<topic>.py; of a room: test_<topic>.py
TOPICS = ("properties", "stateful", "crash", "faults", "attacks", "fuzz", "load", "elsewhere")

MODULES = sorted(path for path in WEBAPP.rglob("*.py") if path.name != "__init__.py")


def name(path):
    return path.relative_to(ROOT).as_posix()


def tracked():
    """Every file of the project; in a copy without git, every file that is not made by a tool."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode == 0:
        return [
            path for part in listed.stdout.split("\0") if part and (path := ROOT / part).is_file()
        ]
    made = {"__pycache__", ".venv", ".git", "build", "dist"}
    return [path for path in ROOT.rglob("*") if path.is_file() and not made & set(path.parts)]


def text_of(path):
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return ""


def test_every_module_has_a_test_file_of_its_name():
    expected = [TESTS / path.relative_to(WEBAPP).parent / f"test_{path.name}" for path in MODULES]
    missing = [
        name(path) for path in expected if "__main__" not in path.name and not path.is_file()
    ]
    assert missing == []


def test_every_test_file_has_a_module_of_its_name():
    stray = []
    for path in TESTS.rglob("test_*.py"):
        room = WEBAPP / path.relative_to(TESTS).parent
        subject = re.sub(rf"(^|_)({'|'.join(TOPICS)})$", "", path.stem.removeprefix("test_"))
        known = (room / f"{subject}.py").is_file() or subject != path.stem.removeprefix("test_")
        if not known and name(path) not in ABOUT_THE_WHOLE:
            stray.append(name(path))
    assert stray == []


def test_every_fragment_is_rendered_by_a_test_of_the_web_room():
    tests = "\n".join(path.read_text("utf-8") for path in (TESTS / "web").glob("*.py"))
    fragments = sorted((TEMPLATES / "fragments").glob("*.html"))
    assert fragments
    assert [path.stem for path in fragments if not re.search(rf"\b{path.stem}\b", tests)] == []


def test_packages_are_empty_except_for_registries():
    marks = [path for path in WEBAPP.rglob("__init__.py") if path.stat().st_size]
    assert {name(path) for path in marks} <= REGISTRIES


@pytest.mark.parametrize(
    ("files", "most"),
    [
        (MODULES, 300),
        (sorted((ROOT / ".ci").glob("*.py")), 300),
        (sorted(TEMPLATES.rglob("*.html")), 60),
        (sorted((ROOT / "static/js").glob("*.js")), 100),
    ],
    ids=["modules", "set-up", "templates", "scripts"],
)
def test_no_file_is_too_long_to_read_at_once(files, most):
    lengths = {name(path): len(path.read_text("utf-8").splitlines()) for path in files}
    allowed = {"templates/base.html": 80}
    assert {file: n for file, n in lengths.items() if n > allowed.get(file, most)} == {}


def test_no_function_is_longer_than_thirty_lines():
    long = {}
    for path in [*MODULES, *(ROOT / ".ci").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                lines = node.end_lineno - node.lineno + 1
                if lines > 30:
                    long[f"{name(path)}:{node.name}"] = lines
    assert long == {}


def test_names_say_what_a_thing_is_and_not_its_role():
    words = "manager|helper|util|handler|common|misc|process"
    found = [name(path) for path in MODULES if re.search(rf"(^|_)({words})", path.stem)]
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and re.search(
                rf"(^|_)({words})s?(_|$)", re.sub(r"(?<!^)(?=[A-Z])", "_", node.name).lower()
            ):
                found.append(f"{name(path)}:{node.name}")
    assert found == []


def test_no_file_names_a_package_registry_or_a_folder_of_one_machine():
    hosts = [r"pypi\.o" + "rg", "pythonhos" + "ted", r"npmjs\.o" + "rg", r"debian\.o" + "rg"]
    folders = [f"/{folder}/" for folder in ("wo" + "rk", "ro" + "ot", "t" + "mp")]
    pattern = re.compile("|".join([*hosts, *(rf"(?<![\w.~-]){folder}" for folder in folders)]))
    found = {name(path): m[0] for path in tracked() if (m := pattern.search(text_of(path)))}
    assert found == {}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_in_the_readme_with_its_meaning(setting):
    row = re.search(rf"^\| `{setting.name}` \|.*", README, re.M)
    assert row, f"no row for {setting.name}"
    assert setting.metadata["meaning"] in row[0]
    if type(setting.default) is int:
        assert f"| {setting.default:,} |" in row[0].replace("5100", "5,100")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_read_somewhere(setting):
    about_settings = ("settings.py", "settings_shown.py")
    rest = "\n".join(text_of(path) for path in MODULES if path.name not in about_settings)
    assert re.search(rf"\bsettings\.{setting.name}\b|[\"']{setting.name}[\"']", rest)


def direct():
    groups = PROJECT["dependency-groups"]
    return [*PROJECT["project"]["dependencies"], *groups["dev"], *groups["build"]]


@pytest.mark.parametrize("requirement", sorted(set(direct())))
def test_every_dependency_is_pinned_locked_and_explained(requirement):
    package, _, version = requirement.partition("==")
    assert version
    locks = "".join(path.read_text("utf-8") for path in (ROOT / ".ci").glob("*.lock"))
    assert re.search(rf"^{re.escape(requirement)}\s", locks, re.M), "run .ci/lock"
    assert re.search(rf"^\| {re.escape(package)} \| .{{12,}}", README, re.M)


def test_the_locks_agree_with_each_other():
    pins = {}
    for path in (ROOT / ".ci").glob("*.lock"):
        for line in path.read_text("utf-8").splitlines():
            package, _, version = line.split()[0].partition("==")
            pins.setdefault(package, set()).add(version)
    assert {package: found for package, found in pins.items() if len(found) > 1} == {}
