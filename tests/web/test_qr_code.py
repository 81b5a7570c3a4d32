"""Pictures for a phone's camera."""

import re

from webapp.web.qr_code import as_svg, in_terminal, join_url


def test_the_code_stands_where_no_server_and_no_log_sees_it():
    assert join_url("https://10.0.0.7:5100", "ABCD-1234").split("#") == [
        "https://10.0.0.7:5100/join",
        "code=ABCD-1234",
    ]


def test_the_picture_needs_no_style_or_script_and_says_what_it_is():
    svg = as_svg("http://10.0.0.7:5100/join", "Join <here>")
    assert svg.startswith("<svg")
    assert "style=" not in svg and "<script" not in svg
    assert "<title>Join &lt;here&gt;</title>" in svg
    assert re.search(r'viewBox="0 0 \d+ \d+"', svg)


def test_in_a_terminal_it_is_a_block_of_lines_of_the_same_width():
    lines = in_terminal("http://10.0.0.7:5100/join#code=ABCD-1234").splitlines()
    assert len({len(line) for line in lines}) == 1
    assert set("".join(lines)) <= set(" ▀▄█")
