"""A socket at which peers connect."""

from __future__ import annotations

import errno
import select
import socket
from threading import RLock

from wirecontract.handoff._address import Address, checked, to_socket
from wirecontract.handoff._channel import Channel
from wirecontract.handoff._errors import ChannelClosed, Doing, FdKind, HandoffTimeout, InUse, os_error
from wirecontract.handoff._fd import Fd, OwnedFd
from wirecontract.handoff._maker import Maker
from wirecontract.handoff._open import adopted, deliver_rights_alone, listens, owned, unconnected
from wirecontract.handoff._options import Options, Stream
from wirecontract.handoff._socket_file import SocketFile
from wirecontract.handoff._wait import Limit, wait_for
from wirecontract.handoff._wake import Wake
from wirecontract.handoff._words import shown


class Listener:
    """A socket at which peers connect, and the file by which they find it.

    Closing it removes that file, where it is still its own, and ends connections that nobody accepted;
    channels that were accepted stay. A call that waits in another thread is woken (`ChannelClosed`).
    """

    def __init__(self, sock: socket.socket, options: Options, file: SocketFile | None) -> None:
        self._socket = sock
        self._options = options
        self._file = file
        self._maker = Maker("listener")
        # Calls have it while they use the socket, and never while they wait.
        self._lock = RLock()
        try:
            # Woken when this side closes the listener.
            self._closing = Wake()
        except BaseException:
            if file is not None:
                file.remove()
            sock.close()
            raise

    @classmethod
    def bind(cls, address: Address, options: Options | None = None) -> Listener:
        """Listens at an address.

        A path at which somebody listens is refused (`InUse`), as is one at which there is anything but a
        socket file of this user's (`NotOurs`). A socket file of this user's at which nobody listens is what a
        process left that is gone: it is replaced. While this looks and replaces, it holds a lock, a file
        beside the socket, so that of two listeners that start at once one is refused; `Locked` where somebody
        else holds it for two seconds.

        The socket file never has more permissions than `Options.mode` says.
        """
        options = Options.of(options)
        at = checked(address)
        sock = unconnected(options.framing)
        try:
            if not at.startswith(b"\0"):
                return cls(sock, options, SocketFile.listen(sock, at, options))
            try:
                sock.bind(to_socket(at))
                sock.listen(options.backlog)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise InUse(shown(address)) from None
                raise os_error(f"binding a socket to {shown(address)}", error) from error
            return cls(sock, options, None)
        except BaseException:
            sock.close()
            raise

    @classmethod
    def from_fd(cls, fd: OwnedFd, options: Options | None = None) -> Listener:
        """A listener of a socket that was made elsewhere and handed over. The file descriptor, by its number
        as well, is this call's to close, also where it is refused (`FdKind`), and where the options are: the
        listener has a duplicate. What is no file descriptor is refused as `Channel.from_fd` does. Its file is
        whoever's it was.
        """
        with Fd.owning(fd) as given:
            options = Options.of(options)
            stream = isinstance(options.framing, Stream)
            kind = "a Unix stream socket" if stream else "a Unix socket of packets (SOCK_SEQPACKET)"
            sock = adopted(given, options.framing, f"{kind} that listens")
        try:
            if not listens(sock):
                raise FdKind(f"{kind} that listens", "a socket that does not listen")
            # There is no flag by which one call alone does not wait.
            sock.setblocking(False)
        except BaseException:
            sock.close()
            raise
        return cls(sock, options, None)

    def accept(self, within: float | None = None) -> Channel:
        """Waits for a peer to connect, no longer than `within` seconds (`HandoffTimeout`).

        A peer that is not let in is disconnected and refused by name (`PeerUser`), which says nothing of the
        next one.
        """
        limit = Limit.of(within)
        while True:
            channel = self.try_accept()
            if channel is not None:
                return channel
            sock, closing = self.watched()
            with sock, closing:
                ready = wait_for(sock.fileno(), select.POLLIN, limit, closing.fileno())
            if not ready:
                raise HandoffTimeout(Doing.ACCEPTING, limit.after if limit else 0)

    def try_accept(self) -> Channel | None:
        """A peer that has connected, if there is one."""
        self._maker.check()
        with self._lock:
            self.fileno()
            while True:
                try:
                    peer, _ = self._socket.accept()
                except BlockingIOError:
                    return None
                except ConnectionAbortedError:
                    continue
                except OSError as error:
                    raise os_error("accepting a peer", error) from error
                break
        sock = owned(peer.detach(), self._options.framing)
        try:
            # Who connected before the listener was adopted has the options that it had then.
            deliver_rights_alone(sock)
        except BaseException:
            sock.close()
            raise
        return Channel(sock, self._options, knows_peer=True)

    def watched(self) -> tuple[Fd, Fd]:
        """Two file descriptors that are the caller's, for an event loop: the first can be read when a peer
        has connected, the second from when this listener is closed. Their numbers are nobody else's, whoever
        closes the listener.
        """
        self._maker.check()
        with self._lock:
            self.fileno()
            try:
                sock = Fd.duplicate(self._socket)
                try:
                    return sock, Fd.duplicate(self._closing)
                except BaseException:
                    sock.close()
                    raise
            except OSError as error:
                raise os_error("watching a listener", error) from error

    def close(self) -> None:
        """Removes the file, and then closes the socket: who finds the file finds somebody who listens. Calls
        that wait are woken. In a forked child it closes the socket alone.
        """
        if not self._maker.is_here:
            # The parent's calls would hear of the event, and its thread may have had the lock.
            self._drop()
            return
        with self._lock:
            if not self.closed:
                self._closing.wake()
                self._drop()

    def _drop(self) -> None:
        file, self._file = self._file, None
        try:
            if file is not None:
                file.remove()
        finally:
            self._socket.close()
            self._closing.close()

    @property
    def closed(self) -> bool:
        """Whether this side closed it."""
        return self._socket.fileno() < 0

    @property
    def options(self) -> Options:
        """What channels that are accepted are opened with."""
        return self._options

    def fileno(self) -> int:
        """The socket's number, to poll it."""
        number = self._socket.fileno()
        if number < 0:
            raise ChannelClosed
        return number

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Listener fd={self._socket.fileno()} {self._options.framing}>"
