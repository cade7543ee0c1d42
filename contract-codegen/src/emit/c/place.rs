//! A field in its descriptor: what is checked, copied and settled for it.

use super::default::{FieldDefault, default};
use super::growth;
use super::literal::{bits, integer, string};
use super::steps::{Check, Copy, Import, Loop, Settle, What};
use super::traits::Traits;
use super::view::{bounds, element_type, known_runs};
use crate::emit::EmitInput;
use crate::model::{Body, ContractId, Descriptor, Element, Endian, Field, Role, Scalar};
use crate::names::c as names;

/// From the wire to the struct, or back.
#[derive(Clone, Copy)]
pub(super) enum Way {
    In,
    Out,
}

/// A field in its descriptor.
pub(super) struct Place<'a> {
    input: &'a EmitInput<'a>,
    /// Of all contracts before this one.
    traits: &'a [Traits],
    id: ContractId,
    descriptor: &'a Descriptor,
    index: usize,
    field: &'a Field,
    /// The constant that says where it is on the wire.
    offset: String,
}

impl<'a> Place<'a> {
    /// Every field of a descriptor.
    pub(super) fn all(
        input: &'a EmitInput<'a>,
        traits: &'a [Traits],
        id: ContractId,
    ) -> impl Iterator<Item = Place<'a>> {
        let contract = input.catalog.get(id);
        let constants = names::constant_stem(&input.family_of(id).package, contract);
        let descriptor = contract.descriptor();
        descriptor.fields.iter().enumerate().map(move |(index, field)| {
            let offset = format!("{constants}_{}_OFFSET", names::field_constant(field));
            Place { input, traits, id, descriptor, index, field, offset }
        })
    }

    pub(super) fn role(&self) -> &'a Role {
        &self.field.role
    }

    pub(super) fn field(&self) -> &'a Field {
        self.field
    }

    /// The constant that says where it is on the wire.
    pub(super) fn offset(&self) -> &str {
        &self.offset
    }

    /// What functions and constants of its descriptor begin with.
    pub(super) fn names(&self) -> (String, String) {
        let (package, contract) = (&self.input.family_of(self.id).package, self.input.catalog.get(self.id));
        (names::stem(package, contract), names::constant_stem(package, contract))
    }

    /// Its value in versions that have it not.
    pub(super) fn default(&self) -> Option<FieldDefault<'a>> {
        default(self.input, self.descriptor, self.field)
    }

    /// What reading looks at.
    pub(super) fn check(&self) -> Option<Check> {
        let field = self.field;
        let flat = self.flat_loops();
        let at = self.at(&flat);
        let what = match &field.role {
            Role::Magic(bytes) => {
                let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
                let size = self.size();
                return Some(self.whole_field(What::Magic {
                    literal: string(bytes),
                    size,
                    expected: string(format!("bytes {hex}").as_bytes()),
                }));
            }
            Role::Reserved { zero: true } => return Some(self.whole_field(What::Zero { size: self.size() })),
            Role::Reserved { zero: false } => return None,
            Role::Text => {
                let place = format!("bytes + {}", self.offset);
                return Some(self.whole_field(What::Text { place, size: self.size() }));
            }
            Role::Version(_) | Role::LengthOf(_) | Role::Value => match field.ty.element {
                Element::Descriptor(id) => {
                    let nested = self.input.catalog.get(id);
                    if !self.traits[id.0].checked {
                        return None;
                    }
                    let package = &self.input.family_of(id).package;
                    let function = format!("{}_detail_check", names::stem(package, nested));
                    What::Nested { function, place: format!("bytes + {at}") }
                }
                _ => self.number(self.load_bytes(&at))?,
            },
        };
        Some(Check { field: field.name.clone(), loops: flat, at, what })
    }

    /// What writing looks at.
    pub(super) fn refuse(&self) -> Option<Check> {
        let field = self.field;
        let loops = self.counted_loops();
        let at = self.at(&loops);
        let member = self.element("value", &loops);
        let what = match &field.role {
            Role::Magic(_) | Role::Version(_) | Role::Reserved { .. } => return None,
            Role::Text => {
                let place = format!("value->{}", names::member(field));
                return Some(self.whole_field(What::Text { place, size: self.size() }));
            }
            Role::LengthOf(_) | Role::Value => match field.ty.element {
                Element::Descriptor(id) => {
                    let nested = self.input.catalog.get(id);
                    if !self.traits[id.0].refusable {
                        return None;
                    }
                    let package = &self.input.family_of(id).package;
                    let function = format!("{}_detail_refuse", names::stem(package, nested));
                    What::Nested { function, place: format!("&{member}") }
                }
                // A C bool can hold any byte, and looking at it as a bool would hide that.
                Element::Scalar(Scalar::Bool) => {
                    self.number(vec!["uint8_t found;".to_owned(), format!("memcpy(&found, &{member}, 1);")])?
                }
                element => {
                    let ty = element_type(self.input, element);
                    self.number(vec![format!("const {ty} found = {member};")])?
                }
            },
        };
        Some(Check { field: field.name.clone(), loops, at, what })
    }

    /// The nested descriptors that an importer asks: those that count.
    pub(super) fn import(&self) -> Option<Import> {
        let Element::Descriptor(id) = self.field.ty.element else { return None };
        if !self.traits[id.0].imports {
            return None;
        }
        let loops = self.counted_loops();
        let stem = names::stem(&self.input.family_of(id).package, self.input.catalog.get(id));
        Some(Import {
            at: self.at(&loops),
            place: format!("&{}", self.element("value", &loops)),
            function: format!("{stem}_detail_import"),
            loops,
        })
    }

    /// The check of one number that is loaded as `found`, if any number can be wrong.
    fn number(&self, load: Vec<String>) -> Option<What> {
        let catalog = self.input.catalog;
        let scalar = match self.field.ty.element {
            Element::Scalar(scalar) => scalar,
            Element::Enumeration { contract, .. } | Element::Flags { contract } => {
                catalog.get(contract).repr()
            }
            Element::Descriptor(_) => return None,
        };
        let greatest = if matches!(scalar, Scalar::F32 | Scalar::F64) { 0 } else { bounds(scalar).1 };
        let (code, fault, expected) = match (&self.field.role, self.field.ty.element) {
            (Role::Version(1), _) => ("UNSUPPORTED_VERSION", "found != 1u".to_owned(), "1".to_owned()),
            (Role::Version(last), _) => {
                let last_fault = if i128::from(*last) >= greatest {
                    String::new()
                } else {
                    format!(" || found > {}", integer(i128::from(*last), false))
                };
                ("UNSUPPORTED_VERSION", format!("found == 0u{last_fault}"), format!("1 to {last}"))
            }
            (Role::LengthOf(targets), _) => {
                let limit = targets.iter().map(|&target| self.descriptor.fields[target].ty.dims[0]).min()?;
                if i128::from(limit) >= greatest {
                    return None;
                }
                ("LENGTH_EXCEEDS", format!("found > {limit}u"), format!("at most {limit}"))
            }
            (_, Element::Scalar(Scalar::Bool)) => {
                ("UNKNOWN_VALUE", "found > 1u".to_owned(), "0 or 1".to_owned())
            }
            (_, Element::Enumeration { contract, open: false }) => {
                let enumeration = catalog.get(contract);
                if known_runs(enumeration.enumeration()) == [bounds(scalar)] {
                    return None;
                }
                let stem = names::stem(&self.input.family_of(contract).package, enumeration);
                (
                    "UNKNOWN_VALUE",
                    format!("!{stem}_is_known(found)"),
                    format!("a value of {}", enumeration.name),
                )
            }
            (_, Element::Flags { contract }) => {
                let Body::Flags(flags) = &catalog.get(contract).body else { return None };
                let known = flags.known_bits();
                if flags.open || i128::from(known) == greatest {
                    return None;
                }
                (
                    "UNKNOWN_BITS",
                    format!("(found & ~{}) != 0", bits(known, flags.repr)),
                    format!("bits within 0x{known:x}"),
                )
            }
            _ => return None,
        };
        let report = if scalar.is_signed() { "signed" } else { "unsigned" };
        Some(What::Number { load, fault, code, expected: string(expected.as_bytes()), report })
    }

    /// Loads one element from the wire as `found`.
    fn load_bytes(&self, at: &str) -> Vec<String> {
        let ty = match self.field.ty.element {
            Element::Scalar(Scalar::Bool) => "uint8_t".to_owned(),
            element => element_type(self.input, element),
        };
        vec![format!("{ty} found;"), self.transfer("&found", &format!("bytes + {at}"), 1)]
    }

    pub(super) fn copy(&self, way: Way) -> Copy {
        let member = names::member(self.field);
        let elements: u32 = self.field.ty.dims.iter().product();
        let Element::Descriptor(id) = self.field.ty.element else {
            let wire = format!("bytes + {}", self.offset);
            let statement = match way {
                Way::In => self.transfer(&format!("&out->{member}"), &wire, elements),
                Way::Out => self.transfer(&wire, &format!("&value->{member}"), elements),
            };
            return Copy { loops: Vec::new(), statement };
        };
        let loops = self.loops();
        let at = self.at(&loops);
        let stem = names::stem(&self.input.family_of(id).package, self.input.catalog.get(id));
        let statement = match way {
            Way::In => format!("{stem}_detail_decode(bytes + {at}, &{});", self.element("out", &loops)),
            Way::Out => format!("{stem}_detail_encode(&{}, bytes + {at});", self.element("value", &loops)),
        };
        Copy { loops, statement }
    }

    /// Copies elements between the wire's order and the host's, either way.
    pub(super) fn transfer(&self, to: &str, from: &str, elements: u32) -> String {
        let size = self.input.catalog.element_size(self.field.ty.element);
        match self.field.ty.endian {
            _ if size == 1 => format!("memcpy({to}, {from}, {elements});"),
            Endian::Native => format!("memcpy({to}, {from}, {});", elements * size),
            Endian::Little => format!("wc_detail_copy_le{}({to}, {from}, {elements});", size * 8),
            Endian::Big => format!("wc_detail_copy_be{}({to}, {from}, {elements});", size * 8),
        }
    }

    pub(super) fn settle(&self) -> Vec<Settle> {
        let at = &self.offset;
        let line = |line: String| vec![Settle { loops: Vec::new(), lines: vec![line] }];
        match &self.field.role {
            Role::Magic(bytes) => line(format!("memcpy(bytes + {at}, {}, {});", string(bytes), bytes.len())),
            Role::Version(version) => {
                let ty = element_type(self.input, self.field.ty.element);
                let number = integer(i128::from(*version), false);
                let lines = vec![
                    format!("const {ty} version = {number};"),
                    self.transfer(&format!("bytes + {at}"), "&version", 1),
                ];
                vec![Settle { loops: Vec::new(), lines }]
            }
            Role::Reserved { .. } => line(format!("memset(bytes + {at}, 0, {});", self.size())),
            Role::Text | Role::LengthOf(_) => Vec::new(),
            Role::Value => {
                let mut settle: Vec<Settle> = self.settle_nested().into_iter().collect();
                settle.extend(self.settle_tail());
                settle
            }
        }
    }

    fn settle_nested(&self) -> Option<Settle> {
        let Element::Descriptor(id) = self.field.ty.element else { return None };
        let nested = self.input.catalog.get(id);
        if !self.traits[id.0].settled {
            return None;
        }
        let loops = self.counted_loops();
        let stem = names::stem(&self.input.family_of(id).package, nested);
        let line =
            format!("{stem}_detail_settle(&{}, bytes + {});", self.element("value", &loops), self.at(&loops));
        Some(Settle { loops, lines: vec![line] })
    }

    /// Zeros for the elements past the count.
    fn settle_tail(&self) -> Option<Settle> {
        let count = &self.descriptor.fields[self.descriptor.count_of(self.index)?];
        let limit = self.field.ty.dims[0];
        let line = format!(
            "wc_detail_blank(bytes + {}, value->{}, {limit}u, {}u);",
            self.offset,
            names::member(count),
            self.size() / limit
        );
        Some(Settle { loops: Vec::new(), lines: vec![line] })
    }

    pub(super) fn init(&self) -> Option<Settle> {
        let member = names::member(self.field);
        let (loops, line) = match (&self.field.role, self.field.ty.element) {
            (Role::Magic(bytes), _) => {
                (Vec::new(), format!("memcpy(value->{member}, {}, {});", string(bytes), bytes.len()))
            }
            (Role::Version(version), _) => {
                (Vec::new(), format!("value->{member} = {};", integer(i128::from(*version), false)))
            }
            (Role::Value, Element::Descriptor(id)) => {
                let nested = self.input.catalog.get(id);
                if !self.traits[id.0].initialized {
                    return None;
                }
                let loops = self.loops();
                let stem = names::stem(&self.input.family_of(id).package, nested);
                let line = format!("{stem}_init(&{});", self.element("value", &loops));
                (loops, line)
            }
            _ => (Vec::new(), growth::init(self)?),
        };
        Some(Settle { loops, lines: vec![line] })
    }

    /// Whether writing takes the field from the declaration and not from the value.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self.field.role, Role::Magic(_) | Role::Version(_) | Role::Reserved { .. })
    }

    /// The member that counts this array, if one does.
    fn count(&self) -> Option<String> {
        self.descriptor.count_of(self.index).map(|count| names::member(&self.descriptor.fields[count]))
    }

    /// One loop for each dimension.
    fn loops(&self) -> Vec<Loop> {
        let dims = self.field.ty.dims.iter();
        dims.zip('i'..).map(|(&limit, variable)| Loop { variable, limit, count: None }).collect()
    }

    /// One loop for each dimension, the outermost over the valid elements only.
    fn counted_loops(&self) -> Vec<Loop> {
        let mut loops = self.loops();
        if let Some(outermost) = loops.first_mut() {
            outermost.count = self.count();
        }
        loops
    }

    /// One loop over all elements, as they follow each other on the wire.
    fn flat_loops(&self) -> Vec<Loop> {
        if self.field.ty.dims.is_empty() {
            return Vec::new();
        }
        vec![Loop { variable: 'i', limit: self.field.ty.dims.iter().product(), count: None }]
    }

    /// Where the loops' element is on the wire.
    fn at(&self, loops: &[Loop]) -> String {
        let size = self.input.catalog.element_size(self.field.ty.element);
        let mut index = String::new();
        for entry in loops {
            index = match index.as_str() {
                "" => entry.variable.to_string(),
                _ if index.len() == 1 => format!("{index} * {}u + {}", entry.limit, entry.variable),
                _ => format!("({index}) * {}u + {}", entry.limit, entry.variable),
            };
        }
        let offset = &self.offset;
        match (index.len(), size) {
            (0, _) => offset.clone(),
            (_, 1) => format!("{offset} + {index}"),
            (1, _) => format!("{offset} + {index} * {size}u"),
            _ => format!("{offset} + ({index}) * {size}u"),
        }
    }

    /// The loops' element in a struct.
    fn element(&self, owner: &str, loops: &[Loop]) -> String {
        let index = loops.iter().map(|entry| format!("[{}]", entry.variable)).collect::<Vec<_>>().concat();
        format!("{owner}->{}{index}", names::member(self.field))
    }

    fn size(&self) -> u32 {
        self.input.catalog.field_size(self.field)
    }

    fn whole_field(&self, what: What) -> Check {
        Check { field: self.field.name.clone(), loops: Vec::new(), at: self.offset.clone(), what }
    }
}
