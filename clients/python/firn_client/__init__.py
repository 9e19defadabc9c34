"""Draws 64-bit IDs of Firn servers, fetched ahead.

Each batch of IDs comes from one server. While a server is down, the next one is asked; a call waits
only when no ID is in the buffer.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import ssl
import threading
import time
import weakref
from collections import deque
from functools import partial
from typing import Callable, Deque, Dict, List, NamedTuple, Optional, Sequence
from urllib.parse import quote, urlsplit

__all__ = ["FirnClient", "IdsUnavailableError"]

_MIN_BACKOFF, _MAX_BACKOFF, _MAX_RETRY_AFTER = 0.1, 2.0, 60.0


class IdsUnavailableError(Exception):
    """Raised when no server issued an ID in time. `failures` has the last failure by server."""

    def __init__(self, message: str, failures: Dict[str, str]) -> None:
        super().__init__(message)
        self.failures = failures


class _Failure(Exception):
    """An answer without IDs."""

    def __init__(self, text: str, refused: bool = False, retry_after: float = 0.0) -> None:
        super().__init__(text)
        self.refused = refused
        self.retry_after = retry_after


class _Server:
    """A server, how it answered last, and a connection that is kept open between batches."""

    def __init__(self, url: str, timeout: float, context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ValueError(f"servers: {url} (expected: http://HOST:PORT or https://HOST:PORT)")
        self.url = url.rstrip("/")
        self.path = parts.path.rstrip("/")
        host, port = parts.hostname, parts.port
        self._new_connection: Callable[[], http.client.HTTPConnection] = (
            partial(http.client.HTTPSConnection, host, port, timeout=timeout, context=context)
            if parts.scheme == "https"
            else partial(http.client.HTTPConnection, host, port, timeout=timeout)
        )
        self.connection = self._new_connection()
        self.failure: Optional[str] = None
        self.refused = False
        self.failures, self.retry_at = 0, 0.0

    def fetch(self, route: str, headers: Dict[str, str], count: int) -> List[int]:
        """Returns a batch, the newest ID first. Asks twice if a kept connection turns out to be closed."""
        kept = self.connection.sock is not None
        try:
            return self._ask(route, headers, count)
        except ConnectionError:
            if not kept:
                raise
            return self._ask(route, headers, count)

    def _ask(self, route: str, headers: Dict[str, str], count: int) -> List[int]:
        try:
            self.connection.request("GET", self.path + route, headers=headers)
            answer = self.connection.getresponse()
            body = answer.read().decode()
        except BaseException:
            self.connection.close()
            raise
        if answer.status != 200:
            refused = 400 <= answer.status < 500 and answer.status not in (408, 429)
            seconds = answer.getheader("Retry-After", "")
            retry_after = float(seconds) if seconds.isdigit() else 0.0
            raise _Failure(f"{answer.status} {_detail(body)}", refused, retry_after)
        lines = body.split("\n")
        if len(lines) != count + 1 or lines[-1] or not all(line.isdigit() for line in lines[:-1]):
            raise _Failure(f"{body[:40]!r} (expected: {count} IDs, one a line)")
        return [int(line) for line in lines[-2::-1]]

    def forked(self) -> None:
        """Leaves the connection to the parent. Closing it would wait for the lock of a thread that
        reads an answer there, and that thread does not exist here."""
        sock = self.connection.sock
        self.connection = self._new_connection()
        descriptor = -1 if sock is None else sock.detach()
        if descriptor >= 0:  # else a TLS handshake has taken it
            os.close(descriptor)

    def succeeded(self) -> None:
        self.failure, self.refused, self.failures = None, False, 0

    def failed(self, error: BaseException, now: float) -> None:
        """Backs off from the server, twice as long each time, and at least as long as it asked."""
        longest = min(_MIN_BACKOFF * 2.0 ** min(self.failures, 10), _MAX_BACKOFF)
        backoff = longest * random.uniform(0.5, 1)
        self.failures += 1
        self.failure = str(error) or type(error).__name__
        self.refused = getattr(error, "refused", False)
        asked_for = min(getattr(error, "retry_after", 0.0), _MAX_RETRY_AFTER)
        self.retry_at = now + max(backoff, asked_for)


def _detail(body: str) -> str:
    try:
        return str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        return body[:200]


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


class _Batch(NamedTuple):
    ids: List[int]  # drawn from the end
    born: float


class FirnClient:
    """Draws the IDs of a namespace. Thread-safe; times are in seconds.

    :param servers: addresses such as `http://firn-1:7608`; each client asks them in an order of
        its own
    :param namespace: the namespace that IDs are drawn from
    :param token: the bearer token, if the servers ask for one
    :param batch: how many IDs a request fetches, 1..10000; two batches are kept in the buffer
    :param timeout: how long a server may take to answer
    :param max_wait: how long a call waits for an ID when the buffer is empty
    :param max_age: the age at which IDs in the buffer are dropped, at least twice the timeout
    :param ssl_context: what `https` addresses are verified with; the system's authorities by default
    """

    def __init__(
        self,
        servers: Sequence[str],
        namespace: str,
        *,
        token: Optional[str] = None,
        batch: int = 1000,
        timeout: float = 1.0,
        max_wait: float = 5.0,
        max_age: float = 10.0,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        a_list = bool(servers) and not isinstance(servers, str)
        _require(a_list, f"servers: {servers!r} (expected: a list of addresses)")
        a_name = isinstance(namespace, str) and namespace != ""
        _require(a_name, f"namespace: {namespace!r} (expected: a name)")
        a_token = token is None or re.fullmatch(r"[\x21-\x7e]+", token) is not None
        _require(a_token, "token: not shown (expected: visible ASCII characters)")
        _require(1 <= batch <= 10000, f"batch: {batch} (expected: 1..10000)")
        _require(timeout > 0, f"timeout: {timeout} (expected: over 0 seconds)")
        _require(max_wait >= 0, f"max_wait: {max_wait} (expected: 0 seconds or more)")
        _require(max_age >= 2 * timeout, f"max_age: {max_age} (expected: at least twice the timeout)")
        self._servers = [_Server(url, timeout, ssl_context) for url in servers]
        random.shuffle(self._servers)
        self._namespace = namespace
        self._batch = batch
        self._max_wait = max_wait
        self._max_age = max_age
        self._route = f"/v1/ids/{quote(namespace, safe='')}?count={batch}"
        self._headers = {"Accept": "text/plain"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._current, self._closed = 0, False
        self._last_call = time.monotonic()
        self._start_empty()
        _clients.add(self)
        with self._changed:
            self._refill_if_lacking(self._last_call)

    def _start_empty(self) -> None:
        """Drops the buffer. A forked process must: its parent issues the same IDs."""
        self._changed = threading.Condition(threading.Lock())
        self._buffer: Deque[_Batch] = deque()
        self._refilling = False

    def next_id(self) -> int:
        """Returns the next ID.

        :raises IdsUnavailableError: if no server issued one within `max_wait`, or if each one
            refuses to
        """
        begin = time.monotonic()
        while True:
            with self._changed:
                now = time.monotonic()
                drawn = self._draw(now)
                if drawn is not None:
                    return drawn
                left = begin + self._max_wait - now
                if left <= 0 or all(server.refused for server in self._servers):
                    raise self._unavailable(now - begin)
                self._changed.wait(min(left, self._max_age / 2))

    def try_next_id(self) -> Optional[int]:
        """Returns an ID of the buffer, or None if there is none; does not wait."""
        with self._changed:
            return self._draw(time.monotonic())

    def _draw(self, now: float) -> Optional[int]:
        if self._closed:
            raise ValueError("client: closed (expected: open)")
        self._last_call = now
        drawn = self._take(now)
        self._refill_if_lacking(now)
        return drawn

    def close(self) -> None:
        """Ends this client. IDs in the buffer are lost; no other client is given them."""
        with self._changed:
            self._closed = True
            self._buffer.clear()
            self._changed.notify_all()
            if not self._refilling:
                self._disconnect()

    def __enter__(self) -> FirnClient:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _take(self, now: float) -> Optional[int]:
        while self._buffer:
            oldest = self._buffer[0]
            if oldest.ids and now - oldest.born < self._max_age:
                return oldest.ids.pop()
            self._buffer.popleft()
        return None

    def _is_lacking(self, now: float) -> bool:
        """Batches of half the age don't count: they are replaced before they are dropped."""
        young = (b for b in self._buffer if now - b.born < self._max_age / 2)
        return sum(len(b.ids) for b in young) <= self._batch

    def _refill_if_lacking(self, now: float) -> None:
        if not self._refilling and self._is_lacking(now):
            self._refilling = True
            try:
                threading.Thread(target=self._refill, name="firn-client", daemon=True).start()
            except BaseException:
                self._refilling = False
                raise

    def _refill(self) -> None:
        """Fetches until the buffer is full; ends when no call waits or came for the maximum age."""
        while True:
            with self._changed:
                now = time.monotonic()
                idle = now - self._last_call > self._max_age  # a call that waits calls again
                if self._closed or idle or not self._is_lacking(now):
                    self._refilling = False
                    if self._closed:
                        self._disconnect()
                    return
                server = self._next_server(now)
                if server is None:
                    self._changed.wait(min(s.retry_at for s in self._servers) - now)
                    continue
            try:
                batch = _Batch(server.fetch(self._route, self._headers, self._batch), now)
            except Exception as e:  # whatever it is, the next server is asked
                with self._changed:
                    server.failed(e, time.monotonic())
                    self._changed.notify_all()
                continue
            with self._changed:
                server.succeeded()
                self._buffer.append(batch)
                self._changed.notify_all()

    def _disconnect(self) -> None:
        for server in self._servers:
            server.connection.close()

    def _next_server(self, now: float) -> Optional[_Server]:
        """Returns the server that answered last, or the next one that may be asked."""
        for _ in self._servers:
            server = self._servers[self._current]
            if server.retry_at <= now:
                return server
            self._current = (self._current + 1) % len(self._servers)
        return None

    def _unavailable(self, waited: float) -> IdsUnavailableError:
        failures = {s.url: s.failure or "no answer yet" for s in self._servers}
        listed = "; ".join(f"{url}: {failure}" for url, failure in sorted(failures.items()))
        after = f"after {round(waited * 1000)} ms"
        return IdsUnavailableError(f"Namespace {self._namespace} has no ID {after}: {listed}", failures)


_clients: weakref.WeakSet[FirnClient] = weakref.WeakSet()


def _after_fork() -> None:
    clients = list(_clients)
    for client in clients:
        client._start_empty()
    for client in clients:
        for server in client._servers:
            server.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
