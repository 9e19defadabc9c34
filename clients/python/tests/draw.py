"""Draws IDs as the lines on its input say, for FirstPartyClientsTest.

`next` draws one, `draw N` draws in N threads until `stop`, `fork` draws one here and one in a child
that begins while a batch is on its way, and beside it are clients in the middle of a TLS handshake.
"""

import os
import socket
import sys
import threading
import time

from firn_client import FirnClient, IdsUnavailableError

settings = dict(argument.split("=", 1) for argument in sys.argv[1:])
client = FirnClient(
    settings["servers"].split(","),
    settings["namespace"],
    token=settings.get("token"),
    batch=int(settings.get("batch", 1000)),
    timeout=int(settings.get("timeout", 1000)) / 1000,
    max_wait=int(settings.get("wait", 5000)) / 1000,
    max_age=int(settings.get("age", 10000)) / 1000,
)
stopped = threading.Event()
longest = 0.0
calls = 0
lock = threading.Lock()


def say(text):
    with lock:
        print(text, flush=True)


def draw_one():
    try:
        return str(client.next_id())
    except IdsUnavailableError as e:
        return f"failed: {e}"


def draw():
    global longest, calls
    while not stopped.is_set():
        begin = time.monotonic()
        drawn = draw_one()
        taken = time.monotonic() - begin
        with lock:
            longest, calls = max(longest, taken), calls + 1
        say(drawn)
        time.sleep(0.001)


threads = []
for line in sys.stdin:
    command = line.split()
    if command[0] == "next":
        say(draw_one())
    elif command[0] == "draw":
        threads = [threading.Thread(target=draw) for _ in range(int(command[1]))]
        for thread in threads:
            thread.start()
    elif command[0] == "stop":
        stopped.set()
        for thread in threads:
            thread.join()
        say(f"longest call {longest * 1000:.1f} ms of {calls}")
    elif command[0] == "fork":
        for _ in range(11):  # more than a batch of 10, and no more than two: the third is asked for
            client.next_id()
        silent = socket.create_server(("127.0.0.1", 0))  # takes no part in a TLS handshake
        address = f"https://127.0.0.1:{silent.getsockname()[1]}"
        others = [FirnClient([address], "others", timeout=4) for _ in range(8)]
        time.sleep(0.5)
        child = os.fork()
        say(draw_one())
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
client.close()
