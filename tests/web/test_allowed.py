"""No page offers what its reader may not do. Everybody walks over all pages of a shared Strata that
links lead them to; each form, link and htmx attribute is asked of the table of permissions."""

from collections import Counter

import pytest

from tests.documents.taking_in import HeldModel
from tests.web.calls import HOST
from tests.web.full_house import FullHouse
from tests.web.offers import offers
from webapp.documents.embedding import EmbeddingModel
from webapp.documents.service import Documents
from webapp.people.permission import may
from webapp.web.access import current_member
from webapp.web.allowed import EVERYTHING, Allowed, in_project, in_thread, keeps
from webapp.web.permissions import RULES
from webapp.web.things import thing_at

MOST_OF_A_KIND = 8
ON_NO_PAGE = {"project_files.choose_use"}  # files of a project are always searched


@pytest.fixture
def model():
    return HeldModel()


@pytest.fixture
def documents(settings, model, clock, new_id):
    name = EmbeddingModel("words", model.dimension)
    documents = Documents(settings.data, model, name, clock_ms=clock, new_id=new_id)
    yield documents
    model.gate.set()
    documents.close()


@pytest.fixture
def walk(house, services, store, model, crowded):
    full = FullHouse(house, services, store, model, crowded)
    return lambda who: Walk(house, who, full.starts)


class Walk:
    """What `who` is offered on all pages they come to: `refused` is what they may not ask for, with
    the page that offers it; `endpoints` are all they are offered."""

    def __init__(self, house, who, starts):
        self._house, self._who = house, who
        self._urls = house.app.url_map.bind(HOST)
        self.refused, self.endpoints, self._seen = {}, set(), set()
        self._kinds = Counter()
        waiting = list(starts)
        while waiting:
            address = waiting.pop()
            waiting += sorted(self._look(address) - self._seen)

    def _look(self, address):
        """Opens a page; the addresses that it leads to."""
        self._seen.add(address)
        client, leads = self._house.client(self._who), set()
        answer = client.get(address, headers={"Host": HOST})
        told = self._who, address, answer.status_code
        assert answer.status_code in (200, 204, 303, 404, 409, 422), told
        page = answer.text if answer.mimetype == "text/html" else ""
        answer.close()
        for method, path, query in offers(page, address):
            endpoint, ids = self._urls.match(path, method, websocket=path.endswith("/live"))
            self.endpoints.add(endpoint)
            if not self._may(endpoint, ids):
                self.refused[method, endpoint] = address
            elif method == "GET":
                leads |= self._worth_a_look((endpoint, ids.get("act")), path, query)
        return leads

    def _may(self, endpoint, ids):
        rule = RULES[endpoint]
        with self._house.visiting(self._who):
            thing = thing_at(rule.whose, ids.get("thread_id", ""), ids.get("project_id", ""))
            return may(current_member(), rule.action, thing)

    def _worth_a_look(self, kind, path, query):
        address = f"{path}?{query}" if query else path
        if kind[0] in ("static", "route") or address in self._seen:
            return set()
        self._kinds[kind] += 1
        return {address} if self._kinds[kind] <= MOST_OF_A_KIND else set()


def test_whoever_walks_over_the_pages_is_offered_only_what_they_may_do(walk):
    walked = {who: walk(who) for who in ("other", "reader", "writer", "owner")}
    assert {who: each.refused for who, each in walked.items() if each.refused} == {}
    # What they may do is offered somewhere, or the walk would prove little.
    acts = _changing("thread", "project") - ON_NO_PAGE
    assert acts - walked["owner"].endpoints == set()
    written = {name for name in acts if RULES[name].action == "write"}
    assert written - walked["writer"].endpoints == set()
    assert _changing("assistants", "house") & walked["owner"].endpoints
    assert "editing.fork" in walked["reader"].endpoints


def _changing(*whose):
    return {name for name, rule in RULES.items() if rule.whose in whose and rule.action != "read"}


def test_it_says_what_each_may_do_and_whose_it_is(house):
    says = {}
    for who in ("reader", "writer", "owner"):
        with house.visiting(who):
            says[who] = in_thread(house.thread)
            assert in_project(house.project) == says[who]
            assert keeps("house") is keeps("assistants") is (who == "owner")
    reader, writer = (
        Allowed(each, own=False, owner="owner", shared=True) for each in (False, True)
    )
    owner = Allowed(write=True, own=True, shared=True)
    assert says == {"reader": reader, "writer": writer, "owner": owner}


def test_what_nobody_owns_by_name_is_the_owners(house, library):
    thread = library.create("Left behind", owner="gone").id
    library.sharing.share(thread, {"all": "read"})
    with house.visiting("other"):
        assert in_thread(thread).owner == "owner"


def test_a_strata_that_is_not_shared_allows_everything_and_looks_nothing_up(app):
    with app.test_request_context("/"):
        assert in_thread("nothing") is in_project("nothing") is EVERYTHING
        assert keeps("house")


def test_a_project_that_may_only_be_read_takes_no_threads(house, services):
    closed = services.projects.make("Closed", owner=house.ids["owner"]).id
    services.projects.share(closed, {house.ids["writer"]: "read"})
    mine = services.library.create("Mine", owner=house.ids["writer"]).id
    page = house.client("writer").get(f"/threads/{mine}", headers={"Host": HOST}).text
    assert f'value="{house.project}"' in page
    assert f'value="{closed}"' not in page
