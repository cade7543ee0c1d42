/* Calls every function of the library `rig` as a C program does, rightly and wrongly. Prints nothing when all is well. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rig/device.h>
#include <rig/gauge.h>
#include <rig/library.h>
#include <rig/memory.h>

static int failures;

static void expect(bool holds, const char *what, int line)
{
    if (!holds) {
        fprintf(stderr, "rig.c:%d: %s\n", line, what);
        failures++;
    }
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

/* The last failure of this thread says this. */
static void expect_failure(wc_status status, wc_status code, const char *function, const char *argument, const char *message,
                           int line)
{
    wc_failure failure;
    rig_last_error(&failure);
    if (status != code || failure.code != code || strcmp(failure.function, function) != 0
        || strcmp(failure.argument, argument) != 0 || strstr(failure.message, message) == NULL) {
        fprintf(stderr, "rig.c:%d: expected %s of %s(%s): %s\nfound %s, %s of %s(%s): %s\n", line, wc_status_name(code), function,
                argument, message, wc_status_name(status), wc_status_name(failure.code), failure.function, failure.argument,
                failure.message);
        failures++;
    }
}
#define EXPECT_FAILURE(call, code, function, argument, message) \
    expect_failure(call, code, function, argument, message, __LINE__)

static rig_device opened(const char *name)
{
    rig_device device;
    EXPECT(rig_device_open(name, &device) == WC_STATUS_OK);
    return device;
}

static uint64_t alive(void)
{
    uint64_t count = UINT64_MAX;
    EXPECT(rig_alive(&count) == WC_STATUS_OK);
    return count;
}

static void a_device_does_what_it_is_told(void)
{
    rig_device device = opened("first");
    const float samples[] = {1.0f, 2.0f, 4.0f};
    float copy[2] = {0.0f, 0.0f};
    uint64_t length = 0;
    size_t copied = 0;
    size_t total = 0;
    wc_owned_bytes text;
    EXPECT(alive() == 1);
    EXPECT(rig_device_name(device, &text) == WC_STATUS_OK);
    EXPECT(text.length == 5 && strcmp((const char *)text.data, "first") == 0);
    EXPECT(rig_bytes_free(&text) == WC_STATUS_OK && text.data == NULL && text.id == 0);
    EXPECT(rig_device_push(device, samples, 3) == WC_STATUS_OK);
    EXPECT(rig_device_push(device, NULL, 0) == WC_STATUS_OK);
    EXPECT(rig_device_length(device, &length) == WC_STATUS_OK && length == 3);
    EXPECT(rig_device_copy(device, copy, 2, &copied, &total) == WC_STATUS_OK);
    EXPECT(copied == 2 && total == 3 && copy[0] == 1.0f && copy[1] == 2.0f);
    EXPECT(rig_device_bytes(device, &text) == WC_STATUS_OK && text.length == 12);
    EXPECT(memcmp(text.data, samples, 12) == 0 && text.data[12] == 0);
    {
        wc_owned_bytes second = text;
        EXPECT(rig_bytes_free(&text) == WC_STATUS_OK);
        EXPECT(rig_bytes_free(&second) == WC_STATUS_BAD_HANDLE);
    }
    EXPECT(rig_device_destroy(&device) == WC_STATUS_OK && device.id == 0);
    EXPECT(rig_device_destroy(&device) == WC_STATUS_OK);
    EXPECT(alive() == 0);
}

static void contracts_cross_in_their_wire_form(void)
{
    rig_device device = opened("second");
    uint8_t header[RIG_HEADER_SIZE];
    rig_header read;
    wc_error error;
    wc_owned_bytes text;
    EXPECT(rig_device_header(device, 77, header) == WC_STATUS_OK);
    EXPECT(rig_header_read(header, sizeof header, &read, &error) == WC_STATUS_OK && read.time == 77 && read.unit == RIG_UNIT_KELVIN);
    header[4] = 2;
    EXPECT(rig_device_follow(device, header) == WC_STATUS_OK);
    EXPECT(rig_device_settings(device, &text) == WC_STATUS_OK);
    EXPECT(strcmp((const char *)text.data, "{\"rate\":1,\"unit\":\"Kelvin\"}") != 0);
    EXPECT(rig_bytes_free(&text) == WC_STATUS_OK);
    EXPECT(rig_device_configure(device, WC_STR("{\"rate\":25,\"label\":\"x\"}")) == WC_STATUS_OK);
    EXPECT(rig_device_settings(device, &text) == WC_STATUS_OK);
    EXPECT(strcmp((const char *)text.data, "{\"rate\":25,\"unit\":\"Kelvin\",\"label\":\"x\"}") == 0);
    EXPECT(rig_bytes_free(&text) == WC_STATUS_OK);
    EXPECT_FAILURE(rig_device_configure(device, WC_STR("{\"rate\":0}")), WC_STATUS_OUT_OF_RANGE, "rig_device_configure",
                   "settings", "rate");
    header[4] = 9;
    EXPECT_FAILURE(rig_device_follow(device, header), WC_STATUS_UNKNOWN_VALUE, "rig_device_follow", "header", "Header.unit");
    EXPECT_FAILURE(rig_device_follow(device, NULL), WC_STATUS_NULL_ARGUMENT, "rig_device_follow", "header", "null");
    EXPECT(rig_device_destroy(&device) == WC_STATUS_OK);
}

static void every_bad_argument_is_named(void)
{
    rig_device device = opened("third");
    rig_device other;
    rig_device copy;
    rig_gauge gauge;
    rig_device forged;
    rig_point middle;
    double value = 1.0;
    uint64_t length = 1;
    union {
        double aligned[8];
        char bytes[64];
    } room;
    const char not_utf8[] = {'a', '\xff', '\0'};
    EXPECT_FAILURE(rig_device_open(NULL, &other), WC_STATUS_NULL_ARGUMENT, "rig_device_open", "name", "null");
    EXPECT(other.id == 0);
    EXPECT_FAILURE(rig_device_open("x", NULL), WC_STATUS_NULL_ARGUMENT, "rig_device_open", "out", "null");
    EXPECT_FAILURE(rig_device_open(not_utf8, &other), WC_STATUS_BAD_UTF8, "rig_device_open", "name", "UTF-8");
    EXPECT_FAILURE(rig_device_open("", &other), WC_STATUS_OUT_OF_RANGE, "rig_device_open", "", "without a name");
    {
        wc_failure failure;
        rig_last_error(&failure);
        EXPECT(failure.detail == 7);
    }
    EXPECT_FAILURE(rig_device_push(device, NULL, 2), WC_STATUS_NULL_ARGUMENT, "rig_device_push", "samples", "null");
    EXPECT_FAILURE(rig_device_push(device, (const float *)(const void *)(room.bytes + 1), 1), WC_STATUS_WRONG_TYPE, "rig_device_push", "samples",
                   "aligned to 4");
    EXPECT_FAILURE(rig_device_push(device, (const float *)room.aligned, SIZE_MAX / 2), WC_STATUS_LENGTH_EXCEEDS, "rig_device_push",
                   "samples", "");
    EXPECT_FAILURE(rig_convert(1.0, 3, RIG_UNIT_KELVIN, &value), WC_STATUS_UNKNOWN_VALUE, "rig_convert", "from", "3");
    EXPECT(value == 0.0);
    EXPECT_FAILURE(rig_middle(NULL, NULL, &middle), WC_STATUS_NULL_ARGUMENT, "rig_middle", "a", "null");
    memset(&forged, 0, sizeof forged);
    EXPECT_FAILURE(rig_device_length(forged, &length), WC_STATUS_BAD_HANDLE, "rig_device_length", "self", "");
    forged.id = UINT64_C(0x123456789abcdef0);
    EXPECT_FAILURE(rig_device_length(forged, &length), WC_STATUS_BAD_HANDLE, "rig_device_length", "self", "");
    EXPECT(rig_gauge_create(1, &gauge) == WC_STATUS_OK);
    forged.id = gauge.id;
    EXPECT_FAILURE(rig_device_length(forged, &length), WC_STATUS_BAD_HANDLE, "rig_device_length", "self", "");
    EXPECT(rig_gauge_destroy(&gauge) == WC_STATUS_OK);
    copy = device;
    EXPECT(rig_device_destroy(&device) == WC_STATUS_OK);
    EXPECT_FAILURE(rig_device_length(copy, &length), WC_STATUS_BAD_HANDLE, "rig_device_length", "self", "destroyed");
    EXPECT_FAILURE(rig_device_destroy(&copy), WC_STATUS_BAD_HANDLE, "rig_device_destroy", "handle", "destroyed");
    EXPECT_FAILURE(rig_device_destroy(NULL), WC_STATUS_NULL_ARGUMENT, "rig_device_destroy", "handle", "null");
    {
        rig_unit unit = 9;
        uint8_t abilities = 0;
        EXPECT_FAILURE(rig_echo(0x80, 900, &abilities, &unit), WC_STATUS_UNKNOWN_BITS, "rig_echo", "abilities", "");
        EXPECT(rig_echo(3, 900, &abilities, &unit) == WC_STATUS_OK && abilities == 3 && unit == 900);
    }
}

static void a_panic_is_a_status_and_a_message(void)
{
    rig_device device = opened("fourth");
    uint64_t length = 0;
    EXPECT_FAILURE(rig_panic("of all things"), WC_STATUS_PANIC, "rig_panic", "", "of all things");
    EXPECT_FAILURE(rig_device_fail(device, "loudly"), WC_STATUS_PANIC, "rig_device_fail", "", "the device failed: loudly");
    EXPECT_FAILURE(rig_device_length(device, &length), WC_STATUS_PANIC, "rig_device_length", "self", "destroy");
    EXPECT(rig_device_destroy(&device) == WC_STATUS_OK);
    EXPECT(alive() == 0);
}

typedef struct {
    rig_device device;
    uint32_t seen;
    wc_status inner;
    wc_status answer;
} watcher;

static wc_status watch(void *context, uint32_t index, float sample)
{
    watcher *self = context;
    const float more = 1.0f;
    EXPECT((float)index + 1.0f == sample);
    self->seen++;
    self->inner = rig_device_push(self->device, &more, 1);
    return self->answer;
}

static void a_callback_may_fail_and_may_not_enter(void)
{
    watcher watcher = {opened("fifth"), 0, WC_STATUS_OK, WC_STATUS_OK};
    const float samples[] = {1.0f, 2.0f};
    EXPECT(rig_device_push(watcher.device, samples, 2) == WC_STATUS_OK);
    EXPECT(rig_device_each(watcher.device, watch, &watcher) == WC_STATUS_OK);
    EXPECT(watcher.seen == 2 && watcher.inner == WC_STATUS_BUSY);
    watcher.seen = 0;
    watcher.answer = WC_STATUS_TIMEOUT;
    EXPECT_FAILURE(rig_device_each(watcher.device, watch, &watcher), WC_STATUS_TIMEOUT, "rig_device_each", "see", "");
    EXPECT(watcher.seen == 1);
    EXPECT_FAILURE(rig_device_each(watcher.device, NULL, NULL), WC_STATUS_NULL_ARGUMENT, "rig_device_each", "see", "null");
    EXPECT(rig_device_destroy(&watcher.device) == WC_STATUS_OK);
}

static void a_handle_that_is_taken_is_gone(void)
{
    rig_device first = opened("sixth");
    rig_device second = opened("seventh");
    const float sample = 5.0f;
    uint64_t length = 0;
    EXPECT(rig_device_push(second, &sample, 1) == WC_STATUS_OK);
    EXPECT_FAILURE(rig_device_absorb(first, &first), WC_STATUS_RULE_VIOLATED, "rig_device_absorb", "other", "");
    EXPECT(rig_device_absorb(first, &second) == WC_STATUS_OK && second.id == 0);
    EXPECT(alive() == 1);
    EXPECT(rig_device_finish(&first, &length) == WC_STATUS_OK && length == 1 && first.id == 0);
    EXPECT(alive() == 0);
}

static void *from_elsewhere(void *context)
{
    rig_device *device = context;
    uint64_t length = 0;
    EXPECT_FAILURE(rig_device_length(*device, &length), WC_STATUS_BUSY, "rig_device_length", "self", "thread");
    return NULL;
}

static void *destroys(void *context)
{
    rig_device *device = context;
    EXPECT(rig_device_destroy(device) == WC_STATUS_OK);
    return NULL;
}

static void *leaves_one(void *context)
{
    *(rig_device *)context = opened("left behind");
    return NULL;
}

static void run(void *(*body)(void *), void *context)
{
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, body, context) == 0);
    EXPECT(pthread_join(thread, NULL) == 0);
}

static void an_exclusive_handle_belongs_to_one_thread(void)
{
    rig_device device = opened("eighth");
    rig_device copy = device;
    uint64_t length = 0;
    run(from_elsewhere, &device);
    EXPECT(rig_device_length(device, &length) == WC_STATUS_OK);
    run(destroys, &copy);
    EXPECT_FAILURE(rig_device_length(device, &length), WC_STATUS_BAD_HANDLE, "rig_device_length", "self", "destroyed");
    EXPECT(alive() == 0);
    run(leaves_one, &device);
    EXPECT(alive() == 0);
    EXPECT(rig_device_destroy(&device) == WC_STATUS_BAD_HANDLE);
}

static void *adds(void *context)
{
    rig_gauge gauge = *(rig_gauge *)context;
    wc_status status = WC_STATUS_OK;
    for (int i = 0; i < 20000 && status == WC_STATUS_OK; i++) {
        uint64_t before = 0;
        status = rig_gauge_add(gauge, 1, &before);
    }
    EXPECT(status == WC_STATUS_OK || status == WC_STATUS_BAD_HANDLE);
    return NULL;
}

static void a_shared_handle_is_used_by_all_threads_at_once(void)
{
    pthread_t threads[4];
    for (int round = 0; round < 20; round++) {
        rig_gauge gauge;
        rig_gauge copy;
        uint64_t count = 0;
        EXPECT(rig_gauge_create(0, &gauge) == WC_STATUS_OK);
        copy = gauge;
        for (int i = 0; i < 4; i++) {
            EXPECT(pthread_create(&threads[i], NULL, adds, &copy) == 0);
        }
        if (round % 2 == 0) {
            EXPECT(rig_gauge_destroy(&gauge) == WC_STATUS_OK);
        }
        for (int i = 0; i < 4; i++) {
            EXPECT(pthread_join(threads[i], NULL) == 0);
        }
        if (round % 2 == 1) {
            EXPECT(rig_gauge_read(gauge, &count) == WC_STATUS_OK && count == 80000);
            EXPECT(rig_gauge_destroy(&gauge) == WC_STATUS_OK);
        }
        EXPECT(rig_gauge_destroy(&copy) == WC_STATUS_BAD_HANDLE);
    }
}

static void memory_is_shared_and_not_copied(void)
{
    int tag = 0;
    rig_point points[2] = {{1.0, 2.0, &tag}, {3.0, 4.0, NULL}};
    rig_point middle;
    double sum = 0.0;
    size_t count = 0;
    EXPECT(rig_middle(&points[0], &points[1], &middle) == WC_STATUS_OK);
    EXPECT(middle.x == 2.0 && middle.y == 3.0 && middle.tag == &tag);
    EXPECT(rig_middle(&points[0], NULL, &middle) == WC_STATUS_OK && middle.x == 1.0);
    EXPECT(rig_shift(&points[0], points[1]) == WC_STATUS_OK && points[0].x == 4.0 && points[0].y == 6.0);
    EXPECT(rig_sum(points, 2, &sum) == WC_STATUS_OK && sum == 17.0);
    EXPECT(rig_count((const uint8_t *)"four", &count) == WC_STATUS_OK && count == 4);
    EXPECT_FAILURE(rig_count(NULL, &count), WC_STATUS_REFUSED, "rig_count", "", "no bytes");
}

/* Makes and ends objects, so that a tool sees what is lost. */
static void cycle(unsigned long times)
{
    for (unsigned long i = 0; i < times; i++) {
        rig_device device;
        rig_gauge gauge;
        wc_owned_bytes name;
        EXPECT(rig_device_open("cycle", &device) == WC_STATUS_OK);
        EXPECT(rig_device_name(device, &name) == WC_STATUS_OK);
        EXPECT(rig_bytes_free(&name) == WC_STATUS_OK);
        EXPECT(rig_device_destroy(&device) == WC_STATUS_OK);
        EXPECT(rig_gauge_create(i, &gauge) == WC_STATUS_OK);
        EXPECT(rig_gauge_destroy(&gauge) == WC_STATUS_OK);
    }
    EXPECT(alive() == 0);
}

int main(int count, char **arguments)
{
    wc_abi_mismatch mismatch;
    if (rig_check_abi(&mismatch) != WC_STATUS_OK) {
        printf("%s: expected %016llx, found %016llx\n", mismatch.symbol, (unsigned long long)mismatch.expected,
               (unsigned long long)mismatch.found);
        return 3;
    }
    if (count > 1) {
        cycle(strtoul(arguments[1], NULL, 10));
    } else {
        a_device_does_what_it_is_told();
        contracts_cross_in_their_wire_form();
        every_bad_argument_is_named();
        a_panic_is_a_status_and_a_message();
        a_callback_may_fail_and_may_not_enter();
        a_handle_that_is_taken_is_gone();
        an_exclusive_handle_belongs_to_one_thread();
        a_shared_handle_is_used_by_all_threads_at_once();
        memory_is_shared_and_not_copied();
    }
    return failures == 0 ? 0 : 1;
}
