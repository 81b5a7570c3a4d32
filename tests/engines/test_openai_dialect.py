from webapp.engines.engine import Request, Sampling, Turn
from webapp.engines.openai_dialect import Dialect
from webapp.engines.openai_refusal import Overflow, Refusal

ASKED = Request(
    "r", (Turn("system", "Be brief."), Turn("user", "Hi")), 9, Sampling(seed=3), ("END", "")
)


def test_a_request_has_every_field_a_server_may_know():
    body = Dialect().body(ASKED, "m", 7)
    assert (body["model"], body["max_tokens"], body["seed"], body["stop"]) == ("m", 7, 3, ["END"])
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["repeat_penalty"] == body["repetition_penalty"] == 1.12
    assert "seed" not in Dialect().body(Request("r", ()), "m", 7)


def test_a_field_that_is_refused_by_name_is_left_out_alone():
    dialect = Dialect().after(Refusal(400, "Unrecognized request argument: stream_options"))
    body = dialect.body(ASKED, "m", 7)
    assert "stream_options" not in body
    assert body["top_k"] == 20


def test_a_refusal_without_a_name_leaves_out_what_is_no_standard():
    dialect = Dialect().after(Refusal(422, "extra fields not permitted"))
    body = dialect.body(ASKED, "m", 7)
    assert {"temperature", "top_p", "stop"} <= set(body)
    assert not {"top_k", "stream_options", "repeat_penalty", "repetition_penalty"} & set(body)
    assert dialect.after(Refusal(422, "extra fields not permitted")) is None


def test_the_limit_gets_its_new_name():
    said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    dialect = Dialect().after(Refusal(400, said))
    body = dialect.body(ASKED, "m", 7)
    assert body["max_completion_tokens"] == 7
    assert "max_tokens" not in body


def test_a_model_that_takes_no_temperature_gets_none():
    dialect = Dialect().after(Refusal(400, "'temperature' does not support 0.7 with this model."))
    assert "temperature" not in dialect.body(ASKED, "m", 7)


def test_other_refusals_are_not_about_the_way_of_asking():
    assert Dialect().after(Refusal(500, "stream_options broke")) is None
    assert Dialect().after(Refusal(401)) is None
    assert Dialect().after(Refusal(400, "too long", overflow=Overflow(9, 5))) is None
    assert Dialect().after(Refusal(400, "model not found")) is None


def test_a_schema_and_tools_are_sent_until_a_server_refuses_them():
    tool = {"type": "function", "function": {"name": "retrieve"}}
    request = Request("r", (), schema={"type": "object"}, tools=(tool,))
    body = Dialect().body(request, "m", 7)
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert body["tools"] == [tool]
    refusal = Refusal(400, "response_format.type must be text or json_object")
    dialect = Dialect().after(refusal)
    assert Dialect().after(Refusal(500, refusal.message)) == dialect
    form = {"type": "json_object", "schema": {"type": "object"}}
    assert dialect.body(request, "m", 7)["response_format"] == form
    dialect = dialect.after(refusal)
    assert "response_format" not in dialect.body(request, "m", 7)
    assert dialect.body(request, "m", 7)["tools"] == [tool]
    plain = Dialect().body(ASKED, "m", 7)
    assert not {"response_format", "tools"} & set(plain)


def test_results_of_tools_are_one_turn_of_a_person():
    turns = [Turn("user", "Hi"), Turn("assistant", "<tool_call>"), Turn("tool", "1")]
    turns += [Turn("tool", "2"), Turn("assistant", "So.")]
    messages = Dialect().body(Request("r", tuple(turns)), "m", 7)["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant", "user", "assistant"]
    results = [f"<tool_response>\n{n}\n</tool_response>" for n in (1, 2)]
    assert messages[2]["content"] == "\n".join(results)
