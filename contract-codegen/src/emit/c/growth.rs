//! What a header has of a descriptor that grows: its sizes, how its version is told, and what an older one stands for.

use serde::Serialize;

use super::default::is_zero;
use super::literal::{integer, scalar_type};
use super::place::Place;
use super::steps::Check;
use super::traits::Traits;
use crate::emit::{EmitInput, PackageConfig};
use crate::model::{Added, ContractId, Element, Growth, Role, Scalar};
use crate::names::c as names;

/// Fills `templates/c/growth.h.jinja`.
#[derive(Serialize)]
pub(super) struct GrowthView {
    newest: u32,
    /// Bytes of each version.
    sizes: Vec<u32>,
    /// The versions as an error words them: `1 to 3`.
    versions: String,
    /// Checks of what stands before the version.
    magic: Vec<Check>,
    /// The field that says the version; none where the length does.
    version: Option<VersionView>,
    /// The defaults behind the bytes of the first version; none where no version has more.
    defaults: Option<Defaults>,
    holes: Vec<AddedView>,
    /// Fields that an older version has not, and so says only by their defaults.
    held_back: Vec<AddedView>,
}

#[derive(Serialize)]
struct VersionView {
    field: String,
    at: String,
    #[serde(rename = "type")]
    ty: &'static str,
    /// Loads it from `bytes` into `found`, and puts `number` into `bytes`.
    load: String,
    store: String,
    newest: String,
    /// Whether its type holds a number beyond the newest.
    can_be_newer: bool,
    /// Whether a version is narrower than 32 bits, and whether it is wider.
    is_narrow: bool,
    is_wide: bool,
}

/// Bytes as the lines of a list, without the zeros at its end.
#[derive(Serialize)]
struct Defaults {
    length: usize,
    lines: Vec<String>,
    /// Those of machines with the other byte order, where they are others.
    big: Option<Vec<String>>,
}

#[derive(Serialize)]
struct AddedView {
    contract: String,
    field: String,
    since: u32,
    at: String,
    size: u32,
    /// Whether its default is zero, whatever stands behind the first version.
    is_hole: bool,
}

/// What a header has of its growth; nothing of a descriptor that does not grow.
pub(super) fn growth(
    input: &EmitInput<'_>,
    traits: &[Traits],
    package: &PackageConfig,
    id: ContractId,
) -> Option<GrowthView> {
    let contract = input.catalog.get(id);
    let descriptor = contract.descriptor();
    let growth = descriptor.growth.as_ref()?;
    let places: Vec<Place<'_>> = Place::all(input, traits, id).collect();
    let magic = places.iter().filter(|place| matches!(place.role(), Role::Magic(_)));
    let added = input.catalog.added(id);
    let view = |added: &Added| {
        let owner = input.catalog.get(added.contract);
        AddedView {
            contract: owner.name.clone(),
            field: owner.descriptor().fields[added.field].name.clone(),
            since: added.since,
            at: place_of(input, package, id, added),
            size: added.size,
            is_hole: added.is_hole,
        }
    };
    Some(GrowthView {
        newest: growth.newest(),
        sizes: growth.sizes.clone(),
        versions: versions(growth),
        magic: magic.filter_map(Place::check).collect(),
        version: places.iter().find_map(version),
        defaults: defaults(input, id, growth),
        holes: added.iter().filter(|added| added.is_hole).map(view).collect(),
        held_back: added.iter().filter(|added| input.catalog.has_default(added)).map(view).collect(),
    })
}

/// `1`, or `1 to 3`.
pub(crate) fn versions(growth: &Growth) -> String {
    match growth.newest() {
        1 => "1".to_owned(),
        newest => format!("1 to {newest}"),
    }
}

/// What is said of a descriptor's versions.
pub(crate) fn facts(growth: &Growth) -> String {
    let sizes: Vec<String> = growth.sizes.iter().map(u32::to_string).collect();
    match sizes.as_slice() {
        [only] => format!("Version 1 has {only} bytes."),
        [others @ .., last] => {
            format!("Versions 1 to {} have {} and {last} bytes.", sizes.len(), others.join(", "))
        }
        [] => String::new(),
    }
}

fn version(place: &Place<'_>) -> Option<VersionView> {
    let Role::Version(newest) = place.role() else { return None };
    let Element::Scalar(scalar) = place.field().ty.element else { return None };
    let at = place.offset().to_owned();
    Some(VersionView {
        field: place.field().name.clone(),
        ty: scalar_type(scalar),
        load: place.transfer("&found", &format!("bytes + {at}"), 1),
        store: place.transfer(&format!("bytes + {at}"), "&number", 1),
        newest: integer(i128::from(*newest), false),
        can_be_newer: scalar.range().is_some_and(|(_, greatest)| greatest > i128::from(*newest)),
        is_narrow: matches!(scalar, Scalar::U8 | Scalar::U16),
        is_wide: scalar == Scalar::U64,
        at,
    })
}

fn defaults(input: &EmitInput<'_>, id: ContractId, growth: &Growth) -> Option<Defaults> {
    let first = growth.size(1) as usize;
    let [little, big] = [false, true].map(|is_big| input.catalog.defaults(id, is_big).split_off(first));
    if little.is_empty() {
        return None;
    }
    let big = (big != little).then(|| lines(&big));
    Some(Defaults { length: little.len(), lines: lines(&little), big })
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let length = bytes.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1);
    let line = |bytes: &[u8]| bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ");
    bytes[..length].chunks(16).map(line).collect()
}

/// Where a field is on the wire, by the constants of all that hold it.
fn place_of(input: &EmitInput<'_>, package: &PackageConfig, id: ContractId, added: &Added) -> String {
    let contract = input.catalog.get(id);
    let fields = &contract.descriptor().fields;
    let constant = |field| {
        format!("{}_{}_OFFSET", names::constant_stem(package, contract), names::field_constant(field))
    };
    if id == added.contract {
        return constant(&fields[added.field]);
    }
    let last = fields.last().expect("what grows in it stands last");
    let Element::Descriptor(nested) = last.ty.element else { unreachable!("it holds what grows") };
    let inner = place_of(input, &input.family_of(nested).package, nested, added);
    format!("{} + {inner}", constant(last))
}

/// The statement that gives a field of a new value its default, where that is not zero.
pub(super) fn init(place: &Place<'_>) -> Option<String> {
    let default = place.default()?;
    if is_zero(&default) {
        return None;
    }
    let member = names::member(place.field());
    if let Some(literal) = default.c() {
        return Some(format!("value->{member} = {literal};"));
    }
    let (stem, constants) = place.names();
    let from = format!("{stem}_detail_defaults() + ({} - {constants}_SIZE_V1)", place.offset());
    Some(place.transfer(&format!("&value->{member}"), &from, default.count()))
}
