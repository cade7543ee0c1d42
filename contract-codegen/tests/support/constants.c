/* What a header says beside its functions on bytes: constants, names, data, layout. Valid C11 and C++17. */
#include <wirecontract/core.h>
#include <wirecontract/common.h>
#include <wirecontract/sink.h>
#include <wirecontract/cuvis.h>
#include <stdio.h>

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%d: %s\n", __LINE__, #condition);                                                                  \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static void enumerations(void)
{
    wc_level level = WC_LEVEL_HIGH;
    wc_wide wide = WC_WIDE_LAST;
    CHECK(level == 2 && WC_LEVEL_TOP == WC_LEVEL_HIGH && WC_LEVEL_AT_MOST == WC_LEVEL_HIGH);
    CHECK(strcmp(wc_level_name(level), "High") == 0 && wc_level_name(3) == NULL);
    CHECK(wc_level_is_known(0) && wc_level_is_known(2) && !wc_level_is_known(3) && !wc_level_is_known(255));
    CHECK(wc_code_is_known(WC_CODE_MINUS) && wc_code_is_known(0) && wc_code_is_known(300));
    CHECK(!wc_code_is_known(-299) && !wc_code_is_known(1) && !wc_code_is_known(299));
    CHECK(wide == UINT32_MAX && wc_wide_is_known(wide) && !wc_wide_is_known(1) && wc_wide_is_known(8));
    CHECK(WC_HUGE_LEAST == INT64_MIN && WC_HUGE_MOST == INT64_MAX && wc_huge_is_known(INT64_MIN));
    CHECK(!wc_huge_is_known(INT64_MIN + 1) && strcmp(wc_huge_name(INT64_MAX), "Most") == 0);
    CHECK(WC_GIANT_MOST == UINT64_MAX && wc_giant_is_known(UINT64_MAX) && !wc_giant_is_known(1));
    CHECK(wc_every_is_known(0) && wc_every_is_known(255) && strcmp(wc_every_name(255), "V255") == 0);
    CHECK(wc_format_sample_bytes(WC_FORMAT_U16) == 2 && wc_format_sample_bytes(WC_FORMAT_F32) == INT64_MIN);
    CHECK(wc_format_mask(WC_FORMAT_F32) == UINT64_MAX && wc_format_mask(9) == 0 && wc_format_sample_bytes(9) == 0);
    CHECK(wc_format_float(WC_FORMAT_F32) && !wc_format_float(WC_FORMAT_U16) && !wc_format_float(9));
    CHECK(strcmp(wc_format_typestr(WC_FORMAT_U16), "<u2") == 0 && wc_format_typestr(9) == NULL);
    CHECK(strcmp(wc_format_typestr(WC_FORMAT_F32), "?" "?/\"\\ \xc3\xa9" "1\n") == 0);
    CHECK(VENDOR_KIND_NULL == 0 && VENDOR_KIND_CLASS == 1 && VENDOR_UNIX == 2);
    CHECK(sizeof(vendor_kind_t) == 4 && strcmp(vendor_kind_name(VENDOR_UNIX), "Unix") == 0);
}

static void flags(void)
{
    wc_usage usage = WC_USAGE_READ | WC_USAGE_BOTH_;
    CHECK(usage == 0x31 && WC_USAGE_KNOWN_BITS == 0x33 && sizeof usage == 1);
    CHECK(WC_CAPS_LAST == UINT32_C(0x80000000) && WC_CAPS_KNOWN_BITS == UINT32_C(0x80000001) && sizeof(wc_caps) == 4);
    CHECK(WC_TOP_BITS_TOP == UINT64_C(0x8000000000000000) && sizeof(wc_top_bits) == 8);
}

static void descriptors(void)
{
    vendor_words_t words;
    wc_cuda_ipc_payload payload;
    CHECK(WC_CUDA_IPC_PAYLOAD_SIZE == 208 && sizeof payload == 208 && WC_CUDA_IPC_DESCRIPTOR_BLOB_CAPACITY == 64);
    CHECK(WC_CUDA_IPC_PAYLOAD_DESCRIPTOR_OFFSET == 24 && WC_CUDA_IPC_DESCRIPTOR_PAD_OFFSET == 116);
    CHECK(WC_CUDA_IPC_PAYLOAD_WIRE_ID == UINT64_C(0xc7e8376eb22c467a));
    CHECK(WC_ALL_PAIRS_CAPACITY == 4 && WC_ALL_ITEMS_CAPACITY == 3 && WC_LOOSE_CRATES_CAPACITY == 2);
    CHECK(WC_CRATE_SIZE == 6 && WC_CRATE_B_OFFSET == 1 && sizeof(wc_crate) == 12);
    vendor_words_init(&words);
    words.linux_ = words.errno_ = words.the_class = words.int_ = words.NULL_ = words.stdin_ = words.small_ = 1;
    words.this_ = words.and_ = words.bool_ = words.I_ = words.si_pid_ = words.min_ = words.std_ = words.uint8_t_ = 2;
    memcpy(words.register_, "abc", 4);
    words.delete_ = 3;
    CHECK(VENDOR_WORDS_LINUX_OFFSET == 0 && VENDOR_WORDS_THE_CLASS_OFFSET == 3 && words.delete_ == 3);
    CHECK(sizeof words == VENDOR_WORDS_SIZE);
    wc_cuda_ipc_payload_init(&payload);
    CHECK(memcmp(payload.magic, "CVIP", 4) == 0 && payload.version == 1 && payload.descriptor._pad == 0);
}

static void statuses(void)
{
    wc_error error;
    char text[64];
    memset(&error, 0, sizeof error);
    error.code = 99;
    error.contract = "A";
    error.field = "";
    error.expected = "b";
    CHECK(WC_STATUS_OK == 0 && WC_STATUS_REFUSED == 35 && strcmp(wc_status_name(1), "too_short") == 0);
    CHECK(wc_status_name(36) == NULL && wc_status_name(-1) == NULL);
    CHECK(wc_error_message(&error, text, sizeof text) == 32 && strcmp(text, "A at byte 0: unknown: expected b") == 0);
    error.code = WC_STATUS_PANIC;
    CHECK(wc_error_message(&error, text, sizeof text) == 30 && strcmp(text, "A at byte 0: panic: expected b") == 0);
    CHECK(wc_error_message(&error, text, 1) == 30 && text[0] == '\0');
    CHECK(wc_error_message(NULL, text, sizeof text) == 0 && text[0] == '\0');
    memset(&error, 0, sizeof error);
    CHECK(wc_error_message(&error, text, sizeof text) == 0 && text[0] == '\0');
}

int main(void)
{
    enumerations();
    flags();
    descriptors();
    statuses();
    return failures;
}
