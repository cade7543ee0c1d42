//! Descriptors that grow: the sizes of their versions, and what each version has.

use toml::{Table, Value};
use wirecontract::Code;

use super::change::{Change, Found, What};
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, refuses};
use super::field::{Field, Role};
use super::member::{self, name, number, set};
use crate::lock::{Form, integer};

/// What two forms of a descriptor say of versions, of which at least one grows.
pub(super) struct Growth {
    sides: [Versions; 2],
}

/// The versions of one form.
struct Versions {
    /// Bytes of each; of a descriptor of one size, the same for all that its version field says.
    sizes: Vec<i128>,
    /// Whether a field says the version.
    has_version: bool,
    grows: bool,
}

impl Versions {
    fn of(form: &Form) -> Self {
        let version = form.section("fields").find_map(|member| match Field::of(member).role {
            Role::Version(version) => Some(version),
            _ => None,
        });
        let sizes = form.get("sizes").and_then(Value::as_array);
        let sizes: Option<Vec<i128>> = sizes.map(|sizes| sizes.iter().filter_map(integer).collect());
        let grows = sizes.is_some();
        let sizes = sizes.unwrap_or_else(|| {
            let size = form.get("size").and_then(integer).unwrap_or_default();
            // Further versions of one size say nothing that the first few do not.
            let count = version.unwrap_or(1).clamp(1, 64);
            (0..count).map(|_| size).collect()
        });
        Versions { sizes, has_version: version.is_some(), grows }
    }

    fn newest(&self) -> i128 {
        i128::try_from(self.sizes.len()).unwrap_or(i128::MAX)
    }

    /// The refusal of a message that is of a version behind the newest.
    fn refusal(&self, size: Option<&i128>) -> Code {
        let fits = self.sizes.last() == size;
        if self.has_version && (self.grows || fits) { Code::UnsupportedVersion } else { Code::TrailingBytes }
    }

    /// Whether these are the first of the others.
    fn begin(&self, others: &Versions) -> bool {
        self.has_version == others.has_version && others.sizes.starts_with(&self.sizes)
    }
}

impl Growth {
    /// None where neither of the two grows.
    pub(super) fn between(old: &Form, new: &Form) -> Option<Self> {
        let sides = [old, new].map(Versions::of);
        sides.iter().any(|versions| versions.grows).then_some(Growth { sides })
    }

    /// What becomes of the sizes; where one side refuses all that the other writes, how.
    pub(super) fn sizes(&self, found: &mut Found, old: &Form, new: &Form) -> [Option<Side>; 2] {
        let [before, after] = &self.sides;
        let change = |key| set(key, &old.table, &new.table);
        let key = if old.get("sizes") == new.get("sizes") { "size" } else { "sizes" };
        if before.sizes == after.sizes && before.has_version == after.has_version {
            if before.grows != after.grows {
                let why = "the same bytes are read of every version that there is";
                found.put("", change("sizes"), BOTH_READ, why);
            }
            return [None, None];
        }
        if before.begin(after) {
            let old = refuses(before.refusal(after.sizes.last()));
            let why = format!("version {} is written, and all before it are read", after.newest());
            found.put("", change(key), [old, Side::Reads], why);
            return [Some(old), None];
        }
        if after.begin(before) {
            let new = refuses(after.refusal(before.sizes.last()));
            let why = format!(
                "version {} is the newest that is known, and there was one behind it",
                after.newest()
            );
            found.put("", change(key), [Side::Reads, new], why);
            return [None, Some(new)];
        }
        let why = "what stands where in versions that are written already is something else now";
        found.put("", change(key), BOTH_MISREAD, why);
        [None, None]
    }

    /// Whether a field came with a version that the other side does not know, and what that does.
    pub(super) fn added(&self, found: &mut Found, field: &Field<'_>) -> bool {
        let [before, after] = &self.sides;
        let since = number(field.member, "since").unwrap_or(1);
        if !before.begin(after) || since <= before.newest() {
            return false;
        }
        let old = refuses(before.refusal(after.sizes.last()));
        let why = format!(
            "it came with version {since}, and older messages, which do not have it, stand for {}",
            default(field.member)
        );
        found.put(name(field.member), Change::Added { what: What::Field }, [old, Side::Reads], why);
        true
    }

    /// The same of a field that is gone with its version.
    pub(super) fn removed(&self, found: &mut Found, field: &Field<'_>) -> bool {
        let [before, after] = &self.sides;
        let since = number(field.member, "since").unwrap_or(1);
        if !after.begin(before) || since <= after.newest() {
            return false;
        }
        let was_deprecated = member::is_deprecated(field.member);
        let new = refuses(after.refusal(before.sizes.last()));
        let why = format!("it came with version {since}, which is not known any more");
        let change = Change::Removed { what: What::Field, was_deprecated };
        found.put(name(field.member), change, [Side::Reads, new], why);
        true
    }

    /// What versions have a field, and what its absence stands for in the others.
    pub(super) fn field(&self, found: &mut Found, [old, new]: [&Table; 2]) {
        let at = name(new);
        if self.sides.iter().any(|versions| !versions.grows) {
            return;
        }
        if !member::equal("since", old, new) {
            let why =
                "messages of some versions had it, and are read as if they had not, or the other way round";
            found.put(at, set("since", old, new), BOTH_MISREAD, why);
        }
        if !member::equal("default", old, new) {
            let [was, is] = [old, new].map(default);
            let why =
                format!("a message of a version that does not have it stands for {is}, and stood for {was}");
            found.put(at, set("default", old, new), BOTH_MISREAD, why);
        }
    }
}

/// What the absence of a field stands for: the number where it is one, else the bytes.
fn default(member: &Table) -> String {
    let Some(digits) = member::text(member, "default") else { return "zero".to_owned() };
    let bits = match digits.len() {
        2..=16 => u64::from_str_radix(digits, 16).ok(),
        _ => None,
    };
    let (Some(bits), Some(ty)) = (bits, member::text(member, "type")) else {
        return format!("the bytes {digits}");
    };
    let width = 4 * u32::try_from(digits.len()).unwrap_or(u32::MAX);
    let bits = match member::text(member, "endian") {
        Some("little") => bits.swap_bytes() >> (64 - width),
        Some("big") | None => bits,
        Some(_) => return format!("the bytes {digits}"),
    };
    match (ty, width) {
        ("u8" | "u16" | "u32" | "u64", _) => bits.to_string(),
        ("i8" | "i16" | "i32" | "i64", 8..=64) => {
            let unused = 64 - width;
            ((bits.cast_signed() << unused) >> unused).to_string()
        }
        _ => format!("the bytes {digits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::default;

    #[test]
    fn a_default_is_said_as_the_number_that_it_is() {
        let said = |ty: &str, endian: &str, digits: &str| {
            default(
                &format!("type = \"{ty}\"\nendian = \"{endian}\"\ndefault = \"{digits}\"").parse().unwrap(),
            )
        };
        assert_eq!(said("u32", "little", "e8030000"), "1000");
        assert_eq!(said("u32", "big", "000003e8"), "1000");
        assert_eq!(said("i16", "little", "feff"), "-2");
        assert_eq!(said("u64", "little", "ffffffffffffffff"), "18446744073709551615");
        assert_eq!(said("u32", "native", "e8030000"), "the bytes e8030000");
        assert_eq!(said("[u8; 4]", "little", "01020304"), "the bytes 01020304");
        assert_eq!(default(&"type = \"u8\"".parse().unwrap()), "zero");
        assert_eq!(said("u8", "little", "07"), "7");
    }
}
