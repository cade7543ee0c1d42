// What a C++ header offers beside reading and writing: enumerations and flags at compile time, setters, equality.
#include <wirecontract/sink.hpp>
#include <wirecontract/cuvis.hpp>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

using namespace wirecontract;
using common::Caps;
using common::Format;
using common::Level;
using common::Usage;

static_assert(Level::Top == Level::High && Level::at_most == Level::High && static_cast<int>(Level::Mid) == 1);
static_assert(is_known(Level::High) && !is_known(static_cast<Level>(3)));
static_assert(to_string(Level::Low) == "Low" && to_string(static_cast<Level>(3)).empty());
static_assert(static_cast<std::int64_t>(common::Huge::Least) == std::numeric_limits<std::int64_t>::min());
static_assert(sample_bytes(Format::U16) == 2 && mask(Format::F32) == std::numeric_limits<std::uint64_t>::max());
static_assert(float_(Format::F32) && !float_(static_cast<Format>(9)) && typestr(Format::U16) == "<u2");
static_assert((Usage::Read | Usage::Write).bits() == 3 && known_bits(Usage::Read) == 0x33);
static_assert(((Usage::Read | Usage::Write) & ~Usage::Read) == Usage::Write);
static_assert((~Usage::Read).bits() == 0x32 && (~(Usage::Read | Usage::Write)).bits() == 0x30);
static_assert((~Caps::First).bits() == 0x80000000u && (~flags<Caps>::from_bits(6)).bits() == 0x80000001u);
static_assert((Caps::Last | Caps::First).contains(Caps::Last) && !flags<Caps>(Caps::First).contains(Caps::Last));
static_assert(flags<Caps>().empty() && flags<Caps>::from_bits(6).bits() == 6);
static_assert(sink::Win32Kind::NULL_ != sink::Win32Kind::class_ && sink::Win32Kind::Unix != sink::Win32Kind::class_);
static_assert(cuvis::CudaIpcPayload::wire_size == 208 && cuvis::CudaIpcPayload::wire_id == UINT64_C(0xc7e8376eb22c467a));
static_assert(wire_id(Level::Low) == WC_LEVEL_WIRE_ID);

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%d: %s\n", __LINE__, #condition);                                                             \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static void counted_arrays()
{
    cuvis::CudaIpcDescriptor value;
    const std::vector<std::uint8_t> three{ 1, 2, 3 };
    CHECK(value.set_blob(three) && value.blob_len == 3 && value.blob() == view<std::uint8_t>(three));
    CHECK(!value.set_blob(std::vector<std::uint8_t>(65)) && value.blob_len == 3);
    CHECK(value.set_blob(std::array<std::uint8_t, 64>{}) && value.blob().size() == 64);
    CHECK(value.set_blob({}) && value.blob().empty());
    value.blob_len = 1000;
    CHECK(value.blob().size() == 64);
    CHECK(!value.to_bytes() && value.to_bytes().error().code() == status::length_exceeds);

    sink::All all;
    // Arrays with one count are set together; one of them holds three, the other four.
    using Pairs = std::vector<std::array<std::uint16_t, 2>>;
    using Items = std::vector<std::remove_cv_t<std::remove_reference_t<decltype(*all.items().begin())>>>;
    CHECK(all.set_count(Items(2), Pairs{ { 1, 2 }, { 3, 4 } }) && all.count == 2);
    CHECK(all.pairs()[1][0] == 3 && all.items().size() == 2);
    CHECK(!all.set_count(Items(2), Pairs(1)) && !all.set_count(Items(1), Pairs(2)) && !all.set_count(Items(4), Pairs(4)));
    CHECK(all.count == 2 && all.pairs()[1][0] == 3);
    // The elements may lie in what they replace.
    CHECK(all.set_count({ all.items().begin(), 1 }, { all.pairs().begin() + 1, 1 }) && all.pairs()[0][0] == 3);

    // A count of one byte over an array of three hundred.
    sink::Narrow narrow;
    CHECK(narrow.set_data(std::vector<std::uint8_t>(255, 7)) && narrow.n == 255 && narrow.data().size() == 255);
    CHECK(!narrow.set_data(std::vector<std::uint8_t>(256)) && !narrow.set_data(std::vector<std::uint8_t>(260)));
    CHECK(narrow.n == 255 && narrow.data()[254] == 7);
}

static void texts()
{
    sink::All all;
    CHECK(all.label().empty() && all.set_label("seven b") && all.label() == "seven b");
    CHECK(!all.set_label("eight by") && !all.set_label(std::string_view("a\0b", 3)) && !all.set_label("\xff"));
    CHECK(all.label() == "seven b" && all.set_label("") && all.label().empty());
}

static void equality()
{
    cuvis::CudaIpcPayload a;
    auto b = a;
    CHECK(a == b && a.version == 1);
    b.descriptor.blob_array[9] = 1; // past the count
    CHECK(a == b);
    b.descriptor.blob_len = 10;
    CHECK(a != b);
    const auto bytes = a.to_bytes();
    CHECK(bytes && *cuvis::CudaIpcPayload::from_bytes(*bytes) == a);
    CHECK(cuvis::CudaIpcPayload::from_c(cuvis::CudaIpcPayload::to_c(a)) == a);
}

static void views()
{
    const std::string text(208, '\0');
    const std::vector<std::byte> raw(208);
    const std::uint8_t array[208] = {};
    CHECK(cuvis::CudaIpcPayload::from_bytes(text).error().code() == status::bad_magic);
    CHECK(cuvis::CudaIpcPayload::from_bytes(raw).error().offset() == 0);
    CHECK(cuvis::CudaIpcPayload::from_bytes(array).error().contract() == "CudaIpcPayload");
    CHECK(cuvis::CudaIpcPayload::from_bytes({ nullptr, 0 }).error().code() == status::too_short);
    CHECK(cuvis::CudaIpcPayload::from_bytes({ nullptr, 5 }).error().code() == status::null_argument);
    CHECK(bytes_view().data() != nullptr && bytes_view(std::vector<std::uint8_t>()).data() != nullptr);
}

static void results()
{
    sink::One one;
    CHECK(one.to_bytes().value()[0] == 0 && (*one.to_bytes())[0] == 0 && one.to_bytes()->size() == 1);
#ifdef __cpp_exceptions
    try {
        (void)sink::One::from_bytes({}).value();
        CHECK(false);
    } catch (const wire_error &thrown) {
        CHECK(std::string(thrown.what()) == "One at byte 0: too_short: expected 1 byte, found 0");
        CHECK(thrown.error().found().unsigned_value == 0 && thrown.error().expected() == "1 byte");
    }
#endif
}

int main()
{
    counted_arrays();
    texts();
    equality();
    views();
    results();
    return failures;
}
