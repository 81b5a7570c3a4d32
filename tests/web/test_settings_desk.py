import threading

import pytest

from webapp.errors import BadSetting, NotFound
from webapp.settings import Settings, load_all
from webapp.settings_file import SettingsFile
from webapp.web.settings_desk import SettingsDesk


class Parts:
    def __init__(self, folder, environ):
        self.adopted = []
        self.refusal = None
        self.file = SettingsFile(folder / "settings.toml")
        reload = lambda: load_all(environ, {"data": folder})  # noqa: E731
        self.desk = SettingsDesk(self.file, reload, self.check, self.adopted.append)

    def check(self, wanted):
        if wanted.model == "nowhere":
            raise NotFound("There is no such model.")


@pytest.fixture
def parts(tmp_path):
    return Parts(tmp_path, {"STRATA_PORT": "9"})


def test_what_is_saved_is_written_and_taken_over(parts):
    parts.desk.save({"threads": 3, "small": True})
    assert parts.file.path.read_text("utf-8") == "threads = 3\nsmall = true\n"
    assert [(each.threads, each.small) for each in parts.adopted] == [(3, True)]
    parts.desk.save({"threads": None})
    assert parts.adopted[-1].threads == Settings.threads


@pytest.mark.parametrize("values", [{"port": 10}, {"threads": 3, "data": "/x"}])
def test_what_is_set_elsewhere_is_refused_and_nothing_is_written(parts, values):
    with pytest.raises(BadSetting, match="is set by"):
        parts.desk.save(values)
    assert not parts.file.path.exists()


def test_what_would_not_work_is_not_written(parts):
    with pytest.raises(NotFound):
        parts.desk.save({"model": "nowhere"})
    assert (parts.file.path.exists(), parts.adopted) == (False, [])


def test_two_who_save_at_once_are_both_heard(parts):
    names = ["threads", "retrieval_limit", "max_file_mb", "context_tokens"]
    savers = [
        threading.Thread(target=parts.desk.save, args=({name: 600 // 40},)) for name in names[:3]
    ]
    for each in savers:
        each.start()
    for each in savers:
        each.join()
    held = parts.desk.reload().settings
    assert (held.threads, held.retrieval_limit, held.max_file_mb) == (15, 15, 15)
    assert len(parts.adopted) == 3
