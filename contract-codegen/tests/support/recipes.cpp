// What the C++ header of fixtures::recipes() says of values: defaults, presence, variants, and the verdicts of C.
#include <wirecontract/texture.hpp>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

using namespace wirecontract::texture;

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
        const std::optional<wirecontract::error> fault = (call);                                                       \
        const std::string got = fault ? fault->message() : "ok";                                                       \
        if (got != (wanted)) {                                                                                         \
            std::printf("%d: wanted %s\n  got %s\n", __LINE__, (wanted), got.c_str());                                 \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static_assert(Everything::wire_id == WC_EVERYTHING_WIRE_ID && Request::wire_id == WC_REQUEST_WIRE_ID);
static_assert(to_string(SurfaceKindTag::Texture) == "texture" && to_string(SurfaceKindTag::Implied).empty());
static_assert(static_cast<int>(RequestTag::Ping) == 3 && Everything::default_label == "unknown");

static void values()
{
    Everything value;
    Surface surface;
    CHECK(value.i64_field == -5 && value.label == "unknown" && !value.note && value.access.bits() == 3);
    CHECK(value.f64_field >= 0.25 && value.f64_field <= 0.25 && value.bounded == 3 && value.u8_field == 0);
    CHECK(!surface.plane_sizes && surface.plane_sizes_or_default().size() == 1 && !surface.has_fence_or_default());
    CHECK(surface.image.tiling_or_default() == Tiling::Optimal && surface.image.usage_or_default().bits() == 15);
    CHECK(surface.kind.tag() == SurfaceKindTag::Implied && Measure().tag() == MeasureTag::Count);
    CHECK(std::get<MeasureCount>(Measure().value).value == -1);
    surface.image.tiling = Tiling::Linear;
    CHECK(surface.image.tiling_or_default() == Tiling::Linear && surface != Surface());
    CHECK(Everything() == value && Measure{MeasureNothing{}} != Measure() && Request{RequestPing{}} == Request{RequestPing{}});
}

static void verdicts()
{
    static const std::string_view labels[] = {"one", "two", "three"};
    static const wirecontract::text_pair tags[] = {{"a", "1"}, {"b", "2"}};
    std::vector<Measure> measures{Measure{}, Measure{MeasureRatio{0.5}}, Measure{MeasureOther{"mean", "[1]"}}};
    Everything value;
    value.u8_field = 8;
    SAYS(value.check(), "ok");
    value.labels = labels;
    value.tags = tags;
    value.measures = measures;
    value.matrix = {{{1, 2}, {3, 4}}};
    value.uuid.emplace();
    value.format = "other";
    value.image.emplace();
    value.measure = Measure{MeasureOther{}};
    value.extent.emplace();
    value.extra = "{}";
    value.blob = wirecontract::bytes_view();
    SAYS(value.check(), "ok");
    measures[1] = Measure{MeasureRatio{2e6}};
    SAYS(value.check(), "Measure.value at byte 0: out_of_range: expected a number of at most 1000000, found 2000000");
    measures[1] = Measure{MeasureOther{"mean", "\xff"}};
    SAYS(value.check(), "Measure.value at byte 0: bad_utf8: expected UTF-8");
    value.measures.reset();
    value.extent->pitch = 1;
    SAYS(value.check(), "Extent.pitch at byte 0: condition_violated: expected zero unless width > 1, found width = 0");
    SAYS(value.extent->validate_import(),
         "Extent at byte 0: rule_violated: expected width > 0 && height > 0, found width = 0, height = 0");
    value.extent.reset();
    value.format = static_cast<Format>(9);
    SAYS(value.check(), "Everything.format at byte 0: unknown_value: expected a value of Format, found 9");
    value.format = Format::Nv12;
    value.f32_field = std::numeric_limits<float>::infinity();
    SAYS(value.check(), "Everything.f32_field at byte 0: out_of_range: expected a finite number, found Infinity");
    value.f32_field = 1.0f;
    value.label = "more than sixteen";
    SAYS(value.check(), "Everything.label at byte 0: too_large: expected at most 16 bytes, found 17");
    value.label = "exactly sixteen!";
    SAYS(value.check(), "ok");
    value.uuid.reset();
    SAYS(value.check(),
         "Everything at byte 0: rule_violated: expected present(uuid) || len(label) < 16, found present(uuid) = false, "
         "len(label) = 16");
}

static void imports()
{
    static const std::uint64_t sizes[] = {1, 2};
    Surface surface;
    surface.kind.value = SurfaceKindTexture{{Format::Gray8}};
    SAYS(surface.validate_import(),
         "Image.memory_type_index at byte 0: condition_violated: expected the key `memory_type_index` when tiling != Linear, "
         "found tiling = 0");
    surface.image.memory_type_index = 1u;
    surface.image.allocation_size = 1u;
    SAYS(surface.validate_import(1), "ok");
    SAYS(surface.validate_import(),
         "Surface at byte 0: rule_violated: expected fds: fd_count == len(plane_sizes) + int(has_fence), found fd_count = 0, "
         "len(plane_sizes) = 1, has_fence = false");
    surface.plane_sizes = sizes;
    surface.has_fence = true;
    SAYS(surface.validate_import(3), "ok");
    SAYS(surface.check(),
         "Surface at byte 0: rule_violated: expected planes: len(plane_sizes) == len(plane_offsets), found len(plane_sizes) = "
         "2, len(plane_offsets) = 1");
    const Request request{RequestRegister{surface}};
    SAYS(request.validate_import(3), "ok");
    SAYS(request.check(),
         "Surface at byte 0: rule_violated: expected planes: len(plane_sizes) == len(plane_offsets), found len(plane_sizes) = "
         "2, len(plane_offsets) = 1");
    SAYS(Request{RequestLookup{{"\xc0"}}}.check(), "Named.surface_id at byte 0: bad_utf8: expected UTF-8");
}

int main()
{
    values();
    verdicts();
    imports();
    return failures;
}
