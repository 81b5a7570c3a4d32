"""The tables that say where the vectors of what was said are, within the index of its words.

A message that comes is noted as not read yet; one that goes takes its vectors along, whoever
removes it, in the same transaction.
"""

from __future__ import annotations

from typing import Final

VECTORS: Final = "find.vectors"
"""The file beside the index: a vector in each of its places, numbered from 0."""

# A part of a message, from `start` to `stop`, has its vector at `slot`. What was freed is wiped
# before it is used again. `made` says by which model.
MEANING_TABLES: Final = """
CREATE TABLE part (
    slot INTEGER PRIMARY KEY, place INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL
);
CREATE INDEX part_place ON part (place);
CREATE TABLE unread (place INTEGER PRIMARY KEY);
CREATE TABLE freed (slot INTEGER PRIMARY KEY, wiped INTEGER NOT NULL DEFAULT 0);
CREATE TABLE made (space TEXT NOT NULL, dimension INTEGER NOT NULL);
CREATE TRIGGER came AFTER INSERT ON said WHEN new.role IN ('user', 'assistant') BEGIN
    INSERT OR IGNORE INTO unread VALUES (new.place);
END;
CREATE TRIGGER went AFTER DELETE ON said BEGIN
    INSERT OR IGNORE INTO freed (slot) SELECT slot FROM part WHERE place = old.place;
    DELETE FROM part WHERE place = old.place;
    DELETE FROM unread WHERE place = old.place;
END;
"""

ANEW: Final = (
    "DELETE FROM part",
    "DELETE FROM freed",
    "DELETE FROM made",
    "INSERT OR IGNORE INTO unread SELECT place FROM said WHERE role IN ('user', 'assistant')",
)
"""Everything is unread, and nothing is known of any model."""
