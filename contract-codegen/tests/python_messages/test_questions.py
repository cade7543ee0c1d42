"""What C is asked of messages, and more of values that are made; the interpreter has answered it."""

import importlib
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import error_of

FIRST = 100
GROUPS = {
    "MemTableMessage": ("memory",),
    "LogMessage": ("log", "pages", "done"),
    "KickMessage": ("kick", "pair"),
    "UnknownMessage": ("all",),
    "GrowingMessage": (),
    "RegisterMessage": ("planes", "produce_done", "consume_done"),
}
TAILS = {
    "MemTableMessage": "regions",
    "LogMessage": "path",
    "UnknownMessage": "rest",
    "GrowingMessage": "regions",
}
VHOST = ("SetMemTable", "SetLog", "Kick", "Other")
QUERY = ("Lookup", "Register")


@pytest.mark.parametrize("form", ["package", "standalone"])
@pytest.mark.parametrize("name", ["message", "changed"])
def test_every_answer_is_the_interpreters(name: str, form: str) -> None:
    module = importlib.import_module(f"{name}_contracts.vhost" if form == "package" else f"standalone.{name}")
    asked = Asked(module)
    path = Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).parent / f"{name}.jsonl"
    questions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    wrong = [(line, wanted, got) for line, wanted in questions if (got := asked.answer(line)) != wanted]
    assert wrong == []
    answers = [answer for line, answer in questions if line.startswith("write")]
    accepted = sum("_" not in answer.split("|")[1] for answer in answers)
    assert accepted > 200
    assert len(answers) - accepted > 200
    if name == "changed":
        tails = "GrowingMessage.regions at byte 20: length_exceeds: expected at most 0, found 5"
        assert f"|{tails}" in answers
        assert tails.replace("20", "16") in [answer for line, answer in questions if line.startswith("read")]


class Asked:
    """A module that is asked."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.error = error_of(module)

    def answer(self, line: str) -> str:
        op, *words = line.split(" ")
        counts = [int(word) for word in words[-1 if op not in ("read", "write") else 1].split(",")]
        try:
            if op == "read":
                return self.read(words[0], bytes.fromhex(words[2]), counts[0])
            if op == "write":
                return self.written(self.made(words[0], bytes.fromhex(words[2]), counts))
            if op == "join":
                return self.joined(self.registration(words[:3], counts))
            if op == "split":
                body = self.body(words[:3]).to_json()
                message = self.module.RegisterMessage.from_message(body, numbers(counts[0]))
                return f"ok{self.groups(message)}{self.joined(message)}"
            return self.query(op, words[:3], counts[0])
        except self.error as fault:
            return f"{'|' if op in ('write', 'join') else ''}{fault}"

    def read(self, name: str, data: bytes, count: int) -> str:
        message = getattr(self.module, name).from_message(data, numbers(count))
        held = getattr(message, "value", message)
        which = "" if held is message else f" {VHOST.index(type(message).__name__[len('VhostMessage') :])}"
        return f"ok{which}{self.groups(held)}{self.tail(held)}{self.written(message)}"

    def groups(self, message: Any) -> str:
        """Which positions each group has."""
        text = ""
        for name in GROUPS[type(message).__name__]:
            found = getattr(message, name)
            fds = [found] if isinstance(found, int) else list(found or ())
            assert fds == list(range(fds[0], fds[0] + len(fds))) if fds else True
            text += f" {fds[0] - FIRST}+{len(fds)}" if fds else " -"
        return text

    def tail(self, message: Any) -> str:
        name = TAILS.get(type(message).__name__)
        if name is None:
            return ""
        found = getattr(message, name)
        if isinstance(found, bytes | str):
            return f" {found if isinstance(found, str) else found.hex()}"
        return "".join(
            f" {item.start}:{item.size}" if hasattr(item, "start") else f" {item.regions}" for item in found
        )

    def written(self, message: Any, *, shows_bytes: bool = True) -> str:
        """The bytes, how many file descriptors go beside them, and what an importer has to hold."""
        try:
            data, fds = message.to_message()
            assert fds == numbers(len(fds))
            try:
                message.validate_import()
                verdict = "ok"
            except self.error as fault:
                verdict = str(fault)
            beside = f"0+{len(fds)}" if fds else "-"
            return f"|{data.hex() if shows_bytes else 'ok'} {beside}|{verdict}"
        except self.error as fault:
            return f"|{fault}"
        finally:
            message.detach()

    def joined(self, message: Any) -> str:
        return self.written(message, shows_bytes=False)

    def made(self, name: str, data: bytes, counts: list[int]) -> Any:
        """A value by the words of its constructor, of the bytes of its parts and its tail."""
        if name == "VhostMessage":
            kind, *counts = counts
            held = self.made(("KickMessage", "UnknownMessage")[kind], data, counts)
            return getattr(self.module, ("VhostMessageKick", "VhostMessageOther")[kind])(held)
        cls = getattr(self.module, name)
        given: dict[str, Any] = {}
        rest = memoryview(data)
        parts = {
            "MemTableMessage": {"header": "VhostHeader", "table": "MemTable"},
            "GrowingMessage": {"grown": "Grown", "table": "MemTable"},
        }.get(name, {"header": "VhostHeader"})
        for part, of in parts.items():
            given[part], rest = getattr(self.module, of).read_prefix(rest)
        if name in TAILS:
            given[TAILS[name]] = self.tail_of(name, bytes(rest))
        fds = iter(range(FIRST, FIRST + 300))
        for group, count in zip(GROUPS[name], counts, strict=False):
            given[group] = [next(fds) for _ in range(count)]
        return cls(**given)

    def tail_of(self, name: str, rest: bytes) -> Any:
        if name == "LogMessage":
            return rest.decode()
        annotation = str(getattr(self.module, name).__annotations__[TAILS[name]])
        if annotation == "bytes":
            return bytearray(rest)
        item = self.module.MemTable if "MemTable" in annotation else self.module.MemRegion
        size = item.WIRE_SIZE
        return (item.from_bytes(rest[at : at + size]) for at in range(0, len(rest), size))

    def body(self, words: list[str]) -> Any:
        planes, produce, consume = map(int, words)
        image = self.module.VhostImage(
            plane_sizes=[7] * planes, has_produce_done_fd=bool(produce), has_consume_done_fd=bool(consume)
        )
        return self.module.Registration(surface="a", image=image)

    def registration(self, words: list[str], counts: list[int]) -> Any:
        fds = iter(range(FIRST, FIRST + 300))
        planes, produce, consume = [[next(fds) for _ in range(count)] for count in counts]
        return self.module.RegisterMessage(
            body=self.body(words), planes=planes, produce_done=produce, consume_done=consume
        )

    def query(self, op: str, words: list[str], count: int) -> str:
        union = self.module.QueryRegister if op == "register" else self.module.QueryLookup
        held = self.body(words) if op == "register" else self.module.SurfaceName(surface="a")
        message = self.module.QueryMessage.from_message(union(held).to_json(), numbers(count))
        which = QUERY.index(type(message).__name__[len("QueryMessage") :])
        return f"ok {which}{self.joined(message)}"


def numbers(count: int) -> list[int]:
    return list(range(FIRST, FIRST + count))
