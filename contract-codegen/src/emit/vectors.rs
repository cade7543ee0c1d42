//! Golden vectors: bytes, and what every language must say about them.
//!
//! One file a family. A descriptor's cases are its ways to be accepted (minimum, maximum, what lies beside them, bytes
//! that tell their place) and each way to be refused. The verdicts are the interpreter's. An enumeration's entry
//! lists numbers and the names they have.
//!
//! A case says its bytes in one of two ways: `bytes` alone is the whole buffer; `at` beside it means the bytes of the
//! case named `minimum` with these in their place from that offset on. A refusal differs from the minimum in
//! one place, so a reader sees which, and the file grows with the number of fields and not with its square.
//!
//! Where a descriptor or what nests in it has rules for import, an accepted case says under `import` what
//! `validate_import` gives: null, or a fault.
//!
//! A descriptor that grows has cases of older versions and of a newer one besides. `newer` says that a case is read as one
//! which may be newer, `version` the version that the bytes are of, and `versions` what writing the value as each version
//! has it gives (one that is not there before the first and behind the newest among them): bytes (`written`) or a fault.
//!
//! A recipe's or union's case says its document as text (`document`), or as `bytes` when it is not UTF-8; with `padded`,
//! spaces are appended to it up to that length. Accepted, it has the document that is written again (`written`), or the
//! fault of writing it (`unwritten`: the defaults made it too long), and where anything is asked at import, `import`
//! lists what `validate_import` gives for a number of file descriptors: a fault, or none. Where lenient reading accepts a
//! document by looking past faults, `lenient` has them and what is written then; where it refuses it for something
//! else than strict reading does, `lenient` has that `fault`; in every other case it says what strict reading says. The cases are documents with nothing but what is required, with everything, with keys that
//! are absent, twice and of every wrong value, and one for each rule that could be broken.
//!
//! A message of descriptors says its `host` as these do; one that is a document says none. Its case says its `bytes`, how many file descriptors come with them (`fds`), and, accepted, which of them each
//! group has: `splits`, first and end. It has what is written again (`written`), or the fault of that (`unwritten`), and
//! what `validate_import` gives (`import`); of several messages also the `variant`.
//!
//! What is written of large descriptors is bounded by [`limits`]: fewer cases, and in the end an entry that says
//! `left_out` in place of `host` and `cases`. Of a recipe or union, cases beyond a bound are left out, which its entry
//! says beside `cases`. A C struct that is shared in memory has no bytes to agree on: its entry says `left_out` alone.
//! What a library exports has no entry, and a family of nothing else no file.

pub mod documents;
mod growth;
mod limits;
mod messages;
mod recipes;
mod refusals;
mod rules;
mod samples;
mod wrong;

use std::fmt::Write as _;

use self::limits::{Amount, Limits};
use self::refusals::Refusals;
use self::samples::{Sample, sample};
use super::{Artifact, EmitError, EmitInput, Family, Syntax};
use crate::interpret::{self, Fault, Host, Reading, hex};
use crate::model::{Body, Catalog, Contract, ContractId, DataValue, EnumValue, Enumeration, Flags, Moment};

/// The vectors of every selected family.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let weights = documents::weights(input.catalog);
    Ok(input.selected_families().filter_map(|family| artifact(input.catalog, &weights, family)).collect())
}

/// `weights` says how large the shortest document of each contract is.
fn artifact(catalog: &Catalog, weights: &[usize], family: &Family) -> Option<Artifact> {
    let mut entries = Vec::new();
    let mut limits = Limits::default();
    let mut is_first = true;
    for &id in &family.contracts {
        let contract = catalog.get(id);
        match &contract.body {
            Body::Descriptor(descriptor) => {
                let hosts: &[(Host, &str)] = if catalog.is_native_ordered(descriptor) {
                    &[(Host::Little, "little"), (Host::Big, "big")]
                } else {
                    &[(Host::Little, "any")]
                };
                match limits.take(descriptor.size as usize) {
                    Amount::Nothing => entries.push(left_out_entry(contract)),
                    amount => entries.extend(
                        hosts.iter().map(|&(host, word)| descriptor_entry(catalog, id, host, word, amount)),
                    ),
                }
            }
            Body::Enumeration(enumeration) => entries.push(enumeration_entry(contract, enumeration)),
            Body::Flags(flags) => entries.push(flags_entry(contract, flags)),
            Body::Abi(_) => entries.push(abi_entry(contract)),
            Body::Message(_) | Body::Messages(_) => entries.extend(messages::entries(catalog, id)),
            Body::Handle(_) | Body::Function(_) | Body::Symbols(_) => {}
            Body::Recipe(_) | Body::Union(_) => {
                entries.push(recipes::entry(catalog, id, weights[id.0], is_first));
                is_first = false;
            }
        }
    }
    if entries.is_empty() {
        return None;
    }
    let body = format!(
        "{{\n \"family\":{},\n \"contracts\":[\n{}\n ]\n}}\n",
        text(&family.name),
        entries.join(",\n")
    );
    Some(Artifact {
        path: format!("vectors/{}/{}.json", family.package.include_dir, family.name),
        body,
        contracts: family.contracts.clone(),
        syntax: Syntax::Json,
    })
}

/// A descriptor's cases as a machine of that byte order sees them.
fn descriptor_entry(
    catalog: &Catalog,
    id: ContractId,
    host: Host,
    host_word: &str,
    amount: Amount,
) -> String {
    let contract = catalog.get(id);
    let size = contract.descriptor().size as usize;
    let minimum = sample(catalog, id, host, Sample::Minimum);
    let imports = asks_at_import(catalog, id);
    let mut cases = Vec::new();
    let mut whole = |name: &str, bytes: &[u8]| {
        let verdict = interpret::read(catalog, id, bytes, host);
        let import = (imports && verdict.is_ok()).then(|| interpret::import(catalog, id, bytes, host));
        cases.push(case(name, None, bytes, "", verdict, import));
    };
    for &kind in amount.samples() {
        whole(kind.name(), &sample(catalog, id, host, kind));
    }
    for (index, bytes) in rules::outcomes(catalog, id, host).iter().enumerate() {
        whole(&format!("chosen {}", index + 1), bytes);
    }
    whole("one byte short", &minimum[..size - 1]);
    whole("nothing", &[]);

    let refusals = limits::some_of(Refusals::of(catalog, id, host, &minimum), size);
    if amount == Amount::Everything {
        let mut longer = minimum.clone();
        longer.push(0xa5);
        whole("one byte more", &longer);
        if let [first, .., last] = refusals.as_slice() {
            let bytes = last.patched(&first.patched(&minimum));
            whole(&format!("{} / {}", first.name, last.name), &bytes);
        }
        if interpret::has_prefix(contract.descriptor()) {
            let prefix = interpret::read_prefix(catalog, id, &longer, host);
            cases.push(case("read_prefix: one byte more", None, &longer, "\"prefix\":true,", prefix, None));
        }
    }
    if let Some(growth) = &contract.descriptor().growth {
        cases.extend(growth::cases(catalog, id, host, growth));
    }
    for refusal in &refusals {
        let verdict = interpret::read(catalog, id, &refusal.patched(&minimum), host);
        cases.push(case(&refusal.name, Some(refusal.at), &refusal.bytes, "", verdict, None));
    }
    format!(
        "  {{\"contract\":{},\"kind\":\"descriptor\",\"size\":{size},\"host\":{},\"cases\":[\n{}\n  ]}}",
        text(&contract.name),
        text(host_word),
        cases.join(",\n"),
    )
}

fn left_out_entry(contract: &Contract) -> String {
    format!(
        "  {{\"contract\":{},\"kind\":\"descriptor\",\"size\":{},\"left_out\":\"its buffers are too large for this file\"}}",
        text(&contract.name),
        contract.descriptor().size,
    )
}

/// A C struct is shared as it lies in memory, so that there are no bytes to agree on.
fn abi_entry(contract: &Contract) -> String {
    format!(
        "  {{\"contract\":{},\"kind\":\"abi\",\"left_out\":\"it is shared in memory, and no bytes are written of it\"}}",
        text(&contract.name),
    )
}

/// Whether the descriptor or one that it nests has conditions or rules for import.
fn asks_at_import(catalog: &Catalog, id: ContractId) -> bool {
    recipes::reachable(catalog, id).into_iter().any(|id| {
        let conditions = catalog.get(id).conditions().iter().map(|condition| &condition.rule);
        conditions.chain(catalog.get(id).rules()).any(|rule| rule.at == Moment::Import)
    })
}

fn case(
    name: &str,
    at: Option<usize>,
    bytes: &[u8],
    how: &str,
    verdict: Result<Reading, Fault>,
    import: Option<Result<(), Fault>>,
) -> String {
    let at = at.map_or_else(String::new, |at| format!("\"at\":{at},"));
    let verdict = match verdict {
        Ok(Reading { value, written }) => {
            format!("\"value\":{},\"written\":\"{}\"", value.to_json(), hex(&written))
        }
        Err(refused) => format!("\"fault\":{}", fault(&refused)),
    };
    let import = match import {
        None => String::new(),
        Some(Ok(())) => ",\"import\":null".to_owned(),
        Some(Err(refused)) => format!(",\"import\":{}", fault(&refused)),
    };
    format!("   {{\"name\":{},{how}{at}\"bytes\":\"{}\",{verdict}{import}}}", text(name), hex(bytes))
}

/// A refusal as JSON.
fn fault(fault: &Fault) -> String {
    format!(
        "{{\"code\":{},\"contract\":{},\"field\":{},\"offset\":{},\"expected\":{},\"found\":{}}}",
        text(fault.code.name()),
        text(&fault.contract),
        text(&fault.field),
        fault.offset,
        text(&fault.expected),
        text(&fault.found),
    )
}

fn enumeration_entry(contract: &Contract, enumeration: &Enumeration) -> String {
    let mut lines: Vec<String> = enumeration
        .values
        .iter()
        .map(|value| {
            let data = enumeration.data.iter().zip(&value.data);
            let data: Vec<String> = data
                .map(|(key, value)| {
                    let value = match value {
                        DataValue::Integer(number) => number.to_string(),
                        DataValue::Bool(bool) => bool.to_string(),
                        DataValue::Text(value) => text(value),
                    };
                    format!("{}:{value}", text(&key.name))
                })
                .collect();
            let data =
                if data.is_empty() { String::new() } else { format!(",\"data\":{{{}}}", data.join(",")) };
            known(value, &data)
        })
        .collect();
    lines.extend(refusals::unknown_values(enumeration).into_iter().map(unknown));
    entry(contract, "enumeration", &lines)
}

fn flags_entry(contract: &Contract, flags: &Flags) -> String {
    let mut lines: Vec<String> = flags.values.iter().map(|value| known(value, "")).collect();
    let all = flags.known_bits();
    lines.push(format!("   {{\"value\":{all},\"known\":true}}"));
    lines.extend(refusals::unknown_bits(flags).into_iter().map(unknown));
    entry(contract, "flags", &lines)
}

fn known(value: &EnumValue, data: &str) -> String {
    let mut line =
        format!("   {{\"value\":{},\"name\":{},\"known\":true", value.value, text(&value.wire_name));
    if !value.aliases.is_empty() {
        let aliases: Vec<String> = value.aliases.iter().map(|alias| text(alias)).collect();
        write!(line, ",\"aliases\":[{}]", aliases.join(",")).expect("a string takes all that is written");
    }
    line + data + "}"
}

fn unknown(number: i128) -> String {
    format!("   {{\"value\":{number},\"known\":false}}")
}

fn entry(contract: &Contract, kind: &str, lines: &[String]) -> String {
    format!(
        "  {{\"contract\":{},\"kind\":\"{kind}\",\"repr\":\"{}\",\"values\":[\n{}\n  ]}}",
        text(&contract.name),
        contract.repr(),
        lines.join(",\n")
    )
}

/// Text as JSON.
fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
