"""`./strata` and `./check` before anything is installed: what they find, say, make and mend."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = [".ci", "strata", "check", "pyproject.toml", "CHANGELOG.md"]
BACKEND = """
import zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "fake-1-py3-none-any.whl"
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        about = "fake-1.dist-info/"
        wheel.writestr(about + "METADATA", "Metadata-Version: 2.1\\nName: fake\\nVersion: 1\\n")
        wheel.writestr(about + "WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr(about + "RECORD", "")
    return name
"""


@pytest.fixture
def clone(tmp_path):
    """A clone, at a path with a space, in which nothing was set up yet."""
    top = tmp_path / "my clone"
    top.mkdir()
    for part in PARTS:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, top / part)
    return top


@pytest.fixture
def set_up(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / ".ci")
    import environment  # noqa: PLC0415 - beside the package, not in it

    return environment


@pytest.fixture
def steps(set_up):
    import steps  # noqa: PLC0415

    return steps


@pytest.fixture
def made(clone, set_up):
    """A clone whose environment was finished, as far as files tell."""
    place = set_up.Place(clone)
    packages = place.venv / "lib/python3.11/site-packages"
    (packages / "flask").mkdir(parents=True)
    (place.venv / "pyvenv.cfg").touch()
    set_up._record(place, set_up.wanted(place, dev=True))
    return place


def programs(folder, **scripts):
    """A folder with little more than the named programs, for PATH."""
    folder.mkdir()
    for tool in ("sh", "dirname", "readlink", "cat", "id"):
        (folder / tool).symlink_to(shutil.which(tool))
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def run(command, env, **options):
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("command", ["strata", "check"])
def test_without_python_the_sentence_says_what_to_install(clone, tmp_path, command):
    done = run([clone / command], programs(tmp_path / "bin"), cwd=tmp_path)
    assert done.returncode == 1
    assert "Python 3.11 or newer; none was found" in done.stderr
    assert "apt install python3" in done.stderr


def test_a_python_that_is_too_old_is_named_with_its_version(clone, tmp_path):
    old = "case $1-$2 in --version-) echo Python 3.9.2 ;; *version_info*) exit 1 ;; esac"
    env = programs(tmp_path / "bin", python3=old)
    done = run([clone / "strata"], env)
    assert done.returncode == 1
    assert f"found only {tmp_path}/bin/python3 (Python 3.9.2)" in done.stderr


def test_a_python_without_its_venv_module_is_told_from_none(clone, tmp_path):
    env = programs(tmp_path / "bin", python3="case $2 in *venv*) exit 1 ;; esac")
    done = run([clone / "strata"], env)
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr


def test_a_ready_clone_runs_at_once_from_any_folder_through_a_link(clone, tmp_path):
    (clone / ".venv/bin").mkdir(parents=True)
    python = clone / ".venv/bin/python"
    python.write_text('#!/bin/sh\n[ "$3" = ready ] || printf "<%s>" "$@"\n')
    python.chmod(0o755)
    link = tmp_path / "link"
    link.symlink_to("my clone/strata")
    done = run([link, "serve", "--data", "a b"], programs(tmp_path / "bin"), cwd="/")
    assert done.stdout == "<-P><-m><webapp><serve><--data><a b>"


def test_an_unknown_check_is_refused_with_those_there_are(clone):
    done = run([clone / "check", "everything"], os.environ)
    assert done.returncode == 2
    assert "./check bench" in done.stderr


def test_what_was_just_made_is_ready(made, set_up):
    assert set_up.is_ready(made, dev=True)
    assert set_up.is_ready(made, dev=False)


def append(path, text):
    path.write_text(path.read_text("utf-8") + text, "utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda place: append(place.lock("requirements"), "another==1.0\n"),
        lambda place: append(place.lock("dev"), "another==1.0\n"),
        lambda place: append(place.top / "pyproject.toml", '[project.urls]\na = "b"\n'),
        lambda place: (place.top / "CHANGELOG.md").write_text("# Changelog\n\n## 9.9.9\n"),
        lambda place: (place.venv / "pyvenv.cfg").unlink(),
        lambda place: (place.venv / "lib/python3.11/site-packages/flask").rmdir(),
        lambda place: place.state.unlink(),
        lambda place: place.state.write_text('{"marks": {"pla'),
        lambda place: place.state.write_text(json.dumps(["something else"])),
    ],
    ids=[
        "lock",
        "dev lock",
        "project",
        "version",
        "config",
        "package",
        "unfinished",
        "torn",
        "odd",
    ],
)
def test_what_changed_or_broke_since_is_noticed(made, set_up, change):
    change(made)
    assert not set_up.is_ready(made, dev=True)


def test_a_moved_clone_is_noticed(made, set_up, tmp_path):
    made.top.rename(tmp_path / "elsewhere")
    assert not set_up.is_ready(set_up.Place(tmp_path / "elsewhere"), dev=False)


def test_a_half_made_environment_is_made_anew(clone, tmp_path, capfd):
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / ".venv/bin/python").symlink_to(tmp_path / "gone")
    for lock in ("requirements", "dev"):
        (clone / f".ci/{lock}.lock").write_text("")
    (clone / "backend.py").write_text(BACKEND)
    system = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    (clone / "pyproject.toml").write_text(f'{system}[project]\nname = "fake"\nversion = "1"\n')
    command = [clone / ".ci/environment.py", "make"]
    subprocess.run([sys.executable, *command], check=True)
    assert "Set up in" in capfd.readouterr().err
    subprocess.run([clone / ".venv/bin/python", clone / ".ci/environment.py", "ready"], check=True)


HOLD = """
import os, sys; sys.path.insert(0, ".ci")
import environment, steps
from pathlib import Path
with environment._alone(environment.Place(Path.cwd())) as lock:
    print("mine", flush=True)
    for mark in sys.argv[1:]:
        work = "import os, signal; os.write(%s, b'%%d' %% os.getpid()); signal.pause()" % mark
        command = [sys.executable, "-c", work]
        steps.run("Working", command, Path("log"), os.environ, (lock, int(mark)))
    sys.stdin.read()
"""


def taking_its_turn(clone, *marks):
    """A set-up that has the clone to itself, or waits; it works for every mark it is given."""
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, *map(str, marks)],
        cwd=clone,
        text=True,
        pass_fds=marks,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_a_second_set_up_waits_for_the_first(clone):
    first = taking_its_turn(clone)
    assert first.stdout.readline() == "mine\n"
    second = taking_its_turn(clone)
    assert "Another set-up is running" in second.stderr.readline()
    first.communicate()
    assert second.communicate()[0] == "mine\n"


def test_what_a_killed_set_up_left_at_work_is_waited_for(clone):
    read, mark = os.pipe()
    first = taking_its_turn(clone, mark)
    left = int(os.read(read, 20))
    first.kill()
    first.communicate()
    second = taking_its_turn(clone)
    assert "Another set-up is running" in second.stderr.readline()
    os.kill(left, signal.SIGKILL)
    assert second.communicate()[0] == "mine\n"
    os.close(read)
    os.close(mark)


def test_packages_go_into_the_clone_whatever_the_callers_pip_settings(clone, set_up):
    callers = {"PIP_TARGET": "/x", "PIP_USER": "1", "PYTHONPATH": "/y", "PIP_INDEX_URL": "z"}
    env = set_up.pip_environment(set_up.Place(clone), callers)
    assert not {"PIP_TARGET", "PYTHONPATH"} & env.keys()
    assert (env["PIP_USER"], env["PIP_INDEX_URL"]) == ("0", "z")
    assert "my%20clone" in env["PIP_CONSTRAINT"]


def test_a_missing_compiler_is_told_before_anything_is_fetched(
    set_up, steps, monkeypatch, tmp_path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "cc-of-nowhere")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(
        steps.Trouble, match=r"No working C and C\+\+ compiler.*\n.*build-essential"
    ):
        set_up._require_compiler()


def test_too_little_room_is_told_with_both_figures(clone, set_up, steps, monkeypatch):
    monkeypatch.setitem(set_up.ROOM_MB, "environment", 10**9)
    with pytest.raises(steps.Trouble, match=r"MB free; the set-up takes up to 1,000,000,\d\d\d MB"):
        set_up._require_room(set_up.Place(clone))


@pytest.mark.parametrize(
    ("log", "share"),
    [("[9/36] CXX a.o\n[18/36] CXX b.o", ", 50 %"), ("[ 45%] Building", ", 45 %"), ("...", "")],
)
def test_the_share_that_is_built_is_read_from_the_log(steps, log, share):
    assert steps.share_built(log) == share


@pytest.mark.parametrize(
    ("output", "advice"),
    [
        ("OSError: [Errno 28] No space left on device", "Make room on the disk"),
        ("CMake Error: CMAKE_CXX_COMPILER not set", "Install a C++ compiler"),
        ("Failed to establish a new connection", "Look at the network connection"),
        ("something new", "Read the log"),
    ],
)
def test_a_failed_step_shows_the_end_of_its_log_and_what_to_do(steps, tmp_path, output, advice):
    log = tmp_path / "setup.log"
    log.write_text("an earlier step: No space left on device\n" * 2)
    command = [sys.executable, "-c", f"print('first'); print({output!r}); exit(3)"]
    with pytest.raises(steps.Trouble) as caught:
        steps.run("Building it", command, log, os.environ, ())
    assert f"    {output}\nBuilding it failed" in str(caught.value)
    assert advice in str(caught.value)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_stopping_a_set_up_stops_what_it_started(tmp_path, ending):
    mark, end = os.pipe()
    grandchild = f"import os, signal; os.write({end}, b'here'); signal.pause()"
    start = f"[sys.executable, '-c', {grandchild!r}], pass_fds=({end},)"
    child = f"import subprocess, sys; subprocess.run({start})"
    script = (
        "import os, signal, sys; sys.path.insert(0, '.ci')\n"
        "import steps; from pathlib import Path\n"
        "for each in (signal.SIGINT, signal.SIGTERM):\n"  # also where a parent ignores them
        "    signal.signal(each, signal.default_int_handler)\n"
        f"command = [sys.executable, '-c', {child!r}]\n"
        f"steps.run('x', command, Path({str(tmp_path / 'log')!r}), os.environ, ({end},))"
    )
    command = [sys.executable, "-c", script]
    started = subprocess.Popen(command, cwd=ROOT, pass_fds=(end,), stderr=subprocess.DEVNULL)
    os.close(end)
    assert os.read(mark, 4) == b"here"
    started.send_signal(ending)
    assert os.read(mark, 1) == b""  # nobody holds the other end any more
    os.close(mark)
    assert started.wait() != 0


def test_what_ignores_an_interruption_is_stopped_all_the_same(steps, tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "END_WITHIN_S", 0.1)
    ready, end = os.pipe()
    script = (
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"os.write({end}, b'x')\n"
        "signal.pause()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], pass_fds=(end,), start_new_session=True
    )
    os.close(end)
    assert os.read(ready, 1) == b"x"
    os.close(ready)
    steps._end(child)
    assert child.returncode == -signal.SIGTERM
