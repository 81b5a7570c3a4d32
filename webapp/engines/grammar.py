"""From a JSON schema to a grammar that lets the model write nothing else. Used by the child only.

The library turns schemas into grammars, with faults that are made good here: it lets strings run
over lines, and quotes and backslashes in names and constants break its rules. llama.cpp itself
does not survive a grammar nested too deep, so that is refused before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import llama_cpp as lib
from llama_cpp.llama_grammar import SchemaConverter

from webapp.errors import EngineFailed

# Rules that no grammar of this library keeps: an answer could break them unnoticed.
_NOT_KEPT: Final = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern"),
    *("patternProperties", "propertyNames", "minProperties", "maxProperties", "uniqueItems"),
    *("contains", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
    *("unevaluatedProperties", "unevaluatedItems"),
)
# Each of them is written out in the grammar.
_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems")
_MOST: Final = 1000
_LONGEST: Final = 200_000
_DEEPEST: Final = 1000
_LITERAL_OR_CLASS: Final = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]')
_ANY_CHARACTER: Final = 'char ::= [^"\\\\] '
_CHARACTER_OF_A_LINE: Final = 'char ::= [^"\\\\\\x7F\\x00-\\x1F] '
_ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})


def new_grammar(vocabulary: Any, schema: Mapping[str, Any]) -> Any:
    """A sampler that the caller frees, or gives to a chain. EngineFailed says what is wrong."""
    grammar = lib.llama_sampler_init_grammar(vocabulary, rules_of(schema).encode(), b"root")
    if not grammar:
        raise _refused("llama.cpp does not take the grammar that it becomes")
    return grammar


def rules_of(schema: Mapping[str, Any]) -> str:
    """The grammar as text, within what llama.cpp survives."""
    for part in _schemas(dict(schema)):
        _refuse_what_breaks(part)
    try:
        rules = _converted(json.loads(json.dumps(schema)))
        rules.encode()
    except Exception as fault:  # the converter is foreign code and may raise anything
        raise _refused(str(fault)[:200] or type(fault).__name__) from fault
    if len(rules) > _LONGEST or _depth(rules) > _DEEPEST:
        raise _refused("it allows too many repetitions")
    return rules.replace(_ANY_CHARACTER, _CHARACTER_OF_A_LINE)


def _refuse_what_breaks(part: dict[str, Any]) -> None:
    for rule in _NOT_KEPT:
        if rule in part:
            raise _refused(f"“{rule}” cannot be kept")
    for rule in _COUNTS:
        count = part.get(rule)
        if isinstance(count, int | float) and count > _MOST:
            raise _refused(f"“{rule}” is more than {_MOST:,}")
    named = part.get("properties")
    if isinstance(named, dict) and "" in named:
        raise _refused("a property has no name")


class _Converter(SchemaConverter):
    def _format_literal(self, literal: str) -> str:
        """Names and constants come as JSON; letters of all scripts stand for themselves."""
        spelled = json.dumps(json.loads(literal), ensure_ascii=False)
        whole = spelled.encode("utf-8", "ignore").decode() == spelled
        return f'"{(spelled if whole else literal).translate(_ESCAPES)}"'


def _converted(schema: dict[str, Any]) -> str:
    make: Any = _Converter
    converter = make(prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False)
    converter.visit(converter.resolve_refs(schema, "schema"), "")
    return str(converter.format_grammar())


def _schemas(part: Any) -> Iterator[dict[str, Any]]:
    """A schema and those within it; what is called by a keyword's name is none."""
    if not isinstance(part, dict):
        return
    yield part
    for key in ("properties", "$defs", "definitions"):
        named = part.get(key)
        for inner in named.values() if isinstance(named, dict) else ():
            yield from _schemas(inner)
    for key in ("items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf"):
        found = part.get(key)
        for inner in found if isinstance(found, list) else [found]:
            yield from _schemas(inner)


def _depth(rules: str) -> int:
    depth = deepest = 0
    for mark in re.findall(r"[()]", _LITERAL_OR_CLASS.sub("", rules)):
        depth += 1 if mark == "(" else -1
        deepest = max(deepest, depth)
    return deepest


def _refused(why: str) -> EngineFailed:
    return EngineFailed(
        f"The model cannot be held to this schema: {why.rstrip('.')}.", do="Use a simpler schema."
    )
