// What the C++ headers of descriptors that grow offer: sizes, defaults, older and newer versions.
#include <wirecontract/cuvis.hpp>
#include <wirecontract/grown.hpp>
#include <cstdio>
#include <string>
#include <vector>

using namespace wirecontract;
using cuvis::Frame;
using cuvis::Message;
using cuvis::Native;
using cuvis::Tail;
using grown::Ability;
using grown::Forms;
using grown::Packing;

static_assert(Frame::wire_sizes.size() == 3 && Frame::wire_sizes[0] == 16 && Frame::wire_sizes[2] == Frame::wire_size);
static_assert(Tail::wire_sizes[0] == 4 && Tail::wire_sizes[1] == 10);

static int failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%d: %s\n", __LINE__, #condition);                                                             \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

#define SAYS(call, wanted)                                                                                             \
    do {                                                                                                               \
        const auto outcome = (call);                                                                                   \
        const std::string got = outcome ? "ok" : outcome.error().message();                                            \
        if (got != (wanted)) {                                                                                         \
            std::printf("%d: wanted %s\n  got %s\n", __LINE__, (wanted), got.c_str());                                 \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static std::vector<std::uint8_t> frame_bytes(std::uint8_t version, std::size_t length)
{
    std::vector<std::uint8_t> bytes{ 'G', 'R', 'O', 'W', version, 0, 0x80, 2, 0xe0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff };
    bytes.resize(length);
    return bytes;
}

static Frame newest()
{
    Frame frame;
    frame.width = 640;
    frame.height = 480;
    return frame;
}

static void versions_are_read()
{
    const auto read = Frame::from_bytes(frame_bytes(1, 16));
    CHECK(read && read->version == 1 && read->gain == 100 && read->bias == -7 && read->levels[1] == 2);
    CHECK(read->crop == 0 && read->name() == "lwir" && read->is_hot);
    Frame begun = newest();
    CHECK(begun.version == 3);
    begun.version = 1;
    CHECK(*read == begun);
    CHECK(*Frame::version_of(frame_bytes(1, 16)) == 1);
    SAYS(Frame::version_of(frame_bytes(1, 17)), "Frame at byte 16: trailing_bytes: expected 16 bytes, found 17");
    CHECK(Frame::validate(frame_bytes(2, 16))->message() == "Frame at byte 16: too_short: expected 44 bytes, found 16");
    SAYS(Frame::from_bytes(frame_bytes(4, 60)), "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 4");
    CHECK(Frame::from_bytes_or_newer(frame_bytes(4, 60))->version == 3);
    SAYS(Frame::from_bytes_or_newer(frame_bytes(4, 43)), "Frame at byte 43: too_short: expected 44 bytes, found 43");
    const std::vector<std::uint8_t> three(3);
    SAYS(Tail::from_bytes(three), "Tail at byte 3: too_short: expected 4 bytes, found 3");
    CHECK(*Tail::version_of(std::vector<std::uint8_t>(10)) == 2);
    CHECK(Tail::from_bytes(std::vector<std::uint8_t>(4))->items()[0] == 5);
}

static void a_prefix_ends_where_its_version_says()
{
    const auto bytes = frame_bytes(1, 60);
    const auto read = Frame::read_prefix(bytes);
    CHECK(read && read->value.gain == 100 && read->rest.data() == bytes.data() + 16 && read->rest.size() == 44);
    const auto longer = frame_bytes(2, 60);
    CHECK(Frame::read_prefix(longer)->rest.size() == 16);
    SAYS(Frame::read_prefix(frame_bytes(2, 40)), "Frame at byte 40: too_short: expected 44 bytes, found 40");
}

static void versions_are_written()
{
    Frame frame = newest();
    std::array<std::uint8_t, Frame::wire_size> bytes{};
    CHECK(*frame.write_version(1, bytes) == 16 && bytes[4] == 1 && bytes[12] == 0);
    SAYS(frame.write_version(1, mutable_view<std::uint8_t>(bytes.data(), 15)),
         "Frame at byte 15: too_short: expected 16 bytes, found 15");
    SAYS(frame.write_version(1, mutable_view<std::uint8_t>()), "Frame at byte 0: too_short: expected 16 bytes, found 0");
    SAYS(frame.write_version(9, bytes), "Frame at byte 0: unsupported_version: expected 1 to 3, found 9");
    frame.levels[0] = 7;
    SAYS(frame.write_version(1, bytes),
         "Frame.levels at byte 22: unsupported_version: expected its default, before version 2");
    CHECK(*frame.write_version(2, bytes) == 44);
    Message message;
    CHECK(message.tail.weight == 9 && *message.write_version(1, bytes) == 12);
}

static void every_form_of_default()
{
    const Forms forms;
    const std::array<std::array<std::int16_t, 3>, 2> rows{ { { { -1, 2, -3 } }, { { 4, -5, 6 } } } };
    CHECK(forms.version == 2 && forms.packing == Packing::Tight && forms.open == static_cast<Packing>(9));
    CHECK(forms.abilities == (Ability::Map | Ability::Wait) && forms.odd.bits() == 0x18 && forms.rows == rows);
    CHECK(forms.large == (UINT64_C(1) << 40) + 3 && forms.text() == "\303\251'\\?\n" && forms.each[0] == Packing::Rows);
    Forms old = *Forms::from_bytes(std::vector<std::uint8_t>{ 0, 0, 0, 0, 0, 0, 0, 1 });
    CHECK(old.version == 1);
    old.version = 2;
    CHECK(old == forms && forms.to_bytes().has_value());
    const auto written = forms.to_bytes();
    CHECK(Forms::from_bytes(*written).has_value() && *Forms::from_bytes(*written) == forms);
    Native native;
    CHECK(native.time_gran == 1 && native.max_pages == 32);
}

int main()
{
    versions_are_read();
    a_prefix_ends_where_its_version_says();
    versions_are_written();
    every_form_of_default();
    return 0;
}
