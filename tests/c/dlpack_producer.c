/* Makes tensors, and counts their ends. */
#include <stdlib.h>

#include "dlpack_exchange.h"

/* A tensor and all that it points to. */
typedef struct {
    DLManagedTensorVersioned managed;
    DLManagedTensor legacy;
    int64_t shape[2];
    int64_t strides[2];
    float *data;
} owned;

static int ended;

static void end(owned *it)
{
    ended++;
    free(it->data);
    free(it);
}

static void delete_versioned(DLManagedTensorVersioned *self)
{
    end((owned *)self->manager_ctx);
}

static void delete_legacy(DLManagedTensor *self)
{
    end((owned *)self->manager_ctx);
}

static owned *make(int64_t rows, int64_t columns)
{
    owned *it = (owned *)calloc(1, sizeof *it);
    if (it == NULL) {
        return NULL;
    }
    it->shape[0] = rows;
    it->shape[1] = columns;
    it->strides[0] = columns;
    it->strides[1] = 1;
    if (rows * columns > 0) {
        it->data = (float *)malloc((size_t)(rows * columns) * sizeof *it->data);
        if (it->data == NULL) {
            free(it);
            return NULL;
        }
        for (int64_t at = 0; at < rows * columns; at++) {
            it->data[at] = (float)at;
        }
    }
    it->managed.version.major = 1;
    it->managed.version.minor = 3;
    it->managed.manager_ctx = it;
    it->managed.deleter = delete_versioned;
    it->managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    it->managed.dl_tensor.data = it->data;
    it->managed.dl_tensor.device.device_type = kDLCPU;
    it->managed.dl_tensor.ndim = 2;
    it->managed.dl_tensor.dtype.code = kDLFloat;
    it->managed.dl_tensor.dtype.bits = 32;
    it->managed.dl_tensor.dtype.lanes = 1;
    it->managed.dl_tensor.shape = it->shape;
    it->managed.dl_tensor.strides = it->strides;
    it->legacy.dl_tensor = it->managed.dl_tensor;
    it->legacy.manager_ctx = it;
    it->legacy.deleter = delete_legacy;
    return it;
}

DLManagedTensorVersioned *produce(void)
{
    owned *it = make(3, 4);
    return it == NULL ? NULL : &it->managed;
}

DLManagedTensor *produce_legacy(void)
{
    owned *it = make(3, 4);
    return it == NULL ? NULL : &it->legacy;
}

DLManagedTensorVersioned *produce_empty(void)
{
    owned *it = make(0, 4);
    return it == NULL ? NULL : &it->managed;
}

int deleted(void)
{
    int since = ended;
    ended = 0;
    return since;
}
