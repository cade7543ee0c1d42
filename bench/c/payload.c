/*
 * The C side of `cargo xtask bench`: shows that generated and hand-written code agree, and calls one entry point many
 * times for callgrind to count.
 *
 *     payload agree INPUTS            both give the same verdicts, errors, values and bytes
 *     payload call ENTRY INPUTS N     calls an entry N times on every input that is valid
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wirecontract/cuvis.h>

#include "peer.h"

#define ENTRY __attribute__((noinline))

typedef struct input {
    uint32_t length;
    uint8_t *bytes;
} input;

/* What is measured: one call boundary for both. */

ENTRY wc_status contract_read(const uint8_t *bytes, size_t length, wc_cuda_ipc_payload *out, wc_error *error)
{
    return wc_cuda_ipc_payload_read(bytes, length, out, error);
}

ENTRY wc_status contract_write(const wc_cuda_ipc_payload *value, uint8_t *bytes, size_t capacity, wc_error *error)
{
    return wc_cuda_ipc_payload_write(value, bytes, capacity, error);
}

ENTRY int32_t handwritten_read(const uint8_t *bytes, size_t length, peer_payload *out, peer_error *error)
{
    return peer_read(bytes, length, out, error);
}

ENTRY int32_t handwritten_write(const peer_payload *value, uint8_t *bytes, size_t capacity, peer_error *error)
{
    return peer_write(value, bytes, capacity, error);
}

/* The functions above are called through these, so that no compiler specialises them for their one caller. */
static wc_status (*volatile call_contract_read)(const uint8_t *, size_t, wc_cuda_ipc_payload *, wc_error *) =
    contract_read;
static wc_status (*volatile call_contract_write)(const wc_cuda_ipc_payload *, uint8_t *, size_t, wc_error *) =
    contract_write;
static int32_t (*volatile call_handwritten_read)(const uint8_t *, size_t, peer_payload *, peer_error *) =
    handwritten_read;
static int32_t (*volatile call_handwritten_write)(const peer_payload *, uint8_t *, size_t, peer_error *) =
    handwritten_write;

static void fail(const char *what, const input *at)
{
    fprintf(stderr, "error: %s", what);
    if (at != NULL) {
        fprintf(stderr, " on ");
        for (uint32_t i = 0; i < at->length; i++) {
            fprintf(stderr, "%02x", at->bytes[i]);
        }
    }
    fprintf(stderr, "\n");
    exit(1);
}

static input *read_inputs(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    input *inputs = NULL;
    uint32_t length;
    if (file == NULL) {
        fail("cannot open the inputs", NULL);
    }
    *count = 0;
    while (fread(&length, sizeof length, 1, file) == 1) {
        inputs = realloc(inputs, (*count + 1) * sizeof *inputs);
        inputs[*count].length = length;
        inputs[*count].bytes = malloc(length + 1);
        if (fread(inputs[*count].bytes, 1, length, file) != length) {
            fail("the inputs end in the middle of one", NULL);
        }
        ++*count;
    }
    fclose(file);
    return inputs;
}

static bool same_error(const wc_error *ours, const peer_error *theirs)
{
    const uint64_t number =
        ours->found.kind == WC_FOUND_SIGNED ? (uint64_t)ours->found.signed_value : ours->found.unsigned_value;
    return ours->code == theirs->code && strcmp(ours->contract, theirs->contract) == 0
        && strcmp(ours->field, theirs->field) == 0 && ours->offset == theirs->offset
        && strcmp(ours->expected, theirs->expected) == 0 && ours->found.kind == theirs->kind
        && ours->found.length == theirs->length && number == theirs->number
        && memcmp(ours->found.bytes, theirs->bytes, sizeof theirs->bytes) == 0;
}

static bool agree_on_reading(const input *at)
{
    wc_cuda_ipc_payload ours;
    peer_payload theirs;
    wc_error our_error;
    peer_error their_error;
    memset(&ours, 0xaa, sizeof ours);
    memset(&theirs, 0xaa, sizeof theirs);
    const wc_status status = call_contract_read(at->bytes, at->length, &ours, &our_error);
    if (status != call_handwritten_read(at->bytes, at->length, &theirs, &their_error)) {
        fail("reading differs in its status", at);
    }
    if (status != 0 && !same_error(&our_error, &their_error)) {
        fail("reading differs in its error", at);
    }
    if (memcmp(&ours, &theirs, sizeof ours) != 0) {
        fail("reading differs in its value", at);
    }
    return status == 0;
}

static bool agree_on_writing(const input *at, size_t capacity)
{
    wc_cuda_ipc_payload ours;
    peer_payload theirs;
    uint8_t our_bytes[PEER_SIZE], their_bytes[PEER_SIZE];
    wc_error our_error;
    peer_error their_error;
    memcpy(&ours, at->bytes, PEER_SIZE);
    memcpy(&theirs, at->bytes, PEER_SIZE);
    memset(our_bytes, 0xaa, PEER_SIZE);
    memset(their_bytes, 0xaa, PEER_SIZE);
    const wc_status status = call_contract_write(&ours, our_bytes, capacity, &our_error);
    if (status != call_handwritten_write(&theirs, their_bytes, capacity, &their_error)) {
        fail("writing differs in its status", at);
    }
    if (status != 0 && !same_error(&our_error, &their_error)) {
        fail("writing differs in its error", at);
    }
    if (memcmp(our_bytes, their_bytes, PEER_SIZE) != 0) {
        fail("writing differs in its bytes", at);
    }
    return status == 0;
}

static void agree(const input *inputs, size_t count)
{
    size_t accepted = 0, written = 0;
    for (size_t i = 0; i < count; i++) {
        accepted += agree_on_reading(&inputs[i]);
        if (inputs[i].length == PEER_SIZE) {
            written += agree_on_writing(&inputs[i], PEER_SIZE);
            agree_on_writing(&inputs[i], PEER_SIZE - 1);
        }
    }
    if (accepted == 0 || accepted == count) {
        fail("some inputs must be accepted, and not all", NULL);
    }
    printf("%zu inputs, of which %zu accepted; %zu values written\n", count, accepted, written);
}

static size_t call(const char *entry, const input *inputs, size_t count, size_t times)
{
    size_t calls = 0;
    for (size_t i = 0; i < count; i++) {
        wc_cuda_ipc_payload ours;
        peer_payload theirs;
        wc_error our_error;
        peer_error their_error;
        uint8_t bytes[PEER_SIZE];
        if (wc_cuda_ipc_payload_read(inputs[i].bytes, inputs[i].length, &ours, &our_error) != 0) {
            continue;
        }
        memcpy(&theirs, &ours, sizeof ours);
        for (size_t n = 0; n < times; n++, calls++) {
            if (strcmp(entry, "contract_read") == 0) {
                call_contract_read(inputs[i].bytes, inputs[i].length, &ours, &our_error);
            } else if (strcmp(entry, "contract_write") == 0) {
                call_contract_write(&ours, bytes, sizeof bytes, &our_error);
            } else if (strcmp(entry, "handwritten_read") == 0) {
                call_handwritten_read(inputs[i].bytes, inputs[i].length, &theirs, &their_error);
            } else if (strcmp(entry, "handwritten_write") == 0) {
                call_handwritten_write(&theirs, bytes, sizeof bytes, &their_error);
            } else {
                fail("there is no such entry", NULL);
            }
        }
    }
    return calls;
}

int main(int argc, char **argv)
{
    size_t count;
    if (argc == 3 && strcmp(argv[1], "agree") == 0) {
        const input *inputs = read_inputs(argv[2], &count);
        agree(inputs, count);
    } else if (argc == 5 && strcmp(argv[1], "call") == 0) {
        const input *inputs = read_inputs(argv[3], &count);
        printf("%zu\n", call(argv[2], inputs, count, strtoul(argv[4], NULL, 10)));
    } else {
        fail("expected `agree INPUTS` or `call ENTRY INPUTS N`", NULL);
    }
    return 0;
}
