// Opens a camera, takes one frame by hand and two in a callback: `capture CAMERA`.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <sensor/camera.hpp>
#include <sensor/image.hpp>

using sensor::camera::Camera;
using sensor::image::Palette;

// `value()` throws why a call failed; a program without exceptions asks `has_value()` and `error()`.
static void capture(const char *name)
{
    Camera camera = Camera::open(name).value();
    const Palette palette = Palette::between(273.15F, 373.15F).value();

    const auto progress = camera.send(R"({"command":"start","window":[16,8,8,4]})").value();
    std::printf("%s\n", progress.str().c_str());
    const auto size = camera.size().value();
    std::vector<float> kelvin(std::size_t{ size.width } * size.height);
    std::vector<std::uint8_t> rgba(kelvin.size() * 4);

    const sensor::frame::FrameHeader header = camera.grab(kelvin).value();
    palette.paint(kelvin, rgba).value();
    const auto at = std::max_element(kelvin.begin(), kelvin.end()) - kelvin.begin();
    const sensor::frame::Region spot = header.hot_spots()[0];
    std::printf("frame %llu, hot spot at %d, %d, grey %d\n", static_cast<unsigned long long>(header.sequence), spot.x, spot.y,
                rgba[static_cast<std::size_t>(at) * 4]);

    float most = 0;
    camera.each(2, [&](std::uint64_t sequence, wirecontract::view<float> frame) {
        most = std::max(most, *std::max_element(frame.begin(), frame.end()));
        std::printf("frame %llu, at most %.2f K\n", static_cast<unsigned long long>(sequence), static_cast<double>(most));
    }).value();
}

int main(int argc, char **argv)
{
    if (::sensor_check_abi(nullptr) != ::WC_STATUS_OK) {
        std::fputs("the library is of another declaration than the headers\n", stderr);
        return 1;
    }
    try {
        capture(argc > 1 ? argv[1] : "lwir640");
    } catch (const wirecontract::call_error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
