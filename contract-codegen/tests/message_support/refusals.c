/*
 * What nothing but a C program can do wrong: null pointers, and numbers that are no file descriptors. Prints what is not as it
 * should be. Compiled as C and as C++.
 */
#include <stdio.h>
#include <string.h>

#include <wirecontract/vhost.h>

#define EXPECT(condition)                                  \
    do {                                                   \
        if (!(condition)) {                                \
            printf("%d: %s\n", __LINE__, #condition);      \
        }                                                  \
    } while (0)

static wc_error fault;

/* Whether the fault is that -2 is no file descriptor. */
static bool is_negative(wc_status status, const char *contract, const char *field)
{
    return status == WC_STATUS_BAD_HANDLE && fault.code == WC_STATUS_BAD_HANDLE && fault.offset == 0
        && strcmp(fault.contract, contract) == 0 && strcmp(fault.field, field) == 0
        && strcmp(fault.expected, "a file descriptor") == 0 && fault.found.kind == WC_FOUND_SIGNED
        && fault.found.signed_value == -2;
}

static bool is_null(wc_status status, const char *contract)
{
    const bool known = status == WC_STATUS_NULL_ARGUMENT && fault.code == WC_STATUS_NULL_ARGUMENT
        && strcmp(fault.contract, contract) == 0 && strcmp(fault.expected, "a pointer") == 0;
    memset(&fault, 0, sizeof fault);
    return known;
}

/* A header of a request with these flags, and zeros. */
static void put_header(uint8_t *bytes, uint8_t request, uint8_t flags, uint8_t size)
{
    memset(bytes, 0, 64);
    bytes[0] = request;
    bytes[4] = flags;
    bytes[8] = size;
}

static void reads_of_negative_ones(void)
{
    const int last[3] = {7, 8, -2}, first[3] = {-2, 7, 8};
    uint8_t bytes[64];
    wc_unknown_message unknown;
    wc_kick_message kick;
    wc_log_message log;
    wc_vhost_message any;
    memset(&unknown, 0xAA, sizeof unknown);
    put_header(bytes, 99, 0, 0);
    EXPECT(is_negative(wc_unknown_message_read(bytes, 12, last, 3, &unknown, &fault), "UnknownMessage", ""));
    EXPECT(is_negative(wc_unknown_message_read(bytes, 12, first, 1, &unknown, &fault), "UnknownMessage", ""));
    EXPECT(((const uint8_t *)(const void *)&unknown)[0] == 0xAA);
    EXPECT(wc_unknown_message_read(bytes, 12, last, 2, &unknown, &fault) == WC_STATUS_OK);
    EXPECT(is_negative(wc_vhost_message_read(bytes, 12, last, 3, &any, &fault), "UnknownMessage", ""));
    put_header(bytes, 12, 2, 0);
    EXPECT(is_negative(wc_kick_message_read(bytes, 12, first, 3, &kick, &fault), "KickMessage", ""));
    EXPECT(is_negative(wc_kick_message_read(bytes, 12, last, 3, &kick, &fault), "KickMessage", ""));
    /* The number is looked at first. */
    EXPECT(wc_kick_message_read(bytes, 12, last + 1, 2, &kick, &fault) == WC_STATUS_FD_COUNT);
    put_header(bytes, 6, 2, 12);
    EXPECT(is_negative(wc_log_message_read(bytes, 12, last, 3, &log, &fault), "LogMessage", ""));
}

static void writes_of_negative_ones(void)
{
    const int pair[2] = {7, -2};
    uint8_t bytes[64];
    int all[8];
    size_t length = 77, count = 77;
    wc_kick_message kick;
    wc_log_message log;
    wc_unknown_message unknown;
    wc_kick_message_init(&kick);
    kick.header.flags = 1;
    kick.pair = pair;
    kick.pair_count = 2;
    EXPECT(is_negative(wc_kick_message_write(&kick, bytes, 64, &length, all, 8, &count, &fault), "KickMessage", "pair"));
    wc_log_message_init(&log);
    log.header.size = 12;
    log.header.flags = 4;
    log.log = 7;
    log.pages = pair;
    log.pages_count = 2;
    EXPECT(is_negative(wc_log_message_write(&log, bytes, 64, &length, all, 8, &count, &fault), "LogMessage", "pages"));
    log.log = -2;
    EXPECT(wc_log_message_write(&log, bytes, 64, &length, all, 8, &count, &fault) == WC_STATUS_FD_COUNT);
    EXPECT(strcmp(fault.field, "log") == 0 && fault.found.unsigned_value == 0);
    wc_unknown_message_init(&unknown);
    unknown.all = pair + 1;
    unknown.all_count = 1;
    EXPECT(is_negative(wc_unknown_message_write(&unknown, bytes, 64, &length, all, 8, &count, &fault), "UnknownMessage", "all"));
    unknown.all = NULL;
    EXPECT(is_null(wc_unknown_message_write(&unknown, bytes, 64, &length, all, 8, &count, &fault), "UnknownMessage"));
    EXPECT(length == 77 && count == 77);
}

static void documents_beside_negative_ones(void)
{
    static const uint32_t sizes[2] = {7, 7};
    const int fds[2] = {7, -2};
    int all[8];
    size_t count = 77;
    wc_registration body = wc_registration_init();
    wc_register_message value;
    wc_query query;
    wc_query_message query_message;
    wc_word word;
    wc_word_message word_message;
    body.surface = WC_STR("a");
    body.image.plane_sizes.items = sizes;
    body.image.plane_sizes.count = 2;
    EXPECT(is_negative(wc_register_message_split(&body, fds, 2, &value, &fault), "RegisterMessage", ""));
    wc_register_message_init(&value);
    value.body = body;
    value.planes = fds;
    value.planes_count = 2;
    EXPECT(is_negative(wc_register_message_join(&value, all, 8, &count, &fault), "RegisterMessage", "planes"));
    memset(&query, 0, sizeof query);
    query.tag = WC_QUERY_REGISTER;
    query.value.register_ = body;
    EXPECT(is_negative(wc_query_message_split(&query, fds, 2, &query_message, &fault), "RegisterMessage", ""));
    query_message.tag = WC_QUERY_MESSAGE_REGISTER;
    query_message.value.register_ = value;
    EXPECT(is_negative(wc_query_message_join(&query_message, &query, all, 8, &count, &fault), "RegisterMessage", "planes"));
    memset(&word, 0, sizeof word);
    word.tag = WC_WORD_OTHER;
    word.value.other.tag = WC_STR("later");
    EXPECT(is_negative(wc_word_message_split(&word, fds, 2, &word_message, &fault), "WordMessage", ""));
    word_message.tag = WC_WORD_MESSAGE_OTHER;
    word_message.value.other.body = word.value.other;
    word_message.value.other.fds = fds;
    word_message.value.other.fd_count = 2;
    EXPECT(is_negative(wc_word_message_join(&word_message, &word, all, 8, &count, &fault), "WordMessage", ""));
    word_message.value.other.fds = NULL;
    EXPECT(is_null(wc_word_message_join(&word_message, &word, all, 8, &count, &fault), "WordMessage"));
    EXPECT(count == 77);
}

/* Each pointer of each function of a message of bytes, null in its turn; whatever is behind it is looked at later. */
#define NULLS_OF_BYTES(stem, name)                                                                             \
    static void nulls_of_##stem(void)                                                                          \
    {                                                                                                          \
        uint8_t bytes[64] = {0};                                                                               \
        int all[8] = {0};                                                                                      \
        size_t length = 0, count = 0;                                                                          \
        stem value;                                                                                            \
        memset(&value, 0, sizeof value);                                                                       \
        EXPECT(is_null(stem##_read(NULL, 12, all, 1, &value, &fault), name));                                  \
        EXPECT(is_null(stem##_read(bytes, 12, NULL, 1, &value, &fault), name));                                \
        EXPECT(is_null(stem##_read(bytes, 12, all, 1, NULL, &fault), name));                                   \
        EXPECT(stem##_read(NULL, 12, NULL, 1, NULL, NULL) == WC_STATUS_NULL_ARGUMENT);                         \
        EXPECT(is_null(stem##_write(NULL, bytes, 64, &length, all, 8, &count, &fault), name));                 \
        EXPECT(stem##_write(&value, NULL, 64, &length, all, 8, &count, NULL) == WC_STATUS_NULL_ARGUMENT);      \
        EXPECT(stem##_write(&value, bytes, 64, NULL, all, 8, &count, NULL) == WC_STATUS_NULL_ARGUMENT);        \
        EXPECT(stem##_write(&value, bytes, 64, &length, NULL, 8, &count, NULL) == WC_STATUS_NULL_ARGUMENT);    \
        EXPECT(stem##_write(&value, bytes, 64, &length, all, 8, NULL, NULL) == WC_STATUS_NULL_ARGUMENT);       \
        EXPECT(is_null(stem##_validate_import(NULL, &fault), name));                                           \
        EXPECT(stem##_validate_import(NULL, NULL) == WC_STATUS_NULL_ARGUMENT);                                 \
    }
NULLS_OF_BYTES(wc_mem_table_message, "MemTableMessage")
NULLS_OF_BYTES(wc_log_message, "LogMessage")
NULLS_OF_BYTES(wc_kick_message, "KickMessage")
NULLS_OF_BYTES(wc_unknown_message, "UnknownMessage")
NULLS_OF_BYTES(wc_growing_message, "GrowingMessage")

static void nulls_of_several_by_tag(void)
{
    uint8_t bytes[64];
    int all[8] = {0};
    size_t length = 0, count = 0;
    wc_vhost_message value;
    put_header(bytes, 12, 2, 0);
    EXPECT(is_null(wc_vhost_message_read(NULL, 12, all, 3, &value, &fault), "VhostMessage"));
    EXPECT(is_null(wc_vhost_message_read(bytes, 12, NULL, 3, &value, &fault), "VhostMessage"));
    EXPECT(is_null(wc_vhost_message_read(bytes, 12, all, 3, NULL, &fault), "VhostMessage"));
    EXPECT(wc_vhost_message_read(bytes, 12, all, 3, &value, &fault) == WC_STATUS_OK);
    EXPECT(is_null(wc_vhost_message_write(NULL, bytes, 64, &length, all, 8, &count, &fault), "VhostMessage"));
    EXPECT(is_null(wc_vhost_message_write(&value, NULL, 64, &length, all, 8, &count, &fault), "KickMessage"));
    EXPECT(is_null(wc_vhost_message_write(&value, bytes, 64, NULL, all, 8, &count, &fault), "KickMessage"));
    EXPECT(is_null(wc_vhost_message_write(&value, bytes, 64, &length, NULL, 8, &count, &fault), "KickMessage"));
    EXPECT(is_null(wc_vhost_message_write(&value, bytes, 64, &length, all, 8, NULL, &fault), "KickMessage"));
    EXPECT(is_null(wc_vhost_message_validate_import(NULL, &fault), "VhostMessage"));
    value.tag = 77;
    EXPECT(wc_vhost_message_write(&value, NULL, 0, NULL, NULL, 0, NULL, NULL) == WC_STATUS_UNKNOWN_TAG);
    EXPECT(wc_vhost_message_validate_import(&value, NULL) == WC_STATUS_UNKNOWN_TAG);
}

static void nulls_of_a_tail(void)
{
    wc_mem_region region;
    wc_mem_table_message value;
    wc_mem_table_message_init(&value);
    value.regions_count = 1;
    EXPECT(is_null(wc_mem_table_message_regions_at(NULL, 0, &region, &fault), "MemTableMessage"));
    EXPECT(is_null(wc_mem_table_message_regions_at(&value, 0, NULL, &fault), "MemTableMessage"));
    EXPECT(is_null(wc_mem_table_message_regions_at(&value, 0, &region, &fault), "MemTableMessage"));
    EXPECT(wc_mem_table_message_regions_at(&value, 0, &region, NULL) == WC_STATUS_NULL_ARGUMENT);
}

static void nulls_of_a_document(void)
{
    int all[8] = {0};
    size_t count = 0;
    wc_registration body = wc_registration_init();
    wc_register_message value;
    wc_register_message_init(&value);
    EXPECT(is_null(wc_register_message_split(NULL, all, 1, &value, &fault), "RegisterMessage"));
    EXPECT(is_null(wc_register_message_split(&body, NULL, 1, &value, &fault), "RegisterMessage"));
    EXPECT(is_null(wc_register_message_split(&body, all, 1, NULL, &fault), "RegisterMessage"));
    EXPECT(is_null(wc_register_message_join(NULL, all, 8, &count, &fault), "RegisterMessage"));
    EXPECT(is_null(wc_register_message_join(&value, NULL, 8, &count, &fault), "RegisterMessage"));
    EXPECT(is_null(wc_register_message_join(&value, all, 8, NULL, &fault), "RegisterMessage"));
    EXPECT(is_null(wc_register_message_validate_import(NULL, &fault), "RegisterMessage"));
}

#define NULLS_OF_UNION(body, stem, name)                                                                 \
    static void nulls_of_##stem(void)                                                                    \
    {                                                                                                    \
        int all[8] = {0};                                                                                \
        size_t count = 0;                                                                                \
        body document;                                                                                   \
        stem value;                                                                                      \
        memset(&document, 0, sizeof document);                                                           \
        memset(&value, 0, sizeof value);                                                                 \
        EXPECT(is_null(stem##_split(NULL, all, 1, &value, &fault), name));                               \
        EXPECT(is_null(stem##_split(&document, NULL, 1, &value, &fault), name));                         \
        EXPECT(is_null(stem##_split(&document, all, 1, NULL, &fault), name));                            \
        EXPECT(is_null(stem##_join(NULL, &document, all, 8, &count, &fault), name));                     \
        EXPECT(is_null(stem##_join(&value, NULL, all, 8, &count, &fault), name));                        \
        EXPECT(is_null(stem##_join(&value, &document, NULL, 8, &count, &fault), name));                  \
        EXPECT(is_null(stem##_join(&value, &document, all, 8, NULL, &fault), name));                     \
        EXPECT(is_null(stem##_validate_import(NULL, &fault), name));                                     \
        value.tag = 77;                                                                                  \
        document.tag = 77;                                                                               \
        EXPECT(stem##_split(&document, all, 0, &value, NULL) == WC_STATUS_UNKNOWN_TAG);                  \
        EXPECT(stem##_join(&value, &document, all, 8, &count, NULL) == WC_STATUS_UNKNOWN_TAG);           \
        EXPECT(stem##_validate_import(&value, NULL) == WC_STATUS_UNKNOWN_TAG);                           \
    }
NULLS_OF_UNION(wc_query, wc_query_message, "QueryMessage")
NULLS_OF_UNION(wc_word, wc_word_message, "WordMessage")
NULLS_OF_UNION(wc_setting, wc_setting_message, "SettingMessage")
NULLS_OF_UNION(wc_signal, wc_signal_message, "SignalMessage")

int main(void)
{
    reads_of_negative_ones();
    writes_of_negative_ones();
    documents_beside_negative_ones();
    nulls_of_wc_mem_table_message();
    nulls_of_wc_log_message();
    nulls_of_wc_kick_message();
    nulls_of_wc_unknown_message();
    nulls_of_wc_growing_message();
    nulls_of_several_by_tag();
    nulls_of_a_tail();
    nulls_of_a_document();
    nulls_of_wc_query_message();
    nulls_of_wc_word_message();
    nulls_of_wc_setting_message();
    nulls_of_wc_signal_message();
    return 0;
}
