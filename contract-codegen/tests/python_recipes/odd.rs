//! Contracts that are hard to write in Python: names that are taken, keys that are no names, parts of parts, unions
//! of every content, rules that may leave their range.

use wirecontract_codegen::fixtures::{self, id};
use wirecontract_codegen::model::{
    Body, Catalog, Condition, ConditionKind, Content, Contract, ContractId, Expr, Flags, JsonType, Key,
    Length, Literal, Moment, Op, Operand, Path, Presence, Recipe, Rule, Scalar, Spelled, Spelling, Tagging,
    Union, Variant, What, WhenAbsent,
};

const OPTIONAL: Presence = Presence::Optional { nullable: false, null_when_absent: false, default: None };

fn kept(default: Literal) -> Presence {
    Presence::Optional { nullable: false, null_when_absent: false, default: Some(default) }
}

fn defaulted(default: Literal) -> Presence {
    Presence::Defaulted { default, skip: false, nullable: true }
}

fn integer(scalar: Scalar) -> JsonType {
    let (min, max) = scalar.range().expect("an integer");
    JsonType::Integer { scalar, min, max, decimal: false }
}

fn key(name: &str, ty: JsonType, presence: Presence) -> Key {
    Key {
        name: name.into(),
        key: name.into(),
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        ty,
        presence,
        flatten: false,
        lenient: false,
        not_imported: false,
    }
}

fn array(item: JsonType, length: Length) -> JsonType {
    JsonType::Array { item: Box::new(item), length }
}

fn operand(text: &str, what: What) -> Expr {
    let is_condition = matches!(what, What::Has { .. } | What::Present(_));
    Expr::Operand(Operand { text: text.into(), what, is_condition })
}

fn number(text: &str, path: &[usize]) -> Expr {
    operand(text, What::Value(Path(path.to_vec())))
}

fn binary(op: Op, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

fn rule(text: &str, expr: Expr, at: Moment) -> Rule {
    Rule { name: None, text: text.into(), expr, at }
}

fn variant(name: &str, content: Content) -> Variant {
    Variant {
        name: name.into(),
        tag: name.to_lowercase(),
        aliases: Vec::new(),
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        content,
        when_absent: WhenAbsent::No,
    }
}

fn holds(ty: JsonType) -> Content {
    Content::Value { ty, default: None }
}

struct Odd<'c> {
    catalog: &'c mut Catalog,
}

/// Adds the family `odd`.
pub(super) fn add(catalog: &mut Catalog) {
    let mut odd = Odd { catalog };
    odd.names();
    let strict = odd.strict();
    odd.numbers();
    odd.closed();
    let command = odd.command(strict);
    let cell = odd.cell();
    odd.tree(command, cell, strict);
}

impl Odd<'_> {
    fn add(&mut self, name: &str, body: Body) -> ContractId {
        let contract = fixtures::contract(name, body);
        self.catalog.contracts.push(Contract {
            module: "wirecontract_gpu::odd".into(),
            docs: String::new(),
            ..contract
        });
        ContractId(self.catalog.contracts.len() - 1)
    }

    fn recipe(&mut self, name: &str, recipe: Recipe) -> ContractId {
        self.add(name, Body::Recipe(recipe))
    }

    fn union(
        &mut self,
        name: &str,
        tagging: Tagging,
        variants: Vec<Variant>,
        rules: Vec<Rule>,
    ) -> ContractId {
        let lenient = variants.iter().any(|variant| variant.when_absent != WhenAbsent::No);
        let union = Union { tagging, lenient, max_bytes: 2048, max_depth: 6, variants, rules };
        self.add(name, Body::Union(union))
    }

    /// Fields and keys that Python, the generated code or JSON already has a use for.
    fn names(&mut self) {
        let words = [
            "self",
            "from_json",
            "to_dict",
            "class",
            "members",
            "get",
            "value",
            "result",
            "raw",
            "member",
            "holds",
            "item",
            "int",
            "str",
            "dict",
            "list",
            "tuple",
            "type",
            "len",
            "object",
            "property",
            "LookupError",
            "data",
            "out",
            "it",
            "faults",
            "mapping",
            "fd_count",
            "WIRE_ID",
            "_typing",
            "Names",
            "with_defaults",
        ];
        let mut keys: Vec<Key> = words.iter().map(|word| key(word, integer(Scalar::U8), OPTIONAL)).collect();
        keys[0].presence = kept(Literal::Integer(7));
        for (index, name) in
            ["a \"quoted\" \\ key", "{brace}", "ключ", "it's", "", "new\nline"].iter().enumerate()
        {
            keys.push(Key {
                key: (*name).into(),
                ..key(&format!("odd_{index}"), integer(Scalar::I8), OPTIONAL)
            });
        }
        let long = "a_field_with_a_name_of_over_forty_letters";
        keys.push(key(long, JsonType::Text { max_len: Some(3) }, kept(Literal::Text("é\"".into()))));
        self.recipe("Names", recipe(keys, false));
    }

    /// Refuses unknown keys, wherever its own object is.
    fn strict(&mut self) -> ContractId {
        let text = JsonType::Text { max_len: Some(4) };
        let keys = vec![
            key("name", text, Presence::Required),
            Key { lenient: true, ..key("size", integer(Scalar::U16), kept(Literal::Integer(9))) },
        ];
        let mut strict = recipe(keys, true);
        strict.rules =
            vec![rule("size != 13", binary(Op::Ne, number("size", &[1]), Expr::Integer(13)), Moment::Read)];
        self.recipe("Strict", strict)
    }

    /// Rules that may leave their range, divide by zero or ask for what a name does not carry.
    fn numbers(&mut self) {
        let format = JsonType::Enumeration { contract: id::FORMAT, open: true, max_len: None };
        let keys = vec![
            key("a", integer(Scalar::I64), Presence::Required),
            key("b", integer(Scalar::U64), Presence::Required),
            key("format", format, defaulted(Literal::Value(1))),
            key("usage", JsonType::Flags { contract: id::USAGE }, defaulted(Literal::Flags(0))),
            key("access", JsonType::Flags { contract: id::ACCESS }, defaulted(Literal::Flags(0))),
            key("extra", JsonType::Json { max_len: None }, kept(Literal::Integer(0))),
            key("note", JsonType::Text { max_len: None }, defaulted(Literal::Text(String::new()))),
        ];
        let mut keys = keys;
        keys[5].presence = OPTIONAL;
        let (a, b) = (|| number("a", &[0]), || number("b", &[1]));
        let data = |text: &str, key, is_condition| {
            let what = What::Data { path: Path(vec![2]), contract: id::FORMAT, key };
            Expr::Operand(Operand { text: text.into(), what, is_condition })
        };
        let not = |inner| Expr::Not(Box::new(inner));
        let equal = |left, right| binary(Op::Eq, left, right);
        let rules = vec![
            rule(
                "a == 0 || b / a < 100 && a % 7 != 3",
                binary(
                    Op::Or,
                    equal(a(), Expr::Integer(0)),
                    binary(
                        Op::And,
                        binary(Op::Lt, binary(Op::Div, b(), a()), Expr::Integer(100)),
                        binary(Op::Ne, binary(Op::Rem, a(), Expr::Integer(7)), Expr::Integer(3)),
                    ),
                ),
                Moment::Read,
            ),
            rule(
                "!(-a + b * 2 - 1 > 9007199254740993)",
                not(binary(
                    Op::Gt,
                    binary(
                        Op::Sub,
                        binary(Op::Add, Expr::Negate(Box::new(a())), binary(Op::Mul, b(), Expr::Integer(2))),
                        Expr::Integer(1),
                    ),
                    Expr::Integer(9_007_199_254_740_993),
                )),
                Moment::Read,
            ),
            rule(
                "b < 50 || format != Nv12 || planar(format)",
                binary(
                    Op::Or,
                    binary(
                        Op::Or,
                        binary(Op::Lt, b(), Expr::Integer(50)),
                        binary(Op::Ne, number("format", &[2]), Expr::Integer(3)),
                    ),
                    data("planar(format)", 1, true),
                ),
                Moment::Read,
            ),
            rule(
                "a != 5 || sample_bytes(format) * b == 4",
                binary(
                    Op::Or,
                    binary(Op::Ne, a(), Expr::Integer(5)),
                    equal(binary(Op::Mul, data("sample_bytes(format)", 0, false), b()), Expr::Integer(4)),
                ),
                Moment::Read,
            ),
            rule(
                "len(note) <= 3 == (usage < 8)",
                equal(
                    binary(Op::Le, operand("len(note)", What::Length(Path(vec![6]))), Expr::Integer(3)),
                    binary(Op::Lt, number("usage", &[3]), Expr::Integer(8)),
                ),
                Moment::Read,
            ),
            rule(
                "0 == access || has(access, Write)",
                binary(
                    Op::Or,
                    equal(Expr::Integer(0), number("access", &[4])),
                    operand("has(access, Write)", What::Has { path: Path(vec![4]), bits: 2 }),
                ),
                Moment::Import,
            ),
            rule(
                "fd_count - 1 < a || true",
                binary(
                    Op::Or,
                    binary(
                        Op::Lt,
                        binary(Op::Sub, operand("fd_count", What::FdCount), Expr::Integer(1)),
                        a(),
                    ),
                    Expr::Truth(false),
                ),
                Moment::Import,
            ),
        ];
        self.recipe("Numbers", Recipe { rules, ..recipe(keys, false) });
    }

    /// A required name of a closed enumeration, which a rule asks for as soon as it is read.
    fn closed(&mut self) {
        let format = JsonType::Enumeration { contract: id::FORMAT, open: false, max_len: None };
        let keys = vec![key("format", format, Presence::Required)];
        let known = binary(Op::Ne, number("format", &[0]), Expr::Integer(0));
        let rules = vec![rule("format != Unknown", known, Moment::Read)];
        self.recipe("Closed", Recipe { rules, ..recipe(keys, false) });
    }

    /// Internal, of recipes that refuse unknown keys and such that do not.
    fn command(&mut self, strict: ContractId) -> ContractId {
        let variants = vec![
            variant("Strict", holds(JsonType::Recipe(strict))),
            Variant {
                aliases: vec!["l".into(), "L".into()],
                when_absent: WhenAbsent::Default,
                ..variant("Loose", holds(JsonType::Recipe(id::NAMED)))
            },
            variant("Stop", Content::Nothing),
        ];
        let rules = vec![rule(
            "variant != Stop",
            binary(Op::Ne, number("variant", &[]), Expr::Integer(2)),
            Moment::Import,
        )];
        self.union("Command", Tagging::Internal { tag: "do".into(), last: false }, variants, rules)
    }

    /// Adjacent, with the tag behind, of every kind of content.
    fn cell(&mut self) -> ContractId {
        let decimal = JsonType::Integer {
            scalar: Scalar::I64,
            min: i64::MIN.into(),
            max: i64::MAX.into(),
            decimal: true,
        };
        let bytes = JsonType::Bytes { length: Length::AtMost(Some(2)), spelling: Spelling::Base64 };
        let single = JsonType::Float { scalar: Scalar::F32, min: Some(0.0), max: None };
        let bits = Flags {
            repr: Scalar::U16,
            values: self.catalog.get(id::ACCESS).flags().values.clone(),
            open: false,
            spelled: Spelled::Integer,
        };
        let bits = self.add("Bits", Body::Flags(bits));
        let contents = [
            ("Decimal", decimal),
            ("Truth", JsonType::Bool),
            ("Single", single),
            ("Blob", bytes),
            ("Tiling", JsonType::Enumeration { contract: id::TILING, open: true, max_len: None }),
            ("Format", JsonType::Enumeration { contract: id::FORMAT, open: false, max_len: None }),
            ("Usage", JsonType::Flags { contract: id::USAGE }),
            ("Extent", JsonType::Descriptor { contract: id::EXTENT, spelling: Spelling::Base64 }),
            ("Image", JsonType::Recipe(id::IMAGE)),
            ("Any", JsonType::Json { max_len: Some(9) }),
            ("Bits", JsonType::Flags { contract: bits }),
            ("Grid", array(array(integer(Scalar::U8), Length::Exactly(2)), Length::AtMost(Some(2)))),
        ];
        let mut variants: Vec<Variant> =
            contents.into_iter().map(|(name, ty)| variant(name, holds(ty))).collect();
        variants.push(variant("Nothing", Content::Nothing));
        let rules = vec![rule(
            "variant != Truth",
            binary(Op::Ne, number("variant", &[]), Expr::Integer(1)),
            Moment::Read,
        )];
        let tagging = Tagging::Adjacent { tag: "t".into(), content: "c".into(), last: true };
        self.union("Cell", tagging, variants, rules)
    }

    /// Parts in parts, arrays of all kinds, a part that is not imported.
    fn tree(&mut self, command: ContractId, cell: ContractId, strict: ContractId) {
        let flat = |name: &str, ty| Key { flatten: true, ..key(name, ty, Presence::Required) };
        let lenient = |key: Key| Key { lenient: true, ..key };
        let three = Length::AtMost(Some(3));
        let keys = vec![
            flat("command", JsonType::Union(command)),
            flat("cell", JsonType::Union(cell)),
            lenient(key("list", array(JsonType::Recipe(strict), three), OPTIONAL)),
            key("cells", array(JsonType::Union(cell), Length::AtMost(None)), kept(Literal::List(Vec::new()))),
            Key {
                not_imported: true,
                ..key(
                    "pixels",
                    array(JsonType::Recipe(id::PIXELS), Length::Exactly(1)),
                    Presence::Optional { nullable: false, null_when_absent: true, default: None },
                )
            },
            lenient(key(
                "numbers",
                array(JsonType::Float { scalar: Scalar::F64, min: None, max: None }, three),
                OPTIONAL,
            )),
            lenient(key(
                "spelled",
                JsonType::Text { max_len: Some(2) },
                defaulted(Literal::Text("x".into())),
            )),
            key("image", JsonType::Recipe(id::IMAGE), OPTIONAL),
        ];
        let conditions = vec![Condition {
            field: 3,
            kind: ConditionKind::UsedIf,
            rule: rule("present(list)", operand("present(list)", What::Present(Path(vec![2]))), Moment::Read),
        }];
        let rules = vec![rule(
            "command != Stop || cell == Nothing",
            binary(
                Op::Or,
                binary(Op::Ne, number("command", &[0]), Expr::Integer(2)),
                binary(Op::Eq, number("cell", &[1]), Expr::Integer(12)),
            ),
            Moment::Read,
        )];
        self.recipe("Tree", Recipe { conditions, rules, ..recipe(keys, true) });
    }
}

fn recipe(keys: Vec<Key>, deny_unknown: bool) -> Recipe {
    Recipe { deny_unknown, max_bytes: 2048, max_depth: 6, keys, conditions: Vec::new(), rules: Vec::new() }
}
