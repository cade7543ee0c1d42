//! The fields of a C struct: words and text of each put together, and checked against each other.

use super::decode::objects;
use super::json::{Json, Object, TextError, required};
use super::recipe::same_length;
use super::spelling::{distinct, identifier, is_identifier, renamed};
use super::words::abi::{
    ARRAY, AbiFieldWords, AbiTypeWords, ENUMERATION, FLAGS, FUNCTION, OWN_SCALARS, POINTEE, POINTER, STRUCT,
    VOID,
};
use super::{Nested, Pointee};
use crate::model::{
    AbiField, AbiLayout, AbiScalar, AbiStruct, AbiType, ContractId, Param, Scalar, Signature,
};

/// The struct that these words and texts are of; what it holds is added to `nested`, what it points to to `pointees`.
pub(super) fn abi(
    wire: &mut Object,
    members: Vec<Object>,
    layouts: [(u32, u32); 4],
    words: Vec<AbiFieldWords>,
    nested: &mut Vec<Nested>,
    pointees: &mut Vec<Pointee>,
) -> Result<AbiStruct, TextError> {
    let declared = objects(required(wire.take_array("fields")?, "fields")?)?;
    same_length("fields", declared.len(), members.len(), words.len())?;
    if declared.is_empty() {
        return Err(TextError::Wrong("it has no fields".to_owned()));
    }
    let mut first_names = Vec::with_capacity(declared.len());
    let mut fields = Vec::with_capacity(declared.len());
    let mut counters = Vec::new();
    for ((mut wire, mut source), words) in declared.into_iter().zip(members).zip(words) {
        let accepted = identifier(required(wire.take_text("name")?, "name")?)?;
        first_names.push(accepted.clone());
        let (name, was) = renamed(source.take_text("name")?, accepted)?;
        counters.push(wire.take_text("counted_by")?);
        let names = parameter_names(&mut wire)?;
        let mut reader = Reader { what: "field", name: &name, names: names.into_iter(), nested, pointees };
        let ty = reader.object(&words.ty)?;
        reader.finish()?;
        let field = AbiField {
            was,
            docs: source.take_text("docs")?.unwrap_or_default(),
            c_name: source.take_text("c_name")?,
            c_type: source.take_text("c_type")?.map(|name| function_type(name, &ty)).transpose()?,
            since: source.take_integer("since")?,
            deprecated: source.take_text("deprecated")?,
            ty,
            offsets: words.offsets,
            counted_by: None,
            name,
        };
        wire.finish()?;
        source.finish()?;
        fields.push(field);
    }
    distinct("field", first_names.iter())?;
    distinct("field", fields.iter().map(|field| &field.name))?;
    for (index, counter) in counters.into_iter().enumerate() {
        let Some(counter) = counter else { continue };
        fields[index].counted_by = Some(counted_by(&fields, &first_names, index, &counter)?);
    }
    let layouts = layouts.map(|(size, align)| AbiLayout { size, align });
    Ok(AbiStruct { layouts, fields })
}

/// A name for the type of a function pointer: nothing else has one at the field.
fn function_type(name: String, ty: &AbiType) -> Result<String, TextError> {
    match ty {
        AbiType::Function(_) => identifier(name),
        _ => Err(TextError::Wrong(format!("the C type `{name}` is that of no function pointer"))),
    }
}

/// The field that says how many items field `index` points to.
fn counted_by(
    fields: &[AbiField],
    first_names: &[String],
    index: usize,
    counter: &str,
) -> Result<usize, TextError> {
    let wrong = |reason: String| TextError::Wrong(format!("the field `{}` {reason}", fields[index].name));
    if !matches!(fields[index].ty, AbiType::Pointer { .. }) {
        return Err(wrong("is counted and no pointer".to_owned()));
    }
    let at = first_names
        .iter()
        .position(|name| name == counter)
        .ok_or_else(|| wrong(format!("is counted by `{counter}`, which is no field")))?;
    match &fields[at].ty {
        AbiType::Scalar(scalar) if scalar.is_integer() => Ok(at),
        _ => Err(wrong(format!("is counted by `{counter}`, which is no integer"))),
    }
}

/// For each function type of a field the names of its parameters.
pub(super) fn parameter_names(wire: &mut Object) -> Result<Vec<Vec<String>>, TextError> {
    let Some(lists) = wire.take_array("params")? else { return Ok(Vec::new()) };
    let wrong = || TextError::Wrong("`params` is no list of lists of names".to_owned());
    let name = |json: Json| match json {
        Json::Text(name) if name.is_empty() || is_identifier(&name) => Ok(name),
        _ => Err(wrong()),
    };
    let list = |json: Json| match json {
        Json::Array(names) => names.into_iter().map(name).collect(),
        _ => Err(wrong()),
    };
    let lists: Vec<Vec<String>> = lists.into_iter().map(list).collect::<Result<_, _>>()?;
    if lists.is_empty() { Err(wrong()) } else { Ok(lists) }
}

/// Makes types of the words of a field, a parameter or a result.
pub(super) struct Reader<'a> {
    /// Which of them.
    pub(super) what: &'static str,
    pub(super) name: &'a str,
    /// For each function type in it the names of its parameters.
    pub(super) names: std::vec::IntoIter<Vec<String>>,
    pub(super) nested: &'a mut Vec<Nested>,
    pub(super) pointees: &'a mut Vec<Pointee>,
}

impl Reader<'_> {
    pub(super) fn wrong(&self, reason: &str) -> TextError {
        TextError::Wrong(format!("the {} `{}` {reason}", self.what, self.name))
    }

    /// Every name that the text has was of a function in the words.
    pub(super) fn finish(mut self) -> Result<(), TextError> {
        match self.names.next() {
            None => Ok(()),
            Some(_) => Err(self.wrong("has names of parameters for functions that it has not")),
        }
    }

    /// A type of which there can be an object.
    pub(super) fn object(&mut self, words: &AbiTypeWords) -> Result<AbiType, TextError> {
        match words.code() {
            code @ 1..=11 => Ok(AbiType::Scalar(AbiScalar::Fixed(Scalar::ALL[code as usize - 1]))),
            code @ OWN_SCALARS..VOID => Ok(AbiType::Scalar(AbiScalar::OWN[(code - OWN_SCALARS) as usize])),
            ENUMERATION => Ok(AbiType::Enumeration(self.hold(words)?)),
            FLAGS => Ok(AbiType::Flags(self.hold(words)?)),
            STRUCT => Ok(AbiType::Struct(self.hold(words)?)),
            ARRAY => {
                let length = words.count.unwrap_or(0);
                if length == 0 {
                    return Err(self.wrong("has an array without items"));
                }
                let item = Box::new(self.object(self.part(words, 0)?)?);
                Ok(AbiType::Array { item, length })
            }
            POINTER => {
                let to = self.pointee(self.part(words, 0)?)?.map(Box::new);
                Ok(AbiType::Pointer { to, is_const: words.is_const() })
            }
            FUNCTION => self.function(words),
            VOID => Err(self.wrong("has the type void by value")),
            POINTEE => Err(self.wrong("has a struct by value of which it says the name alone")),
            code => {
                Err(TextError::Unknown(format!("the type code {code} for the {} `{}`", self.what, self.name)))
            }
        }
    }

    fn part<'words>(
        &self,
        words: &'words AbiTypeWords,
        index: usize,
    ) -> Result<&'words AbiTypeWords, TextError> {
        words.parts.get(index).ok_or_else(|| self.wrong("has a type that is not whole"))
    }

    /// What stands behind a pointer; none for void.
    fn pointee(&mut self, words: &AbiTypeWords) -> Result<Option<AbiType>, TextError> {
        match (words.code(), words.ids) {
            (VOID, _) => Ok(None),
            (POINTEE, Some((name, key))) => {
                let id = ContractId(self.pointees.len());
                self.pointees.push(Pointee { field: self.name.to_owned(), name, key });
                Ok(Some(AbiType::Struct(id)))
            }
            (STRUCT, _) => Err(self.wrong("points to a struct by its ids, which is by its name")),
            _ => self.object(words).map(Some),
        }
    }

    fn hold(&mut self, words: &AbiTypeWords) -> Result<ContractId, TextError> {
        self.hold_ids(words.ids)
    }

    /// The contract of these ids, which its holder's words have where they are whole.
    pub(super) fn hold_ids(&mut self, ids: Option<(u64, u64)>) -> Result<ContractId, TextError> {
        let (wire_id, source_id) = ids.ok_or_else(|| self.wrong("has a type that is not whole"))?;
        let id = ContractId(self.nested.len());
        self.nested.push(Nested { field: self.name.to_owned(), wire_id, source_id, kind: None });
        Ok(id)
    }

    fn function(&mut self, words: &AbiTypeWords) -> Result<AbiType, TextError> {
        let count = words.parts.len().saturating_sub(1);
        if count > Signature::MOST_PARAMS {
            return Err(self.wrong(&format!(
                "has a function of {count} parameters, where {} are the most",
                Signature::MOST_PARAMS
            )));
        }
        let has_names = words.is_named();
        let names = if has_names { self.names.next() } else { Some(vec![String::new(); count]) };
        let names = names.filter(|names| names.len() == count);
        let names =
            names.ok_or_else(|| self.wrong("has a function with more or fewer names than parameters"))?;
        let result = self.part(words, 0)?;
        let result = if result.code() == VOID { None } else { Some(self.value(result)?) };
        let mut params = Vec::with_capacity(count);
        for (name, words) in names.into_iter().zip(&words.parts[1..]) {
            params.push(Param { name, ty: self.value(words)? });
        }
        Ok(AbiType::Function(Box::new(Signature { params, result, named: has_names })))
    }

    /// What a function takes or gives.
    pub(super) fn value(&mut self, words: &AbiTypeWords) -> Result<AbiType, TextError> {
        if words.code() == ARRAY {
            return Err(self.wrong("has a function that takes or gives an array by value"));
        }
        self.object(words)
    }
}
