/*
 * One side of leases between two processes, of which one may be killed at any message, in C:
 * `lease_peer produce|consume survive|die SOCKET [AT before|half|after]`, as `lease-peer.rs` is in Rust.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wirecontract/consumer.h>
#include <wirecontract/handoff.h>
#include <wirecontract/host.h>
#include <wirecontract/lease.h>
#include <wirecontract/library.h>

#include "opened.h"
#include "relay.h"

/* Bytes of each buffer. */
enum { SIZE = 4096, LONG_MS = RELAY_LONG_MS };

/* What can be waited for while the peer dies ends the function with its status. */
#define TRY(CALL) \
    do { \
        const wc_status tried = (CALL); \
        if (tried != WC_STATUS_OK) { \
            return tried; \
        } \
    } while (0)
/* What fails for no peer's sake. */
#define OK(CALL) \
    do { \
        if ((CALL) != WC_STATUS_OK) { \
            relay_fails(#CALL); \
        } \
    } while (0)

static void wrong(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static uint8_t byte_at(size_t at, unsigned seed)
{
    return (uint8_t)(at * 31 + seed);
}

static wc_lease_options patient(void)
{
    wc_lease_options options = {0};
    options.answer_timeout_ms = LONG_MS;
    options.hello_timeout_ms = LONG_MS;
    return options;
}

static wc_pool one_buffer(void)
{
    wc_host_options options = {0};
    wc_pool pool;
    options.size = SIZE;
    OK(wc_pool_create(&options, "lent", 1, false, &pool));
    return pool;
}

/* Fills the pool's buffer, and lends it. */
static wc_status offer(wc_producer producer, wc_pool pool, unsigned seed, wc_lease *lease)
{
    wc_host_buffer buffer;
    wc_lend lend;
    wc_status status;
    uint8_t *data;
    size_t size;
    OK(wc_pool_take(pool, LONG_MS, &buffer));
    OK(wc_host_buffer_data(buffer, &data, &size));
    for (size_t at = 0; at < size; at++) {
        data[at] = byte_at(at, seed);
    }
    OK(wc_lend_of_buffer(buffer, &lend));
    OK(wc_host_buffer_destroy(&buffer));
    status = wc_producer_offer(producer, lend, lease);
    OK(wc_lend_destroy(&lend));
    return status;
}

/* A lease that ended with the channel is the channel's error. */
static wc_status given_back(wc_status status, wc_end_reason reason)
{
    if (status != WC_STATUS_OK || reason == WC_END_REASON_RELEASED) {
        return status;
    }
    if (reason != WC_END_REASON_PEER_DIED && reason != WC_END_REASON_PEER_CLOSED) {
        wrong("expected a buffer that is given back");
    }
    return WC_STATUS_PEER_CLOSED;
}

/* Three leases: one that is released, one that is revoked, one that is ended. */
static wc_status produce(wc_producer producer, wc_pool pool)
{
    wc_lease lease;
    wc_end_reason reason;
    wc_memory_after memory;
    wc_status status;

    TRY(offer(producer, pool, 1, &lease));
    status = wc_lease_wait_released(lease, LONG_MS, &reason, &memory);
    OK(wc_lease_destroy(&lease));
    TRY(given_back(status, reason));

    TRY(offer(producer, pool, 2, &lease));
    status = wc_lease_revoke(lease, LONG_MS, &reason, &memory);
    OK(wc_lease_destroy(&lease));
    TRY(given_back(status, reason));

    TRY(offer(producer, pool, 3, &lease));
    status = wc_lease_take_back(lease, WC_END_REASON_REVOKED, &reason, &memory);
    OK(wc_lease_destroy(&lease));
    TRY(status);
    TRY(wc_producer_ping(producer, LONG_MS));
    return wc_producer_shut_down(producer);
}

static wc_status next(wc_consumer consumer, unsigned seed, wc_held *held)
{
    const uint8_t *data;
    size_t size;
    TRY(wc_consumer_next(consumer, LONG_MS, held));
    OK(wc_held_data(*held, &data, &size));
    if (size != SIZE) {
        wrong("a buffer of another size");
    }
    for (size_t at = 0; at < size; at++) {
        if (data[at] != byte_at(at, seed)) {
            wrong("another buffer than was expected");
        }
    }
    return WC_STATUS_OK;
}

/* Waits for what happens to a buffer, which ends with the channel where the peer dies. */
static wc_status happens(wc_consumer consumer, wc_held *held, wc_lease_event_kind kind)
{
    wc_lease_event event;
    uint64_t lease;
    const wc_status status = wc_consumer_next_event(consumer, LONG_MS, &event);
    OK(wc_held_lease(*held, &lease));
    OK(wc_held_destroy(held));
    TRY(status);
    if (event.lease == lease && event.kind == (uint32_t)kind &&
        (kind == WC_LEASE_EVENT_KIND_REVOKED ||
         (event.reason == (uint32_t)WC_END_REASON_REVOKED && event.memory == (uint32_t)WC_MEMORY_AFTER_STAYS))) {
        return WC_STATUS_OK;
    }
    if (event.kind != (uint32_t)WC_LEASE_EVENT_KIND_ENDED || event.reason == (uint32_t)WC_END_REASON_REVOKED) {
        wrong("expected another event");
    }
    return WC_STATUS_PEER_CLOSED;
}

/* Reads the three, and gives them back. */
static wc_status consume(wc_consumer consumer)
{
    wc_held held;
    wc_end_reason reason;
    TRY(next(consumer, 1, &held));
    OK(wc_held_destroy(&held));
    TRY(next(consumer, 2, &held));
    TRY(happens(consumer, &held, WC_LEASE_EVENT_KIND_REVOKED));
    TRY(next(consumer, 3, &held));
    TRY(happens(consumer, &held, WC_LEASE_EVENT_KIND_ENDED));
    TRY(wc_consumer_wait_closed(consumer, LONG_MS, &reason));
    if (reason != WC_END_REASON_PEER_CLOSED && reason != WC_END_REASON_PEER_DIED) {
        wrong("expected the other side to close");
    }
    return WC_STATUS_OK;
}

/* How a side is told that its peer was killed: before Linux 6.5 it looks like one that closes. */
static wc_end_reason death(wc_channel channel)
{
    int32_t pidfd;
    const wc_status status = wc_channel_peer_pidfd(channel, &pidfd);
    if (status == WC_STATUS_OK) {
        close(pidfd);
    }
    return status == WC_STATUS_REFUSED ? WC_END_REASON_PEER_CLOSED : WC_END_REASON_PEER_DIED;
}

static void expect_free(wc_pool pool, size_t free)
{
    size_t is_free;
    size_t in_use;
    size_t most;
    OK(wc_pool_counts(pool, &is_free, &in_use, &most));
    if (in_use != 0 || is_free < free) {
        wrong("expected nothing to be lent any more");
    }
}

/* Meets one peer, and says what became of it. */
static const char *survive_one(bool produces, wc_channel *channel, wc_pool pool)
{
    const wc_lease_options options = patient();
    const wc_end_reason expected = death(*channel);
    wc_end_reason reason = WC_END_REASON_RELEASED;
    wc_status status;
    wc_status ended = WC_STATUS_OK;
    if (produces) {
        wc_producer producer;
        size_t outstanding;
        OK(wc_producer_create(channel, &options, &producer));
        status = produce(producer, pool);
        if (status != WC_STATUS_OK) {
            ended = wc_producer_wait_closed(producer, 0, &reason);
        }
        OK(wc_producer_outstanding(producer, NULL, 0, &outstanding));
        if (outstanding != 0) {
            wrong("expected no lease to be outstanding");
        }
        OK(wc_producer_destroy(&producer));
        expect_free(pool, 0);
    } else {
        wc_consumer consumer;
        OK(wc_consumer_create(channel, &options, &consumer));
        status = consume(consumer);
        if (status != WC_STATUS_OK) {
            ended = wc_consumer_wait_closed(consumer, 0, &reason);
        }
        OK(wc_consumer_destroy(&consumer));
    }
    if (status == WC_STATUS_OK) {
        return "whole";
    }
    if (status != WC_STATUS_PEER_CLOSED || ended != WC_STATUS_OK || reason != expected) {
        fprintf(stderr, "expected reason %d, found %d, and status %d\n", (int)expected, (int)reason, (int)status);
        exit(1);
    }
    return "died";
}

/* Meets one peer for each line of the standard input. */
static int survive(bool produces, const char *socket)
{
    const opened before = opened_now();
    const wc_channel_options options = relay_options();
    wc_pool pool = one_buffer();
    wc_listener listener;
    char line[16];
    OK(wc_listener_bind(socket, &options, &listener));
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        wc_channel channel;
        OK(wc_listener_accept(listener, LONG_MS, &channel));
        puts(survive_one(produces, &channel, pool));
        fflush(stdout);
    }
    OK(wc_listener_destroy(&listener));
    OK(wc_pool_destroy(&pool));
    if (opened_differs(before, opened_now())) {
        return 1;
    }
    puts("clean");
    return 0;
}

/* Meets one peer, and is killed at a message. */
static int die(bool produces, const char *socket, const char *at, const char *when)
{
    const wc_channel_options bare = relay_options();
    const wc_lease_options options = patient();
    wc_channel side;
    wc_status status;
    relay relay;
    relay_start(&relay, socket, &bare, at, when, &side);
    if (produces) {
        wc_producer producer;
        wc_pool pool = one_buffer();
        OK(wc_producer_create(&side, &options, &producer));
        status = produce(producer, pool);
        OK(wc_producer_destroy(&producer));
        expect_free(pool, 1);
        OK(wc_pool_destroy(&pool));
    } else {
        wc_consumer consumer;
        OK(wc_consumer_create(&side, &options, &consumer));
        status = consume(consumer);
        OK(wc_consumer_destroy(&consumer));
    }
    if (status != WC_STATUS_OK) {
        relay_fails("a lease");
    }
    relay_join(&relay);
    return 0;
}

int main(int argc, char **argv)
{
    bool produces;
    if ((argc != 4 && argc != 6) || (strcmp(argv[1], "produce") != 0 && strcmp(argv[1], "consume") != 0)) {
        wrong("usage: lease_peer produce|consume survive|die SOCKET [AT before|half|after]");
    }
    produces = strcmp(argv[1], "produce") == 0;
    if (strcmp(argv[2], "survive") == 0) {
        return survive(produces, argv[3]);
    }
    return die(produces, argv[3], argc == 6 ? argv[4] : NULL, argc == 6 ? argv[5] : NULL);
}
