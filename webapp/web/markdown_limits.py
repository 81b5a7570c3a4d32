"""What keeps a hostile or broken text from holding the server: bounds on tables and on time."""

from __future__ import annotations

import time
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import table
from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

MOST_CELLS: Final = 10_000
MOST_COLUMNS: Final = 100
_STEPS_BETWEEN_LOOKS: Final = 100


class TooSlow(Exception):
    """A text takes longer to parse than a reader should wait."""


def install(md: MarkdownIt) -> None:
    md.block.ruler.at("table", bounded_table, {"alt": ["paragraph", "reference"]})
    md.block.ruler.before("table", "in_time", in_time_block, {"alt": ["paragraph"]})
    md.inline.ruler.before("text", "in_time", in_time_inline)


def start_clock(env: EnvType, seconds: float) -> None:
    """From here on, parsing with `env` raises TooSlow after `seconds` of this thread's own
    processor time: a busy machine does not change what a text looks like."""
    env["too_late"] = time.thread_time() + seconds
    env["steps"] = 0


def in_time_inline(state: StateInline, _silent: bool) -> bool:
    return _look_at_clock(state.env)


def in_time_block(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
    return _look_at_clock(state.env)


def _look_at_clock(env: EnvType) -> bool:
    """Matches nothing, ever: a rule only to be asked at every step."""
    if "too_late" in env:
        env["steps"] += 1
        if env["steps"] % _STEPS_BETWEEN_LOOKS == 0 and time.thread_time() > env["too_late"]:
            raise TooSlow
    return False


def bounded_table(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:  # noqa: N803
    """A table, unless it has more cells than a page can hold; then its lines stay text."""
    if startLine < state.env.get("no_table_before", 0):
        return False
    if not table(state, startLine, endLine, True):
        return False
    columns = line_at(state, startLine + 1).count("|") + 1
    rows = min(endLine - startLine, MOST_CELLS // columns + 1)
    cells = _filled_lines(state, startLine, startLine + rows) * columns
    if columns > MOST_COLUMNS or cells > MOST_CELLS:
        state.env["no_table_before"] = startLine + rows
        return False
    return table(state, startLine, endLine, silent)


def line_at(state: StateBlock, line: int) -> str:
    """A line without its indentation."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _filled_lines(state: StateBlock, first: int, behind: int) -> int:
    for line in range(first, behind):
        if state.isEmpty(line):
            return line - first
    return behind - first
