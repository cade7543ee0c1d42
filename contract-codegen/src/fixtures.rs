//! Catalogs built by hand, for the tests of emitters: the shape of the real contracts without a compiled library.

mod abi;
pub mod export;
mod forms;
mod grown;
mod growth;
mod messages;
mod recipes;

pub use abi::{abi, abi_field, abi_id, fixed, function, placed, several, to, to_const};
pub use forms::{forms, forms_id, out, param};
pub use grown::grown;
pub use growth::growing;
pub use messages::{message_id, messages};
pub use recipes::{id, recipes};

use crate::emit::{EmitInput, Family, PackageConfig};
use crate::model::{
    Body, Catalog, Contract, ContractId, Descriptor, Element, Endian, EnumValue, Enumeration, Field, Layout,
    Role, Scalar, Spelled, Type,
};

/// The CUDA IPC descriptor and payload of the cuvis SDK.
pub fn cuvis() -> Catalog {
    let value = |name: &str, value: i128, aliases: &[&str]| EnumValue {
        name: name.into(),
        wire_name: name.into(),
        aliases: aliases.iter().map(|&alias| alias.into()).collect(),
        value,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        data: Vec::new(),
    };
    let enumeration = |name: &str, values: Vec<EnumValue>| {
        contract(
            name,
            Body::Enumeration(Enumeration {
                repr: Scalar::I32,
                values,
                data: Vec::new(),
                spelled: Spelled::Names,
                fold: false,
            }),
        )
    };
    let backend = enumeration(
        "IpcBackend",
        vec![
            value("Auto", 0, &["None"]),
            value("Pool", 1, &[]),
            value("Legacy", 2, &[]),
            value("Vmm", 3, &[]),
        ],
    );
    let handle_type = enumeration(
        "IpcHandleType",
        vec![
            value("None", 0, &[]),
            value("Win32", 1, &[]),
            value("Win32Kmt", 2, &[]),
            value("PosixFd", 3, &[]),
        ],
    );
    let closed = |index| Element::Enumeration { contract: ContractId(index), open: false };
    let scalar = Element::Scalar;
    let descriptor = Descriptor {
        layout: Layout::Natural,
        size: 184,
        align: 8,
        fields: vec![
            field("backend", 0, closed(0), &[], Role::Value),
            field("device_ordinal", 4, scalar(Scalar::I32), &[], Role::Value),
            field("handle_type", 8, closed(1), &[], Role::Value),
            field("blob_len", 12, scalar(Scalar::U32), &[], Role::LengthOf(vec![8])),
            field("size", 16, scalar(Scalar::U64), &[], Role::Value),
            field("alloc_size", 24, scalar(Scalar::U64), &[], Role::Value),
            field("offset", 32, scalar(Scalar::U64), &[], Role::Value),
            field("exporter_pid", 40, scalar(Scalar::U64), &[], Role::Value),
            field("blob", 48, scalar(Scalar::U8), &[64], Role::Value),
            field("ptr_blob_len", 112, scalar(Scalar::U32), &[], Role::LengthOf(vec![11])),
            field("_pad", 116, scalar(Scalar::U32), &[], Role::Reserved { zero: false }),
            field("ptr_blob", 120, scalar(Scalar::U8), &[64], Role::Value),
        ],
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    };
    let payload = Descriptor {
        layout: Layout::Natural,
        size: 208,
        align: 8,
        fields: vec![
            field("magic", 0, scalar(Scalar::U8), &[4], Role::Magic(b"CVIP".to_vec())),
            field("version", 4, scalar(Scalar::U32), &[], Role::Version(1)),
            field("width", 8, scalar(Scalar::U32), &[], Role::Value),
            field("height", 12, scalar(Scalar::U32), &[], Role::Value),
            field("channels", 16, scalar(Scalar::U32), &[], Role::Value),
            field("format_code", 20, scalar(Scalar::U32), &[], Role::Value),
            field("descriptor", 24, Element::Descriptor(ContractId(2)), &[], Role::Value),
        ],
        conditions: Vec::new(),
        rules: Vec::new(),
        growth: None,
    };
    Catalog {
        contracts: vec![
            backend,
            handle_type,
            contract("CudaIpcDescriptor", Body::Descriptor(descriptor)),
            contract("CudaIpcPayload", Body::Descriptor(payload)),
        ],
    }
}

/// Every family of a catalog, all selected, spelled as this project spells its own.
pub fn input(catalog: &Catalog) -> EmitInput<'_> {
    let mut families: Vec<Family> = Vec::new();
    for (id, contract) in catalog.iter() {
        match families.iter_mut().find(|family| family.name == contract.family()) {
            Some(family) => family.contracts.push(id),
            None => families.push(Family {
                package: PackageConfig {
                    c_prefix: "wc".into(),
                    include_dir: "wirecontract".into(),
                    cpp_namespace: "wirecontract".into(),
                    python_package: "wirecontract.contracts".into(),
                    ..PackageConfig::default_for(&contract.package)
                },
                name: contract.family().to_owned(),
                contracts: vec![id],
            }),
        }
    }
    let selected = (0..families.len()).collect();
    EmitInput { catalog, families, selected }
}

/// A contract of the package `wirecontract-gpu`, family `cuvis`, with ids made from its name.
pub fn contract(name: &str, body: Body) -> Contract {
    let id = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Contract {
        name: name.into(),
        was: None,
        package: "wirecontract-gpu".into(),
        package_version: "0.1.0".into(),
        module: "wirecontract_gpu::cuvis".into(),
        file: "contracts/gpu/src/cuvis.rs".into(),
        line: 1,
        docs: format!("The contract {name}."),
        version: None,
        earlier: Vec::new(),
        since: None,
        deprecated: None,
        c_name: None,
        wire_id: id,
        source_id: id.rotate_left(17),
        body,
    }
}

/// A little-endian field.
pub fn field(name: &str, offset: u32, element: Element, dims: &[u32], role: Role) -> Field {
    Field {
        name: name.into(),
        was: None,
        docs: format!("The field {name}."),
        c_name: None,
        since: None,
        deprecated: None,
        offset,
        ty: Type { element, dims: dims.to_vec(), endian: Endian::Little },
        role,
    }
}
