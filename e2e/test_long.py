"""A long thread with a long name, among many."""

import time

import pytest
from playwright.sync_api import expect

from webapp.chat.messages import new_message, new_thread
from webapp.chat.records import Put
from webapp.threads.jsonl import JsonlThreadStore

SCREENS = {"wide": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
TO_THE_END = "c => c.scrollHeight - c.scrollTop - c.clientHeight"
WIDTH = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
NAME = "Donaudampfschifffahrtsgesellschaft" * 5
THREADS = 130


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many") / "data"
    store = JsonlThreadStore(folder, lambda: time.time_ns() // 1_000_000)
    for number in range(THREADS):
        store.create_thread(new_thread(id=f"t{number}", title=f"Walk {number}", created=number))
    store.create_thread(new_thread(id="long", title=NAME, created=time.time()))
    parent, puts = None, []
    for number in range(400):
        metadata = {"parentId": parent}
        parent = f"m{number}"
        role, text = ("assistant", f"{number}: " + "One of many lines.\n\n" * (number % 9 + 1))
        role = role if number % 2 else "user"
        made = {"id": parent, "thread_id": "long", "role": role, "text": text}
        puts.append(Put(new_message(**made, created_at=number + 1, metadata=metadata)))
    store.write("long", puts)
    store.close()
    return folder


@pytest.mark.parametrize("screen", SCREENS)
def test_a_long_thread_opens_at_its_end_and_grows_upwards(data, start_server, open_page, screen):
    server = start_server(data=data)
    page = open_page(f"{server.address}/threads/long", viewport=SCREENS[screen])
    box = page.locator("#conversation")
    last = page.locator("#message-m399")
    expect(last).to_be_in_viewport()
    page.wait_for_timeout(1000)
    assert box.evaluate(TO_THE_END) <= 1
    assert page.evaluate(WIDTH) <= 0
    count = page.locator("article.message").count()
    assert count < 400
    box.hover()
    for _ in range(60):
        page.mouse.wheel(0, -3000)
        page.wait_for_timeout(30)
        if page.locator("article.message").count() > count:
            break
    assert page.locator("article.message").count() > count
    assert box.evaluate(TO_THE_END) > 500


@pytest.mark.parametrize("screen", SCREENS)
def test_many_threads_are_a_list_that_fits(data, start_server, open_page, screen):
    page = open_page(start_server(data=data).address, viewport=SCREENS[screen])
    if screen == "phone":
        page.get_by_role("button", name="Threads").click()
    assert page.locator(".thread-list").bounding_box()["height"] > 300
    more = page.get_by_role("link", name="All threads (")
    more.scroll_into_view_if_needed()
    more.click()
    expect(page.locator("main .row-title")).not_to_have_count(0)
    assert page.evaluate(WIDTH) <= 0
