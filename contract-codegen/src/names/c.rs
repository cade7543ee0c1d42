//! A contract's words in C: types, functions, members, constants, and the collisions C's one namespace allows.
//!
//! One policy for words that are taken: a member that is a keyword of C or C++, or a macro that common headers
//! define, gets a trailing underscore. A `c_name` is used exactly as written, so one that is taken is refused.

mod collisions;
mod export;

use crate::emit::{Family, PackageConfig};
use crate::model::{
    AbiField, AbiType, Contract, EnumValue, FdForm, Field, Key, MessageField, MessageVariant, Signature,
    TailItem, Variant,
};

pub use collisions::check;
pub use export::{
    CONTEXT, api_macro, check_abi, context_parameter, export_wire_id, form_parameters, length_parameter,
    library_functions, library_header, scopes, static_macro, symbols, wire_id_symbol,
};

/// What [`EmitError`](crate::emit::EmitError) calls this target.
pub const TARGET: &str = "C";

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

/// A member of a struct that is shared in memory. A macro that takes arguments leaves a member alone that is not called:
/// such structs have the names that others gave them, `major` among them.
pub fn abi_member(field: &AbiField) -> String {
    let is_called = matches!(field.ty, AbiType::Function(_));
    let is_free = !is_called && TAKES_ARGUMENTS.contains(&field.name.as_str());
    field.c_name.clone().unwrap_or_else(|| if is_free { field.name.clone() } else { escape(&field.name) })
}

/// The names of a function's parameters. Nothing refers to them, so one that C cannot have is left out (it is empty).
pub fn parameters(signature: &Signature) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(signature.params.len());
    for param in &signature.params {
        let name = escape(&param.name);
        let is_free = is_identifier(&name) && param.name != "_" && !names.contains(&name);
        names.push(if is_free { name } else { String::new() });
    }
    names
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

/// A member of a message's struct: a part, a tail, or the file descriptors of a group.
pub fn message_member(field: MessageField<'_>) -> String {
    field.member().c_name.clone().unwrap_or_else(|| escape(field.name()))
}

/// Whether another member says how many elements or file descriptors a member points to.
pub fn has_count(field: MessageField<'_>) -> bool {
    match field {
        MessageField::Part(_) => false,
        MessageField::Tail(tail) => matches!(tail.item, TailItem::Descriptor(_)),
        MessageField::Fds(group) => matches!(group.form, FdForm::Many { .. }),
    }
}

/// The member that says how many elements or file descriptors another one points to.
pub fn count_member(field: MessageField<'_>) -> String {
    format!("{}_count", message_base(field))
}

/// The function that gives one element of a tail.
pub fn element_function(package: &PackageConfig, contract: &Contract, field: MessageField<'_>) -> String {
    format!("{}_{}_at", stem(package, contract), message_base(field))
}

fn message_base(field: MessageField<'_>) -> String {
    message_member(field).trim_end_matches('_').to_owned()
}

/// The constant of one of several messages.
pub fn message_constant(package: &PackageConfig, contract: &Contract, variant: &MessageVariant) -> String {
    match &variant.member.c_name {
        Some(name) => name.clone(),
        None => format!("{}_{}", constant_stem(package, contract), screaming(&variant.member.name)),
    }
}

/// The member that one of several messages is.
pub fn message_variant_member(variant: &MessageVariant) -> String {
    escape(&snake(&variant.member.name))
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

/// The macro that says whether a header of somebody else, with the names of this family, came before the family's.
pub(crate) fn foreign_flag(package: &PackageConfig, family: &str) -> String {
    format!("{}_IS_FOREIGN", guard(&format!("{}/{family}.h", package.include_dir)))
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
    implementations || is_limit(name) || RESERVED.iter().any(|line| line.split(' ').any(|word| word == name))
}

/// Whether the name is formed like the macros of `<limits.h>`, `<stdint.h>`, `<float.h>` and `<math.h>`, of which there
/// are more with every width.
fn is_limit(name: &str) -> bool {
    const BEGINS: &[&str] = &[
        "CHAR_",
        "SCHAR_",
        "UCHAR_",
        "SHRT_",
        "USHRT_",
        "INT",
        "UINT",
        "LONG_",
        "ULONG_",
        "LLONG_",
        "ULLONG_",
        "SIZE_",
        "SSIZE_",
        "PTRDIFF_",
        "WCHAR_",
        "WINT_",
        "SIG_ATOMIC_",
        "FLT_",
        "DBL_",
        "LDBL_",
        "DECIMAL_",
        "BOOL_",
    ];
    const ENDS: &[&str] = &["_MAX", "_MIN", "_WIDTH", "_BIT", "_DIG", "_EPSILON", "_EXP", "_C"];
    let is_macro = |name: &str| name.bytes().all(|it| matches!(it, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
    if !is_macro(name) {
        return false;
    }
    let begins = |with: &str| name.len() > with.len() && name.starts_with(with);
    let is_bound = BEGINS.iter().any(|&with| begins(with)) && ENDS.iter().any(|with| name.ends_with(with));
    is_bound || begins("M_") || begins("FP_")
}

/// Where a declaration is, for errors: `wirecontract_gpu::cuvis::CudaIpcPayload.magic`.
pub fn label(contract: &Contract, part: &str) -> String {
    let dot = if part.is_empty() { "" } else { "." };
    format!("{}::{}{dot}{part}", contract.module, contract.name)
}

pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Words among [`RESERVED`] that are taken only before an opening parenthesis.
const TAKES_ARGUMENTS: &[&str] = &["major", "minor", "makedev"];

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
    // Errors and signals.
    "E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR",
    "EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK",
    "EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM",
    "EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT",
    "EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK",
    "EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA",
    "ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR",
    "ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ",
    "ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE",
    "EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE",
    "ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL SIGABRT",
    "SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL",
    "SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN SIGSEGV SIGSTKFLT SIGSTKSZ SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP",
    "SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ",
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
            .into_iter()
            .chain([
                "INT_MAX",
                "UINT64_MAX",
                "SIZE_MAX",
                "FLT_EPSILON",
                "M_PI",
                "EINVAL",
                "SIGINT",
                "CHAR_BIT",
            ])
        {
            assert_eq!(escape(name), format!("{name}_"));
        }
        for name in [
            "_pad",
            "blob",
            "size",
            "Class",
            "MAX_WIDTH",
            "E_1",
            "WIDTH",
            "M",
            "SIG_1",
            "INTENT",
            "ETC2",
            "EAC",
            "EXR",
            "SIGMA",
        ] {
            assert_eq!(escape(name), name);
        }
        assert_eq!(escape("__LINE__"), "__LINE___");
        assert_eq!(escape("_Bool"), "_Bool_");
    }
}
