/* A library as the fixture declares it: enough of each function to be told apart by its callers. What a test asks of it
   besides begins with `fake_`. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ids.h"

typedef int32_t wc_status;
typedef struct { const char *data; size_t length; } wc_str;
typedef struct { wc_status code; int32_t detail; const char *function, *argument, *message; } wc_failure;
typedef struct { const uint8_t *data; size_t length; uint64_t id; } wc_owned_bytes;
typedef struct { uint64_t id; } wc_camera;
typedef struct { uint64_t id; } wc_frame;
typedef struct { uint32_t width, height; } wc_extent;

enum { BAD_HANDLE = 29, BUSY = 30, PANIC = 31, REFUSED = 35, NOT_YET_KNOWN = 77, SLOTS = 4096 };

static _Thread_local wc_failure last = {0, 0, "", "", ""};
static bool live[SLOTS];
static size_t slots = 1, owned = 0;
static float gain = 1.5f;
static int32_t mode = 1;
static uint64_t address = 0;

static wc_status fail(wc_status code, int32_t detail, const char *function, const char *argument, const char *message)
{
    last = (wc_failure){code, detail, function, argument, message};
    return code;
}

static uint64_t make(void)
{
    live[slots] = true;
    return slots++;
}

static bool is_live(uint64_t id)
{
    return id > 0 && id < SLOTS && live[id];
}

static wc_owned_bytes give(const void *data, size_t length)
{
    uint8_t *copy = malloc(length + 1);
    memcpy(copy, data, length);
    copy[length] = 0;
    owned++;
    return (wc_owned_bytes){copy, length, owned};
}

size_t fake_live(void)
{
    size_t count = 0;
    for (size_t id = 0; id < SLOTS; id++) {
        count += live[id];
    }
    return count;
}

size_t fake_owned(void) { return owned; }
uint64_t fake_address(void) { return address; }
void fake_set_mode(int32_t value) { mode = value; }

void wc_last_error(wc_failure *out)
{
    if (out) {
        *out = last;
    }
}

wc_status wc_bytes_free(wc_owned_bytes *bytes)
{
    if (bytes->id) {
        free((void *)bytes->data);
        owned--;
    }
    *bytes = (wc_owned_bytes){NULL, 0, 0};
    return 0;
}

static wc_status destroy(uint64_t *id, const char *function)
{
    if (!*id) {
        return 0;
    }
    if (!is_live(*id)) {
        return fail(BAD_HANDLE, 0, function, "handle", "it is destroyed");
    }
    live[*id] = false;
    *id = 0;
    return 0;
}

wc_status wc_camera_destroy(wc_camera *camera)
{
    if (gain == 99.0f) {
        return fail(BUSY, 0, "wc_camera_destroy", "handle", "it is in a call");
    }
    if (gain == 98.0f) {
        destroy(&camera->id, "wc_camera_destroy");
        return fail(PANIC, 0, "wc_camera_destroy", "", "panicked: the shutter is stuck");
    }
    return destroy(&camera->id, "wc_camera_destroy");
}

wc_status wc_frame_destroy(wc_frame *frame) { return destroy(&frame->id, "wc_frame_destroy"); }

wc_status wc_camera_open(const char *name, wc_camera *out)
{
    if (!strcmp(name, "none")) {
        return fail(REFUSED, -7, "wc_camera_open", "name", "no camera is called none: gr\xc3\xbc\xc3\x9f");
    }
    if (!strcmp(name, "later")) {
        return fail(NOT_YET_KNOWN, 0, "wc_camera_open", "", "");
    }
    if (!strcmp(name, "silent")) {
        return REFUSED + 1;
    }
    out->id = make();
    return 0;
}

wc_status wc_camera_new(wc_camera *out)
{
    out->id = make();
    return 0;
}

wc_status wc_camera_gain(wc_camera camera, float *out)
{
    if (!is_live(camera.id)) {
        return fail(BAD_HANDLE, 0, "wc_camera_gain", "self", "the Camera was destroyed");
    }
    *out = gain;
    return 0;
}

wc_status wc_camera_set_gain(wc_camera camera, float value)
{
    (void)camera;
    gain = value;
    return 0;
}

wc_status wc_camera_mode(wc_camera camera, int32_t *out)
{
    (void)camera;
    *out = mode;
    return 0;
}

wc_status wc_camera_set_mode(wc_camera camera, int32_t value, uint32_t features)
{
    (void)camera;
    mode = value;
    gain = (float)features;
    return 0;
}

wc_status wc_camera_describe(wc_camera camera, const char *label, wc_owned_bytes *out)
{
    char text[256];
    int length = snprintf(text, sizeof text, "camera %llu: %s", (unsigned long long)camera.id, label ? label : "(null)");
    *out = give(text, (size_t)length);
    return 0;
}

wc_status wc_camera_snapshot(wc_camera camera, wc_owned_bytes *out)
{
    (void)camera;
    *out = gain == 0.0f ? (wc_owned_bytes){NULL, 0, 0} : give("\0\1\2", 3);
    return 0;
}

wc_status wc_camera_calibrate(wc_camera camera, const uint8_t calibration[8], uint8_t out[8])
{
    (void)camera;
    memcpy(out, calibration, 8);
    out[4] = 0;
    return 0;
}

wc_status wc_camera_configure(wc_camera camera, wc_str settings, wc_owned_bytes *out)
{
    (void)camera;
    if (gain == 2.0f) {
        *out = give("{}", 2);
    } else {
        *out = give(settings.data, settings.length);
    }
    return 0;
}

typedef wc_status on_frame(void *, uint32_t, int32_t, uint32_t, const wc_extent *, const float *, size_t, const char *);
static on_frame *kept;
static void *kept_context;

wc_status wc_camera_each(wc_camera camera, on_frame *function, void *context, uint32_t *out)
{
    (void)camera;
    kept = function;
    kept_context = context;
    for (uint32_t index = 0; index < 3; index++) {
        float *samples = malloc(4 * sizeof(float));
        wc_extent *extent = malloc(sizeof *extent);
        for (size_t at = 0; at < 4; at++) {
            samples[at] = (float)(index * 10 + at);
        }
        *extent = (wc_extent){index, 480};
        wc_status status = function(context, index, mode, 3, extent, index < 2 ? samples : NULL, index < 2 ? 4 : 0, "gr\xc3\xbcn");
        memset(samples, 0xff, 4 * sizeof(float));
        memset(extent, 0xff, sizeof *extent);
        free(samples);
        free(extent);
        if (status && gain != 3.0f) {
            return fail(status, 0, "wc_camera_each", "on_frame", "the callback refused");
        }
        *out = index + 1;
    }
    return 0;
}

wc_status fake_call_again(void)
{
    wc_extent extent = {1, 2};
    return kept(kept_context, 0, 0, 0, &extent, NULL, 0, "");
}

wc_status wc_camera_size(wc_camera camera, uint32_t *width, uint32_t *height)
{
    (void)camera;
    *width = 640;
    *height = 4000000000u;
    return 0;
}

wc_status wc_camera_grab(wc_camera camera, float *into, size_t length, wc_extent *extent, const wc_extent *previous,
                         uint64_t *dropped, wc_frame *out)
{
    (void)camera;
    address = (uint64_t)(uintptr_t)into;
    for (size_t at = 0; at < length; at++) {
        into[at] = (float)at + 0.5f;
    }
    *extent = (wc_extent){(uint32_t)length, previous ? previous->width : 0};
    if (dropped) {
        *dropped += 1;
    }
    out->id = make();
    return 0;
}

wc_status wc_camera_into_frame(wc_camera *camera, wc_frame *out)
{
    if (gain == 99.0f) {
        return fail(BUSY, 0, "wc_camera_into_frame", "self", "it is in a call");
    }
    live[camera->id] = false;
    camera->id = 0;
    if (gain == 4.0f) {
        return fail(REFUSED, 0, "wc_camera_into_frame", "", "it has no frame");
    }
    out->id = make();
    return 0;
}

wc_status wc_frame_split(wc_frame frame, wc_frame other, wc_frame *first, wc_owned_bytes *text, uint8_t calibration[8],
                         int32_t *kind, uint32_t *features, wc_extent *extent, bool *is_last)
{
    (void)frame;
    (void)other;
    first->id = make();
    *text = mode == 2 ? give("\xff", 1) : give("both", 4);
    memcpy(calibration, "\0\0\0\x3f\1\0\0\0", 8);
    *kind = 7;
    *features = 3;
    *extent = (wc_extent){1, 2};
    *is_last = true;
    return 0;
}

wc_status wc_frame_close(wc_frame *frame) { return destroy(&frame->id, "wc_frame_close"); }

wc_status wc_mean(const float *samples, size_t samples_length, const int32_t *modes, size_t modes_length,
                  uint32_t *features, size_t features_length, float *out)
{
    address = (uint64_t)(uintptr_t)samples;
    float sum = 0;
    for (size_t at = 0; at < samples_length; at++) {
        sum += samples[at];
    }
    for (size_t at = 0; at < modes_length; at++) {
        sum += (float)modes[at] * 1000;
    }
    for (size_t at = 0; at < features_length; at++) {
        features[at] |= 2;
    }
    *out = sum;
    return 0;
}

wc_status wc_attach(void *data, void (*done)(void), void **at, size_t *length)
{
    if (done) {
        done();
    }
    *at = data;
    *length = SIZE_MAX;
    return 0;
}

wc_status wc_join(wc_camera camera, wc_frame *frame, wc_extent extent, int32_t *kind, uint8_t *pointer)
{
    (void)camera;
    live[frame->id] = false;
    frame->id = 0;
    *kind += (int32_t)(extent.width * 10 + extent.height);
    if (pointer) {
        *pointer = 42;
    }
    return 0;
}

wc_status wc_version(wc_owned_bytes *out)
{
    *out = give("1.4.0", 5);
    return 0;
}

wc_status wc_reset(void)
{
    gain = 1.5f;
    mode = 1;
    return 0;
}
