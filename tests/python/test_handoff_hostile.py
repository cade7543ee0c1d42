"""Peers that misbehave: each is refused by name, and nothing that it sent stays open."""

import os
import resource
import select
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from wirecontract.contracts import Code
from wirecontract.handoff import (
    AddressTooLong,
    BadAddress,
    Channel,
    ChannelClosed,
    ClosedInMessage,
    Doing,
    Expected,
    Fd,
    FdCount,
    FdsInFlight,
    FdsLost,
    FdsMisplaced,
    Framing,
    HandoffError,
    HandoffOSError,
    HandoffTimeout,
    InUse,
    Listener,
    Locked,
    NotOurs,
    Options,
    PeerClosed,
    Peers,
    PeerUnmapped,
    PeerUser,
    SeqPacket,
    Stream,
    TooLarge,
)
from wirecontract.handoff._wait import Turn

pytestmark = pytest.mark.usefixtures("balanced")

BODY = b"a body"
MESSAGE = b"\0\0\0\6" + BODY
PATIENT = Options(message_timeout=60)


@contextmanager
def channel_and_socket(options: Options = PATIENT) -> Iterator[tuple[Channel, socket.socket]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, options.framing.kind)
    with Channel.from_fd(ours.detach(), options) as channel, theirs:
        yield channel, theirs


def receive(parts: list[tuple[bytes, int]], fds: list[int], expected: Expected, piecemeal: bool) -> bytes:
    """Sends the parts, and receives after each of them or behind all, which the kernel puts together
    otherwise.
    """
    with channel_and_socket() as (channel, theirs):
        for part, count in parts:
            socket.send_fds(theirs, [part], fds[:count])
            if piecemeal and (message := channel.try_recv(expected)):
                break
        else:
            message = channel.recv(expected)
        with message:
            assert len(message.fds) == 2
            return message.body


@pytest.mark.parametrize("piecemeal", [False, True])
def test_a_message_is_whole_wherever_it_is_cut(piecemeal: bool) -> None:
    with open("/dev/null", "rb") as null:
        fds, two = [null.fileno()] * 2, Expected(100, fds=(0, 2), repeated=True)
        for cut in range(1, len(MESSAGE)):
            # They ride with the first byte of the body, alone or with the prefix or parts of it.
            first, second = (0, 2) if cut <= 4 else (2, 0)
            parts = [(MESSAGE[:cut], first), (MESSAGE[cut:], second)]
            assert receive(parts, fds, two, piecemeal) == BODY, cut
        bytewise = [(MESSAGE[at : at + 1], 2 if at == 4 else 0) for at in range(len(MESSAGE))]
        assert receive(bytewise, fds, two, piecemeal) == BODY


@pytest.mark.parametrize("piecemeal", [False, True])
def test_descriptors_on_another_part_are_misplaced_wherever_it_is_cut(piecemeal: bool) -> None:
    with open("/dev/null", "rb") as null:
        fds = [null.fileno()]
        for cut in range(1, len(MESSAGE)):
            first, second = (1, 0) if cut <= 4 else (0, 1)
            parts = [(MESSAGE[:cut], first), (MESSAGE[cut:], second)]
            with pytest.raises(FdsMisplaced) as caught:
                receive(parts, fds, Expected(100, fds=(0, 2)), piecemeal)
            assert caught.value.code is Code.FD_COUNT
            assert ("prefix" if cut <= 4 else "behind the first byte") in str(caught.value), cut


@pytest.mark.parametrize("piecemeal", [False, True])
def test_descriptors_where_none_may_come_are_refused_by_their_number(piecemeal: bool) -> None:
    with open("/dev/null", "rb") as null:
        fds = [null.fileno()] * 3
        for cut in range(1, len(MESSAGE)):
            for first, second in ((3, 0), (0, 3)):
                parts = [(MESSAGE[:cut], first), (MESSAGE[cut:], second)]
                with pytest.raises(FdCount, match="found 3"):
                    receive(parts, fds, Expected(100), piecemeal)


def test_a_peer_that_closes_in_the_middle_is_told_from_one_that_ends() -> None:
    for cut in range(len(MESSAGE)):
        with channel_and_socket() as (channel, theirs), open("/dev/null", "rb") as null:
            if cut:
                socket.send_fds(theirs, [MESSAGE[:cut]], [null.fileno()] if cut > 4 else [])
            theirs.close()
            with pytest.raises(HandoffError) as caught:
                channel.recv(Expected(100, fds=(0, 1)))
            assert isinstance(caught.value, PeerClosed if cut == 0 else ClosedInMessage)
            assert caught.value.code is Code.PEER_CLOSED
            assert caught.value.is_end is (cut == 0)
            if isinstance(caught.value, ClosedInMessage):
                assert caught.value.crossed == cut
                # Of the body one byte is asked for before the others.
                assert caught.value.missing == (len(MESSAGE) if cut >= 4 else 4) - cut


def test_four_gibibytes_are_refused_when_they_are_announced() -> None:
    with channel_and_socket() as (channel, theirs):
        theirs.sendall(b"\xff\xff\xff\xff")
        with pytest.raises(TooLarge) as caught:
            channel.recv(Expected(1 << 20, fds=(0, 2)))
        assert (caught.value.found, caught.value.expected) == (0xFFFF_FFFF, "at most 1048576 bytes")


def test_nothing_is_allocated_for_what_has_not_come() -> None:
    import tracemalloc

    with channel_and_socket() as (channel, theirs):
        theirs.sendall(b"\xff\xff\xff\xffx")
        tracemalloc.start()
        assert channel.try_recv(Expected(0xFFFF_FFFF)) is None
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 256 << 10


def test_a_peer_that_says_nothing_is_waited_for_no_longer_than_the_limit() -> None:
    with channel_and_socket(Options(idle_timeout=0.05)) as (channel, theirs):
        for _ in range(2):
            with pytest.raises(HandoffTimeout) as caught:
                channel.recv(Expected(100))
            assert (caught.value.doing, caught.value.after) == (Doing.WAITING, 0.05)
        # The channel is as good as it was.
        theirs.sendall(MESSAGE)
        assert channel.recv(Expected(100)).body == BODY


def test_a_peer_that_sends_byte_by_byte_has_the_time_of_one_message() -> None:
    with channel_and_socket(Options(message_timeout=0.2)) as (channel, theirs):
        stop = threading.Event()

        def drip() -> None:
            theirs.sendall(b"\0\1\0\0")
            while not stop.wait(0.01):
                theirs.sendall(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        with pytest.raises(HandoffTimeout) as caught:
            channel.recv(Expected(1 << 20))
        assert (caught.value.doing, caught.value.after) == (Doing.RECEIVING, 0.2)
        assert caught.value.crossed > 4
        stop.set()
        theirs.shutdown(socket.SHUT_RDWR) if not thread.is_alive() else None
        thread.join()


def test_a_peer_that_receives_nothing_holds_nobody() -> None:
    with channel_and_socket(Options(message_timeout=0.1, send_buffer=4096)) as (channel, theirs):
        with pytest.raises(HandoffTimeout) as caught:
            channel.send(bytes(10 << 20))
        assert caught.value.doing is Doing.SENDING
        assert caught.value.crossed > 0
        with pytest.raises(BrokenPipeError, match="since timeout left it in the middle"):
            channel.send(b"more")
        # The peer sees where it ends.
        came = b""
        while data := theirs.recv(1 << 20):
            came += data
        assert len(came) == caught.value.crossed


def test_sending_to_a_peer_that_is_gone_is_an_error_and_no_signal() -> None:
    with channel_and_socket() as (channel, theirs):
        channel.send(b"unread")
        theirs.close()
        with pytest.raises(PeerClosed):
            channel.send(b"x")
        with pytest.raises(PeerClosed) as caught:
            channel.recv(Expected(1))
        assert caught.value.unread


def test_a_packet_of_nothing_is_no_end() -> None:
    with channel_and_socket(Options(framing=SeqPacket(), message_timeout=60)) as (channel, theirs):
        theirs.send(b"")
        theirs.send(b"x" * 100_000)
        theirs.close()
        assert channel.recv(Expected(10)).body == b""
        assert channel.recv(Expected(100_000)).body == b"x" * 100_000
        with pytest.raises(PeerClosed):
            channel.recv(Expected(10))


def test_descriptors_that_are_lost_are_an_error_and_those_that_came_are_closed() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    for framing in (PATIENT.framing, SeqPacket()):
        one, other = Channel.pair(Options(framing=framing))
        with one, other, open("/dev/null", "rb") as null:
            one.send(b"x", [null] * 10)
            highest = max(int(number) for number in os.listdir("/proc/self/fd"))
            spare = [Fd.duplicate(null) for _ in range(highest)]
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(fd.fileno() for fd in spare) + 3, before[1]))
            try:
                with pytest.raises(FdsLost) as caught:
                    other.recv(Expected(1, fds=10))
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, before)
                for fd in spare:
                    fd.close()
            assert caught.value.found == 2
            assert caught.value.code is Code.FD_COUNT


def test_too_many_descriptors_in_flight_are_an_error_that_passes() -> None:
    # Who may raise limits is not held to this one, so that another user tries it, in another process.
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.geteuid() == 0:
                os.setresuid(65534, 65534, 65534)
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            one, other = Channel.pair(Options(framing=SeqPacket()))
            null = os.open("/dev/null", os.O_RDONLY)
            with pytest.raises(FdsInFlight) as caught:
                send_all(one, [null] * 20, 100)
            assert caught.value.code is Code.TOO_MANY
            other.recv(Expected(1, fds=20, repeated=True)).close()
            one.send(b"x", [null] * 20)
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def send_all(channel: Channel, fds: list[int], times: int) -> None:
    for _ in range(times):
        channel.send(b"x", fds)


def waits(turn: Turn) -> None:
    """Returns when a call of another thread has its turn."""
    while turn._lock.acquire(blocking=False):
        turn._lock.release()
        time.sleep(0)


@pytest.mark.parametrize("begun", [b"", b"\0", b"\0\0\0\2x"])
def test_a_channel_that_this_side_closes_wakes_who_waits_for_a_message(begun: bytes) -> None:
    with channel_and_socket(PATIENT) as (channel, theirs):
        theirs.sendall(begun)
        found: list[BaseException] = []

        def wait() -> None:
            try:
                channel.recv(Expected(2))
            except HandoffError as error:
                found.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        waits(channel._receives)
        while begun and not channel.recv_limit()[0]:
            time.sleep(0)
        channel.close()
        thread.join(60)
        assert not thread.is_alive()
        (error,) = found
        assert (type(error), str(error)) == (
            ChannelClosed,
            "bad_handle: this side closed it: open another one",
        )
        with pytest.raises(ChannelClosed):
            channel.recv(Expected(2))


def test_a_channel_that_this_side_closes_wakes_who_waits_to_send() -> None:
    with channel_and_socket(PATIENT) as (channel, theirs):
        found: list[BaseException] = []

        def wait() -> None:
            try:
                channel.send(bytes(10 << 20))
            except HandoffError as error:
                found.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        waits(channel._sends)
        # Some of it is with the kernel.
        theirs.recv(1, socket.MSG_PEEK)
        channel.close()
        thread.join(60)
        assert not thread.is_alive()
        assert [type(error) for error in found] == [ChannelClosed]


def test_a_service_outlives_its_worst_peers(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"
    options = Options(idle_timeout=0.05, message_timeout=0.05)
    with Listener.bind(path, options) as listener:
        refusals = []
        for words in (b"", b"\0\0", b"\xff\xff\xff\xff", b"\0\0\0\2x", None):
            with socket.socket(socket.AF_UNIX) as peer:
                peer.connect(os.fspath(path))
                if words is None:
                    peer.close()
                else:
                    peer.sendall(words)
                with listener.accept(60) as channel, pytest.raises(Exception, match=r"^\w+: ") as caught:
                    channel.recv(Expected(100, fds=(0, 1)))
                refusals.append(type(caught.value))
            with Channel.connect(path) as client, listener.accept(60) as channel:
                client.send(b"served")
                assert channel.recv(Expected(100)).body == b"served"
                assert channel.peer.pid == os.getpid()
        assert refusals == [HandoffTimeout, HandoffTimeout, TooLarge, HandoffTimeout, PeerClosed]
    assert not path.exists()


def test_peers_of_another_user_are_let_in_by_those_who_say_so(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"
    other = os.geteuid() + 1
    with Listener.bind(path, Options(peers=Peers.of(other))) as listener:
        client = Channel.connect(path)
        with pytest.raises(PeerUser, match=rf"expected a peer of user {other}, found user") as caught:
            listener.accept(60)
        assert (caught.value.code, caught.value.found) == (Code.REFUSED, os.geteuid())
        with pytest.raises(PeerClosed):
            client.recv(Expected(1))
        client.close()
        with pytest.raises(PeerUser):
            Channel.connect(path, Options(peers=Peers.of()))
    with Listener.bind(path, Options(peers=Peers.anyone())) as listener, Channel.connect(path) as client:
        with pytest.raises(PeerUser):
            Channel.pair(Options(peers=Peers.of(other)))
        listener.accept(60).close()
        assert client.peer.uid == os.geteuid()


def test_whom_a_user_namespace_does_not_know_is_nobody_in_particular(tmp_path: Path) -> None:
    path = tmp_path / "service.sock"
    reader, writer = os.pipe()
    with Listener.bind(path, Options(peers=Peers.anyone())) as listener:
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, in_a_user_namespace(path).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader, encoding="utf-8") as said:
            text = said.read()
        assert os.waitpid(child, 0)[1] == 0
        if text.startswith("no namespace"):
            pytest.skip(text)
        # In it this process, whose user it does not know, has the number of its own.
        assert text == "refused: user 65534, which stands for all others, let in"
        for _ in range(2):
            listener.accept(60).close()


def in_a_user_namespace(path: Path) -> str:
    """What becomes of connecting from a user namespace that knows nobody."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x1000_0000) != 0:
        return f"no namespace: {os.strerror(ctypes.get_errno())}"
    for end in Channel.pair():
        end.close()
    try:
        Channel.connect(path).close()
    except PeerUnmapped as error:
        refused = f"{error.code.name.lower()}: " + str(error).partition("found ")[2].partition(" (")[0]
        Channel.connect(path, Options(peers=Peers.anyone())).close()
        return f"{refused}, let in"
    return "let in as its own"


def test_a_path_that_is_taken_is_refused_and_one_that_is_stale_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with Listener.bind(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for framing in (PATIENT.framing, SeqPacket()):
            with pytest.raises(InUse) as caught:
                Listener.bind(path, Options(framing=framing))
            assert caught.value.code is Code.BUSY
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(os.fspath(path))
    with Listener.bind(path, Options(mode=0o666)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o666
        path.unlink()
        path.write_text("another's")
    assert path.read_text() == "another's"
    with pytest.raises(NotOurs, match="found a file: choose another path"):
        Listener.bind(path)
    (tmp_path / "b").mkdir()
    with pytest.raises(NotOurs, match="found a directory"):
        Listener.bind(tmp_path / "b")
    assert path.read_text() == "another's"


def bound(path: Path, kind: socket.SocketKind) -> socket.socket:
    """Somebody else's socket at a path, which listens where its kind does."""
    sock = socket.socket(socket.AF_UNIX, kind)
    sock.bind(os.fspath(path))
    if kind is not socket.SOCK_DGRAM:
        sock.listen()
    return sock


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM], ids=str)
@pytest.mark.parametrize("framing", [Stream(), SeqPacket()], ids=str)
def test_who_is_asked_for_sees_nobody(tmp_path: Path, kind: socket.SocketKind, framing: Framing) -> None:
    path = tmp_path / "a.sock"
    with bound(path, kind) as taken:
        with pytest.raises(InUse):
            Listener.bind(path, Options(framing=framing))
        assert not select.select([taken], [], [], 0)[0], "a peer that is none"
    Listener.bind(path, Options(framing=framing)).close()


def test_what_takes_datagrams_of_its_peer_alone_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with bound(path, socket.SOCK_DGRAM) as taken, bound(tmp_path / "peer", socket.SOCK_DGRAM):
        taken.connect(os.fspath(tmp_path / "peer"))
        with pytest.raises(InUse):
            Listener.bind(path)


def test_of_many_that_start_at_once_one_listens(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(os.fspath(path))
    outcomes: list[Listener | BaseException] = []

    def bind() -> None:
        try:
            outcomes.append(Listener.bind(path))
        except InUse as error:
            outcomes.append(error)

    threads = [threading.Thread(target=bind) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    listeners = [outcome for outcome in outcomes if isinstance(outcome, Listener)]
    assert (len(listeners), len(outcomes)) == (1, 8)
    Channel.connect(path).close()
    listeners[0].close()


def test_a_lock_that_somebody_holds_is_waited_for_and_named(tmp_path: Path) -> None:
    import fcntl

    lock = tmp_path / ".a.sock.lock"
    with Fd(os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)) as held:
        fcntl.flock(held.fileno(), fcntl.LOCK_EX)
        with pytest.raises(Locked, match=r"holds a lock on .*/\.a\.sock\.lock") as caught:
            Listener.bind(tmp_path / "a.sock")
        assert caught.value.code is Code.BUSY
    # What a process left that is gone is nobody's.
    with Listener.bind(tmp_path / "a.sock"):
        assert not lock.exists()
        held = Fd(os.open(lock, os.O_RDWR | os.O_CREAT, 0o600))
        fcntl.flock(held.fileno(), fcntl.LOCK_EX)
    # Who closes waits for nobody: the file is replaced by the next listener.
    assert (tmp_path / "a.sock").exists()
    held.close()
    Listener.bind(tmp_path / "a.sock").close()
    assert not (tmp_path / "a.sock").exists()


def test_who_may_read_a_directory_keeps_nobody_from_listening_there(tmp_path: Path) -> None:
    import fcntl

    with Fd(os.open(tmp_path, os.O_RDONLY)) as directory:
        fcntl.flock(directory.fileno(), fcntl.LOCK_EX)
        with Listener.bind(tmp_path / "a.sock"):
            pass


def test_what_is_no_lock_of_this_user_is_left_alone_and_named(tmp_path: Path) -> None:
    lock = tmp_path / ".a.sock.lock"
    lock.symlink_to(tmp_path / "other")
    with pytest.raises(NotOurs, match="found a symbolic link"):
        Listener.bind(tmp_path / "a.sock")
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(NotOurs, match="found what is no file"):
        Listener.bind(tmp_path / "a.sock")
    assert lock.is_fifo()
    assert not (tmp_path / "a.sock").exists()
    lock.unlink()
    if os.geteuid() == 0:
        lock.write_bytes(b"")
        os.chown(lock, 65534, 65534)
        with pytest.raises(NotOurs, match="found a file of user 65534"):
            Listener.bind(tmp_path / "a.sock")


def test_a_path_may_be_longer_than_an_address(tmp_path: Path) -> None:
    deep = tmp_path / ("y" * 200)
    deep.mkdir()
    for framing in (PATIENT.framing, SeqPacket()):
        options = Options(framing=framing)
        path = deep / ("z" * 80)
        with Listener.bind(path, options) as listener:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            with Channel.connect(path, options) as client, listener.accept(60) as channel:
                client.send(b"deep")
                assert channel.recv(Expected(4)).body == b"deep"
            with pytest.raises(InUse):
                Listener.bind(path, options)
        assert not path.exists()
        with pytest.raises(FileNotFoundError):
            Channel.connect(path, options)
        for call in (Listener.bind, Channel.connect):
            with pytest.raises(AddressTooLong):
                call(deep / ("z" * 100), options)


def test_a_socket_is_bound_in_the_directory_that_was_looked_at(tmp_path: Path) -> None:
    from wirecontract.handoff._socket_file import directory_of, within

    before, moved = tmp_path / "before", tmp_path / "moved"
    before.mkdir()
    with directory_of(os.fspath(before / "a.sock")) as directory, socket.socket(socket.AF_UNIX) as sock:
        before.rename(moved)
        before.mkdir()
        sock.bind(within(directory, os.fspath(before / "a.sock")))
    assert (moved / "a.sock").exists()
    assert not (before / "a.sock").exists()


def test_addresses_that_are_none_are_refused() -> None:
    with pytest.raises(AddressTooLong, match="at most 107 bytes, found 108"):
        Listener.bind("/" + "x" * 107)
    for address in ("", "\0", "/tmp/a\0b"):
        with pytest.raises(BadAddress) as caught:
            Channel.connect(address)
        assert caught.value.code is Code.BAD_TEXT
    with pytest.raises(BadAddress, match="no file name"):
        Listener.bind("/tmp/")


def test_where_nobody_listens_nobody_connects(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with pytest.raises(FileNotFoundError) as missing:
        Channel.connect(path)
    assert isinstance(missing.value, HandoffOSError)
    assert missing.value.code is Code.IO
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(os.fspath(path))
    with pytest.raises(ConnectionRefusedError):
        Channel.connect(path)
    # Who is no file has the name "a", in the abstract namespace.
    name = f"\0wirecontract-{os.getpid()}"
    with Listener.bind(name) as listener:
        with pytest.raises(InUse):
            Listener.bind(name)
        with Channel.connect(name) as client, listener.accept(60) as channel:
            client.send(b"x")
            assert channel.recv(Expected(1)).body == b"x"


def test_connecting_and_accepting_end_in_time(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with Listener.bind(path, Options(backlog=0)) as listener:
        with pytest.raises(HandoffTimeout) as caught:
            listener.accept(0.01)
        assert caught.value.doing is Doing.ACCEPTING
        # One waits where the queue has room for none.
        with Channel.connect(path):
            with pytest.raises(HandoffTimeout) as caught:
                Channel.connect(path, Options(message_timeout=0.05))
            assert caught.value.doing is Doing.CONNECTING


def test_a_listener_that_was_handed_over_accepts(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(os.fspath(tmp_path / "a.sock"))
        with pytest.raises(Exception, match="found a socket that does not listen"):
            Listener.from_fd(sock.dup().detach())
        sock.listen()
        # It is to deliver credentials, and a pidfd where the kernel has those.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        listener = Listener.from_fd(sock.dup().detach())
        with listener, Channel.connect(tmp_path / "a.sock") as client, listener.accept(60) as channel:
            with open("/dev/null", "rb") as null:
                client.send(b"x", [null])
            with channel.recv(Expected(1, fds=1)) as message:
                assert message.body == b"x"
