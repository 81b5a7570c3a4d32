"""Names by which others reach this machine."""

import socket

from webapp.web.own_names import own_names


def test_they_are_addresses_and_the_machines_name_and_never_everybody():
    names = own_names()
    assert "0.0.0.0" not in names
    assert not any(name.startswith("127.") for name in names)
    assert socket.gethostname().lower().removesuffix(".local") in names
    assert len(set(names)) == len(names)
