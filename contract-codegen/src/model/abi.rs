//! C structs that are shared in memory inside one process, and what their members are.

use wirecontract::DataModel;

use super::{Catalog, ContractId, Scalar};

/// Bytes of a pointer, of `size_t` and of `ptrdiff_t`.
const fn pointer(model: DataModel) -> u32 {
    match model {
        DataModel::Lp64 | DataModel::Llp64 => 8,
        DataModel::Ilp32U64Align4 | DataModel::Ilp32U64Align8 => 4,
    }
}

/// Size and alignment of a type of so many bytes.
const fn of_size(model: DataModel, size: u32) -> AbiLayout {
    let align = if matches!(model, DataModel::Ilp32U64Align4) && size == 8 { 4 } else { size };
    AbiLayout { size, align }
}

/// A C struct in memory: fields at the offsets that C gives them, its padding included.
#[derive(Debug, Clone, PartialEq)]
pub struct AbiStruct {
    /// Of the whole, by model.
    pub layouts: [AbiLayout; 4],
    /// The fields, as declared; at least one.
    pub fields: Vec<AbiField>,
}

/// Bytes and alignment in one data model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbiLayout {
    /// Bytes, padding included.
    pub size: u32,
    /// The alignment in bytes.
    pub align: u32,
}

/// A member of a C struct.
#[derive(Debug, Clone, PartialEq)]
pub struct AbiField {
    /// The name in Rust, without `r#`.
    pub name: String,
    /// The name it was first accepted under.
    pub was: Option<String>,
    /// The documentation comment.
    pub docs: String,
    /// The C member's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// What C calls the type, which is a pointer to a function, where the declaration says so.
    pub c_type: Option<String>,
    /// The version of the contract's family that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// What it is.
    pub ty: AbiType,
    /// Bytes from the start of the struct, by model.
    pub offsets: [u32; 4],
    /// The integer field that says how many items it points to.
    pub counted_by: Option<usize>,
}

/// What a member, a parameter or a result is.
#[derive(Debug, Clone, PartialEq)]
pub enum AbiType {
    /// An integer, a float or a bool.
    Scalar(AbiScalar),
    /// Any integer of an enumeration's repr: memory may hold every one.
    Enumeration(ContractId),
    /// Any bits of the repr of flags.
    Flags(ContractId),
    /// Another C struct; directly behind a pointer it may be any in the catalog, else one before this.
    Struct(ContractId),
    /// Several of one type; no parameter and no result.
    Array {
        /// The type of each.
        item: Box<AbiType>,
        /// How many; not zero.
        length: u32,
    },
    /// A pointer to an object; it may be null.
    Pointer {
        /// What it points to; none for `void`.
        to: Option<Box<AbiType>>,
        /// Whether what it points to is `const`.
        is_const: bool,
    },
    /// A pointer to a function; it may be null.
    Function(Box<Signature>),
}

/// A number type of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum AbiScalar {
    /// Of one width everywhere.
    Fixed(Scalar),
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Size,
    PtrDiff,
}

/// A function's parameters and result.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The parameters; at most [`Signature::MOST_PARAMS`].
    pub params: Vec<Param>,
    /// What it gives; none for `void`.
    pub result: Option<AbiType>,
    /// Whether the declaration spells the type out, so that names of parameters were seen; a type behind an alias has
    /// none.
    pub named: bool,
}

impl Signature {
    /// More than any function that is called through a struct has.
    pub const MOST_PARAMS: usize = 16;
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its type.
    pub ty: AbiType,
}

impl AbiScalar {
    /// Types of C's own whose width is the machine's to choose, in the order of their codes in a record.
    pub const OWN: [AbiScalar; 13] = [
        AbiScalar::Char,
        AbiScalar::SChar,
        AbiScalar::UChar,
        AbiScalar::Short,
        AbiScalar::UShort,
        AbiScalar::Int,
        AbiScalar::UInt,
        AbiScalar::Long,
        AbiScalar::ULong,
        AbiScalar::LongLong,
        AbiScalar::ULongLong,
        AbiScalar::Size,
        AbiScalar::PtrDiff,
    ];

    /// Whether it can count.
    pub const fn is_integer(self) -> bool {
        !matches!(self, AbiScalar::Fixed(Scalar::Bool | Scalar::F32 | Scalar::F64))
    }

    /// Size and alignment in a data model.
    pub const fn layout(self, model: DataModel) -> AbiLayout {
        let size = match self {
            AbiScalar::Fixed(scalar) => scalar.size(),
            AbiScalar::Char | AbiScalar::SChar | AbiScalar::UChar => 1,
            AbiScalar::Short | AbiScalar::UShort => 2,
            AbiScalar::Int | AbiScalar::UInt => 4,
            AbiScalar::Long | AbiScalar::ULong => {
                if matches!(model, DataModel::Lp64) {
                    8
                } else {
                    4
                }
            }
            AbiScalar::LongLong | AbiScalar::ULongLong => 8,
            AbiScalar::Size | AbiScalar::PtrDiff => pointer(model),
        };
        of_size(model, size)
    }
}

impl AbiType {
    /// Size and alignment in a data model; none where 32 bits do not hold the size. Of a struct by value, the catalog
    /// has the layout already.
    pub fn layout(&self, catalog: &Catalog, model: DataModel) -> Option<AbiLayout> {
        Some(match self {
            AbiType::Scalar(scalar) => scalar.layout(model),
            AbiType::Enumeration(id) | AbiType::Flags(id) => {
                AbiScalar::Fixed(catalog.get(*id).repr()).layout(model)
            }
            AbiType::Struct(id) => catalog.get(*id).abi().layouts[model as usize],
            AbiType::Array { item, length } => {
                let AbiLayout { size, align } = item.layout(catalog, model)?;
                AbiLayout { size: size.checked_mul(*length)?, align }
            }
            AbiType::Pointer { .. } | AbiType::Function(_) => of_size(model, pointer(model)),
        })
    }

    /// The types directly inside of this one.
    pub fn parts(&self) -> Vec<&AbiType> {
        match self {
            AbiType::Array { item, .. } => vec![item],
            AbiType::Pointer { to, .. } => to.as_deref().into_iter().collect(),
            AbiType::Function(signature) => {
                signature.result.iter().chain(signature.params.iter().map(|param| &param.ty)).collect()
            }
            AbiType::Scalar(_) | AbiType::Enumeration(_) | AbiType::Flags(_) | AbiType::Struct(_) => {
                Vec::new()
            }
        }
    }

    /// The contracts that this type is made of, in the order of a record's words: those it cannot be without into
    /// `held`, structs that it only points to into `pointees`.
    pub fn contracts(&self, held: &mut Vec<ContractId>, pointees: &mut Vec<ContractId>) {
        match self {
            AbiType::Enumeration(id) | AbiType::Flags(id) | AbiType::Struct(id) => held.push(*id),
            AbiType::Pointer { to: Some(to), .. } if matches!(**to, AbiType::Struct(_)) => {
                to.contracts(pointees, &mut Vec::new());
            }
            _ => self.parts().into_iter().for_each(|part| part.contracts(held, pointees)),
        }
    }
}

impl AbiStruct {
    /// The contracts that it holds: structs by value, and enumerations and flags also behind pointers.
    pub fn held(&self) -> Vec<ContractId> {
        self.contracts().0
    }

    /// The structs that it only points to.
    pub fn pointees(&self) -> Vec<ContractId> {
        self.contracts().1
    }

    fn contracts(&self) -> (Vec<ContractId>, Vec<ContractId>) {
        let (mut held, mut pointees) = (Vec::new(), Vec::new());
        self.fields.iter().for_each(|field| field.ty.contracts(&mut held, &mut pointees));
        (held, pointees)
    }

    /// The offsets of members of these types and the layout of their struct, as C has them; none where 32 bits do not
    /// hold them.
    pub fn place<'types>(
        catalog: &Catalog,
        model: DataModel,
        types: impl IntoIterator<Item = &'types AbiType>,
    ) -> Option<(Vec<u32>, AbiLayout)> {
        let mut whole = AbiLayout { size: 0, align: 1 };
        let mut offsets = Vec::new();
        for ty in types {
            let AbiLayout { size, align } = ty.layout(catalog, model)?;
            let offset = whole.size.checked_next_multiple_of(align)?;
            offsets.push(offset);
            whole = AbiLayout { size: offset.checked_add(size)?, align: whole.align.max(align) };
        }
        whole.size = whole.size.checked_next_multiple_of(whole.align)?;
        Some((offsets, whole))
    }

    /// Bytes of padding in front of each field and, last, behind them all, by model.
    pub fn padding(&self, catalog: &Catalog) -> Vec<[u32; 4]> {
        let mut ends = [0; 4];
        let mut padding = Vec::with_capacity(self.fields.len() + 1);
        for field in &self.fields {
            padding.push(DataModel::ALL.map(|model| field.offsets[model as usize] - ends[model as usize]));
            ends = DataModel::ALL.map(|model| {
                let size = field.ty.layout(catalog, model).map_or(0, |layout| layout.size);
                field.offsets[model as usize] + size
            });
        }
        padding.push(DataModel::ALL.map(|model| self.layouts[model as usize].size - ends[model as usize]));
        padding
    }
}
