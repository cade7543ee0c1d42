//! The words of handles and exported functions: a handle's tag; a function's parameters and results.

use super::abi::AbiTypeWords;
use super::{Fnv, TextError, hash_ids, ids, next};

/// An exported function.
pub(in crate::catalog) struct FunctionWords {
    flags: u32,
    /// Wire id and source id of the handle whose method it is.
    pub(in crate::catalog) handle: Option<(u64, u64)>,
    pub(in crate::catalog) params: Vec<FormWords>,
    pub(in crate::catalog) outs: Vec<FormWords>,
}

/// How something crosses: one word, and what follows it.
pub(in crate::catalog) struct FormWords {
    word: u32,
    /// Wire id and source id of the contract it is.
    pub(in crate::catalog) ids: Option<(u64, u64)>,
    /// The C type that it is, points to or has several of.
    pub(in crate::catalog) ty: Option<AbiTypeWords>,
    /// What a callback takes.
    pub(in crate::catalog) args: Vec<FormWords>,
}

pub(in crate::catalog) const VALUE: u32 = 1;
pub(in crate::catalog) const CLOSED: u32 = 2;
pub(in crate::catalog) const REFERENCE: u32 = 3;
pub(in crate::catalog) const SLICE: u32 = 4;
pub(in crate::catalog) const TEXT: u32 = 5;
pub(in crate::catalog) const DESCRIPTOR: u32 = 6;
pub(in crate::catalog) const DOCUMENT: u32 = 7;
pub(in crate::catalog) const HANDLE: u32 = 8;
pub(in crate::catalog) const CALLBACK: u32 = 9;
pub(in crate::catalog) const BYTES: u32 = 10;
pub(in crate::catalog) const FD: u32 = 11;

pub(in crate::catalog) const NULLABLE: u32 = 1 << 8;
pub(in crate::catalog) const MUT: u32 = 1 << 9;
pub(in crate::catalog) const OWNED: u32 = 1 << 10;
pub(in crate::catalog) const HOLDS: u32 = 1 << 13;

pub(in crate::catalog) const METHOD: u32 = 1;
pub(in crate::catalog) const UNSAFE: u32 = 2;

impl FunctionWords {
    pub(in crate::catalog) fn is_unsafe(&self) -> bool {
        self.flags & UNSAFE != 0
    }

    pub(super) fn split(mut words: impl Iterator<Item = u32>) -> Result<Self, TextError> {
        let words = &mut words;
        let flags = next(words)?;
        if flags & !(METHOD | UNSAFE) != 0 {
            return Err(TextError::Unknown(format!("the flags {flags:#x} of a function")));
        }
        let (params, outs) = (next(words)?, next(words)?);
        let handle = ids(flags & METHOD != 0, words)?;
        let params = FormWords::several(params, words, false)?;
        let outs = FormWords::several(outs, words, false)?;
        if words.next().is_some() {
            return Err(TextError::Wrong("it has words behind its last result".to_owned()));
        }
        Ok(FunctionWords { flags, handle, params, outs })
    }

    pub(super) fn hash(&self, hash: Fnv, with_source_ids: bool) -> Fnv {
        let count = |forms: &[FormWords]| u32::try_from(forms.len()).expect("their number was a word");
        let hash = hash.word(self.flags).word(count(&self.params)).word(count(&self.outs));
        let hash = hash_ids(self.handle, hash, with_source_ids);
        let forms = self.params.iter().chain(&self.outs);
        forms.fold(hash, |hash, form| form.hash(hash, with_source_ids))
    }
}

impl FormWords {
    pub(in crate::catalog) fn code(&self) -> u32 {
        self.word & 0xff
    }

    pub(in crate::catalog) fn has(&self, bit: u32) -> bool {
        self.word & bit != 0
    }

    /// Each form takes a word at least, so that there are never more than there are words, whatever a count says.
    fn several(
        count: u32,
        words: &mut impl Iterator<Item = u32>,
        in_callback: bool,
    ) -> Result<Vec<Self>, TextError> {
        (0..count).map(|_| Self::split(words, in_callback)).collect()
    }

    fn split(words: &mut impl Iterator<Item = u32>, in_callback: bool) -> Result<Self, TextError> {
        let word = next(words)?;
        let code = word & 0xff;
        // What follows is told by the code alone, so that a bit which contradicts it is seen.
        let (legal, required) = match code {
            VALUE | BYTES | CALLBACK => (0, 0),
            CLOSED | DESCRIPTOR | DOCUMENT => (HOLDS, HOLDS),
            REFERENCE => (NULLABLE | MUT, 0),
            SLICE => (MUT, 0),
            TEXT => (NULLABLE, 0),
            FD => (OWNED, 0),
            HANDLE => (MUT | OWNED | HOLDS, HOLDS),
            _ => return Err(TextError::Unknown(format!("the form {code} of a parameter or result"))),
        };
        let bits = word & !0xff;
        if bits & !(NULLABLE | MUT | OWNED | HOLDS) != 0 {
            return Err(TextError::Unknown(format!("the form word {word:#x}")));
        }
        let is_both = bits & (MUT | OWNED) == MUT | OWNED;
        if bits & !legal != 0 || bits & required != required || is_both {
            return Err(TextError::Wrong(format!("its form word {word:#x} contradicts its code {code}")));
        }
        let ids = ids(word & HOLDS != 0, words)?;
        let ty = match code {
            VALUE | REFERENCE | SLICE => Some(AbiTypeWords::split(words, 0)?),
            _ => None,
        };
        let args = match code {
            CALLBACK if in_callback => {
                return Err(TextError::Wrong("one of its callbacks takes a callback".to_owned()));
            }
            CALLBACK => Self::several(next(words)?, words, true)?,
            _ => Vec::new(),
        };
        Ok(FormWords { word, ids, ty, args })
    }

    fn hash(&self, hash: Fnv, with_source_ids: bool) -> Fnv {
        let hash = hash_ids(self.ids, hash.word(self.word), with_source_ids);
        let hash = self.ty.as_ref().map_or(hash, |ty| ty.hash(hash, with_source_ids));
        if self.code() != CALLBACK {
            return hash;
        }
        let count = u32::try_from(self.args.len()).expect("their number was a word");
        self.args.iter().fold(hash.word(count), |hash, arg| arg.hash(hash, with_source_ids))
    }
}
