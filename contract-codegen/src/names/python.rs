//! Python's words for a contract's names.
//!
//! One policy everywhere: a name that Python, the `enum` module or a generated member already has gets trailing
//! underscores until it is free. Nothing else is changed, so that a Python field is found under its Rust name.

/// Python 3.13's keywords. The soft ones (`match`, `case`, `type`, `_`) are names wherever we put them.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Modules that some `CPython` from 3.11 to 3.14 has on some platform (`sys.stdlib_module_names`), sorted; private ones,
/// with an underscore before their name, left out.
const STANDARD_MODULES: &[&str] = &[
    "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64",
    "bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop",
    "collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg",
    "crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings",
    "ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc",
    "genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib",
    "imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma",
    "mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib",
    "nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools",
    "pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr",
    "pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched",
    "secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd",
    "sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess",
    "sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading",
    "time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types",
    "typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref",
    "xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo",
];

/// Members that a generated descriptor has, or that a later kind of contract will have under the same name.
const MEMBERS: [&str; 19] = [
    "CONTRACT",
    "EARLIER",
    "MAX_BYTES",
    "VERSION",
    "WIRE_ID",
    "WIRE_SIZE",
    "WIRE_SIZES",
    "from_bytes",
    "from_bytes_or_newer",
    "from_dict",
    "from_json",
    "from_json_lenient",
    "read_prefix",
    "to_bytes",
    "to_dict",
    "to_json",
    "validate_import",
    "version_of",
    "with_defaults",
];

/// What a `ctypes.Structure` has, or takes from its class.
const STRUCTURE_MEMBERS: [&str; 18] = [
    "CONTRACT",
    "EARLIER",
    "VERSION",
    "WIRE_ID",
    "_align_",
    "_anonymous_",
    "_b_base_",
    "_b_needsfree_",
    "_fields_",
    "_layout_",
    "_objects",
    "_pack_",
    "_swappedbytes_",
    "from_address",
    "from_buffer",
    "from_buffer_copy",
    "from_param",
    "in_dll",
];

/// What a message has, and what its owner of file descriptors keeps.
const MESSAGE_MEMBERS: [&str; 19] = [
    "CONTRACT",
    "EARLIER",
    "MAX_BYTES",
    "MAX_FDS",
    "VERSION",
    "WIRE_ID",
    "_counts",
    "_ended",
    "_fds",
    "_group",
    "_open",
    "_owned",
    "close",
    "closed",
    "data",
    "detach",
    "from_message",
    "to_message",
    "validate_import",
];

/// What every handle has.
const HANDLE_MEMBERS: [&str; 3] = ["WIRE_ID", "close", "closed"];

/// Attributes of an `IntEnum` member that a property named like them would break.
const INTEGER_MEMBERS: [&str; 13] = [
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "conjugate",
    "denominator",
    "from_bytes",
    "imag",
    "is_integer",
    "name",
    "numerator",
    "real",
    "to_bytes",
    "value",
];

/// A class, as the contract is called in Rust.
pub fn class(contract: &str) -> String {
    free(contract, |name| is_keyword(name) || name == "__all__")
}

/// The class of a union's variant: the union's and the variant's name.
pub fn variant(union: &str, variant: &str) -> String {
    class(&format!("{union}{variant}"))
}

/// An attribute of a descriptor or a recipe, as the field is called in Rust.
pub fn field(name: &str) -> String {
    free(name, |name| {
        is_keyword(name) || name == "self" || MEMBERS.contains(&name) || is_dunder(name) || is_mangled(name)
    })
}

/// An attribute of a message, as the field is called in Rust.
pub fn message_field(name: &str) -> String {
    free(name, |name| {
        is_keyword(name)
            || name == "self"
            || MESSAGE_MEMBERS.contains(&name)
            || is_dunder(name)
            || is_mangled(name)
    })
}

/// An attribute of a C struct, as the field is called in Rust.
pub fn abi_field(name: &str) -> String {
    free(name, |name| {
        is_keyword(name) || STRUCTURE_MEMBERS.contains(&name) || is_dunder(name) || is_mangled(name)
    })
}

/// A member of an enumeration or of flags: the Rust value's name in `UPPER_SNAKE`.
pub fn member(value: &str) -> String {
    free(&upper_snake(&identifier(value)), |name| {
        is_keyword(name) || MEMBERS.contains(&name) || is_dunder(name) || is_sunder(name) || is_mangled(name)
    })
}

/// A property of an enumeration's members that gives the data declared for each.
pub fn data_key(key: &str) -> String {
    free(key, |name| {
        is_keyword(name)
            || INTEGER_MEMBERS.contains(&name)
            || is_dunder(name)
            || is_sunder(name)
            || is_mangled(name)
    })
}

/// A function of a library, as it is called in Rust, without underscores in front, which are for the module's own.
pub fn function(name: &str) -> String {
    free(public(name), |name| is_keyword(name) || name == "load")
}

/// The same for a method of a handle.
pub fn method(name: &str) -> String {
    free(public(name), |name| is_keyword(name) || HANDLE_MEMBERS.contains(&name))
}

/// The same for a parameter: with underscores in front it could hide what the function's text uses.
pub fn parameter(name: &str) -> String {
    free(public(name), |name| is_keyword(name) || name == "self")
}

/// A module, as the family is called in Rust.
pub fn module(family: &str) -> String {
    free(family, |name| is_keyword(name) || name == "_wire" || name == "_call" || is_dunder(name))
}

/// Whether Python's grammar takes the word for itself.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// Whether Python's standard library has a top-level module of that name.
pub fn is_standard_module(name: &str) -> bool {
    STANDARD_MODULES.iter().any(|line| line.split(' ').any(|module| module == name))
}

/// Whether the word can name something: what `str.isidentifier` says, without the keywords.
pub fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
        && characters.all(|character| character == '_' || character.is_alphanumeric())
        && !is_keyword(name)
}

/// The words of a name in lower case, joined by underscores: `Win32Kmt` is `win32_kmt`, `HTTPServer` `http_server`.
/// Underscores at either end stay.
pub fn snake(name: &str) -> String {
    split(name).to_lowercase()
}

/// As [`snake`], in capitals.
pub fn upper_snake(name: &str) -> String {
    split(name).to_uppercase()
}

/// A name without the underscores in front.
fn public(name: &str) -> &str {
    match name.trim_start_matches('_') {
        "" => name,
        rest => rest,
    }
}

/// `name` with as many underscores behind it as it takes to be free.
fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut name = name.to_owned();
    while taken(&name) {
        name.push('_');
    }
    name
}

/// Words parted by an underscore where lower case meets upper case, and before the last capital of several that a
/// lower case letter follows. A digit belongs to what stands before it.
fn split(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut result = String::with_capacity(name.len() + 4);
    let mut lower_before = false;
    let mut upper_before = false;
    for (index, &character) in characters.iter().enumerate() {
        let lower_after = characters.get(index + 1).is_some_and(|next| next.is_lowercase());
        if character.is_uppercase() && (lower_before || (upper_before && lower_after)) {
            result.push('_');
        }
        result.push(character);
        if !character.is_numeric() {
            lower_before = character.is_lowercase();
            upper_before = character.is_uppercase();
        }
    }
    result
}

/// An alias is any text: what cannot stand in a name becomes an underscore.
fn identifier(text: &str) -> String {
    let mut name: String =
        text.chars().map(|character| if character.is_alphanumeric() { character } else { '_' }).collect();
    if !name.chars().next().is_some_and(|first| first == '_' || first.is_alphabetic()) {
        name.insert(0, '_');
    }
    name
}

/// `__x__`: Python gives these meanings, and `enum` makes no members of them.
fn is_dunder(name: &str) -> bool {
    name.len() > 4
        && name.starts_with("__")
        && name.ends_with("__")
        && !name[2..].starts_with('_')
        && !name[..name.len() - 2].ends_with('_')
}

/// `_x_`: reserved by `enum`.
fn is_sunder(name: &str) -> bool {
    name.len() > 2
        && name.starts_with('_')
        && name.ends_with('_')
        && !name[1..].starts_with('_')
        && !name[..name.len() - 1].ends_with('_')
}

/// `__x`: rewritten inside a class body, so that it would not be found under its name.
fn is_mangled(name: &str) -> bool {
    name.starts_with("__") && !name.ends_with("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_part_where_lower_meets_upper() {
        for (name, expected) in [
            ("PosixFd", "POSIX_FD"),
            ("Win32Kmt", "WIN32_KMT"),
            ("HTTPServer", "HTTP_SERVER"),
            ("R8G8B8A8Unorm", "R8G8B8A8_UNORM"),
            ("GPU_0", "GPU_0"),
            ("U16", "U16"),
            ("_X_", "_X_"),
        ] {
            assert_eq!(upper_snake(name), expected);
        }
    }

    #[test]
    fn reserved_names_get_a_trailing_underscore() {
        assert_eq!(field("from"), "from_");
        assert_eq!(field("to_bytes"), "to_bytes_");
        assert_eq!(field("WIRE_SIZE"), "WIRE_SIZE_");
        assert_eq!(field("bytes"), "bytes");
        assert_eq!(field("match"), "match");
        assert_eq!(abi_field("from_buffer"), "from_buffer_");
        assert_eq!(abi_field("_fields_"), "_fields__");
        assert_eq!(abi_field("to_bytes"), "to_bytes");
        assert_eq!(message_field("close"), "close_");
        assert_eq!(message_field("_fds"), "_fds_");
        assert_eq!(message_field("to_bytes"), "to_bytes");
        assert_eq!(data_key("name"), "name_");
        assert_eq!(class("None"), "None_");
        assert_eq!(module("import"), "import_");
        assert_eq!(function("load"), "load_");
        assert_eq!(function("_raise"), "raise_");
        assert_eq!(method("close"), "close_");
        assert_eq!(method("load"), "load");
        assert_eq!(parameter("_from"), "from_");
    }

    #[test]
    fn underscored_names_stay_out_of_what_python_and_enum_reserve() {
        assert_eq!(field("__init__"), "__init___");
        assert_eq!(field("__x"), "__x___");
        assert_eq!(field("_pad"), "_pad");
        assert_eq!(member("_x_"), "_X__");
        assert_eq!(member("WireId"), "WIRE_ID_");
        assert_eq!(member("16-bit"), "_16_BIT");
        assert_eq!(member("None"), "NONE");
    }

    #[test]
    fn standard_modules_are_sorted_and_those_of_every_version() {
        let modules: Vec<&str> = STANDARD_MODULES.iter().flat_map(|line| line.split(' ')).collect();
        assert!(modules.is_sorted_by(|a, b| a < b));
        // Gone in 3.12, gone in 3.13, new in 3.14, of another platform.
        for module in ["asyncore", "cgi", "annotationlib", "winreg", "time"] {
            assert!(is_standard_module(module), "{module}");
        }
        assert!(!is_standard_module("sensor_sdk"));
    }
}
