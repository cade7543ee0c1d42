// The same as `lease_peer.c`, by the classes of C++: whatever leaves a function ends what it had.
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

#include <wirecontract/buffer.hpp>
#include <wirecontract/consumer.hpp>
#include <wirecontract/handoff.hpp>
#include <wirecontract/host.hpp>
#include <wirecontract/lease.hpp>

#include "opened.h"
#include "relay.h"

namespace {

using wirecontract::buffer::EndReason;
using wirecontract::buffer::MemoryAfter;
using wirecontract::consumer::Consumer;
using wirecontract::consumer::Held;
using wirecontract::consumer::LeaseEvent;
using wirecontract::consumer::LeaseEventKind;
using wirecontract::handoff::Channel;
using wirecontract::handoff::Listener;
using wirecontract::host::HostBuffer;
using wirecontract::host::HostOptions;
using wirecontract::host::Pool;
using wirecontract::lease::Lease;
using wirecontract::lease::LeaseOptions;
using wirecontract::lease::Lend;
using wirecontract::lease::Producer;

constexpr std::size_t buffer_size = 4096;
constexpr std::int32_t long_ms = RELAY_LONG_MS;

/// The end of the channel, found by how a lease ended.
struct Gone {};

std::uint8_t byte_at(std::size_t at, unsigned seed)
{
    return static_cast<std::uint8_t>(at * 31 + seed);
}

LeaseOptions patient()
{
    LeaseOptions options = {};
    options.answer_timeout_ms = long_ms;
    options.hello_timeout_ms = long_ms;
    return options;
}

Pool one_buffer()
{
    HostOptions options = {};
    options.size = buffer_size;
    return Pool::create(options, "lent", 1, false).value();
}

/// Fills the pool's buffer, and lends it.
Lease offer(const Producer &producer, const Pool &pool, unsigned seed)
{
    const HostBuffer buffer = pool.take(long_ms).value();
    const auto bytes = buffer.data().value();
    for (std::size_t at = 0; at < bytes.size; at++) {
        bytes.data[at] = byte_at(at, seed);
    }
    return producer.offer(Lend::of_buffer(buffer).value()).value();
}

/// A lease that ended with the channel is the channel's end.
void given_back(EndReason reason)
{
    if (reason == EndReason::PeerDied || reason == EndReason::PeerClosed) {
        throw Gone();
    }
    if (reason != EndReason::Released) {
        throw std::runtime_error("expected a buffer that is given back");
    }
}

/// Three leases: one that is released, one that is revoked, one that is ended.
void produce(const Producer &producer, const Pool &pool)
{
    given_back(offer(producer, pool, 1).wait_released(long_ms).value().reason);
    given_back(offer(producer, pool, 2).revoke(long_ms).value().reason);
    offer(producer, pool, 3).take_back(EndReason::Revoked).value();
    producer.ping(long_ms).value();
    producer.shut_down().value();
}

Held next(const Consumer &consumer, unsigned seed)
{
    Held held = consumer.next(long_ms).value();
    const auto bytes = held.data().value();
    for (std::size_t at = 0; at < buffer_size; at++) {
        if (bytes.size != buffer_size || bytes.data[at] != byte_at(at, seed)) {
            throw std::runtime_error("another buffer than was expected");
        }
    }
    return held;
}

void happens(const Consumer &consumer, const Held &held, LeaseEventKind kind)
{
    const LeaseEvent event = consumer.next_event(long_ms).value();
    const auto reason = static_cast<EndReason>(event.reason);
    const bool is_taken_back =
        reason == EndReason::Revoked && static_cast<MemoryAfter>(event.memory) == MemoryAfter::Stays;
    const bool is_it = event.lease == held.lease().value() && static_cast<LeaseEventKind>(event.kind) == kind;
    if (is_it && (kind == LeaseEventKind::Revoked || is_taken_back)) {
        return;
    }
    if (static_cast<LeaseEventKind>(event.kind) != LeaseEventKind::Ended) {
        throw std::runtime_error("expected another event");
    }
    given_back(reason);
    throw std::runtime_error("expected another end");
}

/// Reads the three, and gives them back.
void consume(const Consumer &consumer)
{
    next(consumer, 1);
    happens(consumer, next(consumer, 2), LeaseEventKind::Revoked);
    happens(consumer, next(consumer, 3), LeaseEventKind::Ended);
    const EndReason reason = consumer.wait_closed(long_ms).value();
    if (reason != EndReason::PeerClosed && reason != EndReason::PeerDied) {
        throw std::runtime_error("expected the other side to close");
    }
}

/// How a side is told that its peer was killed: before Linux 6.5 it looks like one that closes.
EndReason death(const Channel &channel)
{
    const auto pidfd = channel.peer_pidfd();
    if (pidfd) {
        ::close(*pidfd);
        return EndReason::PeerDied;
    }
    return pidfd.error().code() == wirecontract::status::refused ? EndReason::PeerClosed : EndReason::PeerDied;
}

void expect_free(const Pool &pool, std::size_t free)
{
    const auto counts = pool.counts().value();
    if (counts.in_use != 0 || counts.free < free) {
        throw std::runtime_error("expected nothing to be lent any more");
    }
}

/// Whether the work went to its end, and not its peer.
template <class Work>
bool is_whole(Work work)
{
    try {
        work();
        return true;
    } catch (const Gone &) {
        return false;
    } catch (const wirecontract::call_error &error) {
        if (error.failure().code() == wirecontract::status::peer_closed) {
            return false;
        }
        throw;
    }
}

template <class Side>
const char *outcome(bool whole, const Side &side, EndReason expected)
{
    if (whole) {
        return "whole";
    }
    if (side.wait_closed(0).value() != expected) {
        throw std::runtime_error("expected another end of the channel");
    }
    return "died";
}

const char *survive_one(bool produces, Channel channel, const Pool &pool)
{
    const LeaseOptions options = patient();
    const EndReason expected = death(channel);
    if (!produces) {
        const Consumer consumer = Consumer::create(std::move(channel), &options).value();
        return outcome(is_whole([&] { consume(consumer); }), consumer, expected);
    }
    const Producer producer = Producer::create(std::move(channel), &options).value();
    const char *const said = outcome(is_whole([&] { produce(producer, pool); }), producer, expected);
    if (producer.outstanding({}).value() != 0) {
        throw std::runtime_error("expected no lease to be outstanding");
    }
    expect_free(pool, 0);
    return said;
}

/// Meets one peer for each line of the standard input.
void survive(bool produces, const char *socket)
{
    const auto options = relay_options();
    const Pool pool = one_buffer();
    const Listener listener = Listener::bind(socket, &options).value();
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << survive_one(produces, listener.accept(long_ms).value(), pool) << std::endl;
    }
}

/// Meets one peer, and is killed at a message.
void die(bool produces, const char *socket, const char *at, const char *when)
{
    const auto bare = relay_options();
    const LeaseOptions options = patient();
    relay handed_on;
    wc_channel side;
    relay_start(&handed_on, socket, &bare, at, when, &side);
    if (produces) {
        const Pool pool = one_buffer();
        produce(Producer::create(Channel::adopt(side), &options).value(), pool);
        expect_free(pool, 1);
    } else {
        consume(Consumer::create(Channel::adopt(side), &options).value());
    }
    relay_join(&handed_on);
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const std::string role = argc > 3 ? argv[1] : "";
        if ((argc != 4 && argc != 6) || (role != "produce" && role != "consume")) {
            throw std::runtime_error("usage: lease_peer produce|consume survive|die SOCKET [AT before|half|after]");
        }
        if (std::string(argv[2]) != "survive") {
            die(role == "produce", argv[3], argc == 6 ? argv[4] : nullptr, argc == 6 ? argv[5] : nullptr);
            return 0;
        }
        const opened before = opened_now();
        survive(role == "produce", argv[3]);
        if (opened_differs(before, opened_now()) != 0) {
            return 1;
        }
        std::cout << "clean" << std::endl;
        return 0;
    } catch (const Gone &) {
        std::cerr << "the channel ended\n";
        return 1;
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
