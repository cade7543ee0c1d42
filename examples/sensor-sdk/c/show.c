/* Shows a frame header read from standard input, and why where it is none. */
#include <inttypes.h>
#include <stdio.h>

#include <sensor/frame.h>

int main(void)
{
    uint8_t bytes[SENSOR_FRAME_HEADER_SIZE + 1];
    const size_t length = fread(bytes, 1, sizeof bytes, stdin);
    sensor_frame_header header;
    wc_error error;

    if (sensor_frame_header_read(bytes, length, &header, &error) != WC_STATUS_OK) {
        char message[256];
        wc_error_message(&error, message, sizeof message);
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    printf("frame %" PRIu64 ", %s, %ux%u\n", header.sequence, sensor_pixel_format_name(header.format),
           (unsigned)header.window.width, (unsigned)header.window.height);
    for (uint32_t i = 0; i < header.hot_spot_count; i++) {
        printf("hot spot at %u, %u\n", (unsigned)header.hot_spots[i].x, (unsigned)header.hot_spots[i].y);
    }
    return 0;
}
