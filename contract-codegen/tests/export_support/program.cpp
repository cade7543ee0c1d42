// A program in C++ that uses a library of exported functions; it prints what was not as expected.
#define WC_STATIC
#include "library.h"

#include <wirecontract/sensor.hpp>

#include <cstdio>

namespace sensor = wirecontract::sensor;
using sensor::Camera;
using sensor::Frame;
using wirecontract::failure;
using wirecontract::result;
using wirecontract::status;

static_assert(std::is_nothrow_move_constructible_v<Camera> && std::is_nothrow_move_assignable_v<Camera>);
static_assert(!std::is_copy_constructible_v<Camera> && !std::is_copy_assignable_v<Camera>);
static_assert(std::is_nothrow_destructible_v<Camera> && sizeof(Camera) == sizeof(::wc_camera));
static_assert(!std::is_convertible_v<::wc_camera, Camera> && !std::is_convertible_v<Camera, bool>);
static_assert(std::is_nothrow_move_constructible_v<wirecontract::owned_bytes> && !std::is_copy_constructible_v<wirecontract::owned_bytes>);
static_assert(std::is_nothrow_move_constructible_v<wirecontract::owned_text> && !std::is_copy_constructible_v<wirecontract::owned_text>);
static_assert(std::is_nothrow_copy_constructible_v<failure>);
/* Items of one size are no items of another that begin with them. */
struct larger_extent : sensor::Extent {
    std::uint32_t more;
};
static_assert(std::is_constructible_v<wirecontract::view<sensor::Extent>, std::vector<sensor::Extent>>);
static_assert(!std::is_constructible_v<wirecontract::view<sensor::Extent>, std::vector<larger_extent>>);
static_assert(std::is_constructible_v<wirecontract::mutable_view<sensor::Extent>, std::vector<sensor::Extent> &>);
static_assert(!std::is_constructible_v<wirecontract::mutable_view<sensor::Extent>, std::vector<larger_extent> &>);
static_assert(!std::is_constructible_v<wirecontract::mutable_view<sensor::Extent>, const std::vector<sensor::Extent> &>);
static_assert(std::is_nothrow_move_constructible_v<result<Camera, failure>> && !std::is_copy_constructible_v<result<Camera, failure>>);
static_assert(std::is_nothrow_default_constructible_v<result<void, failure>>);
static_assert(noexcept(Camera::open("")) && noexcept(std::declval<Camera &>().each(std::declval<void (*&)(std::uint32_t, sensor::Mode, wirecontract::flags<sensor::Features>, const sensor::Extent &, wirecontract::view<float>, std::string_view)>())));
// A method that takes its handle is called on one that is given away, and one that writes on one that may be written.
template <class T, class = void>
constexpr bool becomes_a_frame = false;
template <class T>
constexpr bool becomes_a_frame<T, std::void_t<decltype(std::declval<T>().into_frame())>> = true;
static_assert(becomes_a_frame<Camera> && !becomes_a_frame<Camera &>);
template <class T, class = void>
constexpr bool sets_gain = false;
template <class T>
constexpr bool sets_gain<T, std::void_t<decltype(std::declval<T>().set_gain(1.0F))>> = true;
static_assert(sets_gain<Camera &> && !sets_gain<const Camera &>);
static_assert(!std::is_convertible_v<int (*)(int), wirecontract::callback<std::string_view>>);

static void expect(bool holds, const char *what, int line)
{
    if (!holds) {
        static_cast<void>(std::printf("line %d: %s\n", line, what));
    }
}

#define EXPECT(condition) expect((condition) ? true : false, #condition, __LINE__)

static int freed;

static void done() { freed++; }

static void free_function(
    std::uint32_t, sensor::Mode, wirecontract::flags<sensor::Features>, const sensor::Extent &, wirecontract::view<float>, std::string_view)
{
    freed++;
}

static void objects_end_once()
{
    {
        Camera none;
        EXPECT(!none && none.close().has_value());
        EXPECT(none.gain().error().code() == status::bad_handle);

        Camera first = *Camera::open("left");
        EXPECT(first && alive_objects() == 1);
        Camera second = std::move(first);
        EXPECT(!first && second && alive_objects() == 1);
        EXPECT(first.set_gain(1.0F).error().code() == status::bad_handle);
        Camera third = *Camera::new_();
        EXPECT(alive_objects() == 2);
        third = std::move(second);
        EXPECT(third && alive_objects() == 1);
        Camera &same = third;
        third = std::move(same);
        EXPECT(third && alive_objects() == 1);

        const ::wc_camera c = third.release();
        EXPECT(!third && alive_objects() == 1);
        third = Camera::adopt(c);
        EXPECT(third.c().id == c.id && third.close() && !third && alive_objects() == 0);

        result<Camera, failure> opened = Camera::open(std::string("right"));
        EXPECT(opened->set_gain(4.0F).has_value() && *opened->gain() > 3.0F);
        third = *std::move(opened);
        EXPECT(alive_objects() == 1);
        Frame frame = *std::move(third).into_frame();
        EXPECT(!third && frame && alive_objects() == 1);
        EXPECT(std::move(third).into_frame().error().code() == status::bad_handle);
        EXPECT(std::move(frame).close() && !frame && alive_objects() == 0);
    }
    EXPECT(alive_objects() == 0);
}

static void failures_say_all()
{
    const failure broken = Camera::open("broken").error();
    EXPECT(broken.code() == status::refused && broken.detail() == 7 && broken.function() == "wc_camera_open");
    EXPECT(broken.argument().empty() && broken.message() == "it is broken");
    EXPECT(Camera::open(nullptr).error().argument() == "name");
    EXPECT(broken.message() == "it is broken");
    const failure cut = Camera::open("long").error();
    EXPECT(cut.message().size() == 511 && cut.message().back() == 'x');
    const std::string text("a\0b", 3);
    EXPECT(Camera::open(text).error().code() == status::bad_text && alive_objects() == 0);
#if defined(__cpp_exceptions)
    try {
        static_cast<void>(Camera::open("broken").value());
        EXPECT(false);
    } catch (const wirecontract::call_error &error) {
        EXPECT(std::string_view(error.what()) == "wc_camera_open: refused (7): it is broken");
        EXPECT(error.failure().code() == status::refused);
    }
#endif
}

static void callbacks_are_anything_that_is_called(Camera &camera)
{
    std::uint32_t sum = 0;
    const auto count = [&](std::uint32_t index, sensor::Mode mode, wirecontract::flags<sensor::Features> features, const sensor::Extent &extent,
                           wirecontract::view<float> samples, std::string_view label) {
        EXPECT(mode == sensor::Mode::Live && features == sensor::Features::Triggered && extent.width == 3);
        EXPECT(samples.size() == index && label == (index == 0 ? "" : "next"));
        for (const float sample : samples) {
            sum += static_cast<std::uint32_t>(sample);
        }
    };
    EXPECT(*camera.each(count) == 3 && sum == 4);
    EXPECT(camera.each(free_function).has_value() && freed == 3);
    EXPECT(camera.each(&free_function).has_value() && freed == 6);
    const auto refused = camera.each([](std::uint32_t index, auto &&...) { return index == 1 ? status::timeout : status::ok; });
    EXPECT(refused.error().code() == status::timeout && refused.error().argument() == "on_frame");
#if defined(__cpp_exceptions)
    EXPECT(camera.each([](auto &&...) { throw 1; }).error().code() == status::refused);
#endif
    // It is in use while it calls.
    const auto busy = camera.each([&](auto &&...) { return camera.close().error().code(); });
    EXPECT(busy.error().code() == status::busy && camera);
}

static void values_cross_as_they_are(Camera &camera)
{
    EXPECT(camera.set_mode(sensor::Mode::Live, wirecontract::flags(sensor::Features::Cooled) | sensor::Features::Triggered));
    EXPECT(*camera.mode() == sensor::Mode::Live);
    EXPECT(camera.describe(nullptr)->view() == "none" && camera.describe("x")->str() == "x");
    EXPECT(alive_bytes() == 0);
    {
        wirecontract::owned_bytes bytes = *camera.snapshot();
        wirecontract::owned_bytes moved = std::move(bytes);
        EXPECT(bytes.empty() && moved.size() == 3 && moved.bytes()[2] == 2 && alive_bytes() == 1);
        moved = *camera.snapshot();
        EXPECT(alive_bytes() == 1);
        const std::string_view settings = "{\"is_live\":true}";
        const wirecontract::owned_text document = *camera.configure(settings);
        EXPECT(std::string_view(document) == settings && camera.configure({})->empty());
    }
    EXPECT(alive_bytes() == 0);

    const sensor::Calibration calibration{ 2.0F, sensor::Mode::Live };
    EXPECT(*camera.calibrate(calibration) == calibration);
    const failure unread = camera.calibrate({ -2.0F, sensor::Mode::Live }).error();
    EXPECT(unread.code() == status::unknown_value && unread.argument() == "out");
    const failure unwritten = camera.calibrate({ 2.0F, static_cast<sensor::Mode>(5) }).error();
    EXPECT(unwritten.code() == status::unknown_value && unwritten.argument() == "calibration");
    EXPECT(unwritten.function() == "wc_camera_calibrate" && !unwritten.message().empty());

    const auto size = camera.size();
    EXPECT(size->width == 640 && size->height == 480);

    std::vector<float> samples(2);
    sensor::Extent extent{};
    const sensor::Extent previous{ 8, 8 };
    std::uint64_t dropped = 0;
    Frame frame = *camera.grab(samples, extent, &previous, &dropped);
    EXPECT(extent.width == 9 && dropped == 0x100000000u);
    std::array<sensor::Mode, 1> modes{ sensor::Mode::Live };
    std::vector<wirecontract::flags<sensor::Features>> features{ sensor::Features::Triggered };
    EXPECT(*sensor::mean(samples, modes, features) >= 1.0F && features[0].contains(sensor::Features::Cooled));
    float array[2]{};
    const Frame other = *camera.grab(array, extent, nullptr, nullptr);
    EXPECT(extent.width == 1);
    {
        const auto halves = frame.split(other);
        EXPECT(halves->text.view() == "half" && halves->calibration.mode == sensor::Mode::Live && halves->is_last);
        EXPECT(static_cast<int>(halves->mode) == 77 && halves->features == sensor::Features::Cooled);
        EXPECT(halves->extent.height == 6 && alive_objects() == 4 && alive_bytes() == 1);
    }
    EXPECT(alive_objects() == 3 && alive_bytes() == 0);
    // What was given before a result that cannot be read is not lost.
    EXPECT(frame.split(frame).error().argument() == "calibration" && alive_objects() == 3 && alive_bytes() == 0);

    int data = 0;
    EXPECT(sensor::attach(&data, done)->at == &data && sensor::attach(nullptr, nullptr)->length == 9);
    sensor::Mode mode = sensor::Mode::Idle;
    std::uint8_t byte = 0;
    Camera none;
    EXPECT(sensor::join(none, std::move(frame), previous, mode, &byte).error().code() == status::bad_handle);
    EXPECT(frame && "a handle that was not taken is still there");
    EXPECT(sensor::join(camera, std::move(frame), { 1, 0 }, mode, &byte).has_value() && mode == sensor::Mode::Live && byte == 1);
    EXPECT(!frame && alive_objects() == 2 && sensor::version()->view() == "1.2" && sensor::reset());
}

int main()
{
    EXPECT(::wc_check_abi(nullptr) == ::WC_STATUS_OK);
    EXPECT((wirecontract::view<char>(WC_STR("left").data, WC_STR("left").length).size() == 4));
    objects_end_once();
    failures_say_all();
    {
        Camera camera = Camera::open("left").value();
        callbacks_are_anything_that_is_called(camera);
        values_cross_as_they_are(camera);
    }
    EXPECT(alive_objects() == 0 && alive_bytes() == 0);
    return 0;
}
