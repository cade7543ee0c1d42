/*
 * The peer of `wirecontract_tests::peer` in C: greets, then sends or reads a frame or a tuned one, over the standard streams
 * or over the channel that the standard input is.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <acme_camera/control.h>
#include <wirecontract/handoff.h>
#include <wirecontract/library.h>
#include <wirecontract/negotiate.h>

static int put(const uint8_t *bytes, size_t length)
{
    const uint8_t head[4] = {
        (uint8_t)(length & 0xFFu), (uint8_t)((length >> 8) & 0xFFu), (uint8_t)((length >> 16) & 0xFFu), 0};
    return fwrite(head, 1, 4, stdout) == 4 && fwrite(bytes, 1, length, stdout) == length && fflush(stdout) == 0;
}

static size_t get(uint8_t *bytes, size_t capacity)
{
    uint8_t head[4];
    if (fread(head, 1, 4, stdin) != 4 || head[3] != 0) {
        return 0;
    }
    const size_t length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
    return length <= capacity && fread(bytes, 1, length, stdin) == length ? length : 0;
}

static int refused(const char *text)
{
    fprintf(stderr, "refused %s\n", text);
    return 1;
}

static int faulty(const wc_error *error)
{
    char text[1024];
    wc_error_message(error, text, sizeof text);
    return refused(text);
}

/* The bytes of a frame as a version has them; their number, 0 where it is refused. */
static size_t written(const acme_camera_frame *frame, uint32_t version, uint8_t *out, size_t capacity, wc_error *error)
{
#if ACME_CAMERA_FRAME_VERSION > 1
    size_t length = 0;
    const wc_status status = acme_camera_frame_write_version(frame, version, out, capacity, &length, error);
    return status == WC_STATUS_OK ? length : 0;
#else
    (void)version;
    return acme_camera_frame_write(frame, out, capacity, error) == WC_STATUS_OK ? ACME_CAMERA_FRAME_SIZE : 0;
#endif
}

static void say(const char *what, uint32_t version, const acme_camera_frame *frame)
{
    fprintf(stderr, "%s %u %u %s", what, (unsigned)version, (unsigned)frame->number, acme_camera_mode_name(frame->mode));
#if ACME_CAMERA_FRAME_VERSION > 1
    fprintf(stderr, " gain %u", (unsigned)frame->gain);
#endif
    fputc('\n', stderr);
}

/* What is sent. */
static acme_camera_frame taken(const char *what)
{
    acme_camera_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.number = 7;
    frame.mode = ACME_CAMERA_MODE_LIVE;
#if ACME_CAMERA_FRAME_VERSION > 1
    frame.gain = strcmp(what, "tuned_frame") == 0 ? 4 : 1;
#else
    (void)what;
#endif
    return frame;
}

static int failed(void)
{
    wc_failure failure;
    char text[2048];
    wc_last_error(&failure);
    snprintf(text, sizeof text, "%s: %s", wc_status_name(failure.code), failure.message);
    return refused(text);
}

/* A channel of the standard input that says hello. */
static wc_status greet(const wc_owned_bytes *json, int32_t patience_ms, wc_channel *channel)
{
    wc_channel_options options = {0};
    wc_channel_hello hello;
    wc_str document;
    wc_status status;
    document.data = (const char *)json->data;
    document.length = json->length;
    status = wc_channel_hello_create(document, &hello);
    if (status != WC_STATUS_OK) {
        return status;
    }
    options.hello = hello.id;
    options.message_timeout_ms = 120000;
    options.idle_timeout_ms = patience_ms;
    status = wc_channel_from_socket(dup(STDIN_FILENO), &options, channel);
    /* The channel has what it needs of it. */
    wc_channel_hello_destroy(&hello);
    return status;
}

static int over_channel(const wc_owned_bytes *json, int sends, const char *what, int32_t patience_ms)
{
    wc_channel channel;
    wc_error error;
    uint32_t version;
    uint64_t id;
    acme_camera_frame frame;
    if (greet(json, patience_ms, &channel) != WC_STATUS_OK) {
        return failed();
    }
    if (sends) {
        uint8_t out[ACME_CAMERA_FRAME_SIZE];
        if (wc_channel_agreed(channel, ACME_CAMERA_FRAME_CONTRACT, patience_ms, &version, &id) != WC_STATUS_OK) {
            return failed();
        }
        frame = taken(what);
        const size_t size = written(&frame, version, out, sizeof out, &error);
        if (size == 0) {
            return faulty(&error);
        }
        if (wc_channel_send(channel, out, size, NULL, 0) != WC_STATUS_OK) {
            return failed();
        }
    } else {
        uint8_t bytes[4096];
        size_t length;
        size_t fds;
        /* Nobody asks for the hello here: it comes first by itself. */
        if (wc_channel_receive_into(channel, bytes, sizeof bytes, NULL, 0, -1, &length, &fds) != WC_STATUS_OK) {
            return failed();
        }
        if (acme_camera_frame_read(bytes, length, &frame, &error) != WC_STATUS_OK) {
            return faulty(&error);
        }
        if (wc_channel_agreed(channel, ACME_CAMERA_FRAME_CONTRACT, 0, &version, &id) != WC_STATUS_OK) {
            return failed();
        }
    }
    if (version == ACME_CAMERA_FRAME_VERSION && id != ACME_CAMERA_FRAME_WIRE_ID) {
        return refused("another id than the header's");
    }
    say(sends ? "sent" : "read", version, &frame);
    wc_channel_destroy(&channel);
    return 0;
}

int main(int argc, char **argv)
{
    static const wc_spoken_version versions[] = WC_SPEAKS_VERSIONS(ACME_CAMERA_FRAME);
    static const wc_spoken_contract speaks[] = {WC_SPEAKS(ACME_CAMERA_FRAME, versions)};
    static uint8_t bytes[65536];
    const wc_hello ours = WC_HELLO_OF(speaks);
    wc_error error;
    wc_owned_bytes json;
    if (wc_hello_to_json(&ours, &json, &error) != WC_STATUS_OK) {
        return faulty(&error);
    }
    if (argc > 3 && strcmp(argv[3], "channel") == 0) {
        const int patience_ms = argc > 4 ? atoi(argv[4]) : 120000;
        const int result = over_channel(&json, strcmp(argv[1], "sends") == 0, argv[2], patience_ms);
        wc_bytes_free(&json);
        return result;
    }
    if (!put(json.data, json.length)) {
        return refused("nobody listens");
    }
    wc_bytes_free(&json);

    wc_str document;
    document.length = get(bytes, sizeof bytes);
    document.data = (const char *)bytes;
    wc_hello theirs;
    wc_arena arena;
    if (wc_hello_from_json(document, &theirs, &arena, &error) != WC_STATUS_OK) {
        return faulty(&error);
    }
    wc_negotiation agreed;
    const wc_status status = wc_negotiate(&ours, &theirs, WC_STR(ACME_CAMERA_FRAME_CONTRACT), &agreed, &error);
    if (status == WC_STATUS_ID_MISMATCH) {
        char text[1024];
        wc_negotiation_text(&agreed, NULL, text, sizeof text);
        return refused(text);
    }
    if (status != WC_STATUS_OK) {
        return faulty(&error);
    }
    wc_arena_free(&arena);

    acme_camera_frame frame;
    if (argc > 2 && strcmp(argv[1], "sends") == 0) {
        uint8_t out[ACME_CAMERA_FRAME_SIZE];
        frame = taken(argv[2]);
        const size_t size = written(&frame, agreed.version, out, sizeof out, &error);
        if (size == 0) {
            return faulty(&error);
        }
        if (!put(out, size)) {
            return refused("nobody listens");
        }
        say("sent", agreed.version, &frame);
        return 0;
    }
    const size_t length = get(bytes, sizeof bytes);
    if (acme_camera_frame_read(bytes, length, &frame, &error) != WC_STATUS_OK) {
        return faulty(&error);
    }
    say("read", agreed.version, &frame);
    return 0;
}
