"""One's own password, and leaving on every device."""

HOST = {"Host": "localhost:5100"}


def test_a_new_password_holds_and_a_wrong_old_one_is_told(house):
    client = house.client("reader")
    wrong = {"old": "wrong", "new": "another password"}
    answer = client.post("/account/password", data=wrong, headers=HOST)
    assert (answer.status_code, "old password is wrong" in answer.text) == (422, True)
    right = {"old": "reader's password", "new": "another password"}
    assert client.post("/account/password", data=right, headers=HOST).status_code == 303
    assert "reader" in client.get("/account?saved=yes", headers=HOST).text
    fields = {"name": "reader", "password": "another password"}
    assert house.client("nobody").post("/login", data=fields, headers=HOST).status_code == 303


def test_one_leaves_on_every_device_and_nobody_else_does(house):
    client = house.client("reader")
    assert client.post("/account/leaving", headers=HOST).location == "/login"
    assert client.get("/", headers=HOST).status_code == 303
    assert house.client("owner").get("/", headers=HOST).status_code == 200


def test_alone_there_is_no_account(client):
    assert client.get("/account", headers=HOST).status_code == 404
