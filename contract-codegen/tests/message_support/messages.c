/*
 * Reads questions of messages, one a line, and prints what C says:
 *
 *     read NAME FDS HEX          the message of these bytes, with so many file descriptors
 *     write NAME A,B,C HEX       its parts, a tail of the other bytes, and so many file descriptors in each group
 *     split PLANES PRODUCE CONSUME FDS, join PLANES PRODUCE CONSUME A,B,C
 *     query NAME PLANES FDS      one of several messages whose body is a union
 *
 * File descriptors are numbers from 100 on. Compiled as C and as C++; with CHANGED, for a catalog of which UnknownMessage has
 * a tail of MemTable, and VhostMessage no variant that takes every other number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <wirecontract/vhost.h>

enum { FIRST = 100, MOST = 300, CAPACITY = 512 };

static int fds[MOST];

static void say(wc_status status, const wc_error *error)
{
    char line[1024];
    if (status == WC_STATUS_OK) {
        fputs("ok", stdout);
    } else if (status != error->code) {
        fputs("the error has another code", stdout);
    } else {
        wc_error_message(error, line, sizeof line);
        fputs(line, stdout);
    }
}

static void say_hex(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        printf("%02x", bytes[i]);
    }
}

static void say_group(const int *group, size_t count)
{
    if (count == 0) {
        fputs(" -", stdout);
        return;
    }
    printf(" %d+%u", group[0] - FIRST, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        if (group[i] != group[0] + (int)i) {
            fputs(" not in order", stdout);
        }
    }
}

static void say_one(int fd)
{
    say_group(&fd, fd >= 0 ? 1 : 0);
}

/* What was written, or why not; bytes of another kind behind it must stay. */
static void say_written(
    wc_status status, const wc_error *error, const uint8_t *bytes, size_t length, const int *all, size_t count)
{
    fputs("|", stdout);
    if (status != WC_STATUS_OK) {
        say(status, error);
        for (size_t i = 0; i < CAPACITY; i++) {
            if (bytes[i] != 0xEE) {
                fputs(" and something was written", stdout);
                return;
            }
        }
        return;
    }
    say_hex(bytes, length);
    if (bytes[length] != 0xEE) {
        fputs(" and more was written", stdout);
    }
    say_group(all, count);
}

/* What shows of each message: its groups, and its tail. */
static void show_wc_mem_table_message(const wc_mem_table_message *value)
{
    wc_mem_region region;
    wc_error error;
    say_group(value->memory, value->memory_count);
    for (size_t i = 0; i < value->regions_count; i++) {
        const wc_status status = wc_mem_table_message_regions_at(value, i, &region, &error);
        if (status != WC_STATUS_OK) {
            say(status, &error);
        } else {
            printf(" %" PRIu64 ":%" PRIu64, region.start, region.size);
        }
    }
    if (wc_mem_table_message_regions_at(value, value->regions_count, &region, &error) != WC_STATUS_OUT_OF_RANGE) {
        fputs(" one more", stdout);
    }
}

static void show_wc_log_message(const wc_log_message *value)
{
    say_one(value->log);
    say_group(value->pages, value->pages_count);
    say_one(value->done);
    fputs(" ", stdout);
    (void)fwrite(value->path.data, 1, value->path.length, stdout);
}

static void show_wc_kick_message(const wc_kick_message *value)
{
    say_one(value->kick);
    say_group(value->pair, value->pair_count);
}

static void show_wc_unknown_message(const wc_unknown_message *value)
{
    say_group(value->all, value->all_count);
#ifdef CHANGED
    for (size_t i = 0; i < value->rest_count; i++) {
        wc_mem_table table;
        wc_error error;
        (void)wc_unknown_message_rest_at(value, i, &table, &error);
        printf(" %" PRIu32, table.regions);
    }
#else
    fputs(" ", stdout);
    say_hex(value->rest.data, value->rest.length);
#endif
}

static void show_wc_growing_message(const wc_growing_message *value)
{
    wc_mem_region region;
    wc_error error;
    for (size_t i = 0; i < value->regions_count; i++) {
        (void)wc_growing_message_regions_at(value, i, &region, &error);
        printf(" %" PRIu64 ":%" PRIu64, region.start, region.size);
    }
}

/* What is written of a value, and what an importer says of it. */
#define WRITES_OF(stem)                                                                                             \
    static void written_##stem(const stem *value)                                                                   \
    {                                                                                                               \
        uint8_t bytes[CAPACITY];                                                                                    \
        int all[MOST];                                                                                              \
        size_t length = 0, count = 0;                                                                               \
        wc_error error;                                                                                             \
        wc_status status;                                                                                           \
        memset(bytes, 0xEE, sizeof bytes);                                                                          \
        status = stem##_write(value, bytes, CAPACITY - 1, &length, all, MOST, &count, &error);                      \
        say_written(status, &error, bytes, length, all, count);                                                     \
        if (status == WC_STATUS_OK) {                                                                               \
            const size_t size = length, fd_count = count;                                                           \
            if (stem##_write(value, bytes, size - 1, &length, all, MOST, &count, NULL) != WC_STATUS_TOO_SHORT) {    \
                fputs(" without room", stdout);                                                                     \
            }                                                                                                       \
            if (fd_count != 0                                                                                       \
                && stem##_write(value, bytes, size, &length, all, fd_count - 1, &count, NULL) != WC_STATUS_TOO_SHORT) {\
                fputs(" without room for file descriptors", stdout);                                                \
            }                                                                                                       \
            fputs("|", stdout);                                                                                     \
            status = stem##_validate_import(value, &error);                                                         \
            say(status, &error);                                                                                    \
        }                                                                                                           \
    }
WRITES_OF(wc_mem_table_message)
WRITES_OF(wc_log_message)
WRITES_OF(wc_kick_message)
WRITES_OF(wc_unknown_message)
WRITES_OF(wc_growing_message)
WRITES_OF(wc_vhost_message)

#define READ(stem)                                                                       \
    static void read_##stem(const uint8_t *bytes, size_t length, size_t fd_count)        \
    {                                                                                    \
        stem value;                                                                      \
        wc_error error;                                                                  \
        wc_status status;                                                                \
        memset(&value, 0xAA, sizeof value);                                              \
        status = stem##_read(bytes, length, fds, fd_count, &value, &error);              \
        if (stem##_read(bytes, length, fds, fd_count, &value, NULL) != status) {         \
            fputs("another verdict ", stdout);                                           \
        }                                                                                \
        say(status, &error);                                                             \
        if (status == WC_STATUS_OK) {                                                    \
            show_##stem(&value);                                                         \
            written_##stem(&value);                                                      \
        } else {                                                                         \
            for (size_t i = 0; i < sizeof value; i++) {                                  \
                if (((const uint8_t *)(const void *)&value)[i] != 0xAA) {                \
                    fputs(" and something was read", stdout);                            \
                    break;                                                               \
                }                                                                        \
            }                                                                            \
        }                                                                                \
    }
READ(wc_mem_table_message)
READ(wc_log_message)
READ(wc_kick_message)
READ(wc_unknown_message)
READ(wc_growing_message)

static void read_wc_vhost_message(const uint8_t *bytes, size_t length, size_t fd_count)
{
    wc_vhost_message value;
    wc_error error;
    const wc_status status = wc_vhost_message_read(bytes, length, fds, fd_count, &value, &error);
    say(status, &error);
    if (status != WC_STATUS_OK) {
        return;
    }
    printf(" %d", (int)value.tag);
    switch (value.tag) {
    case WC_VHOST_MESSAGE_SET_MEM_TABLE: show_wc_mem_table_message(&value.value.set_mem_table); break;
    case WC_VHOST_MESSAGE_SET_LOG: show_wc_log_message(&value.value.set_log); break;
    case WC_VHOST_MESSAGE_KICK: show_wc_kick_message(&value.value.kick); break;
#ifndef CHANGED
    case WC_VHOST_MESSAGE_OTHER: show_wc_unknown_message(&value.value.other); break;
#endif
    default: fputs(" no variant", stdout); break;
    }
    written_wc_vhost_message(&value);
}

/* The next group of a value that is to be written. */
static int *next_fds;

static int one(size_t count)
{
    return count == 0 ? -1 : *next_fds++;
}

static const int *many(size_t count)
{
    const int *group = count == 0 ? NULL : next_fds;
    next_fds += count;
    return group;
}

static bool header_of(const uint8_t *bytes, size_t length, wc_vhost_header *header)
{
    return wc_vhost_header_read_prefix(bytes, length, header, NULL) == WC_STATUS_OK;
}

static void write_mem_table(const uint8_t *bytes, size_t length, const size_t *counts)
{
    wc_mem_table_message value;
    wc_mem_table_message_init(&value);
    if (!header_of(bytes, length, &value.header)
        || wc_mem_table_read_prefix(bytes + 12, length - 12, &value.table, NULL) != WC_STATUS_OK) {
        fputs("no parts", stdout);
        return;
    }
    value.regions = bytes + 20;
    value.regions_count = (length - 20) / WC_MEM_REGION_SIZE;
    value.memory = many(counts[0]);
    value.memory_count = counts[0];
    written_wc_mem_table_message(&value);
}

static void write_log(const uint8_t *bytes, size_t length, const size_t *counts)
{
    wc_log_message value;
    wc_log_message_init(&value);
    (void)header_of(bytes, length, &value.header);
    value.path.data = (const char *)(const void *)(bytes + 12);
    value.path.length = length - 12;
    value.log = one(counts[0]);
    value.pages = many(counts[1]);
    value.pages_count = counts[1];
    value.done = one(counts[2]);
    written_wc_log_message(&value);
}

static void write_kick(const uint8_t *bytes, size_t length, const size_t *counts)
{
    wc_kick_message value;
    wc_kick_message_init(&value);
    (void)header_of(bytes, length, &value.header);
    value.kick = one(counts[0]);
    value.pair = many(counts[1]);
    value.pair_count = counts[1];
    written_wc_kick_message(&value);
}

/* As that variant of the several messages, whatever the header says. */
static void write_vhost(const uint8_t *bytes, size_t length, const size_t *counts)
{
    wc_vhost_message value;
    wc_kick_message *kick = &value.value.kick;
    if (counts[0] == 0) {
        value.tag = WC_VHOST_MESSAGE_KICK;
        wc_kick_message_init(kick);
        (void)header_of(bytes, length, &kick->header);
        kick->kick = one(counts[1]);
        kick->pair = many(counts[2]);
        kick->pair_count = counts[2];
    } else {
#ifdef CHANGED
        value.tag = 3;
#else
        wc_unknown_message *other = &value.value.other;
        value.tag = WC_VHOST_MESSAGE_OTHER;
        wc_unknown_message_init(other);
        (void)header_of(bytes, length, &other->header);
        other->all = many(counts[1]);
        other->all_count = counts[1];
#endif
    }
    written_wc_vhost_message(&value);
}

static void document(wc_registration *value, const uint32_t *sizes, size_t planes, bool produce, bool consume)
{
    *value = wc_registration_init();
    value->surface = WC_STR("a");
    value->image.plane_sizes.items = sizes;
    value->image.plane_sizes.count = planes;
    value->image.has_produce_done_fd = produce;
    value->image.has_consume_done_fd = consume;
}

static void joined(wc_status status, const wc_error *error, const int *all, size_t count)
{
    fputs("|", stdout);
    say(status, error);
    if (status == WC_STATUS_OK) {
        say_group(all, count);
    }
}

static void join_register(const wc_register_message *value)
{
    int all[MOST];
    size_t count = 0;
    wc_error error;
    wc_status status = wc_register_message_join(value, all, MOST, &count, &error);
    joined(status, &error, all, count);
    if (status == WC_STATUS_OK) {
        if (count != 0 && wc_register_message_join(value, all, count - 1, &count, NULL) != WC_STATUS_TOO_SHORT) {
            fputs(" without room", stdout);
        }
        fputs("|", stdout);
        status = wc_register_message_validate_import(value, &error);
        say(status, &error);
    }
}

static void split_register(const wc_registration *body, size_t fd_count)
{
    wc_register_message value;
    wc_error error;
    const wc_status status = wc_register_message_split(body, fds, fd_count, &value, &error);
    say(status, &error);
    if (status == WC_STATUS_OK) {
        say_group(value.planes, value.planes_count);
        say_one(value.produce_done);
        say_one(value.consume_done);
        join_register(&value);
    }
}

static void query(bool is_register, const wc_registration *body, size_t fd_count)
{
    int all[MOST];
    size_t count = 0;
    wc_query document;
    wc_query again;
    wc_query_message value;
    wc_error error;
    wc_status status;
    memset(&document, 0, sizeof document);
    if (is_register) {
        document.tag = WC_QUERY_REGISTER;
        document.value.register_ = *body;
    } else {
        document.tag = WC_QUERY_LOOKUP;
        document.value.lookup.surface = WC_STR("a");
    }
    status = wc_query_message_split(&document, fds, fd_count, &value, &error);
    say(status, &error);
    if (status != WC_STATUS_OK) {
        return;
    }
    printf(" %d", (int)value.tag);
    status = wc_query_message_join(&value, &again, all, MOST, &count, &error);
    joined(status, &error, all, count);
    if (status == WC_STATUS_OK && again.tag != document.tag) {
        fputs(" another document", stdout);
    }
    fputs("|", stdout);
    status = wc_query_message_validate_import(&value, &error);
    say(status, &error);
}

/* A document, its message, and the document again; `same` compares the two documents. */
#define CROSSES(document_type, stem, same)                                                              \
    static void cross_##stem(const document_type *document, size_t fd_count)                            \
    {                                                                                                   \
        int all[MOST];                                                                                  \
        size_t count = 0;                                                                               \
        document_type again;                                                                            \
        stem value;                                                                                     \
        wc_error error;                                                                                 \
        wc_status status = stem##_split(document, fds, fd_count, &value, &error);                       \
        say(status, &error);                                                                            \
        if (status != WC_STATUS_OK) {                                                                   \
            return;                                                                                     \
        }                                                                                               \
        printf(" %d", (int)value.tag);                                                                  \
        status = stem##_join(&value, &again, all, MOST, &count, &error);                                \
        joined(status, &error, all, count);                                                             \
        if (status == WC_STATUS_OK && !(again.tag == document->tag && (same))) {                        \
            fputs(" another document", stdout);                                                         \
        }                                                                                               \
        if (status == WC_STATUS_OK && count != 0                                                        \
            && stem##_join(&value, &again, all, count - 1, &count, NULL) != WC_STATUS_TOO_SHORT) {      \
            fputs(" without room", stdout);                                                             \
        }                                                                                               \
        fputs("|", stdout);                                                                             \
        status = stem##_validate_import(&value, &error);                                                \
        say(status, &error);                                                                            \
    }

CROSSES(wc_word, wc_word_message, again.tag != WC_WORD_OTHER
    || (again.value.other.tag.length == document->value.other.tag.length
        && again.value.other.content.data == document->value.other.content.data))
CROSSES(wc_setting, wc_setting_message, again.tag == WC_SETTING_PAIR ? again.value.pair[1] == document->value.pair[1]
    : again.tag == WC_SETTING_COUNT ? again.value.count == document->value.count : true)
CROSSES(wc_signal, wc_signal_message, true)

/* A message of an unknown tag that has so many file descriptors. */
static void keep(const char *tag, size_t fd_count)
{
    int all[MOST];
    size_t count = 0;
    wc_word document;
    wc_word_message value;
    wc_error error;
    wc_status status;
    memset(&value, 0, sizeof value);
    value.tag = WC_WORD_MESSAGE_OTHER;
    value.value.other.body.tag.data = tag;
    value.value.other.body.tag.length = strlen(tag);
    value.value.other.body.content = WC_STR("{}");
    value.value.other.fds = many(fd_count);
    value.value.other.fd_count = fd_count;
    status = wc_word_message_join(&value, &document, all, MOST, &count, &error);
    joined(status, &error, all, count);
    if (status == WC_STATUS_OK) {
        fputs("|", stdout);
        status = wc_word_message_validate_import(&value, &error);
        say(status, &error);
    }
    value.value.other.fds = NULL;
    if (fd_count != 0 && wc_word_message_join(&value, &document, all, MOST, &count, NULL) == WC_STATUS_OK) {
        fputs(" from nowhere", stdout);
    }
}

static void other_unions(const char *op, size_t fd_count)
{
    static const uint64_t sizes[2] = {3, 4};
    wc_word word;
    wc_setting setting;
    wc_signal signal;
    memset(&word, 0, sizeof word);
    memset(&setting, 0, sizeof setting);
    memset(&signal, 0, sizeof signal);
    if (strcmp(op, "word_stop") == 0) {
        word.tag = WC_WORD_STOP;
        cross_wc_word_message(&word, fd_count);
    } else if (strcmp(op, "word_lookup") == 0) {
        word.tag = WC_WORD_LOOKUP;
        word.value.lookup.surface = WC_STR("a");
        cross_wc_word_message(&word, fd_count);
    } else if (strcmp(op, "word_other") == 0) {
        word.tag = WC_WORD_OTHER;
        word.value.other.tag = WC_STR("later");
        word.value.other.content = WC_STR("{\"x\":1}");
        cross_wc_word_message(&word, fd_count);
    } else if (strcmp(op, "setting_count") == 0) {
        setting.tag = WC_SETTING_COUNT;
        setting.value.count = 7;
        cross_wc_setting_message(&setting, fd_count);
    } else if (strcmp(op, "setting_pair") == 0) {
        setting.tag = WC_SETTING_PAIR;
        setting.value.pair[1] = -2;
        cross_wc_setting_message(&setting, fd_count);
    } else if (strcmp(op, "setting_sizes") == 0) {
        setting.tag = WC_SETTING_SIZES;
        setting.value.sizes.items = sizes;
        setting.value.sizes.count = 2;
        cross_wc_setting_message(&setting, fd_count);
    } else if (strcmp(op, "setting_label") == 0) {
        setting.tag = WC_SETTING_LABEL;
        setting.value.label = WC_STR("a");
        cross_wc_setting_message(&setting, fd_count);
    } else if (strcmp(op, "setting_reset") == 0) {
        setting.tag = WC_SETTING_RESET;
        cross_wc_setting_message(&setting, fd_count);
    } else if (strcmp(op, "setting_later") == 0) {
        setting.tag = WC_SETTING_LATER;
        setting.value.later.tag = WC_STR("later");
        cross_wc_setting_message(&setting, fd_count);
    } else if (strcmp(op, "signal_go") == 0) {
        signal.tag = WC_SIGNAL_GO;
        cross_wc_signal_message(&signal, fd_count);
    } else {
        keep(strcmp(op, "keep_known") == 0 ? "stop" : "later", fd_count);
    }
}

static size_t unhex(const char *text, uint8_t *bytes)
{
    size_t length = 0;
    unsigned octet;
    for (; text[0] != '\0' && text[1] != '\0' && sscanf(text, "%2x", &octet) == 1; text += 2) {
        bytes[length++] = (uint8_t)octet;
    }
    return length;
}

/* Each message in memory of its own, so that a sanitizer sees what is read beyond it. */
static void ask(const char *op, const char *name, const size_t *counts, const char *hex)
{
    uint8_t all[4096];
    const size_t length = unhex(hex, all);
    uint8_t *bytes = (uint8_t *)malloc(length == 0 ? 1 : length);
    const bool is_read = strcmp(op, "read") == 0;
    if (bytes == NULL) {
        exit(1);
    }
    memcpy(bytes, all, length);
    next_fds = fds;
#define NAMED(text, stem) else if (is_read && strcmp(name, text) == 0) { read_##stem(bytes, length, counts[0]); }
#define WRITES(text, function) else if (!is_read && strcmp(name, text) == 0) { function(bytes, length, counts); }
    if (name[0] == '\0') {
        fputs("no name", stdout);
    }
    NAMED("MemTableMessage", wc_mem_table_message)
    NAMED("LogMessage", wc_log_message)
    NAMED("KickMessage", wc_kick_message)
    NAMED("UnknownMessage", wc_unknown_message)
    NAMED("GrowingMessage", wc_growing_message)
    NAMED("VhostMessage", wc_vhost_message)
    WRITES("MemTableMessage", write_mem_table)
    WRITES("LogMessage", write_log)
    WRITES("KickMessage", write_kick)
    WRITES("VhostMessage", write_vhost)
    else {
        fputs("no such question", stdout);
    }
    free(bytes);
}

static void ask_document(const char *op, const size_t *numbers)
{
    static const uint32_t sizes[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    wc_registration body;
    wc_register_message value;
    document(&body, sizes, numbers[0], numbers[1] != 0, numbers[2] != 0);
    next_fds = fds;
    if (strcmp(op, "split") == 0) {
        split_register(&body, numbers[3]);
    } else if (strcmp(op, "join") == 0) {
        wc_register_message_init(&value);
        value.body = body;
        value.planes = many(numbers[3]);
        value.planes_count = numbers[3];
        value.produce_done = one(numbers[4]);
        value.consume_done = one(numbers[5]);
        join_register(&value);
    } else if (strcmp(op, "register") == 0 || strcmp(op, "lookup") == 0) {
        query(strcmp(op, "register") == 0, &body, numbers[3]);
    } else {
        other_unions(op, numbers[3]);
    }
}

int main(void)
{
    static char line[16384];
    for (int i = 0; i < MOST; i++) {
        fds[i] = FIRST + i;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        char op[16], name[64] = "", hex[8192] = "";
        unsigned n[6] = {0, 0, 0, 0, 0, 0};
        size_t numbers[6];
        const bool is_bytes = strncmp(line, "read", 4) == 0 || strncmp(line, "write", 5) == 0;
        if (is_bytes) {
            (void)sscanf(line, "%15s %63s %u,%u,%u %8191s", op, name, &n[0], &n[1], &n[2], hex);
        } else {
            (void)sscanf(line, "%15s %u %u %u %u,%u,%u", op, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]);
        }
        for (size_t i = 0; i < 6; i++) {
            numbers[i] = n[i];
        }
        if (is_bytes) {
            ask(op, name, numbers, hex);
        } else {
            ask_document(op, numbers);
        }
        fputs("\n", stdout);
    }
    return 0;
}
