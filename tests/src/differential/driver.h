/* What the C and C++ drivers share: reading requests, printing trees. */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers one request. */
typedef void (*driver_handler)(const char *operation, const uint8_t *bytes, size_t length);

typedef struct {
    const char *contract;
    driver_handler handle;
} driver_entry;

static inline void put(const char *text) { fputs(text, stdout); }

static inline void put_unsigned(unsigned long long number) { printf("%llu", number); }

static inline void put_signed(long long number) { printf("%lld", number); }

/* The bits are copied: passing a float by value would quiet a signalling NaN in an x87 register. */
static inline void put_f32(const void *value) {
    uint32_t bits;
    memcpy(&bits, value, sizeof bits);
    printf("\"0x%08lx\"", (unsigned long)bits);
}

static inline void put_f64(const void *value) {
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    printf("\"0x%016llx\"", (unsigned long long)bits);
}

static inline void put_hex(const void *bytes, size_t count) {
    const uint8_t *at = (const uint8_t *)bytes;
    size_t i;
    for (i = 0; i < count; ++i) {
        putchar("0123456789abcdef"[at[i] >> 4]);
        putchar("0123456789abcdef"[at[i] & 15]);
    }
}

static inline void put_bytes(const void *bytes, size_t count) {
    putchar('"');
    put_hex(bytes, count);
    putchar('"');
}

static inline void put_text(const char *text, size_t length) {
    size_t i;
    putchar('"');
    for (i = 0; i < length; ++i) {
        const unsigned char byte = (unsigned char)text[i];
        switch (byte) {
        case '"': put("\\\""); break;
        case '\\': put("\\\\"); break;
        case '\b': put("\\b"); break;
        case '\f': put("\\f"); break;
        case '\n': put("\\n"); break;
        case '\r': put("\\r"); break;
        case '\t': put("\\t"); break;
        default:
            if (byte < 0x20) {
                printf("\\u%04x", byte);
            } else {
                putchar(byte);
            }
        }
    }
    putchar('"');
}

static inline void put_fault(int code, const char *contract, const char *field, size_t offset, const char *message) {
    printf("err %d %s %s %llu %s", code, contract, *field ? field : "-", (unsigned long long)offset, message);
}

static inline void put_refusal(int code, const char *contract, const char *field, size_t offset,
                               const char *message) {
    put_fault(code, contract, field, offset, message);
    put("\n");
}

/* File descriptors that come with messages are numbers from here on; nobody opens or closes them. */
#define DRIVER_FIRST_FD 100
#define DRIVER_FDS 600

static inline const int *driver_fds(void) {
    static int fds[DRIVER_FDS];
    int i;
    for (i = 0; i < DRIVER_FDS && fds[0] == 0; ++i) {
        fds[DRIVER_FDS - 1 - i] = DRIVER_FIRST_FD + DRIVER_FDS - 1 - i;
    }
    return fds;
}

/* Where a group begins among those that came, and how many it has; they are in order. */
static inline void put_group(const char *before, const int *group, size_t count) {
    size_t i;
    put(before);
    if (count == 0) {
        put("-");
        return;
    }
    printf("%d+%lu", group[0] - DRIVER_FIRST_FD, (unsigned long)count);
    for (i = 0; i < count; ++i) {
        if (group[i] != group[0] + (int)i) {
            put(" not in order");
        }
    }
}

/* Answers every request on standard input. */
int driver_run(const driver_entry *const *tables);

#ifdef DRIVER_MAIN
#ifndef DRIVER_DOCUMENTS
#define DRIVER_DOCUMENTS 0
#endif

static inline int driver_digit(char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; }

static inline driver_handler driver_find(const driver_entry *const *tables, const char *contract) {
    for (; *tables; ++tables) {
        const driver_entry *entry;
        for (entry = *tables; entry->contract; ++entry) {
            if (strcmp(entry->contract, contract) == 0) {
                return entry->handle;
            }
        }
    }
    return NULL;
}

int driver_run(const driver_entry *const *tables) {
    /* The longest document in hexadecimal, with what stands before it. */
    static char line[9 << 20];
    static uint8_t bytes[5 << 20];
    while (fgets(line, sizeof line, stdin)) {
        const char *const contract = strtok(line, " \n");
        const char *const operation = strtok(NULL, " \n");
        const char *const hex = strtok(NULL, " \n");
        driver_handler handle;
        size_t length = 0;
        /* An odd address, since a reader may ask for none in particular. */
        uint8_t *const start = bytes + 1;
        if (!contract || !operation || !hex) {
            fprintf(stderr, "expected CONTRACT OPERATION BYTES\n");
            return 1;
        }
        /* No C header reads documents: a library does, which reads nothing else. */
        if (*operation != 'm' &&
            (*operation == 'j' || *operation == 'l' || (*operation == 'i' && operation[1])) != DRIVER_DOCUMENTS) {
            puts("-");
            continue;
        }
        handle = driver_find(tables, contract);
        /* Messages of documents are read with that library, and all others without. */
        if (!handle && *operation == 'm') {
            puts("-");
            continue;
        }
        if (!handle) {
            fprintf(stderr, "no contract %s here\n", contract);
            return 1;
        }
        if (*hex != '-') {
            for (; hex[2 * length]; ++length) {
                const int high = driver_digit(hex[2 * length]);
                start[length] = (uint8_t)(high * 16 + driver_digit(hex[2 * length + 1]));
            }
        }
        handle(operation, start, length);
    }
    return 0;
}
#endif

#endif
