"""The cookie with the reader's time zone."""

from datetime import datetime

from webapp.web.readers_day import ZONE_COOKIE


def test_the_day_is_that_of_the_browser_also_in_what_is_sent(page, client, clock, engine):
    clock.now = int(datetime.fromisoformat("2026-07-27T06:00+09:00").timestamp() * 1000)
    client.set_cookie(ZONE_COOKIE, "Asia/Tokyo")
    page.begin()
    assert "27 July 2026" in engine.requests[0].turns[0].content
    client.set_cookie(ZONE_COOKIE, "America/New_York")
    page.begin()
    assert "26 July 2026" in engine.requests[-1].turns[0].content
