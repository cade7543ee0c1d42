// What nothing but a C++ program can do wrong, and what its types can tell from each other. Prints what is not as it should
// be. With HUGE, for a catalog of which a region has 65536 bytes, few of which a program sees, and UnknownMessage no bound.
#include <iostream>
#include <string>

#include <wirecontract/vhost.hpp>

namespace {

namespace vhost = wirecontract::vhost;
using wirecontract::bytes_view;
using wirecontract::view;

#define EXPECT(condition)                                              \
    do {                                                               \
        if (!(condition)) {                                            \
            std::cout << __LINE__ << ": " << #condition << "\n";       \
        }                                                              \
    } while (0)

template <class T>
void expect_fault(const T &result, const std::string &text)
{
    const std::string found = result ? "ok" : result.error().message();
    if (found != text) {
        std::cout << "wanted " << text << "\nfound  " << found << "\n";
    }
}

#ifdef HUGE

std::string bytes(std::uint64_t count)
{
    return std::to_string(sizeof(std::size_t) == 4 && count > SIZE_MAX ? SIZE_MAX : count);
}

/* As many elements that the product of their number and their size is beyond 32 bits. */
void a_tail_that_is_too_long_is_refused_before_memory_is_taken()
{
    vhost::GrowingMessage value;
    value.regions.resize(65537);
    const std::string text = "GrowingMessage at byte 52: too_large: expected at most 52 bytes, found " + bytes(20 + (1ULL << 32) + 65536);
    expect_fault(value.to_message(), text);
    const auto import = value.validate_import();
    EXPECT(import && import->message() == text);
}

void a_length_that_no_size_holds_is_too_large()
{
    if constexpr (sizeof(std::size_t) == 4) {
        static const std::uint8_t few[4] = { 1, 2, 3, 4 };
        vhost::UnknownMessage value;
        value.rest = bytes_view(few, SIZE_MAX - 11);
        const std::string text = "UnknownMessage at byte 4294967295: too_large: expected at most 4294967295 bytes, found 4294967295";
        expect_fault(value.to_message(), text);
    }
}

#else

const int negative[2] = { 7, -2 };

void numbers_that_are_no_file_descriptors_are_refused()
{
    const std::string end = " at byte 0: bad_handle: expected a file descriptor, found -2";
    vhost::UnknownMessage unknown;
    unknown.all = negative;
    expect_fault(unknown.to_message(), "UnknownMessage.all" + end);
    const std::uint8_t bytes[12] = { 99 };
    expect_fault(vhost::UnknownMessage::from_message(bytes, negative), "UnknownMessage" + end);

    vhost::RegisterMessage registered;
    static const std::uint32_t sizes[2] = { 7, 7 };
    registered.body.image.plane_sizes = sizes;
    registered.planes = negative;
    expect_fault(registered.join(), "RegisterMessage.planes" + end);
    expect_fault(vhost::RegisterMessage::split(registered.body, negative), "RegisterMessage" + end);

    vhost::WordMessage word;
    auto &other = word.value.emplace<vhost::WordMessageOther>();
    other.body.tag = "later";
    other.fds = negative;
    expect_fault(word.join(), "WordMessage" + end);
}

/* Two variants that hold the same: each is a type of its own. */
void a_variant_is_known_by_its_type()
{
    vhost::QueryMessage query;
    query.value = vhost::QueryMessageForget{ { "a" } };
    EXPECT(query.tag() == vhost::QueryMessageTag::Forget);
    EXPECT(std::get<vhost::QueryMessageForget>(query.value).value.surface == "a");
    EXPECT(std::get_if<vhost::QueryMessageLookup>(&query.value) == nullptr);
    const auto joined = query.join();
    EXPECT(joined && joined->document.tag() == vhost::QueryTag::Forget && joined->fds.empty());
    EXPECT(joined && std::get<vhost::QueryForget>(joined->document.value).value.surface == "a");
    const auto again = vhost::QueryMessage::split(joined.value().document, {});
    EXPECT(again && *again == query);
    vhost::QueryMessage lookup;
    lookup.value = vhost::QueryMessageLookup{ { "a" } };
    EXPECT(lookup != query);

    const int fds[2] = { 7, 8 };
    vhost::RingMessage ring;
    auto &call = ring.value.emplace<vhost::RingMessageCall>().value;
    call.header.request = static_cast<vhost::VhostRequest>(13);
    call.header.flags = 1;
    call.pair = fds;
    const auto written = ring.to_message();
    EXPECT(written && written->bytes[0] == 13 && written->fds.size() == 2);
    const auto read = vhost::RingMessage::from_message(written.value().bytes, written.value().fds);
    EXPECT(read && read->tag() == vhost::RingMessageTag::Call && *read == ring);
    ring.value = vhost::RingMessageKick{ call };
    expect_fault(ring.to_message(), "RingMessage.header.request at byte 0: unknown_tag: expected 12, found 13");
}

#endif

} // namespace

int main()
{
#ifdef HUGE
    a_tail_that_is_too_long_is_refused_before_memory_is_taken();
    a_length_that_no_size_holds_is_too_large();
#else
    numbers_that_are_no_file_descriptors_are_refused();
    a_variant_is_known_by_its_type();
#endif
    return 0;
}
