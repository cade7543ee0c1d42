//! The pure package's `handoff.Options` as the runtime has them.

use std::collections::HashSet;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wirecontract::WireJson as _;
use wirecontract::hello::{Hello, SpokenContract};
use wirecontract_runtime::handoff::{ByteOrder, Framing, Options, Peers, Prefix};

use super::given::seconds;
use super::pure::{Pure, named};

/// Options in both forms.
pub(super) struct Both {
    pub(super) pure: Py<PyAny>,
    pub(super) options: Options,
}

/// What was given, or what is usual; what is none is refused as the pure package does.
pub(super) fn options(python: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<Both> {
    static OF: Pure = Pure::new("wirecontract.handoff", &["Options", "of"]);
    let pure = OF.get(python)?.call1((given,))?;
    let limit = |name: &str| -> PyResult<Option<Duration>> {
        let limit = pure.getattr(name)?;
        seconds(Some(&limit).filter(|limit| !limit.is_none()))
    };
    let mut options = Options::default()
        .framing(framing(&pure.getattr("framing")?)?)
        .message_timeout(limit("message_timeout")?)
        .idle_timeout(limit("idle_timeout")?)
        .hello_timeout(limit("hello_timeout")?)
        .peers(peers(&pure.getattr("peers")?)?)
        .mode(pure.getattr("mode")?.extract()?)
        .backlog(u16::try_from(pure.getattr("backlog")?.extract::<u32>()?).unwrap_or(u16::MAX));
    if let Some(size) = pure.getattr("send_buffer")?.extract::<Option<usize>>()? {
        options = options.send_buffer(size);
    }
    if let Some((required, optional)) = hello(python, &pure)? {
        options = options.hello(required).may_hello(optional);
    }
    Ok(Both { pure: pure.unbind(), options })
}

fn framing(framing: &Bound<'_, PyAny>) -> PyResult<Framing> {
    if !framing.is_instance(&named(framing.py(), "wirecontract.handoff", "Stream")?)? {
        return Ok(Framing::SeqPacket);
    }
    let is = |name: &str, word: &str| Ok::<_, PyErr>(framing.getattr(name)?.extract::<String>()? == word);
    Ok(Framing::Stream {
        length: if is("length", "little")? { ByteOrder::Little } else { ByteOrder::Big },
        prefix: if is("prefix", "joined")? { Prefix::Joined } else { Prefix::Apart },
    })
}

fn peers(peers: &Bound<'_, PyAny>) -> PyResult<Peers> {
    let users: Option<HashSet<u32>> = peers.getattr("users")?.extract()?;
    Ok(match users {
        None => Peers::Anyone,
        Some(users) => {
            let mut users: Vec<u32> = users.into_iter().collect();
            users.sort_unstable();
            Peers::users(users)
        }
    })
}

/// What the options say that this side speaks: what the peer has to speak as well, and what it need not.
fn hello(python: Python<'_>, pure: &Bound<'_, PyAny>) -> PyResult<Option<(Hello, Hello)>> {
    let greeting =
        named(python, "wirecontract.handoff._greeting", "Greeting")?.call_method1("of", (pure,))?;
    if greeting.is_none() {
        return Ok(None);
    }
    // One that may not be sent is refused there.
    let document = greeting.call_method0("document")?;
    let hello = Hello::from_json(document.cast::<PyBytes>()?.as_bytes())
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))?;
    let optional = pure.getattr("may_speak")?.try_iter()?;
    let optional: HashSet<String> =
        optional.map(|contract| contract?.getattr("CONTRACT")?.extract()).collect::<PyResult<_>>()?;
    let is_optional = |spoken: &SpokenContract| optional.contains(&spoken.name);
    let (optional, required) = hello.speaks.into_iter().partition(is_optional);
    let of = |speaks| Hello { format: hello.format, speaks };
    Ok(Some((of(required), of(optional))))
}
