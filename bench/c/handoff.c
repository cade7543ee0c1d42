/*
 * The C side of the handoffs of `cargo xtask bench`: by hand, or with BY_LIBRARY by libwirecontract.
 *
 *     handoff agree INPUTS        says what comes of every input with every kind of file descriptor
 *     handoff measure INPUTS N    nanoseconds of processor time for a round trip of the first input, N times
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef BY_LIBRARY
#include "handoff_by_library.h"
#else
#include "handoff_by_hand.h"
#endif

enum { BATCH = 100, ALLOCATION_AT = 48, LONGEST = 512 };

static void fail(const char *what)
{
    fprintf(stderr, "error: %s\n", what);
    exit(1);
}

/* The next input, or 0 where there is none. */
static int next(FILE *file, uint8_t bytes[LONGEST], uint32_t *length)
{
    if (fread(length, sizeof *length, 1, file) != 1) {
        return 0;
    }
    if (*length > LONGEST || fread(bytes, 1, *length, file) != *length) {
        fail("an input that is cut, or longer than any");
    }
    return 1;
}

/* Memory that is as large as a payload says: sealed, and open for reading alone. */
static int memory_of(const uint8_t *payload, int sealed)
{
    char path[64];
    uint64_t size;
    int fd = memfd_create("bench", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int reader;
    memcpy(&size, payload + ALLOCATION_AT, sizeof size);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0) {
        fail("cannot make memory");
    }
    if (!sealed) {
        return fd;
    }
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE) != 0) {
        fail("cannot seal memory");
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    reader = open(path, O_RDONLY | O_CLOEXEC);
    if (reader < 0) {
        fail("cannot open memory anew");
    }
    close(fd);
    return reader;
}

static void agree(FILE *file)
{
    uint8_t bytes[LONGEST];
    uint8_t body[PEER_SIZE];
    uint32_t length;
    int pipes[2];
    int good;
    int unsealed;
    if (!next(file, bytes, &length) || length != PEER_SIZE || pipe2(pipes, O_CLOEXEC) != 0) {
        fail("cannot begin");
    }
    good = memory_of(bytes, 1);
    unsealed = memory_of(bytes, 0);
    rewind(file);
    for (int index = 0; next(file, bytes, &length); index++) {
        const int twice[2] = {good, good};
        const int *fds[5] = {&good, NULL, twice, &unsealed, &pipes[0]};
        const size_t counts[5] = {1, 0, 2, 1, 1};
        printf("%d", index);
        for (int kind = 0; kind < 5; kind++) {
            side near;
            side far;
            if (open_pair(&near, &far) != 0 || send_message(near, bytes, length, fds[kind], counts[kind]) != 0) {
                fail("cannot send");
            }
            printf(" %d", (int)take(far, body));
            close_side(&near);
            close_side(&far);
        }
        printf("\n");
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(FILE *file, long times)
{
    uint8_t payload[LONGEST];
    uint8_t body[PEER_SIZE];
    uint8_t back[PEER_SIZE];
    uint32_t length;
    double best = 0;
    side near;
    side far;
    int fd;
    if (!next(file, payload, &length) || length != PEER_SIZE || open_pair(&near, &far) != 0) {
        fail("cannot begin");
    }
    fd = memory_of(payload, 1);
    for (long done = 0; done < times; done += BATCH) {
        const double start = now();
        double each;
        for (int i = 0; i < BATCH; i++) {
            if (send_message(near, payload, PEER_SIZE, &fd, 1) != 0 || take(far, body) != 0
                || send_message(far, body, PEER_SIZE, NULL, 0) != 0 || take_back(near, back) != 0
                || memcmp(back, payload, PEER_SIZE) != 0) {
                fail("a handoff that is refused");
            }
        }
        each = (now() - start) / BATCH;
        best = best == 0 || each < best ? each : best;
    }
    printf("round-trip %.1f\n", best);
}

int main(int count, char **arguments)
{
    FILE *file = count > 2 ? fopen(arguments[2], "rb") : NULL;
    if (file == NULL) {
        fail("expected `agree INPUTS` or `measure INPUTS N`");
    }
    if (count == 3 && strcmp(arguments[1], "agree") == 0) {
        agree(file);
    } else if (count == 4 && strcmp(arguments[1], "measure") == 0) {
        measure(file, strtol(arguments[3], NULL, 10));
    } else {
        fail("expected `agree INPUTS` or `measure INPUTS N`");
    }
    fclose(file);
    return 0;
}
