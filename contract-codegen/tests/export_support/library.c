/* A library that is made up: what the headers of the exported catalog declare, with every handle counted. */
#define WC_STATIC
#include "library.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef MEAN_WIRE_ID
#define MEAN_WIRE_ID WC_MEAN_WIRE_ID
#endif

const uint64_t wc_last_error_wire_id = WC_LIBRARY_WIRE_ID;
const uint64_t wc_bytes_free_wire_id = WC_LIBRARY_WIRE_ID;
const uint64_t wc_camera_destroy_wire_id = WC_CAMERA_WIRE_ID;
const uint64_t wc_frame_destroy_wire_id = WC_FRAME_WIRE_ID;
const uint64_t wc_camera_open_wire_id = WC_CAMERA_OPEN_WIRE_ID;
const uint64_t wc_camera_new_wire_id = WC_CAMERA_NEW_WIRE_ID;
const uint64_t wc_camera_gain_wire_id = WC_CAMERA_GAIN_WIRE_ID;
const uint64_t wc_camera_set_gain_wire_id = WC_CAMERA_SET_GAIN_WIRE_ID;
const uint64_t wc_camera_mode_wire_id = WC_CAMERA_MODE_WIRE_ID;
const uint64_t wc_camera_set_mode_wire_id = WC_CAMERA_SET_MODE_WIRE_ID;
const uint64_t wc_camera_describe_wire_id = WC_CAMERA_DESCRIBE_WIRE_ID;
const uint64_t wc_camera_snapshot_wire_id = WC_CAMERA_SNAPSHOT_WIRE_ID;
const uint64_t wc_camera_calibrate_wire_id = WC_CAMERA_CALIBRATE_WIRE_ID;
const uint64_t wc_camera_configure_wire_id = WC_CAMERA_CONFIGURE_WIRE_ID;
const uint64_t wc_camera_each_wire_id = WC_CAMERA_EACH_WIRE_ID;
const uint64_t wc_camera_size_wire_id = WC_CAMERA_SIZE_WIRE_ID;
const uint64_t wc_camera_grab_wire_id = WC_CAMERA_GRAB_WIRE_ID;
const uint64_t wc_camera_into_frame_wire_id = WC_CAMERA_INTO_FRAME_WIRE_ID;
const uint64_t wc_frame_split_wire_id = WC_FRAME_SPLIT_WIRE_ID;
const uint64_t wc_frame_close_wire_id = WC_FRAME_CLOSE_WIRE_ID;
const uint64_t wc_mean_wire_id = MEAN_WIRE_ID;
const uint64_t wc_attach_wire_id = WC_ATTACH_WIRE_ID;
const uint64_t wc_join_wire_id = WC_JOIN_WIRE_ID;
const uint64_t wc_version_wire_id = WC_VERSION_WIRE_ID;
const uint64_t wc_reset_wire_id = WC_RESET_WIRE_ID;

enum { MOST = 64 };

typedef struct {
    bool is_alive;
    bool is_busy;
    float gain;
    wc_mode mode;
    wc_features features;
} object;

/* Cameras and frames, by the lowest byte of their numbers; bytes by their number. */
static object objects[MOST];
static bool given[MOST];
static size_t object_count;
static size_t given_count;
static const uint64_t CAMERA = UINT64_C(0x1d0c000000000000);
static const uint64_t FRAME = UINT64_C(0x2f3e000000000000);

static wc_failure last = {0, 0, "", "", ""};
static char last_message[1024];

int32_t alive_objects(void)
{
    int32_t count = 0;
    for (size_t i = 0; i < object_count; i++) {
        count += objects[i].is_alive ? 1 : 0;
    }
    return count;
}

int32_t alive_bytes(void)
{
    int32_t count = 0;
    for (size_t i = 0; i < given_count; i++) {
        count += given[i] ? 1 : 0;
    }
    return count;
}

static wc_status fail(wc_status code, const char *function, const char *argument, const char *message)
{
    (void)snprintf(last_message, sizeof last_message, "%s", message);
    last.code = code;
    last.detail = code == WC_STATUS_REFUSED ? 7 : 0;
    last.function = function;
    last.argument = argument;
    last.message = last_message;
    return code;
}

void wc_last_error(wc_failure *out)
{
    if (out != NULL) {
        *out = last;
    }
}

static uint64_t make(uint64_t tag)
{
    object *made = &objects[object_count];
    memset(made, 0, sizeof *made);
    made->is_alive = true;
    object_count++;
    return tag | object_count;
}

/* The object of a number, or NULL for one that is none, is of another type or was ended. */
static object *find(uint64_t tag, uint64_t id)
{
    const size_t index = (size_t)(id & 0xFF);
    if ((id & ~UINT64_C(0xFF)) != tag || index == 0 || index > object_count || !objects[index - 1].is_alive) {
        return NULL;
    }
    return &objects[index - 1];
}

static wc_status end(uint64_t tag, uint64_t *id, const char *function)
{
    object *found = find(tag, *id);
    if (*id == 0) {
        return WC_STATUS_OK;
    }
    if (found == NULL) {
        return fail(WC_STATUS_BAD_HANDLE, function, "handle", "it was ended before");
    }
    if (found->is_busy) {
        return fail(WC_STATUS_BUSY, function, "handle", "a call uses it");
    }
    found->is_alive = false;
    *id = 0;
    return WC_STATUS_OK;
}

static wc_owned_bytes give(const void *data, size_t length)
{
    wc_owned_bytes bytes;
    uint8_t *copy = (uint8_t *)malloc(length + 1);
    if (copy == NULL) {
        abort();
    }
    memcpy(copy, data, length);
    copy[length] = 0;
    given[given_count] = true;
    given_count++;
    bytes.data = copy;
    bytes.length = length;
    bytes.id = given_count;
    return bytes;
}

wc_status wc_bytes_free(wc_owned_bytes *bytes)
{
    if (bytes == NULL) {
        return fail(WC_STATUS_NULL_ARGUMENT, "wc_bytes_free", "bytes", "`bytes` is null");
    }
    if (bytes->id == 0) {
        return WC_STATUS_OK;
    }
    if (bytes->id > given_count || !given[bytes->id - 1]) {
        return fail(WC_STATUS_BAD_HANDLE, "wc_bytes_free", "bytes", "they were freed before");
    }
    given[bytes->id - 1] = false;
    free((void *)(uintptr_t)bytes->data);
    memset(bytes, 0, sizeof *bytes);
    return WC_STATUS_OK;
}

wc_status wc_camera_destroy(wc_camera *handle)
{
    return end(CAMERA, &handle->id, "wc_camera_destroy");
}

wc_status wc_frame_destroy(wc_frame *handle)
{
    return end(FRAME, &handle->id, "wc_frame_destroy");
}

wc_status wc_camera_open(const char *name, wc_camera *out)
{
    out->id = 0;
    if (name == NULL) {
        return fail(WC_STATUS_NULL_ARGUMENT, "wc_camera_open", "name", "`name` is null");
    }
    if (strcmp(name, "broken") == 0) {
        return fail(WC_STATUS_REFUSED, "wc_camera_open", "", "it is broken");
    }
    if (strcmp(name, "long") == 0) {
        char message[600];
        memset(message, 'x', sizeof message);
        memcpy(message + 511, "\303\244", 3);
        return fail(WC_STATUS_REFUSED, "wc_camera_open", "", message);
    }
    out->id = make(CAMERA);
    return WC_STATUS_OK;
}

wc_status wc_camera_new(wc_camera *out)
{
    out->id = make(CAMERA);
    return WC_STATUS_OK;
}

#define FIND(variable, tag, handle, function) \
    object *variable = find(tag, (handle).id); \
    if (variable == NULL) { \
        return fail(WC_STATUS_BAD_HANDLE, function, "self", "`self` is none"); \
    }

wc_status wc_camera_gain(wc_camera self, float *out)
{
    FIND(camera, CAMERA, self, "wc_camera_gain")
    *out = camera->gain;
    return WC_STATUS_OK;
}

wc_status wc_camera_set_gain(wc_camera self, float gain)
{
    FIND(camera, CAMERA, self, "wc_camera_set_gain")
    camera->gain = gain;
    return WC_STATUS_OK;
}

wc_status wc_camera_mode(wc_camera self, wc_mode *out)
{
    FIND(camera, CAMERA, self, "wc_camera_mode")
    *out = camera->mode;
    return WC_STATUS_OK;
}

wc_status wc_camera_set_mode(wc_camera self, wc_mode mode, wc_features features)
{
    FIND(camera, CAMERA, self, "wc_camera_set_mode")
    camera->mode = mode;
    camera->features = features;
    return WC_STATUS_OK;
}

wc_status wc_camera_describe(wc_camera self, const char *label, wc_owned_bytes *out)
{
    FIND(camera, CAMERA, self, "wc_camera_describe")
    *out = label == NULL ? give("none", 4) : give(label, strlen(label));
    return WC_STATUS_OK;
}

wc_status wc_camera_snapshot(wc_camera self, wc_owned_bytes *out)
{
    FIND(camera, CAMERA, self, "wc_camera_snapshot")
    *out = give("\001\000\002", 3);
    return WC_STATUS_OK;
}

/* Gives what it takes, or bytes that are no calibration where the gain is negative. */
wc_status wc_camera_calibrate(
    wc_camera self, const uint8_t calibration[WC_CALIBRATION_SIZE], uint8_t out[WC_CALIBRATION_SIZE])
{
    FIND(camera, CAMERA, self, "wc_camera_calibrate")
    memcpy(out, calibration, WC_CALIBRATION_SIZE);
    if ((calibration[3] & 0x80) != 0) {
        out[4] = 9;
    }
    return WC_STATUS_OK;
}

wc_status wc_camera_configure(wc_camera self, wc_str settings, wc_owned_bytes *out)
{
    FIND(camera, CAMERA, self, "wc_camera_configure")
    if (settings.data == NULL) {
        return fail(WC_STATUS_NULL_ARGUMENT, "wc_camera_configure", "settings", "`settings` is null");
    }
    *out = give(settings.data, settings.length);
    return WC_STATUS_OK;
}

/* Tells of three frames, and gives how many were taken before one was refused, which is a failure. */
wc_status wc_camera_each(
    wc_camera self,
    wc_status (*on_frame)(
        void *context, uint32_t index, wc_mode mode, wc_features features, const wc_extent *extent, const float *samples,
        size_t samples_length, const char *label),
    void *on_frame_context,
    uint32_t *out)
{
    const float samples[3] = {1.0F, 2.0F, 4.0F};
    const wc_extent extent = {3, 1};
    wc_status status = WC_STATUS_OK;
    FIND(camera, CAMERA, self, "wc_camera_each")
    camera->is_busy = true;
    for (*out = 0; *out < 3 && status == WC_STATUS_OK; (*out)++) {
        status = on_frame(
            on_frame_context, *out, WC_MODE_LIVE, WC_FEATURES_TRIGGERED, &extent, samples, *out, *out == 0 ? "" : "next");
    }
    camera->is_busy = false;
    if (status != WC_STATUS_OK) {
        *out = 0;
        return fail(status, "wc_camera_each", "on_frame", "`on_frame` refused");
    }
    return WC_STATUS_OK;
}

wc_status wc_camera_size(wc_camera self, uint32_t *width, uint32_t *height)
{
    FIND(camera, CAMERA, self, "wc_camera_size")
    *width = 640;
    *height = 480;
    return WC_STATUS_OK;
}

wc_status wc_camera_grab(
    wc_camera self, float *into, size_t into_length, wc_extent *extent, const wc_extent *previous, uint64_t *dropped,
    wc_frame *out)
{
    FIND(camera, CAMERA, self, "wc_camera_grab")
    for (size_t i = 0; i < into_length; i++) {
        into[i] = camera->gain;
    }
    extent->width = previous == NULL ? 1 : previous->width + 1;
    if (dropped != NULL) {
        *dropped = UINT64_C(0x100000000);
    }
    out->id = make(FRAME);
    return WC_STATUS_OK;
}

wc_status wc_camera_into_frame(wc_camera *self, wc_frame *out)
{
    const wc_status status = self->id == 0 ? fail(WC_STATUS_BAD_HANDLE, "wc_camera_into_frame", "self", "`self` is none")
                                           : end(CAMERA, &self->id, "wc_camera_into_frame");
    if (status == WC_STATUS_OK) {
        out->id = make(FRAME);
    }
    return status;
}

/* What it gives is no calibration where both frames are one. */
wc_status wc_frame_split(
    wc_frame self, wc_frame other, wc_frame *first, wc_owned_bytes *text, uint8_t calibration[WC_CALIBRATION_SIZE],
    wc_mode *mode, wc_features *features, wc_extent *extent, bool *is_last)
{
    FIND(frame, FRAME, self, "wc_frame_split")
    first->id = make(FRAME);
    *text = give("half", 4);
    memset(calibration, 0, WC_CALIBRATION_SIZE);
    calibration[4] = self.id == other.id ? 9 : 1;
    *mode = 77;
    *features = WC_FEATURES_COOLED;
    extent->width = 5;
    extent->height = 6;
    *is_last = true;
    return WC_STATUS_OK;
}

wc_status wc_frame_close(wc_frame *self)
{
    return end(FRAME, &self->id, "wc_frame_close");
}

wc_status wc_mean(
    const float *samples, size_t samples_length, const wc_mode *modes, size_t modes_length, wc_features *features,
    size_t features_length, float *out)
{
    *out = 0.0F;
    for (size_t i = 0; i < samples_length; i++) {
        *out += samples[i] / (float)samples_length;
    }
    for (size_t i = 0; i < modes_length; i++) {
        *out += (float)modes[i];
    }
    for (size_t i = 0; i < features_length; i++) {
        features[i] |= WC_FEATURES_COOLED;
    }
    return WC_STATUS_OK;
}

wc_status wc_attach(void *data, void (*done)(void), void **at, size_t *length)
{
    *at = data;
    *length = 9;
    if (done != NULL) {
        done();
    }
    return WC_STATUS_OK;
}

wc_status wc_join(wc_camera camera, wc_frame *frame, wc_extent extent, wc_mode *mode, uint8_t *pointer)
{
    FIND(joined, CAMERA, camera, "wc_join")
    *mode = (wc_mode)extent.width;
    *pointer = 1;
    return end(FRAME, &frame->id, "wc_join");
}

wc_status wc_version(wc_owned_bytes *out)
{
    *out = give("1.2", 3);
    return WC_STATUS_OK;
}

wc_status wc_reset(void)
{
    return WC_STATUS_OK;
}
