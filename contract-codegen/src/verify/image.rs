//! The symbols that a file offers to those who link it.

use std::collections::BTreeMap;

use object::read::archive::ArchiveFile;
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{
    Architecture, BinaryFormat, ExportTarget, FileKind, NameOrOrdinal, Object, ObjectKind, ObjectSection,
    ObjectSegment, ObjectSymbol,
};

use crate::catalog::ReadError;

/// What a data symbol of a wire id is called behind the function's name.
pub(super) const WIRE_ID: &str = "_wire_id";

/// Symbols of one machine: of a shared library its exports, of an archive what its members define for others.
#[derive(Debug, Default)]
pub(super) struct Image {
    /// By name; of one that ends like a wire id's the number that stands there.
    pub(super) symbols: BTreeMap<String, Option<u64>>,
}

/// Archives in archives, as far as records are looked for.
const MAX_NESTING: usize = 3;

impl Image {
    /// The symbols of a file; several where it holds code for several machines.
    pub(super) fn all(data: &[u8]) -> Result<Vec<Image>, ReadError> {
        // Members of an honest archive do not overlap.
        let mut allowance = data.len().saturating_mul(MAX_NESTING + 1);
        let mut images = Vec::new();
        match FileKind::parse(data) {
            Ok(FileKind::MachOFat32) => {
                let fat = MachOFatFile32::parse(data).map_err(damaged)?;
                slices(data, fat.arches(), &mut allowance, &mut images)?;
            }
            Ok(FileKind::MachOFat64) => {
                let fat = MachOFatFile64::parse(data).map_err(damaged)?;
                slices(data, fat.arches(), &mut allowance, &mut images)?;
            }
            _ => {
                let mut image = Image::default();
                image.visit(data, 0, &mut allowance)?;
                images.push(image);
            }
        }
        Ok(images)
    }

    fn visit(&mut self, data: &[u8], depth: usize, allowance: &mut usize) -> Result<(), ReadError> {
        match FileKind::parse(data) {
            Ok(FileKind::Archive) if depth < MAX_NESTING => {
                let archive = ArchiveFile::parse(data).map_err(damaged)?;
                for member in archive.members() {
                    let member = member.map_err(damaged)?.data(data).map_err(damaged)?;
                    *allowance = allowance.checked_sub(member.len()).ok_or_else(|| ReadError::Damaged {
                        container: "archive",
                        reason: "its members overlap".to_owned(),
                    })?;
                    self.visit(member, depth + 1, allowance)?;
                }
                Ok(())
            }
            Ok(
                FileKind::Elf32
                | FileKind::Elf64
                | FileKind::MachO32
                | FileKind::MachO64
                | FileKind::Pe32
                | FileKind::Pe64
                | FileKind::Coff
                | FileKind::CoffBig,
            ) => self.object(&object::File::parse(data).map_err(damaged)?),
            // An archive may hold any file, and what holds no code exports nothing.
            _ => Ok(()),
        }
    }

    fn object(&mut self, file: &object::File<'_>) -> Result<(), ReadError> {
        if file.kind() == ObjectKind::Relocatable {
            self.definitions(file);
            return Ok(());
        }
        for export in file.exports().map_err(damaged)? {
            let export = export.map_err(damaged)?;
            let NameOrOrdinal::Name(name) = export.name() else { continue };
            let address = match export.target() {
                ExportTarget::Address { address } => Some(address),
                _ => None,
            };
            let found = |address: u64| {
                file.segments().find_map(|segment| segment.data_range(address, 8).ok().flatten())
            };
            self.put(file, name, || number(file, address.and_then(found)));
        }
        Ok(())
    }

    /// What an object file defines for others.
    fn definitions(&mut self, file: &object::File<'_>) {
        for symbol in file.symbols() {
            if !symbol.is_global() || !symbol.is_definition() {
                continue;
            }
            let Ok(name) = symbol.name_bytes() else { continue };
            self.put(file, name, || {
                let section = file.section_by_index(symbol.section_index()?).ok()?;
                number(file, section.data_range(symbol.address(), 8).ok().flatten())
            });
        }
    }

    fn put(&mut self, file: &object::File<'_>, name: &[u8], number: impl FnOnce() -> Option<u64>) {
        // What no declaration could be called is nobody's of ours.
        let Ok(name) = std::str::from_utf8(name) else { return };
        let has_underscore = match file.format() {
            BinaryFormat::MachO => true,
            BinaryFormat::Coff => file.architecture() == Architecture::I386,
            _ => false,
        };
        let name = if has_underscore { name.strip_prefix('_').unwrap_or(name) } else { name };
        let number = if name.ends_with(WIRE_ID) { number() } else { None };
        self.symbols.insert(name.to_owned(), number);
    }
}

fn slices<Arch: FatArch>(
    data: &[u8],
    arches: &[Arch],
    allowance: &mut usize,
    images: &mut Vec<Image>,
) -> Result<(), ReadError> {
    for arch in arches {
        let content = arch.data(data).map_err(damaged)?;
        *allowance = allowance.checked_sub(content.len()).ok_or_else(|| ReadError::Damaged {
            container: "universal Mach-O file",
            reason: "its parts overlap".to_owned(),
        })?;
        let mut image = Image::default();
        image.visit(content, 0, allowance)?;
        images.push(image);
    }
    Ok(())
}

/// The number in the byte order of the machine.
fn number(file: &object::File<'_>, bytes: Option<&[u8]>) -> Option<u64> {
    let bytes = bytes?.try_into().ok()?;
    Some(if file.is_little_endian() { u64::from_le_bytes(bytes) } else { u64::from_be_bytes(bytes) })
}

fn damaged(error: object::Error) -> ReadError {
    ReadError::Damaged { container: "table of symbols", reason: error.to_string() }
}
