"""Laws of the window."""

import itertools
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.chat.windows import call, message, result
from webapp.chat.estimate import estimated, estimated_message
from webapp.chat.limits import limits
from webapp.chat.scales import Scales
from webapp.chat.thinking import spoken
from webapp.chat.window import plan

TEXTS = st.text(min_size=1, max_size=120).filter(lambda text: text.strip() and spoken(text) == text)
ROLES = st.sampled_from(["user", "assistant"])
NUMBERS = st.integers(-50, 500)


def tokens_in_the_spec(text):
    return math.ceil(len(text) / 3.5) if text else 0


def kept_in_the_spec(texts, max_context, max_output, system):
    """The spec's trim, step by step: how many of the newest messages are kept."""
    budget = max_context - max_output - (tokens_in_the_spec(system) + 4)
    if budget <= 0:
        return 1
    kept, total = [], 0
    for text in reversed(texts):
        cost = tokens_in_the_spec(text) + 4
        if total + cost > budget and len(kept) > 0:
            break
        kept.insert(0, text)
        total += cost
    if len(kept) == 0:
        kept.append(texts[-1])
    return len(kept)


def sent(planned):
    return [id for id, state in planned.states.items() if state in ("sent", "pinned")]


@given(
    st.lists(st.tuples(ROLES, TEXTS), min_size=1, max_size=25),
    st.integers(1, 800),
    st.integers(1, 400),
    st.text(max_size=60),
)
def test_with_nothing_pinned_the_exact_window_is_the_spec_s(said, max_context, max_output, system):
    path = [message(f"m{at}", role, text) for at, (role, text) in enumerate(said)]
    system = system if system.strip() else ""
    planned = plan(
        path, Scales(), limits(max_context, max_output, 0), instructions=system, trim="exact"
    )
    count = kept_in_the_spec([text for _, text in said], max_context, max_output, system)
    assert sent(planned) == [each.id for each in path][-count:]


KINDS = st.sampled_from(
    ["user", "user", "assistant", "call", "result", "orphan", "empty", "failed", "system"]
)
STEPS = st.lists(
    st.tuples(KINDS, st.integers(1, 200), st.sampled_from(["", "", "", "pinned", "muted"])),
    max_size=25,
)


def built(steps):
    path = []
    for at, (kind, length, mark) in enumerate(steps):
        id, text, marks = f"m{at}", "x" * length, {mark: True} if mark else {}
        match kind:
            case "call":
                path.append(call(id, "1", text=text, **marks))
            case "result" | "orphan":
                path.append(result(id, "1" if kind == "result" else "9", text, **marks))
            case "empty":
                path.append(message(id, "assistant", " ", **marks))
            case "failed":
                path.append(message(id, "assistant", text, status="error", **marks))
            case role:
                path.append(message(id, role, text, **marks))
    return path


def whole(path):
    """The request's tokens by the template's own count: 9 for its frame, turns joined."""

    def count(parts):
        return 9 + estimated(parts) + 3 * len(parts)

    return Scales(count)


@given(STEPS, st.integers(30, 900), st.sampled_from(["steady", "exact"]), st.text(max_size=40))
@settings(max_examples=200)
def test_whatever_the_path_the_plan_keeps_its_promises(steps, most, trim, instructions):
    path = built(steps)
    scales = whole(path)
    planned = plan(path, scales, limits(most + 50, 50, 0), instructions=instructions, trim=trim)
    states, roles = planned.states, [role for role, _ in planned.parts]
    assert list(states) == [each.id for each in path]
    assert roles.count("system") <= 1
    assert "system" not in roles[1:]
    assert all(a != b or a == "tool" for a, b in itertools.pairwise(roles))
    for each in path:
        if each.metadata.get("muted"):
            assert states[each.id] == "muted"
    together(path, states)
    live = [id for id in states if states[id] in ("sent", "pinned", "left_out")]
    if live:
        assert states[live[-1]] in ("sent", "pinned")
    if scales.exact(planned.parts) > most:
        assert alone_too_long(planned, trim)
    assert planned.ledger.used == (scales.exact(planned.parts) if planned.parts else 9)


def together(path, states):
    """A result is sent exactly when the call right before it is."""
    head = None
    for each in path:
        if each.role != "tool":
            head = each
        elif states[each.id] in ("sent", "pinned"):
            assert head is not None
            assert head.data["tool_calls"][0]["id"] == each.data["tool_call_id"]
            assert states[head.id] in ("sent", "pinned")


def alone_too_long(planned, trim):
    """Nothing is sent but the newest group and, in a steady window, its question."""
    heads = [each for each in planned.messages if each.role != "tool"]
    return len(heads) <= (2 if trim == "steady" else 1)


@given(STEPS, NUMBERS, NUMBERS)
def test_estimates_never_pass_the_budget_unless_the_newest_does(steps, max_context, max_output):
    path = built(steps)
    found = limits(max_context, max_output, 0)
    planned = plan(path, Scales(), found)
    if found.prompt is None:
        assert planned.left_out == ()
    elif planned.ledger.used > found.prompt:
        assert alone_too_long(planned, "steady")


@given(st.lists(st.integers(1, 300), min_size=1, max_size=30), st.integers(60, 900))
def test_with_room_for_all_nothing_is_cut_and_the_window_never_begins_in_mid_turn(lengths, most):
    roles = ("user", "assistant")
    path = [message(f"m{at}", roles[at % 2], "x" * n) for at, n in enumerate(lengths)]
    planned = plan(path, Scales(), limits(most, 1, 0))
    costs = sum(map(estimated_message, path)) + 4
    if costs <= most - 1:
        assert planned.left_out == ()
    first = next(each for each in path if planned.states[each.id] == "sent")
    assert first.role == "user" or first is path[-1]
