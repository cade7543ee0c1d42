//! What a library exports: functions, the handles they work on, and what each library has besides.

use super::{AbiType, ContractId};

/// Something that lives in the library and that others know by a number, in a struct of one member.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle {
    /// From which threads it may be used.
    pub access: Access,
    /// The function that ends it (`sensor_camera_destroy`).
    pub destroy: String,
    /// The upper 16 bits of its numbers; not zero.
    pub tag: u16,
    /// What the package's symbols begin with, as the declaration says.
    pub prefix: String,
}

/// From which threads a handle may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// From the one that made it; others are told `busy`.
    Exclusive,
    /// From all, at the same time.
    Shared,
}

/// A function that a library exports. It gives a status; what else it gives, it writes to where its caller says.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The exported name (`sensor_camera_open`).
    pub symbol: String,
    /// What the package's symbols begin with, as the declaration says.
    pub prefix: String,
    /// The handle whose method it is.
    pub method_of: Option<ContractId>,
    /// Whether its caller must keep promises that no wrapper checks: it takes raw pointers.
    pub is_unsafe: bool,
    /// The parameters; a receiver is the first, and called `self`.
    pub params: Vec<FunctionParam>,
    /// What it gives, in the order of a tuple.
    pub outs: Vec<Out>,
}

impl Function {
    /// The most parameters that one has, its receiver among them, and that a callback has.
    pub const MOST_PARAMS: usize = 16;
    /// The most results.
    pub const MOST_OUTS: usize = 8;

    /// The name in Rust without the handle's, which a function's contract is called by (`Camera::open`).
    pub fn method(name: &str) -> &str {
        name.rsplit("::").next().unwrap_or(name)
    }

    /// What languages call it that have a scope for the package's names: a function's name without the package's prefix, a
    /// method's without the handle.
    pub fn word<'name>(&self, name: &'name str) -> &'name str {
        match name.strip_prefix(&self.prefix).and_then(|rest| rest.strip_prefix('_')) {
            Some(rest) if self.method_of.is_none() && !rest.is_empty() => rest,
            _ => Function::method(name),
        }
    }

    /// The contracts that it takes and gives, in the order of the record; its handle is the first.
    pub fn held(&self) -> Vec<ContractId> {
        self.contracts().0
    }

    /// The structs that its raw pointers point to.
    pub fn pointees(&self) -> Vec<ContractId> {
        self.contracts().1
    }

    fn contracts(&self) -> (Vec<ContractId>, Vec<ContractId>) {
        let (mut held, mut pointees) = (Vec::from_iter(self.method_of), Vec::new());
        self.params.iter().for_each(|param| param.form.contracts(&mut held, &mut pointees));
        for out in &self.outs {
            match &out.form {
                OutForm::Value(ty) => ty.contracts(&mut held, &mut pointees),
                OutForm::Closed(id)
                | OutForm::Descriptor(id)
                | OutForm::Document(id)
                | OutForm::Handle(id) => held.push(*id),
                OutForm::Text | OutForm::Bytes | OutForm::Fd { .. } => {}
            }
        }
        (held, pointees)
    }
}

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionParam {
    /// Its name.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// What it takes.
    pub form: ParamForm,
}

/// What a parameter takes, and how it crosses.
#[derive(Debug, Clone, PartialEq)]
pub enum ParamForm {
    /// A number, a pointer, a function or a C struct, by value.
    Value(AbiType),
    /// A value of an enumeration: no other number.
    Closed(ContractId),
    /// A pointer to one object, which is valid during the call.
    Reference {
        /// What it points to.
        to: AbiType,
        /// Whether the function writes it.
        is_mut: bool,
        /// Whether it may be null.
        is_nullable: bool,
    },
    /// A pointer to the first of several objects, and how many there are.
    Slice {
        /// What each is.
        item: AbiType,
        /// Whether the function writes them.
        is_mut: bool,
    },
    /// Text in UTF-8 that a NUL ends.
    Text {
        /// Whether it may be null.
        is_nullable: bool,
    },
    /// The bytes of a descriptor.
    Descriptor(ContractId),
    /// A recipe or a union, as JSON.
    Document(ContractId),
    /// A handle.
    Handle {
        /// Which.
        contract: ContractId,
        /// What becomes of it.
        pass: Pass,
    },
    /// A function that is called during the call, and what it is told in front of its own parameters.
    Callback(Vec<CallbackParam>),
}

/// What becomes of a handle that is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// It is used.
    Borrowed,
    /// It is used, and by nobody else meanwhile.
    BorrowedMut,
    /// It is gone, whether the function fails or not, but for a handle that is refused.
    Taken,
}

/// What a callback is told: a value, a closed value, a reference or a slice that is not written, or a text.
#[derive(Debug, Clone, PartialEq)]
pub struct CallbackParam {
    /// Its name.
    pub name: String,
    /// What it is.
    pub form: ParamForm,
}

/// Something that a function gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Out {
    /// Its name.
    pub name: String,
    /// What it is.
    pub form: OutForm,
}

/// What a function gives, and how it crosses.
#[derive(Debug, Clone, PartialEq)]
pub enum OutForm {
    /// A number, a pointer or a C struct.
    Value(AbiType),
    /// A value of an enumeration.
    Closed(ContractId),
    /// Text, which the caller frees.
    Text,
    /// Bytes, which the caller frees.
    Bytes,
    /// The bytes of a descriptor, written to where the caller says.
    Descriptor(ContractId),
    /// A recipe or a union as JSON, which the caller frees.
    Document(ContractId),
    /// A handle, which the caller destroys.
    Handle(ContractId),
    /// The number of a file descriptor, -1 where there is none.
    Fd {
        /// Whether it is the caller's, who closes it.
        is_given: bool,
    },
}

/// Functions of which only the names are declared: those that every library has, or that generated code exports.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbols {
    /// Whether they are those that every library has: the last error, and freeing what it gave. Then the contract is
    /// called by what the package's symbols begin with.
    pub is_library: bool,
    /// The exported names.
    pub names: Vec<String>,
}

impl ParamForm {
    fn contracts(&self, held: &mut Vec<ContractId>, pointees: &mut Vec<ContractId>) {
        match self {
            ParamForm::Value(ty)
            | ParamForm::Reference { to: ty, .. }
            | ParamForm::Slice { item: ty, .. } => ty.contracts(held, pointees),
            ParamForm::Closed(id)
            | ParamForm::Descriptor(id)
            | ParamForm::Document(id)
            | ParamForm::Handle { contract: id, .. } => held.push(*id),
            ParamForm::Callback(params) => {
                params.iter().for_each(|param| param.form.contracts(held, pointees));
            }
            ParamForm::Text { .. } => {}
        }
    }
}
