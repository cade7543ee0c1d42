//! What the `json` module would have read, as a document again.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::pure::pure;
use super::put::integer;

/// The most objects and arrays around a value that are written here.
const MOST_DEPTH: usize = 64;

/// A document of about that many bytes at most; none of what is not just dicts, lists, tuples, texts, integers of 64 bits,
/// finite floats, truths and nothing.
pub(super) fn written(object: &Bound<'_, PyAny>, most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    write(object, &mut out, most, 0)?;
    Some(out)
}

fn write(object: &Bound<'_, PyAny>, out: &mut Vec<u8>, most: usize, depth: usize) -> Option<()> {
    if depth > MOST_DEPTH || out.len() > most {
        return None;
    }
    if let Ok(text) = object.cast_exact::<PyString>() {
        return quote(text, out);
    }
    if let Ok(number) = object.cast_exact::<PyInt>() {
        out.extend_from_slice(integer(number)?.to_string().as_bytes());
        return Some(());
    }
    if let Ok(members) = object.cast_exact::<PyDict>() {
        return list(out, *b"{}", members.iter(), |(key, value), out| {
            quote(key.cast_exact::<PyString>().ok()?, out)?;
            out.push(b':');
            write(&value, out, most, depth + 1)
        });
    }
    if let Ok(items) = object.cast_exact::<PyList>() {
        return list(out, *b"[]", items.iter(), |item, out| write(&item, out, most, depth + 1));
    }
    if let Ok(items) = object.cast_exact::<PyTuple>() {
        return list(out, *b"[]", items.iter(), |item, out| write(&item, out, most, depth + 1));
    }
    if let Ok(number) = object.cast_exact::<PyFloat>() {
        return float(number, out);
    }
    let word: &[u8] = match object.cast_exact::<PyBool>() {
        Ok(truth) if truth.is_true() => b"true",
        Ok(_) => b"false",
        Err(_) if object.is_none() => b"null",
        Err(_) => return None,
    };
    out.extend_from_slice(word);
    Some(())
}

fn list<T>(
    out: &mut Vec<u8>,
    [open, close]: [u8; 2],
    items: impl Iterator<Item = T>,
    mut each: impl FnMut(T, &mut Vec<u8>) -> Option<()>,
) -> Option<()> {
    out.push(open);
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        each(item, out)?;
    }
    out.push(close);
    Some(())
}

/// A float, which stays one where its digits are an integer's.
fn float(number: &Bound<'_, PyFloat>, out: &mut Vec<u8>) -> Option<()> {
    if !number.value().is_finite() {
        return None;
    }
    let text = pure(number.py()).ok()?.float_text.bind(number.py()).call1((number,)).ok()?;
    let text = text.cast::<PyString>().ok()?.to_str().ok()?;
    out.extend_from_slice(text.as_bytes());
    if !text.contains(['.', 'e']) {
        out.extend_from_slice(b".0");
    }
    Some(())
}

/// A text, with the escapes that it has to have; none of half a pair of surrogates.
fn quote(text: &Bound<'_, PyString>, out: &mut Vec<u8>) -> Option<()> {
    let text = text.to_str().ok()?;
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            0..0x20 => out.extend(format!("\\u{byte:04x}").into_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
    Some(())
}
