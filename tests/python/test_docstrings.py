"""What is public says what it is, what it raises and who closes it; the examples of all docstrings hold."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

import pytest
import wirecontract
from wirecontract import _native

FOLDER = Path(wirecontract.__file__).parent
MODULES = [
    wirecontract,
    _native,
    *(
        importlib.import_module(info.name)
        for info in pkgutil.walk_packages(wirecontract.__path__, "wirecontract.")
        if not any(word.startswith("_") for word in info.name.split("."))
    ),
]


def public() -> Iterator[tuple[str, object]]:
    """Each public class and function of the package once, by the first name it has."""
    seen = set()
    for module in MODULES:
        yield module.__name__, module
        for name in dir(module):
            value = getattr(module, name)
            own = getattr(value, "__module__", "").split(".")[0] == "wirecontract"
            is_kind = inspect.isclass(value) or inspect.isroutine(value)
            if not name.startswith("_") and own and is_kind and id(value) not in seen:
                seen.add(id(value))
                yield f"{module.__name__}.{name}", value


def classes() -> Iterator[tuple[str, type]]:
    """Those of them that are classes."""
    return ((name, value) for name, value in public() if inspect.isclass(value))


def documentation(value: object) -> str:
    """Its own docstring: none that is inherited, or that `dataclass` made of the fields."""
    said = vars(value).get("__doc__") if inspect.isclass(value) else getattr(value, "__doc__", None)
    is_made = inspect.isclass(value) and (said or "").startswith(f"{value.__name__}(")
    return "" if is_made or not isinstance(said, str) else said.strip()


def said_behind(cls: type) -> set[str]:
    """The fields of a class behind which a docstring stands: Python keeps none of them."""
    [definition] = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(definition, ast.ClassDef)
    return {
        before.target.id
        for before, behind in zip(definition.body, definition.body[1:], strict=False)
        if isinstance(before, ast.AnnAssign)
        and isinstance(before.target, ast.Name)
        and isinstance(behind, ast.Expr)
        and isinstance(behind.value, ast.Constant)
        and isinstance(behind.value.value, str)
    }


def members(cls: type) -> Iterator[tuple[str, bool]]:
    """The public methods, properties and fields of a class itself, and whether they have a docstring."""
    for name, value in vars(cls).items():
        if name.startswith("_") or inspect.isclass(value):
            continue
        if inspect.ismemberdescriptor(value) and not value.__doc__:
            yield name, name in said_behind(cls)
        elif isinstance(value, staticmethod | classmethod):
            yield name, bool(documentation(value.__func__))
        elif inspect.isroutine(value) or inspect.isdatadescriptor(value):
            yield name, bool(documentation(value))


def test_every_public_name_has_a_docstring() -> None:
    names = dict(public())
    assert {"wirecontract.handoff.Channel", "wirecontract.Channel"} <= names.keys()
    assert {"wirecontract.contracts.cuvis.IpcBackend", "wirecontract.CudaIpcPayload"} <= names.keys()
    silent = [name for name, value in names.items() if not documentation(value)]
    silent += [f"{name}.{member}" for name, cls in classes() for member, said in members(cls) if not said]
    assert silent == []


# A fault of ours, and an argument of another type than the signature says.
UNSAID = {"AssertionError", "TypeError"}
BY_HAND = ("wirecontract.handoff.", "wirecontract.host.", "wirecontract.lease.")


def raised(function: FunctionType) -> set[str]:
    """The classes of exceptions that a function itself makes and raises."""
    if function.__code__.co_filename == "<string>":
        return set()  # `dataclass` wrote it
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    made = [call.func for call in calls if isinstance(call, ast.Call)]
    return {name.id for name in made if isinstance(name, ast.Name) and name.id[0].isupper()} - UNSAID


def test_who_raises_an_exception_names_it() -> None:
    found = set()
    for name, cls in classes():
        for member, value in vars(cls).items():
            function = getattr(value, "__func__", value)
            is_public = member == "__init__" or not member.startswith("_")
            if is_public and inspect.isfunction(function) and function.__module__.startswith(BY_HAND):
                raises = raised(function)
                said = documentation(function) + documentation(cls)
                assert all(f"`{each}`" in said for each in raises), (f"{name}.{member}", raises)
                found |= raises
    assert found >= {"HandoffTimeout", "FdCount", "TooLarge", "Answered", "ValueError"}


# `from_bytes_or_newer` and `with_defaults` are said by what they do otherwise than the ones that these name.
RAISES = {
    *("from_bytes", "read_prefix", "version_of", "from_json", "from_json_lenient", "from_dict"),
    *("from_message", "to_json", "to_dict", "validate_import"),
}


def test_what_refuses_names_its_exception() -> None:
    found = set()
    for name, cls in classes():
        for member in RAISES & vars(cls).keys():
            found.add(member)
            said = inspect.getdoc(getattr(cls, member)) or ""
            assert "`WireError`" in said, f"{name}.{member}"
    assert found == RAISES


def test_what_owns_something_says_who_closes_it() -> None:
    owners = [(name, cls) for name, cls in classes() if hasattr(cls, "close") or hasattr(cls, "__exit__")]
    assert len(owners) > 30
    words = ("clos", "`with`", "given back")
    for name, cls in owners:
        # A variant of a message says what it is, and its base how long it has what came with it.
        said = " ".join(documentation(base) for base in cls.__mro__).lower()
        assert any(word in said for word in words), name


def every_module() -> list[ModuleType]:
    """All modules of the package, those that are not public too; `__main__` is a program."""
    names = [info.name for info in pkgutil.walk_packages(wirecontract.__path__, "wirecontract.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return [wirecontract, *modules]


def examples(module: ModuleType) -> list[doctest.DocTest]:
    """The examples of a module, and of all that is in it."""
    finder = doctest.DocTestFinder()
    if module is not _native:
        # The package keeps what it was asked for of the library.
        found = finder.find(module, globs={})
        of_library = {f"{wirecontract.__name__}.{name}" for name in vars(_native)}
        return [example for example in found if ".".join(example.name.split(".")[:2]) not in of_library]
    # What is in a library says no file, by which `doctest` tells what is a module's own.
    found = finder.find(_native.__doc__, "_native", globs={})
    for name, value in vars(_native).items():
        if not name.startswith("__"):
            found += finder.find(value, name, module=False, globs={})
    return found


def written(module: ModuleType) -> int:
    """How many examples the text of a module has: of the library that of its stubs."""
    files = [FOLDER / "_native.pyi", FOLDER / "_contracts.pyi"]
    if module is not _native:
        files = [Path(inspect.getfile(module))]
    lines = [line.strip() for file in files for line in file.read_text().splitlines()]
    return sum(line.startswith(">>> ") and not line.startswith(">>> #") for line in lines)


@pytest.mark.parametrize("module", every_module(), ids=lambda module: module.__name__)
def test_the_examples_of_a_module_hold_and_none_is_forgotten(module: ModuleType) -> None:
    runner = doctest.DocTestRunner()
    found = examples(module)
    for example in found:
        runner.run(example)
    assert runner.failures == 0
    assert runner.tries == sum(len(example.examples) for example in found) == written(module)
