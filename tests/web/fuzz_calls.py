"""Random requests and socket messages for a shared Strata: routes from its map, values that are
real, wrong or hostile, and ids that its own pages have shown."""

import re
import struct
import threading
from collections import deque
from dataclasses import dataclass
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from werkzeug.exceptions import HTTPException

from tests.web.calls import FILES, FORMS, QUERIES
from tests.web.hostile import TEXTS
from webapp.settings import SETTINGS

WEB = Path(__file__).resolve().parents[2] / "webapp" / "web"
DATA = Path(__file__).resolve().parents[1] / "data"
SAMPLES = {
    kind: sorted(
        each
        for each in (DATA / kind).rglob("*.*")
        if each.is_file() and each.stat().st_size < 50_000
    )
    for kind in ("documents", "exports")
}
# Routes that take a file, by the field and by what it may hold.
TAKEN = dict.fromkeys(FILES, ("files", "documents")) | {"importing.send": ("file", "exports")}
JSON = (
    b"null",
    b"[]",
    b"{}",
    b"-1",
    b"1e999",
    b'"x"',
    b"true",
    b'"\\ud800"',
    b"[[[[]]]]",
    b'"../x"',
)
# Every field that a route reads, by what the source says.
FIELDS = sorted(
    {
        name
        for file in WEB.glob("*.py")
        for name in re.findall(
            r'request\.(?:form|args|values|files)[.a-z]*[(\[]"([\w-]+)"', file.read_text("utf-8")
        )
    }
    | {setting.name for setting in SETTINGS}
)
# A form with which somebody would get another password than the one they come back with.
AS_IT_IS = ("account.change",)
NUMBERS = (
    *("0", "-1", "1", "2", "4", "5", "1e400", "NaN", "inf", "0x10", "٣", "²", "1_0", " 7 ", "+3"),
    *("9" * 30, "9" * 5000, "2147483648", "-9223372036854775809", "18446744073709551616", "1.5"),
)
DAYS = ("2026-12-31", "0001-01-01", "9999-12-31", "2026-02-30", "-1-1-1", "2026-W01-1")
PATHS = (
    *("../../people/people.json", "/", "/etc", "/dev/zero", "/dev/stdin", "/proc/self/environ"),
    *("~", "~nobody", "C:\\Windows", "\\\\host\\share", ".", "..", "x" * 300, "con"),
)
URLS = (
    *("http://127.0.0.1:9/v1", "file:///etc/passwd", "http://[", "http://[::1", "http://a:99999/"),
    *("http://127.0.0.1:9@x:9/", "//evil.example", "javascript:alert(1)", "http://127.0.0.1:9/\n"),
)
WORDS = (
    *("", " ", "a", "yes", "no", "on", "off", "all", "read", "write", "here", "bring", "inline"),
    *("dark", "always", "notice", "the moon", "\0", "\r\n", "\x1b[2J", "\u202e", "🏳️‍🌈" * 20),
    *("\ufeff", "e\u0301" * 50, "\udcff", "\ud800", "%s%n{0}{{x}}${x}", "'; DROP TABLE x;--"),
    *("{" * 500, "[" * 3000, "*" * 3000, "> " * 400, "|" * 2000, "``` " * 400, "x" * 20_000),
    *('{"a": [1, null]}', "/fail", "/refuse", "/empty", "/unsafe", "/markdown", "/long", "/title"),
    *("/echo " + "word " * 2000, '/call {"name": "retrieve", "arguments": 1}', "/retrieve notice"),
    *("/files", '"two words"', "AND OR NOT NEAR(", "*", "-", "日本", "\\", '"'),
)
HEADERS = {
    "HX-Request": ("true", "true", "false", ""),
    "Origin": ("{origin}", "{origin}", "null", "http://evil.example", "http://[", ""),
    "Sec-Fetch-Site": ("same-origin", "none", "cross-site", "rubbish"),
    "Host": ("{host}", "evil.example", "[::1", "localhost:99999", "127.0.0.1:", "\xff", ""),
    "Accept-Language": ("de", "*", "x" * 5000),
    "Range": ("bytes=0-0", "bytes=5-2", "bytes=-", "bytes=99999999999999999999-", "lines=1"),
    "If-None-Match": ("*", '"x"', 'W/"', '"'),
    "If-Modified-Since": ("Thu, 01 Jan 1970 00:00:00 GMT", "yesterday", "99999"),
    "If-Range": ("x", '"'),
    "Expect": ("100-continue", "other"),
    "Upgrade": ("websocket", "h2c"),
    "Connection": ("Upgrade", "keep-alive", "close"),
    "User-Agent": ("Mozilla/5.0 (X11; Linux) Chrome/1", "", "<script>alert(1)</script>", "\xff"),
    "X-Forwarded-For": ("127.0.0.1", "x"),
    "X-Forwarded-Host": ("evil.example",),
    "Forwarded": ("host=evil.example",),
    "X-HTTP-Method-Override": ("DELETE",),
    "Transfer-Encoding": ("chunked", "gzip"),
    "Content-Encoding": ("gzip", "br"),
    "Accept-Encoding": ("gzip", "*;q=x"),
    "Authorization": ("Basic eA==", "Bearer x", "Digest ="),
    "Cookie": ("{cookie}; strata_theme=\xff; strata_zone=../../x", "{cookie}; strata_zone=UTC"),
}
TYPES = (
    *("application/x-www-form-urlencoded", "text/plain", "application/json", "", "\xff"),
    *("application/x-www-form-urlencoded; charset=utf-7", "multipart/form-data; boundary="),
    *("multipart/form-data", "multipart/form-data; boundary=\xff", "x/y; " + "a=b;" * 200),
)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FOO")
NAMES = ("a.txt", "b.pdf", "c.docx", "d.html", "e.csv", "f.rtf", "g.xlsx", "h.png", "i", ".txt")
STARTS = (b"", b"%PDF-1.7\n", b"PK\x03\x04", b"{\\rtf1 ", b"<html><p>", b"a,b\n1,2\n", b"\x89PNG")
FRAME_TEXTS = (b"", b"{}", b"hello", b"\xff\xfe", b"[" * 2000, b"x" * 70_000)


class Seen:
    """What the pages have shown so far: addresses with their ids, and values of fields. The last
    of each kind are kept."""

    def __init__(self, rules):
        self._at = rules.bind("localhost")
        self._lock = threading.Lock()
        self._ids = {}
        self._values = {}

    def look(self, html, random):
        found = re.findall(r'(?:href|action|hx-get|hx-post|data-stream)="(/[^"]*)"', html)
        for address in random.sample(found, min(len(found), 20)):
            self.address(unescape(address))
        inputs = re.findall(r'<(?:input|button)[^>]*?name="([^"]+)"[^>]*?value="([^"]*)"', html)
        with self._lock:
            for name, value in random.sample(inputs, min(len(inputs), 12)):
                self._values.setdefault(name, deque(maxlen=40)).append(unescape(value))

    def address(self, address):
        """Keeps the ids in it."""
        path = urlsplit(address).path
        for method in ("GET", "POST"):
            try:
                _, ids = self._at.match(path, method=method)
            except HTTPException:
                continue
            if not ids or "filename" in ids:
                return
            with self._lock:
                self._ids.setdefault(frozenset(ids), deque(maxlen=40)).append(ids)
            return

    def forget(self, ids):
        """They lead to nothing any more."""
        with self._lock:
            for kept in self._ids.values():
                if ids in kept:
                    kept.remove(ids)

    def ids(self, names, random):
        """Some that belong together, as far as they were seen."""
        with self._lock:
            whole = [each for known, kept in self._ids.items() if names <= known for each in kept]
            parts = [each for kept in self._ids.values() for each in kept if names & set(each)]
        if whole:
            return dict(random.choice(whole))
        found = {}
        for each in random.sample(parts, min(len(parts), 6)):
            found |= each
        return found

    def id(self, random):
        with self._lock:
            every = [value for kept in self._ids.values() for ids in kept for value in ids.values()]
        return str(random.choice(every or ["x"]))

    def value(self, name, random):
        with self._lock:
            kept = list(self._values.get(name, ()))
        return random.choice(kept) if kept else None


@dataclass(frozen=True)
class Call:
    """`proper`: it is HTTP, so that an answer with a status is due. `ids` were seen together."""

    endpoint: str
    who: str
    sent: bytes
    ids: dict | None = None
    proper: bool = True
    frames: tuple[bytes, ...] = ()

    def __str__(self):
        return (
            f"{self.endpoint} by {self.who}: {self.sent[:3000]!r} {[f[:60] for f in self.frames]}"
        )


class Calls:
    """Made with one source of random numbers; `client` says for which server. Each caller mostly
    asks for what was shown to them, and now and then for what others have seen (`seen`, by
    caller)."""

    def __init__(self, random, rules, seen, client, leave_out=()):
        self._random, self._everything, self._client = random, seen, client
        self._rules = [
            rule for rule in rules.iter_rules() if rule.endpoint not in ("static", *leave_out)
        ]

    def next(self, who, token):
        rule, chance = self._random.choice(self._rules), self._random.random()
        whose = (
            who if self._random.random() < 0.8 else self._random.choice(sorted(self._everything))
        )
        self._seen = self._everything[whose]
        if rule.endpoint == "route":
            chance = 0.0
        if chance < 0.12:
            return self._socket(who, token)
        call = self._request(rule, who, token)
        return self._spoilt(call) if chance > 0.97 else call

    # --- requests ---

    def _request(self, rule, who, token):
        pick = self._random
        usual = "POST" if "POST" in rule.methods else "GET"
        method = usual if pick.random() < 0.93 else pick.choice(METHODS)
        kind, body = self._body(rule.endpoint, who) if method not in ("GET", "HEAD") else ("", b"")
        headers = [
            ("Host", self._client.host),
            ("Cookie", f"strata_session_{self._client.port}={token}"),
        ]
        if body or kind:
            headers += [("Content-Type", kind), ("Content-Length", str(len(body)))]
        headers = self._other_headers(dict(headers), token)
        ids, address = self._address(rule)
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        line = f"{method} {address} HTTP/1.1\r\n"
        return Call(rule.endpoint, who, f"{line}{head}\r\n".encode("latin-1") + body, ids)

    def _other_headers(self, headers, token):
        pick = self._random
        if pick.random() < 0.3:
            headers["HX-Request"] = "true"
        if pick.random() < 0.25:
            cookie = f"strata_session_{self._client.port}={token}"
            own = {"host": self._client.host, "origin": self._client.origin, "cookie": cookie}
            for name in pick.sample(sorted(HEADERS), pick.choice((1, 1, 2, 4))):
                headers[name] = pick.choice(HEADERS[name]).format(**own)
        if pick.random() < 0.02:
            headers["X-" + pick.choice(("Long", "\xe4", "A b"))] = "x" * pick.choice((1, 70_000))
        return headers

    def _address(self, rule):
        pick = self._random
        seen = self._seen.ids(set(rule.arguments), pick)
        ids = dict(seen)
        if pick.random() < 0.12 and rule.arguments:
            ids[pick.choice(sorted(rule.arguments))] = self.value()

        def written(found):
            value = str(ids.get(found[1], "")) or self.value()
            return quote(value, safe="", errors="surrogatepass")[:2000]

        path = re.sub(r"<(?:[^:<>]*:)?(\w+)>", written, rule.rule)
        query = dict(QUERIES.get(rule.endpoint, {})) if pick.random() < 0.5 else {}
        for _ in range(pick.choice((0, 0, 1, 2))):
            name = pick.choice(FIELDS)
            query[name] = self._field(name)
        words = urlencode(query, errors="surrogatepass")[:20_000]
        return seen if ids == seen else None, f"{path}?{words}" if words else path

    def _body(self, endpoint, who):
        pick, chance = self._random, self._random.random()
        fields = self._fields(endpoint, who)
        if chance < 0.03:
            return pick.choice(TYPES), pick.randbytes(pick.choice((0, 10, 3000)))
        if chance < 0.06:
            return pick.choice(TYPES), urlencode(fields, errors="surrogatepass").encode()
        if chance < 0.07:
            return TYPES[0], b"text=" + b"x" * (2 * 2**20)
        if endpoint in TAKEN or chance < 0.15:
            return self._multipart(endpoint, fields)
        return TYPES[0], urlencode(fields, errors="surrogatepass").encode()

    def _fields(self, endpoint, who):
        pick = self._random
        known = {"who": who, "number": pick.randrange(10**6), "thread": self._seen.id(pick)}
        known |= {"code": "0000-0000", "revision": self._seen.value("known", pick) or ""}
        form = {name: value.format(**known) for name, value in FORMS.get(endpoint, {}).items()}
        if endpoint in AS_IT_IS:
            return form if pick.random() < 0.95 else form | {"old": self.value()}
        for name in list(form):
            if pick.random() < 0.3 or form[name] in (who, f"{who}'s password"):
                form[name] = self._field(name)
        for _ in range(pick.choice((0, 1, 2, 5))):
            name = pick.choice(FIELDS) if pick.random() < 0.9 else self.value()[:50]
            form[name] = self._field(name)
        return form

    def _multipart(self, endpoint, fields):
        pick, edge, body = self._random, "edge", BytesIO()
        place, kind = TAKEN.get(endpoint, ("files", "documents"))
        if endpoint == "importing.send" and pick.random() < 0.7:
            fields = {}

        def part(words, held):
            body.write(f"--{edge}\r\nContent-Disposition: form-data; ".encode())
            body.write(words.encode("utf-8", "surrogatepass") + b"\r\n\r\n" + held + b"\r\n")

        for name, value in fields.items():
            part(f'name="{name}"', value.encode("utf-8", "surrogatepass"))
        for _ in range(pick.choice((0, 2, 12)) if pick.random() < 0.3 else 1):
            name, held = self._file(kind)
            part(f'name="{place}"; filename="{name}"', held)
        body.write(f"--{edge}--\r\n".encode() if pick.random() < 0.95 else b"--ed")
        return f"multipart/form-data; boundary={edge}", body.getvalue()

    def _file(self, kind):
        """Its name, and what it holds: a real one, one that is damaged, or rubbish."""
        pick = self._random
        name = pick.choice(NAMES) if pick.random() < 0.6 else pick.choice((*PATHS, *TEXTS))
        if pick.random() < 0.3:
            return name, pick.choice(STARTS) + self.value().encode("utf-8", "surrogatepass")
        if pick.random() < 0.3:
            return name, pick.choice(STARTS) + pick.randbytes(pick.choice((0, 20, 2000, 20_000)))
        sample = pick.choice(SAMPLES[kind])
        return (sample.name if pick.random() < 0.8 else name), self._damaged(sample.read_bytes())

    def _damaged(self, held):
        pick = self._random
        if held[:1] in (b"[", b"{"):
            values = list(re.finditer(rb'(?<=: )(?:"[^"\\]*"|[-\d.]+|null|true|false)', held))
            for found in sorted(
                pick.sample(values, min(len(values), pick.choice((0, 1, 5, 40)))),
                key=lambda each: -each.start(),
            ):
                held = held[: found.start()] + pick.choice(JSON) + held[found.end() :]
        spoilt = bytearray(held)
        for _ in range(pick.choice((0, 0, 0, 1, 20)) if spoilt else 0):
            spoilt[pick.randrange(len(spoilt))] = pick.randrange(256)
        return bytes(spoilt[: pick.randrange(len(spoilt) + 1)] if pick.random() < 0.1 else spoilt)

    def _field(self, name):
        """A value that was seen there, or any."""
        seen = self._seen.value(name, self._random) if self._random.random() < 0.4 else None
        return self.value() if seen is None else seen

    def value(self):
        pick = self._random
        kind = pick.choice((WORDS, WORDS, NUMBERS, DAYS, PATHS, URLS, TEXTS, None, None))
        return pick.choice(kind) if kind else self._seen.id(pick)

    def _spoilt(self, call):
        """No longer HTTP, perhaps."""
        pick, sent = self._random, bytearray(call.sent)
        for _ in range(pick.choice((1, 3, 30))):
            sent[pick.randrange(min(len(sent), 400))] = pick.randrange(256)
        cut = pick.randrange(len(sent)) if pick.random() < 0.5 else len(sent)
        return Call(call.endpoint, call.who, bytes(sent[:cut]), proper=False)

    # --- sockets ---

    def _socket(self, who, token):
        pick = self._random
        ids = self._seen.ids({"thread_id", "message_id"}, pick)
        thread, message = (
            quote(str(ids.get(name) or self.value()), safe="", errors="surrogatepass")
            for name in ("thread_id", "message_id")
        )
        query = urlencode({"have": pick.choice(NUMBERS), "epoch": pick.choice(NUMBERS)})
        headers = {
            "Host": self._client.host,
            "Origin": self._client.origin,
            "Cookie": f"strata_session_{self._client.port}={token}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": pick.choice(("13", "13", "13", "13", "8", "x")),
            "Sec-WebSocket-Key": pick.choice(("AAAAAAAAAAAAAAAAAAAAAA==",) * 4 + ("x", "\xff")),
        }
        if pick.random() < 0.2:
            headers["Sec-WebSocket-Extensions"] = pick.choice(
                ("permessage-deflate", "permessage-deflate; client_max_window_bits=99", "x;;=")
            )
        if pick.random() < 0.1:
            del headers[pick.choice(sorted(headers.keys() - {"Host"}))]
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        line = f"GET /threads/{thread}/messages/{message}/live?{query} HTTP/1.1\r\n"
        frames = tuple(self._frame() for _ in range(pick.choice((0, 0, 1, 2, 5))))
        return Call("route", who, f"{line}{head}\r\n".encode("latin-1"), frames=frames)

    def _frame(self):
        """As a browser sends it: text, binary, a ping, a farewell; or something else."""
        pick = self._random
        if pick.random() < 0.2:
            return pick.randbytes(pick.choice((1, 2, 10, 300)))
        held = pick.choice(FRAME_TEXTS) if pick.random() < 0.7 else pick.randbytes(60)
        first = pick.choice((0x81, 0x82, 0x89, 0x8A, 0x88, 0x01, 0x00, 0x83, 0xC1, 0xF1, 0x8F))
        size, mask = len(held), pick.choice((0x80, 0x80, 0x80, 0))
        said = size if pick.random() < 0.9 else pick.choice((0, 125, 2**16, 2**40, 2**63))
        if said < 126:
            length = bytes([mask | said])
        elif said < 2**16:
            length = bytes([mask | 126]) + struct.pack(">H", said)
        else:
            length = bytes([mask | 127]) + struct.pack(">Q", said)
        return bytes([first]) + length + (b"\0\0\0\0" if mask else b"") + held
