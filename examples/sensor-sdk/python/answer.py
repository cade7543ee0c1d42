"""Obeys the commands on standard input, one JSON document a line, and answers each."""

import sys

from sensor import WireError
from sensor.control import (
    AnswerFailure,
    AnswerProgress,
    Command,
    CommandStart,
    Failure,
    Progress,
)


def main() -> None:
    """Answer one line after the other."""
    sent = 0
    for line in sys.stdin.buffer:
        answer: AnswerFailure | AnswerProgress
        try:
            command = Command.from_json(line)
        except WireError as error:
            answer = AnswerFailure(Failure(error=str(error)))
        else:
            if isinstance(command, CommandStart):
                sent += command.value.frame_rate
            answer = AnswerProgress(Progress(serial=2**63 + 7, sent=sent))
        sys.stdout.buffer.write(answer.to_json() + b"\n")


if __name__ == "__main__":
    main()
