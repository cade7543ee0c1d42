#ifndef WIRECONTRACT_NEGOTIATE_H
#define WIRECONTRACT_NEGOTIATE_H

#include <wirecontract/core.h>
#include <wirecontract/hello.h>

/*
 * What two hellos agree on, without a library and without memory of its own.
 *
 *     static const wc_spoken_version camera[] = WC_SPEAKS_VERSIONS(ACME_CAMERA);
 *     static const wc_spoken_contract speaks[] = {WC_SPEAKS(ACME_CAMERA, camera)};
 *     const wc_hello ours = WC_HELLO_OF(speaks);
 *     …
 *     wc_negotiation agreed;
 *     if (wc_negotiate(&ours, theirs, WC_STR(ACME_CAMERA_CONTRACT), &agreed, &error) == WC_STATUS_OK) …
 *
 * `wc_hello_to_json` and `wc_hello_from_json`, which are the library's, write and read the documents.
 */

#define WC_DETAIL_ID_BYTE(id, shift) WC_DETAIL_CAST(uint8_t, ((id) >> (shift)) & 0xFFu)
#define WC_DETAIL_SPOKEN(number, id) \
    {(number), \
     {WC_DETAIL_ID_BYTE(id, 56), WC_DETAIL_ID_BYTE(id, 48), WC_DETAIL_ID_BYTE(id, 40), WC_DETAIL_ID_BYTE(id, 32), \
      WC_DETAIL_ID_BYTE(id, 24), WC_DETAIL_ID_BYTE(id, 16), WC_DETAIL_ID_BYTE(id, 8), WC_DETAIL_ID_BYTE(id, 0)}},

/** The versions that a header's contract is spoken at: what an array of `wc_spoken_version` is initialised with. */
#define WC_SPEAKS_VERSIONS(constants) {constants##_VERSIONS(WC_DETAIL_SPOKEN)}
/** What a hello says of a header's contract, with that array: what a `wc_spoken_contract` is initialised with. */
#define WC_SPEAKS(constants, array) \
    {{constants##_CONTRACT, sizeof(constants##_CONTRACT) - 1}, {(array), sizeof(array) / sizeof((array)[0])}}
/** A hello that says an array of contracts: what a `wc_hello` is initialised with. */
#define WC_HELLO_OF(array) {1u, {(array), sizeof(array) / sizeof((array)[0])}}

/** What comes of two hellos for one contract. It points into them and to the name. */
typedef struct wc_negotiation {
    wc_verdict verdict;
    /** What is agreed on; 0 otherwise. */
    uint32_t version;
    uint64_t wire_id;
    wc_str name;
    /** What each side says of the contract; NULL where it says nothing. */
    const wc_spoken_contract *ours;
    const wc_spoken_contract *theirs;
    /** Of WC_VERDICT_TWO_IDS the highest version that both list, as we and as they do; NULL otherwise. */
    const wc_spoken_version *our_version;
    const wc_spoken_version *their_version;
    /** The hello that is none, where the fault is not that they do not meet; NULL otherwise. */
    const wc_hello *malformed;
} wc_negotiation;

/** The wire id of a version, as a number. */
static inline uint64_t wc_spoken_version_id(const wc_spoken_version *spoken)
{
    uint64_t id = 0;
    for (size_t i = 0; i < sizeof spoken->wire_id; i++) {
        id = (id << 8) | spoken->wire_id[i];
    }
    return id;
}

#ifndef SWIG
/* The beginning of a text, as errors show it. */
WC_DETAIL_COLD void wc_detail_fail_name(
    wc_error *error, wc_status code, const char *contract, const char *field, const char *expected, wc_str name)
{
    char brief[44] = {0};
    size_t length = name.length;
    if (length > 40) {
        for (length = 40; length > 0 && (WC_DETAIL_CAST(uint8_t, name.data[length]) & 0xC0u) == 0x80u;) {
            length--;
        }
        memcpy(brief + length, "\xE2\x80\xA6", 3);
    }
    if (length != 0) {
        memcpy(brief, name.data, length);
    }
    wc_detail_fail_text(error, code, contract, field, expected, brief);
}
#endif

/**
 * Whether a hello is one: its bounds, then that each contract is there once, and its versions in ascending order, each
 * once. `wc_hello_from_json` does not look for the latter. `error` may be NULL.
 */
static inline wc_status wc_hello_validate(const wc_hello *hello, wc_error *error)
{
    const wc_status status = wc_hello_check(hello, error);
    if (status != WC_STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < hello->speaks.count; i++) {
        const wc_spoken_contract *spoken = &hello->speaks.items[i];
        for (size_t v = 1; v < spoken->versions.count; v++) {
            const uint32_t version = spoken->versions.items[v].version;
            if (spoken->versions.items[v - 1].version >= version) {
                wc_detail_fail_unsigned(
                    error, WC_STATUS_RULE_VIOLATED, "SpokenContract", "versions", 0,
                    "versions in ascending order, each once", version);
                return WC_STATUS_RULE_VIOLATED;
            }
        }
        for (size_t before = 0; before < i; before++) {
            if (wc_detail_compare(hello->speaks.items[before].name, spoken->name) == 0) {
                wc_detail_fail_name(
                    error, WC_STATUS_RULE_VIOLATED, "Hello", "speaks", "each contract once", spoken->name);
                return WC_STATUS_RULE_VIOLATED;
            }
        }
    }
    return WC_STATUS_OK;
}

static inline const wc_spoken_contract *wc_detail_spoken(const wc_hello *hello, wc_str name)
{
    for (size_t i = 0; i < hello->speaks.count; i++) {
        if (wc_detail_compare(hello->speaks.items[i].name, name) == 0) {
            return &hello->speaks.items[i];
        }
    }
    return NULL;
}

static inline wc_verdict wc_detail_negotiate(wc_negotiation *out)
{
    if (out->ours == NULL) {
        return WC_VERDICT_NOT_OURS;
    }
    if (out->theirs == NULL) {
        return WC_VERDICT_UNKNOWN_TO_PEER;
    }
    size_t i = out->ours->versions.count;
    size_t j = out->theirs->versions.count;
    while (i > 0 && j > 0) {
        const wc_spoken_version *ours = &out->ours->versions.items[i - 1];
        const wc_spoken_version *theirs = &out->theirs->versions.items[j - 1];
        if (ours->version == theirs->version) {
            if (memcmp(ours->wire_id, theirs->wire_id, sizeof ours->wire_id) == 0) {
                out->version = ours->version;
                out->wire_id = wc_spoken_version_id(ours);
                out->our_version = NULL;
                out->their_version = NULL;
                return WC_VERDICT_AGREED;
            }
            if (out->our_version == NULL) {
                out->our_version = ours;
                out->their_version = theirs;
            }
        }
        if (ours->version >= theirs->version) {
            i--;
        }
        if (theirs->version >= ours->version) {
            j--;
        }
    }
    return out->our_version == NULL ? WC_VERDICT_NO_COMMON_VERSION : WC_VERDICT_TWO_IDS;
}

/**
 * The highest version of the contract of that name which both sides list with the same wire id, in `out`. Both hellos are
 * checked first, ours before theirs. WC_STATUS_ID_MISMATCH where they do not meet: `out` says why. `error` may be NULL.
 */
static inline wc_status wc_negotiate(
    const wc_hello *ours, const wc_hello *theirs, wc_str name, wc_negotiation *out, wc_error *error)
{
    if (out == NULL) {
        wc_detail_fail_null(error, "Hello");
        return WC_STATUS_NULL_ARGUMENT;
    }
    memset(out, 0, sizeof *out);
    out->name = name;
    out->verdict = WC_VERDICT_NOT_OURS;
    wc_status status = wc_detail_check_pointer(name.data, name.length, "SpokenContract", "name", error);
    if (status != WC_STATUS_OK) {
        return status;
    }
    status = wc_hello_validate(ours, error);
    if (status != WC_STATUS_OK) {
        out->malformed = ours;
        return status;
    }
    status = wc_hello_validate(theirs, error);
    if (status != WC_STATUS_OK) {
        out->malformed = theirs;
        return status;
    }
    out->ours = wc_detail_spoken(ours, name);
    out->theirs = wc_detail_spoken(theirs, name);
    out->verdict = wc_detail_negotiate(out);
    if (out->verdict == WC_VERDICT_AGREED) {
        return WC_STATUS_OK;
    }
    wc_detail_fail_name(
        error, WC_STATUS_ID_MISMATCH, "Hello", "speaks", "a version that both sides speak with one wire id", name);
    return WC_STATUS_ID_MISMATCH;
}

#ifndef SWIG
WC_DETAIL_COLD void wc_detail_put_id(wc_detail_text *text, uint64_t id)
{
    char digits[19] = {'0', 'x'};
    for (size_t i = 0; i < 16; i++) {
        digits[2 + i] = "0123456789abcdef"[(id >> (60 - 4 * i)) & 0xFu];
    }
    wc_detail_put(text, digits);
}
#endif

#ifndef SWIG
WC_DETAIL_COLD void wc_detail_put_spoken(wc_detail_text *text, const wc_spoken_contract *spoken)
{
    if (spoken == NULL) {
        wc_detail_put(text, "none");
        return;
    }
    for (size_t i = 0; i < spoken->versions.count; i++) {
        wc_detail_put(text, i == 0 ? "version " : ", version ");
        wc_detail_put_number(text, spoken->versions.items[i].version);
        wc_detail_put(text, " (");
        wc_detail_put_id(text, wc_spoken_version_id(&spoken->versions.items[i]));
        wc_detail_put(text, ")");
    }
}
#endif

/**
 * What comes of two hellos in one line, the same in every language, of whose bytes `capacity` take all but the last, a
 * NUL; gives how many it has. `difference` is what differs between the two declarations where somebody knew both, or
 * NULL.
 */
#ifndef SWIG
WC_DETAIL_COLD size_t wc_negotiation_text(
    const wc_negotiation *negotiation, const char *difference, char *to, size_t capacity)
{
    wc_detail_text text = {to, capacity, 0};
    for (size_t i = 0; i < negotiation->name.length; i++) {
        const char letter[2] = {negotiation->name.data[i], '\0'};
        wc_detail_put(&text, letter);
    }
    switch (negotiation->verdict) {
    case WC_VERDICT_AGREED:
        wc_detail_put(&text, ": version ");
        wc_detail_put_number(&text, negotiation->version);
        wc_detail_put(&text, " (");
        wc_detail_put_id(&text, negotiation->wire_id);
        wc_detail_put(&text, ")");
        break;
    case WC_VERDICT_NOT_OURS:
        wc_detail_put(&text, ": id_mismatch: our hello does not name it: say there that this side speaks it");
        break;
    case WC_VERDICT_UNKNOWN_TO_PEER:
        wc_detail_put(&text, ": id_mismatch: the peer's hello does not name it: it does not speak it");
        break;
    case WC_VERDICT_TWO_IDS:
        wc_detail_put(&text, ": id_mismatch: version ");
        wc_detail_put_number(&text, negotiation->our_version->version);
        wc_detail_put(&text, " has two wire ids, ours ");
        wc_detail_put_id(&text, wc_spoken_version_id(negotiation->our_version));
        wc_detail_put(&text, " and theirs ");
        wc_detail_put_id(&text, wc_spoken_version_id(negotiation->their_version));
        wc_detail_put(
            &text, ": the declarations differ, so build both sides of one, or give the newer one a version of its own");
        break;
    default:
        wc_detail_put(
            &text,
            ": id_mismatch: no version is spoken by both: update the older side, or have the newer one say `earlier`");
        break;
    }
    if (negotiation->verdict != WC_VERDICT_AGREED) {
        wc_detail_put(&text, "; ours: ");
        wc_detail_put_spoken(&text, negotiation->ours);
        wc_detail_put(&text, "; theirs: ");
        wc_detail_put_spoken(&text, negotiation->theirs);
        if (difference != NULL) {
            wc_detail_put(&text, "; what differs: ");
            wc_detail_put(&text, difference);
        }
    }
    if (capacity != 0) {
        to[text.length < capacity ? text.length : capacity - 1] = '\0';
    }
    return text.length;
}
#endif

#endif /* WIRECONTRACT_NEGOTIATE_H */
