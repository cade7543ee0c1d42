"""Blackens the hot spots of every frame that a camera sends, and sends it back: `reader.py SOCKET`.

What is no frame is refused by the contract's own words.
"""

import os
import sys

from frames import WireError
from frames.wire import (
    AnswerMessageMasked,
    AnswerMessageRefused,
    Frame,
    Masked,
    MaskedMessage,
    Packet,
    PacketFrame,
    Refused,
)
from wirecontract.handoff import Channel


def masked(frame: Frame) -> MaskedMessage:
    """The frame, black where it is hot; `ValueError` where it is no frame."""
    width, height = frame.header.width, frame.header.height
    if width * height > 1 << 20:
        raise ValueError(f"expected at most {1 << 20} pixels")
    pixels = bytearray(os.pread(frame.pixels, width * height, 0))
    if len(pixels) != width * height:
        raise ValueError(f"expected {width * height} pixels")
    for spot in frame.spots:
        if spot.x >= width or spot.y >= height:
            raise ValueError("expected a hot spot within the frame")
        pixels[spot.y * width + spot.x] = 0
    # The message owns it from here on.
    answer = Masked(reader="Python", pixels=len(frame.spots))
    message = MaskedMessage(masked=answer, frame=os.memfd_create("pixels"))
    os.write(message.frame, pixels)
    return message


def main() -> None:
    """Answers until the camera says stop."""
    with Channel.connect(sys.argv[1]) as channel:
        while True:
            try:
                with channel.recv_declared(Packet) as packet:
                    if not isinstance(packet, PacketFrame):
                        return
                    with AnswerMessageMasked(masked(packet.value)) as answer:
                        channel.send_declared(answer)
            except (WireError, ValueError) as error:
                # What came is closed; the channel goes on.
                channel.send_declared(AnswerMessageRefused(Refused(error=str(error))))


if __name__ == "__main__":
    main()
