//! Documents in C++: a driver on the C++ structs, which links the library that `c-json` is compiled into.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::names::cpp as names;

use super::library::{documents, is_document};

/// Names and texts of the driver's files.
pub(super) fn sources(input: &EmitInput<'_>) -> Vec<(String, String)> {
    let (mut includes, mut arms) = (String::new(), String::new());
    for family in documents(input) {
        includes += &format!("#include <{}>\n", names::header(family));
        for &id in family.contracts.iter().filter(|&&id| is_document(input, id)) {
            let contract = input.catalog.get(id);
            let (name, space, ty) = (&contract.name, names::namespace(family), names::type_name(contract));
            arms += &format!("    if (contract == \"{name}\") return strict<::{space}::{ty}>(document);\n");
        }
    }
    let text = MAIN.replace("@INCLUDES@", &includes).replace("@ARMS@", &arms);
    vec![("main.cpp".to_owned(), text)]
}

/// Strict reading alone: the other operations are the C functions, which the driver of C asks.
const MAIN: &str = r#"#include <iostream>
#include <string>
#include <string_view>

@INCLUDES@
namespace {

std::string hex(std::string_view bytes)
{
    const char *digits = "0123456789abcdef";
    std::string out;
    for (const char byte : bytes) {
        out += digits[static_cast<unsigned char>(byte) >> 4];
        out += digits[static_cast<unsigned char>(byte) & 15];
    }
    return out.empty() ? "-" : out;
}

std::string unhex(std::string_view text)
{
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string out;
    for (std::size_t at = 0; text != "-" && at + 1 < text.size(); at += 2) {
        out += static_cast<char>(digit(text[at]) * 16 + digit(text[at + 1]));
    }
    return out;
}

std::string refusal(const wirecontract::error &error)
{
    const std::string field(error.field().empty() ? "-" : error.field());
    return "err " + std::to_string(static_cast<int>(error.code())) + " " + std::string(error.contract()) + " " + field +
        " " + std::to_string(error.offset()) + " " + error.message();
}

template <class T>
std::string strict(std::string_view document)
{
    const auto read = T::from_json(document);
    if (!read) {
        return refusal(read.error());
    }
    const auto written = (*read.value()).to_json();
    return written ? "ok " + hex(written.value()) : "ok unwritten " + refusal(written.error());
}

std::string answer(std::string_view contract, std::string_view document)
{
@ARMS@    return "-";
}

} // namespace

int main()
{
    std::string contract, operation, bytes;
    while (std::cin >> contract >> operation >> bytes) {
        std::cout << (operation == "j" ? answer(contract, unhex(bytes)) : "-") << '\n';
    }
    return 0;
}
"#;
