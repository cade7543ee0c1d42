// The peer of `wirecontract_tests::peer` in C++, over the channel that the standard input is: sends or reads a frame or a
// tuned one, as `hello_peer.c` does.
#include <array>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

#include <acme_camera/control.hpp>
#include <wirecontract/handoff.hpp>
#include <wirecontract/hello.hpp>
#include <wirecontract/library.h>
#include <wirecontract/negotiate.hpp>

namespace {

using acme_camera::control::Frame;
using acme_camera::control::Mode;
using wirecontract::handoff::Channel;
using wirecontract::handoff::ChannelHello;
using wirecontract::handoff::ChannelOptions;

constexpr std::int32_t long_ms = 120000;

/// A channel of the standard input that says hello.
Channel greet(std::int32_t patience_ms)
{
    const auto speaks = wirecontract::hello::speaker().speaks<Frame>();
    const ChannelHello hello = ChannelHello::create(speaks.hello().to_json().value()).value();
    ChannelOptions options = {};
    options.hello = hello.c().id;
    options.message_timeout_ms = long_ms;
    options.idle_timeout_ms = patience_ms;
    return Channel::from_socket(::dup(STDIN_FILENO), &options).value();
}

Frame taken(const std::string &what)
{
    Frame frame;
    frame.number = 7;
    frame.mode = Mode::Live;
#if ACME_CAMERA_FRAME_VERSION > 1
    frame.gain = what == "tuned_frame" ? 4 : 1;
#else
    static_cast<void>(what);
#endif
    return frame;
}

std::size_t written(const Frame &frame, std::uint32_t version, std::array<std::uint8_t, Frame::wire_size> &bytes)
{
#if ACME_CAMERA_FRAME_VERSION > 1
    return frame.write_version(version, bytes).value();
#else
    static_cast<void>(version);
    bytes = frame.to_bytes().value();
    return bytes.size();
#endif
}

void say(const char *what, std::uint32_t version, const Frame &frame)
{
    std::cerr << what << ' ' << version << ' ' << frame.number << ' ' << to_string(frame.mode);
#if ACME_CAMERA_FRAME_VERSION > 1
    std::cerr << " gain " << frame.gain;
#endif
    std::cerr << '\n';
}

void talk(bool sends, const std::string &what, std::int32_t patience_ms)
{
    const Channel channel = greet(patience_ms);
    if (sends) {
        const auto agreed = channel.agreed(ACME_CAMERA_FRAME_CONTRACT, patience_ms).value();
        const Frame frame = taken(what);
        std::array<std::uint8_t, Frame::wire_size> bytes{};
        const std::size_t size = written(frame, agreed.version, bytes);
        channel.send(wirecontract::bytes_view(bytes.data(), size), {}).value();
        say("sent", agreed.version, frame);
        return;
    }
    // Nobody asks for the hello here: it comes first by itself.
    const auto message = channel.receive(nullptr, -1).value();
    const auto body = message.body().value();
    const Frame frame = Frame::from_bytes(wirecontract::bytes_view(body.data, body.length)).value();
    say("read", channel.agreed(ACME_CAMERA_FRAME_CONTRACT, 0).value().version, frame);
}

} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc < 4 || std::string(argv[3]) != "channel") {
            throw std::runtime_error("usage: hello_peer sends|reads frame|tuned_frame channel [MILLISECONDS]");
        }
        talk(std::string(argv[1]) == "sends", argv[2], argc > 4 ? std::stoi(argv[4]) : long_ms);
        return 0;
    } catch (const std::exception &error) {
        std::cerr << "refused " << error.what() << '\n';
        return 1;
    }
}
