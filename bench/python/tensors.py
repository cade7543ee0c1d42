"""Tensors that are exported and taken, by wirecontract-tensor and by dlpark, in turns.

`tensors.py LIBRARY`: shows that both sides export and take the same. `tensors.py LIBRARY WORK SIDE TIMES`
does one piece of work so many times, for whoever counts instructions.
"""

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

# Threads that wait for work count instructions as well.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np


def load(path: str) -> ModuleType:
    """The module of a library, which has the file's name and not the module's."""
    name = "wirecontract_bench_tensors"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def agree(module: Any) -> int:
    """Both sides say the same of each other's tensors, and numpy of both."""
    compared = 0
    for make in (module.Ours, module.Theirs):
        exported = make()
        for taken in (exported, exported.__dlpack__(), exported.__dlpack__(max_version=(1, 3))):
            ours, theirs = module.see_ours(taken), None
            if taken is exported:
                theirs = module.see_theirs(taken)
                assert ours == theirs, (make, ours, theirs)
            assert ours[1:] == ([4, 5, 6], [30, 6, 1], (2, 32, 1)), (make, ours)
            compared += 1
        array = np.from_dlpack(exported)
        assert array.ctypes.data == module.see_ours(exported)[0], make
        assert array.ravel().tolist() == list(range(120)), make
        compared += 1
    for make in (module.Ours, module.Theirs):
        for wrong in ({"stream": 1}, {"dl_device": (2, 0)}, {"max_version": 1}):
            try:
                make().__dlpack__(**wrong)
            except (TypeError, ValueError, BufferError, RuntimeError):
                compared += 1
            else:
                raise AssertionError(f"{make} took {wrong}")
    return compared


def work(module: Any, name: str, side: str) -> Callable[[int], object]:
    """A piece of work, which is told how often."""
    exported = {"ours": module.Ours, "theirs": module.Theirs}[side]()
    version = (1, 3)
    # Bound once: what the interpreter does to find a method is neither side's.
    export = exported.__dlpack__

    def legacy(times: int) -> None:
        for _ in range(times):
            export()

    def versioned(times: int) -> None:
        for _ in range(times):
            export(max_version=version)

    def to_numpy(times: int) -> None:
        for _ in range(times):
            np.from_dlpack(exported)

    take = {"ours": module.import_ours, "theirs": module.import_theirs}[side]
    return {
        "legacy": legacy,
        "versioned": versioned,
        "numpy": to_numpy,
        # What is taken is the same on both sides.
        "import_ours": lambda times: take(module.Ours(), times),
        "import_theirs": lambda times: take(module.Theirs(), times),
    }[name]


def main() -> None:
    module: Any = load(sys.argv[1])
    if sys.argv[2:]:
        name, side, times = sys.argv[2:]
        work(module, name, side)(int(times))
    else:
        print(f"agree {agree(module)}")


if __name__ == "__main__":
    main()
