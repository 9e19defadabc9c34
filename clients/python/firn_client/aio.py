"""The client for asyncio: a call takes an ID of the buffer, and only waits when there is none."""

from __future__ import annotations

import asyncio
from typing import Any, Optional, Sequence

from . import FirnClient as _BlockingClient
from . import IdsUnavailableError

__all__ = ["FirnClient", "IdsUnavailableError"]


class FirnClient:
    """Draws the IDs of a namespace, for the tasks of one event loop; the settings are those of
    :class:`firn_client.FirnClient`."""

    def __init__(self, servers: Sequence[str], namespace: str, **settings: Any) -> None:
        self._client = _BlockingClient(servers, namespace, **settings)
        self._waiting: Optional[asyncio.Future[int]] = None

    async def next_id(self) -> int:
        """Returns the next ID. Tasks that find no ID in the buffer wait together, in one thread.

        :raises IdsUnavailableError: if no server issued one while they waited for `max_wait`, or
            if each one refuses to
        """
        while True:
            drawn = self._client.try_next_id()
            if drawn is not None:
                return drawn
            waiting = self._waiting
            if waiting is not None:
                await asyncio.shield(waiting)  # that ID is another task's
                continue
            loop = asyncio.get_running_loop()
            waiting = self._waiting = loop.run_in_executor(None, self._client.next_id)
            waiting.add_done_callback(self._waited)
            return await asyncio.shield(waiting)

    def _waited(self, waiting: asyncio.Future[int]) -> None:
        self._waiting = None
        waiting.cancelled() or waiting.exception()  # seen, also if every task was cancelled

    def close(self) -> None:
        """Ends this client. IDs in the buffer are lost; no other client is given them."""
        self._client.close()

    async def __aenter__(self) -> FirnClient:
        return self

    async def __aexit__(self, *unused: object) -> None:
        self.close()
