import threading

import pytest

from webapp.engines.openai_models import Listing, Watch, listing_of
from webapp.errors import EngineFailed


@pytest.mark.parametrize(
    ("reply", "names"),
    [
        ({"data": [{"id": "b"}, {"id": "a"}, {"id": "b"}]}, ("b", "a")),
        ({"models": [{"name": "n"}, {"model": "m"}]}, ("n", "m")),
        ([{"id": "x"}], ("x",)),
        ({"data": [None, 3, {"id": 4}, {"id": " "}, {"id": "good"}]}, ("good",)),
        ({"data": "text"}, ()),
        ({}, ()),
        (None, ()),
        ("text", ()),
    ],
)
def test_names_are_found_in_the_order_of_the_server(reply, names):
    assert listing_of(reply).names == names


@pytest.mark.parametrize(
    ("entry", "context"),
    [
        ({"max_model_len": 32768}, 32768),
        ({"context_length": 16384}, 16384),
        ({"meta": {"n_ctx": 2048, "n_ctx_train": 131072}}, 2048),
        ({"meta": {"n_ctx_train": 131072}}, 8192),
        ({"meta": {"n_ctx_train": 2048}}, 2048),
        ({"loaded_context_length": 4096, "max_context_length": 65536}, 4096),
        ({"max_model_len": "many"}, 8192),
        ({"meta": None}, 8192),
    ],
)
def test_the_context_is_what_is_loaded_or_the_setting_up_to_what_can_be(entry, context):
    listing = listing_of({"data": [{"id": "m", **entry}]})
    assert listing.context_tokens("m", 8192) == context


def test_a_model_that_is_not_listed_has_the_context_of_the_setting():
    assert Listing().context_tokens("m", 8192) == 8192
    assert listing_of([{"id": "m", "meta": {"n_ctx_train": 99}}]).context_tokens("m", 0) == 99


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_it_looks_in_the_background_and_again_only_when_that_is_old():
    looks, go_on, clock = [], threading.Event(), Clock()

    def look():
        looks.append(1)
        assert go_on.wait(10)
        return Listing(("m",))

    watch = Watch(look, clock)
    assert watch.sight().state == watch.sight().state == "loading"
    go_on.set()
    watch.join(10)
    assert (watch.sight().state, watch.known.names, len(looks)) == ("ready", ("m",), 1)
    clock.now += 61
    watch.sight()
    watch.join(10)
    assert len(looks) == 2


def test_a_failed_look_is_told_and_soon_taken_again():
    answers, clock = [EngineFailed("It is down.", do="Start it."), Listing(("m",))], Clock()

    def look():
        answer = answers.pop(0)
        if isinstance(answer, EngineFailed):
            raise answer
        return answer

    watch = Watch(look, clock)
    watch.sight()
    watch.join(10)
    sight = watch.sight()
    assert (sight.state, sight.problem) == ("failed", "It is down. Start it.")
    clock.now += 6
    watch.sight()
    watch.join(10)
    assert watch.sight().state == "ready"


def test_what_others_saw_counts_too_and_keeps_the_list():
    watch = Watch(lambda: Listing(("m",)), Clock())
    assert watch.listing().names == ("m",)
    watch.fails("Down.")
    assert (watch.sight().state, watch.known.names) == ("failed", ("m",))
    watch.works()
    assert (watch.sight().state, watch.known.names) == ("ready", ("m",))


def test_who_needs_the_list_gets_the_reason_why_there_is_none():
    def look():
        raise EngineFailed("It is down.")

    with pytest.raises(EngineFailed, match="down"):
        Watch(look, Clock()).listing()
