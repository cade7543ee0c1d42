//! The numbers of a record: what const evaluation filled in.

pub(super) mod abi;
pub(super) mod export;

use self::abi::AbiFieldWords;
use self::export::FunctionWords;
use super::frame::Frame;
use super::hash::Fnv;
use super::json::TextError;

/// The words of a record, taken apart by their own structure, which the kind of the contract tells.
pub(super) enum Words {
    /// Of enumerations, flags and mere names: none.
    None,
    /// Of a descriptor: size, alignment, of one that grows its defaults, and for each field where it is and what it holds.
    Descriptor { size: u32, align: u32, defaults: Vec<u32>, fields: Vec<FieldWords> },
    /// Of a recipe, a union or messages: for each key, variant or field what it holds.
    Types(Vec<TypeWords>),
    /// Of a C struct: size and alignment by data model, and for each field where it is and what.
    Abi { layouts: [(u32, u32); 4], fields: Vec<AbiFieldWords> },
    /// Of a handle: its tag.
    Handle { tag: u32 },
    /// Of an exported function: its parameters and results.
    Function(FunctionWords),
}

pub(super) struct FieldWords {
    pub(super) offset: u32,
    pub(super) ty: u32,
    pub(super) dims: Vec<u32>,
    /// Wire id and source id of the contract it holds.
    pub(super) ids: Option<(u64, u64)>,
}

impl FieldWords {
    pub(super) const OPEN: u32 = 1 << 10;
    const IDS_FOLLOW: u32 = 1 << 11;

    pub(super) fn code(&self) -> u32 {
        self.ty & 0xff
    }

    fn hash(&self, hash: Fnv, with_source_ids: bool) -> Fnv {
        let hash = hash.word(self.offset).word(self.ty);
        let hash = self.dims.iter().fold(hash, |hash, &dim| hash.word(dim));
        hash_ids(self.ids, hash, with_source_ids)
    }
}

/// A type in JSON: one word, and what follows it.
pub(super) struct TypeWords {
    pub(super) word: u32,
    /// How many bytes or items, where the type says so.
    pub(super) length: Option<u32>,
    /// Wire id and source id of the contract it is.
    pub(super) ids: Option<(u64, u64)>,
    /// What an array or an option holds.
    pub(super) item: Option<Box<TypeWords>>,
}

impl TypeWords {
    pub(super) const U8: u32 = 2;
    pub(super) const DESCRIPTOR: u32 = 22;
    pub(super) const RECIPE: u32 = 23;
    pub(super) const UNION: u32 = 24;
    pub(super) const MESSAGE: u32 = 25;
    pub(super) const TEXT: u32 = 30;
    pub(super) const BYTES: u32 = 31;
    pub(super) const BYTE_ARRAY: u32 = 32;
    pub(super) const LIST: u32 = 33;
    pub(super) const ARRAY: u32 = 34;
    pub(super) const OPTION: u32 = 37;
    /// What a variant holds that holds nothing, and one that keeps unknown tags.
    pub(super) const NOTHING: u32 = 38;
    pub(super) const OTHER: u32 = 39;
    pub(super) const OPEN: u32 = 1 << 12;
    pub(super) const IDS_FOLLOW: u32 = 1 << 13;
    /// All that a word of this version says.
    pub(super) const KNOWN: u32 = 0x3fff;

    /// Arrays in arrays: more are no declaration, and would be as many calls deep here and in all that follows.
    const MAX_DEPTH: usize = 32;

    pub(super) fn code(&self) -> u32 {
        self.word & 0xff
    }

    pub(super) fn spelling(&self) -> u32 {
        self.word >> 8 & 0xf
    }

    pub(super) fn is_open(&self) -> bool {
        self.word & Self::OPEN != 0
    }

    fn split(word: u32, words: &mut impl Iterator<Item = u32>, depth: usize) -> Result<Self, TextError> {
        if depth == Self::MAX_DEPTH {
            return Err(TextError::Wrong(format!("one of its types is more than {depth} deep")));
        }
        let code = word & 0xff;
        let has_length = code == Self::BYTE_ARRAY || code == Self::ARRAY;
        let length = has_length.then(|| next(words)).transpose()?;
        let ids = ids(word & Self::IDS_FOLLOW != 0, words)?;
        let item = match code {
            Self::LIST | Self::ARRAY | Self::OPTION => {
                Some(Box::new(Self::split(next(words)?, words, depth + 1)?))
            }
            _ => None,
        };
        Ok(TypeWords { word, length, ids, item })
    }

    fn hash(&self, hash: Fnv, with_source_ids: bool) -> Fnv {
        let hash = hash.word(self.word);
        let hash = self.length.map_or(hash, |length| hash.word(length));
        let hash = hash_ids(self.ids, hash, with_source_ids);
        self.item.as_ref().map_or(hash, |item| item.hash(hash, with_source_ids))
    }
}

impl Words {
    /// The words of a contract of that kind; of a descriptor that grows, `first` is the size of its first version.
    pub(super) fn split(frame: &Frame<'_>, kind: &str, first: Option<u32>) -> Result<Self, TextError> {
        let mut words = frame.words();
        match kind {
            "descriptor" => Self::of_descriptor(words, first),
            "recipe" | "union" | "message" | "messages" => {
                let mut types = Vec::new();
                while let Some(word) = words.next() {
                    types.push(TypeWords::split(word, &mut words, 0)?);
                }
                Ok(Words::Types(types))
            }
            "abi" => {
                let (layouts, fields) = AbiFieldWords::split(words)?;
                Ok(Words::Abi { layouts, fields })
            }
            "handle" => match (words.next(), words.next()) {
                (Some(tag), None) => Ok(Words::Handle { tag }),
                _ => Err(TextError::Wrong("it is a handle, and has not one word".to_owned())),
            },
            "function" => Ok(Words::Function(FunctionWords::split(words)?)),
            _ if words.len() == 0 => Ok(Words::None),
            _ => Err(TextError::Wrong(format!("it is of kind {kind} and has words"))),
        }
    }

    fn of_descriptor(
        mut words: impl ExactSizeIterator<Item = u32>,
        first: Option<u32>,
    ) -> Result<Self, TextError> {
        let no_words = || TextError::Wrong("it has no words".to_owned());
        let size = words.next().ok_or_else(no_words)?;
        let align = words.next().ok_or_else(no_words)?;
        let tail = first.map_or(0, |first| size.saturating_sub(first).div_ceil(4)) as usize;
        if tail > words.len() {
            return Err(TextError::Wrong("its words end within its defaults".to_owned()));
        }
        let defaults = words.by_ref().take(tail).collect();
        let mut fields = Vec::new();
        while let Some(offset) = words.next() {
            let ty = next(&mut words)?;
            let dims = (0..ty >> 12 & 0xf).map(|_| next(&mut words)).collect::<Result<_, _>>()?;
            let ids = ids(ty & FieldWords::IDS_FOLLOW != 0, &mut words)?;
            fields.push(FieldWords { offset, ty, dims, ids });
        }
        Ok(Words::Descriptor { size, align, defaults, fields })
    }

    /// Hashes the words; without the source ids of nested contracts for a wire id.
    pub(super) fn hash(&self, hash: Fnv, with_source_ids: bool) -> Fnv {
        match self {
            Words::None => hash,
            Words::Descriptor { size, align, defaults, fields } => {
                let hash = hash.word(*size).word(*align);
                let hash = defaults.iter().fold(hash, |hash, word| hash.word(*word));
                fields.iter().fold(hash, |hash, field| field.hash(hash, with_source_ids))
            }
            Words::Types(types) => types.iter().fold(hash, |hash, ty| ty.hash(hash, with_source_ids)),
            Words::Abi { layouts, fields } => {
                let hash = layouts.iter().fold(hash, |hash, (size, align)| hash.word(*size).word(*align));
                fields.iter().fold(hash, |hash, field| field.hash(hash, with_source_ids))
            }
            Words::Handle { tag } => hash.word(*tag),
            Words::Function(function) => function.hash(hash, with_source_ids),
        }
    }
}

fn next(words: &mut impl Iterator<Item = u32>) -> Result<u32, TextError> {
    words.next().ok_or_else(|| TextError::Wrong("its words end within a field".to_owned()))
}

/// Wire id and source id, low words first, where they follow.
fn ids(follow: bool, words: &mut impl Iterator<Item = u32>) -> Result<Option<(u64, u64)>, TextError> {
    let mut id = || Ok::<u64, TextError>(u64::from(next(words)?) | u64::from(next(words)?) << 32);
    Ok(if follow { Some((id()?, id()?)) } else { None })
}

fn hash_ids(ids: Option<(u64, u64)>, hash: Fnv, with_source_ids: bool) -> Fnv {
    match ids {
        None => hash,
        Some((wire_id, _)) if !with_source_ids => hash.id(wire_id),
        Some((wire_id, source_id)) => hash.id(wire_id).id(source_id),
    }
}
