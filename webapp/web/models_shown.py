"""Models as their page shows them: what is here, what it takes, what can be done with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from webapp.engines.choice import choose
from webapp.engines.gguf_head import GgufHead
from webapp.engines.memory import available_bytes
from webapp.engines.model_lane import Work
from webapp.engines.models import Models, head_of
from webapp.engines.shelf import Item
from webapp.engines.speed import Speed
from webapp.errors import StrataError
from webapp.settings import Settings

ROLES = {"chat": "Answers", "embedding": "Finds passages", "": "Not used by itself"}
NO_TEMPLATE = (
    "Its file has no chat template, so messages are sent as ChatML, which it may not know. "
    "Answers may be odd."
)


@dataclass(frozen=True)
class Row:
    """One model. `need` is memory in bytes, 0 where it is not known; `used` says that it is the one
    that answers or embeds, `chosen` that it is so from the next start on; `made` is how large the
    model is and how its numbers are stored."""

    item: Item
    licence: str
    context: int
    need: int
    free: int | None
    used: bool
    chosen: bool
    work: Work | None
    speed: Speed | None
    note: str = ""
    made: str = ""

    @property
    def too_large(self) -> bool:
        return bool(self.need and self.free is not None and self.need > self.free and not self.used)

    @property
    def is_here(self) -> bool:
        return self.item.state == "present"

    @property
    def share(self) -> float:
        """Of the free memory, 0 to 1."""
        return min(1.0, self.need / self.free) if self.need and self.free else 0.0


@dataclass(frozen=True)
class Board:
    """`groups` by role, in order. `busy` asks the page to look again soon."""

    groups: dict[str, list[Row]]
    busy: bool
    free: int | None
    testing: str
    problem: str
    fastest: float
    can_load: bool


def board(models: Models, running: Settings, wanted: Settings, *, can_load: bool) -> Board:
    """`running` holds now, `wanted` from the next start on."""
    free, used, chosen = available_bytes(), in_use(models, running), in_use(models, wanted)
    speeds, rows = models.speeds.known(), []
    for item in models.shelf.items(models.catalog):
        head = head_of(item.path) if item.state == "present" else None
        rows.append(
            Row(
                item,
                item.entry.licence if item.entry else "as its publisher says",
                item.context,
                _need(item, head, running.context_tokens),
                free,
                item.path.name in used,
                item.path.name in chosen,
                models.lane.of(item.path.name),
                speeds.get(item.path.stem),
                NO_TEMPLATE if head and item.role == "chat" and not head.chat_template else "",
                _made(head),
            )
        )
    known = {row.item.path.name for row in rows}
    new = [each for each in models.lane.works() if each.file not in known]
    rows += [_coming(models, work, free) for work in new]
    groups = {role: [row for row in rows if row.item.role == role] for role in ROLES}
    busy = any(row.work and row.work.is_busy for row in rows) or bool(models.speeds.testing)
    fastest = max((rate for each in speeds.values() for rate in _rates(each)), default=0.0)
    shown = {role: found for role, found in groups.items() if found}
    return Board(shown, busy, free, models.speeds.testing, models.speeds.problem, fastest, can_load)


def in_use(models: Models, settings: Settings) -> set[str]:
    """File names of the models that answer and embed here; none when they are elsewhere."""
    if settings.engine != "llama_cpp":
        return set()
    catalog, shelf = models.catalog, models.shelf
    chat = catalog.chat_default(available_bytes(), settings.small)
    found = set()
    for wanted, default in (
        (settings.model, chat),
        (settings.embedder, catalog.embedding_default()),
    ):
        try:
            found.add(choose(wanted, default, catalog, shelf).path.name)
        except StrataError:
            continue
    return found


def _need(item: Item, head: GgufHead | None, context: int) -> int:
    if item.entry:
        return item.entry.memory
    return head.memory_bytes(min(context, head.context_tokens or context)) if head else 0


def _made(head: GgufHead | None) -> str:
    if head is None:
        return ""
    many = head.parameters
    size = f"{many / 1e9:.1f} billion" if many >= 1e9 else f"{many / 1e6:.0f} million"
    parts = [f"{size} parameters" if many >= 1e6 else "", head.quantization]
    return " · ".join(part for part in parts if part)


def _coming(models: Models, work: Work, free: int | None) -> Row:
    """A download whose first byte has not come yet."""
    path = Path(models.shelf.folder / work.file)
    item = Item(path.stem, path.stem, "chat", path, 0, "absent", 0)
    return Row(item, "as its publisher says", 0, 0, free, False, False, work, None)


def _rates(speed: Speed) -> tuple[float, float]:
    return speed.reading, speed.writing
