#ifndef WIRECONTRACT_NEGOTIATE_HPP
#define WIRECONTRACT_NEGOTIATE_HPP

#include <wirecontract/core.hpp>
#include <wirecontract/hello.hpp>
#include <wirecontract/negotiate.h>

/** What two sides of a channel tell each other, and what they agree on. */
namespace wirecontract::hello {

/** What is agreed on. */
struct agreement {
    /** The highest version that both list with the same wire id. */
    std::uint32_t version;
    std::uint64_t wire_id;
};

/** Why nothing is agreed on. */
class refusal {
public:
    refusal(const ::wc_negotiation &c, const ::wc_error &error, bool is_ours) : c_(error)
    {
        if (c.malformed != nullptr) {
            message_ = (is_ours ? "our hello: " : "their hello: ") + c_.message();
            return;
        }
        if (c_.code() != status::id_mismatch) {
            message_ = c_.message();
            return;
        }
        verdict_ = static_cast<Verdict>(c.verdict);
        message_.resize(::wc_negotiation_text(&c, nullptr, nullptr, 0));
        ::wc_negotiation_text(&c, nullptr, message_.data(), message_.size() + 1);
        ours_ = versions(c.ours);
        theirs_ = versions(c.theirs);
        if (c.our_version != nullptr) {
            ids_.emplace(::wc_spoken_version_id(c.our_version), ::wc_spoken_version_id(c.their_version));
        } else if (!ours_.empty() && !theirs_.empty()) {
            ids_.emplace(ours_.back().wire_id, theirs_.back().wire_id);
        }
    }

    /** `id_mismatch`, or what is wrong with a hello. */
    status code() const noexcept { return c_.code(); }
    /** What the hellos say of the contract; nothing where one of them is none. */
    std::optional<Verdict> verdict() const noexcept { return verdict_; }
    /** The versions that each side lists. */
    const std::vector<spoken_version> &ours() const noexcept { return ours_; }
    const std::vector<spoken_version> &theirs() const noexcept { return theirs_; }
    /** The wire ids to compare, ours and theirs: those of the version that has two, or else the newest of each side. */
    const std::optional<std::pair<std::uint64_t, std::uint64_t>> &ids() const noexcept { return ids_; }
    /** All of it in one line, the same in every language. */
    const std::string &message() const noexcept { return message_; }
    const ::wirecontract::error &error() const noexcept { return c_; }

    /** The same, with what differs between the two declarations: `explain(ours, theirs)` gives a text, or nothing. */
    template <class F>
    refusal explained(F &&explain) const
    {
        refusal told = *this;
        if (ids_) {
            const std::optional<std::string> difference = std::forward<F>(explain)(ids_->first, ids_->second);
            told.message_ += difference ? "; what differs: " + *difference : std::string();
        }
        return told;
    }

    /** Throws `negotiation_error`, or aborts where exceptions are off. */
    [[noreturn]] void raise() const;

private:
    static std::vector<spoken_version> versions(const ::wc_spoken_contract *spoken)
    {
        std::vector<spoken_version> all;
        for (std::size_t i = 0; spoken != nullptr && i < spoken->versions.count; i++) {
            const ::wc_spoken_version *version = &spoken->versions.items[i];
            all.push_back({version->version, ::wc_spoken_version_id(version)});
        }
        return all;
    }

    ::wirecontract::error c_;
    std::optional<Verdict> verdict_;
    std::vector<spoken_version> ours_;
    std::vector<spoken_version> theirs_;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> ids_;
    std::string message_;
};

/** What `result::value` throws. */
class negotiation_error : public std::runtime_error {
public:
    explicit negotiation_error(const hello::refusal &refusal) : std::runtime_error(refusal.message()), refusal_(refusal) {}

    const hello::refusal &refusal() const noexcept { return refusal_; }

private:
    hello::refusal refusal_;
};

inline void refusal::raise() const { ::wirecontract::detail::raise_as<negotiation_error>(*this); }

/** What this side speaks, and the memory of it: `speaker().speaks<A>().speaks<B>()`. */
class speaker {
public:
    speaker() = default;
    speaker(speaker &&) noexcept = default;
    speaker &operator=(speaker &&) noexcept = default;
    /* What it says points into it. */
    speaker(const speaker &) = delete;
    speaker &operator=(const speaker &) = delete;

    /** Adds a contract, at its version and at the earlier ones that it declares; one that is there already stays. */
    template <class T>
    speaker &speaks() &
    {
        for (const SpokenContract &other : contracts_) {
            if (other.name == spoken<T>::name) {
                return *this;
            }
        }
        std::vector<SpokenVersion> all;
        for (const spoken_version &each : spoken<T>::versions) {
            SpokenVersion version;
            version.version = each.version;
            for (std::size_t i = 0; i < 8; i++) {
                version.wire_id_[i] = static_cast<std::uint8_t>((each.wire_id >> (56 - 8 * i)) & 0xFF);
            }
            all.push_back(version);
        }
        // Its elements stay where they are when the outer vector grows.
        versions_.push_back(std::move(all));
        SpokenContract contract;
        contract.name = spoken<T>::name;
        contract.versions = versions_.back();
        contracts_.push_back(contract);
        return *this;
    }
    template <class T>
    speaker &&speaks() &&
    {
        return std::move(speaks<T>());
    }

    /** The hello, for as long as this is there and nothing is added. */
    Hello hello() const
    {
        Hello hello;
        hello.format = 1;
        hello.speaks = contracts_;
        return hello;
    }

private:
    std::vector<std::vector<SpokenVersion>> versions_;
    std::vector<SpokenContract> contracts_;
};

/** Whether a hello is one; `Hello::from_json` does not look whether a contract or a version is there twice. */
inline std::optional<::wirecontract::error> validate(const Hello &hello)
{
    return ::wirecontract::detail::check(::wc_hello_validate, hello);
}

/** The highest version of the contract of that name which both sides list with the same wire id. */
inline result<agreement, refusal> negotiate(const Hello &ours, const Hello &theirs, std::string_view name)
{
    ::wirecontract::detail::arena memory;
    const ::wc_hello c_ours = Hello::to_c(ours, memory);
    const ::wc_hello c_theirs = Hello::to_c(theirs, memory);
    ::wc_negotiation negotiation;
    ::wc_error error;
    if (::wc_negotiate(&c_ours, &c_theirs, {name.data(), name.size()}, &negotiation, &error) != WC_STATUS_OK) {
        return refusal(negotiation, error, negotiation.malformed == &c_ours);
    }
    return agreement{negotiation.version, negotiation.wire_id};
}

/** The version of a contract that both sides speak. */
template <class T>
result<agreement, refusal> agree(const Hello &ours, const Hello &theirs)
{
    return negotiate(ours, theirs, spoken<T>::name);
}

} // namespace wirecontract::hello

#endif // WIRECONTRACT_NEGOTIATE_HPP
