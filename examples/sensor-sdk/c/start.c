/* Says whether a stream at so many frames a second may be started, of a window of the sensor: `start RATE`. */
#include <stdio.h>
#include <stdlib.h>

#include <sensor/control.h>

int main(int argc, char **argv)
{
    wc_error error;
    char message[512];
    sensor_start start = sensor_start_init();

    if (argc > 1) {
        start.frame_rate = (uint16_t)strtoul(argv[1], NULL, 10);
    }
    start.window[2] = 320;
    start.window[3] = 256;
    start.present |= SENSOR_START_HAS_WINDOW;
    if (sensor_start_check(&start, &error) != WC_STATUS_OK) {
        wc_error_message(&error, message, sizeof message);
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    printf("%u frames a second, emissivity %.2f\n", start.frame_rate, start.emissivity);
    return 0;
}
