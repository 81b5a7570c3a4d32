"""Older backups give way, and with them the pieces that nothing needs any more."""

from __future__ import annotations

from contextlib import suppress

from webapp.backups.vault import Listing, Vault


def keep_newest(vault: Vault, listing: Listing, count: int) -> int:
    """How many gave way. The lists go first: a backup that is listed is whole."""
    old = listing.states[count:]
    for state in old:
        vault.forget(state)
    del listing.states[count:]
    return len(old)


def sweep(vault: Vault, listing: Listing) -> list[str]:
    """Remove what no backup needs, also what runs left that were cut short. Nothing goes while
    there is a list that cannot be read; then a sentence says so."""
    if listing.problems:
        names = ", ".join(f"states/{name}.json" for name in sorted(listing.problems))
        return [f"{names} cannot be read; until it is removed, no space is freed."]
    wanted = {digest for state in listing.states for digest in state.pieces()}
    with suppress(OSError):  # the next run will
        for digest in vault.objects.sizes().keys() - wanted:
            vault.objects.remove(digest)
    return []
