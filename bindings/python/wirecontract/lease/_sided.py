"""What a producer and a consumer have alike: a side of a channel, as its caller has it."""

from __future__ import annotations

from typing import Generic, Self, TypeVar

from wirecontract.handoff import Channel, Fd, Peer
from wirecontract.handoff._arguments import of_type
from wirecontract.handoff._wake import Wake
from wirecontract.lease._errors import Doing, Lost
from wirecontract.lease._link import Link
from wirecontract.lease._options import Options
from wirecontract.lease._side import Side

_S = TypeVar("_S", bound=Side)


class Sided(Generic[_S]):
    """A side of a channel of leases, which owns the channel: the object that it was made of sends and
    receives no more (`handoff.ChannelTaken`), and closing that closes this side. Threads may share it.
    """

    def __init__(self, channel: Channel, side: _S, options: Options) -> None:
        name = type(self).__name__
        given = of_type("a channel", channel, f"a Channel for a {name} of leases", Channel)
        held = given.taken_by(name, self.close)
        try:
            self._link = Link(held, side, options)
        except BaseException:
            given.take_again(held)
            raise

    def poll(self) -> None:
        """Takes what came, without waiting; what is not sent yet is."""
        self._link.look(lambda: None)

    def ping(self, within: float | None = None) -> None:
        """Asks whether the other side is there, and waits for its answer, no longer than so many seconds.
        `LeaseTimeout`, `Lost`.
        """
        self._wait_pong(self._say_ping(), within)

    def wait_closed(self, within: float | None = None) -> Lost:
        """Waits until the channel ends, no longer than so many seconds, and says how. `LeaseTimeout`."""
        return self._link.wait(within, Doing.CLOSE, lambda: self._link.lost)

    @property
    def lost(self) -> Lost | None:
        """How the channel has ended, if it has."""
        return self._link.look(lambda: self._link.lost)

    @property
    def peer(self) -> Peer:
        """Who is at the other end, as the kernel noted it."""
        return self._link.channel.peer

    def fileno(self) -> int:
        """The channel's, to poll it for what `interest` says: `poll` has something to do then."""
        return self._link.channel.fileno()

    def interest(self) -> int:
        """What the file descriptor is to be polled for, as `selectors` has it: `EVENT_READ`, and
        `EVENT_WRITE` while something waits until the kernel takes it. Each call may change it.
        """
        return self._link.interest()

    @property
    def deadline(self) -> float | None:
        """The seconds until `poll` has something to do though the file descriptor is not ready: the other
        side is too slow by then with its hello, a message or with receiving. None where nothing is waited
        for.
        """
        return self._link.deadline()

    def close(self) -> None:
        """Ends the channel, and all leases on it: the other side finds that it was closed. What is held stays
        mapped, and is to be released.
        """
        self._link.close()

    def _say_ping(self) -> int:
        """Asks whether the other side is there, and does not wait: the number of the question."""
        return self._link.act(self._link.side.ask)

    def _wait_pong(self, sequence: int, within: float | None = None) -> None:
        """Waits for the answer to that question. `LeaseTimeout`, `Lost`."""
        side = self._link.side

        def answered() -> bool | None:
            return None if self._link.lost or side.waits_for(sequence) else True

        self._link.wait(within, Doing.PONG, answered)

    def _watch(self, event: Wake) -> list[Fd]:
        """Has an event of an event loop's be woken whenever something has changed, and gives what it watches
        beside it: duplicates of the channel's socket, and of what is readable when the process at the other
        end has ended.
        """
        fds = self._link.duplicates()
        self._link.told_by(event.wake)
        return fds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
