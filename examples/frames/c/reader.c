/*
 * Blackens the hot spots of every frame that a camera sends, and sends it back: `reader SOCKET`.
 *
 * What is no frame is refused by the contract's own words.
 */
#define _GNU_SOURCE

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <frames/wire.h>
#include <wirecontract/handoff.h>

static int failed(const char *what)
{
    wc_failure failure;
    wc_last_error(&failure);
    fprintf(stderr, "reader: %s: %s: %s\n", what, wc_status_name(failure.code), failure.message);
    return 1;
}

static wc_str text_of(const char *text)
{
    const wc_str all = {.data = text, .length = strlen(text)};
    return all;
}

/* A file of memory with the pixels of a frame, black where that is hot; -1 where there is none, and why in `why`. */
static int masked(const frames_frame *frame, uint8_t *pixels, char *why, size_t room)
{
    const size_t count = (size_t)frame->header.width * frame->header.height;
    int file;
    if (pread(frame->pixels, pixels, count, 0) != (ssize_t)count) {
        snprintf(why, room, "expected %zu pixels", count);
        return -1;
    }
    for (size_t at = 0; at < frame->spots_count; at++) {
        frames_spot spot;
        wc_error error;
        if (frames_frame_spots_at(frame, at, &spot, &error) != WC_STATUS_OK) {
            wc_error_message(&error, why, room);
            return -1;
        }
        if (spot.x >= frame->header.width || spot.y >= frame->header.height) {
            snprintf(why, room, "expected a hot spot within the frame");
            return -1;
        }
        pixels[(size_t)spot.y * frame->header.width + spot.x] = 0;
    }
    file = memfd_create("pixels", MFD_CLOEXEC);
    if (file >= 0 && write(file, pixels, count) != (ssize_t)count) {
        close(file);
        file = -1;
    }
    if (file < 0) {
        snprintf(why, room, "expected memory for %zu pixels", count);
    }
    return file;
}

/* Sends an answer, whose file descriptor stays the caller's. */
static int answer(wc_channel channel, const frames_answer_message *message)
{
    frames_answer document;
    int fds[FRAMES_ANSWER_MESSAGE_MAX_FDS];
    size_t fd_count;
    wc_owned_bytes json;
    wc_error error;
    wc_status status;
    if (frames_answer_message_join(message, &document, fds, FRAMES_ANSWER_MESSAGE_MAX_FDS, &fd_count, &error) != WC_STATUS_OK
        || frames_answer_to_json(&document, &json, &error) != WC_STATUS_OK) {
        char why[512];
        wc_error_message(&error, why, sizeof why);
        fprintf(stderr, "reader: %s\n", why);
        return 1;
    }
    status = wc_channel_send(channel, json.data, json.length, fds, fd_count);
    frames_bytes_free(&json);
    return status == WC_STATUS_OK ? 0 : failed("answering");
}

/* Answers a packet; 1 where that fails, -1 where it was the last one. Its file descriptors stay the caller's. */
static int take(wc_channel channel, const uint8_t *bytes, size_t length, const int *fds, size_t fd_count)
{
    /* As many as a camera has. */
    static uint8_t pixels[1 << 20];
    frames_answer_message message = {.tag = FRAMES_ANSWER_MESSAGE_REFUSED};
    frames_packet packet;
    wc_error error;
    char why[512];
    int file = -1;
    int status;
    /* The tag of a packet counts the variants; the opcode is in the header. */
    if (frames_packet_read(bytes, length, fds, fd_count, &packet, &error) != WC_STATUS_OK) {
        wc_error_message(&error, why, sizeof why);
    } else if (packet.tag == FRAMES_PACKET_STOP) {
        return -1;
    } else if (packet.value.frame.header.width > sizeof pixels / packet.value.frame.header.height) {
        snprintf(why, sizeof why, "expected at most %zu pixels", sizeof pixels);
    } else {
        file = masked(&packet.value.frame, pixels, why, sizeof why);
    }
    if (file < 0) {
        message.value.refused.error = text_of(why);
    } else {
        message.tag = FRAMES_ANSWER_MESSAGE_MASKED;
        message.value.masked.masked.reader = text_of("C");
        message.value.masked.masked.pixels = (uint32_t)packet.value.frame.spots_count;
        message.value.masked.frame = file;
    }
    status = answer(channel, &message);
    if (file >= 0) {
        close(file);
    }
    return status;
}

int main(int count, char **arguments)
{
    wc_abi_mismatch mismatch;
    wc_channel channel;
    int status = 0;
    if (count != 2 || wc_check_abi(&mismatch) != WC_STATUS_OK || frames_wire_check_abi(&mismatch) != WC_STATUS_OK) {
        return 2;
    }
    if (wc_channel_connect(arguments[1], NULL, &channel) != WC_STATUS_OK) {
        return failed("connecting");
    }
    while (status == 0) {
        uint8_t bytes[FRAMES_PACKET_MAX_BYTES];
        int fds[FRAMES_PACKET_MAX_FDS];
        size_t length;
        size_t fd_count;
        if (wc_channel_receive_into(channel, bytes, sizeof bytes, fds, FRAMES_PACKET_MAX_FDS, -1, &length, &fd_count)
            != WC_STATUS_OK) {
            status = failed("receiving");
            break;
        }
        status = take(channel, bytes, length, fds, fd_count);
        /* Refused or not, what came is this program's. */
        for (size_t at = 0; at < fd_count; at++) {
            close(fds[at]);
        }
    }
    wc_channel_destroy(&channel);
    return status < 0 ? 0 : status;
}
