//! The peers give the contract's verdicts and values, or they are no peers.

use std::fmt::{Debug, Display};

use wirecontract::{Code, WireContract as _, WireError, WireJson};
use wirecontract_bench::peers::json::{serde, value};
use wirecontract_bench::rules::{Plain, Ruled};
use wirecontract_gpu::texture::{OpaqueFdExport, SurfaceAnswer};

use crate::c;
use crate::documents::Documents;
use crate::entries::image;

/// Compares all peers on all documents.
pub(crate) fn all(documents: &Documents) -> Result<(), String> {
    in_c::<SurfaceAnswer>(&documents.all_answers, &c::ANSWER)?;
    in_c::<OpaqueFdExport>(&documents.all_exports, &c::EXPORT)?;
    compare::<SurfaceAnswer, _>("answers", &documents.all_answers, serde::read, serde::write, value::read)?;
    compare::<OpaqueFdExport, _>(
        "exports",
        &documents.all_exports,
        serde::read_export,
        serde::write_export,
        value::read_export,
    )?;
    rules()
}

fn compare<T: WireJson, P: PartialEq + Debug>(
    kind: &str,
    documents: &[String],
    read: fn(&[u8]) -> Result<P, serde_json::Error>,
    write: fn(&P) -> Result<String, serde_json::Error>,
    walk: fn(&[u8]) -> Result<P, &'static str>,
) -> Result<(), String> {
    let mut accepted = 0;
    for document in documents {
        let bytes = document.as_bytes();
        let ours: Result<String, WireError> = T::from_json(bytes).and_then(|value| value.to_json());
        let theirs = read(bytes);
        let written = theirs
            .as_ref()
            .map_err(ToString::to_string)
            .map(|value| write(value).unwrap_or_else(|error| format!("not written: {error}")));
        same("serde", document, &ours, &written)?;
        // A map keeps the second of two values.
        if !matches!(&ours, Err(error) if error.code == Code::DuplicateKey) {
            let walked = walk(bytes);
            same(
                "serde_json::Value",
                document,
                &ours,
                &walked.as_ref().map(|_| written.clone().unwrap_or_default()),
            )?;
            if let (Ok(walked), Ok(theirs)) = (&walked, &theirs)
                && walked != theirs
            {
                return Err(format!("values differ on {document}:\n  {walked:?}\n  {theirs:?}"));
            }
        }
        accepted += usize::from(ours.is_ok());
    }
    if accepted == 0 || accepted == documents.len() {
        return Err(format!(
            "{accepted} of {} {kind} are accepted: some must be, and not all",
            documents.len()
        ));
    }
    println!("{} {kind}, of which {accepted} accepted", documents.len());
    Ok(())
}

/// C gives the same code, or writes the same.
fn in_c<T: WireJson>(documents: &[String], contract: &c::Contract) -> Result<(), String> {
    for document in documents {
        let bytes = document.as_bytes();
        let ours = T::from_json(bytes).and_then(|value| value.to_json()).map_err(|error| error.code as i32);
        let theirs = contract.written(bytes);
        if ours != theirs {
            return Err(format!("C differs on {document}:\n  the contract: {ours:?}\n  C: {theirs:?}"));
        }
    }
    Ok(())
}

/// Both refuse, or both have the same value, which is what they write.
fn same<E: Display>(
    peer: &str,
    document: &str,
    ours: &Result<String, WireError>,
    theirs: &Result<String, E>,
) -> Result<(), String> {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) if ours == theirs => Ok(()),
        (Err(_), Err(_)) => Ok(()),
        (ours, theirs) => {
            let theirs = theirs.as_ref().map_err(ToString::to_string);
            Err(format!("{peer} differs on {document}:\n  the contract: {ours:?}\n  {peer}: {theirs:?}"))
        }
    }
}

/// The rules hold of what is measured, and each of them refuses something that is no fault without it.
fn rules() -> Result<(), String> {
    let good = image();
    let plain = Plain::from_bytes(&good).map_err(|error| error.to_string())?;
    let ruled = Ruled::from_bytes(&good).map_err(|error| error.to_string())?;
    if plain.to_bytes().ok() != ruled.to_bytes().ok() {
        return Err("a descriptor with rules is written otherwise".to_owned());
    }
    for (at, number) in [(88, 0_u32), (108, u32::MAX), (104, 10_000), (116, 2)] {
        let mut bytes = good;
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        match (Plain::from_bytes(&bytes), Ruled::from_bytes(&bytes)) {
            (Ok(_), Err(error)) if error.code == Code::RuleViolated => {}
            (plain, ruled) => {
                return Err(format!("at byte {at}: without rules {plain:?}, with them {ruled:?}"));
            }
        }
    }
    println!("4 rules");
    Ok(())
}
