// The same as `handoff_survivor.c`, by the classes of C++: whatever leaves a function ends what it had.
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <wirecontract/buffer.hpp>
#include <wirecontract/handoff.hpp>
#include <wirecontract/hello.hpp>
#include <wirecontract/host.hpp>
#include <wirecontract/negotiate.hpp>

#include "opened.h"
#include "relay.h"

namespace {

using wirecontract::buffer::SharedBuffer;
using wirecontract::handoff::Channel;
using wirecontract::handoff::ChannelHello;
using wirecontract::handoff::ChannelOptions;
using wirecontract::handoff::Expected;
using wirecontract::handoff::Listener;
using wirecontract::host::Access;
using wirecontract::host::HostBuffer;
using wirecontract::host::HostMapping;
using wirecontract::host::HostOptions;

constexpr std::size_t buffer_size = 4096;
constexpr std::int32_t long_ms = RELAY_LONG_MS;

std::uint8_t byte_at(std::size_t at, unsigned seed)
{
    return static_cast<std::uint8_t>(at * 31 + seed);
}

/// A file descriptor that was given to this program.
class Fd {
public:
    explicit Fd(std::int32_t number) noexcept : number_(number) {}
    Fd(Fd &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Fd(const Fd &) = delete;
    Fd &operator=(const Fd &) = delete;
    Fd &operator=(Fd &&) = delete;
    ~Fd()
    {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    std::int32_t number() const noexcept { return number_; }

private:
    std::int32_t number_;
};

/// What both sides say that they speak.
ChannelHello greeting()
{
    const auto speaks = wirecontract::hello::speaker().speaks<SharedBuffer>();
    return ChannelHello::create(speaks.hello().to_json().value()).value();
}

/// Sends buffers of so many seeds from this one on.
void give(const Channel &channel, unsigned seed, std::size_t count)
{
    std::vector<std::uint8_t> body;
    std::vector<Fd> fds;
    std::vector<std::int32_t> numbers;
    for (unsigned i = 0; i < count; i++) {
        HostOptions options = {};
        options.size = buffer_size;
        const HostBuffer buffer = HostBuffer::create(options, "handed").value();
        const auto memory = buffer.data().value();
        for (std::size_t at = 0; at < memory.size; at++) {
            memory.data[at] = byte_at(at, seed + i);
        }
        const auto bytes = buffer.shared().value().to_bytes().value();
        body.insert(body.end(), bytes.begin(), bytes.end());
        fds.emplace_back(buffer.consumer_fd().value());
        numbers.push_back(fds.back().number());
    }
    channel.send(body, numbers).value();
}

/// Receives as many, and looks at every byte of them.
void get(const Channel &channel, unsigned seed, std::size_t count)
{
    const auto fds = static_cast<std::uint32_t>(count);
    const Expected expected = {count * SharedBuffer::wire_size, fds, fds, {}};
    const auto message = channel.receive(&expected, long_ms).value();
    const auto body = message.body().value();
    for (unsigned i = 0; i < count; i++) {
        const wirecontract::bytes_view bytes(body.data + i * SharedBuffer::wire_size, SharedBuffer::wire_size);
        const auto mapping =
            HostMapping::import_from(SharedBuffer::from_bytes(bytes).value(), message, i, Access::ReadOnly).value();
        const auto memory = mapping.data().value();
        for (std::size_t at = 0; at < buffer_size; at++) {
            if (memory.size != buffer_size || memory.data[at] != byte_at(at, seed + i)) {
                throw std::runtime_error("another buffer than was expected");
            }
        }
    }
}

void say(const Channel &channel, std::string_view word)
{
    const std::vector<std::uint8_t> bytes(word.begin(), word.end());
    channel.send(bytes, {}).value();
}

void hear(const Channel &channel, std::string_view word)
{
    const auto message = channel.receive(nullptr, long_ms).value();
    const auto body = message.body().value();
    if (std::string(body.data, body.data + body.length) != word) {
        throw std::runtime_error("another word than was expected");
    }
}

/// A buffer, two more, and one back.
void exchange(const Channel &channel, bool sends)
{
    const auto agreed = channel.agreed(WC_SHARED_BUFFER_CONTRACT, long_ms).value();
    if (agreed.wire_id != SharedBuffer::wire_id) {
        throw std::runtime_error("another contract than the header's");
    }
    if (sends) {
        give(channel, 1, 1);
        hear(channel, "taken");
        give(channel, 2, 2);
        get(channel, 4, 1);
        say(channel, "done");
        return;
    }
    get(channel, 1, 1);
    say(channel, "taken");
    get(channel, 2, 2);
    give(channel, 4, 1);
    hear(channel, "done");
    if (!channel.wait_closed(long_ms).value()) {
        throw std::runtime_error("expected the other side to close");
    }
}

const char *survive_one(const Channel &channel, bool sends)
{
    try {
        exchange(channel, sends);
        return "whole";
    } catch (const wirecontract::call_error &error) {
        if (error.failure().code() != wirecontract::status::peer_closed) {
            throw;
        }
        return "died";
    }
}

/// Meets one peer for each line of the standard input.
void survive(bool sends, const char *socket)
{
    ChannelOptions options = relay_options();
    const ChannelHello hello = greeting();
    options.hello = hello.c().id;
    const Listener listener = Listener::bind(socket, &options).value();
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << survive_one(listener.accept(long_ms).value(), sends) << std::endl;
    }
}

/// Meets one peer, and is killed at a message.
void die(bool sends, const char *socket, const char *at, const char *when)
{
    ChannelOptions options = relay_options();
    const ChannelHello hello = greeting();
    relay handed_on;
    wc_channel side;
    options.hello = hello.c().id;
    relay_start(&handed_on, socket, &options, at, when, &side);
    exchange(Channel::adopt(side), sends);
    relay_join(&handed_on);
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const std::string role = argc > 3 ? argv[1] : "";
        if ((argc != 4 && argc != 6) || (role != "send" && role != "take")) {
            throw std::runtime_error("usage: handoff_survivor send|take survive|die SOCKET [AT before|half|after]");
        }
        if (std::string(argv[2]) != "survive") {
            die(role == "send", argv[3], argc == 6 ? argv[4] : nullptr, argc == 6 ? argv[5] : nullptr);
            return 0;
        }
        const opened before = opened_now();
        survive(role == "send", argv[3]);
        if (opened_differs(before, opened_now()) != 0) {
            return 1;
        }
        std::cout << "clean" << std::endl;
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
