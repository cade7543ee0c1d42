/* What the headers of descriptors that grow say of every version. Valid C11 and C++17. */
#include <wirecontract/cuvis.h>
#include <wirecontract/grown.h>
#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%d: %s\n", __LINE__, #condition);                                                                  \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static char text[512];

static const char *told(wc_status status, const wc_error *error)
{
    if (status == WC_STATUS_OK) {
        return "ok";
    }
    if (status != error->code || wc_error_message(error, text, sizeof text) != strlen(text)) {
        return "the error contradicts itself";
    }
    return text;
}

/* `call` speaks of `error`. */
#define SAYS(call, message)                                                                                            \
    do {                                                                                                               \
        wc_error error;                                                                                                \
        const char *got;                                                                                               \
        memset(&error, 0xEE, sizeof error);                                                                            \
        got = told((call), &error);                                                                                    \
        if (strcmp(got, (message)) != 0) {                                                                             \
            printf("%d: wanted %s\n  got %s\n", __LINE__, (message), got);                                             \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

/* Version 1; what is 0xff was reserved. */
static const uint8_t first[16] = {
    'G', 'R', 'O', 'W', 1, 0, 0x80, 2, 0xe0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff
};

static uint8_t room[64];

/* The first version's bytes with another version and length. */
static const uint8_t *with(uint8_t version)
{
    memset(room, 0, sizeof room);
    memcpy(room, first, sizeof first);
    room[4] = version;
    return room;
}

static void sizes(void)
{
    CHECK(WC_FRAME_VERSION == 3 && WC_FRAME_SIZE_V1 == 16 && WC_FRAME_SIZE_V2 == 44 && WC_FRAME_SIZE_V3 == 44);
    CHECK(wc_frame_size_of(0) == 0 && wc_frame_size_of(1) == 16 && wc_frame_size_of(3) == 44);
    CHECK(wc_frame_size_of(4) == 0 && wc_frame_size_of(UINT32_MAX) == 0);
    CHECK(wc_tail_size_of(1) == 4 && wc_tail_size_of(2) == 10);
}

static void older_versions_are_read(void)
{
    wc_frame frame;
    wc_frame begun;
    uint8_t newest[WC_FRAME_SIZE];
    memset(&frame, 0xa5, sizeof frame);
    SAYS(wc_frame_read(first, sizeof first, &frame, &error), "ok");
    CHECK(frame.version == 1 && frame.width == 640 && frame.height == 480);
    wc_frame_init(&begun);
    begun.width = 640;
    begun.height = 480;
    CHECK(begun.version == 3 && begun.gain == 100 && begun.bias == -7 && begun.levels[1] == 2 && begun.is_hot);
    CHECK(strcmp(begun.name, "lwir") == 0);
    begun.version = 1;
    CHECK(memcmp(&begun, &frame, sizeof frame) == 0);
    /* What was reserved is a value since version 3. */
    SAYS(wc_frame_write(&frame, newest, sizeof newest, &error), "ok");
    newest[12] = 77;
    SAYS(wc_frame_read(newest, sizeof newest, &frame, &error), "ok");
    CHECK(frame.version == 3 && frame.crop == 77);
    newest[4] = 2;
    SAYS(wc_frame_read(newest, sizeof newest, &frame, &error), "ok");
    CHECK(frame.version == 2 && frame.crop == 0);
}

/* Everything that reads or only looks says the same. */
#define REFUSED(bytes, length, message)                                                                                \
    do {                                                                                                               \
        wc_frame frame, untouched;                                                                                     \
        memset(&frame, 0xa5, sizeof frame);                                                                            \
        memcpy(&untouched, &frame, sizeof frame);                                                                      \
        SAYS(wc_frame_read(bytes, length, &frame, &error), message);                                                   \
        CHECK(memcmp(&frame, &untouched, sizeof frame) == 0);                                                          \
        SAYS(wc_frame_validate(bytes, length, &error), message);                                                       \
    } while (0)

static void faults_come_in_order(void)
{
    uint32_t version = 7;
    REFUSED(first, 15, "Frame at byte 15: too_short: expected 16 bytes, found 15");
    REFUSED(first, 0, "Frame at byte 0: too_short: expected 16 bytes, found 0");
    room[0] = 'g';
    (void)with(9);
    room[0] = 'g';
    REFUSED(room, 15, "Frame at byte 15: too_short: expected 16 bytes, found 15");
    REFUSED(room, 17, "Frame.magic at byte 0: bad_magic: expected bytes 47524f57, found bytes 67524f57");
    REFUSED(with(4), 17, "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 4");
    REFUSED(with(4), 44, "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 4");
    REFUSED(with(0), 16, "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 0");
    REFUSED(with(2), 16, "Frame at byte 16: too_short: expected 44 bytes, found 16");
    REFUSED(with(1), 44, "Frame at byte 16: trailing_bytes: expected 16 bytes, found 44");
    REFUSED(with(3), 45, "Frame at byte 44: trailing_bytes: expected 44 bytes, found 45");
    (void)with(2);
    room[40] = 2;
    REFUSED(room, 44, "Frame.is_hot at byte 40: unknown_value: expected 0 or 1, found 2");
    REFUSED(NULL, 44, "Frame at byte 0: null_argument: expected a pointer");
    SAYS(wc_frame_read(first, 16, NULL, &error), "Frame at byte 0: null_argument: expected a pointer");
    CHECK(wc_frame_read(first, 15, NULL, NULL) == WC_STATUS_NULL_ARGUMENT);
    CHECK(wc_frame_validate(first, 15, NULL) == WC_STATUS_TOO_SHORT);
    SAYS(wc_frame_version_of(first, 16, &version, &error), "ok");
    CHECK(version == 1);
    version = 7;
    SAYS(wc_frame_version_of(with(4), 99, &version, &error),
         "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 4");
    SAYS(wc_frame_version_of(with(3), 16, &version, &error), "Frame at byte 16: too_short: expected 44 bytes, found 16");
    CHECK(version == 7);
    SAYS(wc_frame_version_of(first, 16, NULL, &error), "Frame at byte 0: null_argument: expected a pointer");
}

static void newer_versions_are_read_where_that_is_asked_for(void)
{
    wc_frame frame;
    (void)with(200);
    room[16] = 55;
    room[44] = 99;
    SAYS(wc_frame_read_or_newer(room, 45, &frame, &error), "ok");
    CHECK(frame.version == 3 && frame.gain == 55 && frame.crop == 0xffffffff);
    SAYS(wc_frame_read_or_newer(room, 44, &frame, &error), "ok");
    SAYS(wc_frame_read_or_newer(room, 43, &frame, &error), "Frame at byte 43: too_short: expected 44 bytes, found 43");
    SAYS(wc_frame_read_or_newer(first, 16, &frame, &error), "ok");
    CHECK(frame.version == 1 && frame.gain == 100);
    SAYS(wc_frame_read_or_newer(with(3), 45, &frame, &error),
         "Frame at byte 44: trailing_bytes: expected 44 bytes, found 45");
    SAYS(wc_frame_read_or_newer(with(0), 45, &frame, &error),
         "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 0");
    (void)with(4);
    room[40] = 2;
    SAYS(wc_frame_read_or_newer(room, 45, &frame, &error),
         "Frame.is_hot at byte 40: unknown_value: expected 0 or 1, found 2");
}

static void a_prefix_ends_where_its_version_says(void)
{
    wc_frame frame;
    SAYS(wc_frame_read_prefix(with(1), 60, &frame, &error), "ok");
    CHECK(frame.version == 1 && frame.gain == 100);
    SAYS(wc_frame_read_prefix(with(3), 60, &frame, &error), "ok");
    CHECK(frame.version == 3 && frame.gain == 0);
    SAYS(wc_frame_read_prefix(with(2), 40, &frame, &error), "Frame at byte 40: too_short: expected 44 bytes, found 40");
    SAYS(wc_frame_read_prefix(with(2), 15, &frame, &error), "Frame at byte 15: too_short: expected 16 bytes, found 15");
    SAYS(wc_frame_read_prefix(with(4), 16, &frame, &error),
         "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 4");
    SAYS(wc_frame_read_prefix(with(2), 60, NULL, &error), "Frame at byte 0: null_argument: expected a pointer");
    SAYS(wc_frame_read_prefix(NULL, 60, &frame, &error), "Frame at byte 0: null_argument: expected a pointer");
}

/* Writing as a version with so much room is refused, and nothing is written. */
#define UNWRITTEN(value, version, capacity, message)                                                                   \
    do {                                                                                                               \
        uint8_t place[64], untouched[64];                                                                              \
        size_t told_length = 1234;                                                                                     \
        memset(place, 0xee, sizeof place);                                                                             \
        memset(untouched, 0xee, sizeof untouched);                                                                     \
        SAYS(wc_frame_write_version(value, version, place, capacity, &told_length, &error), message);                  \
        CHECK(memcmp(place, untouched, sizeof place) == 0 && told_length == 1234);                                     \
    } while (0)

static void a_value_is_written_as_an_older_version_or_refused(void)
{
    uint8_t bytes[64];
    size_t length = 0;
    wc_frame frame;
    wc_frame_init(&frame);
    frame.width = 640;
    frame.height = 480;
    memset(bytes, 0xee, sizeof bytes);
    SAYS(wc_frame_write_version(&frame, 1, bytes, sizeof bytes, &length, &error), "ok");
    CHECK(length == 16 && memcmp(bytes, first, 12) == 0);
    CHECK(bytes[12] == 0 && bytes[15] == 0 && bytes[16] == 0xee);
    CHECK(wc_frame_write_version(&frame, 2, bytes, 44, NULL, NULL) == WC_STATUS_OK && bytes[4] == 2 && bytes[16] == 100);
    SAYS(wc_frame_write_version(&frame, 3, bytes, 44, &length, &error), "ok");
    CHECK(length == 44 && bytes[4] == 3);
    UNWRITTEN(&frame, 0, 0, "Frame at byte 0: unsupported_version: expected 1 to 3, found 0");
    UNWRITTEN(&frame, 4, 0, "Frame at byte 0: unsupported_version: expected 1 to 3, found 4");
    UNWRITTEN(&frame, UINT32_MAX, 64, "Frame at byte 0: unsupported_version: expected 1 to 3, found 4294967295");
    UNWRITTEN(&frame, 1, 15, "Frame at byte 15: too_short: expected 16 bytes, found 15");
    UNWRITTEN(&frame, 2, 43, "Frame at byte 43: too_short: expected 44 bytes, found 43");
    UNWRITTEN(NULL, 0, 0, "Frame at byte 0: null_argument: expected a pointer");
    SAYS(wc_frame_write_version(&frame, 1, NULL, 64, &length, &error), "Frame at byte 0: null_argument: expected a pointer");
    frame.crop = 1;
    UNWRITTEN(&frame, 2, 64, "Frame.crop at byte 12: unsupported_version: expected its default, before version 3");
    frame.gain = 101;
    UNWRITTEN(&frame, 1, 64, "Frame.crop at byte 12: unsupported_version: expected its default, before version 3");
    frame.crop = 0;
    UNWRITTEN(&frame, 1, 64, "Frame.gain at byte 16: unsupported_version: expected its default, before version 2");
    SAYS(wc_frame_write_version(&frame, 2, bytes, 44, &length, &error), "ok");
    frame.gain = 100;
    frame.region.y = 1;
    UNWRITTEN(&frame, 1, 64, "Frame.region at byte 28: unsupported_version: expected its default, before version 2");
    frame.name[7] = 'x';
    UNWRITTEN(&frame, 1, 64, "Frame.name at byte 32: bad_text: expected UTF-8 text ended by NUL");
}

static void the_length_says_the_version_where_nothing_else_does(void)
{
    uint8_t bytes[12] = { 1, 0, 2, 0 };
    wc_tail tail;
    uint32_t version = 0;
    size_t length = 0;
    SAYS(wc_tail_read(bytes, 4, &tail, &error), "ok");
    CHECK(tail.kind == 1 && tail.id == 2 && tail.weight == 9 && tail.count == 1 && tail.items[0] == 5);
    SAYS(wc_tail_version_of(bytes, 10, &version, &error), "ok");
    CHECK(version == 2);
    SAYS(wc_tail_read(bytes, 3, &tail, &error), "Tail at byte 3: too_short: expected 4 bytes, found 3");
    SAYS(wc_tail_read(bytes, 5, &tail, &error), "Tail at byte 5: too_short: expected 10 bytes, found 5");
    SAYS(wc_tail_read(bytes, 11, &tail, &error), "Tail at byte 10: trailing_bytes: expected 10 bytes, found 11");
    SAYS(wc_tail_read_or_newer(bytes, 11, &tail, &error), "ok");
    CHECK(tail.weight == 0);
    SAYS(wc_tail_read_or_newer(bytes, 4, &tail, &error), "ok");
    CHECK(tail.weight == 9);
    SAYS(wc_tail_read_or_newer(bytes, 9, &tail, &error), "Tail at byte 9: too_short: expected 10 bytes, found 9");
    SAYS(wc_tail_read(NULL, 4, &tail, &error), "Tail at byte 0: null_argument: expected a pointer");
    SAYS(wc_tail_write_version(&tail, 1, bytes, 4, &length, &error), "ok");
    CHECK(length == 4);
}

static void what_stands_last_grows_with_what_holds_it(void)
{
    const uint8_t bytes[12] = { 'M', 'E', 'S', 'G', 1, 0, 7, 0, 1, 0, 2, 0 };
    uint8_t written[WC_MESSAGE_SIZE];
    size_t length = 0;
    wc_message message;
    wc_message_init(&message);
    CHECK(message.tail.weight == 9 && message.tail.items[0] == 5);
    SAYS(wc_message_read(bytes, sizeof bytes, &message, &error), "ok");
    CHECK(message.version == 1 && message.tail.id == 2 && message.tail.weight == 9 && message.tail.count == 1);
    SAYS(wc_message_write_version(&message, 1, written, sizeof written, &length, &error), "ok");
    CHECK(length == 12 && memcmp(written, bytes, 12) == 0);
    message.tail.weight = 8;
    SAYS(wc_message_write_version(&message, 1, written, sizeof written, &length, &error),
         "Tail.weight at byte 12: unsupported_version: expected its default, before version 2");
    SAYS(wc_message_write_version(&message, 2, written, sizeof written, &length, &error), "ok");
}

static void what_a_nested_one_had_reserved_is_zero(void)
{
    const uint8_t bytes[7] = { 'O', 'U', 1, 5, 0, 0xff, 0xff };
    uint8_t written[WC_OUTER_SIZE];
    size_t length = 0;
    wc_outer outer;
    SAYS(wc_outer_read(bytes, sizeof bytes, &outer, &error), "ok");
    CHECK(outer.last.a == 5 && outer.last.b == 0 && outer.last.c == 0x01020304);
    outer.last.b = 1;
    SAYS(wc_outer_write_version(&outer, 1, written, sizeof written, &length, &error),
         "Last.b at byte 5: unsupported_version: expected its default, before version 2");
    outer.last.b = 0;
    SAYS(wc_outer_write_version(&outer, 1, written, sizeof written, &length, &error), "ok");
    CHECK(length == 7 && memcmp(written, bytes, 5) == 0 && written[5] == 0);
}

static void a_machines_own_order_is_that_of_its_defaults(void)
{
    const uint32_t old[2] = { 7, 31 };
    uint8_t written[WC_NATIVE_SIZE];
    size_t length = 0;
    wc_native begun;
    wc_native value;
    uint8_t bytes[8];
    memcpy(bytes, old, sizeof bytes);
    SAYS(wc_native_read(bytes, sizeof bytes, &value, &error), "ok");
    CHECK(value.major_ == 7 && value.time_gran == 1 && value.max_pages == 32 && value.map_alignment == 0);
    wc_native_init(&begun);
    CHECK(begun.major_ == 0 && begun.time_gran == 1 && begun.max_pages == 32);
    SAYS(wc_native_write_version(&value, 1, written, sizeof written, &length, &error), "ok");
    CHECK(length == 8 && memcmp(written, bytes, 8) == 0);
}

static void every_form_of_default(void)
{
    const int16_t rows[2][3] = { { -1, 2, -3 }, { 4, -5, 6 } };
    uint8_t bytes[WC_FORMS_SIZE] = { 0, 0, 0, 0, 0, 0, 0, 1 };
    wc_forms read;
    wc_forms value;
    uint32_t version = 0;
    /* Packed bytes leave padding in the struct. */
    memset(&read, 0, sizeof read);
    SAYS(wc_forms_read(bytes, 8, &read, &error), "ok");
    wc_forms_init(&value);
    CHECK(value.version == 2 && value.packing == WC_PACKING_TIGHT && value.open == 9);
    CHECK(value.abilities == 5 && value.odd == 0x18 && memcmp(value.rows, rows, sizeof rows) == 0);
    CHECK(value.large == (UINT64_C(1) << 40) + 3 && memcmp(value.text, "\303\251'\\?\n\0", 8) == 0);
    CHECK(value.each[0] == WC_PACKING_ROWS && value.each[1] == WC_PACKING_TIGHT && value.least == INT32_MIN);
    {
        const double tiny = 1e-7;
        const float tenth = WC_DETAIL_CAST(float, 0.1);
        CHECK(memcmp(&value.double_, &tiny, 8) == 0 && memcmp(&value.single[0], &tenth, 4) == 0);
    }
    CHECK(read.version == 1);
    value.version = 1;
    CHECK(memcmp(&value, &read, sizeof value) == 0);
    /* A version wider than 32 bits. */
    bytes[0] = 1;
    SAYS(wc_forms_version_of(bytes, 8, &version, &error),
         "Forms.version at byte 0: unsupported_version: expected 1 to 2, found 72057594037927937");
    SAYS(wc_forms_read_or_newer(bytes, 8, &read, &error), "Forms at byte 8: too_short: expected 72 bytes, found 8");
    SAYS(wc_forms_read_or_newer(bytes, 72, &read, &error),
         "Forms.packing at byte 8: unknown_value: expected a value of Packing, found 0");
}

int main(void)
{
    sizes();
    older_versions_are_read();
    faults_come_in_order();
    newer_versions_are_read_where_that_is_asked_for();
    a_prefix_ends_where_its_version_says();
    a_value_is_written_as_an_older_version_or_refused();
    the_length_says_the_version_where_nothing_else_does();
    what_stands_last_grows_with_what_holds_it();
    what_a_nested_one_had_reserved_is_zero();
    a_machines_own_order_is_that_of_its_defaults();
    every_form_of_default();
    return 0;
}
