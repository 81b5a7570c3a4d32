"""Where settings are changed while the server runs: checked, written, taken over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from webapp.errors import BadSetting
from webapp.settings import SETTINGS, Loaded, Settings
from webapp.settings_file import SettingsFile

_DEFAULTS: Final[dict[str, Any]] = {setting.name: setting.default for setting in SETTINGS}


class SettingsDesk:
    """`reload` reads all sources anew; `check` raises a StrataError for settings with which
    nothing would work; `adopt` makes the running parts use what they can of new ones."""

    def __init__(
        self,
        file: SettingsFile,
        reload: Callable[[], Loaded],
        check: Callable[[Settings], None],
        adopt: Callable[[Settings], None],
    ) -> None:
        self.file = file
        self.reload = reload
        self._check = check
        self._adopt = adopt
        self._lock = threading.Lock()

    def save(self, values: Mapping[str, Any]) -> None:
        """All of `values`, which were checked one by one, or none; None is the default. Raises
        BadSetting for what is set elsewhere, Conflict and StorageFailed as the file does."""
        with self._lock:
            loaded = self.reload()
            for name in values:
                if name in loaded.fixed or name == "data":
                    by = loaded.fixed.get(name, "its usual place")
                    raise BadSetting(f"{name} is set by {by}.", do="Change it there.")
            wanted = {k: _DEFAULTS[k] if v is None else v for k, v in values.items()}
            self._check(replace(loaded.settings, **wanted))
            self.file.change({k: _written(v) for k, v in values.items()})
            self._adopt(self.reload().settings)


def _written(value: Any) -> Any:
    """As TOML has it: a path is text there."""
    return value if value is None or isinstance(value, bool | int | float) else str(value)
