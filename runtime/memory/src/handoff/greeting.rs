//! What the sides of a channel tell each other before anything else, and what they agree on.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use wirecontract::hello::{Agreed, Hello, NegotiationError, name_of, negotiate};
use wirecontract::{Contract, WireJson as _};

use super::wait::Limit;
use super::{Error, Expected};

/// What may come as a hello.
pub(crate) const HELLO: Expected = Expected::bytes(Hello::MAX_BYTES);

/// What a side says that it speaks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Speaks {
    hello: Hello,
    /// The names of contracts that a peer need not speak.
    optional: Vec<String>,
}

impl Speaks {
    /// A hello of which a peer has to speak every contract.
    pub(crate) fn all(hello: Hello) -> Speaks {
        Speaks { hello, optional: Vec::new() }
    }

    /// Adds a contract that a peer has to speak.
    pub(crate) fn add<T: Contract>(&mut self) {
        self.say::<T>();
        let name = name_of::<T>();
        self.optional.retain(|other| *other != name);
    }

    /// Adds one that it may speak.
    pub(crate) fn add_optional<T: Contract>(&mut self) {
        self.add::<T>();
        self.optional.push(name_of::<T>());
    }

    /// Adds what another hello says of contracts that are not said yet, which a peer may speak.
    pub(crate) fn add_hello(&mut self, hello: Hello) {
        for spoken in hello.speaks {
            if self.hello.contract(&spoken.name).is_none() {
                self.optional.push(spoken.name.clone());
                self.hello.speaks.push(spoken);
            }
        }
    }

    /// The document.
    pub(crate) fn document(&self) -> Result<Vec<u8>, Error> {
        self.hello.check().map_err(NegotiationError::Ours)?;
        Ok(self.hello.to_json().map_err(NegotiationError::Ours)?.into_bytes())
    }

    fn say<T: Contract>(&mut self) {
        self.hello = std::mem::take(&mut self.hello).speaks::<T>();
    }

    /// Takes the peer's hello, which has to have every contract that is not optional.
    fn meet(&self, document: &[u8]) -> Result<Hello, Box<NegotiationError>> {
        let theirs = Hello::read(document).map_err(NegotiationError::Theirs)?;
        for spoken in self.hello.speaks.iter().filter(|spoken| !self.optional.contains(&spoken.name)) {
            negotiate(&self.hello, &theirs, &spoken.name)?;
        }
        Ok(theirs)
    }
}

/// The hellos of a channel.
pub(crate) struct Greeting {
    ours: Arc<Speaks>,
    /// The peer's, or why it was refused; nothing until it has come.
    theirs: OnceLock<Result<Hello, Box<NegotiationError>>>,
    /// Until when the peer's has to come.
    until: Option<Limit>,
}

impl Greeting {
    pub(crate) fn new(ours: Arc<Speaks>, limit: Option<Duration>) -> Greeting {
        Greeting { ours, theirs: OnceLock::new(), until: Limit::of(limit) }
    }

    /// Until when the peer's has to come.
    pub(crate) fn until(&self) -> Option<Limit> {
        self.until
    }

    /// Whether the peer's hello has come; refused where it was.
    pub(crate) fn is_heard(&self) -> Result<bool, Error> {
        match self.theirs.get() {
            None => Ok(false),
            Some(Ok(_)) => Ok(true),
            Some(Err(refused)) => Err(Error::Hello(refused.clone())),
        }
    }

    /// Takes the peer's hello.
    pub(crate) fn hear(&self, document: &[u8]) -> Result<(), Error> {
        // One call at a time receives, and none behind the hello comes here.
        let _ = self.theirs.set(self.ours.meet(document));
        self.is_heard().map(drop)
    }

    /// The version of a contract that both speak, by its name; none where the peer's hello has not come.
    pub(crate) fn agreed(&self, name: &str) -> Result<Option<Agreed>, Error> {
        match self.theirs.get() {
            None => Ok(None),
            Some(Ok(theirs)) => Ok(Some(negotiate(&self.ours.hello, theirs, name)?)),
            Some(Err(refused)) => Err(Error::Hello(refused.clone())),
        }
    }
}
