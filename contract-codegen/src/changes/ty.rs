//! The types that a form spells, taken apart.

use toml::Table;

use super::{Differ, Found, Use, member};
use crate::model::Scalar;

/// A type as the lock spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    /// A number, a bool, a text: whatever has a name of its own.
    Named(String),
    /// A contract by its path.
    Contract(String),
    Open(Box<Type>),
    Flags(Box<Type>),
    Array(Box<Type>, u64),
    List(Box<Type>),
    Option(Box<Type>),
    Pointer {
        is_const: bool,
        to: Box<Type>,
    },
    Function {
        params: Vec<Type>,
        result: Option<Box<Type>>,
    },
}

impl Type {
    /// The type of that text; one that is spelled as no type is named by it.
    pub(super) fn of(text: &str) -> Type {
        let mut reader = Reader { rest: text };
        match reader.ty() {
            Some(ty) if reader.rest.is_empty() => ty,
            _ => Type::Named(text.to_owned()),
        }
    }

    /// What arrays hold in the end, and their lengths from the outermost in.
    pub(super) fn element(&self) -> (&Type, Vec<u64>) {
        let (mut ty, mut lengths) = (self, Vec::new());
        while let Type::Array(item, length) = ty {
            lengths.push(*length);
            ty = item;
        }
        (ty, lengths)
    }

    pub(super) fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Named(name) => Scalar::from_name(name),
            _ => None,
        }
    }

    /// The enumeration or flags, where it is a value of one.
    pub(super) fn values(&self) -> Option<&str> {
        match self {
            Type::Contract(path) => Some(path),
            Type::Open(of) | Type::Flags(of) => of.values(),
            _ => None,
        }
    }

    /// The types directly inside.
    fn parts(&self) -> Vec<&Type> {
        match self {
            Type::Named(_) | Type::Contract(_) => Vec::new(),
            Type::Open(of) | Type::Flags(of) | Type::Array(of, _) | Type::List(of) | Type::Option(of) => {
                vec![of]
            }
            Type::Pointer { to, .. } => vec![to],
            Type::Function { params, result } => params.iter().chain(result.as_deref()).collect(),
        }
    }

    /// The contracts in it by their paths, and whether they are used as `Open<E>`.
    pub(super) fn contracts(&self) -> Vec<(&str, bool)> {
        match self {
            Type::Contract(path) => vec![(path, false)],
            Type::Open(of) => of.contracts().into_iter().map(|(path, _)| (path, true)).collect(),
            _ => self.parts().into_iter().flat_map(Type::contracts).collect(),
        }
    }
}

impl Differ<'_> {
    /// Whether two types are the same, but for what became of the contracts in them.
    pub(super) fn same(&self, old: &Type, new: &Type) -> bool {
        match (old, new) {
            (Type::Named(old), Type::Named(new)) => old == new,
            (Type::Contract(old), Type::Contract(new)) => self.is_same(old, new),
            (Type::Array(_, old_length), Type::Array(_, new_length)) if old_length != new_length => false,
            (Type::Pointer { is_const: old, .. }, Type::Pointer { is_const: new, .. }) if old != new => false,
            (Type::Function { result: old, .. }, Type::Function { result: new, .. })
                if old.is_some() != new.is_some() =>
            {
                false
            }
            _ => {
                let (old_parts, new_parts) = (old.parts(), new.parts());
                std::mem::discriminant(old) == std::mem::discriminant(new)
                    && old_parts.len() == new_parts.len()
                    && old_parts.into_iter().zip(new_parts).all(|(old, new)| self.same(old, new))
            }
        }
    }

    /// What changed in the contracts that two members of equal types hold.
    pub(super) fn held_by(
        &self,
        found: &mut Found,
        at: &str,
        members: [&Table; 2],
        [old, new]: [&Type; 2],
        usage: impl Fn([bool; 2]) -> Use,
    ) {
        let is_other = ["wire_id", "wire_ids"].iter().any(|key| !member::equal(key, members[0], members[1]));
        for ((old, open), (new, _)) in old.contracts().into_iter().zip(new.contracts()) {
            self.held(found, at, [old, new], usage([open; 2]), is_other);
        }
    }
}

struct Reader<'text> {
    rest: &'text str,
}

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn inside(&mut self, end: &str) -> Option<Box<Type>> {
        let ty = self.ty()?;
        self.takes(end).then(|| Box::new(ty))
    }

    fn ty(&mut self) -> Option<Type> {
        if self.takes("BTreeMap<String, String>") {
            return Some(Type::Named("BTreeMap<String, String>".to_owned()));
        }
        if self.takes("Open<") {
            return self.inside(">").map(Type::Open);
        }
        if self.takes("Flags<") {
            return self.inside(">").map(Type::Flags);
        }
        if self.takes("Vec<") {
            return self.inside(">").map(Type::List);
        }
        if self.takes("Option<") {
            return self.inside(">").map(Type::Option);
        }
        for (word, is_const) in [("*const ", true), ("*mut ", false)] {
            if self.takes(word) {
                return Some(Type::Pointer { is_const, to: Box::new(self.ty()?) });
            }
        }
        if self.takes("[") {
            let item = self.inside("; ")?;
            let (length, rest) = self.rest.split_once(']')?;
            self.rest = rest;
            return Some(Type::Array(item, length.parse().ok()?));
        }
        if self.takes("extern \"C\" fn(") {
            let mut params = Vec::new();
            while !self.takes(")") {
                params.push(self.ty()?);
                self.takes(", ");
            }
            let result = if self.takes(" -> ") { Some(Box::new(self.ty()?)) } else { None };
            return Some(Type::Function { params, result });
        }
        let end = self.rest.find(|letter: char| !(letter.is_alphanumeric() || "_:#".contains(letter)));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if name.is_empty() {
            return None;
        }
        self.rest = rest;
        let name = name.to_owned();
        Some(if name.contains("::") { Type::Contract(name) } else { Type::Named(name) })
    }
}
