"""Text of a model, titles and names are text, whatever stands in them."""

from playwright.sync_api import expect

from e2e.talk import ask_and_wait, body, last_answer

EVIL = (
    '<img src=x onerror="window.strataOwned=1"><b hx-get="/trash" hx-trigger="load">x</b>'
    " [a](javascript:window.strataOwned=1) ![p](http://127.0.0.2/pixel.png)"
)


def test_markup_in_an_answer_does_nothing_while_it_streams_and_after(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "/slow /unsafe")
    for _ in range(2):
        expect(body(last_answer(page))).to_contain_text("The end of the markup.")
        assert page.evaluate("window.strataOwned") is None
        inside = body(last_answer(page))
        dangerous = "script, img, iframe, [onerror], [style], [hx-get], [data-hx-get]"
        expect(inside.locator(dangerous)).to_have_count(0)
        expect(inside.locator('a[href^="javascript:"]')).to_have_count(0)
        page.reload()


def test_markup_in_a_question_and_so_in_a_title_is_shown_as_typed(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, EVIL)
    assert page.evaluate("window.strataOwned") is None
    expect(page.locator("article.message.user .body")).to_contain_text("<img src=x")
    expect(page.locator("img")).to_have_count(0)
    expect(page.get_by_role("heading", name="<img src=x")).to_be_visible()


def test_a_page_of_another_address_can_neither_write_nor_listen(server, open_page):
    page = open_page(server.address)
    ask_and_wait(page, "private")
    socket = page.url.replace("http", "ws") + "/live"
    foreign = open_page(
        server.address.replace("127.0.0.1", "localhost"),
        allow=("Content Security Policy", "Refused", "WebSocket", "fetch", "violates"),
    )
    outcome = foreign.evaluate(
        """([post, socket]) => Promise.all([
            fetch(post, {method: 'POST', body: new URLSearchParams({text: 'x'})})
                .then(() => 'answered', () => 'refused'),
            new Promise(done => {
                let s; try { s = new WebSocket(socket); } catch { return done('refused'); }
                s.onopen = () => done('answered'); s.onerror = () => done('refused');
            }),
        ])""",
        [f"{server.address}/threads", socket],
    )
    assert outcome == ["refused", "refused"]
    page.reload()
    expect(page.get_by_role("link", name="private")).to_have_count(1)
