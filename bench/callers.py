"""Callers in a closed loop, each of which asks again as soon as it was answered; little CPU."""

import socket
import threading
import time
from urllib.parse import urlsplit


def closed_loop(address: str, body: bytes, *, callers: int, seconds: float) -> float:
    """Returns answered requests per second; every caller keeps one connection.

    Raises:
        RuntimeError: when an answer is not 200.
    """
    place = urlsplit(address)
    assert place.hostname in ("127.0.0.1", "localhost")
    head = f"POST {place.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    counts = [0] * callers
    faults: list[bytes] = []
    start = time.perf_counter()

    def call(number: int) -> None:
        with socket.create_connection((place.hostname, place.port or 80), 60) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while time.perf_counter() - start < seconds and not faults:
                line.sendall(request)
                answer = _answer(line)
                if not answer.startswith(b"HTTP/1.1 200"):
                    faults.append(answer[:200])
                    return
                counts[number] += 1

    threads = [threading.Thread(target=call, args=[number]) for number in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise RuntimeError(f"{address} answered {faults[0]!r}")
    return sum(counts) / (time.perf_counter() - start)


def _answer(line: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (part := line.recv(65536)):
            return data
        data += part
    head, _, rest = data.partition(b"\r\n\r\n")
    length = next(
        int(field.partition(b":")[2])
        for field in head.lower().split(b"\r\n")
        if field.startswith(b"content-length")
    )
    while len(rest) < length:
        rest += line.recv(65536)
    return data
