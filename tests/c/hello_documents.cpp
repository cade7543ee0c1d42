// Says of each hello on standard input what C++ makes of it, as `hello_documents.c` does.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>

#include <wirecontract/hello.hpp>
#include <wirecontract/negotiate.hpp>

namespace {

void say(const wirecontract::error &error)
{
    std::cout << wirecontract::to_string(error.code()) << ' ' << error.contract() << ' ' << error.field() << '\n';
}

void say(std::string_view document)
{
    const auto read = wirecontract::hello::Hello::from_json(document);
    if (!read) {
        say(read.error());
    } else if (const auto fault = wirecontract::hello::validate(*read.value())) {
        say(*fault);
    } else {
        std::cout << "accepted\n";
    }
}

} // namespace

int main()
{
    unsigned char head[4];
    while (std::fread(head, 1, 4, stdin) == 4) {
        const std::size_t length = head[0] | std::size_t{head[1]} << 8 | std::size_t{head[2]} << 16 | std::size_t{head[3]} << 24;
        std::string text(length, '\0');
        if (std::fread(text.data(), 1, length, stdin) != length) {
            return 1;
        }
        say(text);
    }
    return 0;
}
