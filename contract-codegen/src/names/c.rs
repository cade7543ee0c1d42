//! A contract's words in C: types, functions, members, constants, and the collisions C's one namespace allows.
//!
//! One policy for words that are taken: a member that is a keyword of C or C++, or a macro that common headers
//! define, gets a trailing underscore. A `c_name` is used exactly as written, so one that is taken is refused.

use std::collections::{BTreeMap, BTreeSet};

use crate::emit::c::recipe::key_constants;
use crate::emit::c::types::helper_names;
use crate::emit::{EmitError, EmitInput, Family, PackageConfig};
use crate::model::{Body, Content, Contract, EnumValue, Field, JsonType, Key, Presence, Variant};

/// What [`EmitError`] calls this target.
pub const TARGET: &str = "C";

/// The functions that every descriptor has, by what follows the type's stem.
const DESCRIPTOR_FUNCTIONS: [&str; 12] = [
    "read",
    "read_prefix",
    "write",
    "init",
    "validate",
    "validate_import",
    "detail_check",
    "detail_decode",
    "detail_encode",
    "detail_refuse",
    "detail_settle",
    "detail_import",
];

/// The functions that every recipe and every union has.
const RECIPE_FUNCTIONS: [&str; 3] = ["init", "check", "validate_import"];

/// `CudaIpcDescriptor` as `cuda_ipc_descriptor`, `Win32Kmt` as `win32_kmt`, `HTTPServer` as `http_server`.
pub fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, &letter) in letters.iter().enumerate() {
        if letter.is_ascii_uppercase() && at > 0 {
            let before = letters[at - 1];
            let word_ends = before.is_ascii_lowercase() || before.is_ascii_digit();
            let next_is_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
            if word_ends || (before.is_ascii_uppercase() && next_is_lower) {
                out.push('_');
            }
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// `PosixFd` as `POSIX_FD`.
pub fn screaming(name: &str) -> String {
    snake(name).to_ascii_uppercase()
}

/// The type: `wc_cuda_ipc_descriptor`, or the declared `c_name`.
pub fn type_name(package: &PackageConfig, contract: &Contract) -> String {
    match &contract.c_name {
        Some(name) => name.clone(),
        None => format!("{}_{}", package.c_prefix, snake(&contract.name)),
    }
}

/// What the contract's functions begin with: the type's name, without `_t` when a `c_name` ends so.
pub fn stem(package: &PackageConfig, contract: &Contract) -> String {
    let name = type_name(package, contract);
    match (&contract.c_name, name.strip_suffix("_t")) {
        (Some(_), Some(stem)) if !stem.is_empty() => stem.to_owned(),
        _ => name,
    }
}

/// What the contract's constants begin with: the stem in capitals.
pub fn constant_stem(package: &PackageConfig, contract: &Contract) -> String {
    stem(package, contract).to_ascii_uppercase()
}

/// A descriptor's member.
pub fn member(field: &Field) -> String {
    field.c_name.clone().unwrap_or_else(|| escape(&field.name))
}

/// What a field's constants begin with, after the constant stem: `BLOB_LEN`, and `PAD` for `_pad`.
pub fn field_constant(field: &Field) -> String {
    screaming(field.c_name.as_deref().unwrap_or(&field.name).trim_start_matches('_'))
}

/// A recipe's member. What holds the presence of optional keys is taken.
pub fn key_member(key: &Key) -> String {
    match &key.c_name {
        Some(name) => name.clone(),
        None if key.name.starts_with("present")
            && key.name[7..].bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            format!("{}_", key.name)
        }
        None => escape(&key.name),
    }
}

/// What a key's constants end or go on with, after the constant stem.
pub fn key_constant(key: &Key) -> String {
    screaming(key.c_name.as_deref().unwrap_or(&key.name).trim_start_matches('_'))
}

/// The bit that says that an optional key is there.
pub fn has_constant(package: &PackageConfig, contract: &Contract, key: &Key) -> String {
    format!("{}_HAS_{}", constant_stem(package, contract), key_constant(key))
}

/// The member that holds the presence of so many times 64 optional keys.
pub fn presence_member(word: usize) -> String {
    if word == 0 { "present".to_owned() } else { format!("present{}", word + 1) }
}

/// The type of a union's tag.
pub fn tag_type(package: &PackageConfig, contract: &Contract) -> String {
    format!("{}_tag", stem(package, contract))
}

/// The C union of what a union's variants hold.
pub fn value_type(package: &PackageConfig, contract: &Contract) -> String {
    format!("{}_value", stem(package, contract))
}

/// The constant of a union's variant.
pub fn variant_constant(package: &PackageConfig, contract: &Contract, variant: &Variant) -> String {
    match &variant.c_name {
        Some(name) => name.clone(),
        None => format!("{}_{}", constant_stem(package, contract), screaming(&variant.name)),
    }
}

/// The member of a union's `value` that a variant is.
pub fn variant_member(variant: &Variant) -> String {
    escape(&snake(&variant.name))
}

/// The constant of one value of an enumeration or of flags.
pub fn value_constant(package: &PackageConfig, contract: &Contract, value: &EnumValue) -> String {
    match &value.c_name {
        Some(name) => name.clone(),
        None => format!("{}_{}", constant_stem(package, contract), screaming(&value.name)),
    }
}

/// The constants of a value's aliases. An alias that is no word (`<u2`) has none, nor has one that only repeats
/// the value's own constant (`posix_fd` of `PosixFd`).
pub fn alias_constants(package: &PackageConfig, contract: &Contract, value: &EnumValue) -> Vec<String> {
    let mut constants: Vec<String> = Vec::new();
    for alias in value.aliases.iter().filter(|alias| is_word(alias)) {
        let constant =
            format!("{}_{}", constant_stem(package, contract), screaming(&alias.replace('-', "_")));
        if constant != value_constant(package, contract, value) && !constants.contains(&constant) {
            constants.push(constant);
        }
    }
    constants
}

/// Whether an alias can be part of an identifier: letters, digits, `_` and `-`.
pub(crate) fn is_word(alias: &str) -> bool {
    alias.starts_with(|first: char| first.is_ascii_alphanumeric())
        && alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The guard of a header: `WIRECONTRACT_CUVIS_H`.
pub fn guard(path: &str) -> String {
    let path = path.strip_prefix("include/").unwrap_or(path);
    path.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

/// The header of a family as `#include` names it: `wirecontract/cuvis.h`.
pub fn header(family: &Family) -> String {
    format!("{}/{}.h", family.package.include_dir, family.name)
}

/// The name, with a trailing underscore if it is taken by a language or by a macro.
pub fn escape(name: &str) -> String {
    if is_reserved(name) { format!("{name}_") } else { name.to_owned() }
}

/// Whether the name is one that C, C++ or a header of the platforms we know has taken.
pub fn is_reserved(name: &str) -> bool {
    let implementations = name.starts_with("__")
        || name.starts_with('_') && name[1..].starts_with(|c: char| c.is_ascii_uppercase());
    implementations || RESERVED.iter().any(|line| line.split(' ').any(|word| word == name))
}

/// Where a declaration is, for errors: `wirecontract_gpu::cuvis::CudaIpcPayload.magic`.
pub fn label(contract: &Contract, part: &str) -> String {
    let dot = if part.is_empty() { "" } else { "." };
    format!("{}::{}{dot}{part}", contract.module, contract.name)
}

/// Every name that cannot be one, and every pair of things that would share one, among the families that are
/// written and those they could meet in one translation unit. `core` is the text of `core.h`, whose names are
/// taken too.
pub fn check(input: &EmitInput<'_>, core: &str) -> Vec<EmitError> {
    let mut registry = Registry::default();
    for word in core.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        if word.starts_with("wc_") || word.starts_with("WC_") || word.starts_with("WIRECONTRACT_") {
            registry.names.entry(word.to_owned()).or_insert(("<wirecontract/core.h>".to_owned(), false));
        }
    }
    for (index, family) in input.families.iter().enumerate() {
        registry.selected = input.selected.contains(&index);
        check_family(&mut registry, input, family);
    }
    for (index, family) in input.families.iter().enumerate() {
        registry.selected = input.selected.contains(&index);
        for &id in &family.contracts {
            check_members(&mut registry, input.catalog.get(id));
        }
    }
    registry.errors
}

fn check_family(registry: &mut Registry, input: &EmitInput<'_>, family: &Family) {
    let (catalog, package) = (input.catalog, &family.package);
    let owner = format!("family {} of {}", family.name, package.package);
    registry.word(&package.c_prefix, &format!("package {}", package.package), false);
    let path = header(family);
    registry.claim(guard(&path), &owner);
    registry.claim(path, &owner);
    for &id in &family.contracts {
        let contract = catalog.get(id);
        let whole = label(contract, "");
        let stem = stem(package, contract);
        let constants = constant_stem(package, contract);
        registry.word(
            contract.c_name.as_deref().unwrap_or(&contract.name),
            &whole,
            contract.c_name.is_some(),
        );
        registry.claim(type_name(package, contract), &whole);
        match &contract.body {
            Body::Descriptor(descriptor) => {
                for function in DESCRIPTOR_FUNCTIONS {
                    registry.claim(format!("{stem}_{function}"), &whole);
                }
                registry.claim(format!("{constants}_SIZE"), &whole);
                registry.claim(format!("{constants}_WIRE_ID"), &whole);
                for (index, field) in descriptor.fields.iter().enumerate() {
                    let owner = label(contract, &field.name);
                    registry.claim(format!("{constants}_{}_OFFSET", field_constant(field)), &owner);
                    if descriptor.count_of(index).is_some() {
                        registry.claim(format!("{constants}_{}_CAPACITY", field_constant(field)), &owner);
                    }
                }
            }
            Body::Enumeration(enumeration) => {
                registry.claim(format!("{constants}_WIRE_ID"), &whole);
                registry.claim(format!("{stem}_is_known"), &whole);
                registry.claim(format!("{stem}_name"), &whole);
                for key in &enumeration.data {
                    let owner = format!("data {} of {whole}", key.name);
                    registry.word(&key.name, &owner, false);
                    registry.claim(format!("{stem}_{}", key.name), &owner);
                }
                check_values(registry, package, contract, &enumeration.values);
            }
            Body::Flags(flags) => {
                registry.claim(format!("{constants}_WIRE_ID"), &whole);
                registry.claim(format!("{constants}_KNOWN_BITS"), &whole);
                check_values(registry, package, contract, &flags.values);
            }
            Body::Recipe(recipe) => {
                check_recipe_names(registry, package, contract);
                for constant in key_constants(input, package, contract) {
                    registry.claim(constant.name, &whole);
                }
                for key in &recipe.keys {
                    check_helpers(registry, input, &key.ty, &label(contract, &key.name));
                }
            }
            Body::Union(union) => {
                check_recipe_names(registry, package, contract);
                registry.claim(tag_type(package, contract), &whole);
                registry.claim(value_type(package, contract), &whole);
                registry.claim(format!("{stem}_tag_name"), &whole);
                for variant in &union.variants {
                    let owner = label(contract, &variant.name);
                    let word = variant.c_name.as_deref().unwrap_or(&variant.name);
                    registry.word(word, &owner, variant.c_name.is_some());
                    registry.claim(variant_constant(package, contract, variant), &owner);
                    if let Content::Value { ty, .. } = &variant.content {
                        check_helpers(registry, input, ty, &owner);
                    }
                }
            }
        }
    }
}

fn check_recipe_names(registry: &mut Registry, package: &PackageConfig, contract: &Contract) {
    let whole = label(contract, "");
    let stem = stem(package, contract);
    for function in RECIPE_FUNCTIONS {
        registry.claim(format!("{stem}_{function}"), &whole);
    }
    registry.claim(format!("{}_WIRE_ID", constant_stem(package, contract)), &whole);
}

/// Types that no contract declares and several headers may: each takes its name once.
fn check_helpers(registry: &mut Registry, input: &EmitInput<'_>, ty: &JsonType, owner: &str) {
    for name in helper_names(input, ty) {
        if registry.helpers.insert(name.clone()) {
            registry.claim(name, owner);
        }
    }
}

fn check_values(registry: &mut Registry, package: &PackageConfig, contract: &Contract, values: &[EnumValue]) {
    for value in values {
        let owner = label(contract, &value.name);
        registry.word(value.c_name.as_deref().unwrap_or(&value.name), &owner, value.c_name.is_some());
        registry.claim(value_constant(package, contract, value), &owner);
        for constant in alias_constants(package, contract, value) {
            registry.claim(constant, &format!("an alias of {owner}"));
        }
    }
}

/// Members have a namespace of their own in each struct, but macros and (in C++) type names reach into it.
fn check_members(registry: &mut Registry, contract: &Contract) {
    let mut members: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |name: String, word: &str, part: &str, fixed: bool| {
        let owner = label(contract, part);
        registry.word(word, &owner, fixed);
        let other = members.get(&name).or_else(|| registry.names.get(&name).map(|(owner, _)| owner)).cloned();
        match other {
            Some(first) if registry.selected => {
                registry.errors.push(EmitError::Collision { target: TARGET, name, first, second: owner });
            }
            _ => {
                members.insert(name, owner);
            }
        }
    };
    match &contract.body {
        Body::Descriptor(descriptor) => {
            for field in &descriptor.fields {
                let word = field.c_name.as_deref().unwrap_or(&field.name);
                add(member(field), word, &field.name, field.c_name.is_some());
            }
        }
        Body::Recipe(recipe) => {
            let optional = |key: &&Key| matches!(key.presence, Presence::Optional { .. });
            for word in 0..recipe.keys.iter().filter(optional).count().div_ceil(64) {
                let name = presence_member(word);
                add(name.clone(), &name, "", false);
            }
            for key in &recipe.keys {
                let word = key.c_name.as_deref().unwrap_or(&key.name);
                add(key_member(key), word, &key.name, key.c_name.is_some());
            }
        }
        Body::Union(union) => {
            for variant in &union.variants {
                add(variant_member(variant), &variant.name, &variant.name, false);
            }
        }
        Body::Enumeration(_) | Body::Flags(_) => {}
    }
}

/// The names of C's one namespace and who has them.
#[derive(Default)]
struct Registry {
    /// The owner, and whether it is in a family that is written.
    names: BTreeMap<String, (String, bool)>,
    /// Those of types that no contract declares.
    helpers: BTreeSet<String>,
    errors: Vec<EmitError>,
    selected: bool,
}

impl Registry {
    fn claim(&mut self, name: String, owner: &str) {
        match self.names.get(&name) {
            None => {
                self.names.insert(name, (owner.to_owned(), self.selected));
            }
            // Two families that are not written are somebody else's to name.
            Some((_, selected)) if !selected && !self.selected => {}
            Some((first, _)) => self.errors.push(EmitError::Collision {
                target: TARGET,
                name,
                first: first.clone(),
                second: owner.to_owned(),
            }),
        }
    }

    /// Refuses what is no identifier, and a fixed name that is taken.
    fn word(&mut self, name: &str, owner: &str, fixed: bool) {
        if !self.selected {
            return;
        }
        let reason = if !is_identifier(name) {
            "an identifier has ASCII letters, digits and `_` only, and begins with no digit; give it a `c_name` \
             that is one"
        } else if fixed && is_reserved(name) {
            "it is a keyword or a macro there; declare another `c_name`"
        } else {
            return;
        };
        self.errors.push(EmitError::BadName {
            target: TARGET,
            name: name.to_owned(),
            contract: owner.to_owned(),
            reason: reason.to_owned(),
        });
    }
}

pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Words that are taken, a line a source.
const RESERVED: &[&str] = &[
    // C17, and what C23 made keywords.
    "auto break case char const continue default do double else enum extern float for goto if inline int long",
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while",
    "alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm fortran",
    // C++, alternative tokens included.
    "and and_eq bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept",
    "const_cast consteval constinit decltype delete dynamic_cast explicit export friend mutable namespace new",
    "noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast template",
    "this throw try typeid typename using virtual wchar_t xor xor_eq",
    // The types that generated members are declared with.
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t std",
    // Macros of the C and POSIX headers.
    "NULL EOF BUFSIZ NAN INFINITY HUGE_VAL DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS I CHAR_BIT RAND_MAX assert",
    "complex errno imaginary noreturn offsetof stdin stdout stderr setjmp signbit isnan isinf alloca va_start va_arg",
    "va_end va_copy major minor makedev h_errno h_addr s_addr st_atime st_mtime st_ctime sa_handler sa_sigaction",
    "si_pid si_uid si_status si_value si_int si_ptr si_addr si_band si_fd si_utime si_stime si_overrun si_timerid",
    "environ stat64 lstat64 fstat64 TRUE FALSE MIN MAX",
    // Macros that compilers define in GNU modes, one a platform.
    "linux unix i386 arm mips sparc sun vax hpux hppa sgi m68k ppc PPC powerpc pdp11 tru64",
    // Macros of windows.h and what it includes.
    "small near far hyper interface min max IN OUT OPTIONAL CONST VOID ERROR DELETE IGNORE INFINITE STRICT THIS FAR",
    "NEAR CALLBACK PASCAL WINAPI APIENTRY CDECL cdecl pascal ABSOLUTE RELATIVE DIFFERENCE UNALIGNED NO_ERROR",
    "TRANSPARENT OPAQUE ALTERNATE WINDING PURE UNICODE grp1 grp2 grp3 grp4 rad1 rad2 rad3 rad4 chx1 edt1 lst1 psh1",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_name_becomes_words() {
        for (name, expected) in [
            ("CudaIpcDescriptor", "cuda_ipc_descriptor"),
            ("Win32Kmt", "win32_kmt"),
            ("HTTPServer", "http_server"),
            ("Rgba8Unorm", "rgba8_unorm"),
            ("RGBA", "rgba"),
            ("blob_len", "blob_len"),
            ("Foo_Bar", "foo_bar"),
            ("_pad", "_pad"),
        ] {
            assert_eq!(snake(name), expected, "{name}");
        }
    }

    #[test]
    fn a_word_that_is_taken_gets_a_trailing_underscore() {
        for name in ["class", "int", "linux", "unix", "errno", "stdin", "NULL", "small", "near", "far", "and"]
        {
            assert_eq!(escape(name), format!("{name}_"));
        }
        for name in ["_pad", "blob", "size", "Class"] {
            assert_eq!(escape(name), name);
        }
        assert_eq!(escape("__LINE__"), "__LINE___");
        assert_eq!(escape("_Bool"), "_Bool_");
    }
}
