/* What the header of fixtures::recipes() says of values: defaults, presence, each fault, rules. Valid C11 and C++17. */
#include <wirecontract/texture.h>
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

static wc_str str(const char *data)
{
    wc_str made;
    made.data = data;
    made.length = data == NULL ? 0 : strlen(data);
    return made;
}

/* A value that nothing is wrong with. */
static wc_everything good(void)
{
    wc_everything value = wc_everything_init();
    value.u8_field = 8;
    return value;
}

static void defaults(void)
{
    const wc_everything value = wc_everything_init();
    const wc_surface surface = wc_surface_init();
    const wc_measure measure = wc_measure_init();
    CHECK(value.present == 0 && value.u8_field == 0 && value.i64_field == -5 && value.bounded == 3);
    CHECK(value.f64_field >= 0.25 && value.f64_field <= 0.25 && value.access == 3 && value.label.length == 7);
    CHECK(memcmp(value.label.data, "unknown", 7) == 0 && value.image.usage == 15 && value.measure.value.count == -1);
    CHECK(WC_EVERYTHING_I64_FIELD_DEFAULT == -5 && WC_EVERYTHING_BOUNDED_MIN == -10 && WC_EVERYTHING_BOUNDED_MAX == 10);
    CHECK(WC_EVERYTHING_LABELS_MAX_ITEMS == 3 && WC_EVERYTHING_TAGS_MAX_LEN == 16 && sizeof(WC_EVERYTHING_LABEL_DEFAULT) == 8);
    CHECK(WC_EVERYTHING_HAS_U64_FIELD == 1 && WC_EVERYTHING_HAS_R_CLASS == UINT64_C(0x40000));
    CHECK(surface.plane_sizes.count == 1 && surface.plane_sizes.items[0] == 0 && !surface.has_fence);
    CHECK(surface.kind.tag == WC_SURFACE_KIND_IMPLIED && surface.image.tiling == WC_TILING_OPTIMAL);
    CHECK(measure.tag == WC_MEASURE_COUNT && measure.value.count == -1);
    CHECK(strcmp(wc_measure_tag_name(WC_MEASURE_NOTHING), "nothing") == 0 && wc_measure_tag_name(WC_MEASURE_OTHER) == NULL);
    CHECK(wc_surface_kind_tag_name(WC_SURFACE_KIND_IMPLIED) == NULL && wc_measure_tag_name(4) == NULL);
    CHECK(strcmp(wc_answer_tag_name(WC_ANSWER_ERROR), "error") == 0);
}

static void nulls(void)
{
    wc_everything value = good();
    SAYS(wc_everything_check(NULL, &error), "Everything at byte 0: null_argument: expected a pointer");
    SAYS(wc_everything_validate_import(NULL, 0, &error), "Everything at byte 0: null_argument: expected a pointer");
    SAYS(wc_measure_check(NULL, &error), "Measure at byte 0: null_argument: expected a pointer");
    SAYS(wc_extent_validate_import(NULL, &error), "Extent at byte 0: null_argument: expected a pointer");
    CHECK(wc_everything_check(NULL, NULL) == WC_STATUS_NULL_ARGUMENT);
    value.present = WC_EVERYTHING_HAS_NOTE | WC_EVERYTHING_HAS_BLOB | WC_EVERYTHING_HAS_LABELS | WC_EVERYTHING_HAS_TAGS
                  | WC_EVERYTHING_HAS_MEASURES;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.measures.count = 1;
    SAYS(wc_everything_check(&value, &error), "Everything.measures at byte 0: null_argument: expected a pointer");
    value.tags.count = 1;
    SAYS(wc_everything_check(&value, &error), "Everything.tags at byte 0: null_argument: expected a pointer");
    value.labels.count = 1;
    SAYS(wc_everything_check(&value, &error), "Everything.labels at byte 0: null_argument: expected a pointer");
    value.blob.length = 1;
    SAYS(wc_everything_check(&value, &error), "Everything.blob at byte 0: null_argument: expected a pointer");
    value.note.length = 1;
    SAYS(wc_everything_check(&value, &error), "Everything.note at byte 0: null_argument: expected a pointer");
    value.label.data = NULL;
    SAYS(wc_everything_check(&value, &error), "Everything.label at byte 0: null_argument: expected a pointer");
}

static void numbers(void)
{
    const double zero = 0.0;
    const double above = 1000000000.5;
    wc_everything value = good();
    SAYS(wc_everything_check(&value, &error), "ok");
    value.bounded = -11;
    SAYS(wc_everything_check(&value, &error),
         "Everything.bounded at byte 0: out_of_range: expected an integer from -10 to 10, found -11");
    value.bounded = 11;
    SAYS(wc_everything_check(&value, &error),
         "Everything.bounded at byte 0: out_of_range: expected an integer from -10 to 10, found 11");
    value.bounded = 10;
    value.f64_field = above;
    SAYS(wc_everything_check(&value, &error),
         "Everything.f64_field at byte 0: out_of_range: expected a number from -1.5 to 1000000000, found 1000000000.5");
    value.f64_field = -2;
    SAYS(wc_everything_check(&value, &error),
         "Everything.f64_field at byte 0: out_of_range: expected a number from -1.5 to 1000000000, found -2");
    value.f64_field = -1.5;
    value.f32_field = (float)(1 / zero);
    SAYS(wc_everything_check(&value, &error), "ok");
    value.present = WC_EVERYTHING_HAS_F32_FIELD;
    SAYS(wc_everything_check(&value, &error),
         "Everything.f32_field at byte 0: out_of_range: expected a finite number, found Infinity");
    value.f32_field = -value.f32_field;
    SAYS(wc_everything_check(&value, &error),
         "Everything.f32_field at byte 0: out_of_range: expected a finite number, found -Infinity");
    value.f32_field = 0;
    value.f64_field = zero / zero;
    SAYS(wc_everything_check(&value, &error),
         "Everything.f64_field at byte 0: out_of_range: expected a finite number, found NaN");
    value.f64_field = 1;
    value.present = WC_EVERYTHING_HAS_TRUTH;
    memset(&value.truth, 2, 1);
    SAYS(wc_everything_check(&value, &error), "Everything.truth at byte 0: unknown_value: expected 0 or 1, found 2");
    value.present = WC_EVERYTHING_HAS_TILING;
    value.tiling = 7;
    SAYS(wc_everything_check(&value, &error),
         "Everything.tiling at byte 0: unknown_value: expected a value of Tiling, found 7");
    value.present = WC_EVERYTHING_HAS_FORMAT;
    value.format.value = 9;
    SAYS(wc_everything_check(&value, &error),
         "Everything.format at byte 0: unknown_value: expected a value of Format, found 9");
    value.format.is_name = true;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.format.name = str("tomorrow");
    SAYS(wc_everything_check(&value, &error), "ok");
    value.format.name = str("tomorrows");
    CHECK(WC_EVERYTHING_FORMAT_MAX_LEN == 8);
    SAYS(wc_everything_check(&value, &error),
         "Everything.format at byte 0: too_large: expected at most 8 bytes, found 9");
    value.format.name = str("\xff");
    SAYS(wc_everything_check(&value, &error), "Everything.format at byte 0: bad_utf8: expected UTF-8");
    value.present = 0;
    value.access = 5;
    SAYS(wc_everything_check(&value, &error),
         "Everything.access at byte 0: unknown_bits: expected bits within 0x3, found 5");
}

static void lengths(void)
{
    static const uint8_t bytes[65] = {0};
    wc_str items[4];
    wc_str_pair pairs[5];
    wc_measure measures[5];
    wc_everything value = good();
    for (size_t i = 0; i < 5; i++) {
        static const char *const keys[5] = {"", "a", "ab", "b", "c"};
        measures[i] = wc_measure_init();
        pairs[i].key = str(keys[i]);
        pairs[i].value = str("");
        items[i % 4] = str("12345678");
    }
    value.label = str("12345678901234567");
    SAYS(wc_everything_check(&value, &error), "Everything.label at byte 0: too_large: expected at most 16 bytes, found 17");
    value.label = str("\xed\xa0\x80 and more than sixteen");
    SAYS(wc_everything_check(&value, &error), "Everything.label at byte 0: bad_utf8: expected UTF-8");
    value.label = str("caf\xc3\xa9");
    value.present = WC_EVERYTHING_HAS_BLOB | WC_EVERYTHING_HAS_TOKEN;
    value.token.data = value.blob.data = bytes;
    value.token.length = value.blob.length = 65;
    SAYS(wc_everything_check(&value, &error), "Everything.blob at byte 0: too_large: expected at most 64 bytes, found 65");
    value.blob.length = 64;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.present = WC_EVERYTHING_HAS_LABELS;
    value.labels.items = items;
    value.labels.count = 4;
    SAYS(wc_everything_check(&value, &error), "Everything.labels at byte 0: too_many: expected at most 3 items");
    items[2] = str("123456789");
    SAYS(wc_everything_check(&value, &error), "Everything.labels at byte 0: too_large: expected at most 8 bytes, found 9");
    value.labels.count = 2;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.present = WC_EVERYTHING_HAS_TAGS;
    value.tags.items = pairs;
    value.tags.count = 5;
    SAYS(wc_everything_check(&value, &error), "Everything.tags at byte 0: too_many: expected at most 4 members");
    value.tags.count = 4;
    SAYS(wc_everything_check(&value, &error), "ok");
    pairs[3].key = str("ab");
    SAYS(wc_everything_check(&value, &error), "Everything.tags at byte 0: duplicate_key: expected each key once");
    pairs[3].key = str("a");
    SAYS(wc_everything_check(&value, &error), "Everything.tags at byte 0: bad_encoding: expected keys in ascending order");
    pairs[1].value = str("12345678901234567");
    SAYS(wc_everything_check(&value, &error), "Everything.tags at byte 0: too_large: expected at most 16 bytes, found 17");
    pairs[1].key = str("\x80");
    SAYS(wc_everything_check(&value, &error), "Everything.tags at byte 0: bad_utf8: expected UTF-8");
    value.present = WC_EVERYTHING_HAS_MEASURES;
    value.measures.items = measures;
    value.measures.count = 5;
    SAYS(wc_everything_check(&value, &error), "Everything.measures at byte 0: too_many: expected at most 4 items");
    measures[3].tag = WC_MEASURE_RATIO;
    measures[3].value.ratio = 1e6 + 0.1;
    SAYS(wc_everything_check(&value, &error),
         "Measure.value at byte 0: out_of_range: expected a number of at most 1000000, found 1000000.1");
    measures[3].tag = WC_MEASURE_OTHER;
    measures[3].value.other.tag = str("\xc3");
    measures[3].value.other.content = str(NULL);
    SAYS(wc_everything_check(&value, &error), "Measure.type at byte 0: bad_utf8: expected UTF-8");
    measures[3].value.other.tag = str("mean");
    measures[3].value.other.content = str("\"\xc3\"");
    SAYS(wc_everything_check(&value, &error), "Measure.value at byte 0: bad_utf8: expected UTF-8");
    measures[3].value.other.tag = str("ratio");
    SAYS(wc_everything_check(&value, &error),
         "Measure.type at byte 0: unknown_tag: expected a tag that no variant has, found \"ratio\"");
    measures[2].tag = -1;
    SAYS(wc_everything_check(&value, &error), "Measure.type at byte 0: unknown_tag: expected a tag of Measure, found -1");
    value.present = 0;
    SAYS(wc_everything_check(&value, &error), "ok");
}

static void rules(void)
{
    wc_everything value = good();
    value.access = 2;
    SAYS(wc_everything_check(&value, &error),
         "Everything at byte 0: rule_violated: expected readable: has(access, Read) || u8_field == 0, found has(access, Read) "
         "= false, u8_field = 8");
    value.u8_field = 0;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.u8_field = 7;
    value.access = 1;
    SAYS(wc_everything_check(&value, &error),
         "Everything at byte 0: rule_violated: expected i64_field * i64_field - 1 >= bounded / (u8_field - 7), found i64_field "
         "= -5, bounded = 3, u8_field = 7");
    value.u8_field = 6;
    value.i64_field = INT64_MIN;
    SAYS(wc_everything_check(&value, &error),
         "Everything at byte 0: rule_violated: expected i64_field * i64_field - 1 >= bounded / (u8_field - 7), found i64_field "
         "= -9223372036854775808, bounded = 3, u8_field = 6");
    value.i64_field = INT64_C(4294967295);
    SAYS(wc_everything_check(&value, &error), "ok");
    value.label = str("1234567890123456");
    SAYS(wc_everything_check(&value, &error),
         "Everything at byte 0: rule_violated: expected present(uuid) || len(label) < 16, found present(uuid) = false, "
         "len(label) = 16");
    value.present = WC_EVERYTHING_HAS_UUID;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.present |= WC_EVERYTHING_HAS_IMAGE;
    value.image.present = WC_IMAGE_HAS_DEVICE_UUID;
    value.image.tiling = WC_TILING_LINEAR;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.image.present |= WC_IMAGE_HAS_TILING;
    SAYS(wc_everything_check(&value, &error),
         "Image.device_uuid at byte 0: condition_violated: expected no key `device_uuid` unless !(tiling == Linear), found "
         "tiling = 1");
}

static void imports(void)
{
    static const uint64_t sizes[2] = {1, 2};
    wc_surface surface = wc_surface_init();
    SAYS(wc_surface_check(&surface, &error), "ok");
    SAYS(wc_surface_validate_import(&surface, 1, &error),
         "Pixels at byte 0: rule_violated: expected known_format: format != Unknown, found format = 0");
    surface.kind.value.implied.format = WC_FORMAT_GRAY8;
    SAYS(wc_surface_validate_import(&surface, 1, &error),
         "Image.memory_type_index at byte 0: condition_violated: expected the key `memory_type_index` when tiling != Linear, "
         "found tiling = 0");
    surface.image.present = WC_IMAGE_HAS_TILING;
    surface.image.tiling = WC_TILING_LINEAR;
    SAYS(wc_surface_validate_import(&surface, 1, &error), "ok");
    SAYS(wc_surface_validate_import(&surface, 2, &error),
         "Surface at byte 0: rule_violated: expected fds: fd_count == len(plane_sizes) + int(has_fence), found fd_count = 2, "
         "len(plane_sizes) = 1, has_fence = false");
    surface.has_fence = true;
    surface.present = WC_SURFACE_HAS_HAS_FENCE;
    SAYS(wc_surface_validate_import(&surface, 2, &error), "ok");
    surface.kind.tag = WC_SURFACE_KIND_TEXTURE;
    surface.kind.value.texture.format = WC_FORMAT_NV12;
    SAYS(wc_surface_validate_import(&surface, 2, &error),
         "Surface at byte 0: rule_violated: expected kind != Texture || image.allocation_size > 0, found kind = 2, "
         "image.allocation_size = 0");
    surface.image.allocation_size = 5;
    surface.image.present |= WC_IMAGE_HAS_ALLOCATION_SIZE;
    SAYS(wc_surface_validate_import(&surface, 2, &error), "ok");
    surface.plane_sizes.items = sizes;
    surface.plane_sizes.count = 2;
    SAYS(wc_surface_check(&surface, &error), "ok");
    surface.present |= WC_SURFACE_HAS_PLANE_SIZES;
    SAYS(wc_surface_check(&surface, &error),
         "Surface at byte 0: rule_violated: expected planes: len(plane_sizes) == len(plane_offsets), found len(plane_sizes) = "
         "2, len(plane_offsets) = 1");
}

static void descriptors(void)
{
    static const uint8_t wide[12] = {1, 16, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0};
    static const uint8_t pitched[12] = {1, 0, 0, 0, 0, 16, 0, 0, 0, 0, 1, 0};
    uint8_t written[12];
    wc_extent extent;
    wc_everything value = good();
    wc_request request = wc_request_init();
    SAYS(wc_extent_read(wide, sizeof wide, &extent, &error),
         "Extent at byte 0: rule_violated: expected fits: width * height <= 16777216, found width = 4097, height = 4096");
    SAYS(wc_extent_read_prefix(pitched, sizeof pitched, &extent, &error),
         "Extent.pitch at byte 0: condition_violated: expected zero unless width > 1, found width = 1");
    wc_extent_init(&extent);
    SAYS(wc_extent_validate_import(&extent, &error),
         "Extent at byte 0: rule_violated: expected width > 0 && height > 0, found width = 0, height = 0");
    extent.pitch = 1;
    SAYS(wc_extent_write(&extent, written, sizeof written, &error),
         "Extent.pitch at byte 0: condition_violated: expected zero unless width > 1, found width = 0");
    extent.width = 4097;
    extent.height = 4096;
    SAYS(wc_extent_write(&extent, written, sizeof written, &error),
         "Extent at byte 0: rule_violated: expected fits: width * height <= 16777216, found width = 4097, height = 4096");
    value.extent = extent;
    SAYS(wc_everything_check(&value, &error), "ok");
    value.present = WC_EVERYTHING_HAS_EXTENT;
    SAYS(wc_everything_check(&value, &error),
         "Extent at byte 0: rule_violated: expected fits: width * height <= 16777216, found width = 4097, height = 4096");
    value.extent.height = 0;
    SAYS(wc_everything_validate_import(&value, 0, &error),
         "Extent at byte 0: rule_violated: expected width > 0 && height > 0, found width = 4097, height = 0");
    request.tag = WC_REQUEST_LOOKUP;
    request.value.lookup.surface_id = str("12345678901234567890123456789012345678901234567890123456789012345");
    SAYS(wc_request_check(&request, &error), "Named.surface_id at byte 0: too_large: expected at most 64 bytes, found 65");
    request.tag = WC_REQUEST_PING;
    SAYS(wc_request_check(&request, &error), "ok");
    request.tag = 4;
    SAYS(wc_request_check(&request, &error), "Request.op at byte 0: unknown_tag: expected a tag of Request, found 4");
}

/* Two halves of a double's bits to a line, answered by its spelling. */
static void spell(void)
{
    char line[64];
    wc_error error;
    memset(&error, 0, sizeof error);
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned long high;
        unsigned long low;
        uint64_t bits;
        wc_detail_fail_float(&error, "A", "", "b", 0);
        CHECK(sscanf(line, "%lx %lx", &high, &low) == 2);
        bits = ((uint64_t)high << 32) | low;
        memcpy(&error.found.float_value, &bits, sizeof bits);
        wc_error_message(&error, text, sizeof text);
        puts(strstr(text, "found ") + 6);
    }
}

int main(void)
{
    defaults();
    nulls();
    numbers();
    lengths();
    rules();
    imports();
    descriptors();
    spell();
    return failures;
}
