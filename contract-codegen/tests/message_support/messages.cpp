// The questions of `messages.c`, answered by the C++ classes.
#include <iostream>
#include <sstream>
#include <string>

#include <wirecontract/vhost.hpp>

namespace {

namespace vhost = wirecontract::vhost;
using wirecontract::bytes_view;
using wirecontract::view;

constexpr int first_fd = 100;
std::vector<int> all_fds;

std::string hex(bytes_view bytes)
{
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::vector<std::uint8_t> unhex(const std::string &text)
{
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(at, 2), nullptr, 16)));
    }
    return bytes;
}

std::string group(view<int> fds)
{
    if (fds.empty()) {
        return " -";
    }
    std::string text = " " + std::to_string(fds[0] - first_fd) + "+" + std::to_string(fds.size());
    for (std::size_t i = 0; i < fds.size(); i++) {
        text += fds[i] == fds[0] + static_cast<int>(i) ? "" : " not in order";
    }
    return text;
}

std::string group(std::optional<int> fd) { return fd ? group(view<int>(&*fd, 1)) : group(view<int>()); }

std::string verdict(const std::optional<wirecontract::error> &error) { return error ? error->message() : "ok"; }

std::string regions(const std::vector<vhost::MemRegion> &all)
{
    std::string text;
    for (const vhost::MemRegion &region : all) {
        text += " " + std::to_string(region.start) + ":" + std::to_string(region.size);
    }
    return text;
}

std::string shown(const vhost::MemTableMessage &value) { return group(value.memory) + regions(value.regions); }

std::string shown(const vhost::LogMessage &value)
{
    return group(view<int>(&value.log, value.log >= 0 ? 1 : 0)) + group(value.pages) + group(value.done) + " "
         + std::string(value.path);
}

std::string shown(const vhost::KickMessage &value) { return group(value.kick) + group(value.pair); }

std::string shown(const vhost::UnknownMessage &value)
{
#ifdef CHANGED
    std::string text = group(value.all);
    for (const vhost::MemTable &table : value.rest) {
        text += " " + std::to_string(table.regions);
    }
    return text;
#else
    return group(value.all) + " " + hex(value.rest);
#endif
}

std::string shown(const vhost::GrowingMessage &value) { return regions(value.regions); }

std::string shown(const vhost::VhostMessage &value)
{
    const std::string tag = " " + std::to_string(static_cast<int>(value.tag()));
    return tag + std::visit([](const auto &held) { return shown(held.value); }, value.value);
}

template <class T>
std::string written(const T &value)
{
    const auto message = value.to_message();
    if (!message) {
        return "|" + message.error().message();
    }
    return "|" + hex(message->bytes) + group(message->fds) + "|" + verdict(value.validate_import());
}

template <class T>
std::string read(bytes_view bytes, std::size_t fd_count)
{
    const auto value = T::from_message(bytes, view<int>(all_fds.data(), fd_count));
    if (!value) {
        return value.error().message();
    }
    std::string text = *value == *value && !(*value != *value) ? "" : "it is another than itself ";
    return text + "ok" + shown(*value) + written(*value);
}

/* The next of so many file descriptors. */
class taken {
public:
    view<int> many(std::size_t count)
    {
        at_ += count;
        return view<int>(all_fds.data() + at_ - count, count);
    }
    std::optional<int> one(std::size_t count) { return count == 0 ? std::nullopt : std::optional<int>(many(1)[0]); }

private:
    std::size_t at_ = 0;
};

std::string write(const std::string &name, bytes_view bytes, const std::vector<std::size_t> &counts)
{
    const vhost::VhostHeader header = vhost::VhostHeader::read_prefix(bytes).value().value;
    const bytes_view rest(bytes.data() + 12, bytes.size() - 12);
    taken fds;
    if (name == "MemTableMessage") {
        vhost::MemTableMessage value;
        value.header = header;
        const auto table = vhost::MemTable::read_prefix(rest).value();
        value.table = table.value;
        for (std::size_t at = 0; at < table.rest.size(); at += vhost::MemRegion::wire_size) {
            value.regions.push_back(vhost::MemRegion::from_bytes({ table.rest.data() + at, vhost::MemRegion::wire_size }).value());
        }
        value.memory = fds.many(counts[0]);
        return written(value);
    }
    if (name == "LogMessage") {
        vhost::LogMessage value;
        value.header = header;
        value.path = { reinterpret_cast<const char *>(rest.data()), rest.size() };
        value.log = fds.one(counts[0]).value_or(-1);
        value.pages = fds.many(counts[1]);
        value.done = fds.one(counts[2]);
        return written(value);
    }
    vhost::KickMessage kick;
    kick.header = header;
    if (name == "KickMessage") {
        kick.kick = fds.one(counts[0]);
        kick.pair = fds.many(counts[1]);
        return written(kick);
    }
    vhost::VhostMessage value;
    if (counts[0] == 0) {
        kick.kick = fds.one(counts[1]);
        kick.pair = fds.many(counts[2]);
        value.value = vhost::VhostMessageKick{ kick };
    } else {
#ifndef CHANGED
        vhost::UnknownMessage other;
        other.header = header;
        other.all = fds.many(counts[1]);
        value.value = vhost::VhostMessageOther{ other };
#endif
    }
    return written(value);
}

std::string ask(const std::string &op, const std::string &name, const std::vector<std::size_t> &counts, bytes_view bytes)
{
    if (op == "write") {
        return write(name, bytes, counts);
    }
    if (name == "MemTableMessage") {
        return read<vhost::MemTableMessage>(bytes, counts[0]);
    }
    if (name == "LogMessage") {
        return read<vhost::LogMessage>(bytes, counts[0]);
    }
    if (name == "KickMessage") {
        return read<vhost::KickMessage>(bytes, counts[0]);
    }
    if (name == "UnknownMessage") {
        return read<vhost::UnknownMessage>(bytes, counts[0]);
    }
    if (name == "GrowingMessage") {
        return read<vhost::GrowingMessage>(bytes, counts[0]);
    }
    return read<vhost::VhostMessage>(bytes, counts[0]);
}

std::string joined(const vhost::RegisterMessage &value)
{
    const auto fds = value.join();
    if (!fds) {
        return "|" + fds.error().message();
    }
    return "|ok" + group(*fds) + "|" + verdict(value.validate_import());
}

template <class M, class D>
std::string crossed(const D &document, std::size_t fd_count)
{
    const auto value = M::split(document, view<int>(all_fds.data(), fd_count));
    if (!value) {
        return value.error().message();
    }
    const auto whole = value->join();
    const std::string text = whole ? "|ok" + group(whole->fds) : "|" + whole.error().message();
    const std::string same = !whole || whole->document == document ? "" : " another document";
    return "ok " + std::to_string(static_cast<int>(value->tag())) + text + same + "|" + verdict(value->validate_import());
}

/* A message of an unknown tag that has so many file descriptors. */
std::string keep(std::string_view tag, std::size_t fd_count)
{
    vhost::WordMessage value;
    auto &other = value.value.emplace<vhost::WordMessageOther>();
    other.body.tag = tag;
    other.body.content = "{}";
    other.fds = view<int>(all_fds.data(), fd_count);
    const auto whole = value.join();
    if (!whole) {
        return "|" + whole.error().message();
    }
    return "|ok" + group(whole->fds) + "|" + verdict(value.validate_import());
}

std::string other_unions(const std::string &op, std::size_t fd_count)
{
    static const std::vector<std::uint64_t> sizes{ 3, 4 };
    vhost::Word word;
    vhost::Setting setting;
    if (op == "word_stop") {
        word.value.emplace<vhost::WordStop>();
        return crossed<vhost::WordMessage>(word, fd_count);
    }
    if (op == "word_lookup") {
        word.value.emplace<vhost::WordLookup>().value.surface = "a";
        return crossed<vhost::WordMessage>(word, fd_count);
    }
    if (op == "word_other") {
        word.value = vhost::WordOther{ "later", "{\"x\":1}" };
        return crossed<vhost::WordMessage>(word, fd_count);
    }
    if (op == "setting_count") {
        setting.value = vhost::SettingCount{ 7 };
    } else if (op == "setting_pair") {
        setting.value.emplace<vhost::SettingPair>().value = { 0, -2 };
    } else if (op == "setting_sizes") {
        setting.value.emplace<vhost::SettingSizes>().value = { sizes.data(), sizes.size() };
    } else if (op == "setting_label") {
        setting.value.emplace<vhost::SettingLabel>().value = "a";
    } else if (op == "setting_reset") {
        setting.value.emplace<vhost::SettingReset>();
    } else if (op == "setting_later") {
        setting.value.emplace<vhost::SettingLater>().tag = "later";
    } else if (op == "signal_go") {
        vhost::Signal signal;
        signal.value.emplace<vhost::SignalGo>();
        return crossed<vhost::SignalMessage>(signal, fd_count);
    } else {
        return keep(op == "keep_known" ? "stop" : "later", fd_count);
    }
    return crossed<vhost::SettingMessage>(setting, fd_count);
}

std::string ask_document(const std::string &op, const std::vector<std::size_t> &numbers, const std::vector<std::size_t> &counts)
{
    static const std::vector<std::uint32_t> sizes(8, 7);
    vhost::Registration body;
    body.surface = "a";
    body.image.plane_sizes = { sizes.data(), numbers[0] };
    body.image.has_produce_done_fd = numbers[1] != 0;
    body.image.has_consume_done_fd = numbers[2] != 0;
    if (op == "split") {
        const auto value = vhost::RegisterMessage::split(body, view<int>(all_fds.data(), counts[0]));
        if (!value) {
            return value.error().message();
        }
        return "ok" + group(value->planes) + group(value->produce_done) + group(value->consume_done) + joined(*value);
    }
    if (op == "join") {
        taken fds;
        vhost::RegisterMessage value;
        value.body = body;
        value.planes = fds.many(counts[0]);
        value.produce_done = fds.one(counts[1]);
        value.consume_done = fds.one(counts[2]);
        return joined(value);
    }
    if (op != "register" && op != "lookup") {
        return other_unions(op, counts[0]);
    }
    vhost::Query document;
    if (op == "register") {
        document.value = vhost::QueryRegister{ body };
    } else {
        document.value.emplace<vhost::QueryLookup>().value.surface = "a";
    }
    return crossed<vhost::QueryMessage>(document, counts[0]);
}

std::vector<std::size_t> numbers_of(std::istream &words)
{
    std::vector<std::size_t> numbers(3);
    char comma = ',';
    words >> numbers[0] >> comma >> numbers[1] >> comma >> numbers[2];
    return numbers;
}

} // namespace

int main()
{
    for (int i = 0; i < 300; i++) {
        all_fds.push_back(first_fd + i);
    }
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string op;
        std::string name;
        std::string text;
        words >> op;
        if (op == "read" || op == "write") {
            words >> name;
            const auto counts = numbers_of(words);
            words >> text;
            const std::vector<std::uint8_t> bytes = unhex(text);
            std::cout << ask(op, name, counts, bytes) << "\n";
        } else {
            std::vector<std::size_t> numbers(3);
            words >> numbers[0] >> numbers[1] >> numbers[2];
            std::cout << ask_document(op, numbers, numbers_of(words)) << "\n";
        }
    }
    return 0;
}
