//! What the library cannot say of its classes: types that are narrower than those it was made of, values of attributes that
//! it computes, and buffers.

use anyhow::ensure;
use pyo3_introspection::model::{Class, Function, Module};

/// What is said of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Special {
    class: &'static str,
    /// Attributes, each as the line that stands for it.
    attributes: &'static [&'static str],
    /// Types of arguments: the method, the argument, its type.
    arguments: &'static [(&'static str, &'static str, &'static str)],
    /// What methods and properties give.
    returns: &'static [(&'static str, &'static str)],
    /// Whether it has a buffer.
    pub(super) has_buffer: bool,
}

const NOTHING: Special =
    Special { class: "", attributes: &[], arguments: &[], returns: &[], has_buffer: false };

/// The base of what has a buffer. The protocol has a name since Python 3.12, and type checkers ask for it of every version.
pub(super) const BUFFER: &str = "\
@typing.type_check_only
class _Buffer:
    def __buffer__(self, flags: int, /) -> memoryview: ...
";

/// Arguments of one name, which are of one type wherever they stand.
const EVERYWHERE: &[(&str, &str)] = &[("within", "float | None"), ("body", "typing_extensions.Buffer")];

const SPECIAL: &[Special] = &[
    Special { class: "Message", returns: &[("fds", "list[Fd]")], ..NOTHING },
    Special { class: "Received", returns: &[("fds", "list[Fd]")], ..NOTHING },
    Special { class: "Held", returns: &[("view", "memoryview")], ..NOTHING },
    Special { class: "HostBuffer", returns: &[("view", "memoryview")], has_buffer: true, ..NOTHING },
    Special { class: "HostMapping", returns: &[("view", "memoryview")], has_buffer: true, ..NOTHING },
    Special {
        class: "Channel",
        arguments: &[
            ("recv_into", "buffer", "typing_extensions.Buffer"),
            ("try_recv_into", "buffer", "typing_extensions.Buffer"),
            ("send_vectored", "body", "collections.abc.Iterable[typing_extensions.Buffer]"),
            ("try_send_vectored", "body", "collections.abc.Iterable[typing_extensions.Buffer]"),
        ],
        ..NOTHING
    },
    Special {
        class: "Tensor",
        arguments: &[("__new__", "source", "typing_extensions.Buffer")],
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

    /// The type of an argument.
    pub(super) fn argument(&self, method: &str, name: &str) -> Option<&'static str> {
        let said = self.arguments.iter().find(|it| (it.0, it.1) == (method, name)).map(|it| it.2);
        said.or_else(|| EVERYWHERE.iter().find(|it| it.0 == name).map(|it| it.1))
    }

    /// What a method gives.
    pub(super) fn returns(&self, method: &str) -> Option<&'static str> {
        self.returns.iter().find(|it| it.0 == method).map(|it| it.1)
    }

    fn is_of(&self, class: &Class) -> bool {
        let method = |name: &str| class.methods.iter().find(|it| it.name == name);
        let has_argument = |of: &Function, name: &str| {
            let all = &of.arguments;
            let each = all.positional_only_arguments.iter().chain(&all.arguments);
            each.chain(&all.keyword_only_arguments).any(|argument| argument.name == name)
        };
        self.attributes.iter().all(|line| class.attributes.iter().any(|it| it.name == name_of(line)))
            && self.arguments.iter().all(|it| method(it.0).is_some_and(|of| has_argument(of, it.1)))
            && self.returns.iter().all(|it| method(it.0).is_some())
    }
}

fn name_of(line: &str) -> &str {
    line.split(':').next().unwrap_or_default()
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
