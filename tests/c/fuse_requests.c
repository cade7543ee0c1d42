/* Requests as the kernel writes them, by its own header: a name and bytes in hex, line by line. */
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>

static unsigned char bytes[4096];
static size_t length;

static void begin(uint32_t opcode) {
    struct fuse_in_header header;
    memset(&header, 0, sizeof header);
    header.opcode = opcode;
    header.unique = 2;
    header.nodeid = 1;
    header.uid = 1000;
    header.gid = 100;
    header.pid = 4321;
    memcpy(bytes, &header, sizeof header);
    length = sizeof header;
}

static void add(const void *more, size_t size) {
    memcpy(bytes + length, more, size);
    length += size;
}

static void end(const char *name) {
    uint32_t whole = (uint32_t)length;
    memcpy(bytes, &whole, sizeof whole);
    printf("%s ", name);
    for (size_t at = 0; at < length; at++) {
        printf("%02x", bytes[at]);
    }
    printf("\n");
}

int main(void) {
    /* The struct ended after `flags` before 7.36; readers of this release are told all 64 bytes. */
    unsigned char init[64] = {0};
    const uint32_t said[5] = {7, 36, 131072, 0x73fffffb, 2};
    memcpy(init, said, sizeof said);
    begin(FUSE_INIT);
    add(init, sizeof init);
    end("init");

    begin(FUSE_LOOKUP);
    add("caf\xc3\xa9", 6);
    end("lookup");

    struct fuse_write_in write;
    memset(&write, 0, sizeof write);
    write.fh = 5;
    write.offset = 4096;
    write.size = 10;
    begin(FUSE_WRITE);
    add(&write, sizeof write);
    add("0123456789", 10);
    end("write");

    struct fuse_batch_forget_in forget;
    memset(&forget, 0, sizeof forget);
    forget.count = 3;
    begin(FUSE_BATCH_FORGET);
    add(&forget, sizeof forget);
    for (uint64_t node = 1; node <= 3; node++) {
        struct fuse_forget_one one;
        one.nodeid = 6 + node;
        one.nlookup = node;
        add(&one, sizeof one);
    }
    end("batch_forget");

    /* An opcode that a reader need not know: 24 bytes of arguments. */
    const unsigned char arguments[24] = {1};
    begin(52);
    add(arguments, sizeof arguments);
    end("statx");
    return 0;
}
