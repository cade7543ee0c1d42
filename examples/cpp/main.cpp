// Reads a registration of a surface, says what is in it, gives it another name and writes it again.
#include <iostream>
#include <string_view>
#include <utility>
#include <variant>

#include <wirecontract/texture.hpp>

using namespace wirecontract::texture;

namespace {

constexpr std::string_view text = R"({"op":"register","surface_id":"camera-7","width":1920,"height":1080,)"
                                  R"("resource_type":"texture","format":"rgba8_unorm","plane_sizes":[8294400],)"
                                  R"("plane_offsets":[0],"plane_strides":[7680]})";

} // namespace

int main()
{
    // What is wrong with a document is said with its place.
    const auto wrong = Request::from_json(R"({"op":"register","surface_id":7})");
    if (!wrong) {
        std::cout << "refused: " << wrong.error().message() << '\n';
    }

    auto read = Request::from_json(text);
    if (!read) {
        std::cerr << "cannot read the document: " << read.error().message() << '\n';
        return 1;
    }
    // The document holds what the views in its value point to, and is moved, not copied.
    const auto document = std::move(*read);
    Request request = *document;
    if (auto *held = std::get_if<RequestRegister>(&request.value)) {
        Registration &registration = held->value;
        std::cout << registration.surface_id << " is " << registration.shape.width_or_default() << " x "
                  << registration.shape.height_or_default() << ", of "
                  << registration.shape.plane_sizes_or_default().size() << " plane(s)\n";
        registration.surface_id = "camera-8";
        if (const auto fault = registration.validate_import(1)) {
            std::cerr << "cannot import the surface: " << fault->message() << '\n';
            return 1;
        }
    }
    const auto written = request.to_json();
    if (!written) {
        std::cerr << "cannot write the document: " << written.error().message() << '\n';
        return 1;
    }
    std::cout << *written << '\n';
    return 0;
}
