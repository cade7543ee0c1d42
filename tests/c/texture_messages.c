/*
 * Says of each message of the texture wire on standard input what C makes of it. A question is a line: a contract, how many
 * file descriptors come with it, its bytes. An answer is why it is refused, or `ok`, the variant, the numbers of each group's
 * file descriptors, what is written of it or why nothing is, and what an importer says.
 */
#include <wirecontract/texture.h>

#include "crossed.h"

static void say(const wc_error *error)
{
    char line[1024];
    wc_error_message(error, line, sizeof line);
    fputs(line, stdout);
}

static void group(const int *fds, size_t count)
{
    fputs("[", stdout);
    for (size_t i = 0; i < count; i++) {
        printf(i == 0 ? "%d" : ",%d", number_of(fds[i]));
    }
    fputs("]", stdout);
}

static void one(int fd)
{
    group(&fd, fd >= 0);
}

static void of_registration(const wc_registration_message *value)
{
    group(value->planes, value->planes_count);
    one(value->produce_done);
    one(value->consume_done);
}

static void of_check_in(const wc_check_in_message *value)
{
    group(value->planes, value->planes_count);
}

static void of_surface(const wc_surface_message *value)
{
    group(value->planes, value->planes_count);
    one(value->produce_done);
    one(value->consume_done);
}

static void shown_wc_registration_message(const wc_registration_message *value)
{
    fputs("- ", stdout);
    of_registration(value);
}

static void shown_wc_check_in_message(const wc_check_in_message *value)
{
    fputs("- ", stdout);
    of_check_in(value);
}

static void shown_wc_surface_message(const wc_surface_message *value)
{
    fputs("- ", stdout);
    of_surface(value);
}

static void shown_wc_request_message(const wc_request_message *value)
{
    switch (value->tag) {
    case WC_REQUEST_MESSAGE_REGISTER:
        fputs("Register ", stdout);
        of_registration(&value->value.register_);
        break;
    case WC_REQUEST_MESSAGE_CHECK_IN:
        fputs("CheckIn ", stdout);
        of_check_in(&value->value.check_in);
        break;
    case WC_REQUEST_MESSAGE_LOOKUP: fputs("Lookup ", stdout); break;
    case WC_REQUEST_MESSAGE_CHECK_OUT: fputs("CheckOut ", stdout); break;
    case WC_REQUEST_MESSAGE_RELEASE_CHECK_OUT: fputs("ReleaseCheckOut ", stdout); break;
    case WC_REQUEST_MESSAGE_UNREGISTER: fputs("Unregister ", stdout); break;
    case WC_REQUEST_MESSAGE_RELEASE: fputs("Release ", stdout); break;
    case WC_REQUEST_MESSAGE_UPDATE_LAYOUT: fputs("UpdateLayout ", stdout); break;
    default: fputs("no variant ", stdout); break;
    }
}

static void shown_wc_lookup_answer_message(const wc_lookup_answer_message *value)
{
    switch (value->tag) {
    case WC_LOOKUP_ANSWER_MESSAGE_ERROR: fputs("Error ", stdout); break;
    case WC_LOOKUP_ANSWER_MESSAGE_SURFACE:
        fputs("Surface ", stdout);
        of_surface(&value->value.surface);
        break;
    default: fputs("no variant ", stdout); break;
    }
}

/* What is written: all file descriptors, as they came, and the document. */
static void written(wc_status status, const wc_error *error, const crossed *message, const int *fds, size_t count, wc_owned_bytes *json)
{
    fputs(" ", stdout);
    if (status != WC_STATUS_OK) {
        say(error);
        return;
    }
    if (count != message->fd_count || (count != 0 && memcmp(fds, message->fds, count * sizeof *fds) != 0)) {
        fputs("with other file descriptors ", stdout);
    }
    for (size_t i = 0; i < json->length; i++) {
        printf("%02x", json->data[i]);
    }
    OK(wc_bytes_free(json));
}

static void imported(wc_status status, const wc_error *error)
{
    fputs("|", stdout);
    if (status == WC_STATUS_OK) {
        fputs("ok", stdout);
    } else {
        say(error);
    }
}

/* `JOIN` puts the file descriptors of `value` into `fds`, and a document into `again`, or leaves it where it is. */
#define ASKS(stem, document_stem, JOIN, AGAIN)                                                                      \
    static void ask_##stem(const crossed *message)                                                                  \
    {                                                                                                               \
        const wc_str json = {(const char *)message->body, message->length};                                         \
        document_stem document, again;                                                                              \
        stem value;                                                                                                 \
        wc_arena arena = {0};                                                                                       \
        wc_owned_bytes bytes = {0};                                                                                 \
        wc_error error;                                                                                             \
        int fds[MOST_FDS];                                                                                          \
        size_t count = 0;                                                                                           \
        wc_status status = document_stem##_from_json(json, &document, &arena, &error);                              \
        (void)again;                                                                                                \
        if (status != WC_STATUS_OK) {                                                                               \
            say(&error);                                                                                            \
            return;                                                                                                 \
        }                                                                                                           \
        status = stem##_split(&document, message->fds, message->fd_count, &value, &error);                          \
        if (status != WC_STATUS_OK) {                                                                               \
            say(&error);                                                                                            \
        } else {                                                                                                    \
            fputs("ok ", stdout);                                                                                   \
            shown_##stem(&value);                                                                                   \
            status = JOIN;                                                                                          \
            if (status == WC_STATUS_OK) {                                                                           \
                status = document_stem##_to_json(AGAIN, &bytes, &error);                                            \
            }                                                                                                       \
            written(status, &error, message, fds, count, &bytes);                                                   \
            status = stem##_validate_import(&value, &error);                                                        \
            imported(status, &error);                                                                               \
        }                                                                                                           \
        OK(wc_arena_free(&arena));                                                                                  \
    }
#define ASKS_ONE(stem, document_stem, member) \
    ASKS(stem, document_stem, stem##_join(&value, fds, MOST_FDS, &count, &error), &value.member)
#define ASKS_SEVERAL(stem, document_stem) \
    ASKS(stem, document_stem, stem##_join(&value, &again, fds, MOST_FDS, &count, &error), &again)
ASKS_ONE(wc_registration_message, wc_registration, registration)
ASKS_ONE(wc_check_in_message, wc_check_in, check_in)
ASKS_ONE(wc_surface_message, wc_surface_answer, surface)
ASKS_SEVERAL(wc_request_message, wc_request)
ASKS_SEVERAL(wc_lookup_answer_message, wc_lookup_answer)

int main(void)
{
    static crossed message;
    char *line = NULL;
    size_t room = 0;
    const size_t open = open_fds();
    while (getline(&line, &room, stdin) > 0) {
        char name[64];
        unsigned fd_count = 0;
        int at = 0;
        EXPECT(sscanf(line, "%63s %u %n", name, &fd_count, &at) == 2);
        cross(line + at, fd_count, &message);
#define NAMED(text, stem)           \
    if (strcmp(name, text) == 0) {  \
        ask_##stem(&message);       \
    }
        NAMED("RegistrationMessage", wc_registration_message)
        NAMED("CheckInMessage", wc_check_in_message)
        NAMED("SurfaceMessage", wc_surface_message)
        NAMED("RequestMessage", wc_request_message)
        NAMED("LookupAnswerMessage", wc_lookup_answer_message)
        fputs("\n", stdout);
        end_crossed(&message);
        EXPECT(open_fds() == open);
    }
    free(line);
    return 0;
}
