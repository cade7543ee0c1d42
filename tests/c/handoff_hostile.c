/*
 * What a receiver in C makes of peers that misbehave, by sockets that no library is behind: each is refused by its code,
 * nothing that it sent stays open, and others are served meanwhile. Says `ok`, or the line of the first expectation that
 * does not hold.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <wirecontract/buffer.h>
#include <wirecontract/consumer.h>
#include <wirecontract/handoff.h>
#include <wirecontract/host.h>
#include <wirecontract/lease.h>
#include <wirecontract/library.h>
#include <wirecontract/service.h>

#include "expect.h"

/* One `sendmsg`; whether it was taken. */
static int raw_send(int socket, const void *bytes, size_t length, const int *fds, size_t count)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(4 * sizeof(int))];
    } control;
    struct iovec part = {(void *)(uintptr_t)bytes, length};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)length;
}

/* A channel, and the bare socket of its peer. */
static int against(const wc_channel_options *options, wc_channel *channel)
{
    int sockets[2];
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    OK(wc_channel_from_socket(sockets[0], options, channel));
    return sockets[1];
}

static wc_channel_options of_fds(uint32_t most)
{
    wc_channel_options options = {0};
    options.most_fds = most;
    options.message_timeout_ms = LONG_MS;
    return options;
}

/* Whether no more of this process is open than before. */
static void nothing_stays_open(size_t before)
{
    EXPECT(open_fds() == before);
}

/* The direction is over, and the loop of a receiver ends; the other one stays. */
static void is_out_of_step(wc_channel channel)
{
    wc_message message;
    bool can;
    OK(wc_channel_can_receive(channel, &can));
    EXPECT(!can);
    REFUSED(REFUSED, wc_channel_receive(channel, NULL, LONG_MS, &message));
    EXPECT(message.id == 0);
    OK(wc_channel_can_send(channel, &can));
    EXPECT(can);
}

/* The descriptor of a whole host buffer, and a file descriptor of the caller's in its place. */
static wc_status imported(int fd, uint64_t size, wc_host_mapping *mapping)
{
    const wc_channel_options options = of_fds(1);
    uint8_t body[4 + WC_SHARED_BUFFER_SIZE] = {0};
    wc_host_options host = {0};
    wc_host_buffer buffer;
    wc_channel channel;
    wc_message message;
    const uint8_t *came;
    size_t length;
    wc_status status;
    int peer = against(&options, &channel);

    host.size = size;
    OK(wc_host_buffer_create(&host, NULL, &buffer));
    OK(wc_host_buffer_shared(buffer, body + 4));
    OK(wc_host_buffer_destroy(&buffer));
    body[2] = WC_SHARED_BUFFER_SIZE >> 8;
    body[3] = WC_SHARED_BUFFER_SIZE & 0xff;
    EXPECT(raw_send(peer, body, sizeof body, &fd, 1));
    OK(wc_channel_receive(channel, NULL, LONG_MS, &message));
    OK(wc_message_body(message, &came, &length));
    EXPECT(length == WC_SHARED_BUFFER_SIZE);
    status = wc_host_mapping_import_from(came, message, 0, WC_ACCESS_READ_ONLY, mapping);
    OK(wc_message_destroy(&message));
    OK(wc_channel_destroy(&channel));
    close(peer);
    return status;
}

static void what_is_no_memory_is_not_mapped(void)
{
    int fds[5];
    int pipes[2];
    int sockets[2];
    EXPECT(pipe2(pipes, O_CLOEXEC) == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0);
    fds[0] = pipes[0];
    fds[1] = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fds[2] = sockets[0];
    fds[3] = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    fds[4] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < 5; i++) {
        const size_t before = open_fds();
        wc_host_mapping mapping;
        EXPECT(fds[i] >= 0);
        EXPECT(imported(fds[i], 4096, &mapping) == WC_STATUS_FD_KIND && mapping.id == 0);
        nothing_stays_open(before);
        close(fds[i]);
    }
    close(pipes[1]);
    close(sockets[1]);
}

/* Memory that its owner can make shorter is refused before it is mapped; one that is sealed cannot be made shorter. */
static void memory_that_shrinks_is_not_mapped(void)
{
    const size_t before = open_fds();
    wc_host_mapping mapping;
    const uint8_t *data;
    size_t size;
    int loose = memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT(loose >= 0 && ftruncate(loose, 8192) == 0);
    EXPECT(imported(loose, 8192, &mapping) == WC_STATUS_REFUSED && mapping.id == 0);
    EXPECT(ftruncate(loose, 4096) == 0 && fcntl(loose, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    EXPECT(imported(loose, 8192, &mapping) == WC_STATUS_TOO_SHORT && mapping.id == 0);
    EXPECT(imported(loose, 4096, &mapping) == WC_STATUS_OK);
    EXPECT(ftruncate(loose, 0) == -1 && errno == EPERM);
    OK(wc_host_mapping_data(mapping, &data, &size));
    EXPECT(size == 4096 && data[4095] == 0);
    OK(wc_host_mapping_destroy(&mapping));
    close(loose);
    nothing_stays_open(before);
}

static void file_descriptors_that_are_not_as_announced(void)
{
    const wc_channel_options options = of_fds(2);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int twice[2] = {null, null};
    const int three[3] = {null, STDIN_FILENO, STDOUT_FILENO};
    const size_t before = open_fds();
    wc_channel channel;
    wc_message message;
    wc_failure failure;
    size_t count;
    int peer;

    /* One open file twice: the message is refused, and the next one comes. */
    peer = against(&options, &channel);
    EXPECT(raw_send(peer, "\0\0\0\4same", 8, twice, 2) && raw_send(peer, "\0\0\0\4next", 8, &null, 1));
    REFUSED(FD_COUNT, wc_channel_receive(channel, NULL, LONG_MS, &message));
    wc_last_error(&failure);
    EXPECT(strstr(failure.message, "file descriptors 0 and 1 of the message are one open file") != NULL);
    OK(wc_channel_receive(channel, NULL, LONG_MS, &message));
    OK(wc_message_fd_count(message, &count));
    EXPECT(count == 1);
    OK(wc_message_destroy(&message));
    OK(wc_channel_destroy(&channel));
    close(peer);
    nothing_stays_open(before);

    /* More than may come. */
    peer = against(&options, &channel);
    EXPECT(raw_send(peer, "\0\0\0\4more", 8, three, 3));
    REFUSED(FD_COUNT, wc_channel_receive(channel, NULL, LONG_MS, &message));
    is_out_of_step(channel);
    OK(wc_channel_destroy(&channel));
    close(peer);
    nothing_stays_open(before);

    /* On the length alone, and behind the first byte of the body. */
    for (int late = 0; late < 2; late++) {
        peer = against(&options, &channel);
        if (late) {
            EXPECT(raw_send(peer, "\0\0\0\4bo", 6, NULL, 0) && raw_send(peer, "dy", 2, &null, 1));
        } else {
            EXPECT(raw_send(peer, "\0\0\0\4", 4, &null, 1) && raw_send(peer, "body", 4, NULL, 0));
        }
        REFUSED(FD_COUNT, wc_channel_receive(channel, NULL, LONG_MS, &message));
        wc_last_error(&failure);
        EXPECT(strncmp(failure.message, "one file descriptor came ", 25) == 0);
        is_out_of_step(channel);
        OK(wc_channel_destroy(&channel));
        close(peer);
        nothing_stays_open(before);
    }
    close(null);
}

static void four_gibibytes_are_refused_when_they_are_announced(void)
{
    const wc_channel_options options = of_fds(1);
    const size_t before = open_fds();
    wc_channel channel;
    wc_message message;
    uint8_t body[16];
    size_t bytes;
    size_t count;
    int peer;
    for (int into = 0; into < 2; into++) {
        peer = against(&options, &channel);
        EXPECT(raw_send(peer, "\xff\xff\xff\xff", 4, NULL, 0));
        if (into) {
            REFUSED(TOO_LARGE, wc_channel_receive_into(channel, body, sizeof body, NULL, 0, LONG_MS, &bytes, &count));
        } else {
            REFUSED(TOO_LARGE, wc_channel_receive(channel, NULL, LONG_MS, &message));
        }
        is_out_of_step(channel);
        /* The peer learns that nobody takes the rest. */
        EXPECT(!raw_send(peer, "the rest", 8, NULL, 0) && errno == EPIPE);
        OK(wc_channel_destroy(&channel));
        close(peer);
    }
    nothing_stays_open(before);
}

static void a_peer_that_closes_in_the_middle(void)
{
    static const uint8_t whole[9] = "\0\0\0\5hello";
    const wc_channel_options options = of_fds(1);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const size_t before = open_fds();
    for (size_t cut = 0; cut < sizeof whole; cut++) {
        wc_channel channel;
        wc_message message;
        wc_failure failure;
        bool can;
        int peer = against(&options, &channel);
        if (cut > 0) {
            EXPECT(raw_send(peer, whole, cut, &null, cut > 4));
        }
        close(peer);
        REFUSED(PEER_CLOSED, wc_channel_receive(channel, NULL, LONG_MS, &message));
        wc_last_error(&failure);
        EXPECT((strstr(failure.message, "in the middle of a message") != NULL) == (cut > 0));
        OK(wc_channel_can_receive(channel, &can));
        EXPECT(!can && message.id == 0);
        OK(wc_channel_destroy(&channel));
        nothing_stays_open(before);
    }
    close(null);
}

/* A peer that sends a byte now and then, until nobody listens any more. */
static void *dribble(void *argument)
{
    const int peer = *(const int *)argument;
    const struct timespec pause = {0, 1000000};
    EXPECT(raw_send(peer, "\0\x10\0\0", 4, NULL, 0));
    while (raw_send(peer, "x", 1, NULL, 0)) {
        nanosleep(&pause, NULL);
    }
    EXPECT(errno == EPIPE);
    return NULL;
}

static void a_peer_that_sends_byte_by_byte_has_the_time_of_one_message(void)
{
    wc_channel_options options = {0};
    const size_t before = open_fds();
    wc_channel channel;
    wc_message message;
    pthread_t thread;
    int peer;
    options.message_timeout_ms = 100;
    options.most_bytes = 1 << 20;
    peer = against(&options, &channel);
    EXPECT(pthread_create(&thread, NULL, dribble, &peer) == 0);
    REFUSED(TIMEOUT, wc_channel_receive(channel, NULL, -1, &message));
    is_out_of_step(channel);
    EXPECT(pthread_join(thread, NULL) == 0);
    OK(wc_channel_destroy(&channel));
    close(peer);
    nothing_stays_open(before);
}

/* Connects a bare socket. */
static int connected(const char *path)
{
    struct sockaddr_un address;
    int bare = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    EXPECT(bare >= 0 && connect(bare, (const struct sockaddr *)&address, sizeof address) == 0);
    return bare;
}

enum { NOBODY = 65534 };

/* A process of another user connects, and stays until it is disconnected. Only root may be another user. */
static pid_t stranger(const char *path)
{
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        char byte;
        int bare;
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
            _exit(2);
        }
        bare = connected(path);
        _exit(read(bare, &byte, 1) > 0);
    }
    return child;
}

static void has_left(pid_t child)
{
    int status;
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void another_user_is_not_let_in(void)
{
    char folder[] = "/tmp/wirecontract-XXXXXX";
    char path[64];
    wc_channel_options options = {0};
    wc_listener listener;
    wc_channel accepted;
    wc_channel channel;
    wc_failure failure;
    pid_t child;

    EXPECT(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0);
    snprintf(path, sizeof path, "%s/socket", folder);
    options.mode = 0666;
    OK(wc_listener_bind(path, &options, &listener));
    child = stranger(path);
    REFUSED(REFUSED, wc_listener_accept(listener, LONG_MS, &accepted));
    wc_last_error(&failure);
    EXPECT(accepted.id == 0 && strstr(failure.message, "found user 65534") != NULL);
    has_left(child);
    /* It says nothing of the next one, and who is let in by name is. */
    OK(wc_channel_connect(path, NULL, &channel));
    OK(wc_listener_accept(listener, LONG_MS, &accepted));
    OK(wc_channel_destroy(&accepted));
    OK(wc_channel_destroy(&channel));
    OK(wc_listener_destroy(&listener));
    options.peers = WC_PEERS_USER;
    options.user = NOBODY;
    OK(wc_listener_bind(path, &options, &listener));
    child = stranger(path);
    OK(wc_listener_accept(listener, LONG_MS, &accepted));
    OK(wc_channel_destroy(&accepted));
    has_left(child);
    OK(wc_listener_destroy(&listener));
    EXPECT(rmdir(folder) == 0);
}

/* Serves until this consumer has joined, however many others are refused meanwhile; how many were. */
static int serve_until_joined(wc_service service)
{
    for (int refused = 0;; refused++) {
        wc_service_event event;
        OK(wc_service_next_event(service, LONG_MS, &event));
        if (event.kind == WC_SERVICE_EVENT_KIND_JOINED) {
            return refused;
        }
        EXPECT(event.kind == WC_SERVICE_EVENT_KIND_REFUSED);
    }
}

/* One buffer is lent to the consumer, and given back. */
static void is_served(wc_service service, wc_consumer consumer)
{
    wc_host_options options = {0};
    wc_host_buffer buffer;
    wc_lend lend;
    wc_held held;
    wc_offers offers;
    wc_lease lease;
    wc_end_reason reason;
    wc_memory_after memory;
    const uint8_t *seen;
    uint8_t *data;
    size_t size;
    size_t failed;

    options.size = 5000;
    OK(wc_host_buffer_create(&options, NULL, &buffer));
    OK(wc_host_buffer_data(buffer, &data, &size));
    data[4999] = 77;
    OK(wc_lend_of_buffer(buffer, &lend));
    OK(wc_service_broadcast(service, lend, &offers));
    OK(wc_offers_count(offers, &size, &failed));
    EXPECT(size == 1 && failed == 0);
    OK(wc_offers_lease(offers, 0, &lease));
    OK(wc_offers_destroy(&offers));
    OK(wc_consumer_next(consumer, LONG_MS, &held));
    OK(wc_held_data(held, &seen, &size));
    EXPECT(size == 5000 && seen[4999] == 77);
    OK(wc_held_destroy(&held));
    OK(wc_lease_wait_released(lease, LONG_MS, &reason, &memory));
    EXPECT(reason == WC_END_REASON_RELEASED);
    OK(wc_lease_destroy(&lease));
    OK(wc_lend_destroy(&lend));
    OK(wc_host_buffer_destroy(&buffer));
}

static void others_are_served_while_peers_misbehave(void)
{
    char folder[] = "/tmp/wirecontract-XXXXXX";
    char path[64];
    const int strangers = geteuid() == 0;
    const size_t before = open_fds();
    wc_channel_options options = {0};
    wc_lease_options patience = {0};
    wc_listener listener;
    wc_service service;
    wc_channel channel;
    wc_consumer consumer;
    pthread_t thread;
    pid_t child = 0;
    int peers[4];
    int refused = 0;
    char byte;

    EXPECT(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0);
    snprintf(path, sizeof path, "%s/socket", folder);
    options.mode = 0666;
    options.message_timeout_ms = LONG_MS;
    patience.hello_timeout_ms = LONG_MS;
    OK(wc_listener_bind(path, &options, &listener));
    OK(wc_service_create(&listener, &patience, &service));

    /* Says nothing; half a length; four gibibytes; a byte now and then. */
    for (int i = 0; i < 4; i++) {
        peers[i] = connected(path);
    }
    EXPECT(raw_send(peers[1], "\0\0", 2, NULL, 0));
    EXPECT(raw_send(peers[2], "\xff\xff\xff\xff", 4, NULL, 0));
    EXPECT(pthread_create(&thread, NULL, dribble, &peers[3]) == 0);
    if (strangers) {
        child = stranger(path);
    }

    OK(wc_channel_connect(path, NULL, &channel));
    OK(wc_consumer_create(&channel, NULL, &consumer));
    refused += serve_until_joined(service);
    for (int i = 0; i < 3; i++) {
        is_served(service, consumer);
    }
    /* Who announced too much, or who dribbles what is too large, and another user are gone by name; the rest is waited for. */
    while (refused < 2 + strangers) {
        wc_service_event event;
        OK(wc_service_next_event(service, LONG_MS, &event));
        EXPECT(event.kind == WC_SERVICE_EVENT_KIND_REFUSED);
        refused++;
        is_served(service, consumer);
    }
    EXPECT(pthread_join(thread, NULL) == 0);
    if (strangers) {
        has_left(child);
    }
    EXPECT(recv(peers[0], &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0 && recv(peers[1], &byte, 1, MSG_DONTWAIT | MSG_PEEK) != 0);
    is_served(service, consumer);

    OK(wc_consumer_destroy(&consumer));
    OK(wc_service_destroy(&service));
    for (int i = 0; i < 4; i++) {
        close(peers[i]);
    }
    EXPECT(rmdir(folder) == 0);
    nothing_stays_open(before);
}

int main(void)
{
    const size_t before = open_fds();
    what_is_no_memory_is_not_mapped();
    memory_that_shrinks_is_not_mapped();
    file_descriptors_that_are_not_as_announced();
    four_gibibytes_are_refused_when_they_are_announced();
    a_peer_that_closes_in_the_middle();
    a_peer_that_sends_byte_by_byte_has_the_time_of_one_message();
    if (geteuid() == 0) {
        another_user_is_not_let_in();
    }
    others_are_served_while_peers_misbehave();
    nothing_stays_open(before);
    puts("ok");
    return 0;
}
