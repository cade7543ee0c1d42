// The same as `handoff_peer.c`, by the classes of C++: whatever leaves a function ends what it had.
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <wirecontract/buffer.hpp>
#include <wirecontract/handoff.hpp>
#include <wirecontract/host.hpp>
#include <wirecontract/library.h>

namespace {

using wirecontract::buffer::SharedBuffer;
using wirecontract::handoff::Channel;
using wirecontract::handoff::ChannelOptions;
using wirecontract::handoff::Expected;
using wirecontract::handoff::Listener;
using wirecontract::host::Access;
using wirecontract::host::HostBuffer;
using wirecontract::host::HostMapping;
using wirecontract::host::HostOptions;

constexpr std::int32_t minute_ms = 60000;
constexpr std::uint64_t whole = 1 << 20;
constexpr std::uint64_t ends = 65536;

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

/// The buffers of one message.
struct Scene {
    std::uint64_t size;
    std::uint64_t offset;
    std::size_t fds;

    /// Calls with each position of a window that is written.
    template <class Work>
    void each(Work work) const
    {
        const std::uint64_t first = size <= whole ? size : ends;
        for (std::uint64_t at = 0; at < first; at++) {
            work(at);
        }
        for (std::uint64_t at = size <= whole ? size : size - ends; at < size; at++) {
            work(at);
        }
    }
};

std::uint8_t byte_at(std::uint64_t at, std::size_t number, unsigned side)
{
    return static_cast<std::uint8_t>(at * 31 + (at >> 12) + number * 7 + side * 101U);
}

std::size_t open_fds()
{
    const std::filesystem::directory_iterator folder("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

void send(const Channel &channel, const Scene &scene, unsigned side)
{
    std::vector<std::uint8_t> body;
    std::vector<HostBuffer> buffers;
    std::vector<Fd> fds;
    std::vector<std::int32_t> numbers;
    for (std::size_t number = 0; number < scene.fds; number++) {
        HostOptions options = {};
        options.size = scene.size;
        options.offset = scene.offset;
        buffers.push_back(HostBuffer::create(options, "handoff-peer").value());
        std::uint8_t *data = buffers.back().data().value().data;
        scene.each([&](std::uint64_t at) { data[at] = byte_at(at, number, side); });
        const auto bytes = buffers.back().shared().value().to_bytes().value();
        body.insert(body.end(), bytes.begin(), bytes.end());
        fds.emplace_back(buffers.back().consumer_fd().value());
        numbers.push_back(fds.back().number());
    }
    channel.send(body, numbers).value();
}

void zero(const Fd &fd, std::uint64_t start, std::uint64_t end)
{
    std::vector<char> bytes(end - start, 'x');
    if (::pread(fd.number(), bytes.data(), bytes.size(), static_cast<off_t>(start)) != static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error("an allocation that ends too early");
    }
    for (const char byte : bytes) {
        if (byte != 0) {
            throw std::runtime_error("a byte beside the buffer that is not zero");
        }
    }
}

void receive(const Channel &channel, const Scene &scene, unsigned side)
{
    const auto count = static_cast<std::uint32_t>(scene.fds);
    const Expected expected = {scene.fds * SharedBuffer::wire_size, count, count, {}};
    const auto message = channel.receive(&expected, minute_ms).value();
    const auto body = message.body().value();
    if (body.length != expected.most_bytes) {
        throw std::runtime_error("a body of another length");
    }
    std::vector<HostMapping> mappings;
    for (std::size_t number = 0; number < scene.fds; number++) {
        const wirecontract::bytes_view bytes(body.data + number * SharedBuffer::wire_size, SharedBuffer::wire_size);
        const SharedBuffer buffer = SharedBuffer::from_bytes(bytes).value();
        mappings.push_back(HostMapping::import_from(buffer, message, number, Access::ReadOnly).value());
        const auto window = mappings.back().data().value();
        if (window.size != scene.size || buffer.offset != scene.offset) {
            throw std::runtime_error("a descriptor of another buffer");
        }
        scene.each([&](std::uint64_t at) {
            if (window.data[at] != byte_at(at, number, side)) {
                throw std::runtime_error("buffer " + std::to_string(number) + ", byte " + std::to_string(at) + " is another");
            }
        });
        const Fd fd(mappings.back().fd().value());
        zero(fd, 0, buffer.offset);
        zero(fd, buffer.offset + buffer.size, buffer.allocation_size);
    }
}

Channel connect(const char *socket, const ChannelOptions &options)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (;;) {
        auto channel = Channel::connect(socket, &options);
        if (channel) {
            return std::move(channel).value();
        }
        const auto number = channel.error().detail();
        if ((number != ENOENT && number != ECONNREFUSED) || std::chrono::steady_clock::now() > until) {
            throw wirecontract::call_error(channel.error());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void meet(const std::string &role, const char *socket, const Scene &scene)
{
    ChannelOptions options = {};
    options.message_timeout_ms = minute_ms;
    options.idle_timeout_ms = minute_ms;
    if (role == "listen") {
        const Channel channel = Listener::bind(socket, &options).value().accept(minute_ms).value();
        send(channel, scene, 0);
        receive(channel, scene, 1);
    } else {
        const Channel channel = connect(socket, options);
        receive(channel, scene, 0);
        send(channel, scene, 1);
    }
}

} // namespace

static_assert(!std::is_copy_constructible<Channel>::value && std::is_nothrow_move_constructible<Channel>::value);
static_assert(!std::is_copy_assignable<HostMapping>::value && std::is_nothrow_move_assignable<HostMapping>::value);

int main(int argc, char **argv)
{
    try {
        wc_abi_mismatch mismatch;
        if (argc != 6 || wc_check_abi(&mismatch) != WC_STATUS_OK) {
            throw std::runtime_error("usage: handoff_peer listen|connect SOCKET SIZE OFFSET FDS");
        }
        const Scene scene = {std::stoull(argv[3]), std::stoull(argv[4]), std::stoul(argv[5])};
        const std::size_t before = open_fds();
        meet(argv[1], argv[2], scene);
        if (open_fds() != before) {
            throw std::runtime_error("another number of file descriptors at the end than at the start");
        }
        std::cout << "ok " << scene.fds << ' ' << scene.size << '\n';
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
