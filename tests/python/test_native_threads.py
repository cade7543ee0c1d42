"""Threads that use what another thread ends: run with a GIL, and under a Python without one."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from wirecontract import Channel, handoff

ROUNDS = 200


def together(*calls: Callable[[], object]) -> None:
    """Makes calls in threads of their own, all at once, and raises what one of them did."""
    raised: list[BaseException] = []
    ready = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> None:
        ready.wait()
        try:
            call()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in raised:
        raise error


def until_it_is_closed(call: Callable[[], object]) -> None:
    with suppress(handoff.ChannelClosed, handoff.PeerClosed):
        while True:
            call()


def test_a_channel_is_closed_while_other_threads_use_it() -> None:
    for _ in range(ROUNDS):
        near, far = Channel.pair()

        sends = partial(until_it_is_closed, partial(near.try_send, b"abc"))
        receives = partial(until_it_is_closed, partial(far.try_recv_into, bytearray(8)))
        together(sends, sends, receives, near.close, far.close)
        assert (near.closed, far.closed) == (True, True)


def test_a_bytearray_is_sent_while_another_thread_resizes_it() -> None:
    shared = bytearray(100)
    near, far = Channel.pair()

    def sends() -> None:
        for _ in range(ROUNDS):
            near.send(shared)
            with far.recv(1 << 16) as came:
                assert came.body.strip(b"\0x") == b""

    def resizes() -> None:
        for _ in range(20 * ROUNDS):
            # It is lent to the call that sends it.
            with suppress(BufferError):
                shared.extend(b"x" * 50)
                del shared[20:]

    with near, far:
        together(sends, resizes)
