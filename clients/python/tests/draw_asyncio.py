"""Draws IDs as the lines on its input say, in tasks of asyncio; see `draw.py`."""

import asyncio
import sys
import time

from firn_client.aio import FirnClient, IdsUnavailableError


async def main() -> None:
    settings = dict(argument.split("=", 1) for argument in sys.argv[1:])
    stopped = False
    waits = []

    async def draw_one(client):
        try:
            return str(await client.next_id())
        except IdsUnavailableError as e:
            return f"failed: {e}"

    async def draw(client):
        while not stopped:
            begin = time.monotonic()
            drawn = await draw_one(client)
            waits.append(time.monotonic() - begin)
            print(drawn, flush=True)
            await asyncio.sleep(0.001)

    async with FirnClient(
        settings["servers"].split(","),
        settings["namespace"],
        token=settings.get("token"),
        batch=int(settings.get("batch", 1000)),
        timeout=int(settings.get("timeout", 1000)) / 1000,
        max_wait=int(settings.get("wait", 5000)) / 1000,
        max_age=int(settings.get("age", 10000)) / 1000,
    ) as client:
        tasks = []
        while line := await asyncio.to_thread(sys.stdin.readline):
            command = line.split()
            if command[0] == "next":
                print(await draw_one(client), flush=True)
            elif command[0] == "draw":
                tasks = [asyncio.create_task(draw(client)) for _ in range(int(command[1]))]
            elif command[0] == "stop":
                stopped = True
                await asyncio.gather(*tasks)
                print(f"longest call {max(waits) * 1000:.1f} ms of {len(waits)}", flush=True)


asyncio.run(main())
