/*
 * One side of a handoff between two processes: `handoff_peer listen|connect SOCKET SIZE OFFSET FDS [packets]`.
 *
 * Who listens sends first, a message of FDS descriptors with as many buffers, and then receives one from who connects.
 * What is in them the other side knows.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <wirecontract/buffer.h>
#include <wirecontract/handoff.h>
#include <wirecontract/host.h>
#include <wirecontract/library.h>

enum {
    MINUTE_MS = 60000,
    /* How long it is tried to connect. */
    PATIENCE_MS = 120000,
    MOST_FDS = 253,
    /* Of a larger window only the ends are touched. */
    WHOLE = 1 << 20,
    END = 65536
};

/* The buffers of one message. */
typedef struct {
    uint64_t size;
    uint64_t offset;
    size_t fds;
} scene;

/* Part of a window, in bytes from its start. */
typedef struct {
    uint64_t start;
    uint64_t end;
} part;

/* Says why the last call failed. */
static int failed(const char *what)
{
    wc_failure failure;
    const char *code;
    wc_last_error(&failure);
    code = wc_status_name(failure.code);
    fprintf(stderr, "%s: %s: %s (%d): %s\n", what, failure.function, code == NULL ? "unknown" : code, failure.detail,
            failure.message);
    return 1;
}

static int wrong(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

static int open_fds(size_t *count)
{
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) {
        return wrong("cannot read /proc/self/fd");
    }
    *count = 0;
    while (readdir(folder) != NULL) {
        ++*count;
    }
    closedir(folder);
    return 0;
}

static uint8_t byte_at(uint64_t at, size_t number, unsigned side)
{
    return (uint8_t)(at * 31 + (at >> 12) + number * 7 + side * 101u);
}

/* The parts of a window that are written; gives how many these are. */
static size_t written(const scene *scene, part parts[2])
{
    if (scene->size <= WHOLE) {
        parts[0].start = 0;
        parts[0].end = scene->size;
        return 1;
    }
    parts[0].start = 0;
    parts[0].end = END;
    parts[1].start = scene->size - END;
    parts[1].end = scene->size;
    return 2;
}

static int make(const scene *scene, size_t number, unsigned side, wc_host_buffer *buffer)
{
    wc_host_options options = {0};
    part parts[2];
    uint8_t *data;
    size_t size;
    size_t count = written(scene, parts);

    options.size = scene->size;
    options.offset = scene->offset;
    if (wc_host_buffer_create(&options, "handoff-peer", buffer) != WC_STATUS_OK
        || wc_host_buffer_data(*buffer, &data, &size) != WC_STATUS_OK) {
        return failed("making a buffer");
    }
    if (size != scene->size) {
        return wrong("a buffer of another size than asked for");
    }
    for (size_t i = 0; i < count; i++) {
        for (uint64_t at = parts[i].start; at < parts[i].end; at++) {
            data[at] = byte_at(at, number, side);
        }
    }
    return 0;
}

/* Makes a buffer and what is sent of it; nothing is left where that fails. */
static int export_one(const scene *scene, size_t number, unsigned side, wc_host_buffer *buffer, uint8_t *body, int32_t *fd)
{
    if (make(scene, number, side, buffer) == 0) {
        if (wc_host_buffer_shared(*buffer, body) == WC_STATUS_OK && wc_host_buffer_consumer_fd(*buffer, fd) == WC_STATUS_OK) {
            return 0;
        }
        failed("exporting a buffer");
    }
    wc_host_buffer_destroy(buffer);
    return 1;
}

static int send_all(wc_channel channel, const scene *scene, unsigned side)
{
    static uint8_t body[MOST_FDS * WC_SHARED_BUFFER_SIZE];
    wc_host_buffer buffers[MOST_FDS] = {{0}};
    int32_t fds[MOST_FDS];
    size_t made = 0;
    int fault = 0;

    while (made < scene->fds && fault == 0) {
        fault = export_one(scene, made, side, &buffers[made], body + made * WC_SHARED_BUFFER_SIZE, &fds[made]);
        made += fault == 0;
    }
    if (fault == 0
        && wc_channel_send(channel, body, scene->fds * WC_SHARED_BUFFER_SIZE, fds, scene->fds) != WC_STATUS_OK) {
        fault = failed("sending");
    }
    for (size_t i = 0; i < made; i++) {
        close(fds[i]);
        wc_host_buffer_destroy(&buffers[i]);
    }
    return fault;
}

/* Whether a part of the allocation that is not the buffer's is zero. */
static int is_zero(int32_t fd, uint64_t start, uint64_t end)
{
    uint8_t bytes[4096];
    while (start < end) {
        uint64_t left = end - start;
        size_t ask = left < sizeof bytes ? (size_t)left : sizeof bytes;
        ssize_t got = pread(fd, bytes, ask, (off_t)start);
        if (got <= 0) {
            return wrong("an allocation that ends too early");
        }
        for (ssize_t i = 0; i < got; i++) {
            if (bytes[i] != 0) {
                return wrong("a byte beside the buffer that is not zero");
            }
        }
        start += (uint64_t)got;
    }
    return 0;
}

static int check(wc_host_mapping mapping, const wc_shared_buffer *buffer, const scene *scene, size_t number, unsigned side)
{
    part parts[2];
    const uint8_t *data;
    size_t size;
    int32_t fd;
    size_t count = written(scene, parts);
    int fault;

    if (wc_host_mapping_data(mapping, &data, &size) != WC_STATUS_OK || wc_host_mapping_fd(mapping, &fd) != WC_STATUS_OK) {
        return failed("a mapping");
    }
    fault = size == scene->size ? 0 : wrong("a mapping of another size than sent");
    for (size_t i = 0; i < count && fault == 0; i++) {
        for (uint64_t at = parts[i].start; at < parts[i].end; at++) {
            if (data[at] != byte_at(at, number, side)) {
                fprintf(stderr, "buffer %zu, byte %" PRIu64 ": expected %u, found %u\n", number, at,
                        byte_at(at, number, side), data[at]);
                fault = 1;
                break;
            }
        }
    }
    if (fault == 0) {
        fault = is_zero(fd, 0, buffer->offset);
    }
    if (fault == 0) {
        fault = is_zero(fd, buffer->offset + buffer->size, buffer->allocation_size);
    }
    close(fd);
    return fault;
}

static int import(wc_message message, const uint8_t *bytes, const scene *scene, size_t number, unsigned side,
                  wc_host_mapping *mapping)
{
    wc_shared_buffer buffer;
    wc_error error;

    if (wc_shared_buffer_read(bytes, WC_SHARED_BUFFER_SIZE, &buffer, &error) != WC_STATUS_OK) {
        char text[512];
        wc_error_message(&error, text, sizeof text);
        return wrong(text);
    }
    if (buffer.size != scene->size || buffer.offset != scene->offset) {
        fprintf(stderr, "expected %" PRIu64 " at %" PRIu64 ", found %" PRIu64 " at %" PRIu64 "\n", scene->size,
                scene->offset, buffer.size, buffer.offset);
        return 1;
    }
    if (wc_host_mapping_import_from(bytes, message, number, WC_ACCESS_READ_ONLY, mapping) != WC_STATUS_OK) {
        return failed("importing");
    }
    return check(*mapping, &buffer, scene, number, side);
}

static int receive_all(wc_channel channel, const scene *scene, unsigned side)
{
    wc_host_mapping mappings[MOST_FDS] = {{0}};
    wc_expected expected = {0};
    wc_message message;
    const uint8_t *body;
    size_t length;
    int fault = 0;

    expected.most_bytes = scene->fds * WC_SHARED_BUFFER_SIZE;
    expected.least_fds = (uint32_t)scene->fds;
    expected.most_fds = (uint32_t)scene->fds;
    if (wc_channel_receive(channel, &expected, MINUTE_MS, &message) != WC_STATUS_OK) {
        return failed("receiving");
    }
    if (wc_message_body(message, &body, &length) != WC_STATUS_OK) {
        fault = failed("a message");
    } else if (length != expected.most_bytes) {
        fault = wrong("a body of another length");
    }
    for (size_t i = 0; i < scene->fds && fault == 0; i++) {
        fault = import(message, body + i * WC_SHARED_BUFFER_SIZE, scene, i, side, &mappings[i]);
    }
    for (size_t i = 0; i < scene->fds; i++) {
        wc_host_mapping_destroy(&mappings[i]);
    }
    wc_message_destroy(&message);
    return fault;
}

/* Listens at the socket, and gives the one peer that connects. */
static int accept_one(const char *socket, const wc_channel_options *options, wc_channel *channel)
{
    wc_listener listener;
    int fault = 0;
    if (wc_listener_bind(socket, options, &listener) != WC_STATUS_OK) {
        return failed("listening");
    }
    if (wc_listener_accept(listener, MINUTE_MS, channel) != WC_STATUS_OK) {
        fault = failed("accepting");
    }
    wc_listener_destroy(&listener);
    return fault;
}

/* Connects as soon as somebody listens. */
static int connect_to(const char *socket, const wc_channel_options *options, wc_channel *channel)
{
    const struct timespec pause = {0, 5000000};
    for (int waited = 0;; waited += 5) {
        wc_failure failure;
        if (wc_channel_connect(socket, options, channel) == WC_STATUS_OK) {
            return 0;
        }
        wc_last_error(&failure);
        if ((failure.detail != ENOENT && failure.detail != ECONNREFUSED) || waited >= PATIENCE_MS) {
            return failed("connecting");
        }
        nanosleep(&pause, NULL);
    }
}

static int meet(int argc, char **argv)
{
    wc_channel_options options = {0};
    wc_channel channel = {0};
    scene scene;
    int listens;
    int fault;

    if (argc < 6 || argc > 7 || (argc == 7 && strcmp(argv[6], "packets") != 0)) {
        return wrong("usage: handoff_peer listen|connect SOCKET SIZE OFFSET FDS [packets]");
    }
    scene.size = strtoull(argv[3], NULL, 10);
    scene.offset = strtoull(argv[4], NULL, 10);
    scene.fds = strtoul(argv[5], NULL, 10);
    if (scene.fds == 0 || scene.fds > MOST_FDS) {
        return wrong("expected 1 to 253 file descriptors");
    }
    listens = strcmp(argv[1], "listen") == 0;
    if (!listens && strcmp(argv[1], "connect") != 0) {
        return wrong("expected listen or connect");
    }
    options.framing = argc == 7 ? WC_FRAMING_PACKETS : WC_FRAMING_STREAM;
    options.message_timeout_ms = MINUTE_MS;
    options.idle_timeout_ms = MINUTE_MS;

    if (listens) {
        fault = accept_one(argv[2], &options, &channel) || send_all(channel, &scene, 0) || receive_all(channel, &scene, 1);
    } else {
        fault = connect_to(argv[2], &options, &channel) || receive_all(channel, &scene, 0) || send_all(channel, &scene, 1);
    }
    wc_channel_destroy(&channel);
    if (fault == 0) {
        printf("ok %zu %" PRIu64 "\n", scene.fds, scene.size);
    }
    return fault;
}

int main(int argc, char **argv)
{
    wc_abi_mismatch mismatch;
    size_t before;
    size_t after;

    if (wc_check_abi(&mismatch) != WC_STATUS_OK) {
        return wrong(mismatch.symbol);
    }
    if (open_fds(&before) != 0 || meet(argc, argv) != 0 || open_fds(&after) != 0) {
        return 1;
    }
    if (before != after) {
        fprintf(stderr, "expected %zu open file descriptors at the end, found %zu\n", before, after);
        return 1;
    }
    return 0;
}
