//! The numbers of a record: what const evaluation filled in.

use super::frame::Frame;
use super::hash::Fnv;
use super::json::TextError;

/// The words of a record, taken apart by their own structure.
#[derive(Default)]
pub(super) struct Words {
    /// Size and alignment, of a descriptor.
    pub(super) measures: Option<(u32, u32)>,
    pub(super) fields: Vec<FieldWords>,
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
}

impl Words {
    pub(super) fn split(frame: &Frame<'_>) -> Result<Self, TextError> {
        let mut words = frame.words();
        let Some(size) = words.next() else { return Ok(Words::default()) };
        let mut next =
            || words.next().ok_or_else(|| TextError::Wrong("its words end within a field".to_owned()));
        let align = next()?;
        let mut fields = Vec::new();
        while let Ok(offset) = next() {
            let ty = next()?;
            let dims = (0..ty >> 12 & 0xf).map(|_| next()).collect::<Result<_, _>>()?;
            let mut id = || Ok::<u64, TextError>(u64::from(next()?) | u64::from(next()?) << 32);
            let ids = if ty & FieldWords::IDS_FOLLOW == 0 { None } else { Some((id()?, id()?)) };
            fields.push(FieldWords { offset, ty, dims, ids });
        }
        Ok(Words { measures: Some((size, align)), fields })
    }

    /// Hashes the words; without the source ids of nested contracts for a wire id.
    pub(super) fn hash(&self, mut hash: Fnv, with_source_ids: bool) -> Fnv {
        if let Some((size, align)) = self.measures {
            hash = hash.word(size).word(align);
        }
        for field in &self.fields {
            hash = hash.word(field.offset).word(field.ty);
            hash = field.dims.iter().fold(hash, |hash, &dim| hash.word(dim));
            if let Some((wire_id, source_id)) = field.ids {
                hash = hash.id(wire_id);
                if with_source_ids {
                    hash = hash.id(source_id);
                }
            }
        }
        hash
    }
}
