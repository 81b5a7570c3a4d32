"""A network between browser and server that a story can cut, stall and mend."""

import contextlib
import socket
import threading


class Wire:
    """Listens on a port of its own and passes everything on to `port`. `cut` drops every
    connection and refuses new ones; `stall` keeps them open but passes nothing on."""

    def __init__(self, port):
        self._target = port
        self._open = []
        self._whole = threading.Event()
        self._whole.set()
        self._passing = threading.Event()
        self._passing.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self):
        self._whole.clear()
        for one in list(self._open):
            _end(one)

    def stall(self):
        self._passing.clear()

    def forget(self):
        """What is open stays silent for good; what comes new is passed on."""
        self._passing = threading.Event()
        self._passing.set()

    def mend(self):
        self._whole.set()
        self._passing.set()

    def close(self):
        self.cut()
        self._passing.set()
        self._listener.close()

    def _listen(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._whole.is_set():
                _end(near)
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                _end(near)
                continue
            self._open += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source, target):
        passing = self._passing
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                passing.wait()
                target.sendall(data)
        _end(source)
        _end(target)


def _end(one):
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
