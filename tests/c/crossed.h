/*
 * Messages that cross a channel with real file descriptors: the n-th is a pipe that holds the byte n, so that whoever has it
 * at the other end can say which it is.
 */
#ifndef WIRECONTRACT_TESTS_CROSSED_H
#define WIRECONTRACT_TESTS_CROSSED_H

#include <string.h>
#include <unistd.h>

#include <wirecontract/handoff.h>

#include "expect.h"

/* The most file descriptors that a message of a channel has, and one more. */
enum { MOST_FDS = 254, MOST_BYTES = 1 << 16 };

typedef struct crossed {
    uint8_t body[MOST_BYTES];
    size_t length;
    int fds[MOST_FDS];
    size_t fd_count;
} crossed;

/* The bytes of `hex`, with so many file descriptors beside them; what no channel carries comes by itself. */
static inline void cross(const char *hex, size_t fd_count, crossed *out)
{
    wc_channel_options options;
    wc_channel ends[2];
    uint8_t body[MOST_BYTES];
    int sent[MOST_FDS];
    unsigned octet;
    memset(&options, 0, sizeof options);
    out->length = 0;
    for (; sscanf(hex, "%2x", &octet) == 1; hex += 2) {
        EXPECT(out->length < sizeof body);
        body[out->length++] = (uint8_t)octet;
    }
    memcpy(out->body, body, out->length);
    EXPECT(fd_count <= MOST_FDS);
    for (size_t i = 0; i < fd_count; i++) {
        const uint8_t number = (uint8_t)i;
        int ends_of_pipe[2];
        EXPECT(pipe(ends_of_pipe) == 0);
        EXPECT(write(ends_of_pipe[1], &number, 1) == 1);
        close(ends_of_pipe[1]);
        sent[i] = ends_of_pipe[0];
    }
    out->fd_count = fd_count;
    memcpy(out->fds, sent, fd_count * sizeof *sent);
    if (out->length == 0 || fd_count == MOST_FDS) {
        return;
    }
    OK(wc_channel_pair(&options, &ends[0], &ends[1]));
    OK(wc_channel_send(ends[0], body, out->length, sent, fd_count));
    for (size_t i = 0; i < fd_count; i++) {
        close(sent[i]);
    }
    OK(wc_channel_receive_into(
        ends[1], out->body, sizeof out->body, out->fds, MOST_FDS - 1, LONG_MS, &out->length, &out->fd_count));
    EXPECT(out->fd_count == fd_count);
    OK(wc_channel_destroy(&ends[0]));
    OK(wc_channel_destroy(&ends[1]));
}

/* The byte that a file descriptor's pipe holds. */
static inline int number_of(int fd)
{
    uint8_t number = 0;
    EXPECT(read(fd, &number, 1) == 1);
    return number;
}

static inline void end_crossed(crossed *message)
{
    for (size_t i = 0; i < message->fd_count; i++) {
        close(message->fds[i]);
    }
    message->fd_count = 0;
}

#endif
