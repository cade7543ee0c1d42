// The questions of `texture_messages.c`, answered by the classes of C++.
#include <iostream>
#include <sstream>
#include <string>

#include <wirecontract/texture.hpp>

#include "crossed.h"

namespace {

namespace texture = wirecontract::texture;
using wirecontract::view;

std::string group(view<int> fds)
{
    std::string text = "[";
    for (const int fd : fds) {
        text += (text.size() == 1 ? "" : ",") + std::to_string(number_of(fd));
    }
    return text + "]";
}

std::string group(const std::optional<int> &fd) { return fd ? group(view<int>(&*fd, 1)) : group(view<int>()); }

template <class Message>
std::string groups(const Message &value)
{
    return group(value.planes) + group(value.produce_done) + group(value.consume_done);
}

std::string groups(const texture::CheckInMessage &value) { return group(value.planes); }

/* The document that a message is made of and the contract that it is. */
const texture::Registration &document_of(const texture::RegistrationMessage &value) { return value.registration; }
const texture::CheckIn &document_of(const texture::CheckInMessage &value) { return value.check_in; }
const texture::SurfaceAnswer &document_of(const texture::SurfaceMessage &value) { return value.surface; }

template <class Message>
std::string shown(const Message &value)
{
    return "- " + groups(value);
}

std::string shown(const texture::RequestMessage &value)
{
    struct {
        std::string operator()(const texture::RequestMessageRegister &held) const { return "Register " + groups(held.value); }
        std::string operator()(const texture::RequestMessageCheckIn &held) const { return "CheckIn " + groups(held.value); }
        std::string operator()(const texture::RequestMessageLookup &) const { return "Lookup "; }
        std::string operator()(const texture::RequestMessageCheckOut &) const { return "CheckOut "; }
        std::string operator()(const texture::RequestMessageReleaseCheckOut &) const { return "ReleaseCheckOut "; }
        std::string operator()(const texture::RequestMessageUnregister &) const { return "Unregister "; }
        std::string operator()(const texture::RequestMessageRelease &) const { return "Release "; }
        std::string operator()(const texture::RequestMessageUpdateLayout &) const { return "UpdateLayout "; }
    } const each;
    return std::visit(each, value.value);
}

std::string shown(const texture::LookupAnswerMessage &value)
{
    if (const auto *held = std::get_if<texture::LookupAnswerMessageSurface>(&value.value)) {
        return "Surface " + groups(held->value);
    }
    return "Error ";
}

std::string hex(const std::string &bytes)
{
    std::string text;
    for (const char byte : bytes) {
        text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
        text += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
    }
    return text;
}

template <class Document>
std::string written(const Document &document, view<int> fds, const crossed &message)
{
    const auto json = document.to_json();
    if (!json) {
        return json.error().message();
    }
    return (fds == view<int>(message.fds, message.fd_count) ? "" : "with other file descriptors ") + hex(*json);
}

template <class Message>
std::string written(const Message &value, const crossed &message)
{
    const auto joined = value.join();
    if (!joined) {
        return joined.error().message();
    }
    if constexpr (std::is_same_v<std::decay_t<decltype(*joined)>, std::vector<int>>) {
        return written(document_of(value), *joined, message);
    } else {
        return written(joined->document, joined->fds, message);
    }
}

template <class Message, class Document>
std::string ask(const crossed &message)
{
    const auto document = Document::from_json({ reinterpret_cast<const char *>(message.body), message.length });
    if (!document) {
        return document.error().message();
    }
    const auto value = Message::split(**document, view<int>(message.fds, message.fd_count));
    if (!value) {
        return value.error().message();
    }
    const auto import = value->validate_import();
    return "ok " + shown(*value) + " " + written(*value, message) + "|" + (import ? import->message() : "ok");
}

std::string ask(const std::string &name, const crossed &message)
{
    if (name == "RegistrationMessage") {
        return ask<texture::RegistrationMessage, texture::Registration>(message);
    }
    if (name == "CheckInMessage") {
        return ask<texture::CheckInMessage, texture::CheckIn>(message);
    }
    if (name == "SurfaceMessage") {
        return ask<texture::SurfaceMessage, texture::SurfaceAnswer>(message);
    }
    if (name == "RequestMessage") {
        return ask<texture::RequestMessage, texture::Request>(message);
    }
    return ask<texture::LookupAnswerMessage, texture::LookupAnswer>(message);
}

} // namespace

int main()
{
    static crossed message;
    const std::size_t open = open_fds();
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string name;
        std::string bytes;
        std::size_t fd_count = 0;
        words >> name >> fd_count >> bytes;
        cross(bytes.c_str(), fd_count, &message);
        std::cout << ask(name, message) << "\n";
        end_crossed(&message);
        EXPECT(open_fds() == open);
    }
    return 0;
}
