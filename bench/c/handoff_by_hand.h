/*
 * A handoff as somebody writes it by hand in C: the system calls that this project makes, and every check. For
 * little-endian hosts.
 */
#ifndef WIRECONTRACT_BENCH_HANDOFF_BY_HAND_H
#define WIRECONTRACT_BENCH_HANDOFF_BY_HAND_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "peer.h"

/* More codes, in the numbers that all languages share. */
enum {
    HAND_TOO_LARGE = 13,
    HAND_OUT_OF_RANGE = 20,
    HAND_FD_COUNT = 25,
    HAND_FD_KIND = 26,
    HAND_IO = 32,
    HAND_PEER_CLOSED = 34,
    HAND_REFUSED = 35
};

/* A message with the file descriptors that came with it. */
enum { HAND_MOST_FDS = 2 };
typedef struct {
    int fds[HAND_MOST_FDS];
    size_t count;
    int cut;
} hand_fds;

typedef int side;

static int open_pair(side *near, side *far)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return 1;
    }
    *near = ends[0];
    *far = ends[1];
    return 0;
}

static void close_side(side *side)
{
    close(*side);
}

/* The length and the body by one call, the file descriptors with it. */
static int send_message(side to, uint8_t *bytes, uint32_t length, const int *fds, size_t count)
{
    union {
        struct cmsghdr header;
        uint8_t room[CMSG_SPACE(sizeof(int) * HAND_MOST_FDS)];
    } control;
    uint32_t prefix = htonl(length);
    struct iovec parts[2] = {{&prefix, sizeof prefix}, {bytes, length}};
    struct msghdr message = {0};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * count);
    }
    return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)(sizeof prefix + length) ? 0 : 1;
}

/* Reads what is there, at most so many bytes, and takes what file descriptors ride on them. */
static ssize_t hand_read(side from, uint8_t *bytes, size_t most, int flags, hand_fds *came)
{
    union {
        struct cmsghdr header;
        uint8_t room[CMSG_SPACE(sizeof(int) * HAND_MOST_FDS)];
    } control;
    struct iovec part = {bytes, most};
    struct msghdr message = {0};
    ssize_t got;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    do {
        got = recvmsg(from, &message, flags | MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return got;
    }
    came->cut |= (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *each = CMSG_FIRSTHDR(&message); each != NULL; each = CMSG_NXTHDR(&message, each)) {
        if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS) {
            const size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < count; i++) {
                int fd;
                memcpy(&fd, CMSG_DATA(each) + i * sizeof fd, sizeof fd);
                if (came->count < HAND_MOST_FDS) {
                    came->fds[came->count++] = fd;
                } else {
                    close(fd);
                    came->cut = 1;
                }
            }
        }
    }
    return got;
}

static int32_t hand_refuse(hand_fds *came, int32_t code)
{
    for (size_t i = 0; i < came->count; i++) {
        close(came->fds[i]);
    }
    came->count = 0;
    return code;
}

/* A message of at most PEER_SIZE bytes and exactly so many file descriptors, which are the caller's. */
static int32_t hand_receive(side from, uint8_t body[PEER_SIZE], uint32_t *length, size_t fds, hand_fds *came)
{
    uint8_t head[5];
    size_t have = 0;
    memset(came, 0, sizeof *came);
    while (have < 4) {
        const ssize_t got = hand_read(from, head + have, sizeof head - have, 0, came);
        if (got <= 0) {
            return hand_refuse(came, got == 0 ? HAND_PEER_CLOSED : HAND_IO);
        }
        have += (size_t)got;
    }
    if (came->count > fds || came->cut) {
        return hand_refuse(came, HAND_FD_COUNT);
    }
    memcpy(length, head, sizeof *length);
    *length = ntohl(*length);
    if (*length > PEER_SIZE) {
        return hand_refuse(came, HAND_TOO_LARGE);
    }
    have -= 4;
    memcpy(body, head + 4, have);
    while (have < *length) {
        const size_t before = came->count;
        ssize_t got = hand_read(from, body + have, *length - have, MSG_DONTWAIT, came);
        if (got < 0 && errno == EAGAIN) {
            got = hand_read(from, body + have, *length - have, 0, came);
        }
        if (got <= 0) {
            return hand_refuse(came, got == 0 ? HAND_PEER_CLOSED : HAND_IO);
        }
        /* They ride with the first byte of the body, and nowhere else. */
        if (came->count > fds || came->cut || (have > 0 && came->count > before)) {
            return hand_refuse(came, HAND_FD_COUNT);
        }
        have += (size_t)got;
    }
    return came->count == fds ? PEER_OK : hand_refuse(came, HAND_FD_COUNT);
}

/* Maps a memfd that nobody can shrink, of which nothing is believed. */
static int32_t hand_map(int fd, uint64_t size, uint64_t allocation, uint64_t offset, void **start, size_t *mapped)
{
    const uint64_t page = 4096;
    const uint64_t most = (uint64_t)1 << 63;
    struct stat status;
    struct statfs system;
    uint64_t first;
    int flags = fcntl(fd, F_GETFL);
    int seals;
    if (flags < 0 || (flags & O_PATH) != 0) {
        return flags < 0 ? HAND_IO : HAND_FD_KIND;
    }
    seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0) {
        return errno == EINVAL ? HAND_FD_KIND : HAND_IO;
    }
    /* Files on huge pages need another seal, and are not for this program. */
    if (fstatfs(fd, &system) != 0 || system.f_type == 0x958458f6) {
        return HAND_IO;
    }
    if ((seals & F_SEAL_SHRINK) == 0) {
        return HAND_REFUSED;
    }
    if ((flags & O_ACCMODE) == O_WRONLY) {
        return HAND_REFUSED;
    }
    if (size == 0 || offset + size < offset || offset + size > allocation) {
        return HAND_OUT_OF_RANGE;
    }
    first = offset & ~(page - 1);
    if (offset - first + size > most - page) {
        return HAND_TOO_LARGE;
    }
    if (fstat(fd, &status) != 0) {
        return HAND_IO;
    }
    if (status.st_size < 0 || (uint64_t)status.st_size < allocation) {
        return PEER_TOO_SHORT;
    }
    *mapped = (size_t)((offset - first + size + page - 1) & ~(page - 1));
    *start = mmap(NULL, *mapped, PROT_READ, (seals & F_SEAL_WRITE) != 0 ? MAP_PRIVATE : MAP_SHARED, fd, (off_t)first);
    return *start == MAP_FAILED ? HAND_IO : PEER_OK;
}

/* Receives a payload and its memory, maps this and releases it; gives the code of what was refused. */
static int32_t take(side from, uint8_t body[PEER_SIZE])
{
    hand_fds came;
    peer_payload payload;
    uint32_t length;
    void *start;
    size_t mapped;
    int32_t code = hand_receive(from, body, &length, 1, &came);
    if (code != PEER_OK) {
        return code;
    }
    code = peer_read(body, length, &payload, NULL);
    if (code == PEER_OK) {
        code = hand_map(came.fds[0], payload.size, payload.alloc_size, payload.offset, &start, &mapped);
    }
    if (code == PEER_OK) {
        munmap(start, mapped);
    }
    return hand_refuse(&came, code);
}

/* Receives a payload that comes back alone. */
static int32_t take_back(side from, uint8_t body[PEER_SIZE])
{
    hand_fds came;
    uint32_t length;
    return hand_receive(from, body, &length, 0, &came);
}

#endif
