//! Finding records in the files that compilers and linkers write, without loading or running them.

use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, ProgramHeader};
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{Endianness, FileKind, Object, ObjectSection, SectionKind, elf};

use super::error::ReadError;
use super::frame::{self, Frame, Order};
use super::json::hex;

/// What was found in a file, borrowed from its bytes.
#[derive(Debug, Default)]
pub(super) struct Found<'data> {
    pub(super) frames: Vec<Frame<'data>>,
    /// Names of archive members (empty for the file itself) that are LLVM bitcode and nothing else.
    pub(super) bitcode: Vec<String>,
}

/// All records in a file.
pub(super) fn find(data: &[u8]) -> Result<Found<'_>, ReadError> {
    // Members and sections of an honest file do not overlap, so that what is visited is bounded by its length;
    // a crafted one could have all of its million members be the same bytes.
    let allowance = data.len().saturating_mul(MAX_NESTING + 1);
    let mut search = Search { found: Found::default(), members: allowance, sections: allowance };
    search.visit(data, 0)?;
    Ok(search.found)
}

/// Archives in archives: a bundled native library in an rlib is one level.
const MAX_NESTING: usize = 3;

struct Search<'data> {
    found: Found<'data>,
    /// Bytes of members that may still be visited.
    members: usize,
    /// Bytes of sections that may still be visited.
    sections: usize,
}

impl<'data> Search<'data> {
    fn visit(&mut self, data: &'data [u8], depth: usize) -> Result<(), ReadError> {
        if is_bitcode(data) {
            self.found.bitcode.push(String::new());
            return Ok(());
        }
        let kind = FileKind::parse(data).map_err(|_| not_an_object(data))?;
        match kind {
            FileKind::Archive => self.archive(data, depth),
            FileKind::MachOFat32 => {
                let fat = MachOFatFile32::parse(data).map_err(damaged("universal Mach-O file"))?;
                self.fat(data, fat.arches(), depth)
            }
            FileKind::MachOFat64 => {
                let fat = MachOFatFile64::parse(data).map_err(damaged("universal Mach-O file"))?;
                self.fat(data, fat.arches(), depth)
            }
            FileKind::Elf32 => self.elf::<elf::FileHeader32<Endianness>>(data),
            FileKind::Elf64 => self.elf::<elf::FileHeader64<Endianness>>(data),
            FileKind::MachO32 | FileKind::MachO64 => self.object(data, "Mach-O file", "__wirec"),
            FileKind::Pe32 | FileKind::Pe64 => self.image(data, "PE file", ".wirec"),
            FileKind::Coff | FileKind::CoffBig => self.object(data, "COFF file", ".wirec"),
            // It names a symbol of a DLL and holds no sections.
            FileKind::CoffImport => Ok(()),
            _ => Err(not_an_object(data)),
        }
    }

    fn archive(&mut self, data: &'data [u8], depth: usize) -> Result<(), ReadError> {
        let archive = ArchiveFile::parse(data).map_err(damaged("archive"))?;
        if archive.is_thin() {
            return Err(ReadError::ThinArchive);
        }
        for member in archive.members() {
            let member = member.map_err(damaged("archive"))?;
            // rustc's metadata, by far the largest member; there are no records in it.
            if member.name().ends_with(b".rmeta") {
                continue;
            }
            let content = member.data(data).map_err(damaged("archive"))?;
            self.member(content, depth, || String::from_utf8_lossy(member.name()).into_owned())?;
        }
        Ok(())
    }

    fn fat<Arch: FatArch>(
        &mut self,
        data: &'data [u8],
        arches: &[Arch],
        depth: usize,
    ) -> Result<(), ReadError> {
        for arch in arches {
            let content = arch.data(data).map_err(damaged("universal Mach-O file"))?;
            self.member(content, depth, || format!("{:?}", arch.architecture()))?;
        }
        Ok(())
    }

    fn member(
        &mut self,
        content: &'data [u8],
        depth: usize,
        name: impl Fn() -> String,
    ) -> Result<(), ReadError> {
        self.members = self.members.checked_sub(content.len()).ok_or_else(|| ReadError::Damaged {
            container: "archive",
            reason: "its members overlap".to_owned(),
        })?;
        if depth == MAX_NESTING {
            return Ok(());
        }
        let bitcode = self.found.bitcode.len();
        match self.visit(content, depth + 1) {
            // An archive may hold any file.
            Err(ReadError::NotAnObject { .. }) => Ok(()),
            Err(reason @ ReadError::Member { .. }) => Err(reason),
            Err(reason) => Err(ReadError::Member { member: name(), reason: Box::new(reason) }),
            Ok(()) => {
                for member in &mut self.found.bitcode[bitcode..] {
                    if member.is_empty() {
                        *member = name();
                    }
                }
                Ok(())
            }
        }
    }

    fn elf<Header: FileHeader<Endian = Endianness>>(&mut self, data: &'data [u8]) -> Result<(), ReadError> {
        let damaged = damaged("ELF file");
        let header = Header::parse(data).map_err(&damaged)?;
        let endian = header.endian().map_err(&damaged)?;
        // Without a table of names, sections are as good as gone.
        let has_sections = header.e_shoff(endian).into() != 0 && header.e_shstrndx(endian) != elf::SHN_UNDEF;
        let before = self.found.frames.len();
        if has_sections {
            self.object(data, "ELF file", ".note.wirec")?;
        }
        // A note that is loaded lies in a segment besides.
        if self.found.frames.len() == before {
            for segment in header.program_headers(endian, data).map_err(&damaged)? {
                if segment.p_type(endian) == elf::PT_NOTE {
                    let content = segment.data(endian, data).map_err(|()| ReadError::Damaged {
                        container: "ELF file",
                        reason: "a segment reaches beyond its end".to_owned(),
                    })?;
                    self.scan(content)?;
                }
            }
        }
        if self.found.frames.len() == before && !has_sections {
            self.scan(data)?;
        }
        Ok(())
    }

    /// An image whose sections a linker may have merged: the section, or else wherever the records stand.
    fn image(&mut self, data: &'data [u8], container: &'static str, name: &str) -> Result<(), ReadError> {
        let before = self.found.frames.len();
        self.object(data, container, name)?;
        if self.found.frames.len() == before { self.scan(data) } else { Ok(()) }
    }

    /// Records of the sections of that name.
    fn object(&mut self, data: &'data [u8], container: &'static str, name: &str) -> Result<(), ReadError> {
        let file = object::File::parse(data).map_err(damaged(container))?;
        let order = if file.is_little_endian() { Order::Little } else { Order::Big };
        let mut has_bitcode = false;
        let mut has_content = false;
        for section in file.sections() {
            match section.name_bytes() {
                Ok(found) if found == name.as_bytes() => {
                    let content = section.data().map_err(damaged(container))?;
                    self.spend(content)?;
                    frame::walk(content, order, &mut self.found.frames)?;
                    has_content = true;
                }
                Ok(b".llvmbc" | b"__bitcode") => has_bitcode = true,
                _ => has_content |= section.size() > 0 && is_loaded(&section),
            }
        }
        if has_bitcode && !has_content {
            self.found.bitcode.push(String::new());
        }
        Ok(())
    }

    fn scan(&mut self, data: &'data [u8]) -> Result<(), ReadError> {
        self.spend(data)?;
        frame::scan(data, &mut self.found.frames)
    }

    fn spend(&mut self, content: &[u8]) -> Result<(), ReadError> {
        self.sections = self.sections.checked_sub(content.len()).ok_or_else(|| ReadError::Damaged {
            container: "object file",
            reason: "its sections overlap".to_owned(),
        })?;
        Ok(())
    }
}

/// Whether the section is code or data of the program, and not a table about them.
fn is_loaded<'data>(section: &impl ObjectSection<'data>) -> bool {
    matches!(
        section.kind(),
        SectionKind::Text
            | SectionKind::Data
            | SectionKind::ReadOnlyData
            | SectionKind::ReadOnlyDataWithRel
            | SectionKind::ReadOnlyString
            | SectionKind::UninitializedData
            | SectionKind::Tls
    )
}

/// Bitcode as it is, or in the wrapper that Apple's tools put around it.
fn is_bitcode(data: &[u8]) -> bool {
    data.starts_with(b"BC\xc0\xde") || data.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

fn damaged(container: &'static str) -> impl Fn(object::Error) -> ReadError {
    move |error| ReadError::Damaged { container, reason: error.to_string() }
}

fn not_an_object(data: &[u8]) -> ReadError {
    let found = if data.is_empty() {
        "an empty file".to_owned()
    } else {
        format!("{} bytes that start with {}", data.len(), hex(&data[..data.len().min(8)]))
    };
    ReadError::NotAnObject { found }
}
