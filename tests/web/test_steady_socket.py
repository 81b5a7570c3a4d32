"""Sends are whole, one at a time, and given up when the other side does not read."""

import socket
import threading

import pytest

from webapp.web.steady_socket import StallWatch, SteadySocket


@pytest.fixture
def pair():
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


def test_two_threads_never_mix_their_frames(pair):
    ours, theirs = pair
    steady = SteadySocket(ours, StallWatch())
    size = 200_000
    got = bytearray()

    def read():
        while len(got) < 4 * size:
            got.extend(theirs.recv(65_536))

    reader = threading.Thread(target=read)
    reader.start()
    senders = [
        threading.Thread(target=steady.send, args=(letter * size,))
        for letter in (b"a", b"b", b"c", b"d")
    ]
    for sender in senders:
        sender.start()
    for thread in (*senders, reader):
        thread.join()
    runs = [bytes(got[start : start + size]) for start in range(0, 4 * size, size)]
    assert all(len(set(run)) == 1 for run in runs)


def test_a_send_counts_all_its_bytes_and_other_calls_go_through(pair):
    steady = SteadySocket(pair[0], StallWatch())
    assert steady.send(b"hello") == 5
    assert pair[1].recv(10) == b"hello"
    assert steady.fileno() == pair[0].fileno()


def test_a_reader_that_stops_reading_is_let_go(pair):
    steady = SteadySocket(pair[0], StallWatch(seconds=0.05))
    with pytest.raises(OSError):
        for _ in range(100):
            steady.send(b"x" * 1_000_000)


def test_a_reader_that_reads_is_not(pair):
    watch = StallWatch(seconds=0.05)
    steady = SteadySocket(pair[0], watch)
    for _ in range(50):
        steady.send(b"x" * 1000)
        pair[1].recv(2000)
    idle = threading.Event()
    assert not idle.wait(0.15)
    assert steady.send(b"still here") == 10


def test_one_watch_serves_all_sockets_with_one_thread(pair):
    watch = StallWatch(seconds=0.05)
    for end in pair:
        SteadySocket(end, watch).send(b"x")
    assert sum(thread is watch._thread for thread in threading.enumerate()) == 1
