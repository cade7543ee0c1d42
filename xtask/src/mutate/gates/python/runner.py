"""Asks changed modules what the golden vectors ask, and loads changed libraries.

A job is a line, and so is its answer. A job's modules stand in front of the unchanged ones. What no
declaration changes (`_wire`, `_call`) is imported once, unless it is what was edited.
"""

import contextlib
import importlib
import io
import json
import pathlib
import sys
from typing import Any

SHARED = ("_wire", "_call")


def forget(package: str, everything: bool) -> None:
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        word = name.removeprefix(f"{package}.")
        if everything or word not in SHARED:
            del sys.modules[name]
            parent = sys.modules.get(package)
            if parent is not None and hasattr(parent, word):
                delattr(parent, word)


def stand_in_front(job: dict[str, Any], with_changes: bool) -> None:
    """Lets the package's modules be found: the changed ones first, or the unchanged ones alone."""
    package = job["package"]
    inside = package.replace(".", "/")
    changed = pathlib.Path(job["folder"], "python", inside)
    unchanged = pathlib.Path(job["tree"], "python", inside)
    is_shared = any((changed / f"{word}.py").exists() for word in SHARED)
    forget(package, everything=is_shared or job["tree"] != state.get("tree") or state["shared"])
    state.update(tree=job["tree"], shared=is_shared and with_changes)
    root = str(pathlib.Path(job["tree"], "python"))
    sys.path[:] = [root, *(path for path in sys.path if not path.endswith("/tree/python"))]
    if package.partition(".")[0] in sys.modules and package not in sys.modules:
        del sys.modules[package.partition(".")[0]]
    importlib.invalidate_caches()
    module = importlib.import_module(package)
    module.__path__ = [str(changed), str(unchanged)] if with_changes else [str(unchanged)]


state: dict[str, Any] = {"tree": None, "shared": False}


def answers(job: dict[str, Any]) -> str:
    source = pathlib.Path(job["driver"]).read_text()
    source = source.removesuffix("main()\n")
    standalone = job["standalone"]
    if standalone is None:
        stand_in_front(job, with_changes=True)
    else:
        sys.path.insert(0, str(pathlib.Path(job["folder"], "python/standalone")))
        sys.modules.pop(standalone, None)
        lines = source.splitlines(keepends=True)
        prefix = f"import {job['package']}."
        source = "".join(
            f"import {standalone} as {line.split(' as ')[1]}" if line.startswith(prefix) else line
            for line in lines
        )
    space: dict[str, Any] = {"__name__": "driver"}
    try:
        exec(compile(source, job["driver"], "exec"), space)
        lines = pathlib.Path(job["folder"], "python-lines").read_text().splitlines()
        return "".join(space["answer"](line) + "\n" for line in lines)
    finally:
        if standalone is not None:
            sys.path.pop(0)
            sys.modules.pop(standalone, None)


def load(job: dict[str, Any]) -> str | None:
    """Why a library was not taken; nothing where it was."""
    is_edited = pathlib.Path(job["folder"], "python", job["package"].replace(".", "/"), "library.py").exists()
    stand_in_front(job, with_changes=is_edited)
    try:
        library = importlib.import_module(f"{job['package']}.library")
        library.load(job["load"])
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        said: dict[str, str | None] = {"vectors": None, "load": None}
        # A module that was edited may print.
        with contextlib.redirect_stdout(io.StringIO()):
            if job["asks"]:
                try:
                    text = answers(job)
                except BaseException as error:
                    said["vectors"] = f"{type(error).__name__}: {error}"
                else:
                    pathlib.Path(job["folder"], "python-answers").write_text(text)
            if job["load"] is not None:
                said["load"] = load(job)
        print(json.dumps(said), flush=True)


main()
