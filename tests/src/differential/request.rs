//! Requests, and what the interpreter answers to them.

use std::fmt::Write as _;

use wirecontract_codegen::counted;
use wirecontract_codegen::interpret::{
    Code, Fault, Host, hex, import, json, read, read_or_newer, read_prefix, version_of, write, write_version,
};
use wirecontract_codegen::model::{Catalog, ContractId};

use super::messages;
use super::probe::Probe;

/// What a driver does with the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `r`: reads a descriptor that fills the bytes, and writes it again.
    Read,
    /// `p`: reads a descriptor at the start of the bytes, and writes it again.
    Prefix,
    /// `s`: reads, then writes into one byte less than it takes.
    Short,
    /// `w0`, `w1`, …: reads, changes the value as the [`Probe`] of that number says, then writes.
    Probe(usize),
    /// `n`: reads a descriptor that grows, of a newer version too, and writes it again.
    Newer,
    /// `v1`, `v2`, …: reads a descriptor that grows, then writes it as that version has it.
    Version(u32),
    /// `o`: says which version of a descriptor that grows bytes are of.
    VersionOf,
    /// `i`: reads a descriptor that fills the bytes, and checks what is asked at import.
    Import,
    /// `j`: reads a document, and writes it again.
    Document,
    /// `l`: reads a document leniently, and writes it again.
    Lenient,
    /// `i0`, `i1`, …: reads a document, and checks what is asked at import with so many file descriptors.
    ImportDocument(usize),
    /// `m0`, `m1`, …: reads a message that came with so many file descriptors, writes it again, and checks what is asked
    /// at import.
    Message(usize),
    /// `m0w0`, `m1w0`, …: reads such a message, changes it as the [`MessageProbe`](super::messages::MessageProbe) of the
    /// second number says, then writes it.
    MessageProbe(usize, usize),
}

/// One line to every driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The descriptor, recipe, union or message.
    pub contract: ContractId,
    /// What to do.
    pub operation: Operation,
    /// With what.
    pub bytes: Vec<u8>,
}

impl Request {
    /// To read exactly these bytes.
    pub fn read(contract: ContractId, bytes: Vec<u8>) -> Self {
        Request { contract, operation: Operation::Read, bytes }
    }

    /// The line.
    pub fn line(&self, catalog: &Catalog) -> String {
        let mut line = catalog.get(self.contract).name.clone();
        match self.operation {
            Operation::Read => line.push_str(" r "),
            Operation::Prefix => line.push_str(" p "),
            Operation::Short => line.push_str(" s "),
            Operation::Probe(number) => write!(line, " w{number} ").expect("a string takes all"),
            Operation::Newer => line.push_str(" n "),
            Operation::Version(version) => write!(line, " v{version} ").expect("a string takes all"),
            Operation::VersionOf => line.push_str(" o "),
            Operation::Import => line.push_str(" i "),
            Operation::Document => line.push_str(" j "),
            Operation::Lenient => line.push_str(" l "),
            Operation::ImportDocument(fds) => write!(line, " i{fds} ").expect("a string takes all"),
            Operation::Message(fds) => write!(line, " m{fds} ").expect("a string takes all"),
            Operation::MessageProbe(fds, number) => {
                write!(line, " m{fds}w{number} ").expect("a string takes all");
            }
        }
        line.push_str(&if self.bytes.is_empty() { "-".to_owned() } else { hex(&self.bytes) });
        line
    }
}

/// The interpreter's answer to a request; `probes` are those of the request's contract.
pub fn answer(catalog: &Catalog, probes: &[Probe], request: &Request, host: Host) -> String {
    let id = request.contract;
    match request.operation {
        Operation::Import => return verdict(&import(catalog, id, &request.bytes, host)),
        Operation::Document | Operation::Lenient | Operation::ImportDocument(_) => {
            return document_answer(catalog, request);
        }
        Operation::Message(fds) => return messages::answer::answer(catalog, request, (fds, None), host),
        Operation::MessageProbe(fds, number) => {
            return messages::answer::answer(catalog, request, (fds, Some(number)), host);
        }
        Operation::VersionOf => {
            return match version_of(catalog, id, &request.bytes, host) {
                Ok(version) => format!("ok {version}"),
                Err(fault) => refusal(&fault),
            };
        }
        _ => {}
    }
    let reader = match request.operation {
        Operation::Prefix => read_prefix,
        Operation::Newer => read_or_newer,
        _ => read,
    };
    let reading = match reader(catalog, id, &request.bytes, host) {
        Ok(reading) => reading,
        Err(fault) => return refusal(&fault),
    };
    match request.operation {
        Operation::Read | Operation::Prefix | Operation::Newer => {
            format!("ok {} {}", reading.value.to_json(), hex(&reading.written))
        }
        Operation::Short => {
            let contract = catalog.get(id);
            let size = contract.descriptor().size;
            refusal(&Fault {
                code: Code::TooShort,
                contract: contract.name.clone(),
                field: String::new(),
                offset: size as usize - 1,
                expected: counted::bytes(size),
                found: (size - 1).to_string(),
            })
        }
        Operation::Version(version) => written(write_version(catalog, id, &reading.value, version, host)),
        Operation::Probe(number) => {
            let mut value = reading.value;
            probes[number].apply(catalog, &mut value);
            written(write(catalog, id, &value, host))
        }
        _ => unreachable!("answered above"),
    }
}

fn written(written: Result<Vec<u8>, Fault>) -> String {
    match written {
        Ok(bytes) => format!("ok - {}", hex(&bytes)),
        Err(fault) => refusal(&fault),
    }
}

fn document_answer(catalog: &Catalog, request: &Request) -> String {
    let (id, bytes) = (request.contract, &request.bytes);
    let written = |written: &Result<String, Fault>| match written {
        Ok(document) => hex(document.as_bytes()),
        Err(fault) => format!("unwritten {}", refusal(fault)),
    };
    match request.operation {
        Operation::Lenient => match json::read_lenient(catalog, id, bytes) {
            Ok((reading, faults)) => {
                let faults = faults.iter().map(|fault| format!(" | {}", refusal(fault)));
                format!("ok {}{}", written(&reading.written), faults.collect::<Vec<_>>().concat())
            }
            Err(fault) => refusal(&fault),
        },
        Operation::ImportDocument(fd_count) => match json::read(catalog, id, bytes) {
            Ok(reading) => verdict(&json::import(catalog, id, &reading.value, fd_count)),
            Err(fault) => refusal(&fault),
        },
        _ => match json::read(catalog, id, bytes) {
            Ok(reading) => format!("ok {}", written(&reading.written)),
            Err(fault) => refusal(&fault),
        },
    }
}

pub(super) fn verdict(verdict: &Result<(), Fault>) -> String {
    match verdict {
        Ok(()) => "ok".to_owned(),
        Err(fault) => refusal(fault),
    }
}

pub(super) fn refusal(fault: &Fault) -> String {
    let field = if fault.field.is_empty() { "-" } else { &fault.field };
    format!("err {} {} {field} {} {fault}", fault.code.number(), fault.contract, fault.offset)
}
