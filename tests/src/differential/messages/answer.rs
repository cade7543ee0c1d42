//! What the interpreter answers to requests of messages.

use wirecontract_codegen::interpret::message::{
    Chosen, MessageValue, PartValue, TailValue, import, import_chosen, read, read_chosen, write, write_chosen,
};
use wirecontract_codegen::interpret::{Fault, Host, Value, hex};
use wirecontract_codegen::model::{Body, Catalog, ContractId};

use super::message_probes;
use crate::differential::request::{Request, refusal, verdict};

/// A message that was read: which of several it is, and what it says.
struct Read<'a> {
    catalog: &'a Catalog,
    id: ContractId,
    host: Host,
    variant: Option<usize>,
    value: MessageValue,
}

/// The answer to a message that came with so many file descriptors, changed by the probe of that number.
pub(in crate::differential) fn answer(
    catalog: &Catalog,
    request: &Request,
    (fds, probe): (usize, Option<usize>),
    host: Host,
) -> String {
    let id = request.contract;
    let read = match Read::of(catalog, id, &request.bytes, fds, host) {
        Ok((mut read, written)) => {
            let Some(number) = probe else { return read.shown(written) };
            let probe = message_probes(catalog, id)[number];
            if probe.variant != read.variant || !probe.apply(catalog, id, &mut read.value) {
                return "-".to_owned();
            }
            read
        }
        Err(fault) => return refusal(&fault),
    };
    match read.written() {
        Ok(bytes) => format!("ok - {} | {}", hexed(&bytes), verdict(&read.import())),
        Err(fault) => refusal(&fault),
    }
}

impl<'a> Read<'a> {
    fn of(
        catalog: &'a Catalog,
        id: ContractId,
        bytes: &[u8],
        fds: usize,
        host: Host,
    ) -> Result<(Self, Result<Vec<u8>, Fault>), Fault> {
        let of = |variant, value| Read { catalog, id, host, variant, value };
        if let Body::Messages(_) = catalog.get(id).body {
            let reading = read_chosen(catalog, id, bytes, fds, host)?;
            let Chosen { variant, value } = reading.value;
            return Ok((of(Some(variant), value), reading.written));
        }
        let reading = read(catalog, id, bytes, fds, host)?;
        Ok((of(None, reading.value), reading.written))
    }

    fn chosen(&self, variant: usize) -> Chosen {
        Chosen { variant, value: self.value.clone() }
    }

    fn written(&self) -> Result<Vec<u8>, Fault> {
        match self.variant {
            Some(variant) => write_chosen(self.catalog, self.id, &self.chosen(variant), self.host),
            None => write(self.catalog, self.id, &self.value, self.host),
        }
    }

    fn import(&self) -> Result<(), Fault> {
        match self.variant {
            Some(variant) => import_chosen(self.catalog, self.id, &self.chosen(variant)),
            None => import(self.catalog, self.id, &self.value),
        }
    }

    fn shown(&self, written: Result<Vec<u8>, Fault>) -> String {
        let variant = self.variant.map_or("-", |variant| {
            self.catalog.get(self.id).messages().variants[variant].member.name.as_str()
        });
        let groups = self.value.fds.iter().map(|range| match range.len() {
            0 => "-".to_owned(),
            count => format!("{}+{count}", range.start),
        });
        let written = match written {
            Ok(bytes) => hexed(&bytes),
            Err(fault) => format!("unwritten {}", refusal(&fault)),
        };
        format!(
            "ok {variant} [{}] {written} | {} | {}",
            groups.collect::<Vec<_>>().join(","),
            verdict(&self.import()),
            self.tree()
        )
    }

    /// The parts and the tail; of a document, nothing.
    fn tree(&self) -> String {
        if self.value.parts.is_empty() {
            return "-".to_owned();
        }
        let mut parts = Vec::new();
        for part in &self.value.parts {
            match part {
                PartValue::Descriptor(value) => parts.push(value.to_json()),
                PartValue::Document(_) => return "-".to_owned(),
            }
        }
        let tail = self.value.tail.as_ref().map_or_else(String::new, |tail| match tail {
            TailValue::Elements(items) => Value::List(items.clone()).to_json(),
            TailValue::Bytes(bytes) => Value::Bytes(bytes.clone()).to_json(),
            TailValue::Text(text) => Value::Text(text.clone()).to_json(),
        });
        format!("[{}]{tail}", parts.join(","))
    }
}

/// Bytes as drivers print them.
fn hexed(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".to_owned() } else { hex(bytes) }
}
