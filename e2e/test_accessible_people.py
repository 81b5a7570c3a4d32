"""The pages of those who share, as axe-core sees them."""

from e2e.axe import crawled, links
from e2e.talk import answer_again, ask_and_wait
from e2e.test_people import codes, come_in, share, wait_for_line


def test_axe_finds_nothing_on_the_pages_of_those_who_share(start_server, open_page):
    server = start_server("--lan")
    wait_for_line(server, "access code")
    own, lasting = codes(server)
    ada = come_in(open_page, server, "Ada", own, allow=("404",))
    ask_and_wait(ada, "Why do tides turn?")
    answer_again(ada)
    thread = ada.url.split("#")[0]
    ben = come_in(open_page, server, "Ben", lasting)
    share(ada, thread, "read")
    starts = [thread, f"{thread}/map", f"{thread}/assistant", f"{thread}/files"]
    _, of_reader = crawled(server, ben, starts, go_on=False)
    seen, faults = crawled(server, ada, [server.address + "/", *links(ada)])
    assert {"/account", "/share", "/threads/*/sharing"} <= seen
    stranger = open_page(f"{server.address}/login")
    _, more = crawled(server, stranger, [f"{server.address}/login", f"{server.address}/join"])
    faults += more + of_reader
    assert not faults, "\n".join(faults)
