"""What no user should write: a type checker refuses each line that says so."""

import array

from wirecontract.contracts import library, sensor

library.median([1.0])  # error: attr-defined
camera = library.Camera.open(7)  # error: arg-type
camera.zoom(2.0)  # error: attr-defined
camera.set_gain("high")  # error: arg-type
camera.set_mode(sensor.Mode.LIVE)  # error: call-arg
library.mean(1.0, (), array.array("I"))  # error: arg-type
camera.each(lambda index: None)  # error: arg-type,misc
library.join(camera, camera, sensor.Extent(), 1, None)  # error: arg-type
camera.close(True)  # error: call-arg
text: int = library.version()  # error: assignment
