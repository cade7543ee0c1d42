/* What the two halves of the program have in common. */
#ifndef DLPACK_EXCHANGE_H
#define DLPACK_EXCHANGE_H

#include DLPACK_HEADER

/* A 3 by 4 tensor of the numbers 0 to 11, in the struct of today. NULL where there is no memory. */
DLManagedTensorVersioned *produce(void);
/* The same in the struct that has no version. */
DLManagedTensor *produce_legacy(void);
/* A tensor without elements. */
DLManagedTensorVersioned *produce_empty(void);
/* How many tensors were deleted since this was last asked. */
int deleted(void);

#endif
