/* A handoff by libwirecontract. */
#ifndef WIRECONTRACT_BENCH_HANDOFF_BY_LIBRARY_H
#define WIRECONTRACT_BENCH_HANDOFF_BY_LIBRARY_H

#include <wirecontract/buffer.h>
#include <wirecontract/cuvis.h>
#include <wirecontract/handoff.h>
#include <wirecontract/host.h>
#include <wirecontract/library.h>

enum { PEER_SIZE = WC_CUDA_IPC_PAYLOAD_SIZE };

typedef wc_channel side;

static int open_pair(side *near, side *far)
{
    wc_channel_options options = {0};
    options.prefix = WC_LENGTH_PREFIX_JOINED;
    options.most_bytes = PEER_SIZE;
    options.most_fds = 1;
    return wc_check_abi(NULL) == WC_STATUS_OK && wc_channel_pair(&options, near, far) == WC_STATUS_OK ? 0 : 1;
}

static void close_side(side *side)
{
    wc_channel_destroy(side);
}

static int send_message(side to, uint8_t *bytes, uint32_t length, const int *fds, size_t count)
{
    return wc_channel_send(to, bytes, length, fds, count) == WC_STATUS_OK ? 0 : 1;
}

/* What an importer is told, as the library takes it. */
static int32_t descriptor_of(const wc_cuda_ipc_descriptor *from, uint8_t bytes[WC_SHARED_BUFFER_SIZE])
{
    wc_shared_buffer buffer;
    wc_shared_buffer_init(&buffer);
    buffer.kind = WC_BUFFER_KIND_HOST_MEMFD;
    buffer.flags = WC_BUFFER_FLAG_READ_ONLY;
    buffer.size = from->size;
    buffer.allocation_size = from->alloc_size;
    buffer.offset = from->offset;
    return wc_shared_buffer_write(&buffer, bytes, WC_SHARED_BUFFER_SIZE, NULL);
}

static int32_t take(side from, uint8_t body[PEER_SIZE])
{
    const wc_expected expected = {PEER_SIZE, 1, 1, 0};
    uint8_t descriptor[WC_SHARED_BUFFER_SIZE];
    wc_cuda_ipc_payload payload;
    wc_message message;
    wc_host_mapping mapping;
    const uint8_t *data;
    size_t length;
    int32_t code = wc_channel_receive(from, &expected, -1, &message);
    if (code != WC_STATUS_OK) {
        return code;
    }
    code = wc_message_body(message, &data, &length);
    if (code == WC_STATUS_OK) {
        code = wc_cuda_ipc_payload_read(data, length, &payload, NULL);
    }
    if (code == WC_STATUS_OK) {
        code = descriptor_of(&payload.descriptor, descriptor);
        memcpy(body, data, PEER_SIZE);
    }
    if (code == WC_STATUS_OK) {
        code = wc_host_mapping_import_from(descriptor, message, 0, WC_ACCESS_READ_ONLY, &mapping);
    }
    if (code == WC_STATUS_OK) {
        code = wc_host_mapping_destroy(&mapping);
    }
    wc_message_destroy(&message);
    return code;
}

static int32_t take_back(side from, uint8_t body[PEER_SIZE])
{
    size_t length;
    size_t fds;
    return wc_channel_receive_into(from, body, PEER_SIZE, NULL, 0, -1, &length, &fds);
}

#endif
