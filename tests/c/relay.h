/*
 * Hands messages on between a side and a socket, and kills this process at the one that it was told: before it goes on, in
 * the midst of it, or behind it. For programs of C and C++.
 */
#ifndef WIRECONTRACT_TESTS_RELAY_H
#define WIRECONTRACT_TESTS_RELAY_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <wirecontract/handoff.h>
#include <wirecontract/library.h>

/* Longer than any machine takes. */
enum { RELAY_LONG_MS = 120000, RELAY_MOST_FDS = 253 };

typedef struct {
    /* The other end of the side's. */
    wc_channel near;
    /* The one to another process. */
    wc_channel far;
    pthread_mutex_t lock;
    int count;
    /* At which message it is killed; 0 is never. */
    int at;
    const char *when;
    pthread_t there;
    pthread_t here;
} relay;

static inline void relay_fails(const char *what)
{
    wc_failure failure;
    wc_last_error(&failure);
    fprintf(stderr, "%s: %s: %s (%d): %s\n", what, failure.function, wc_status_name(failure.code), failure.detail,
            failure.message);
    exit(1);
}

static inline wc_channel_options relay_options(void)
{
    wc_channel_options options;
    memset(&options, 0, sizeof options);
    options.message_timeout_ms = RELAY_LONG_MS;
    options.most_fds = RELAY_MOST_FDS;
    return options;
}

static inline void relay_killed(void)
{
    kill(getpid(), SIGKILL);
    for (;;) {
        pause();
    }
}

/*
 * Sends half of a message as a channel sends the whole of it: the length, then the body and what rides on its first byte.
 * What becomes of it is nobody's to know any more.
 */
static inline void relay_half(wc_channel to, uint8_t *body, size_t length, const int32_t *fds, size_t count)
{
    union {
        struct cmsghdr header;
        unsigned char space[CMSG_SPACE(sizeof(int32_t) * RELAY_MOST_FDS)];
    } control;
    uint8_t prefix[4];
    struct iovec part;
    struct msghdr message;
    int32_t socket;
    if (wc_channel_fd(to, &socket) != WC_STATUS_OK) {
        relay_fails("half a message");
    }
    for (int i = 0; i < 4; i++) {
        prefix[i] = (uint8_t)((length >> (24 - 8 * i)) & 0xFFu);
    }
    (void)send(socket, prefix, sizeof prefix, MSG_NOSIGNAL);
    memset(&message, 0, sizeof message);
    memset(&control, 0, sizeof control);
    part.iov_base = body;
    part.iov_len = length / 2;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int32_t) * count);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int32_t) * count);
        memcpy(CMSG_DATA(&control.header), fds, sizeof(int32_t) * count);
    }
    (void)sendmsg(socket, &message, MSG_NOSIGNAL);
}

/* Hands one message on; whether that went. */
static inline int relay_one(relay *it, wc_channel from, wc_channel to)
{
    wc_message message;
    const uint8_t *body;
    size_t length;
    size_t count;
    int32_t fds[RELAY_MOST_FDS];
    const char *when;
    wc_status status;
    if (wc_channel_receive(from, NULL, -1, &message) != WC_STATUS_OK) {
        return 0;
    }
    pthread_mutex_lock(&it->lock);
    it->count++;
    when = it->count == it->at ? it->when : "";
    /* Who hands on the message that this process is killed at keeps it: none goes behind it. */
    if (*when == '\0') {
        pthread_mutex_unlock(&it->lock);
    }
    if (wc_message_body(message, &body, &length) != WC_STATUS_OK || wc_message_fd_count(message, &count) != WC_STATUS_OK) {
        relay_fails("a message");
    }
    for (size_t i = 0; i < count; i++) {
        if (wc_message_take_fd(message, i, &fds[i]) != WC_STATUS_OK) {
            relay_fails("a file descriptor of a message");
        }
    }
    if (strcmp(when, "before") == 0) {
        relay_killed();
    }
    if (strcmp(when, "half") == 0) {
        uint8_t *copy = (uint8_t *)malloc(length + 1);
        memcpy(copy, body, length);
        relay_half(to, copy, length, fds, count);
        relay_killed();
    }
    status = wc_channel_send(to, body, length, fds, count);
    if (strcmp(when, "after") == 0) {
        relay_killed();
    }
    for (size_t i = 0; i < count; i++) {
        close(fds[i]);
    }
    wc_message_destroy(&message);
    return status == WC_STATUS_OK;
}

static inline void relay_ends(relay *it)
{
    /* They fail where the connection is gone, which is the same. */
    wc_channel_shut_down(it->near);
    wc_channel_shut_down(it->far);
}

static inline void *relay_there(void *argument)
{
    relay *it = (relay *)argument;
    while (relay_one(it, it->near, it->far)) {
    }
    relay_ends(it);
    return NULL;
}

static inline void *relay_here(void *argument)
{
    relay *it = (relay *)argument;
    while (relay_one(it, it->far, it->near)) {
    }
    relay_ends(it);
    return NULL;
}

/* Connects to a socket, and gives a channel with these options that is relayed to it. */
static inline void relay_start(
    relay *it, const char *socket, const wc_channel_options *options, const char *at, const char *when, wc_channel *side)
{
    const wc_channel_options bare = relay_options();
    int ends[2];
    memset(it, 0, sizeof *it);
    it->at = at == NULL ? 0 : atoi(at);
    it->when = when == NULL ? "" : when;
    pthread_mutex_init(&it->lock, NULL);
    if (wc_channel_connect(socket, &bare, &it->far) != WC_STATUS_OK) {
        relay_fails("connecting");
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        relay_fails("a pair of sockets");
    }
    if (wc_channel_from_socket(ends[0], options, side) != WC_STATUS_OK ||
        wc_channel_from_socket(ends[1], &bare, &it->near) != WC_STATUS_OK) {
        relay_fails("a channel");
    }
    if (pthread_create(&it->there, NULL, relay_there, it) != 0 || pthread_create(&it->here, NULL, relay_here, it) != 0) {
        relay_fails("a thread");
    }
}

/* Waits until all is handed on. The side is ended before. */
static inline void relay_join(relay *it)
{
    pthread_join(it->there, NULL);
    pthread_join(it->here, NULL);
    wc_channel_destroy(&it->near);
    wc_channel_destroy(&it->far);
    pthread_mutex_destroy(&it->lock);
}

#endif
