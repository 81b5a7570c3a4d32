"""Both ends of a real TLS connection: reading and writing at once, and parting."""

import socket
import ssl
import threading
from datetime import UTC, datetime

import pytest

from webapp.tls.own import own
from webapp.web import tls_socket
from webapp.web.tls_socket import TlsSocket


@pytest.fixture
def ends(tmp_path):
    certificate = own(tmp_path, [], datetime.now(UTC))
    trusting = ssl.create_default_context(cafile=str(certificate.file))
    near, far = socket.socketpair()
    made = []

    def serve():
        made.append(certificate.context().wrap_socket(near, server_side=True))

    server = threading.Thread(target=serve)
    server.start()
    client = trusting.wrap_socket(far, server_hostname="localhost")
    server.join(10)
    ours = TlsSocket(made[0])
    yield ours, client
    ours.close()
    client.close()


def test_one_thread_reads_while_another_writes_and_no_byte_is_lost(ends):
    ours, client = ends
    out, back = b"ab" * 400_000, b"xyz" * 200_000
    got, seen = bytearray(), bytearray()

    def take(read, size, into):
        while len(into) < size:
            into.extend(read(4096))

    threads = [
        threading.Thread(target=take, args=(ours.recv, len(back), got)),
        threading.Thread(target=ours.sendall, args=(out,)),
        threading.Thread(target=client.sendall, args=(back,)),
    ]
    for each in threads:
        each.start()
    # The client's own end has one thread in it at a time in this test: it writes, then reads.
    threads[2].join(20)
    take(client.recv, len(out), seen)
    for each in threads:
        each.join(20)
    assert bytes(got) == back
    assert bytes(seen) == out


def test_what_was_decrypted_together_is_given_together(ends):
    ours, client = ends
    client.sendall(b"z" * 10_000)
    assert ours.recv(10) == b"z" * 10_000


def test_who_sends_nothing_is_given_up(ends, monkeypatch):
    monkeypatch.setattr(tls_socket, "SILENT_SECONDS", 0.02)
    with pytest.raises(TimeoutError):
        ends[0].recv(10)


def test_one_that_was_shut_down_elsewhere_ends_the_reading(ends):
    ours, _ = ends
    found = []

    def read():
        try:
            found.append(ours.recv(10))
        except OSError as error:
            found.append(error)

    reading = threading.Thread(target=read)
    reading.start()
    ours.shutdown(socket.SHUT_RDWR)
    reading.join(10)
    assert found[0] == b"" or isinstance(found[0], OSError)
