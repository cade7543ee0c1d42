//! What the templates of a family's header are filled with.

mod descriptor;
mod values;

use serde::Serialize;

use super::abi::{self, AbiView};
use super::export::{self, ExportsView};
use super::foreign::{self, ForeignView, declared_here};
use super::growth;
use super::includes::included_families;
use super::literal::{comment_with, remarks, string};
use super::message::{self, MessageView, MessagesView};
use super::recipe::{self, RecipeView, UnionView};
use super::steps;
use super::traits::Traits;
use crate::emit::documents::has_documents;
use crate::emit::{EmitInput, Family, PackageConfig};
use crate::model::{Body, Contract, ContractId};
use crate::names::c as names;

pub(super) use descriptor::element_type;
use descriptor::{DescriptorView, descriptor};
pub(super) use values::known_runs;
use values::{EnumerationView, FlagsView, enumeration, flags};
pub(crate) use values::{bounds, data_literal};

/// A header.
#[derive(Serialize)]
pub(super) struct Header {
    guard: String,
    core_version: u32,
    includes: Vec<String>,
    /// Structs that are declared before any is defined, each with what has to hold for that.
    forward: Vec<Forward>,
    foreign: Option<ForeignView>,
    contracts: Vec<ContractView>,
    exports: Option<ExportsView>,
    /// What the package's library reads and writes.
    documents: Option<DocumentsView>,
}

#[derive(Serialize)]
struct DocumentsView {
    prefix: String,
    family: String,
    package: String,
    api: String,
    is_static: String,
    contracts: Vec<DocumentView>,
}

#[derive(Serialize)]
struct DocumentView {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    stem: String,
    /// The constant that is its wire id.
    wire_id: String,
}

#[derive(Serialize)]
struct Forward {
    #[serde(rename = "type")]
    type_name: String,
    unless: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ContractView {
    Descriptor(Box<DescriptorView>),
    Enumeration(EnumerationView),
    Flags(FlagsView),
    Recipe(Box<RecipeView>),
    Union(Box<UnionView>),
    Message(Box<MessageView>),
    Messages(Box<MessagesView>),
    Abi(AbiView),
}

/// What every kind has.
#[derive(Serialize)]
pub(super) struct Common {
    name: String,
    docs: Vec<String>,
    #[serde(rename = "type")]
    type_name: String,
    stem: String,
    constants: String,
    wire_id: String,
    version: u32,
    /// How a hello calls it, as a literal.
    path: String,
    /// The versions that are spoken, the oldest first, each with its wire id.
    versions: Vec<(u32, String)>,
    /// What has to hold for the preprocessor, so that it is declared here and not by somebody else's header.
    unless: Option<String>,
}

/// Fills a family's header.
pub(super) fn header(input: &EmitInput<'_>, traits: &[Traits], family: &Family) -> Header {
    let path = names::header(family);
    let contracts =
        family.contracts.iter().filter_map(|&id| contract(input, traits, &family.package, id)).collect();
    let is_abi = |&&id: &&ContractId| matches!(input.catalog.get(id).body, Body::Abi(_));
    let forward = |&id: &ContractId| {
        let contract = input.catalog.get(id);
        Forward {
            type_name: names::type_name(&family.package, contract),
            unless: declared_here(&family.package, contract),
        }
    };
    let exports = export::exports(input, family);
    let library = exports.as_ref().map(|exports| exports.library.clone());
    Header {
        guard: names::guard(&path),
        core_version: super::CORE_VERSION,
        includes: library.into_iter().chain(included_families(input, family).map(names::header)).collect(),
        exports,
        forward: family.contracts.iter().filter(is_abi).map(forward).collect(),
        foreign: foreign::view(family),
        contracts,
        documents: (family.package.documents && has_documents(input, family))
            .then(|| documents(input, family)),
    }
}

fn documents(input: &EmitInput<'_>, family: &Family) -> DocumentsView {
    let package = &family.package;
    let contracts = family.contracts.iter().map(|&id| input.catalog.get(id));
    let contracts = contracts.filter(|contract| contract.is_document()).map(|contract| DocumentView {
        name: contract.name.clone(),
        type_name: names::type_name(package, contract),
        stem: names::stem(package, contract),
        wire_id: format!("{}_WIRE_ID", names::constant_stem(package, contract)),
    });
    DocumentsView {
        prefix: package.c_prefix.clone(),
        family: family.name.clone(),
        package: package.package.clone(),
        api: names::api_macro(package),
        is_static: names::static_macro(package),
        contracts: contracts.collect(),
    }
}

fn contract(
    input: &EmitInput<'_>,
    traits: &[Traits],
    package: &PackageConfig,
    id: ContractId,
) -> Option<ContractView> {
    let contract = input.catalog.get(id);
    Some(match &contract.body {
        Body::Descriptor(body) => {
            let steps = steps::steps(input, traits, id);
            let growth = growth::growth(input, traits, package, id);
            ContractView::Descriptor(Box::new(descriptor(input, package, contract, body, steps, growth)))
        }
        Body::Enumeration(body) => ContractView::Enumeration(enumeration(package, contract, body)),
        Body::Flags(body) => ContractView::Flags(flags(package, contract, body)),
        Body::Recipe(_) => ContractView::Recipe(Box::new(recipe::recipe(input, traits, package, id))),
        Body::Union(_) => ContractView::Union(Box::new(recipe::union(input, traits, package, id))),
        Body::Abi(_) => ContractView::Abi(abi::abi(input, package, id)),
        Body::Message(_) => ContractView::Message(Box::new(message::message(input, traits, package, id))),
        Body::Messages(_) => ContractView::Messages(Box::new(message::messages(input, traits, package, id))),
        Body::Handle(_) | Body::Function(_) | Body::Symbols(_) => return None,
    })
}

pub(super) fn common(
    package: &PackageConfig,
    contract: &Contract,
    facts: impl IntoIterator<Item = String>,
) -> Common {
    let mut all: Vec<String> = facts.into_iter().collect();
    all.extend(remarks(contract.since, contract.deprecated.as_deref()));
    Common {
        name: contract.name.clone(),
        docs: comment_with(&contract.docs, &all),
        type_name: names::type_name(package, contract),
        stem: names::stem(package, contract),
        constants: names::constant_stem(package, contract),
        wire_id: wire_id_literal(contract.wire_id),
        version: contract.version.unwrap_or(1),
        path: string(contract.path().as_bytes()),
        versions: contract.spoken().map(|(version, wire_id)| (version, wire_id_literal(wire_id))).collect(),
        unless: declared_here(package, contract),
    }
}

/// A wire id as a constant.
pub(crate) fn wire_id_literal(wire_id: u64) -> String {
    format!("UINT64_C(0x{wire_id:016x})")
}
