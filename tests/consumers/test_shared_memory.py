"""Memory that crosses processes, in the hands of numpy."""

import numpy
import pytest
import wirecontract
from wirecontract.host import Busy


def test_numpy_takes_the_memory_without_a_copy() -> None:
    with wirecontract.HostBuffer(4 * 6) as buffer:
        array = numpy.from_dlpack(buffer.tensor(shape=(2, 3), dtype="int32"))
        array[1, 1] = 77
        with wirecontract.HostMapping.open(buffer.consumer_fd(), buffer.shared()) as mapping:
            read = numpy.from_dlpack(mapping.tensor(shape=(2, 3), dtype="int32"))
            assert (read[1, 1], read.flags.writeable) == (77, False)
            array[0, 0] = 5
            assert read[0, 0] == 5
            del read
        with pytest.raises(Busy):
            buffer.close()
        del array
