/*
 * One side of handoffs between two processes, of which one may be killed at any message, in C:
 * `handoff_survivor send|take survive|die SOCKET [AT before|half|after]`, as `handoff-survivor.rs` is in Rust.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wirecontract/buffer.h>
#include <wirecontract/handoff.h>
#include <wirecontract/hello.h>
#include <wirecontract/host.h>
#include <wirecontract/library.h>
#include <wirecontract/negotiate.h>

#include "opened.h"
#include "relay.h"

/* Bytes of each buffer. */
enum { SIZE = 4096, LONG_MS = RELAY_LONG_MS, MOST = 2 };

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

/* What both sides say that they speak. */
static wc_channel_hello greeting(void)
{
    static const wc_spoken_version versions[] = WC_SPEAKS_VERSIONS(WC_SHARED_BUFFER);
    static const wc_spoken_contract speaks[] = {WC_SPEAKS(WC_SHARED_BUFFER, versions)};
    const wc_hello said = WC_HELLO_OF(speaks);
    wc_channel_hello hello;
    wc_owned_bytes json;
    wc_str document;
    if (wc_hello_to_json(&said, &json, NULL) != WC_STATUS_OK) {
        wrong("a hello that is none");
    }
    document.data = (const char *)json.data;
    document.length = json.length;
    OK(wc_channel_hello_create(document, &hello));
    OK(wc_bytes_free(&json));
    return hello;
}

/* Sends buffers of so many seeds from this one on. */
static wc_status give(wc_channel channel, unsigned seed, size_t count)
{
    wc_host_buffer buffers[MOST];
    uint8_t body[MOST * WC_SHARED_BUFFER_SIZE];
    int32_t fds[MOST];
    wc_status status;
    for (size_t i = 0; i < count; i++) {
        wc_host_options options = {0};
        uint8_t *data;
        size_t size;
        options.size = SIZE;
        OK(wc_host_buffer_create(&options, "handed", &buffers[i]));
        OK(wc_host_buffer_data(buffers[i], &data, &size));
        for (size_t at = 0; at < size; at++) {
            data[at] = byte_at(at, seed + (unsigned)i);
        }
        OK(wc_host_buffer_shared(buffers[i], body + i * WC_SHARED_BUFFER_SIZE));
        OK(wc_host_buffer_consumer_fd(buffers[i], &fds[i]));
    }
    status = wc_channel_send(channel, body, count * WC_SHARED_BUFFER_SIZE, fds, count);
    for (size_t i = 0; i < count; i++) {
        close(fds[i]);
        OK(wc_host_buffer_destroy(&buffers[i]));
    }
    return status;
}

/* Receives as many, and looks at every byte of them. */
static wc_status get(wc_channel channel, unsigned seed, size_t count)
{
    wc_expected expected = {0};
    wc_message message;
    const uint8_t *body;
    size_t length;
    expected.most_bytes = count * WC_SHARED_BUFFER_SIZE;
    expected.least_fds = (uint32_t)count;
    expected.most_fds = (uint32_t)count;
    TRY(wc_channel_receive(channel, &expected, LONG_MS, &message));
    OK(wc_message_body(message, &body, &length));
    if (length != expected.most_bytes) {
        wrong("a body of another length");
    }
    for (size_t i = 0; i < count; i++) {
        wc_host_mapping mapping;
        const uint8_t *data;
        size_t size;
        OK(wc_host_mapping_import_from(body + i * WC_SHARED_BUFFER_SIZE, message, i, WC_ACCESS_READ_ONLY, &mapping));
        OK(wc_host_mapping_data(mapping, &data, &size));
        for (size_t at = 0; at < SIZE; at++) {
            if (size != SIZE || data[at] != byte_at(at, seed + (unsigned)i)) {
                wrong("another buffer than was expected");
            }
        }
        OK(wc_host_mapping_destroy(&mapping));
    }
    OK(wc_message_destroy(&message));
    return WC_STATUS_OK;
}

static wc_status say(wc_channel channel, const char *word)
{
    return wc_channel_send(channel, (const uint8_t *)word, strlen(word), NULL, 0);
}

static wc_status hear(wc_channel channel, const char *word)
{
    uint8_t body[16];
    size_t length;
    size_t fds;
    TRY(wc_channel_receive_into(channel, body, sizeof body, NULL, 0, LONG_MS, &length, &fds));
    if (length != strlen(word) || memcmp(body, word, length) != 0) {
        wrong("another word than was expected");
    }
    return WC_STATUS_OK;
}

/* A buffer, two more, and one back. */
static wc_status exchange(wc_channel channel, bool sends)
{
    uint32_t version;
    uint64_t id;
    bool closed;
    TRY(wc_channel_agreed(channel, WC_SHARED_BUFFER_CONTRACT, LONG_MS, &version, &id));
    if (id != WC_SHARED_BUFFER_WIRE_ID) {
        wrong("another contract than the header's");
    }
    if (sends) {
        TRY(give(channel, 1, 1));
        TRY(hear(channel, "taken"));
        TRY(give(channel, 2, 2));
        TRY(get(channel, 4, 1));
        return say(channel, "done");
    }
    TRY(get(channel, 1, 1));
    TRY(say(channel, "taken"));
    TRY(get(channel, 2, 2));
    TRY(give(channel, 4, 1));
    TRY(hear(channel, "done"));
    OK(wc_channel_wait_closed(channel, LONG_MS, &closed));
    if (!closed) {
        wrong("expected the other side to close");
    }
    return WC_STATUS_OK;
}

/* Meets one peer for each line of the standard input. */
static int survive(bool sends, const char *socket)
{
    const opened before = opened_now();
    wc_channel_hello hello = greeting();
    wc_channel_options options = relay_options();
    wc_listener listener;
    char line[16];
    options.hello = hello.id;
    OK(wc_listener_bind(socket, &options, &listener));
    OK(wc_channel_hello_destroy(&hello));
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        wc_channel channel;
        wc_status status;
        OK(wc_listener_accept(listener, LONG_MS, &channel));
        status = exchange(channel, sends);
        OK(wc_channel_destroy(&channel));
        if (status != WC_STATUS_OK && status != WC_STATUS_PEER_CLOSED) {
            relay_fails("a handoff");
        }
        puts(status == WC_STATUS_OK ? "whole" : "died");
        fflush(stdout);
    }
    OK(wc_listener_destroy(&listener));
    if (opened_differs(before, opened_now())) {
        return 1;
    }
    puts("clean");
    return 0;
}

/* Meets one peer, and is killed at a message. */
static int die(bool sends, const char *socket, const char *at, const char *when)
{
    wc_channel_hello hello = greeting();
    wc_channel_options options = relay_options();
    wc_channel side;
    relay relay;
    options.hello = hello.id;
    relay_start(&relay, socket, &options, at, when, &side);
    OK(wc_channel_hello_destroy(&hello));
    if (exchange(side, sends) != WC_STATUS_OK) {
        relay_fails("a handoff");
    }
    OK(wc_channel_destroy(&side));
    relay_join(&relay);
    return 0;
}

int main(int argc, char **argv)
{
    bool sends;
    if ((argc != 4 && argc != 6) || (strcmp(argv[1], "send") != 0 && strcmp(argv[1], "take") != 0)) {
        wrong("usage: handoff_survivor send|take survive|die SOCKET [AT before|half|after]");
    }
    sends = strcmp(argv[1], "send") == 0;
    if (strcmp(argv[2], "survive") == 0) {
        return survive(sends, argv[3]);
    }
    return die(sends, argv[3], argc == 6 ? argv[4] : NULL, argc == 6 ? argv[5] : NULL);
}
