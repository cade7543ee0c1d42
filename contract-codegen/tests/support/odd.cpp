// What the C++ header of support/odd.rs says.
#include <wirecontract/odd.hpp>
#include <cstdio>

using namespace wirecontract::odd;

static int failures = 0;

#define SAYS(call, wanted)                                                                                             \
    do {                                                                                                               \
        const std::optional<wirecontract::error> fault = (call);                                                       \
        const std::string got = fault ? fault->message() : "ok";                                                       \
        if (got != (wanted)) {                                                                                         \
            std::printf("%d: wanted %s\n  got %s\n", __LINE__, (wanted), got.c_str());                                 \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static_assert(Arrays::default_rows[0][1] == 2 && Arrays::default_rows[1].empty() && Arrays::default_pairs[0][0] == -1);
static_assert(std::get<0>(Arrays::default_colors[0]) == Color::Blue && Arrays::default_texts[1].size() == 1);
static_assert(Arrays::default_pair[1] == 255 && Arrays::default_id[15] == 17 && Arrays::default_raws[0][1] == 2);
static_assert(Arrays::default_raws[1].empty() && Arrays::default_ids[0][0] == 18 && Arrays::default_id_rows[0][1][0] == 20);
static_assert(Arrays::default_raw[1] == 8 && Arrays::default_none.empty() && Arrays::default_flags[0]);

int main()
{
    static const std::string_view texts[] = {"abc", "four"};
    static const std::array<std::array<std::uint8_t, 16>, 3> uuids{};
    static const std::variant<Color, std::string_view> colors[] = {"red", Color::Red, static_cast<Color>(2)};
    static const Units states[] = {Units{UnitsOn{}}, Units{}};
    Arrays value;
    Many many;
    Ruled ruled;
    SAYS(value.check(), "ok");
    SAYS(value.validate_import(), "ok");
    value.columns[1] = texts;
    SAYS(value.check(), "Arrays.columns at byte 0: too_large: expected at most 3 bytes, found 4");
    value.columns[1] = {texts, 1};
    value.uuids = uuids;
    SAYS(value.check(), "Arrays.uuids at byte 0: too_many: expected at most 2 items");
    value.uuids = {uuids.data(), 2};
    value.colors = colors;
    SAYS(value.check(), "Arrays.colors at byte 0: unknown_value: expected a value of Color, found 2");
    value.colors = {colors, 2};
    value.states = states;
    SAYS(value.check(), "ok");
    SAYS(value.validate_import(), "Units at byte 0: rule_violated: expected variant != Off, found variant = 1");
    many.key_129 = std::uint8_t{1};
    SAYS(many.check(), "ok");
    ruled.color = "green";
    SAYS(ruled.check(),
         "Ruled at byte 0: rule_violated: expected weighs: len(label) == 0 || weight(color) * 2 > color, found len(label) = 4, "
         "weight(color) = none, color = none");
    ruled.label = "";
    SAYS(ruled.check(), "ok");
    SAYS(Words().check(), "ok");
    SAYS(Empty().check(), "ok");
    return failures;
}
