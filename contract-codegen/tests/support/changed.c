// A value that another process changes between its check and the last step of its writing: counts that were refused
// had they been there before. Run with a sanitizer, or seen by what is around the bytes.
#include <stdio.h>
#include <wirecontract/cuvis.h>
#include <wirecontract/sink.h>

#define AROUND 512

static uint8_t memory[AROUND + WC_ALL_SIZE + AROUND];

static void expect_untouched(const char *what, uint64_t count, size_t size)
{
    for (size_t i = 0; i < sizeof memory; i++) {
        if ((i < AROUND || i >= AROUND + size) && memory[i] != 0x5A) {
            printf("%s, count %u: wrote %d bytes from its start\n", what, (unsigned)count, (int)i - AROUND);
            return;
        }
    }
}

int main(void)
{
    static const uint64_t counts[] = { 0, 1, 63, 64, 65, 66, 192, 254, 255, 256, 0xFFFFFFFF, UINT64_C(0x100000001), UINT64_MAX };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        static wc_cuda_ipc_descriptor descriptor;
        static wc_all all;
        memset(memory, 0x5A, sizeof memory);
        descriptor.blob_len = (uint32_t)counts[i];
        descriptor.ptr_blob_len = (uint32_t)counts[i];
        wc_cuda_ipc_descriptor_detail_settle(&descriptor, memory + AROUND);
        expect_untouched("CudaIpcDescriptor", counts[i], WC_CUDA_IPC_DESCRIPTOR_SIZE);
        memset(memory, 0x5A, sizeof memory);
        all.count = (uint8_t)counts[i];
        all.wide_count = counts[i];
        all.byte_count = (uint8_t)counts[i];
        wc_all_detail_settle(&all, memory + AROUND);
        expect_untouched("All", counts[i], WC_ALL_SIZE);
    }
    return 0;
}
