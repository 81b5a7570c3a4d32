import dataclasses

import pytest

from webapp.engines.engine import Finished, Reading, Request, Sampling, Text, Turn


@pytest.mark.parametrize(
    "value",
    [
        Turn("user", "x"),
        Sampling(),
        Request("r", ()),
        Reading(0, 1, 0),
        Text("x", 1),
        Finished("stop", 1, 0, 1, 0.1, 0.2),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_cannot_be_changed(value):
    first = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, first, None)


def test_without_wishes_a_request_gets_the_built_in_assistants_sampling():
    sampling = Request("r", (Turn("user", "x"),)).sampling
    assert (sampling.temperature, sampling.top_k, sampling.top_p) == (0.7, 20, 0.8)
    assert (sampling.repeat_penalty, sampling.seed) == (1.12, None)
