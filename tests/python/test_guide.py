"""The programs of the guide and of the package's README do what they say."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "bindings/python/README.md"])
def test_each_example_is_a_program_that_runs(page: str) -> None:
    path = ROOT / page
    text = path.read_text()
    examples = list(re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    assert examples
    for example in examples:
        # On the lines that it has in the page, for whoever reads the traceback.
        before = "\n" * (text.count("\n", 0, example.start()) + 1)
        exec(compile(before + example[1], str(path), "exec"), {"__name__": page})
