/* What the library that is made up tells of itself. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <wirecontract/sensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Cameras and frames that were made and not ended. */
int32_t alive_objects(void);
/* Bytes and texts that were given and not freed. */
int32_t alive_bytes(void);

#ifdef __cplusplus
}
#endif

#endif
