//! Unions of every tagging.

use wirecontract::{Json, OpenName, UnknownVariant, WireContract};

use crate::documents::{Format, Point};

/// Pixels.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Pixels {
    /// How they are stored.
    #[wire(default = Unknown)]
    pub format: Format,
    /// How many, sixteen where it is absent.
    #[wire(default = 16)]
    pub count: Option<u32>,
}

/// Texels.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(layout != 3))]
pub struct Texels {
    /// A number.
    pub layout: u32,
    /// By any name.
    pub name: OpenName<Format>,
}

/// Internal, its tag written last and allowed to be absent; open.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "resource_type", rename_all = "snake_case", tag_last)]
pub enum Resource {
    /// Without a tag.
    #[wire(no_tag)]
    Implied(Pixels),
    /// The same with one.
    #[wire(alias("pixels"))]
    PixelBuffer(Box<Pixels>),
    /// Texels.
    Texture(Texels),
    /// Nothing.
    Nothing,
    /// What is known later.
    #[wire(open)]
    Other(UnknownVariant),
}

/// Whatever else there is.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Extra {
    /// A word.
    pub note: String,
    /// Anything.
    pub json: Option<Json>,
}

/// Flattens a union and a recipe.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(width > 0))]
pub struct Surface {
    /// Columns.
    pub width: u32,
    /// What it is of.
    #[wire(flatten)]
    pub resource: Resource,
    /// Where planes begin.
    pub planes: Option<Vec<u64>>,
    /// What else there is.
    #[wire(flatten)]
    pub extra: Extra,
    /// The last.
    pub last: u8,
}

/// Internal, closed.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op", rename_all = "snake_case", rule(one: variant != Ping || fd_count == 0), at = import)]
pub enum Request {
    /// A point.
    Register(Point),
    /// What else there is.
    Lookup(Extra),
    /// Nothing.
    Ping,
}

/// Adjacent, open, with a default tag.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "type", content = "value", tag_default = Count, rename_all = "snake_case")]
pub enum Measure {
    /// An integer.
    #[wire(default = -1)]
    Count(i64),
    /// A float.
    Ratio(f64),
    /// Words.
    Words(Vec<String>),
    /// Nothing.
    Nothing,
    /// What is known later.
    #[wire(open)]
    Other(UnknownVariant),
}

/// Untagged.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, untagged)]
pub enum Answer {
    /// A surface.
    Surface(Box<Surface>),
    /// A point.
    Point(Point),
    /// What else there is.
    Extra(Extra),
}
