/*
 * What libwirecontract gives and refuses of channels and host memory, and that nothing is left open behind it. Says
 * `ok`, or the line of the first expectation that does not hold.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <wirecontract/buffer.h>
#include <wirecontract/handoff.h>
#include <wirecontract/hello.h>
#include <wirecontract/host.h>
#include <wirecontract/library.h>
#include <wirecontract/negotiate.h>

#include "expect.h"

static void pair(wc_channel ends[2], uint32_t most_fds, wc_framing framing)
{
    wc_channel_options options = {0};
    options.most_fds = most_fds;
    options.framing = framing;
    OK(wc_channel_pair(&options, &ends[0], &ends[1]));
}

static void unpair(wc_channel ends[2])
{
    OK(wc_channel_destroy(&ends[0]));
    OK(wc_channel_destroy(&ends[1]));
}

static void messages_and_who_owns_what_comes(wc_framing framing)
{
    wc_channel ends[2];
    wc_message message;
    const uint8_t *body;
    size_t length;
    int32_t fds[2];
    int32_t taken;

    pair(ends, 2, framing);
    fds[0] = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    fds[1] = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    EXPECT(fds[0] >= 0 && fds[1] >= 0);
    OK(wc_channel_send(ends[0], (const uint8_t *)"two files", 9, fds, 2));
    EXPECT(is_open(fds[0]) && is_open(fds[1]));

    OK(wc_channel_receive(ends[1], NULL, LONG_MS, &message));
    OK(wc_message_body(message, &body, &length));
    EXPECT(length == 9 && memcmp(body, "two files", 9) == 0);
    OK(wc_message_fd_count(message, &length));
    EXPECT(length == 2);
    REFUSED(OUT_OF_RANGE, wc_message_take_fd(message, 2, &taken));
    EXPECT(taken == -1);
    OK(wc_message_take_fd(message, 1, &taken));
    EXPECT((fcntl(taken, F_GETFD) & FD_CLOEXEC) != 0 && taken != fds[1]);
    {
        int32_t again;
        REFUSED(BAD_HANDLE, wc_message_take_fd(message, 1, &again));
    }
    OK(wc_message_destroy(&message));
    EXPECT(message.id == 0 && is_open(taken));
    close(taken);
    close(fds[0]);
    close(fds[1]);
    unpair(ends);
}

static void a_message_of_the_callers_memory(void)
{
    wc_channel ends[2];
    uint8_t body[16];
    int32_t fds[3] = {7, 7, 7};
    int32_t sent[2] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY)};
    int32_t twice[2] = {sent[0], sent[0]};
    size_t bytes;
    size_t came;

    pair(ends, 0, WC_FRAMING_STREAM);
    REFUSED(TIMEOUT, wc_channel_receive_into(ends[1], body, sizeof body, fds, 3, 0, &bytes, &came));
    EXPECT(fds[0] == -1 && fds[1] == -1 && fds[2] == -1);
    REFUSED(TIMEOUT, wc_channel_receive_into(ends[1], body, sizeof body, fds, 3, 5, &bytes, &came));
    OK(wc_channel_send(ends[0], (const uint8_t *)"here", 4, sent, 2));
    OK(wc_channel_receive_into(ends[1], body, sizeof body, fds, 3, LONG_MS, &bytes, &came));
    EXPECT(bytes == 4 && came == 2 && memcmp(body, "here", 4) == 0);
    EXPECT(is_open(fds[0]) && is_open(fds[1]) && fds[2] == -1);
    close(fds[0]);
    close(fds[1]);

    /* One open file comes once, and the channel goes on. */
    OK(wc_channel_send(ends[0], (const uint8_t *)"same", 4, twice, 2));
    REFUSED(FD_COUNT, wc_channel_receive_into(ends[1], body, sizeof body, fds, 3, LONG_MS, &bytes, &came));
    EXPECT(fds[0] == -1 && fds[1] == -1);
    OK(wc_channel_send(ends[0], (const uint8_t *)"on", 2, sent, 1));
    OK(wc_channel_receive_into(ends[1], body, sizeof body, fds, 3, LONG_MS, &bytes, &came));
    EXPECT(bytes == 2 && came == 1);
    close(fds[0]);

    /* More than there is room for is refused whole, and what came with it is closed. */
    OK(wc_channel_send(ends[0], (const uint8_t *)"more", 4, sent, 2));
    REFUSED(FD_COUNT, wc_channel_receive_into(ends[1], body, sizeof body, fds, 1, LONG_MS, &bytes, &came));
    EXPECT(fds[0] == -1);
    close(sent[0]);
    close(sent[1]);
    unpair(ends);
}

static void one_open_file_may_come_twice_where_that_is_said(void)
{
    wc_expected expected = {8, 0, 2, WC_FDS_FLAG_REPEATED};
    wc_channel_options options = {0};
    wc_channel ends[2];
    wc_message message;
    uint8_t body[8];
    int32_t fds[2];
    int32_t twice[2];
    size_t bytes;
    size_t came;

    twice[0] = twice[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pair(ends, 2, WC_FRAMING_STREAM);
    OK(wc_channel_send(ends[0], (const uint8_t *)"same", 4, twice, 2));
    REFUSED(FD_COUNT, wc_channel_receive(ends[1], NULL, LONG_MS, &message));
    OK(wc_channel_send(ends[0], (const uint8_t *)"same", 4, twice, 2));
    OK(wc_channel_receive(ends[1], &expected, LONG_MS, &message));
    OK(wc_message_fd_count(message, &came));
    EXPECT(came == 2);
    OK(wc_message_destroy(&message));
    expected.fds = 2;
    REFUSED(UNKNOWN_BITS, wc_channel_receive(ends[1], &expected, 0, &message));
    unpair(ends);

    options.most_fds = 2;
    options.fds = WC_FDS_FLAG_REPEATED;
    OK(wc_channel_pair(&options, &ends[0], &ends[1]));
    OK(wc_channel_send(ends[0], (const uint8_t *)"same", 4, twice, 2));
    OK(wc_channel_receive(ends[1], NULL, LONG_MS, &message));
    OK(wc_message_destroy(&message));
    OK(wc_channel_send(ends[0], (const uint8_t *)"same", 4, twice, 2));
    OK(wc_channel_receive_into(ends[1], body, sizeof body, fds, 2, LONG_MS, &bytes, &came));
    EXPECT(bytes == 4 && came == 2 && fds[0] != fds[1]);
    close(fds[0]);
    close(fds[1]);
    close(twice[0]);
    unpair(ends);
}

static void messages_with_their_wire_id(void)
{
    static const uint8_t raw[8] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    wc_expected expected = {4, 0, 1, 0};
    wc_channel ends[2];
    wc_message message;
    const uint8_t *body;
    uint64_t wire_id;
    size_t length;
    int32_t fd;
    wc_sent sent;

    pair(ends, 0, WC_FRAMING_STREAM);
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    OK(wc_channel_send_framed(ends[0], UINT64_C(0x1122334455667788), (const uint8_t *)"four", 4, &fd, 1));
    OK(wc_channel_receive_framed(ends[1], &expected, LONG_MS, &message, &wire_id));
    EXPECT(wire_id == UINT64_C(0x1122334455667788));
    OK(wc_message_body(message, &body, &length));
    EXPECT(length == 4 && memcmp(body, "four", 4) == 0);
    OK(wc_message_fd_count(message, &length));
    EXPECT(length == 1);
    OK(wc_message_destroy(&message));
    EXPECT(is_open(fd));
    close(fd);

    /* The bytes are those of the other languages, and a body may be empty. */
    OK(wc_channel_try_send_framed(ends[0], UINT64_C(0x1122334455667788), NULL, 0, NULL, 0, &sent));
    EXPECT(sent == WC_SENT_WHOLE);
    OK(wc_channel_receive(ends[1], NULL, LONG_MS, &message));
    OK(wc_message_body(message, &body, &length));
    EXPECT(length == 8 && memcmp(body, raw, 8) == 0);
    OK(wc_message_destroy(&message));
    OK(wc_channel_send(ends[0], raw, 8, NULL, 0));
    OK(wc_channel_receive_framed(ends[1], NULL, -1, &message, &wire_id));
    OK(wc_message_body(message, &body, &length));
    EXPECT(length == 0 && wire_id == UINT64_C(0x1122334455667788));
    OK(wc_message_destroy(&message));

    /* One without room for an id is refused whole, and the channel goes on. */
    REFUSED(TIMEOUT, wc_channel_receive_framed(ends[1], NULL, 0, &message, &wire_id));
    OK(wc_channel_send(ends[0], raw, 7, NULL, 0));
    REFUSED(TOO_SHORT, wc_channel_receive_framed(ends[1], NULL, LONG_MS, &message, &wire_id));
    EXPECT(message.id == 0 && wire_id == 0);
    OK(wc_channel_send_framed(ends[0], 7, (const uint8_t *)"on", 2, NULL, 0));
    OK(wc_channel_receive_framed(ends[1], NULL, LONG_MS, &message, &wire_id));
    EXPECT(wire_id == 7);
    OK(wc_message_destroy(&message));

    /* The bound is of what is behind the id. */
    OK(wc_channel_send_framed(ends[0], 7, (const uint8_t *)"fives", 5, NULL, 0));
    REFUSED(TOO_LARGE, wc_channel_receive_framed(ends[1], &expected, LONG_MS, &message, &wire_id));
    unpair(ends);
}

static void a_channel_says_whether_it_goes_on(void)
{
    wc_framing framings[2] = {WC_FRAMING_STREAM, WC_FRAMING_PACKETS};
    for (int i = 0; i < 2; i++) {
        const wc_expected expected = {3, 0, 0, 0};
        wc_channel ends[2];
        wc_message message;
        bool can;
        pair(ends, 0, framings[i]);
        OK(wc_channel_send(ends[0], (const uint8_t *)"four", 4, NULL, 0));
        REFUSED(TOO_LARGE, wc_channel_receive(ends[1], &expected, LONG_MS, &message));
        OK(wc_channel_can_receive(ends[1], &can));
        EXPECT(can == (framings[i] == WC_FRAMING_PACKETS));
        if (!can) {
            REFUSED(REFUSED, wc_channel_receive(ends[1], &expected, LONG_MS, &message));
        }
        OK(wc_channel_can_send(ends[1], &can));
        EXPECT(can);
        OK(wc_channel_finish(ends[1]));
        OK(wc_channel_can_send(ends[1], &can));
        EXPECT(!can);
        OK(wc_channel_can_receive(ends[0], &can));
        EXPECT(can);
        REFUSED(PEER_CLOSED, wc_channel_receive(ends[0], NULL, LONG_MS, &message));
        OK(wc_channel_can_receive(ends[0], &can));
        EXPECT(!can);
        unpair(ends);
    }
}

static void options_of_channels_that_are_none(void)
{
    const wc_expected expected = {8, 0, 254, 0};
    wc_channel_options options = {0};
    wc_listener listener;
    wc_channel ends[2];
    wc_message message;
    wc_failure failure;

    options.most_fds = 254;
    REFUSED(OUT_OF_RANGE, wc_channel_pair(&options, &ends[0], &ends[1]));
    options.most_fds = 253;
    OK(wc_channel_pair(&options, &ends[0], &ends[1]));
    REFUSED(OUT_OF_RANGE, wc_channel_receive(ends[0], &expected, 0, &message));
    unpair(ends);
    options.mode = 07777;
    REFUSED(OUT_OF_RANGE, wc_listener_bind("/nowhere/at/all.sock", &options, &listener));
    options.mode = 0;
    options.fds = 2;
    REFUSED(UNKNOWN_BITS, wc_channel_pair(&options, &ends[0], &ends[1]));
    REFUSED(REFUSED, wc_listener_bind("/tmp", NULL, &listener));
    wc_last_error(&failure);
    EXPECT(strstr(failure.message, "found a directory: choose another path") != NULL);
}

static void bounds_and_ends(void)
{
    wc_channel ends[2];
    wc_message message;
    wc_expected expected = {4, 0, 0, 0};
    wc_channel_options options = {0};
    uint32_t pid;
    uint32_t uid;
    uint32_t gid;
    bool closed;

    pair(ends, 0, WC_FRAMING_PACKETS);
    REFUSED(TIMEOUT, wc_channel_receive(ends[1], NULL, 0, &message));
    EXPECT(message.id == 0);
    OK(wc_channel_send(ends[0], (const uint8_t *)"12345", 5, NULL, 0));
    REFUSED(TOO_LARGE, wc_channel_receive(ends[1], &expected, LONG_MS, &message));
    expected.least_fds = 2;
    expected.most_fds = 1;
    REFUSED(OUT_OF_RANGE, wc_channel_receive(ends[1], &expected, LONG_MS, &message));
    REFUSED(TOO_SHORT, wc_channel_send(ends[0], NULL, 0, NULL, 0));
    OK(wc_channel_peer(ends[0], &pid, &uid, &gid));
    EXPECT(pid == (uint32_t)getpid() && uid == geteuid() && gid == getegid());
    OK(wc_channel_wait_closed(ends[1], 0, &closed));
    EXPECT(!closed);
    OK(wc_channel_destroy(&ends[0]));
    OK(wc_channel_wait_closed(ends[1], LONG_MS, &closed));
    EXPECT(closed);
    REFUSED(PEER_CLOSED, wc_channel_receive(ends[1], NULL, LONG_MS, &message));
    OK(wc_channel_destroy(&ends[1]));
    REFUSED(BAD_HANDLE, wc_channel_flush(ends[1]));

    options.framing = 7;
    REFUSED(UNKNOWN_VALUE, wc_channel_pair(&options, &ends[0], &ends[1]));
    REFUSED(IO, wc_channel_connect("/nowhere/at/all.sock", NULL, &ends[0]));
    {
        wc_failure failure;
        wc_last_error(&failure);
        EXPECT(failure.detail == ENOENT && strcmp(failure.function, "wc_channel_connect") == 0);
        EXPECT(strncmp(failure.message, "connecting to ", 14) == 0);
    }
}

static void what_is_not_waited_for(void)
{
    static uint8_t body[1 << 20];
    wc_channel ends[2];
    wc_channel_options options = {0};
    wc_message message;
    const uint8_t *bytes;
    size_t length;
    wc_sent sent;
    bool waits;
    bool flushed = false;

    memset(body, 'x', sizeof body);
    options.most_bytes = sizeof body;
    OK(wc_channel_pair(&options, &ends[0], &ends[1]));
    OK(wc_channel_try_send(ends[0], body, sizeof body, NULL, 0, &sent));
    EXPECT(sent == WC_SENT_BEGUN);
    OK(wc_channel_wants_write(ends[0], &waits));
    EXPECT(waits);
    message.id = 0;
    while (message.id == 0) {
        wc_status status = wc_channel_receive(ends[1], NULL, 0, &message);
        EXPECT(status == WC_STATUS_OK || status == WC_STATUS_TIMEOUT);
        OK(wc_channel_try_flush(ends[0], &flushed));
    }
    EXPECT(flushed);
    OK(wc_channel_wants_write(ends[0], &waits));
    EXPECT(!waits);
    OK(wc_message_body(message, &bytes, &length));
    EXPECT(length == sizeof body && memcmp(bytes, body, length) == 0);
    OK(wc_message_destroy(&message));
    unpair(ends);
}

static void numbers_that_are_no_file_descriptors(void)
{
    const uint8_t body[1] = {'x'};
    wc_channel ends[2];
    wc_channel_options options = {0};
    wc_message message;
    wc_failure failure;
    wc_sent sent;
    const uint8_t *bytes;
    size_t length;
    char found[80];
    wc_channel channel;
    wc_listener listener;
    int32_t fds[2] = {STDERR_FILENO, -1};
    int pipes[2];
    int sockets[2];
    int32_t number;

    for (int framing = 0; framing < 3; framing++) {
        options.framing = framing == 2 ? WC_FRAMING_PACKETS : WC_FRAMING_STREAM;
        options.prefix = framing == 1 ? WC_LENGTH_PREFIX_JOINED : WC_LENGTH_PREFIX_APART;
        options.most_fds = 2;
        OK(wc_channel_pair(&options, &ends[0], &ends[1]));
        for (int which = 0; which < 2; which++) {
            fds[1] = which == 0 ? -1 : 1000000;
            snprintf(found, sizeof found, "expected the number of an open file descriptor, found %d", (int)fds[1]);
            REFUSED(BAD_HANDLE, wc_channel_send(ends[0], body, 1, fds, 2));
            wc_last_error(&failure);
            EXPECT(strcmp(failure.message, found) == 0);
            REFUSED(BAD_HANDLE, wc_channel_try_send(ends[0], body, 1, fds, 2, &sent));
            REFUSED(BAD_HANDLE, wc_channel_send_framed(ends[0], 7, body, 1, fds, 2));
            REFUSED(BAD_HANDLE, wc_channel_try_send_framed(ends[0], 7, body, 1, fds, 2, &sent));
        }
        /* Nothing of what was refused went. */
        OK(wc_channel_send(ends[0], body, 1, fds, 1));
        OK(wc_channel_receive(ends[1], NULL, LONG_MS, &message));
        OK(wc_message_body(message, &bytes, &length));
        EXPECT(length == 1 && bytes[0] == 'x');
        OK(wc_message_destroy(&message));
        unpair(ends);
    }
    REFUSED(BAD_HANDLE, wc_channel_from_socket(-1, NULL, &channel));
    REFUSED(BAD_HANDLE, wc_channel_from_socket(1000000, NULL, &channel));
    REFUSED(BAD_HANDLE, wc_fetch_fd(-1, 0, &number));

    /* What is refused stays the caller's. */
    EXPECT(pipe2(pipes, O_CLOEXEC) == 0);
    REFUSED(FD_KIND, wc_channel_from_socket(pipes[0], NULL, &channel));
    REFUSED(FD_KIND, wc_listener_from_socket(pipes[0], NULL, &listener));
    REFUSED(FD_KIND, wc_fetch_fd(pipes[0], 0, &number));
    EXPECT(is_open(pipes[0]));
    close(pipes[0]);
    close(pipes[1]);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    REFUSED(FD_KIND, wc_listener_from_socket(sockets[0], NULL, &listener));
    EXPECT(is_open(sockets[0]));

    /* What is taken is not. */
    OK(wc_channel_from_socket(sockets[0], NULL, &channel));
    OK(wc_channel_fd(channel, &number));
    EXPECT(!is_open(sockets[0]) && is_open(number));
    EXPECT(write(sockets[1], "\0\0\0\2hi", 6) == 6);
    {
        wc_message message;
        const uint8_t *body;
        size_t length;
        OK(wc_channel_receive(channel, NULL, LONG_MS, &message));
        OK(wc_message_body(message, &body, &length));
        EXPECT(length == 2 && memcmp(body, "hi", 2) == 0);
        OK(wc_message_destroy(&message));
    }
    OK(wc_channel_destroy(&channel));
    EXPECT(!is_open(number));
    close(sockets[1]);
}

static void what_another_process_has_open(void)
{
    wc_channel ends[2];
    int32_t pidfd;
    int32_t fd;
    wc_status status;

    pair(ends, 0, WC_FRAMING_STREAM);
    status = wc_channel_peer_pidfd(ends[0], &pidfd);
    if (status == WC_STATUS_REFUSED) { /* before Linux 6.5 */
        unpair(ends);
        return;
    }
    EXPECT(status == WC_STATUS_OK);
    OK(wc_fetch_fd(pidfd, STDERR_FILENO, &fd));
    EXPECT(is_open(fd) && fd != STDERR_FILENO);
    close(fd);
    REFUSED(BAD_HANDLE, wc_fetch_fd(pidfd, 1000000, &fd));
    OK(wc_channel_fetch_fd(ends[0], STDERR_FILENO, &fd));
    close(fd);
    EXPECT(is_open(pidfd));
    close(pidfd);
    unpair(ends);
}

static void listeners(void)
{
    char folder[] = "/tmp/wirecontract-XXXXXX";
    char path[64];
    wc_listener listener;
    wc_listener other;
    wc_channel accepted;
    wc_channel channel;

    EXPECT(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/socket", folder);
    OK(wc_listener_bind(path, NULL, &listener));
    REFUSED(TIMEOUT, wc_listener_accept(listener, 0, &accepted));
    REFUSED(TIMEOUT, wc_listener_accept(listener, 5, &accepted));
    OK(wc_channel_connect(path, NULL, &channel));
    OK(wc_listener_accept(listener, LONG_MS, &accepted));
    REFUSED(BUSY, wc_listener_bind(path, NULL, &other));
    /* Who listens sees nobody of it. */
    {
        wc_channel nobody;
        REFUSED(TIMEOUT, wc_listener_accept(listener, 0, &nobody));
    }
    OK(wc_listener_destroy(&listener));
    EXPECT(access(path, F_OK) != 0);
    OK(wc_channel_send(channel, (const uint8_t *)"still", 5, NULL, 0));
    {
        wc_message message;
        OK(wc_channel_receive(accepted, NULL, LONG_MS, &message));
        OK(wc_message_destroy(&message));
    }
    OK(wc_channel_destroy(&accepted));
    OK(wc_channel_destroy(&channel));
    EXPECT(rmdir(folder) == 0);
}

/* A hello of one contract. */
static wc_channel_hello says(const wc_spoken_contract *speaks, const wc_spoken_contract *may_speak)
{
    const wc_hello both[2] = {{1, {speaks, 1}}, {1, {may_speak, may_speak != NULL}}};
    wc_owned_bytes json[2];
    wc_str documents[2];
    wc_channel_hello hello;
    for (int i = 0; i < 2; i++) {
        EXPECT(wc_hello_to_json(&both[i], &json[i], NULL) == WC_STATUS_OK);
        documents[i].data = (const char *)json[i].data;
        documents[i].length = json[i].length;
    }
    if (may_speak == NULL) {
        OK(wc_channel_hello_create(documents[0], &hello));
    } else {
        OK(wc_channel_hello_create_with(documents[0], documents[1], &hello));
    }
    OK(wc_bytes_free(&json[0]));
    OK(wc_bytes_free(&json[1]));
    return hello;
}

static void hellos(void)
{
    static const wc_spoken_version buffers[] = WC_SPEAKS_VERSIONS(WC_SHARED_BUFFER);
    static const wc_spoken_version offers[] = WC_SPEAKS_VERSIONS(WC_OFFER);
    static const wc_spoken_contract buffer = WC_SPEAKS(WC_SHARED_BUFFER, buffers);
    static const wc_spoken_contract offer = WC_SPEAKS(WC_OFFER, offers);
    wc_channel_options options = {0};
    wc_channel_hello hello;
    wc_channel_hello other;
    wc_channel ends[2];
    wc_failure failure;
    wc_message message;
    int sockets[2];
    uint32_t version = 9;
    uint64_t id = 9;

    REFUSED(NOT_JSON, wc_channel_hello_create(WC_STR("hello"), &hello));
    REFUSED(RULE_VIOLATED, wc_channel_hello_create(WC_STR("{\"wirecontract_hello\":1,\"speaks\":["
        "{\"name\":\"a\",\"versions\":[{\"version\":1,\"wire_id\":\"0000000000000000\"}]},"
        "{\"name\":\"a\",\"versions\":[{\"version\":1,\"wire_id\":\"0000000000000000\"}]}]}"), &hello));
    EXPECT(hello.id == 0);

    /* Without a hello nothing is agreed on. */
    OK(wc_channel_pair(NULL, &ends[0], &ends[1]));
    REFUSED(ID_MISMATCH, wc_channel_agreed(ends[0], WC_SHARED_BUFFER_CONTRACT, 0, &version, &id));
    EXPECT(version == 0 && id == 0);

    /* A number that is no hello, or not any more. */
    options.hello = ends[0].id;
    REFUSED(BAD_HANDLE, wc_channel_connect("/nowhere", &options, &ends[0]));
    wc_last_error(&failure);
    EXPECT(strstr(failure.message, "`hello`") != NULL);
    OK(wc_channel_destroy(&ends[1]));
    ends[0].id = options.hello;
    OK(wc_channel_destroy(&ends[0]));

    /* What the peer may speak is asked for by name. */
    hello = says(&buffer, &offer);
    other = says(&buffer, NULL);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    options.hello = hello.id;
    OK(wc_channel_from_socket(sockets[0], &options, &ends[0]));
    REFUSED(TIMEOUT, wc_channel_agreed(ends[0], WC_SHARED_BUFFER_CONTRACT, 0, &version, &id));
    REFUSED(TIMEOUT, wc_channel_agreed(ends[0], WC_SHARED_BUFFER_CONTRACT, 5, &version, &id));
    options.hello = other.id;
    OK(wc_channel_from_socket(sockets[1], &options, &ends[1]));
    OK(wc_channel_hello_destroy(&hello));
    OK(wc_channel_hello_destroy(&other));
    OK(wc_channel_agreed(ends[0], WC_SHARED_BUFFER_CONTRACT, LONG_MS, &version, &id));
    EXPECT(version == WC_SHARED_BUFFER_VERSION && id == WC_SHARED_BUFFER_WIRE_ID);
    REFUSED(ID_MISMATCH, wc_channel_agreed(ends[0], WC_OFFER_CONTRACT, LONG_MS, &version, &id));
    wc_last_error(&failure);
    EXPECT(strstr(failure.message, "the peer's hello does not name it") != NULL);
    REFUSED(ID_MISMATCH, wc_channel_agreed(ends[1], WC_OFFER_CONTRACT, LONG_MS, &version, &id));
    OK(wc_channel_send(ends[0], (const uint8_t *)"goes on", 7, NULL, 0));
    OK(wc_channel_receive(ends[1], NULL, LONG_MS, &message));
    OK(wc_message_destroy(&message));
    unpair(ends);
    REFUSED(BAD_HANDLE, wc_channel_pair(&options, &ends[0], &ends[1]));

    /* A peer that speaks something else is refused by every call. */
    hello = says(&buffer, NULL);
    other = says(&offer, NULL);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    options.hello = hello.id;
    OK(wc_channel_from_socket(sockets[0], &options, &ends[0]));
    options.hello = other.id;
    OK(wc_channel_from_socket(sockets[1], &options, &ends[1]));
    OK(wc_channel_hello_destroy(&hello));
    OK(wc_channel_hello_destroy(&other));
    REFUSED(ID_MISMATCH, wc_channel_receive(ends[0], NULL, LONG_MS, &message));
    REFUSED(ID_MISMATCH, wc_channel_send(ends[0], (const uint8_t *)"x", 1, NULL, 0));
    REFUSED(ID_MISMATCH, wc_channel_agreed(ends[1], WC_OFFER_CONTRACT, LONG_MS, &version, &id));
    unpair(ends);
}

static wc_host_buffer make(uint64_t size, uint64_t offset, uint32_t flags)
{
    wc_host_options options = {0};
    wc_host_buffer buffer;
    options.size = size;
    options.offset = offset;
    options.flags = flags;
    OK(wc_host_buffer_create(&options, "test", &buffer));
    return buffer;
}

static void memory_that_is_mapped_elsewhere(void)
{
    wc_host_buffer buffer = make(5000, 100, 0);
    uint8_t descriptor[WC_SHARED_BUFFER_SIZE];
    wc_shared_buffer shared;
    wc_host_mapping mapping;
    const uint8_t *seen;
    uint8_t *data;
    uint8_t *writable;
    size_t size;
    int32_t fd;
    bool frozen;

    OK(wc_host_buffer_data(buffer, &data, &size));
    EXPECT(size == 5000 && data[4999] == 0);
    data[0] = 11;
    data[4999] = 22;
    OK(wc_host_buffer_shared(buffer, descriptor));
    OK(wc_shared_buffer_read(descriptor, sizeof descriptor, &shared, NULL));
    EXPECT(shared.kind == WC_BUFFER_KIND_HOST_MEMFD && shared.size == 5000 && shared.offset == 100);
    EXPECT(shared.allocation_size == 8192 && shared.flags == WC_BUFFER_FLAG_READ_ONLY);
    EXPECT(shared.exporter.pid == (uint64_t)getpid());
    OK(wc_host_buffer_consumer_fd(buffer, &fd));
    REFUSED(REFUSED, wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_WRITE, &mapping));
    REFUSED(UNKNOWN_VALUE, wc_host_mapping_import(descriptor, fd, 2, &mapping));
    EXPECT(is_open(fd));
    OK(wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_ONLY, &mapping));
    EXPECT(is_open(fd));
    close(fd);
    OK(wc_host_mapping_data(mapping, &seen, &size));
    EXPECT(size == 5000 && seen[0] == 11 && seen[4999] == 22);
    data[1] = 33;
    EXPECT(seen[1] == 33);
    REFUSED(REFUSED, wc_host_mapping_data_for_writing(mapping, &writable, &size));
    EXPECT(writable == NULL && size == 0);
    OK(wc_host_mapping_is_frozen(mapping, &frozen));
    EXPECT(!frozen);
    OK(wc_host_buffer_destroy(&buffer));
    EXPECT(seen[4999] == 22);

    /* A descriptor that lies is refused by what it says, or by what the file is. */
    OK(wc_host_mapping_fd(mapping, &fd));
    shared.size = 8193;
    OK(wc_shared_buffer_write(&shared, descriptor, sizeof descriptor, NULL));
    {
        wc_host_mapping none;
        REFUSED(RULE_VIOLATED, wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_ONLY, &none));
        shared.allocation_size = 1 << 20;
        OK(wc_shared_buffer_write(&shared, descriptor, sizeof descriptor, NULL));
        REFUSED(TOO_SHORT, wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_ONLY, &none));
        {
            int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
            REFUSED(FD_KIND, wc_host_mapping_import(descriptor, null, WC_ACCESS_READ_ONLY, &none));
            EXPECT(is_open(null));
            close(null);
        }
        REFUSED(BAD_HANDLE, wc_host_mapping_import(descriptor, -1, WC_ACCESS_READ_ONLY, &none));
        descriptor[0] = 'X';
        REFUSED(BAD_MAGIC, wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_ONLY, &none));
    }
    close(fd);
    OK(wc_host_mapping_destroy(&mapping));
}

static void memory_that_both_write(void)
{
    wc_host_buffer buffer = make(10, 0, WC_HOST_FLAG_CONSUMERS_WRITE);
    uint8_t descriptor[WC_SHARED_BUFFER_SIZE];
    wc_host_mapping mapping;
    uint8_t *data;
    uint8_t *written;
    size_t size;
    int32_t fd;

    OK(wc_host_buffer_shared(buffer, descriptor));
    OK(wc_host_buffer_consumer_fd(buffer, &fd));
    OK(wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_WRITE, &mapping));
    {
        /* What the exporter gives for reading only is not written, whatever its file allows. */
        wc_shared_buffer shared;
        wc_host_mapping none;
        OK(wc_shared_buffer_read(descriptor, sizeof descriptor, &shared, NULL));
        EXPECT(shared.flags == 0 && shared.exporter.start_time != 0 && shared.buffer_id != 0);
        shared.flags = WC_BUFFER_FLAG_READ_ONLY;
        OK(wc_shared_buffer_write(&shared, descriptor, sizeof descriptor, NULL));
        REFUSED(REFUSED, wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_WRITE, &none));
        OK(wc_host_mapping_import(descriptor, fd, WC_ACCESS_READ_ONLY, &none));
        OK(wc_host_mapping_destroy(&none));
    }
    close(fd);
    OK(wc_host_mapping_data_for_writing(mapping, &written, &size));
    written[9] = 44;
    OK(wc_host_buffer_data(buffer, &data, &size));
    EXPECT(data[9] == 44);
    OK(wc_host_mapping_destroy(&mapping));
    OK(wc_host_buffer_destroy(&buffer));
}

static void memory_that_nobody_writes_any_more(void)
{
    wc_host_buffer buffer = make(3, 0, 0);
    uint8_t descriptor[WC_SHARED_BUFFER_SIZE];
    wc_channel ends[2];
    wc_message message;
    wc_frozen_buffer table;
    wc_host_mapping mapping;
    const uint8_t *seen;
    uint8_t *data;
    size_t size;
    int32_t fd;
    bool frozen;

    OK(wc_host_buffer_data(buffer, &data, &size));
    memcpy(data, "abc", 3);
    OK(wc_host_buffer_freeze(&buffer, &table));
    EXPECT(buffer.id == 0);
    OK(wc_frozen_buffer_data(table, &seen, &size));
    EXPECT(size == 3 && memcmp(seen, "abc", 3) == 0);
    OK(wc_frozen_buffer_shared(table, descriptor));
    OK(wc_frozen_buffer_consumer_fd(table, &fd));

    /* Straight from the message that it came with. */
    pair(ends, 1, WC_FRAMING_STREAM);
    OK(wc_channel_send(ends[0], descriptor, sizeof descriptor, &fd, 1));
    close(fd);
    OK(wc_channel_receive(ends[1], NULL, LONG_MS, &message));
    OK(wc_message_body(message, &seen, &size));
    REFUSED(OUT_OF_RANGE, wc_host_mapping_import_from(seen, message, 1, WC_ACCESS_READ_ONLY, &mapping));
    OK(wc_host_mapping_import_from(seen, message, 0, WC_ACCESS_READ_ONLY, &mapping));
    REFUSED(BAD_HANDLE, wc_message_take_fd(message, 0, &fd));
    OK(wc_message_destroy(&message));
    unpair(ends);

    OK(wc_host_mapping_is_frozen(mapping, &frozen));
    EXPECT(frozen);
    OK(wc_frozen_buffer_destroy(&table));
    OK(wc_host_mapping_data(mapping, &seen, &size));
    EXPECT(size == 3 && memcmp(seen, "abc", 3) == 0);
    OK(wc_host_mapping_destroy(&mapping));

    buffer = make(3, 0, WC_HOST_FLAG_FINAL_SEALS);
    REFUSED(REFUSED, wc_host_buffer_freeze(&buffer, &table));
    EXPECT(buffer.id == 0 && table.id == 0);
}

static void options_that_are_none(void)
{
    wc_host_options options = {0};
    wc_host_buffer buffer;
    wc_pool pool;
    REFUSED(OUT_OF_RANGE, wc_host_buffer_create(&options, NULL, &buffer));
    options.size = UINT64_MAX;
    REFUSED(TOO_LARGE, wc_host_buffer_create(&options, NULL, &buffer));
    options.size = 1;
    options.alignment = 3;
    REFUSED(OUT_OF_RANGE, wc_host_buffer_create(&options, NULL, &buffer));
    options.alignment = 0;
    options.flags = 8;
    REFUSED(UNKNOWN_BITS, wc_host_buffer_create(&options, NULL, &buffer));
    options.flags = 0;
    options.huge_pages = 9;
    REFUSED(UNKNOWN_VALUE, wc_host_buffer_create(&options, NULL, &buffer));
    REFUSED(NULL_ARGUMENT, wc_host_buffer_create(NULL, NULL, &buffer));
    options.huge_pages = WC_HUGE_PAGES_NEVER;
    REFUSED(OUT_OF_RANGE, wc_pool_create(&options, NULL, 0, false, &pool));
}

static void buffers_that_are_used_again(void)
{
    wc_host_options options = {0};
    wc_pool pool;
    wc_host_buffer first;
    wc_host_buffer second;
    wc_frozen_buffer frozen;
    uint8_t *data;
    size_t size;
    size_t free_;
    size_t in_use;
    size_t most;

    options.size = 64;
    OK(wc_pool_create(&options, "pool", 1, true, &pool));
    OK(wc_pool_take(pool, LONG_MS, &first));
    OK(wc_host_buffer_data(first, &data, &size));
    data[63] = 1;
    REFUSED(BUSY, wc_pool_take(pool, 0, &second));
    REFUSED(TIMEOUT, wc_pool_take(pool, 5, &second));
    OK(wc_pool_counts(pool, &free_, &in_use, &most));
    EXPECT(free_ == 0 && in_use == 1 && most == 1);
    OK(wc_host_buffer_destroy(&first));
    OK(wc_pool_counts(pool, &free_, &in_use, &most));
    EXPECT(free_ == 1 && in_use == 0 && most == 1);
    OK(wc_pool_take(pool, -1, &second));
    OK(wc_host_buffer_data(second, &data, &size));
    EXPECT(data[63] == 0 && size == 64);
    REFUSED(REFUSED, wc_host_buffer_freeze(&second, &frozen));
    OK(wc_pool_counts(pool, &free_, &in_use, &most));
    EXPECT(free_ == 1 && in_use == 0);
    OK(wc_pool_trim(pool));
    OK(wc_pool_counts(pool, &free_, &in_use, &most));
    EXPECT(free_ == 0 && in_use == 0);
    OK(wc_pool_destroy(&pool));
}

int main(void)
{
    wc_abi_mismatch mismatch;
    size_t before = open_fds();

    EXPECT(wc_check_abi(&mismatch) == WC_STATUS_OK);
    messages_and_who_owns_what_comes(WC_FRAMING_STREAM);
    messages_and_who_owns_what_comes(WC_FRAMING_PACKETS);
    a_message_of_the_callers_memory();
    one_open_file_may_come_twice_where_that_is_said();
    messages_with_their_wire_id();
    a_channel_says_whether_it_goes_on();
    options_of_channels_that_are_none();
    bounds_and_ends();
    what_is_not_waited_for();
    numbers_that_are_no_file_descriptors();
    what_another_process_has_open();
    listeners();
    hellos();
    memory_that_is_mapped_elsewhere();
    memory_that_both_write();
    memory_that_nobody_writes_any_more();
    options_that_are_none();
    buffers_that_are_used_again();
    EXPECT(open_fds() == before);
    puts("ok");
    return 0;
}
