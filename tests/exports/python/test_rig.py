"""Every function of the library, from Python."""

from __future__ import annotations

import array
import ctypes
import gc
import os
import threading
from collections.abc import Iterator

import pytest
from rig import device as contracts
from rig import library, memory
from rig._wire import CallError, Code, WireError


@pytest.fixture(autouse=True)
def loaded() -> Iterator[None]:
    """The library, of which nothing stays alive."""
    library.load(os.environ["RIG_LIBRARY"])
    yield
    gc.collect()
    assert library.alive() == 0


def test_an_object_lives_as_long_as_its_block() -> None:
    with library.Device.open("first") as device:
        assert library.alive() == 1
        assert device.name() == "first"
        device.push(array.array("f", [1.0, 2.0]))
        device.push([4.0])
        device.push([])
        assert device.length() == 3
        copy = array.array("f", [0.0, 0.0])
        assert device.copy(copy) == (2, 3)
        assert list(copy) == [1.0, 2.0]
        assert device.bytes() == array.array("f", [1.0, 2.0, 4.0]).tobytes()
    assert library.alive() == 0
    with pytest.raises(ValueError, match="closed"):
        device.length()
    device.close()


def test_an_object_that_nobody_knows_is_ended() -> None:
    device = library.Device.open("forgotten")
    assert library.alive() == 1
    with pytest.warns(ResourceWarning):
        del device
    assert library.alive() == 0


def test_contracts_cross_as_values() -> None:
    with library.Device.open("values") as device:
        header = device.header(5)
        assert header.time == 5
        device.follow(contracts.Header(unit=contracts.Unit.CELSIUS, time=6))
        device.configure(contracts.Settings(rate=25, label="x"))
        settings = device.settings()
        assert (settings.rate, settings.unit, settings.label) == (25, contracts.Unit.KELVIN, "x")
    assert library.convert(0.0, contracts.Unit.CELSIUS, contracts.Unit.KELVIN) == 273.15
    abilities, unit = library.echo(contracts.Ability.MEASURE | contracts.Ability.RECORD, 900)
    assert abilities == contracts.Ability.MEASURE | contracts.Ability.RECORD
    assert unit == 900


def test_a_refusal_says_which_argument() -> None:
    with pytest.raises(CallError) as refused:
        library.Device.open("")
    error = refused.value
    assert (error.code, error.detail, error.function) == (Code.OUT_OF_RANGE, 7, "rig_device_open")
    assert "without a name" in error.message
    with pytest.raises(WireError) as unknown:
        library.convert(0.0, 3, contracts.Unit.KELVIN)
    assert unknown.value.code == Code.UNKNOWN_VALUE
    with pytest.raises(WireError) as wrong:
        library.Device.open(3)  # type: ignore[arg-type]
    assert (wrong.value.code, wrong.value.field) == (Code.WRONG_TYPE, "name")


def test_a_panic_is_an_exception() -> None:
    with pytest.raises(CallError, match="of all things") as panic:
        library.panic("of all things")
    assert panic.value.code == Code.PANIC
    with library.Device.open("panics") as device:
        with pytest.raises(CallError, match="loudly"):
            device.fail("loudly")
        with pytest.raises(CallError, match="destroy") as poisoned:
            device.length()
        assert poisoned.value.code == Code.PANIC


def test_an_exception_goes_through_a_callback() -> None:
    seen: list[tuple[int, float]] = []

    def see(index: int, sample: float) -> None:
        seen.append((index, sample))
        if index == 1:
            raise KeyError(sample)

    with library.Device.open("callback") as device:
        device.push([1.0, 2.0, 4.0])
        with pytest.raises(KeyError, match=r"2\.0"):
            device.each(see)
        assert seen == [(0, 1.0), (1, 2.0)]
        inner: list[Code] = []

        def enter(index: int, sample: float) -> None:
            try:
                device.push([sample])
            except CallError as error:
                inner.append(error.code)

        device.each(enter)
        assert inner == [Code.BUSY] * 3
        # What is closed during a call is dropped behind it.
        alive: list[int] = []

        def leave(_index: int, _sample: float) -> None:
            device.close()
            alive.append(library.alive())

        device.each(leave)
        assert (device.closed, alive, library.alive()) == (True, [1] * 3, 0)


def test_a_handle_that_is_taken_is_closed() -> None:
    with library.Device.open("first") as first:
        second = library.Device.open("second")
        second.push([5.0])
        first.absorb(second)
        with pytest.raises(ValueError, match="closed"):
            second.length()
        assert library.alive() == 1
        assert first.finish() == 1
    assert library.alive() == 0


def test_threads_share_what_is_shared() -> None:
    with library.Gauge.create(0) as gauge:
        threads = [threading.Thread(target=lambda: [gauge.add(1) for _ in range(1000)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert gauge.read() == 4000


def test_a_device_belongs_to_its_thread() -> None:
    codes: list[Code] = []
    with library.Device.open("mine") as device:

        def use() -> None:
            try:
                device.length()
            except CallError as error:
                codes.append(error.code)

        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert codes == [Code.BUSY]


def test_memory_is_shared_and_not_copied() -> None:
    a = memory.Point(1.0, 2.0, None)
    b = memory.Point(3.0, 4.0, None)
    middle = library.middle(a, b)
    assert (middle.x, middle.y) == (2.0, 3.0)
    assert library.middle(a, None).x == 1.0
    library.shift(a, b)
    assert (a.x, a.y) == (4.0, 6.0)
    assert library.sum([a, b]) == 17.0
    text = ctypes.create_string_buffer(b"four")
    assert library.count(ctypes.addressof(text)) == 4
    with pytest.raises(CallError, match="no bytes"):
        library.count(None)
