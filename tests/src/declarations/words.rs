//! Names and texts, many of which mean something in a target language.

use crate::random::Random;

/// Lines of documentation.
pub(super) const DOCS: [&str; 16] = [
    "ends a C comment: */ int broken; /*",
    "ends a Python string: \"\"\" '''",
    "continues a line: \\",
    "a trigraph: ??/",
    "a template's: {{ value }} {% if x %} {# comment #}",
    "escapes: \\n \\x41 \\u0041 \\N{BULLET} \\0",
    "letters: é € 😀 \u{fffd} ß İ",
    "code: `a < b && c > d` <b>&amp;</b>",
    "#include <nothing.h>",
    "#define nothing else",
    "format: %s %d {} {0} $x",
    "```text",
    "// and // again",
    "@param x \\brief y",
    "    indented",
    "# Heading",
];

/// Fields: no two that differ in case only, none with an underscore at its end.
const FIELDS: &str = "linux unix errno stdin class from r#type template lambda r#match register int value name from_bytes \
     to_bytes WIRE_SIZE def namespace None min max printf size data v i length bytes error capacity out small \
     near far interface pascal signed auto double r#static r#const r#final r#try r#yield r#async r#await \
     global nonlocal pass assert del except True and or not is import operator friend this typename \
     wchar_t char16_t constexpr noexcept r#virtual r#abstract r#fn std wirecontract core view decode \
     encode check validate code offset width height timestamp device_ordinal blob points HTTPHeader x2 \
     flags mode host rest index order bits raw fds close detach closed room join split max_fds tail header \
     from_message to_message at count status bounded said";

/// Values of enumerations and of flags.
const VALUES: &str = "Auto None True False Default Class Int Linux NaN PosixFd Win32Kmt R8G8B8A8Unorm Name Value Mro Null \
     Errno Register Min Max HTTPServer X Lambda From Import Unknown Eof Bool Char Real Imag Delete Ignore \
     Error Strict In Out Stdin Template New";

/// Distinct names of fields.
pub(super) fn fields(random: &mut Random) -> Vec<&'static str> {
    let mut names = FIELDS.split(' ').collect::<Vec<_>>();
    random.shuffle(&mut names);
    names
}

/// Distinct names of values.
pub(super) fn values(random: &mut Random) -> Vec<&'static str> {
    let mut names = VALUES.split(' ').collect::<Vec<_>>();
    random.shuffle(&mut names);
    names
}

/// A type's name: a word and a number that no other has.
pub(super) fn type_name(number: usize, random: &mut Random) -> String {
    const WORDS: [&str; 9] =
        ["Frame", "HTTPState", "Rgba8", "List", "Exception", "Point", "Option", "Vector", "IpcMode"];
    format!("{}{number}", random.pick(&WORDS))
}
