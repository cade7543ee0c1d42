/*
 * The payload of the cuvis SDK as somebody writes it by hand in C: memcpy between the bytes and a struct that is laid
 * out as they are, and every check. For little-endian hosts.
 */
#ifndef WIRECONTRACT_BENCH_PEER_H
#define WIRECONTRACT_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PEER_SIZE = 208, PEER_BLOB = 64 };

typedef struct peer_payload {
    uint8_t magic[4];
    uint32_t version;
    uint32_t width;
    uint32_t height;
    uint32_t channels;
    uint32_t format_code;
    int32_t backend;
    int32_t device_ordinal;
    int32_t handle_type;
    uint32_t blob_len;
    uint64_t size;
    uint64_t alloc_size;
    uint64_t offset;
    uint64_t exporter_pid;
    uint8_t blob[PEER_BLOB];
    uint32_t ptr_blob_len;
    uint32_t pad;
    uint8_t ptr_blob[PEER_BLOB];
} peer_payload;

_Static_assert(sizeof(peer_payload) == PEER_SIZE, "the payload is 208 bytes");
_Static_assert(offsetof(peer_payload, ptr_blob) == 144, "ptr_blob is at byte 144");

/* The codes, in the numbers that all languages share. */
enum {
    PEER_OK = 0,
    PEER_TOO_SHORT = 1,
    PEER_TRAILING_BYTES = 2,
    PEER_BAD_MAGIC = 3,
    PEER_UNSUPPORTED_VERSION = 4,
    PEER_UNKNOWN_VALUE = 5,
    PEER_LENGTH_EXCEEDS = 7,
    PEER_NULL_ARGUMENT = 28
};

enum { PEER_NOTHING = 0, PEER_UNSIGNED = 1, PEER_SIGNED = 2, PEER_BYTES = 3 };

typedef struct peer_error {
    int32_t code;
    const char *contract;
    const char *field;
    size_t offset;
    const char *expected;
    int32_t kind;
    uint32_t length;
    uint64_t number;
    uint8_t bytes[16];
} peer_error;

#define PEER_COLD __attribute__((cold, noinline, unused)) static

PEER_COLD int32_t peer_fail(
    peer_error *error, int32_t code, const char *contract, const char *field, size_t offset, const char *expected,
    int32_t kind, uint64_t number)
{
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        error->code = code;
        error->contract = contract;
        error->field = field;
        error->offset = offset;
        error->expected = expected;
        error->kind = kind;
        error->number = number;
    }
    return code;
}

PEER_COLD int32_t peer_fail_magic(peer_error *error, const uint8_t *found)
{
    peer_fail(error, PEER_BAD_MAGIC, "CudaIpcPayload", "magic", 0, "bytes 43564950", PEER_BYTES, 0);
    if (error != NULL) {
        error->length = 4;
        memcpy(error->bytes, found, 4);
    }
    return PEER_BAD_MAGIC;
}

static inline uint32_t peer_u32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Enumerations and counts, which are checked in reading and in writing. */
static inline int32_t peer_check(
    uint32_t format_code, int32_t backend, int32_t handle_type, uint32_t blob_len, uint32_t ptr_blob_len,
    peer_error *error)
{
    if (format_code < 1 || format_code > 4) {
        return peer_fail(
            error, PEER_UNKNOWN_VALUE, "CudaIpcPayload", "format_code", 20, "a value of SampleFormat", PEER_UNSIGNED,
            format_code);
    }
    if (backend < 0 || backend > 3) {
        return peer_fail(
            error, PEER_UNKNOWN_VALUE, "CudaIpcDescriptor", "backend", 24, "a value of IpcBackend", PEER_SIGNED,
            (uint64_t)(int64_t)backend);
    }
    if (handle_type < 0 || handle_type > 3) {
        return peer_fail(
            error, PEER_UNKNOWN_VALUE, "CudaIpcDescriptor", "handle_type", 32, "a value of IpcHandleType", PEER_SIGNED,
            (uint64_t)(int64_t)handle_type);
    }
    if (blob_len > PEER_BLOB) {
        return peer_fail(
            error, PEER_LENGTH_EXCEEDS, "CudaIpcDescriptor", "blob_len", 36, "at most 64", PEER_UNSIGNED, blob_len);
    }
    if (ptr_blob_len > PEER_BLOB) {
        return peer_fail(
            error, PEER_LENGTH_EXCEEDS, "CudaIpcDescriptor", "ptr_blob_len", 136, "at most 64", PEER_UNSIGNED,
            ptr_blob_len);
    }
    return PEER_OK;
}

static inline int32_t peer_read(const uint8_t *bytes, size_t length, peer_payload *out, peer_error *error)
{
    int32_t status;
    if (bytes == NULL || out == NULL) {
        return peer_fail(error, PEER_NULL_ARGUMENT, "CudaIpcPayload", "", 0, "a pointer", PEER_NOTHING, 0);
    }
    if (length < PEER_SIZE) {
        return peer_fail(error, PEER_TOO_SHORT, "CudaIpcPayload", "", length, "208 bytes", PEER_UNSIGNED, length);
    }
    if (length > PEER_SIZE) {
        return peer_fail(
            error, PEER_TRAILING_BYTES, "CudaIpcPayload", "", PEER_SIZE, "208 bytes", PEER_UNSIGNED, length);
    }
    if (memcmp(bytes, "CVIP", 4) != 0) {
        return peer_fail_magic(error, bytes);
    }
    if (peer_u32(bytes + 4) != 1) {
        return peer_fail(
            error, PEER_UNSUPPORTED_VERSION, "CudaIpcPayload", "version", 4, "1", PEER_UNSIGNED, peer_u32(bytes + 4));
    }
    status = peer_check(
        peer_u32(bytes + 20), (int32_t)peer_u32(bytes + 24), (int32_t)peer_u32(bytes + 32), peer_u32(bytes + 36),
        peer_u32(bytes + 136), error);
    if (status != PEER_OK) {
        return status;
    }
    memcpy(out, bytes, PEER_SIZE);
    return PEER_OK;
}

static inline int32_t peer_write(const peer_payload *value, uint8_t *bytes, size_t capacity, peer_error *error)
{
    static const uint32_t version = 1;
    int32_t status;
    if (value == NULL || bytes == NULL) {
        return peer_fail(error, PEER_NULL_ARGUMENT, "CudaIpcPayload", "", 0, "a pointer", PEER_NOTHING, 0);
    }
    if (capacity < PEER_SIZE) {
        return peer_fail(error, PEER_TOO_SHORT, "CudaIpcPayload", "", capacity, "208 bytes", PEER_UNSIGNED, capacity);
    }
    status = peer_check(
        value->format_code, value->backend, value->handle_type, value->blob_len, value->ptr_blob_len, error);
    if (status != PEER_OK) {
        return status;
    }
    memcpy(bytes, value, PEER_SIZE);
    memcpy(bytes, "CVIP", 4);
    memcpy(bytes + 4, &version, 4);
    memset(bytes + 72 + value->blob_len, 0, PEER_BLOB - value->blob_len);
    memset(bytes + 140, 0, 4);
    memset(bytes + 144 + value->ptr_blob_len, 0, PEER_BLOB - value->ptr_blob_len);
    return PEER_OK;
}

#endif
