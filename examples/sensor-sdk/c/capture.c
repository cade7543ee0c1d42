/* Opens a camera, takes one frame by hand and two in a callback: `capture CAMERA`. */
#include <inttypes.h>
#include <stdio.h>

#include <sensor/camera.h>
#include <sensor/image.h>

/* Says why the last call failed, and what is to be the exit status. */
static int failed(void)
{
    wc_failure failure;
    sensor_last_error(&failure);
    const char *code = wc_status_name(failure.code);
    fprintf(stderr, "%s: %s (%d): %s\n", failure.function, code == NULL ? "unknown" : code, failure.detail, failure.message);
    return 1;
}

static wc_status hottest(void *context, uint64_t sequence, const float *kelvin, size_t kelvin_length)
{
    float *most = context;
    for (size_t i = 0; i < kelvin_length; i++) {
        *most = kelvin[i] > *most ? kelvin[i] : *most;
    }
    printf("frame %" PRIu64 ", at most %.2f K\n", sequence, *most);
    return WC_STATUS_OK;
}

static int capture(sensor_camera camera, sensor_palette palette)
{
    const wc_str start = WC_STR("{\"command\":\"start\",\"window\":[16,8,8,4]}");
    wc_owned_bytes progress;
    float kelvin[8 * 4];
    float most = 0;
    uint8_t bytes[SENSOR_FRAME_HEADER_SIZE];
    uint8_t rgba[sizeof kelvin / sizeof kelvin[0] * 4];
    uint8_t grey;
    sensor_frame_header header;
    sensor_region spot;

    if (sensor_camera_send(camera, start, &progress) != WC_STATUS_OK) {
        return failed();
    }
    printf("%s\n", (const char *)progress.data);
    sensor_bytes_free(&progress);
    if (sensor_camera_grab(camera, kelvin, sizeof kelvin / sizeof kelvin[0], bytes) != WC_STATUS_OK
        || sensor_frame_header_read(bytes, sizeof bytes, &header, NULL) != WC_STATUS_OK
        || sensor_palette_paint(palette, kelvin, sizeof kelvin / sizeof kelvin[0], rgba, sizeof rgba) != WC_STATUS_OK) {
        return failed();
    }
    spot = header.hot_spots[0];
    grey = rgba[4 * ((spot.y - header.window.y) * header.window.width + spot.x - header.window.x)];
    printf("frame %" PRIu64 ", hot spot at %d, %d, grey %d\n", header.sequence, spot.x, spot.y, grey);
    return sensor_camera_each(camera, 2, hottest, &most) == WC_STATUS_OK ? 0 : failed();
}

int main(int argc, char **argv)
{
    wc_abi_mismatch mismatch;
    sensor_camera camera;
    sensor_palette palette;
    int status;

    if (sensor_check_abi(&mismatch) != WC_STATUS_OK) {
        fprintf(stderr, "%s is of another declaration than the headers\n", mismatch.symbol);
        return 1;
    }
    if (sensor_camera_open(argc > 1 ? argv[1] : "lwir640", &camera) != WC_STATUS_OK) {
        return failed();
    }
    status = sensor_palette_between(273.15F, 373.15F, &palette) == WC_STATUS_OK ? capture(camera, palette) : failed();
    sensor_palette_destroy(&palette);
    sensor_camera_destroy(&camera);
    return status;
}
