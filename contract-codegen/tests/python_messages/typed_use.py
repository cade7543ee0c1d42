"""What a type checker knows of messages: it is run over this file beside them."""

from typing import NoReturn, assert_type

from message_contracts import vhost


def match(message: vhost.VhostMessage) -> int:
    """Patterns take fields in declared order."""
    match message:
        case vhost.VhostMessageKick(vhost.KickMessage(header, kick, pair)):
            assert_type(header, vhost.VhostHeader)
            assert_type(kick, int | None)
            assert_type(pair, tuple[int, ...])
            return header.flags
        case vhost.VhostMessageSetLog(log):
            assert_type(log, vhost.LogMessage)
            assert_type(log.path, str)
            return log.log
        case _:
            return message.MAX_FDS


def change(message: vhost.KickMessage, held: vhost.VhostMessageKick) -> None:
    """An error that is not there would be one of the comment."""
    message.header = vhost.VhostHeader(request=12, flags=0, size=0)  # type: ignore[misc]
    message.kick = 1  # type: ignore[misc]
    held.value = message  # type: ignore[misc]


def copy(message: vhost.KickMessage, held: vhost.VhostMessageKick) -> NoReturn:
    """There is no second owner."""
    assert_type(held.detach(), list[int])
    message.__reduce_ex__(4)


def read(data: bytearray, fds: list[int]) -> bytes:
    """What is refused is closed."""
    message = vhost.VhostMessage.from_message(data, fds, close_refused=True)
    with message as same:
        assert_type(same, vhost.VhostMessage)
        return same.to_message()[0]
