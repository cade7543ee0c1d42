/* Takes tensors that the other half made, reads them, and ends each once. */
#include <stdio.h>

#include "dlpack_exchange.h"

static int is_matrix_of_floats(const DLTensor *tensor)
{
    return tensor->device.device_type == kDLCPU && tensor->ndim == 2 && tensor->dtype.code == kDLFloat
        && tensor->dtype.bits == 32 && tensor->dtype.lanes == 1;
}

static double sum(const DLTensor *tensor)
{
    const char *first = (const char *)tensor->data + tensor->byte_offset;
    double total = 0;
    for (int64_t row = 0; row < tensor->shape[0]; row++) {
        for (int64_t column = 0; column < tensor->shape[1]; column++) {
            int64_t element = row * tensor->strides[0] + column * tensor->strides[1];
            total += (double)*(const float *)(const void *)(first + element * (int64_t)sizeof(float));
        }
    }
    return total;
}

int main(void)
{
    DLManagedTensorVersioned *managed = produce();
    if (managed == NULL || managed->version.major != 1 || managed->flags != DLPACK_FLAG_BITMASK_READ_ONLY
        || !is_matrix_of_floats(&managed->dl_tensor)) {
        return 1;
    }
    double total = sum(&managed->dl_tensor);
    managed->deleter(managed);
    printf("sum %.0f, deleted %d\n", total, deleted());

    DLManagedTensor *legacy = produce_legacy();
    if (legacy == NULL || !is_matrix_of_floats(&legacy->dl_tensor)) {
        return 2;
    }
    total = sum(&legacy->dl_tensor);
    legacy->deleter(legacy);
    printf("sum %.0f, deleted %d\n", total, deleted());

    DLManagedTensorVersioned *empty = produce_empty();
    if (empty == NULL || empty->dl_tensor.shape[0] != 0 || empty->dl_tensor.data != NULL) {
        return 3;
    }
    empty->deleter(empty);
    printf(deleted() == 1 ? "null data of no elements\n" : "not deleted once\n");
    return 0;
}
