"""Settings as a page shows them: in groups, in words, with what holds and what is waiting."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webapp.settings import SETTINGS, Loaded, Settings

GROUPS: Final = (
    (
        "Model",
        "engine model small context_tokens threads unload_after_minutes kv_cache_mib base_url "
        "api_key",
    ),
    ("Window", "max_context_tokens max_output_tokens auto_compact"),
    (
        "Files",
        "max_file_mb file_use file_search embedder chunk_size_chars overlap_chars chunk_cut",
    ),
    (
        "Search and citations",
        "recall find_by_meaning retrieval_limit retrieval_threshold search_by search_mode "
        "grounding_threshold",
    ),
    ("This server", "data models host port lan without_sign_in tls tls_cert tls_key"),
)
_REST: Final = "More"
_LABELS: Final = {
    "api_key": "API key",
    "base_url": "Address of the model server",
    "small": "Small model",
    "kv_cache_mib": "Cache of what was read",
    "max_file_mb": "Largest file",
    "auto_compact": "Notes on earlier messages",
    "max_context_tokens": "Longest request",
    "max_output_tokens": "Longest answer",
    "context_tokens": "Loaded window",
    "threads": "Processor threads",
    "unload_after_minutes": "Unload after",
    "chunk_size_chars": "Passage size",
    "overlap_chars": "Passage overlap",
    "chunk_cut": "Passage ends",
    "recall": "Earlier threads",
    "retrieval_limit": "Passages found",
    "retrieval_threshold": "Least score",
    "grounding_threshold": "Least likeness for a number",
    "data": "Data folder",
    "tls": "TLS",
    "tls_cert": "TLS certificate",
    "tls_key": "TLS key",
    "models": "Models folder",
}
# What the running server takes over; all else waits for the next start.
AT_ONCE: Final = frozenset(
    {
        "max_context_tokens",
        "max_output_tokens",
        "auto_compact",
        "max_file_mb",
        "file_use",
        "file_search",
        "retrieval_limit",
        "retrieval_threshold",
        "search_by",
        "search_mode",
        "grounding_threshold",
        "recall",
        "find_by_meaning",
    }
)
FROM_NOW_ON: Final = frozenset({"chunk_size_chars", "overlap_chars", "chunk_cut"})
WITH_THE_MODEL: Final = frozenset(
    {
        "model",
        "small",
        "context_tokens",
        "threads",
        "unload_after_minutes",
        "kv_cache_mib",
        "base_url",
        "api_key",
    }
)
LIVE: Final = AT_ONCE | FROM_NOW_ON | WITH_THE_MODEL
_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True)
class Field:
    """One setting. `fixed` says what sets it from outside; `waits` is what holds until the next
    start, when that is another value."""

    name: str
    label: str
    group: str
    meaning: str
    unit: str
    choices: tuple[str, ...]
    secret: bool
    value: str
    default: str
    allowed: str
    effect: str
    fixed: str = ""
    waits: str = ""
    is_default: bool = True
    problem: str = ""

    def matches(self, query: str) -> bool:
        """Whether every word of `query` is somewhere in what is said of it."""
        said = " ".join((self.name, self.label, self.group, self.meaning, self.unit, *self.choices))
        return all(word in said.casefold() for word in query.casefold().split())


def fields(loaded: Loaded, in_use: Settings) -> list[Field]:
    """All settings, in the order of the page."""
    return [_field(name, group, loaded, in_use) for group, name in _in_order()]


def grouped(shown: Iterable[Field]) -> dict[str, list[Field]]:
    groups: dict[str, list[Field]] = {}
    for field in shown:
        groups.setdefault(field.group, []).append(field)
    return groups


def typed_again(
    shown: Iterable[Field], typed: Mapping[str, str], problems: Mapping[str, str]
) -> list[Field]:
    """With what was typed, and what was wrong with it. A secret is not sent back."""
    return [
        dataclasses.replace(
            field,
            value=field.value if field.secret else typed.get(field.name, field.value),
            problem=problems.get(field.name, ""),
        )
        for field in shown
    ]


def label_of(name: str) -> str:
    return _LABELS.get(name, name.replace("_", " ").capitalize())


def effect_of(name: str) -> str:
    """When a change of it holds, in words."""
    if name in AT_ONCE:
        return "at once"
    if name in FROM_NOW_ON:
        return "for files attached from now on"
    if name in WITH_THE_MODEL:
        return "with the next answer; the model is loaded again"
    return "after Strata is restarted"


def words_of(value: Any) -> str:
    """As it is typed into the field."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _in_order() -> list[tuple[str, str]]:
    placed = [(group, name) for group, names in GROUPS for name in names.split()]
    known = {name for _, name in placed}
    rest = [(_REST, name) for name in _BY_NAME if name not in known]
    return [(group, name) for group, name in placed if name in _BY_NAME] + rest


def _field(name: str, group: str, loaded: Loaded, in_use: Settings) -> Field:
    setting, value, held = _BY_NAME[name], getattr(loaded.settings, name), getattr(in_use, name)
    facts, secret = setting.metadata, bool(setting.metadata.get("secret"))
    choices = ("on", "off") if isinstance(setting.default, bool) else facts.get("choices", ())
    waits = ("another key" if secret else words_of(held) or "empty") if value != held else ""
    fixed = loaded.fixed.get(name, "")
    if name == "data" and not fixed:
        fixed = "its usual place"
    return Field(
        name,
        label_of(name),
        group,
        facts["meaning"],
        facts["unit"],
        tuple(choices),
        secret,
        value="set" if secret and value else "" if secret else words_of(value),
        default=words_of(setting.default) or ("not set" if secret else "empty"),
        allowed=_allowed(setting.default, facts, choices),
        effect=effect_of(name),
        fixed=fixed,
        waits=waits,
        is_default=name not in loaded.in_file,
    )


def _allowed(default: Any, facts: Mapping[str, Any], choices: Iterable[str]) -> str:
    if choices:
        return ", ".join(choices)
    if isinstance(default, int | float):
        lowest, highest = facts["range"]
        return f"{lowest:,} to {highest:,}"
    return "a folder" if isinstance(default, Path) else ""
