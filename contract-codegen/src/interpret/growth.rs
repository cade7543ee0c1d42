//! Descriptors that grow: which version bytes are of, and what they stand for.

use super::read::{Reader, size_fault};
use super::{Code, Fault, Host, Reading, Value, decode_unsigned, encode, write};
use crate::model::{Added, Catalog, ContractId, Field, Growth};

/// What is done with a version that is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Newer {
    Refused,
    Known,
}

/// Reads a descriptor of a version that is known, or of a newer one as far as it is known.
///
/// # Panics
/// When the descriptor does not grow.
pub fn read_or_newer(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> Result<Reading, Fault> {
    let image = image(catalog, id, bytes, host, Newer::Known)?;
    read_image(catalog, id, &image, host)
}

/// The version that bytes are of; length, magic and version are all that is looked at.
///
/// # Panics
/// When the descriptor does not grow.
pub fn version_of(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> Result<u32, Fault> {
    version(catalog, id, bytes, host, Newer::Refused)
}

/// Writes a descriptor as a version has it.
///
/// # Panics
/// When the descriptor does not grow, or the value is not of the contract's shape.
pub fn write_version(
    catalog: &Catalog,
    id: ContractId,
    value: &Value,
    version: u32,
    host: Host,
) -> Result<Vec<u8>, Fault> {
    let growth = growth(catalog, id);
    if version == 0 || version > growth.newest() {
        return Err(Fault {
            code: Code::UnsupportedVersion,
            contract: catalog.get(id).name.clone(),
            field: String::new(),
            offset: 0,
            expected: versions(growth),
            found: version.to_string(),
        });
    }
    let mut bytes = write(catalog, id, value, host)?;
    let defaults = catalog.defaults(id, host == Host::Big);
    for added in catalog.added(id) {
        if added.since > version
            && catalog.has_default(&added)
            && bytes[added.range()] != defaults[added.range()]
        {
            return Err(held_back(catalog, &added));
        }
    }
    say_version(catalog, id, &mut bytes, version, host);
    bytes.truncate(growth.size(version) as usize);
    Ok(bytes)
}

fn held_back(catalog: &Catalog, added: &Added) -> Fault {
    let contract = catalog.get(added.contract);
    Fault {
        code: Code::UnsupportedVersion,
        contract: contract.name.clone(),
        field: contract.descriptor().fields[added.field].name.clone(),
        offset: added.offset as usize,
        expected: format!("its default, before version {}", added.since),
        found: String::new(),
    }
}

/// Reads the bytes that a message of any version stands for.
pub(super) fn read_image(
    catalog: &Catalog,
    id: ContractId,
    image: &[u8],
    host: Host,
) -> Result<Reading, Fault> {
    let value = Reader { catalog, bytes: image, host }.descriptor(id, 0)?;
    let written = write(catalog, id, &value, host)?;
    Ok(Reading { value, written })
}

/// The newest version's bytes that a message stands for: its own, and the defaults of what its version has not.
pub(super) fn image(
    catalog: &Catalog,
    id: ContractId,
    bytes: &[u8],
    host: Host,
    newer: Newer,
) -> Result<Vec<u8>, Fault> {
    let growth = growth(catalog, id);
    let version = version(catalog, id, bytes, host, newer)?;
    let mut image = catalog.defaults(id, host == Host::Big);
    let carried = growth.size(version) as usize;
    image[..carried].copy_from_slice(&bytes[..carried]);
    for added in catalog.added(id) {
        if added.is_hole && added.since > version {
            image[added.range()].fill(0);
        }
    }
    if version > growth.newest() {
        say_version(catalog, id, &mut image, growth.newest(), host);
    }
    Ok(image)
}

/// The version that bytes are of; one beyond the newest is one that is not known yet.
fn version(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host, newer: Newer) -> Result<u32, Fault> {
    let growth = growth(catalog, id);
    let refuse = |size: u32| {
        let short = bytes.len() < size as usize;
        let code = if short { Code::TooShort } else { Code::TrailingBytes };
        Err(size_fault(catalog, id, code, size, bytes.len()))
    };
    if bytes.len() < growth.size(1) as usize {
        return refuse(growth.size(1));
    }
    let newest = u64::from(growth.newest());
    let reader = Reader { catalog, bytes, host };
    reader.magics(id, 0)?;
    let Some(field) = catalog.get(id).descriptor().version_field() else {
        let exact = growth.sizes.iter().position(|&size| size as usize == bytes.len());
        let larger = growth.sizes.iter().find(|&&size| size as usize > bytes.len());
        return match (exact, larger) {
            (Some(index), _) => Ok(u32::try_from(index + 1).expect("a version")),
            (None, Some(&size)) => refuse(size),
            (None, None) if newer == Newer::Known => Ok(growth.newest() + 1),
            (None, None) => refuse(growth.size(growth.newest())),
        };
    };
    let said = said(catalog, field, bytes, host);
    if said <= newest || newer == Newer::Refused {
        reader.versions(id, 0)?;
    }
    let version = u32::try_from(said).unwrap_or(u32::MAX).min(growth.newest() + 1);
    let size = growth.size(version) as usize;
    if bytes.len() == size || (bytes.len() > size && said > newest) {
        return Ok(version);
    }
    refuse(growth.size(version))
}

/// Reads the descriptor at the start of the bytes, which its version field says the length of.
///
/// # Panics
/// When no field says the version: only the length of a message does, and a prefix has none.
pub(super) fn prefix(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> Result<Reading, Fault> {
    let growth = growth(catalog, id);
    let descriptor = catalog.get(id).descriptor();
    let field = descriptor.version_field().expect("a field that says the version");
    if bytes.len() < growth.size(1) as usize {
        return Err(size_fault(catalog, id, Code::TooShort, growth.size(1), bytes.len()));
    }
    let reader = Reader { catalog, bytes, host };
    reader.magics(id, 0)?;
    reader.versions(id, 0)?;
    let said = said(catalog, field, bytes, host);
    let size = growth.size(u32::try_from(said).expect("a version that was checked"));
    match bytes.get(..size as usize) {
        Some(whole) => super::read(catalog, id, whole, host),
        None => Err(size_fault(catalog, id, Code::TooShort, size, bytes.len())),
    }
}

/// How many of the bytes are the descriptor at their start, which was read; of one that does not grow, those it has.
pub(super) fn prefix_size(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> usize {
    let descriptor = catalog.get(id).descriptor();
    let size = match (&descriptor.growth, descriptor.version_field()) {
        (Some(growth), Some(field)) => {
            let said = said(catalog, field, bytes, host);
            growth.size(u32::try_from(said).expect("a version that was checked"))
        }
        _ => descriptor.size,
    };
    size as usize
}

/// What a version field says.
fn said(catalog: &Catalog, field: &Field, bytes: &[u8], host: Host) -> u64 {
    let number = &bytes[field.offset as usize..][..catalog.field_size(field) as usize];
    decode_unsigned(number, host.is_little(field.ty.endian))
}

/// Writes a version where a field says it, into at least the first version's bytes.
///
/// # Panics
/// When the contract is no descriptor, and when the bytes are fewer.
pub fn say_version(catalog: &Catalog, id: ContractId, bytes: &mut [u8], version: u32, host: Host) {
    let Some(field) = catalog.get(id).descriptor().version_field() else { return };
    let number = encode(version.into(), catalog.field_size(field) as usize, host.is_little(field.ty.endian));
    bytes[field.offset as usize..][..number.len()].copy_from_slice(&number);
}

fn versions(growth: &Growth) -> String {
    if growth.newest() == 1 { "1".to_owned() } else { format!("1 to {}", growth.newest()) }
}

fn growth(catalog: &Catalog, id: ContractId) -> &Growth {
    let contract = catalog.get(id);
    let growth = contract.descriptor().growth.as_ref();
    growth.unwrap_or_else(|| panic!("{} does not grow", contract.name))
}
