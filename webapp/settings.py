"""Every setting of Strata: its unit, default, range and meaning; read once, then frozen.

Later sources win: defaults, `settings.toml` in the data directory, `STRATA_…` variables, options
on the command line. Only `app`, `cli` and `web` read `Settings`; other rooms get plain values.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from webapp.errors import BadSetting

SETTINGS_FILE = "settings.toml"


def _setting(default: Any, meaning: str, unit: str = "", lowest: int = 0, highest: int = 0) -> Any:
    """A field of Settings; `lowest` to `highest` is its range when it is a number."""
    facts = {"meaning": meaning, "unit": unit, "range": (lowest, highest)}
    return field(default=default, metadata=facts)


def _choice(default: str, meaning: str, *choices: str) -> Any:
    """A field of Settings that is one of a few words."""
    facts = {"meaning": meaning, "unit": "", "range": (0, 0), "choices": (default, *choices)}
    return field(default=default, metadata=facts)


def _secret(meaning: str) -> Any:
    """A text that no page, log or error may show; it is no option, for others can list those."""
    facts = {"meaning": meaning, "unit": "", "range": (0, 0), "secret": True}
    return field(default="", metadata=facts, repr=False)


@dataclass(frozen=True)
class Settings:
    data: Path = _setting(
        user_data_path("strata", appauthor=False) / "data", "Where threads and settings are kept."
    )
    models: Path = _setting(
        user_data_path("strata", appauthor=False) / "models", "Where model files are kept."
    )
    host: str = _setting("127.0.0.1", "The address to listen on.")
    port: int = _setting(5100, "The port to listen on.", "port", 1, 65535)
    lan: bool = _setting(
        False, "Share with others on the network: people sign in and have threads of their own."
    )
    without_sign_in: bool = _setting(
        False, "Let anyone who reaches the address read and write all threads, where lan is off."
    )
    tls: str = _choice(
        "off",
        "Encrypt the connection with a certificate that Strata makes (self), or not (off).",
        "self",
    )
    tls_cert: str = _setting("", "A certificate of your own for the connection: a PEM file.")
    tls_key: str = _setting("", "The key that belongs to that certificate: a PEM file.")
    engine: str = _choice(
        "llama_cpp",
        "What runs the model: llama_cpp, openai_http (a server elsewhere), or scripted (a demo).",
        "openai_http",
        "scripted",
    )
    base_url: str = _setting("", "Where the OpenAI-compatible server is, for openai_http.")
    api_key: str = _secret("The key for that server, if it wants one; never shown or logged.")
    model: str = _setting("", "Chat model: a catalogue name or a GGUF file; empty: by memory.")
    embedder: str = _setting(
        "multilingual-e5-small", "Embedding model: a catalogue name or a GGUF file."
    )
    small: bool = _setting(False, "Use the small starter model, however much memory is free.")
    context_tokens: int = _setting(
        8192, "The window that the chat model is loaded with.", "tokens", 512, 1_048_576
    )
    max_context_tokens: int = _setting(
        -1,
        "How much a request may fill; -1 is the whole loaded window, 0 leaves nothing out.",
        "tokens",
        -1,
        1_048_576,
    )
    auto_compact: str = _choice(
        "when_full",
        "When notes stand in for earlier messages: off, when_full or at_60 (percent).",
        "at_60",
        "off",
    )
    max_output_tokens: int = _setting(
        2048, "The longest answer; the window keeps room for it.", "tokens", 16, 131_072
    )
    threads: int = _setting(0, "Processor threads for the model; 0: automatic.", "threads", 0, 512)
    kv_cache_mib: int = _setting(
        2048,
        "Disk space for what models have read, to save reading it again; 0 keeps nothing.",
        "MiB",
        0,
        1_048_576,
    )
    unload_after_minutes: int = _setting(
        30,
        "An idle model frees its memory after this time; 0 keeps it loaded.",
        "minutes",
        0,
        10_080,
    )
    max_file_mb: int = _setting(20, "The largest file that can be attached.", "MB", 1, 200)
    file_use: str = _choice(
        "auto",
        "How files are sent: whole (inline), as passages (embeddings), by size (auto), or ask.",
        "inline",
        "embeddings",
        "ask",
    )
    file_search: str = _choice(
        "auto",
        "Search files if the model asks (model), or cannot decide (auto), always, or never (off).",
        "model",
        "always",
        "off",
    )
    recall: bool = _setting(False, "Let the model look into earlier threads, if nobody else reads.")
    find_by_meaning: bool = _setting(True, "Read threads in idle time, to find by meaning.")
    chunk_size_chars: int = _setting(
        512, "The longest passage that a file is cut into.", "characters", 64, 8192
    )
    overlap_chars: int = _setting(
        64, "How much of its end a passage shares with the next.", "characters", 0, 1024
    )
    chunk_cut: str = _choice(
        "structure",
        "Passages end where sentences and sections end (structure), or anywhere (plain).",
        "plain",
    )
    retrieval_limit: int = _setting(3, "How many passages a search gives.", "passages", 1, 20)
    retrieval_threshold: float = _setting(
        0.3, "How well a passage must fit to be found, from 0 (not at all) to 1.", "", 0, 1
    )
    search_by: str = _choice(
        "hybrid", "Find passages by meaning and words (hybrid), or by meaning (vector).", "vector"
    )
    search_mode: str = _choice(
        "auto", "Use an index when there is one (auto, ann), or read all (linear).", "ann", "linear"
    )
    grounding_threshold: float = _setting(
        0.65,
        "How alike a sentence and a passage must be for a number to appear, from 0 to 1.",
        "",
        0,
        1,
    )


SETTINGS = dataclasses.fields(Settings)
# As settings were called before; characters were always meant.
OLD_NAMES = {"chunk_size_tokens": "chunk_size_chars", "overlap_tokens": "overlap_chars"}
# As other programs say it, with or without quotes.
_OTHER_WORDS = {"auto_compact": {"true": "when_full", "false": "off"}}


@dataclass(frozen=True)
class Loaded:
    """What holds, a sentence for each value in settings.toml that is not used, the names that the
    file sets, and by name what sets a value that the file cannot change."""

    settings: Settings
    complaints: tuple[str, ...] = ()
    in_file: frozenset[str] = frozenset()
    fixed: Mapping[str, str] = field(default_factory=dict)


def load(environ: Mapping[str, str], options: Mapping[str, Any]) -> tuple[Settings, list[str]]:
    """Settings from all sources, and a sentence for each value in settings.toml not used."""
    loaded = load_all(environ, options)
    return loaded.settings, list(loaded.complaints)


def load_all(environ: Mapping[str, str], options: Mapping[str, Any]) -> Loaded:
    """A wrong variable or option raises BadSetting; a wrong line in the file keeps the default for
    that one setting, so that a server with a mistyped file still starts."""
    given = {k: v for k, v in options.items() if v is not None}
    chosen = {**_from_environ(environ), **given}
    checked = {name: checked_value(name, value) for name, value in chosen.items()}
    folder = checked.get("data", Settings.data)
    from_file, complaints = _from_file(Path(folder) / SETTINGS_FILE)
    fixed = {name: f"the variable STRATA_{name.upper()}" for name in checked}
    fixed |= {name: f"the option --{name.replace('_', '-')}" for name in given}
    settings = Settings(**{**from_file, **checked})
    return Loaded(settings, tuple(complaints), frozenset(from_file), fixed)


def checked_value(name: str, value: Any) -> Any:
    """`value` in the type of setting `name`. Raises BadSetting with the range."""
    known = {setting.name: setting for setting in SETTINGS}
    if name not in known:
        raise BadSetting(f"There is no setting “{name}”.", do=f"Known: {', '.join(known)}.")
    default = known[name].default
    value = _OTHER_WORDS.get(name, {}).get(str(value).strip().lower(), value)
    if isinstance(default, Path):
        return Path(str(value)).expanduser().absolute()
    if isinstance(default, bool):
        return _truth(name, value)
    if isinstance(default, int):
        return _whole_number(name, value, *known[name].metadata["range"])
    if isinstance(default, float):
        return _number(name, value, *known[name].metadata["range"])
    choices = known[name].metadata.get("choices", ())
    if choices and value not in choices:
        raise BadSetting(f"{name} cannot be {value!r}.", do=f"Choose one of {', '.join(choices)}.")
    if not isinstance(value, str):
        what = "" if known[name].metadata.get("secret") else f", not {value!r}"
        raise BadSetting(f"{name} must be text{what}.", do="Put it in quotes.")
    return value


def _truth(name: str, value: Any) -> bool:
    words = {"true": True, "1": True, "yes": True, "on": True}
    words |= {"false": False, "0": False, "no": False, "off": False, "": False}
    if isinstance(value, bool):
        return value
    if str(value).lower() not in words:
        raise BadSetting(f"{name} is on or off, not {value!r}.", do="Write true or false.")
    return words[str(value).lower()]


def _whole_number(name: str, value: Any, lowest: int, highest: int) -> int:
    try:
        number = int(value) if not isinstance(value, float) or value.is_integer() else lowest - 1
    except (TypeError, ValueError, OverflowError):
        number = lowest - 1
    if isinstance(value, bool) or not lowest <= number <= highest:
        raise BadSetting(
            f"{name} cannot be {value!r}.", do=f"Choose a whole number from {lowest} to {highest}."
        )
    return number


def _number(name: str, value: Any, lowest: float, highest: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = lowest - 1
    if isinstance(value, bool) or not lowest <= number <= highest:
        raise BadSetting(
            f"{name} cannot be {value!r}.", do=f"Choose a number from {lowest} to {highest}."
        )
    return number


def _from_environ(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {f"STRATA_{setting.name.upper()}": setting.name for setting in SETTINGS}
    return {name: environ[key] for key, name in names.items() if environ.get(key)}


def _from_file(path: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        raw, problems = read_toml(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        return {}, []
    except (OSError, UnicodeDecodeError) as error:
        return {}, [f"{path} cannot be read ({error}); defaults are used."]
    values, complaints = {}, [f"{path}: {problem} It was ignored." for problem in problems]
    for old, new in OLD_NAMES.items():
        if old in raw:
            raw.setdefault(new, raw.pop(old))
    if raw.pop("data", None) is not None:
        complaints.append(f"{path}: data is the folder this file is in, so it cannot be set here.")
    for name, value in raw.items():
        try:
            values[name] = checked_value(name, value)
        except BadSetting as error:
            complaints.append(f"{path}: {error} The default is used.")
    return values, complaints


def read_toml(text: str) -> tuple[dict[str, Any], list[str]]:
    """The values, and a sentence for each line that is wrong. One wrong line does not take the
    others with it; what it says is not repeated, for it may be a key."""
    try:
        return tomllib.loads(text), []
    except (ValueError, RecursionError) as error:
        problem = _where(error)
    values, problems = {}, []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            values.update(tomllib.loads(line))
        except (ValueError, RecursionError):
            problems.append(f"Line {number} is not “name = value”.")
    return values, problems or [f"It has an error{problem}."]


def _where(error: Exception) -> str:
    found = re.search(r"at line \d+", str(error))
    return f" {found[0]}" if found else ""
