//! What the library cannot say of its classes: types that are narrower than those it was made of, values of attributes that
//! it computes, and buffers. What a signature can say stands in the library's source.

use std::collections::BTreeSet;

use anyhow::ensure;
use pyo3_introspection::model::{Argument, Class, Constant, Expr, Function, Module};

/// What is said of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    class: &'static str,
    /// Attributes, each as the line that stands for it.
    attributes: &'static [&'static str],
    /// Types of arguments: the method, the argument, its type.
    arguments: &'static [(&'static str, &'static str, &'static str)],
    /// The arguments by name that a method takes as a dictionary.
    keywords: &'static [(&'static str, &'static [&'static str])],
    /// What properties give.
    returns: &'static [(&'static str, &'static str)],
    /// Whether it has a buffer.
    pub(super) has_buffer: bool,
}

const NOTHING: Special =
    Special { class: "", attributes: &[], arguments: &[], keywords: &[], returns: &[], has_buffer: false };

/// What the stub has for itself where a type names it.
pub(super) const HELPERS: &[(&str, &str)] = &[
    ("_M", "_M = typing.TypeVar(\"_M\")\n"),
    (
        // The protocol has a name since Python 3.12, and type checkers ask for it of every version.
        "_Buffer",
        "\
@typing.type_check_only
class _Buffer:
    def __buffer__(self, flags: int, /) -> memoryview: ...
",
    ),
    (
        "_HasCudaArray",
        "\
@typing.type_check_only
class _HasCudaArray(typing.Protocol):
    @property
    def __cuda_array_interface__(self) -> object: ...
",
    ),
    (
        // Libraries differ in the arguments that they declare.
        "_HasDLPack",
        "\
@typing.type_check_only
class _HasDLPack(typing.Protocol):
    def __dlpack__(self, *args: typing.Any, **kwargs: typing.Any) -> object: ...
",
    ),
];

/// Arguments of one name, which are of one type wherever their source says no other.
const EVERYWHERE: &[(&str, &str)] = &[
    ("address", "wirecontract.handoff.Address"),
    ("body", "typing_extensions.Buffer"),
    ("buffer", "typing_extensions.Buffer"),
    ("channel", "Channel"),
    ("descriptor", "SharedBuffer | wirecontract.contracts.buffer.SharedBuffer | typing_extensions.Buffer"),
    ("expected", "wirecontract.handoff.Expected"),
    ("fd", "wirecontract.handoff.OwnedFd"),
    (
        "lend",
        "HostBuffer | wirecontract.host.HostBuffer | wirecontract.host.PooledBuffer | wirecontract.lease.Lend",
    ),
    ("message", "wirecontract.handoff.Declared"),
    ("options", "wirecontract.handoff.Options | None"),
    ("within", "float | None"),
];

const PEER: &str = "wirecontract.handoff.Peer";
const OPTIONS: &str = "wirecontract.handoff.Options";
const LOST: &str = "wirecontract.lease.Lost | None";
const SHARED: &str = "wirecontract.contracts.buffer.SharedBuffer";
const OUTCOME: &str = "wirecontract.lease.End | wirecontract.contracts.buffer.OfferRefusal | None";

const SPECIAL: &[Special] = &[
    Special { class: "Message", returns: &[("fds", "list[Fd]")], ..NOTHING },
    Special { class: "Received", returns: &[("fds", "list[Fd]")], ..NOTHING },
    Special { class: "Channel", returns: &[("options", OPTIONS), ("peer", PEER)], ..NOTHING },
    Special { class: "Listener", returns: &[("options", OPTIONS)], ..NOTHING },
    Special { class: "Consumer", returns: &[("lost", LOST), ("peer", PEER)], ..NOTHING },
    Special { class: "Producer", returns: &[("lost", LOST), ("peer", PEER)], ..NOTHING },
    Special { class: "Held", returns: &[("buffer", SHARED)], ..NOTHING },
    Special {
        class: "Lease",
        returns: &[("consumer", PEER), ("outcome", OUTCOME), ("state", "wirecontract.lease.State")],
        ..NOTHING
    },
    Special {
        class: "HostBuffer",
        keywords: &[(
            "shared",
            &[
                "element: wirecontract.contracts.buffer.ElementType = ...",
                "shape: collections.abc.Sequence[int] = ...",
                "strides: collections.abc.Sequence[int] = ...",
                "byte_offset: int = ...",
                "buffer_id: int | None = None",
            ],
        )],
        returns: &[("pages", "wirecontract.host.Pages")],
        has_buffer: true,
        ..NOTHING
    },
    Special { class: "HostMapping", has_buffer: true, ..NOTHING },
    Special {
        class: "Tensor",
        attributes: &["__dlpack_c_exchange_api__: typing.Final[typing_extensions.CapsuleType]"],
        returns: &[
            ("shape", "tuple[int, ...]"),
            ("strides", "tuple[int, ...]"),
            ("__cuda_array_interface__", "dict[str, typing.Any]"),
        ],
        has_buffer: true,
        ..NOTHING
    },
];

/// What is said of that class.
pub(super) fn of(class: &str) -> Special {
    SPECIAL.iter().find(|special| special.class == class).copied().unwrap_or(NOTHING)
}

impl Special {
    /// The line of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'static str> {
        self.attributes.iter().find(|line| name_of(line) == name).copied()
    }

    /// The type of an argument that its source does not say.
    pub(super) fn argument(&self, method: &str, of: &Argument) -> Option<&'static str> {
        let said = self.arguments.iter().find(|it| (it.0, it.1) == (method, &of.name)).map(|it| it.2);
        let is_in_source = matches!(of.annotation, Some(Expr::Constant { value: Constant::Str(_) }));
        let everywhere = || EVERYWHERE.iter().find(|it| it.0 == of.name).map(|it| it.1);
        said.or_else(|| if is_in_source { None } else { everywhere() })
    }

    /// The arguments by name that a method has in place of a dictionary.
    pub(super) fn keywords(&self, method: &str) -> &'static [&'static str] {
        self.keywords.iter().find(|it| it.0 == method).map_or(&[], |it| it.1)
    }

    /// What a method gives.
    pub(super) fn returns(&self, method: &str) -> Option<&'static str> {
        self.returns.iter().find(|it| it.0 == method).map(|it| it.1)
    }

    fn is_of(&self, class: &Class) -> bool {
        let method = |name: &str| class.methods.iter().find(|it| it.name == name);
        let has_argument = |of: &Function, name: &str| arguments(of).any(|argument| argument.name == name);
        self.attributes.iter().all(|line| class.attributes.iter().any(|it| it.name == name_of(line)))
            && self.arguments.iter().all(|it| method(it.0).is_some_and(|of| has_argument(of, it.1)))
            && self.keywords.iter().all(|it| method(it.0).is_some_and(|of| of.arguments.kwarg.is_some()))
            && self.returns.iter().all(|it| method(it.0).is_some())
    }
}

fn name_of(line: &str) -> &str {
    line.split(':').next().unwrap_or_default()
}

fn arguments(of: &Function) -> impl Iterator<Item = &Argument> {
    let all = &of.arguments;
    let by_place = all.positional_only_arguments.iter().chain(&all.arguments);
    by_place.chain(&all.keyword_only_arguments)
}

/// # Errors
/// Where something is said of what the library does not have.
pub(super) fn is_used(module: &Module) -> anyhow::Result<()> {
    for special in SPECIAL {
        let class = module.classes.iter().find(|class| class.name == special.class);
        ensure!(
            class.is_some_and(|class| special.is_of(class)),
            "expected in the library what is said of it in xtask/src/native_stub/special.rs: {special:?}"
        );
    }
    let functions = module.functions.iter().chain(module.classes.iter().flat_map(|class| &class.methods));
    let names: BTreeSet<&str> = functions.flat_map(arguments).map(|argument| &*argument.name).collect();
    for (name, _) in EVERYWHERE {
        ensure!(
            names.contains(name),
            "expected in the library an argument `{name}`, of which xtask/src/native_stub/special.rs says a type"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_class_that_is_not_there_is_refused() {
        let empty = Module {
            name: "_native".to_owned(),
            modules: Vec::new(),
            classes: Vec::new(),
            functions: Vec::new(),
            attributes: Vec::new(),
            incomplete: false,
            docstring: None,
        };
        let error = is_used(&empty).unwrap_err().to_string();
        assert!(error.contains(&format!("class: {:?}", SPECIAL[0].class)), "{error}");
        assert_eq!(of("Tensor").returns("shape"), Some("tuple[int, ...]"));
        assert_eq!(of("Other").returns("shape"), None);
    }
}
