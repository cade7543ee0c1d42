/* What the header of support/odd.rs says. Valid C11 and C++17. */
#include <wirecontract/odd.h>
#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%d: %s\n", __LINE__, #condition);                                                                  \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

#define SAYS(call, message)                                                                                            \
    do {                                                                                                               \
        char text[512] = "ok";                                                                                         \
        wc_error error;                                                                                                \
        if ((call) != WC_STATUS_OK) {                                                                                  \
            wc_error_message(&error, text, sizeof text);                                                               \
        }                                                                                                              \
        if (strcmp(text, (message)) != 0) {                                                                            \
            printf("%d: wanted %s\n  got %s\n", __LINE__, (message), text);                                            \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static void arrays(void)
{
    static const wc_i8_2 pairs[2] = {{{1, 2}}, {{3, 4}}};
    static const wc_u8_16 uuids[3] = {{{0}}, {{0}}, {{0}}};
    wc_color_open colors[1];
    wc_u16_array row;
    wc_units states[2];
    wc_arrays value = wc_arrays_init();
    SAYS(wc_arrays_check(&value, &error), "ok");
    CHECK(value.rows.count == 3 && value.rows.items[0].items[1] == 2 && value.rows.items[1].count == 0);
    CHECK(value.rows.items[2].items[0] == 3 && value.pairs.items[0].items[0] == -1 && value.colors.items[0].value == 9);
    CHECK(value.color.value == WC_COLOR_RED && !value.color.is_name && value.texts[1].length == 1);
    CHECK(value.texts[0].data[0] == 'a' && value.texts[1].data[0] == '\0' && value.flags.items[0]);
    CHECK(value.floats.items[0] > 0.09f && value.floats.items[0] < 0.11f && value.raw.data[1] == 8 && value.none.count == 0);
    CHECK(value.pair[0] == 0 && value.pair[1] == 255 && (value.present & WC_ARRAYS_HAS_ID) == 0 && value.id[15] == 17 && value.raws.count == 2);
    CHECK(value.raws.items[0].length == 2 && value.raws.items[0].data[1] == 2 && value.raws.items[1].length == 0);
    CHECK(value.ids.count == 1 && value.ids.items[0].items[15] == 18);
    CHECK(value.state_pair[1].tag == WC_UNITS_OFF && value.kept.tag == WC_UNITS_OFF && value.raw.length == 2);
    row.items = NULL;
    row.count = 1;
    value.rows.items = &row;
    value.rows.count = 1;
    SAYS(wc_arrays_check(&value, &error), "Arrays.rows at byte 0: null_argument: expected a pointer");
    row.count = 0;
    value.present = WC_ARRAYS_HAS_PAIRS | WC_ARRAYS_HAS_UUIDS;
    value.pairs.items = pairs;
    value.pairs.count = 2;
    value.uuids.items = uuids;
    value.uuids.count = 3;
    SAYS(wc_arrays_check(&value, &error), "Arrays.uuids at byte 0: too_many: expected at most 2 items");
    value.uuids.count = 2;
    memset(colors, 0, sizeof colors);
    value.colors.items = colors;
    SAYS(wc_arrays_check(&value, &error), "Arrays.colors at byte 0: unknown_value: expected a value of Color, found 0");
    colors[0].is_name = true;
    value.columns[1].items = value.texts;
    value.columns[1].count = 2;
    value.texts[1].length = 4;
    value.texts[1].data = "four";
    SAYS(wc_arrays_check(&value, &error), "Arrays.columns at byte 0: too_large: expected at most 3 bytes, found 4");
    value.texts[1].length = 3;
    SAYS(wc_arrays_check(&value, &error), "ok");
    states[0] = states[1] = wc_units_init();
    states[0].tag = WC_UNITS_ON;
    value.states.items = states;
    value.states.count = 2;
    value.present |= WC_ARRAYS_HAS_STATES;
    SAYS(wc_arrays_validate_import(&value, 0, &error),
         "Units at byte 0: rule_violated: expected variant != Off, found variant = 1");
    value.states.count = 1;
    SAYS(wc_arrays_validate_import(&value, 0, &error), "ok");
}

static void many(void)
{
    wc_many value = wc_many_init();
    value.present = WC_MANY_HAS_KEY_63;
    value.present2 = WC_MANY_HAS_KEY_64;
    value.present3 = WC_MANY_HAS_KEY_129;
    CHECK(value.present == UINT64_C(1) << 63 && value.present2 == 1 && value.present3 == 2);
    SAYS(wc_many_check(&value, &error), "ok");
}

static void ruled(void)
{
    wc_ruled value = wc_ruled_init();
    SAYS(wc_ruled_check(&value, &error), "ok");
    value.present = WC_RULED_HAS_COLOR | WC_RULED_HAS_MUCH | WC_RULED_HAS_SIZE;
    value.color.is_name = true;
    value.color.value = WC_COLOR_RED;
    SAYS(wc_ruled_check(&value, &error),
         "Ruled at byte 0: rule_violated: expected weighs: len(label) == 0 || weight(color) * 2 > color, found len(label) = 4, "
         "weight(color) = none, color = none");
    value.label.length = 0;
    SAYS(wc_ruled_check(&value, &error),
         "Ruled at byte 0: rule_violated: expected weighs: len(label) == 0 || weight(color) * 2 > color, found len(label) = 4, "
         "weight(color) = none, color = none");
    value.present |= WC_RULED_HAS_LABEL;
    SAYS(wc_ruled_check(&value, &error), "ok");
    value.size = INT64_MIN;
    SAYS(wc_ruled_check(&value, &error), "ok");
    value.size = 0;
    SAYS(wc_ruled_check(&value, &error),
         "Ruled.much at byte 0: condition_violated: expected no key `much` unless -size > 0, found size = 0");
    value.present &= ~WC_RULED_HAS_MUCH;
    SAYS(wc_ruled_check(&value, &error), "Ruled at byte 0: rule_violated: expected size < len(label), found size = 0, len(label) = 0");
}

static void outer(void)
{
    wc_outer value = wc_outer_init();
    SAYS(wc_outer_check(&value, &error), "ok");
    memcpy(value.size.text, "abc", 3);
    value.size.width = 2;
    SAYS(wc_outer_check(&value, &error),
         "Outer at byte 0: rule_violated: expected size.width >= len(size.text), found size.width = 2, len(size.text) = 3");
    value.size.width = 3;
    value.ruled.present = WC_RULED_HAS_MUCH;
    SAYS(wc_outer_check(&value, &error), "ok");
    value.present = WC_OUTER_HAS_RULED;
    SAYS(wc_outer_check(&value, &error),
         "Outer at byte 0: rule_violated: expected !present(ruled.much), found present(ruled.much) = true");
    value.ruled.size = 9;
    value.ruled.present |= WC_RULED_HAS_SIZE;
    SAYS(wc_outer_check(&value, &error),
         "Ruled.much at byte 0: condition_violated: expected no key `much` unless -size > 0, found size = 9");
    memcpy(value.size.text, "abcdef", 6);
    SAYS(wc_outer_check(&value, &error), "Size.text at byte 0: bad_text: expected UTF-8 text ended by NUL");
}

/* One byte that is not zero, in reading and in writing. */
static void used(void)
{
    static const struct {
        size_t at;
        const char *field;
    } places[] = {{1, "wide"}, {8, "wide"}, {9, "real"}, {15, "items"}, {18, "items"}, {27, "label"}, {31, "sizes"},
                  {38, "sizes"}, {41, "sizes"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char expected[128];
        uint8_t bytes[WC_USED_SIZE] = {0};
        uint8_t written[WC_USED_SIZE];
        wc_used value;
        bytes[14] = 1;
        bytes[places[i].at] = 'x';
        bytes[33] = places[i].at == 38 ? 'y' : 0;
        memset(bytes + 34, bytes[33], 4);
        if (places[i].at == 38) {
            bytes[38] = 0;
        }
        snprintf(expected, sizeof expected,
                 "Used.%s at byte 0: condition_violated: expected zero unless on, found on = false", places[i].field);
        SAYS(wc_used_read(bytes, sizeof bytes, &value, &error), expected);
        wc_used_detail_decode(bytes, &value);
        SAYS(wc_used_write(&value, written, sizeof written, &error), expected);
        value.on = true;
        SAYS(wc_used_write(&value, written, sizeof written, &error), "ok");
        SAYS(wc_used_read(written, sizeof written, &value, &error), "ok");
        CHECK(memcmp(written + 1, bytes + 1, sizeof bytes - 1) == 0);
    }
    {
        /* What is past the count is no part of the value. */
        uint8_t bytes[WC_USED_SIZE] = {0};
        wc_used value;
        bytes[14] = 1;
        bytes[19] = bytes[26] = 9;
        SAYS(wc_used_read(bytes, sizeof bytes, &value, &error), "ok");
        bytes[0] = 1;
        bytes[46] = 1;
        SAYS(wc_used_read(bytes, sizeof bytes, &value, &error), "Size.text at byte 41: bad_text: expected UTF-8 text ended by NUL");
    }
}

int main(void)
{
    used();
    outer();
    arrays();
    many();
    ruled();
    return failures;
}
