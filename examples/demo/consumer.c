/*
 * A consumer of the demo in C: maps the cube that is lent, checks every byte, and gives it back.
 *
 * `consumer SOCKET`. What it does it says as JSON on its standard output, a line each; what it is told comes on its
 * standard input, and the end of that ends it.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <wirecontract/buffer.h>
#include <wirecontract/consumer.h>
#include <wirecontract/dlpack.h>
#include <wirecontract/handoff.h>
#include <wirecontract/library.h>

enum { LONG_MS = 120000 };

/* Word `at` of a line is `(line * LINE + at) * STEP`, of which 16 bits are there. */
static const uint64_t STEP = 25717;
static const uint64_t LINE = 40503;

/* What this process has mapped, and what its pages weigh in bytes. */
typedef struct {
    uint64_t address;
    char permissions[5];
    char file[64];
    uint64_t rss;
    uint64_t pss;
    uint64_t own;
} mapping;

static int failed(const char *what)
{
    wc_failure failure;
    const char *code;
    wc_last_error(&failure);
    code = wc_status_name(failure.code);
    fprintf(stderr, "consumer: %s: %s: %s\n", what, code == NULL ? "unknown" : code, failure.message);
    return 1;
}

static int wrong(const char *what)
{
    fprintf(stderr, "consumer: %s\n", what);
    return 1;
}

/* Waits to be told something. */
static int told(const char *expected)
{
    char line[32];
    if (fgets(line, sizeof line, stdin) == NULL) {
        return wrong("nobody tells it anything any more");
    }
    line[strcspn(line, "\n")] = '\0';
    return strcmp(line, expected) == 0 ? 0 : wrong("told something else than expected");
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t open_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    if (folder == NULL) {
        return 0;
    }
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

/* How many memfds are mapped; the last of them goes to `found`. */
static size_t look(mapping *found)
{
    char line[512];
    size_t count = 0;
    int within = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (maps == NULL) {
        return 0;
    }
    memset(found, 0, sizeof *found);
    while (fgets(line, sizeof line, maps) != NULL) {
        uint64_t kilobytes;
        char device[24];
        uint64_t inode;
        if (strstr(line, " /memfd:") != NULL
            && sscanf(line, "%" SCNx64 "-%*x %4s %*x %23s %" SCNu64, &found->address, found->permissions, device, &inode) == 4) {
            snprintf(found->file, sizeof found->file, "%s %" PRIu64, device, inode);
            count++;
            within = 1;
        } else if (strncmp(line, "VmFlags:", 8) == 0) {
            within = 0;
        } else if (within && sscanf(line, "Rss: %" SCNu64, &kilobytes) == 1) {
            found->rss = kilobytes * 1024;
        } else if (within && sscanf(line, "Pss: %" SCNu64, &kilobytes) == 1) {
            found->pss = kilobytes * 1024;
        } else if (within
                   && (sscanf(line, "Private_Clean: %" SCNu64, &kilobytes) == 1
                       || sscanf(line, "Private_Dirty: %" SCNu64, &kilobytes) == 1)) {
            found->own += kilobytes * 1024;
        }
    }
    fclose(maps);
    return count;
}

/* How many lines of the cube are not as they have to be. */
static uint64_t check(const uint16_t *cube, uint64_t lines, uint64_t words)
{
    uint64_t faults = 0;
    double before = seconds();
    for (uint64_t line = 0; line < lines; line++) {
        uint64_t differ = 0;
        for (uint64_t at = 0; at < words; at++) {
            differ |= cube[line * words + at] ^ (uint16_t)((line * LINE + at) * STEP);
        }
        faults += differ != 0;
        if (seconds() - before > 1) {
            before = seconds();
            printf("{\"event\":\"progress\",\"lines\":%" PRIu64 "}\n", line + 1);
            fflush(stdout);
        }
    }
    return faults;
}

/* Says what is mapped, checks it and says that, and waits until it is to be given back. */
static int use(wc_held held)
{
    uint8_t bytes[WC_SHARED_BUFFER_SIZE];
    wc_shared_buffer buffer;
    wc_error error;
    const uint8_t *data;
    size_t size;
    mapping found;
    double since;
    uint64_t faults;

    if (wc_held_shared(held, bytes) != WC_STATUS_OK || wc_held_data(held, &data, &size) != WC_STATUS_OK) {
        return failed("what is held");
    }
    if (wc_shared_buffer_read(bytes, sizeof bytes, &buffer, &error) != WC_STATUS_OK) {
        char text[512];
        wc_error_message(&error, text, sizeof text);
        return wrong(text);
    }
    if (buffer.element.code != kDLUInt || buffer.element.bits != 16 || buffer.element.lanes != 1 || buffer.rank != 3) {
        return wrong("expected a cube of u16");
    }
    if (look(&found) != 1 || found.address != (uint64_t)(uintptr_t)data) {
        return wrong("expected one memfd to be mapped, at the address of the cube");
    }
    printf("{\"event\":\"mapped\",\"pid\":%ld,\"bytes\":%zu,\"address\":\"%p\",\"permissions\":\"%s\",\"file\":\"%s\"}\n",
           (long)getpid(), size, (const void *)data, found.permissions, found.file);
    fflush(stdout);

    since = seconds();
    faults = check((const uint16_t *)(const void *)data, (uint64_t)buffer.shape[0],
                   (uint64_t)(buffer.shape[1] * buffer.shape[2]));
    printf("{\"event\":\"checked\",\"wrong\":%" PRIu64 ",\"seconds\":%.6f}\n", faults, seconds() - since);
    fflush(stdout);

    if (told("weigh") != 0) {
        return 1;
    }
    look(&found);
    printf("{\"event\":\"weighed\",\"rss\":%" PRIu64 ",\"pss\":%" PRIu64 ",\"private\":%" PRIu64 "}\n", found.rss, found.pss,
           found.own);
    fflush(stdout);
    return told("release");
}

static int consume(const char *socket)
{
    wc_channel_options options = {0};
    wc_channel channel = {0};
    wc_consumer consumer = {0};
    wc_held held = {0};
    int fault = 0;

    options.message_timeout_ms = LONG_MS;
    /* The producer says hello before it fills the cube, which takes what it takes; where it ends, so does this. */
    if (wc_channel_connect(socket, &options, &channel) != WC_STATUS_OK
        || wc_consumer_create(&channel, NULL, &consumer) != WC_STATUS_OK
        || wc_consumer_next(consumer, -1, &held) != WC_STATUS_OK) {
        fault = failed("taking the cube");
    } else {
        fault = use(held);
    }
    /* Unmaps it, and gives it back. */
    if (wc_held_destroy(&held) != WC_STATUS_OK) {
        fault = failed("giving it back");
    }
    wc_consumer_destroy(&consumer);
    wc_channel_destroy(&channel);
    return fault;
}

int main(int argc, char **argv)
{
    wc_abi_mismatch mismatch;
    mapping found;
    size_t before = open_fds();
    size_t after;
    size_t mapped;

    if (argc != 2) {
        return wrong("usage: consumer SOCKET");
    }
    if (wc_check_abi(&mismatch) != WC_STATUS_OK) {
        return wrong(mismatch.symbol);
    }
    if (consume(argv[1]) != 0) {
        return 1;
    }
    after = open_fds();
    mapped = look(&found);
    printf("{\"event\":\"left\",\"fds\":%zu,\"mapped\":%zu}\n", after - before, mapped);
    return 0;
}
