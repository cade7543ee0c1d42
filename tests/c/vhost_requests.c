/* Requests of a front end, whose payloads are the kernel's own structs: a name and bytes in hex, line by line. Only the
 * header and the numbers of the requests, which no header of the kernel has, are as the protocol has them. */
#include <linux/vhost_types.h>
#include <linux/virtio_ring.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { GET_FEATURES = 1, SET_FEATURES = 2, SET_MEM_TABLE = 5, SET_VRING_NUM = 8, SET_VRING_ADDR = 9, SET_VRING_KICK = 12 };

static void request(const char *name, uint32_t number, const void *payload, size_t size) {
    const uint32_t header[3] = {number, 1, (uint32_t)size};
    unsigned char bytes[4096];
    memcpy(bytes, header, sizeof header);
    if (size > 0) {
        memcpy(bytes + sizeof header, payload, size);
    }
    printf("%s ", name);
    for (size_t at = 0; at < sizeof header + size; at++) {
        printf("%02x", bytes[at]);
    }
    printf("\n");
}

static void memory(const char *name, uint32_t regions) {
    unsigned char bytes[1024];
    struct vhost_memory memory;
    memset(&memory, 0, sizeof memory);
    memory.nregions = regions;
    memcpy(bytes, &memory, sizeof memory);
    for (uint32_t index = 0; index < regions; index++) {
        struct vhost_memory_region region;
        memset(&region, 0, sizeof region);
        region.guest_phys_addr = (uint64_t)index << 32;
        region.memory_size = 1 << 30;
        region.userspace_addr = 0x7f0000000000 + index;
        /* Where the kernel has no flags, the protocol has the offset in the file. */
        region.flags_padding = 0x1000 * (uint64_t)index;
        memcpy(bytes + sizeof memory + index * sizeof region, &region, sizeof region);
    }
    request(name, SET_MEM_TABLE, bytes, sizeof memory + regions * sizeof(struct vhost_memory_region));
}

int main(void) {
    const uint64_t features = (uint64_t)1 << VIRTIO_RING_F_EVENT_IDX;
    request("get_features", GET_FEATURES, NULL, 0);
    request("set_features", SET_FEATURES, &features, sizeof features);
    request("unknown", 77, NULL, 0);
    memory("memory_0", 0);
    memory("memory_1", 1);
    memory("memory_8", 8);
    memory("memory_9", 9);

    const struct vhost_vring_state state = {.index = 3, .num = 256};
    request("vring_num", SET_VRING_NUM, &state, sizeof state);

    const struct vhost_vring_addr addr = {
        .index = 3,
        .flags = 1 << VHOST_VRING_F_LOG,
        .desc_user_addr = 0x7f0000000010,
        .used_user_addr = 0x7f0000000024,
        .avail_user_addr = 0x7f0000000032,
        .log_guest_addr = 0x1000,
    };
    request("vring_addr", SET_VRING_ADDR, &addr, sizeof addr);

    const uint64_t rung = 3, polled = 3 | 1 << 8;
    request("kick", SET_VRING_KICK, &rung, sizeof rung);
    request("kick_polled", SET_VRING_KICK, &polled, sizeof polled);
    return 0;
}
