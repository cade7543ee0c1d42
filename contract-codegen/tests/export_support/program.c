/* A program in C that uses a library of exported functions; it prints what was not as expected. */
#define WC_STATIC
#include "library.h"

#include <stdio.h>

static void expect(bool holds, const char *what, int line)
{
    if (!holds) {
        (void)printf("line %d: %s\n", line, what);
    }
}

#define EXPECT(condition) expect(condition, #condition, __LINE__)

static wc_status count(
    void *context, uint32_t index, wc_mode mode, wc_features features, const wc_extent *extent, const float *samples,
    size_t samples_length, const char *label)
{
    uint32_t *sum = (uint32_t *)context;
    EXPECT(mode == WC_MODE_LIVE && features == WC_FEATURES_TRIGGERED && extent->width == 3 && samples_length == index);
    EXPECT(label[0] == (index == 0 ? '\0' : 'n'));
    *sum += index == 0 ? 0u : (uint32_t)samples[index - 1];
    return WC_STATUS_OK;
}

static wc_status refuse(
    void *context, uint32_t index, wc_mode mode, wc_features features, const wc_extent *extent, const float *samples,
    size_t samples_length, const char *label)
{
    (void)context;
    (void)mode;
    (void)features;
    (void)extent;
    (void)samples;
    (void)samples_length;
    (void)label;
    return index == 1 ? WC_STATUS_TIMEOUT : WC_STATUS_OK;
}

int main(void)
{
    wc_abi_mismatch mismatch;
    wc_failure failure;
    wc_camera camera, copy;
    wc_frame frame;
    wc_owned_bytes bytes, bytes_copy;
    wc_extent extent;
    uint32_t sum = 0, told = 0;
    float samples[2], mean;
    const wc_mode modes[] = {WC_MODE_LIVE};

    EXPECT(wc_check_abi(&mismatch) == WC_STATUS_OK && mismatch.symbol == NULL);
    EXPECT(wc_check_abi(NULL) == WC_STATUS_OK);
    wc_last_error(&failure);
    EXPECT(failure.code == WC_STATUS_OK && failure.message[0] == '\0');

    EXPECT(wc_camera_open("left", &camera) == WC_STATUS_OK && camera.id != 0);
    EXPECT(wc_camera_set_gain(camera, 2.5F) == WC_STATUS_OK);
    EXPECT(wc_camera_each(camera, count, &sum, &told) == WC_STATUS_OK && sum == 3 && told == 3);
    EXPECT(wc_camera_each(camera, refuse, NULL, &told) == WC_STATUS_TIMEOUT && told == 0);
    wc_last_error(&failure);
    EXPECT(failure.code == WC_STATUS_TIMEOUT && strcmp(failure.argument, "on_frame") == 0);

    EXPECT(wc_camera_configure(camera, WC_STR("{\"is_live\":true}"), &bytes) == WC_STATUS_OK && bytes.length == 16);
    bytes_copy = bytes;
    EXPECT(wc_bytes_free(&bytes) == WC_STATUS_OK && bytes.data == NULL && alive_bytes() == 0);
    EXPECT(wc_bytes_free(&bytes_copy) == WC_STATUS_BAD_HANDLE && wc_bytes_free(&bytes) == WC_STATUS_OK);

    EXPECT(wc_camera_grab(camera, samples, 2, &extent, NULL, NULL, &frame) == WC_STATUS_OK && extent.width == 1);
    EXPECT(wc_mean(samples, 2, modes, 1, NULL, 0, &mean) == WC_STATUS_OK && mean > 3.0F && mean < 4.0F);
    EXPECT(wc_frame_destroy(&frame) == WC_STATUS_OK && frame.id == 0);

    copy = camera;
    EXPECT(wc_camera_destroy(&camera) == WC_STATUS_OK && camera.id == 0 && alive_objects() == 0);
    EXPECT(wc_camera_destroy(&camera) == WC_STATUS_OK);
    EXPECT(wc_camera_destroy(&copy) == WC_STATUS_BAD_HANDLE);
    EXPECT(wc_camera_set_gain(copy, 1.0F) == WC_STATUS_BAD_HANDLE);
    return 0;
}
