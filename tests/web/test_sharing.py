"""Saying with whom a thread or a project is shared."""

HOST = {"Host": "localhost:5100"}


def test_the_owner_shares_with_all_or_some_and_takes_it_back(house):
    for url in (f"/threads/{house.thread}", f"/projects/{house.project}"):
        owner, other = house.client("owner"), house.client("other")
        page = owner.get(f"{url}/sharing", headers=HOST).text
        assert "reader" in page
        assert other.get(url, headers=HOST).status_code == 404
        answer = owner.post(f"{url}/sharing", data={"all": "read"}, headers=HOST)
        assert answer.location == f"{url}/sharing?saved=yes"
        assert other.get(url, headers=HOST).status_code == 200
        one = {f"person-{house.ids['other']}": "write"}
        owner.post(f"{url}/sharing", data=one, headers=HOST)
        assert house.client("reader").get(url, headers=HOST).status_code == 404
        assert other.get(url, headers=HOST).status_code == 200
        owner.post(f"{url}/sharing", data={}, headers=HOST)
        assert other.get(url, headers=HOST).status_code == 404


def test_another_word_is_refused_and_changes_nothing(house):
    url = f"/threads/{house.thread}/sharing"
    assert house.client("owner").post(url, data={"all": "own"}, headers=HOST).status_code == 422
    found = house.library.thread(house.thread).metadata["shares"]
    assert found == {house.ids["reader"]: "read", house.ids["writer"]: "write"}
