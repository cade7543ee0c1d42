// Uses the library `rig` as a C++ program does. Prints nothing when all is well.
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <rig/device.hpp>
#include <rig/gauge.hpp>
#include <rig/memory.hpp>

using rig::device::Device;
using rig::gauge::Gauge;
using wirecontract::failure;
using wirecontract::result;
using wirecontract::status;

static_assert(std::is_nothrow_move_constructible_v<Device> && !std::is_copy_constructible_v<Device>);
static_assert(noexcept(Device::open("")) && noexcept(std::declval<const Device &>().length()));

static int failures;

static void expect(bool holds, const char *what, int line)
{
    if (!holds) {
        std::fprintf(stderr, "rig.cpp:%d: %s\n", line, what);
        failures++;
    }
}
#define EXPECT(...) expect((__VA_ARGS__) ? true : false, #__VA_ARGS__, __LINE__)

static std::uint64_t alive() { return *rig::device::alive(); }

static void objects_end_with_their_scope()
{
    {
        Device first = *Device::open("first");
        Device second = std::move(first);
        EXPECT(!first && second && alive() == 1);
        EXPECT(first.length().error().code() == status::bad_handle);
        EXPECT(second.name()->view() == "first");
        const std::vector<float> samples = {1.0F, 2.0F, 4.0F};
        EXPECT(second.push(samples).has_value() && *second.length() == 3);
        std::array<float, 2> copy{};
        const auto copied = *second.copy(copy);
        EXPECT(copied.copied == 2 && copied.total == 3 && copy[1] == 2.0F);
        EXPECT(second.bytes()->size() == 12);
        Device third = *Device::open("third");
        const failure twice = third.absorb(std::move(third)).error();
        EXPECT(twice.code() == status::rule_violated && twice.argument() == "other" && third && alive() == 2);
        EXPECT(twice.message() == "`other` is the same object as `self`, expected another: the call takes it");
        EXPECT(third.absorb(std::move(second)).has_value() && !second && alive() == 1);
        EXPECT(*std::move(third).finish() == 3 && !third && alive() == 0);
    }
    EXPECT(alive() == 0);
}

static void contracts_cross_as_values()
{
    Device device = *Device::open("values");
    rig::device::Header header = *device.header(5);
    EXPECT(header.time == 5 && header.unit == rig::device::Unit::Kelvin);
    header.unit = rig::device::Unit::Celsius;
    EXPECT(device.follow(header).has_value());
    EXPECT(device.settings()->view() == R"({"rate":1,"unit":"Celsius"})");
    EXPECT(device.configure(R"({"rate":9})").has_value());
    const failure refused = device.configure(R"({"rate":9,"x":1})").error();
    EXPECT(refused.code() == status::unknown_key && refused.argument() == "settings" && refused.function() == "rig_device_configure");
    EXPECT(*rig::device::convert(0.0, rig::device::Unit::Celsius, rig::device::Unit::Kelvin) == 273.15);
    const failure unknown = rig::device::convert(0.0, static_cast<rig::device::Unit>(7), rig::device::Unit::Kelvin).error();
    EXPECT(unknown.code() == status::unknown_value && unknown.argument() == "from");
}

static void a_panic_is_a_failure_with_its_words()
{
    Device device = *Device::open("panic");
    const failure panic = device.fail("loudly").error();
    EXPECT(panic.code() == status::panic && panic.message() == "panicked: the device failed: loudly");
    EXPECT(device.length().error().code() == status::panic);
    EXPECT(device.close().has_value() && alive() == 0);
}

static void a_callback_is_anything()
{
    Device device = *Device::open("callback");
    const float samples[] = {1.0F, 2.0F};
    EXPECT(device.push(samples).has_value());
    EXPECT(device.end_().has_value() && *device.length() == 0 && device.push(samples).has_value());
    float sum = 0.0F;
    EXPECT(device.each([&](std::uint32_t, float sample) { sum += sample; }).has_value() && sum == 3.0F);
    const auto stop = [](std::uint32_t index, float) { return index == 1 ? status::timeout : status::ok; };
    const failure stopped = device.each(stop).error();
    EXPECT(stopped.code() == status::timeout && stopped.argument() == "see");
    const auto raise = [](std::uint32_t, float) { throw 1; };
    EXPECT(device.each(raise).error().code() == status::refused);
    const auto say = [](std::uint32_t, float) { throw std::runtime_error("the lid is on"); };
    EXPECT(device.each(say).error().message() == "the callback returned refused: the lid is on");
    // What ends during a call is dropped behind it.
    const auto end = [&](std::uint32_t, float) { EXPECT(device.close().has_value() && !device && alive() == 1); };
    EXPECT(device.each(end).has_value() && !device && alive() == 0);
}

static void threads_share_what_is_shared()
{
    Gauge gauge = *Gauge::create(0);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) {
        threads.emplace_back([&gauge] {
            for (int times = 0; times < 5000; times++) {
                static_cast<void>(gauge.add(1));
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT(*gauge.read() == 20000 && *gauge.c_method() == 20000);
    Device device = *Device::open("elsewhere");
    std::thread([&device] { EXPECT(device.length().error().code() == status::busy); }).join();
}

int main()
{
    ::wc_abi_mismatch mismatch;
    if (::rig_check_abi(&mismatch) != ::WC_STATUS_OK) {
        std::printf("%s\n", mismatch.symbol);
        return 3;
    }
    objects_end_with_their_scope();
    contracts_cross_as_values();
    a_panic_is_a_failure_with_its_words();
    a_callback_is_anything();
    threads_share_what_is_shared();
    return failures == 0 ? 0 : 1;
}
