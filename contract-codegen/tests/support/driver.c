/*
 * Answers each line asked, `OPERATION CONTRACT CAPACITY HEX`, with `>` and the rendered error, or `ok` and the bytes
 * written, or the lines of the value read and `ok`. contracts.inc is the test's: `CONTRACT(name, type, stem)` for each
 * descriptor, and the `dump_…` functions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(const char *path, uint64_t number)
{
    printf("%s=%" PRIu64 "\n", path, number);
}

static void put_signed(const char *path, int64_t number)
{
    printf("%s=%" PRId64 "\n", path, number);
}

static void put_f32(const char *path, const float *number)
{
    uint32_t bits;
    memcpy(&bits, number, sizeof bits);
    put(path, bits);
}

static void put_f64(const char *path, const double *number)
{
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    put(path, bits);
}

#include "contracts.inc"

static void put_error(const wc_error *error, wc_status status)
{
    char text[512];
    char cut[8];
    const size_t length = wc_error_message(error, text, sizeof text);
    if (status != error->code || length != strlen(text) || wc_error_message(error, NULL, 0) != length) {
        puts("the error contradicts itself");
    }
    if (wc_error_message(error, cut, sizeof cut) != length || strlen(cut) != 7 || memcmp(cut, text, 7) != 0) {
        puts("a short message is not the start of a long one");
    }
    puts(text);
}

static void put_bytes(const uint8_t *bytes, size_t length)
{
    printf("ok ");
    for (size_t i = 0; i < length; i++) {
        printf("%02x", bytes[i]);
    }
    puts("");
}

/* A heap block of exactly these bytes, so that a sanitizer sees one byte too many. */
static uint8_t *parse(const char *hex, size_t *length)
{
    uint8_t *bytes = (uint8_t *)malloc(strlen(hex) / 2 + 1);
    *length = 0;
    for (; hex[0] != '\0' && hex[1] != '\0' && hex[0] != '-'; hex += 2) {
        unsigned int byte;
        sscanf(hex, "%2x", &byte);
        bytes[(*length)++] = (uint8_t)byte;
    }
    return (uint8_t *)realloc(bytes, *length == 0 ? 1 : *length);
}

static int is_filled(const void *memory, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (((const uint8_t *)memory)[i] != 0xEE) {
            return 0;
        }
    }
    return 1;
}

#define CONTRACT(name, type, stem)                                                                                     \
    static void answer_##name(const char *operation, size_t capacity, const uint8_t *bytes, size_t length)            \
    {                                                                                                                  \
        static type value;                                                                                             \
        wc_error error;                                                                                                \
        wc_status status;                                                                                              \
        memset(&value, 0xEE, sizeof value);                                                                            \
        if (strcmp(operation, "null") == 0) {                                                                          \
            put_error(&error, stem##_read(NULL, 0, &value, &error));                                                   \
            put_error(&error, stem##_read(bytes, 0, NULL, &error));                                                    \
            put_error(&error, stem##_read_prefix(NULL, 0, &value, &error));                                            \
            put_error(&error, stem##_validate(NULL, 0, &error));                                                       \
            put_error(&error, stem##_write(NULL, &value_bytes, 0, &error));                                            \
            put_error(&error, stem##_write(&value, NULL, 0, &error));                                                  \
            if (stem##_read(NULL, 0, &value, NULL) != WC_STATUS_NULL_ARGUMENT) {                                       \
                puts("a fault without an error to tell it");                                                           \
            }                                                                                                          \
        } else if (strcmp(operation, "write") == 0) {                                                                  \
            uint8_t *written = (uint8_t *)malloc(capacity == 0 ? 1 : capacity);                                        \
            memset(written, 0xEE, capacity);                                                                           \
            stem##_detail_decode(bytes, &value);                                                                       \
            status = stem##_write(&value, written, capacity, &error);                                                  \
            if (status == WC_STATUS_OK) {                                                                              \
                put_bytes(written, capacity);                                                                          \
            } else {                                                                                                   \
                put_error(&error, status);                                                                             \
                if (!is_filled(written, capacity)) {                                                                   \
                    puts("a refused write has written");                                                               \
                }                                                                                                      \
            }                                                                                                          \
            free(written);                                                                                             \
        } else if (strcmp(operation, "init") == 0) {                                                                   \
            uint8_t *written = (uint8_t *)malloc(capacity);                                                            \
            stem##_init(&value);                                                                                       \
            dump_##name(&value);                                                                                       \
            free(written);                                                                                             \
            puts("ok");                                                                                                \
        } else {                                                                                                       \
            status = strcmp(operation, "prefix") == 0 ? stem##_read_prefix(bytes, length, &value, &error)              \
                                                      : stem##_read(bytes, length, &value, &error);                    \
            if (strcmp(operation, "read") == 0) {                                                                      \
                wc_error same;                                                                                         \
                if (stem##_validate(bytes, length, &same) != status || stem##_validate(bytes, length, NULL) != status) { \
                    puts("validate and read do not agree");                                                            \
                }                                                                                                      \
            }                                                                                                          \
            if (status == WC_STATUS_OK) {                                                                              \
                dump_##name(&value);                                                                                   \
                puts("ok");                                                                                            \
            } else {                                                                                                   \
                put_error(&error, status);                                                                             \
                if (!is_filled(&value, sizeof value)) {                                                                \
                    puts("a failed read has read");                                                                    \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
static uint8_t value_bytes;
CONTRACTS
#undef CONTRACT

int main(void)
{
    static char line[8192];
    (void)put_f32;
    (void)put_f64;
    while (fgets(line, sizeof line, stdin) != NULL) {
        char operation[16];
        char contract[64];
        static char hex[8192];
        unsigned long capacity;
        size_t length;
        uint8_t *bytes;
        if (sscanf(line, "%15s %63s %lu %8191s", operation, contract, &capacity, hex) != 4) {
            return 1;
        }
        puts(">");
        bytes = parse(hex, &length);
#define CONTRACT(name, type, stem)                                                                                     \
    if (strcmp(contract, #name) == 0) {                                                                                \
        answer_##name(operation, capacity, bytes, length);                                                             \
    }
        CONTRACTS
        free(bytes);
        fflush(stdout);
    }
    return 0;
}
