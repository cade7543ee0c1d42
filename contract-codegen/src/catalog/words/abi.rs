//! The words of a C struct: layouts by data model, and the types of its fields.

use super::{Fnv, TextError, next};

/// A field: where it is by data model, and its type.
pub(in crate::catalog) struct AbiFieldWords {
    pub(in crate::catalog) offsets: [u32; 4],
    pub(in crate::catalog) ty: AbiTypeWords,
}

/// A type: one word, and what follows it.
pub(in crate::catalog) struct AbiTypeWords {
    word: u32,
    /// The length of an array, or how many parameters a function has.
    pub(in crate::catalog) count: Option<u32>,
    /// Wire id and source id of the contract it is; of a struct that is pointed to, hashes of its name and of its path.
    pub(in crate::catalog) ids: Option<(u64, u64)>,
    /// What a pointer points to, an array's item, or a function's result and then its parameters.
    pub(in crate::catalog) parts: Vec<AbiTypeWords>,
}

/// Codes beside those of scalars, which are 1 to 11 and from [`OWN_SCALARS`] on.
pub(in crate::catalog) const ENUMERATION: u32 = 20;
pub(in crate::catalog) const FLAGS: u32 = 21;
pub(in crate::catalog) const OWN_SCALARS: u32 = 50;
pub(in crate::catalog) const VOID: u32 = 63;
pub(in crate::catalog) const POINTER: u32 = 64;
pub(in crate::catalog) const FUNCTION: u32 = 65;
pub(in crate::catalog) const ARRAY: u32 = 66;
pub(in crate::catalog) const STRUCT: u32 = 67;
pub(in crate::catalog) const POINTEE: u32 = 68;

pub(in crate::catalog) const CONST: u32 = 1 << 8;
pub(in crate::catalog) const OPEN: u32 = 1 << 12;
pub(in crate::catalog) const HOLDS: u32 = 1 << 13;
pub(in crate::catalog) const NAMED: u32 = 1 << 14;

/// Types in each other: more are no declaration, and would be as many calls deep here and in all that follows.
const MAX_DEPTH: usize = 32;

impl AbiFieldWords {
    /// The layouts of the whole, and every field.
    #[allow(clippy::type_complexity, reason = "size and alignment by model, and the fields")]
    pub(super) fn split(
        mut words: impl Iterator<Item = u32>,
    ) -> Result<([(u32, u32); 4], Vec<Self>), TextError> {
        let mut layouts = [(0, 0); 4];
        for layout in &mut layouts {
            *layout = (next(&mut words)?, next(&mut words)?);
        }
        let mut fields = Vec::new();
        while let Some(first) = words.next() {
            let offsets = [first, next(&mut words)?, next(&mut words)?, next(&mut words)?];
            fields.push(AbiFieldWords { offsets, ty: AbiTypeWords::split(&mut words, 0)? });
        }
        Ok((layouts, fields))
    }

    pub(super) fn hash(&self, hash: Fnv, with_source_ids: bool) -> Fnv {
        let hash = self.offsets.iter().fold(hash, |hash, &offset| hash.word(offset));
        self.ty.hash(hash, with_source_ids)
    }
}

impl AbiTypeWords {
    pub(in crate::catalog) fn code(&self) -> u32 {
        self.word & 0xff
    }

    pub(in crate::catalog) fn is_const(&self) -> bool {
        self.word & CONST != 0
    }

    /// Whether the text has names for a function's parameters.
    pub(in crate::catalog) fn is_named(&self) -> bool {
        self.word & NAMED != 0
    }

    /// Each type takes a word at least, so that there are never more than there are words, whatever a count says.
    pub(super) fn split(words: &mut impl Iterator<Item = u32>, depth: usize) -> Result<Self, TextError> {
        if depth == MAX_DEPTH {
            return Err(TextError::Wrong(format!("one of its types is more than {depth} deep")));
        }
        let word = next(words)?;
        let code = word & 0xff;
        // What follows is told by the code alone, so that a bit which contradicts it is seen.
        let (legal, required) = match code {
            1..=11 | OWN_SCALARS..=VOID | ARRAY | POINTEE => (0, 0),
            ENUMERATION => (OPEN | HOLDS, OPEN | HOLDS),
            FLAGS | STRUCT => (HOLDS, HOLDS),
            POINTER => (CONST, 0),
            FUNCTION => (NAMED, 0),
            _ => return Err(TextError::Unknown(format!("the type code {code}"))),
        };
        let bits = word & !0xff;
        if bits & !(legal | CONST | OPEN | HOLDS | NAMED) != 0 {
            return Err(TextError::Unknown(format!("the type word {word:#x}")));
        }
        if bits & !legal != 0 || bits & required != required {
            return Err(TextError::Wrong(format!("its type word {word:#x} contradicts its code {code}")));
        }
        let count = matches!(code, FUNCTION | ARRAY).then(|| next(words)).transpose()?;
        let ids = super::ids(matches!(code, ENUMERATION | FLAGS | STRUCT | POINTEE), words)?;
        let length = match code {
            POINTER | ARRAY => 1,
            // Its result, and then its parameters.
            FUNCTION => 1 + u64::from(count.unwrap_or(0)),
            _ => 0,
        };
        let parts = (0..length).map(|_| Self::split(words, depth + 1)).collect::<Result<_, _>>()?;
        Ok(AbiTypeWords { word, count, ids, parts })
    }

    pub(super) fn hash(&self, hash: Fnv, with_source_ids: bool) -> Fnv {
        let hash = hash.word(self.word);
        let hash = self.count.map_or(hash, |count| hash.word(count));
        let hash = super::hash_ids(self.ids, hash, with_source_ids);
        self.parts.iter().fold(hash, |hash, part| part.hash(hash, with_source_ids))
    }
}
