/*
 * Leases by libwirecontract, both sides in one process: what each learns, what memory may be touched, and that nothing is
 * left open or held behind it. Says `ok`, or the line of the first expectation that does not hold.
 */
#define _GNU_SOURCE

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <wirecontract/buffer.h>
#include <wirecontract/consumer.h>
#include <wirecontract/handoff.h>
#include <wirecontract/host.h>
#include <wirecontract/lease.h>
#include <wirecontract/library.h>
#include <wirecontract/service.h>

#include "expect.h"

enum { SIZE = 5000 };

typedef struct {
    wc_producer producer;
    wc_consumer consumer;
} sides;

static sides both(const wc_lease_options *options)
{
    wc_channel_options channel = {0};
    wc_channel ends[2];
    sides sides;
    OK(wc_channel_pair(&channel, &ends[0], &ends[1]));
    OK(wc_producer_create(&ends[0], options, &sides.producer));
    OK(wc_consumer_create(&ends[1], options, &sides.consumer));
    EXPECT(ends[0].id == 0 && ends[1].id == 0);
    return sides;
}

static void end(sides *sides)
{
    OK(wc_producer_destroy(&sides->producer));
    OK(wc_consumer_destroy(&sides->consumer));
}

static wc_host_buffer filled(uint8_t value, uint32_t flags)
{
    wc_host_options options = {0};
    wc_host_buffer buffer;
    uint8_t *data;
    size_t size;
    options.size = SIZE;
    options.flags = flags;
    OK(wc_host_buffer_create(&options, NULL, &buffer));
    OK(wc_host_buffer_data(buffer, &data, &size));
    memset(data, value, size);
    return buffer;
}

static wc_lend lend_of(wc_host_buffer buffer)
{
    wc_lend lend;
    OK(wc_lend_of_buffer(buffer, &lend));
    return lend;
}

static void expect_bytes(wc_held held, uint8_t value)
{
    const uint8_t *data;
    size_t size;
    OK(wc_held_data(held, &data, &size));
    EXPECT(size == SIZE && data[0] == value && data[SIZE - 1] == value);
}

/* A buffer that is offered and taken. */
static wc_held lend_and_take(const sides *sides, wc_lend lend, wc_lease *lease)
{
    wc_held held;
    wc_lease_state state;
    OK(wc_producer_offer_without_waiting(sides->producer, lend, lease));
    OK(wc_lease_progress(*lease, &state));
    EXPECT(state == WC_LEASE_STATE_OFFERED);
    OK(wc_consumer_next(sides->consumer, LONG_MS, &held));
    OK(wc_lease_wait_taken(*lease, LONG_MS));
    OK(wc_lease_progress(*lease, &state));
    EXPECT(state == WC_LEASE_STATE_HELD);
    return held;
}

static void a_buffer_is_lent_and_given_back(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(7, 0);
    wc_lend lend = lend_of(buffer);
    wc_outstanding_lease outstanding[2] = {{0}, {0}};
    wc_lease lease;
    wc_held held = lend_and_take(&sides, lend, &lease);
    wc_end_reason reason;
    wc_memory_after memory;
    wc_lease_state state;
    uint64_t number;
    uint64_t of_held;
    uint8_t *writable;
    size_t count;

    expect_bytes(held, 7);
    REFUSED(REFUSED, wc_held_data_for_writing(held, &writable, &count));
    OK(wc_lease_number(lease, &number));
    OK(wc_held_lease(held, &of_held));
    EXPECT(number == of_held && number != 0);
    OK(wc_producer_outstanding(sides.producer, outstanding, 2, &count));
    EXPECT(count == 1 && outstanding[0].lease == number && outstanding[0].size == SIZE && outstanding[0].consumer == 0);
    EXPECT(outstanding[0].state == WC_LEASE_STATE_HELD && outstanding[0].pid == (uint32_t)getpid());
    EXPECT(outstanding[0].uid == geteuid() && outstanding[1].lease == 0);
    REFUSED(TIMEOUT, wc_lease_wait_released(lease, 0, &reason, &memory));
    EXPECT(reason == 0 && memory == 0);
    REFUSED(TIMEOUT, wc_lease_wait_released(lease, 5, &reason, &memory));
    OK(wc_held_destroy(&held));
    OK(wc_lease_wait_released(lease, LONG_MS, &reason, &memory));
    EXPECT(reason == WC_END_REASON_RELEASED && memory == WC_MEMORY_AFTER_GONE);
    OK(wc_lease_progress(lease, &state));
    EXPECT(state == WC_LEASE_STATE_OVER);
    OK(wc_producer_outstanding(sides.producer, NULL, 0, &count));
    EXPECT(count == 0);
    REFUSED(TIMEOUT, wc_consumer_next(sides.consumer, 0, &held));
    REFUSED(TIMEOUT, wc_consumer_wait(sides.consumer, 5));
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    end(&sides);
}

static void a_buffer_of_a_pool_goes_back_when_its_lease_is_over(void)
{
    sides sides = both(NULL);
    wc_host_options options = {0};
    wc_pool pool;
    wc_host_buffer buffer;
    wc_lend lend;
    wc_lease lease;
    wc_held held;
    wc_end_reason reason;
    wc_memory_after memory;
    size_t free_;
    size_t in_use;
    size_t most;

    options.size = SIZE;
    OK(wc_pool_create(&options, NULL, 1, false, &pool));
    OK(wc_pool_take(pool, 0, &buffer));
    lend = lend_of(buffer);
    held = lend_and_take(&sides, lend, &lease);
    OK(wc_host_buffer_destroy(&buffer));
    OK(wc_lend_destroy(&lend));
    REFUSED(BUSY, wc_pool_take(pool, 0, &buffer));
    OK(wc_held_destroy(&held));
    OK(wc_lease_wait_released(lease, LONG_MS, &reason, &memory));
    OK(wc_pool_counts(pool, &free_, &in_use, &most));
    EXPECT(free_ == 1 && in_use == 0 && most == 1);
    OK(wc_lease_destroy(&lease));
    OK(wc_pool_destroy(&pool));
    end(&sides);
}

static void a_consumer_writes_where_it_may(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(1, WC_HOST_FLAG_CONSUMERS_WRITE);
    wc_lend lend = lend_of(buffer);
    wc_lease lease;
    wc_held held = lend_and_take(&sides, lend, &lease);
    uint8_t *data;
    size_t size;

    OK(wc_held_data_for_writing(held, &data, &size));
    EXPECT(size == SIZE);
    data[SIZE - 1] = 2;
    OK(wc_host_buffer_data(buffer, &data, &size));
    EXPECT(data[SIZE - 1] == 2 && data[0] == 1);
    OK(wc_held_destroy(&held));
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    end(&sides);
}

static void a_buffer_is_asked_back(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(3, 0);
    wc_frozen_buffer table;
    wc_lend lend;
    wc_lease lease;
    wc_held held;
    wc_lease_event event;
    wc_end_reason reason;
    wc_memory_after memory;
    uint64_t number;
    bool revoked;

    OK(wc_host_buffer_freeze(&buffer, &table));
    OK(wc_lend_of_frozen(table, &lend));
    held = lend_and_take(&sides, lend, &lease);
    OK(wc_lease_number(lease, &number));
    REFUSED(TIMEOUT, wc_consumer_next_event(sides.consumer, 0, &event));
    REFUSED(TIMEOUT, wc_lease_revoke(lease, 0, &reason, &memory));
    OK(wc_consumer_next_event(sides.consumer, LONG_MS, &event));
    EXPECT(event.kind == WC_LEASE_EVENT_KIND_REVOKED && event.lease == number && event.reason == 0 && event.memory == 0);
    OK(wc_held_is_revoked(held, &revoked));
    EXPECT(revoked);
    expect_bytes(held, 3);
    OK(wc_held_destroy(&held));
    OK(wc_lease_revoke(lease, LONG_MS, &reason, &memory));
    EXPECT(reason == WC_END_REASON_RELEASED && memory == WC_MEMORY_AFTER_GONE);
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_frozen_buffer_destroy(&table));
    end(&sides);
}

static void a_buffer_is_taken_back(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(4, 0);
    wc_lend lend = lend_of(buffer);
    wc_lease lease;
    wc_held held = lend_and_take(&sides, lend, &lease);
    wc_lease_event event;
    wc_end_reason reason;
    wc_memory_after memory;
    bool over;

    OK(wc_held_is_over(held, &over, &reason, &memory));
    EXPECT(!over && reason == 0 && memory == 0);
    REFUSED(OUT_OF_RANGE, wc_lease_take_back(lease, WC_END_REASON_RELEASED, &reason, &memory));
    REFUSED(UNKNOWN_VALUE, wc_lease_take_back(lease, 9, &reason, &memory));
    OK(wc_lease_take_back(lease, WC_END_REASON_TIMED_OUT, &reason, &memory));
    EXPECT(reason == WC_END_REASON_TIMED_OUT && memory == WC_MEMORY_AFTER_STAYS);
    OK(wc_consumer_next_event(sides.consumer, LONG_MS, &event));
    EXPECT(event.kind == WC_LEASE_EVENT_KIND_ENDED && event.reason == WC_END_REASON_TIMED_OUT);
    EXPECT(event.memory == WC_MEMORY_AFTER_STAYS);
    OK(wc_held_is_over(held, &over, &reason, &memory));
    EXPECT(over && reason == WC_END_REASON_TIMED_OUT && memory == WC_MEMORY_AFTER_STAYS);
    expect_bytes(held, 4);
    OK(wc_held_destroy(&held));
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    end(&sides);
}

/* A DMA-BUF, as far as its descriptor knows. */
static void any_kind(uint8_t descriptor[WC_SHARED_BUFFER_SIZE])
{
    wc_host_buffer buffer = filled(0, 0);
    wc_shared_buffer shared;
    OK(wc_host_buffer_shared(buffer, descriptor));
    OK(wc_shared_buffer_read(descriptor, WC_SHARED_BUFFER_SIZE, &shared, NULL));
    shared.kind = WC_BUFFER_KIND_DMA_BUF;
    OK(wc_shared_buffer_write(&shared, descriptor, WC_SHARED_BUFFER_SIZE, NULL));
    OK(wc_host_buffer_destroy(&buffer));
}

static void memory_of_another_kind_is_its_importers(void)
{
    sides sides = both(NULL);
    uint8_t descriptor[WC_SHARED_BUFFER_SIZE];
    wc_shared_buffer shared;
    int32_t fds[2] = {STDERR_FILENO, STDERR_FILENO};
    wc_failure failure;
    wc_lend lend;
    wc_lease lease;
    wc_held held;
    wc_lease_state state;
    const uint8_t *data;
    size_t count;
    int32_t fd;

    any_kind(descriptor);
    REFUSED(FD_COUNT, wc_lend_of_shared(descriptor, fds, 2, &lend));
    fds[0] = -1;
    REFUSED(BAD_HANDLE, wc_lend_of_shared(descriptor, fds, 1, &lend));
    OK(wc_lend_of_shared(descriptor, fds + 1, 1, &lend));

    /* It is taken when its importer says so. */
    OK(wc_producer_offer_without_waiting(sides.producer, lend, &lease));
    OK(wc_consumer_next(sides.consumer, LONG_MS, &held));
    OK(wc_lease_progress(lease, &state));
    EXPECT(state == WC_LEASE_STATE_OFFERED);
    OK(wc_held_shared(held, descriptor));
    OK(wc_shared_buffer_read(descriptor, sizeof descriptor, &shared, NULL));
    EXPECT(shared.kind == WC_BUFFER_KIND_DMA_BUF && shared.size == SIZE);
    REFUSED(WRONG_TYPE, wc_held_data(held, &data, &count));
    OK(wc_held_fd_count(held, &count));
    EXPECT(count == 1);
    OK(wc_held_take_fd(held, 0, &fd));
    EXPECT(is_open(fd));
    REFUSED(BAD_HANDLE, wc_held_take_fd(held, 0, &fds[0]));
    OK(wc_held_take(held));
    REFUSED(REFUSED, wc_held_take(held));
    OK(wc_lease_wait_taken(lease, LONG_MS));
    OK(wc_held_destroy(&held));
    EXPECT(is_open(fd));
    close(fd);
    OK(wc_lease_destroy(&lease));

    /* Or refused, with a code that the producer is told. */
    OK(wc_producer_offer_without_waiting(sides.producer, lend, &lease));
    OK(wc_consumer_next(sides.consumer, LONG_MS, &held));
    OK(wc_held_refuse(&held, WC_STATUS_FD_KIND, "no device of ours"));
    EXPECT(held.id == 0);
    REFUSED(REFUSED, wc_lease_wait_taken(lease, LONG_MS));
    wc_last_error(&failure);
    EXPECT(failure.detail == WC_STATUS_FD_KIND && strstr(failure.message, "no device of ours") != NULL);
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    end(&sides);
}

static void a_tensor_is_described(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(5, 0);
    wc_lend lend = lend_of(buffer);
    uint8_t descriptor[WC_SHARED_BUFFER_SIZE];
    wc_shared_buffer shared;
    wc_lease lease;
    wc_held held;

    OK(wc_lend_shared(lend, descriptor));
    OK(wc_shared_buffer_read(descriptor, sizeof descriptor, &shared, NULL));
    shared.element.code = kDLUInt; /* of dlpack.h */
    shared.element.bits = 8;
    shared.element.lanes = 1;
    shared.rank = 2;
    shared.shape[0] = 50;
    shared.shape[1] = 101;
    OK(wc_shared_buffer_write(&shared, descriptor, sizeof descriptor, NULL));
    OK(wc_lend_describe(lend, descriptor));
    REFUSED(RULE_VIOLATED, wc_producer_offer_without_waiting(sides.producer, lend, &lease));
    shared.shape[1] = 100;
    OK(wc_shared_buffer_write(&shared, descriptor, sizeof descriptor, NULL));
    OK(wc_lend_describe(lend, descriptor));
    held = lend_and_take(&sides, lend, &lease);
    OK(wc_held_shared(held, descriptor));
    OK(wc_shared_buffer_read(descriptor, sizeof descriptor, &shared, NULL));
    EXPECT(shared.rank == 2 && shared.shape[0] == 50 && shared.shape[1] == 100);
    expect_bytes(held, 5);
    OK(wc_held_destroy(&held));
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    end(&sides);
}

static void no_more_leases_than_may_be(void)
{
    wc_lease_options options = {0};
    sides sides;
    wc_host_buffer buffer = filled(6, 0);
    wc_lend lend = lend_of(buffer);
    wc_channel ends[2];
    wc_lease lease;
    wc_lease other;

    options.most_leases = 1;
    options.flags = WC_LEASE_FLAG_NO_HELLO;
    sides = both(&options);
    OK(wc_producer_offer_without_waiting(sides.producer, lend, &lease));
    REFUSED(TOO_MANY, wc_producer_offer_without_waiting(sides.producer, lend, &other));
    OK(wc_lease_destroy(&lease));
    end(&sides);

    /* A side that is not made takes its channel all the same. */
    options.flags = 2;
    OK(wc_channel_pair(NULL, &ends[0], &ends[1]));
    REFUSED(UNKNOWN_BITS, wc_producer_create(&ends[0], &options, &sides.producer));
    EXPECT(ends[0].id == 0);
    OK(wc_channel_destroy(&ends[1]));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
}

static void handles_that_end_before_the_lease(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(8, 0);
    wc_lend lend = lend_of(buffer);
    wc_lease lease;
    wc_held held = lend_and_take(&sides, lend, &lease);
    wc_end_reason reason;
    wc_memory_after memory;
    bool over;

    /* The channel is there for as long as the lease's handle; then the consumer finds that it was closed. */
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    OK(wc_producer_destroy(&sides.producer));
    OK(wc_held_is_over(held, &over, &reason, &memory));
    EXPECT(!over);
    OK(wc_lease_destroy(&lease));
    OK(wc_consumer_wait_closed(sides.consumer, LONG_MS, &reason));
    EXPECT(reason == WC_END_REASON_PEER_CLOSED);
    OK(wc_held_is_over(held, &over, &reason, &memory));
    EXPECT(over && reason == WC_END_REASON_PEER_CLOSED && memory == WC_MEMORY_AFTER_STAYS);
    expect_bytes(held, 8);
    {
        wc_held none;
        REFUSED(PEER_CLOSED, wc_consumer_next(sides.consumer, LONG_MS, &none));
    }
    OK(wc_consumer_destroy(&sides.consumer));
    expect_bytes(held, 8);
    OK(wc_held_destroy(&held));
}

static void a_consumer_that_closes_ends_its_leases(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(9, 0);
    wc_lend lend = lend_of(buffer);
    wc_lease lease;
    wc_held held = lend_and_take(&sides, lend, &lease);
    wc_end_reason reason;
    wc_memory_after memory;

    OK(wc_consumer_shut_down(sides.consumer));
    OK(wc_lease_wait_released(lease, LONG_MS, &reason, &memory));
    EXPECT(reason == WC_END_REASON_PEER_CLOSED && memory == WC_MEMORY_AFTER_STAYS);
    OK(wc_producer_wait_closed(sides.producer, LONG_MS, &reason));
    EXPECT(reason == WC_END_REASON_PEER_CLOSED);
    REFUSED(PEER_CLOSED, wc_producer_poll(sides.producer));
    {
        wc_lease none;
        REFUSED(PEER_CLOSED, wc_producer_offer_without_waiting(sides.producer, lend, &none));
    }
    OK(wc_held_destroy(&held));
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    end(&sides);
}

/* Takes one buffer, gives it back, and is there until the channel ends. */
static void *consume(void *argument)
{
    const wc_consumer *consumer = argument;
    wc_held held;
    wc_end_reason reason;
    OK(wc_consumer_next(*consumer, LONG_MS, &held));
    expect_bytes(held, 10);
    OK(wc_held_destroy(&held));
    OK(wc_consumer_wait_closed(*consumer, LONG_MS, &reason));
    EXPECT(reason == WC_END_REASON_PEER_CLOSED);
    return NULL;
}

static void sides_of_two_threads(void)
{
    sides sides = both(NULL);
    wc_host_buffer buffer = filled(10, 0);
    wc_lend lend = lend_of(buffer);
    wc_lease lease;
    wc_end_reason reason;
    wc_memory_after memory;
    pthread_t thread;

    EXPECT(pthread_create(&thread, NULL, consume, &sides.consumer) == 0);
    OK(wc_producer_offer(sides.producer, lend, &lease));
    OK(wc_lease_wait_released(lease, LONG_MS, &reason, &memory));
    EXPECT(reason == WC_END_REASON_RELEASED);
    OK(wc_producer_ping(sides.producer, LONG_MS));
    OK(wc_producer_shut_down(sides.producer));
    EXPECT(pthread_join(thread, NULL) == 0);
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    end(&sides);
}

static uint64_t joined(wc_service service)
{
    wc_service_event event;
    OK(wc_service_next_event(service, LONG_MS, &event));
    EXPECT(event.kind == WC_SERVICE_EVENT_KIND_JOINED && event.code == WC_STATUS_OK);
    EXPECT(event.pid == (uint32_t)getpid() && event.uid == geteuid() && event.gid == getegid() && event.reason == 0);
    return event.consumer;
}

/* One consumer has as many leases as it may, the other one has room. */
static void a_broadcast_says_who_was_lent_to(void)
{
    char folder[] = "/tmp/wirecontract-XXXXXX";
    char path[64];
    wc_lease_options options = {0};
    wc_listener listener;
    wc_service service;
    wc_service_event event;
    wc_channel refused[2];
    wc_consumer consumers[2];
    uint64_t numbers[2];
    wc_host_buffer buffer = filled(12, 0);
    wc_lend lend = lend_of(buffer);
    wc_producer producer;
    wc_lease lease;
    wc_lease none;
    wc_offers offers;
    size_t count;
    size_t failed;
    int32_t deadline;

    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/socket", folder);
    OK(wc_listener_bind(path, NULL, &listener));
    options.most_leases = 1;
    OK(wc_service_create(&listener, &options, &service));
    for (int i = 0; i < 2; i++) {
        wc_channel channel;
        OK(wc_channel_connect(path, NULL, &channel));
        OK(wc_consumer_create(&channel, NULL, &consumers[i]));
        numbers[i] = joined(service);
    }
    OK(wc_service_producer(service, numbers[0], &producer));
    OK(wc_producer_offer_without_waiting(producer, lend, &lease));
    OK(wc_service_broadcast(service, lend, &offers));
    OK(wc_offers_count(offers, &count, &failed));
    EXPECT(count == 2 && failed == 1);
    REFUSED(TOO_MANY, wc_offers_lease(offers, 0, &none));
    OK(wc_lease_destroy(&lease));
    OK(wc_offers_lease(offers, 1, &lease));
    OK(wc_offers_destroy(&offers));
    {
        wc_lease_state state;
        OK(wc_lease_progress(lease, &state));
        EXPECT(state == WC_LEASE_STATE_OFFERED);
    }

    /* Events that happened at once are given one by one, and the deadline says that there are more. */
    for (int i = 0; i < 2; i++) {
        OK(wc_channel_connect(path, NULL, &refused[i]));
        OK(wc_channel_shut_down(refused[i]));
    }
    for (int i = 0; i < 2; i++) {
        OK(wc_service_next_event(service, LONG_MS, &event));
        EXPECT(event.kind == WC_SERVICE_EVENT_KIND_REFUSED);
        OK(wc_channel_destroy(&refused[i]));
    }
    OK(wc_consumer_shut_down(consumers[0]));
    OK(wc_consumer_shut_down(consumers[1]));
    OK(wc_service_next_event(service, LONG_MS, &event));
    EXPECT(event.kind == WC_SERVICE_EVENT_KIND_LEFT && event.consumer == numbers[0]);
    OK(wc_service_deadline_ms(service, &deadline));
    EXPECT(deadline == 0);
    OK(wc_service_next_event(service, 0, &event));
    EXPECT(event.kind == WC_SERVICE_EVENT_KIND_LEFT && event.consumer == numbers[1]);
    OK(wc_service_deadline_ms(service, &deadline));
    EXPECT(deadline == -1);

    OK(wc_lease_destroy(&lease));
    OK(wc_producer_destroy(&producer));
    OK(wc_consumer_destroy(&consumers[0]));
    OK(wc_consumer_destroy(&consumers[1]));
    OK(wc_service_destroy(&service));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    EXPECT(rmdir(folder) == 0);
}

/* What a loop of `poll` needs to know of both sides. */
static void sides_say_what_to_poll_for(void)
{
    wc_channel_options options = {0};
    wc_host_buffer buffer = filled(13, 0);
    wc_lend lend = lend_of(buffer);
    wc_producer producer;
    wc_consumer consumer;
    wc_channel ends[2];
    size_t offered = 0;
    int32_t deadline;
    int32_t fd;
    bool writes = false;

    options.send_buffer_bytes = 4096;
    OK(wc_channel_pair(&options, &ends[0], &ends[1]));
    OK(wc_producer_create(&ends[0], NULL, &producer));
    OK(wc_consumer_create(&ends[1], NULL, &consumer));
    /* Each waits for the other's hello. */
    OK(wc_producer_deadline_ms(producer, &deadline));
    EXPECT(deadline > 0 && deadline <= 10000);
    OK(wc_consumer_deadline_ms(consumer, &deadline));
    EXPECT(deadline > 0 && deadline <= 10000);
    OK(wc_producer_poll(producer));
    REFUSED(TIMEOUT, wc_consumer_wait(consumer, 0));
    OK(wc_producer_poll(producer));
    OK(wc_consumer_wants_write(consumer, &writes));
    EXPECT(!writes);
    OK(wc_producer_wants_write(producer, &writes));
    EXPECT(!writes);
    OK(wc_producer_deadline_ms(producer, &deadline));
    EXPECT(deadline == -1);
    OK(wc_consumer_deadline_ms(consumer, &deadline));
    EXPECT(deadline == -1);
    /* More than the socket takes waits until the consumer has taken some. */
    while (!writes) {
        wc_lease lease;
        EXPECT(offered < 1000);
        OK(wc_producer_offer_without_waiting(producer, lend, &lease));
        OK(wc_lease_destroy(&lease));
        OK(wc_producer_wants_write(producer, &writes));
        offered++;
    }
    for (; offered > 0; offered--) {
        wc_held held;
        OK(wc_producer_poll(producer));
        OK(wc_consumer_next(consumer, LONG_MS, &held));
        OK(wc_held_destroy(&held));
    }
    OK(wc_producer_poll(producer));
    OK(wc_producer_wants_write(producer, &writes));
    EXPECT(!writes);
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));

    /* Of a pair nobody knows who has the other end. */
    REFUSED(REFUSED, wc_producer_process_fd(producer, &fd));
    EXPECT(fd == -1);
    REFUSED(REFUSED, wc_consumer_process_fd(consumer, &fd));
    OK(wc_producer_destroy(&producer));
    OK(wc_consumer_destroy(&consumer));
}

static void a_service_lends_to_all(void)
{
    char folder[] = "/tmp/wirecontract-XXXXXX";
    char path[64];
    wc_listener listener;
    wc_service service;
    wc_service_event event;
    wc_consumer consumers[2];
    wc_producer producer;
    wc_outstanding_lease outstanding[3];
    wc_host_buffer buffer = filled(11, 0);
    wc_lend lend = lend_of(buffer);
    wc_lease lease;
    wc_held held;
    uint64_t numbers[2];
    wc_offers offers;
    wc_lease lent[2];
    size_t failed;
    size_t count;
    int32_t deadline;

    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/socket", folder);
    OK(wc_listener_bind(path, NULL, &listener));
    OK(wc_service_create(&listener, NULL, &service));
    EXPECT(listener.id == 0);
    REFUSED(TIMEOUT, wc_service_next_event(service, 0, &event));
    OK(wc_service_deadline_ms(service, &deadline));
    EXPECT(deadline == -1);
    /* Who says no hello is waited for, and is nobody when gone. */
    {
        wc_channel channel;
        OK(wc_channel_connect(path, NULL, &channel));
        REFUSED(TIMEOUT, wc_service_next_event(service, 0, &event));
        OK(wc_service_deadline_ms(service, &deadline));
        EXPECT(deadline > 0 && deadline <= 10000);
        OK(wc_channel_destroy(&channel));
        OK(wc_service_next_event(service, LONG_MS, &event));
        EXPECT(event.kind == WC_SERVICE_EVENT_KIND_REFUSED && event.consumer == 0 && event.code == WC_STATUS_PEER_CLOSED);
        EXPECT(event.reason == 0 && event.pid == 0);
    }
    for (int i = 0; i < 2; i++) {
        wc_channel channel;
        OK(wc_channel_connect(path, NULL, &channel));
        OK(wc_consumer_create(&channel, NULL, &consumers[i]));
        numbers[i] = joined(service);
    }
    EXPECT(numbers[0] != numbers[1]);
    {
        uint64_t found[2];
        OK(wc_service_consumers(service, found, 2, &count));
        EXPECT(count == 2 && found[0] == numbers[0] && found[1] == numbers[1]);
    }

    OK(wc_service_broadcast(service, lend, &offers));
    OK(wc_offers_count(offers, &count, &failed));
    EXPECT(count == 2 && failed == 0);
    for (size_t i = 0; i < 2; i++) {
        uint64_t consumer;
        OK(wc_offers_consumer(offers, i, &consumer));
        EXPECT(consumer == numbers[i]);
        OK(wc_offers_lease(offers, i, &lent[i]));
    }
    REFUSED(OUT_OF_RANGE, wc_offers_lease(offers, 2, &lease));
    OK(wc_offers_destroy(&offers));
    OK(wc_service_producer(service, numbers[1], &producer));
    OK(wc_producer_offer_without_waiting(producer, lend, &lease));
    OK(wc_service_outstanding(service, outstanding, 3, &count));
    EXPECT(count == 3 && outstanding[0].consumer == numbers[0] && outstanding[2].consumer == numbers[1]);
    for (int i = 0; i < 3; i++) {
        OK(wc_consumer_next(consumers[i > 0], LONG_MS, &held));
        expect_bytes(held, 11);
        OK(wc_held_destroy(&held));
    }
    count = 3;
    for (int turns = 0; count > 0; turns++) {
        EXPECT(turns < 60000);
        REFUSED(TIMEOUT, wc_service_next_event(service, 1, &event));
        OK(wc_service_outstanding(service, NULL, 0, &count));
    }
    for (int i = 0; i < 2; i++) {
        wc_end_reason reason;
        wc_memory_after memory;
        OK(wc_lease_wait_released(lent[i], 0, &reason, &memory));
        EXPECT(reason == WC_END_REASON_RELEASED);
        OK(wc_lease_destroy(&lent[i]));
    }
    OK(wc_consumer_destroy(&consumers[0]));
    OK(wc_service_next_event(service, LONG_MS, &event));
    EXPECT(event.kind == WC_SERVICE_EVENT_KIND_LEFT && event.consumer == numbers[0]);
    EXPECT(event.reason == WC_END_REASON_PEER_CLOSED && event.code == WC_STATUS_PEER_CLOSED);
    {
        wc_producer none;
        REFUSED(BAD_HANDLE, wc_service_producer(service, numbers[0], &none));
    }

    /* Ending it ends what it lent, and its socket. */
    OK(wc_service_destroy(&service));
    EXPECT(access(path, F_OK) != 0);
    {
        wc_end_reason reason;
        OK(wc_consumer_wait_closed(consumers[1], LONG_MS, &reason));
        EXPECT(reason == WC_END_REASON_PEER_CLOSED);
    }
    OK(wc_consumer_destroy(&consumers[1]));
    OK(wc_producer_destroy(&producer));
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
    EXPECT(rmdir(folder) == 0);
}

int main(void)
{
    wc_abi_mismatch mismatch;
    size_t before = open_fds();

    EXPECT(wc_check_abi(&mismatch) == WC_STATUS_OK);
    a_buffer_is_lent_and_given_back();
    a_buffer_of_a_pool_goes_back_when_its_lease_is_over();
    a_consumer_writes_where_it_may();
    a_buffer_is_asked_back();
    a_buffer_is_taken_back();
    memory_of_another_kind_is_its_importers();
    a_tensor_is_described();
    no_more_leases_than_may_be();
    handles_that_end_before_the_lease();
    a_consumer_that_closes_ends_its_leases();
    sides_of_two_threads();
    sides_say_what_to_poll_for();
    a_service_lends_to_all();
    a_broadcast_says_who_was_lent_to();
    EXPECT(open_fds() == before);
    puts("ok");
    return 0;
}
