// The C++ counterpart of driver.c: the same questions, the same answers.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

static void put(const char *path, std::uint64_t number)
{
    std::printf("%s=%" PRIu64 "\n", path, number);
}

static void put_signed(const char *path, std::int64_t number)
{
    std::printf("%s=%" PRId64 "\n", path, number);
}

static void put_f32(const char *path, const float *number)
{
    std::uint32_t bits;
    std::memcpy(&bits, number, sizeof bits);
    put(path, bits);
}

static void put_f64(const char *path, const double *number)
{
    std::uint64_t bits;
    std::memcpy(&bits, number, sizeof bits);
    put(path, bits);
}

#include "contracts.inc"

static void put_error(const wirecontract::error &error)
{
    const wirecontract::error copy = error;
    std::puts(copy.message().c_str());
    if (error.message().find(std::string(to_string(error.code()))) == std::string::npos) {
        std::puts("the error contradicts itself");
    }
}

template <class T, class C>
void answer(const std::string &operation, const std::vector<std::uint8_t> &bytes, void (*dump)(const T &),
            void (*decode)(const std::uint8_t *, C *))
{
    if (operation == "write") {
        C c;
        decode(bytes.data(), &c);
        const auto written = T::from_c(c).to_bytes();
        if (!written) {
            return put_error(written.error());
        }
        std::printf("ok ");
        for (const std::uint8_t byte : *written) {
            std::printf("%02x", byte);
        }
        std::puts("");
    } else if (operation == "prefix") {
        const auto read = T::read_prefix(bytes);
        if (!read) {
            return put_error(read.error());
        }
        if (read->rest.size() != bytes.size() - T::wire_size || read->rest.end() != bytes.data() + bytes.size()) {
            std::puts("the rest is not the rest");
        }
        dump(read->value);
        std::puts("ok");
    } else {
        const auto read = T::from_bytes(bytes);
        const auto fault = T::validate(bytes);
        if (fault.has_value() == read.has_value() || (fault && fault->message() != read.error().message())) {
            std::puts("validate and read do not agree");
        }
        if (!read) {
            return put_error(read.error());
        }
        dump(*read);
        std::puts("ok");
    }
}

int main()
{
    (void)put_f32;
    (void)put_f64;
    static char line[8192];
    while (std::fgets(line, sizeof line, stdin) != nullptr) {
        char operation[16];
        char contract[64];
        static char hex[8192];
        unsigned long capacity;
        if (std::sscanf(line, "%15s %63s %lu %8191s", operation, contract, &capacity, hex) != 4) {
            return 1;
        }
        std::puts(">");
        std::vector<std::uint8_t> bytes;
        for (const char *at = hex; at[0] != '\0' && at[0] != '-'; at += 2) {
            unsigned int byte = 0;
            std::sscanf(at, "%2x", &byte);
            bytes.push_back(static_cast<std::uint8_t>(byte));
        }
        bytes.shrink_to_fit();
#define CONTRACT(name, type, stem)                                                                                     \
    if (std::strcmp(contract, #name) == 0) {                                                                           \
        answer<type>(operation, bytes, dump_##name, stem##_detail_decode);                                             \
    }
        CONTRACTS
        std::fflush(stdout);
    }
}
