//! Many contracts of the kinds that a large SDK declares: for each unit an enumeration, flags, and two descriptors
//! of which one nests the other.

use wirecontract_codegen::model::{
    Body, Catalog, Contract, ContractId, DataKey, DataType, DataValue, Descriptor, Element, Endian,
    EnumValue, Enumeration, Field, Flags, Layout, Role, Scalar, Spelled, Type,
};

/// Contracts of a unit.
const OF_A_UNIT: usize = 4;
/// Units of a module.
const OF_A_MODULE: usize = 5;

/// A catalog of that many contracts.
pub(super) fn of(contracts: usize) -> Catalog {
    let mut catalog = Catalog::default();
    for unit in 0..contracts.div_ceil(OF_A_UNIT) {
        let first = ContractId(catalog.contracts.len());
        let [state, options, range, report] =
            [first, ContractId(first.0 + 1), ContractId(first.0 + 2), ContractId(first.0 + 3)];
        catalog.contracts.push(contract(unit, "State", self::state()));
        catalog.contracts.push(contract(unit, "Options", self::options()));
        catalog.contracts.push(contract(unit, "Range", self::range()));
        catalog.contracts.push(contract(unit, "Report", self::report(state, options, range)));
        debug_assert_eq!(report.0 + 1, catalog.contracts.len());
    }
    catalog.contracts.truncate(contracts);
    catalog
}

fn contract(unit: usize, what: &str, body: Body) -> Contract {
    let module = format!("unit{}", unit / OF_A_MODULE);
    Contract {
        name: format!("Unit{unit}{what}"),
        was: None,
        package: "large-sdk".into(),
        package_version: "1.0.0".into(),
        file: format!("src/{module}.rs"),
        module: format!("large_sdk::{module}"),
        line: 1,
        docs: format!("The {what} of unit {unit}, as its manual describes it.\n\nSent at every cycle."),
        version: Some(1),
        earlier: Vec::new(),
        since: None,
        deprecated: None,
        c_name: None,
        // The records state ids of their own.
        wire_id: 0,
        source_id: 0,
        body,
    }
}

fn value(name: &str, number: i128, data: Vec<DataValue>) -> EnumValue {
    EnumValue {
        name: name.into(),
        wire_name: name.into(),
        aliases: Vec::new(),
        value: number,
        docs: format!("{name}, entered from the one before."),
        c_name: None,
        since: None,
        deprecated: None,
        data,
    }
}

fn state() -> Body {
    let names = ["Off", "Starting", "Ready", "Running", "Stopping", "Failed"];
    let values = names.iter().zip(0..).map(|(name, number)| {
        value(name, number, vec![DataValue::Integer(number * 10), DataValue::Text(name.to_lowercase())])
    });
    let data = [("timeout", DataType::I64), ("label", DataType::Text)];
    Body::Enumeration(Enumeration {
        repr: Scalar::U32,
        values: values.collect(),
        data: data.map(|(name, ty)| DataKey { name: name.into(), ty }).into(),
        spelled: Spelled::Names,
        fold: false,
    })
}

fn options() -> Body {
    let names = ["Cooled", "Shuttered", "Calibrated", "Synchronised"];
    let values = names.iter().zip(0..).map(|(name, bit)| value(name, 1 << bit, Vec::new()));
    Body::Flags(Flags { repr: Scalar::U32, values: values.collect(), open: false, spelled: Spelled::Integer })
}

fn range() -> Body {
    Fields::default()
        .add("low", Element::Scalar(Scalar::F64), &[], Role::Value)
        .add("high", Element::Scalar(Scalar::F64), &[], Role::Value)
        .body(16)
}

fn report(state: ContractId, options: ContractId, range: ContractId) -> Body {
    let scalar = Element::Scalar;
    Fields::default()
        .add("magic", scalar(Scalar::U8), &[4], Role::Magic(b"UNIT".to_vec()))
        .add("revision", scalar(Scalar::U32), &[], Role::Version(1))
        .add("state", Element::Enumeration { contract: state, open: false }, &[], Role::Value)
        .add("sample_count", scalar(Scalar::U32), &[], Role::LengthOf(vec![9]))
        .add("timestamp", scalar(Scalar::U64), &[], Role::Value)
        .add("sequence", scalar(Scalar::U64), &[], Role::Value)
        .add("gain", scalar(Scalar::F32), &[], Role::Value)
        .add("options", Element::Flags { contract: options }, &[], Role::Value)
        .add("name", scalar(Scalar::U8), &[32], Role::Text)
        .add("samples", scalar(Scalar::U16), &[32], Role::Value)
        .add("unused", scalar(Scalar::U64), &[], Role::Reserved { zero: true })
        .add("ranges", Element::Descriptor(range), &[2], Role::Value)
        .body(176)
}

/// Fields one after the other, which are so chosen that this is also their natural layout.
#[derive(Default)]
struct Fields {
    fields: Vec<Field>,
    size: u32,
}

impl Fields {
    fn add(mut self, name: &str, element: Element, dims: &[u32], role: Role) -> Self {
        self.fields.push(Field {
            name: name.into(),
            was: None,
            docs: format!("The {name}, in the unit that the manual states."),
            c_name: None,
            since: None,
            deprecated: None,
            offset: self.size,
            ty: Type { element, dims: dims.to_vec(), endian: Endian::Little },
            role,
        });
        let bytes = match element {
            Element::Scalar(scalar) => scalar.size(),
            Element::Enumeration { .. } | Element::Flags { .. } => 4,
            Element::Descriptor(_) => 16,
        };
        self.size += bytes * dims.iter().product::<u32>();
        self
    }

    fn body(self, size: u32) -> Body {
        assert_eq!(self.size, size, "the fields fill the descriptor");
        Body::Descriptor(Descriptor {
            layout: Layout::Natural,
            size,
            align: 8,
            fields: self.fields,
            conditions: Vec::new(),
            rules: Vec::new(),
            growth: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_contracts_as_asked_for_and_nested_ones_come_first() {
        let catalog = of(42);
        assert_eq!(catalog.contracts.len(), 42);
        for (id, contract) in catalog.iter() {
            if let Body::Descriptor(descriptor) = &contract.body {
                for field in &descriptor.fields {
                    if let Element::Descriptor(nested) = field.ty.element {
                        assert!(nested < id);
                    }
                }
            }
        }
    }
}
