//! Requests, and what the interpreter answers to them.

use std::fmt::Write as _;

use wirecontract_codegen::interpret::{Code, Fault, Host, hex, read, read_prefix, write};
use wirecontract_codegen::model::{Catalog, ContractId};

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
}

/// One line to every driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The descriptor.
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
        }
        line.push_str(&if self.bytes.is_empty() { "-".to_owned() } else { hex(&self.bytes) });
        line
    }
}

/// The interpreter's answer to a request; `probes` are those of the request's contract.
pub fn answer(catalog: &Catalog, probes: &[Probe], request: &Request, host: Host) -> String {
    let id = request.contract;
    let reader = if request.operation == Operation::Prefix { read_prefix } else { read };
    let reading = match reader(catalog, id, &request.bytes, host) {
        Ok(reading) => reading,
        Err(fault) => return refusal(&fault),
    };
    match request.operation {
        Operation::Read | Operation::Prefix => {
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
                expected: format!("{size} bytes"),
                found: (size - 1).to_string(),
            })
        }
        Operation::Probe(number) => {
            let mut value = reading.value;
            probes[number].apply(catalog, &mut value);
            match write(catalog, id, &value, host) {
                Ok(bytes) => format!("ok - {}", hex(&bytes)),
                Err(fault) => refusal(&fault),
            }
        }
    }
}

fn refusal(fault: &Fault) -> String {
    let field = if fault.field.is_empty() { "-" } else { &fault.field };
    format!("err {} {} {field} {} {fault}", fault.code.number(), fault.contract, fault.offset)
}
