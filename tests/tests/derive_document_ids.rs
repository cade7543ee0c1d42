//! What changes the ids of a recipe, of a union and of what JSON spells, and what does not.

use wirecontract::Contract as _;
use wirecontract_codegen::model::Contract;

/// Both ids of the contract `C` that these tokens declare; tests compare declarations that differ in one thing.
macro_rules! ids {
    ($($tokens:tt)*) => {{
        #[allow(dead_code, missing_docs, unused_imports, reason = "declared for its ids")]
        mod declared {
            use std::collections::BTreeMap;
            use wirecontract::{Flags, Json, Open, OpenName, UnknownVariant, WireContract};
            type Number = u32;
            const TWO: usize = 2;

            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire(enumeration)]
            pub(super) enum Mode {
                A = 0,
                B = 1,
            }

            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire(flags)]
            pub(super) enum Bits {
                A = 1,
                B = 2,
            }

            #[derive(WireContract)]
            #[repr(C)]
            #[wire(descriptor)]
            pub(super) struct Place {
                x: u8,
            }

            #[derive(WireContract)]
            #[wire(recipe)]
            pub(super) struct Part {
                p: u32,
            }

            #[derive(WireContract)]
            #[wire(recipe)]
            pub(super) struct Other {
                q: u32,
            }

            $($tokens)*
        }
        (declared::C::WIRE_ID, declared::C::SOURCE_ID)
    }};
}

macro_rules! recipe {
    ([$($keys:tt)*] $($fields:tt)*) => {
        ids! {
            #[derive(WireContract)]
            #[wire(recipe, $($keys)*)]
            pub(super) struct C {
                $($fields)*
            }
        }
    };
}

macro_rules! union {
    ([$($keys:tt)*] $($variants:tt)*) => {
        ids! {
            #[derive(WireContract)]
            #[wire(union, $($keys)*)]
            pub(super) enum C {
                $($variants)*
            }
        }
    };
}

macro_rules! values {
    ([$($keys:tt)*] $($values:tt)*) => {
        ids! {
            #[derive(WireContract, Clone, Copy)]
            #[repr(u8)]
            #[wire($($keys)*)]
            pub(super) enum C {
                $($values)*
            }
        }
    };
}

fn distinct(all: &[(u64, u64)]) {
    for (index, one) in all.iter().enumerate() {
        for (other_index, other) in all[..index].iter().enumerate() {
            assert_ne!(one.0, other.0, "{other_index} and {index}");
        }
    }
}

/// The contract of these ids as this program's own record has it, and its ids when the record is written again.
fn recorded((wire, source): (u64, u64)) -> (Contract, (u64, u64)) {
    use wirecontract_codegen::catalog::{encode, read_file, resolve};
    let library = read_file(&std::env::current_exe().unwrap()).unwrap();
    let find = |source| library.records.iter().find(|record| record.contract.source_id == source).unwrap();
    let mut records = vec![find(source)];
    let mut next = 0;
    while let Some(record) = records.get(next) {
        let nested: Vec<_> = record.nested.iter().map(|nested| find(nested.source_id)).collect();
        records.extend(nested);
        next += 1;
    }
    let catalog = resolve(records).unwrap();
    let written = encode::records(&catalog, encode::Target::X86_64).pop().unwrap();
    let contract = catalog.contracts.last().unwrap().clone();
    assert_eq!((contract.wire_id, contract.source_id), (wire, source));
    (contract, (written.wire_id, written.source_id))
}

#[test]
fn a_rename_keeps_the_wire_id_where_rules_and_conditions_name_the_field() {
    let base = recipe!([rule(a <= 3 && has(m, A)), rule(big: p.p != 2 || len(a_b) > (a))]
        a: u32, #[wire(one_of(a: 1), required_if(a == 1))] b: Option<u32>, m: Flags<Bits>, p: Part, a_b: String,);
    let renamed = recipe!([rule(x <= 3 && has(m, A)), rule(big: q.p != 2 || len(t) > (x))]
        #[wire(name = "a")] x: u32, #[wire(one_of(x: 1), required_if(x == 1))] b: Option<u32>,
        m: Flags<Bits>, #[wire(name = "p")] q: Part, #[wire(name = "a_b")] t: String,);
    assert_eq!(renamed.0, base.0);
    assert_ne!(renamed.1, base.1);
    let other = recipe!([rule(b <= 3)] a: u32, b: u32,);
    assert_eq!(
        recipe!([rule(a <= 3)] #[wire(name = "b")] a: u32, #[wire(name = "a")] b: u32,).0,
        recipe!([rule(b <= 3)] b: u32, a: u32,).0,
        "two that changed names"
    );
    assert_ne!(recipe!([rule(a <= 3)] a: u32, b: u32,).0, other.0);
    assert_eq!(
        recipe!([rename_all = "camelCase", rule(first_one <= 3)] first_one: u32,).0,
        recipe!([rule(one <= 3)] #[wire(name = "firstOne")] one: u32,).0
    );

    let (contract, written) = recorded(renamed);
    assert_eq!(written, renamed);
    let texts: Vec<&str> = contract.rules().iter().map(|rule| rule.text.as_str()).collect();
    assert_eq!(texts, ["x <= 3 && has(m, A)", "q.p != 2 || len(t) > (x)"]);
    let texts: Vec<&str> = contract.conditions().iter().map(|it| it.rule.text.as_str()).collect();
    assert_eq!(texts, ["x == 1", "x == 1"]);
    assert_eq!(recorded(base).1, base);
}

#[test]
fn a_variant_without_a_tag_takes_none_from_another() {
    let base = union!([tag = "t", rename_all = "snake_case"]
        #[wire(no_tag)] A(Part), #[wire(name = "a")] B(Part), #[wire(open)] D(UnknownVariant),);
    let renamed = union!([tag = "t", rename_all = "snake_case"]
        #[wire(no_tag)] First(Part), #[wire(name = "a")] B(Part), #[wire(open)] Later(UnknownVariant),);
    assert_eq!(renamed.0, base.0, "what is never written has no name in JSON");
    assert_ne!(renamed.1, base.1);
    for union in [base, renamed] {
        let (contract, written) = recorded(union);
        assert_eq!(written, union);
        let tags = contract.union().variants.iter().map(|variant| variant.tag.as_str());
        assert_eq!(tags.collect::<Vec<_>>(), ["", "a", ""]);
    }
}

#[test]
fn what_is_the_same_in_a_document_has_one_wire_id() {
    let base = recipe!([] a: u32, b: Option<String>,);
    for same in [
        recipe!([] a: Number, b: Option<String>,),
        recipe!([rename_all = "camelCase"] a: u32, b: Option<String>,),
        recipe!([max_bytes = 1048576, max_depth = 64] a: u32, b: std::option::Option<std::string::String>,),
    ] {
        assert_eq!(same, base);
    }
    let renamed = recipe!([] #[wire(name = "a")] x: u32, b: Option<String>,);
    assert_eq!(renamed.0, base.0);
    assert_ne!(renamed.1, base.1);
    assert_eq!(
        recipe!([] #[wire(default = A | B)] a: Flags<Bits>,),
        recipe!([] #[wire(default = B | A | B)] a: Flags<Bits>,)
    );
    assert_eq!(
        recipe!([] #[wire(default = A)] a: Mode, #[wire(null_when_absent)] b: Option<u8>,),
        recipe!([] #[wire(default = Mode::A)] a: Mode, #[wire(nullable, null_when_absent)] b: Option<u8>,)
    );
    assert_eq!(
        recipe!([] #[wire(min = 1, max = 2)] a: f64, #[wire(default = 1)] b: f64, c: [u8; TWO],),
        recipe!([] #[wire(max = 2.0, min = 1.0)] a: f64, #[wire(default = 1.0)] b: f64, c: [u8; 2],)
    );
    assert_eq!(
        recipe!([rule(a > 0x10 && (a < 20))] a: u32,),
        recipe!([rule(a>0x1_0&&(a<20)), at = read] a: u32,)
    );
}

#[test]
fn documentation_and_names_of_c_are_of_the_source_only() {
    let recipe_base = recipe!([] a: u32, b: Option<String>,);
    for other in [
        recipe!([] /** Said of it. */ a: u32, b: Option<String>,),
        recipe!([c_name = "c"] a: u32, b: Option<String>,),
        recipe!([] #[wire(c_name = "c")] a: u32, b: Option<String>,),
        recipe!([version = 2] a: u32, b: Option<String>,),
        recipe!([deprecated = "old"] a: u32, b: Option<String>,),
        recipe!([] a: u32, #[wire(since = 2)] b: Option<String>,),
    ] {
        assert_eq!(other.0, recipe_base.0);
        assert_ne!(other.1, recipe_base.1);
    }
    let union_base = union!([tag = "t"] A(Part), B,);
    for other in [
        union!([tag = "t"] /** Said of it. */ A(Part), B,),
        union!([tag = "t"] #[wire(name = "A")] X(Part), B,),
        union!([tag = "t", c_name = "c"] A(Part), B,),
        union!([tag = "t"] A(Part), #[wire(deprecated = "old")] B,),
    ] {
        assert_eq!(other.0, union_base.0);
        assert_ne!(other.1, union_base.1);
    }
}

#[test]
fn whatever_is_other_in_a_document_has_another_wire_id() {
    distinct(&[
        recipe!([] a: u32, b: Option<u32>,),
        recipe!([] b: Option<u32>, a: u32,),
        recipe!([] a: u32,),
        recipe!([] x: u32, b: Option<u32>,),
        recipe!([] a: i32, b: Option<u32>,),
        recipe!([] a: u64, b: Option<u32>,),
        recipe!([] a: f32, b: Option<u32>,),
        recipe!([] a: bool, b: Option<u32>,),
        recipe!([] a: String, b: Option<u32>,),
        recipe!([] a: Json, b: Option<u32>,),
        recipe!([] a: BTreeMap<String, String>, b: Option<u32>,),
        recipe!([] a: Vec<u8>, b: Option<u32>,),
        recipe!([] a: [u8; 16], b: Option<u32>,),
        recipe!([] a: [u8; 15], b: Option<u32>,),
        recipe!([] a: Vec<Vec<u8>>, b: Option<u32>,),
        recipe!([] a: [Vec<u8>; 16], b: Option<u32>,),
        recipe!([] #[wire(hex)] a: Vec<u8>, b: Option<u32>,),
        recipe!([] #[wire(base64)] a: Vec<u8>, b: Option<u32>,),
        recipe!([] #[wire(hex)] a: [u8; 16], b: Option<u32>,),
        recipe!([] #[wire(uuid)] a: [u8; 16], b: Option<u32>,),
        recipe!([] #[wire(hex)] a: Vec<Vec<u8>>, b: Option<u32>,),
        recipe!([] #[wire(decimal_string)] a: u32, b: Option<u32>,),
        recipe!([] a: Mode, b: Option<u32>,),
        recipe!([] a: OpenName<Mode>, b: Option<u32>,),
        recipe!([] a: Flags<Bits>, b: Option<u32>,),
        recipe!([] #[wire(hex)] a: Place, b: Option<u32>,),
        recipe!([] #[wire(base64)] a: Place, b: Option<u32>,),
        recipe!([] a: Part, b: Option<u32>,),
        recipe!([] #[wire(flatten)] a: Part, b: Option<u32>,),
        recipe!([deny_unknown] a: u32, b: Option<u32>,),
        recipe!([max_bytes = 100] a: u32, b: Option<u32>,),
        recipe!([max_depth = 3] a: u32, b: Option<u32>,),
        recipe!([] #[wire(min = 1)] a: u32, b: Option<u32>,),
        recipe!([] #[wire(max = 1)] a: u32, b: Option<u32>,),
        recipe!([] #[wire(max_len = 1)] a: String, b: Option<u32>,),
        recipe!([] #[wire(max_items = 1)] a: Vec<u8>, b: Option<u32>,),
        recipe!([] a: u32, b: u32,),
        recipe!([] a: u32, #[wire(default = 1)] b: u32,),
        recipe!([] a: u32, #[wire(default = 2)] b: u32,),
        recipe!([] a: u32, #[wire(default = 1, skip_default)] b: u32,),
        recipe!([] a: u32, #[wire(default = 1, nullable)] b: u32,),
        recipe!([] a: u32, #[wire(default = 1, lenient)] b: u32,),
        recipe!([] a: u32, #[wire(default = 1)] b: Option<u32>,),
        recipe!([] a: u32, #[wire(nullable)] b: Option<u32>,),
        recipe!([] a: u32, #[wire(null_when_absent)] b: Option<u32>,),
        recipe!([] a: u32, #[wire(lenient)] b: Option<u32>,),
        recipe!([] a: u32, #[wire(required_if(a == 1))] b: Option<u32>,),
        recipe!([] a: u32, #[wire(required_if(a == 1, at = import))] b: Option<u32>,),
        recipe!([] a: u32, #[wire(one_of(a: 1))] b: Option<u32>,),
        recipe!([rule(a == 1)] a: u32, b: Option<u32>,),
        recipe!([rule(a == 2)] a: u32, b: Option<u32>,),
        recipe!([rule(n: a == 1)] a: u32, b: Option<u32>,),
        recipe!([rule(a == 1), at = import] a: u32, b: Option<u32>,),
        recipe!([rule(a == 1), rule(a == 2)] a: u32, b: Option<u32>,),
        recipe!([rule(a == 2), rule(a == 1)] a: u32, b: Option<u32>,),
    ]);
}

#[test]
fn whatever_is_other_of_a_union_has_another_wire_id() {
    distinct(&[
        union!([tag = "t"] A(Part), B(Part),),
        union!([tag = "t"] B(Part), A(Part),),
        union!([tag = "u"] A(Part), B(Part),),
        union!([tag = "t", tag_last] A(Part), B(Part),),
        union!([tag = "t", content = "c"] A(Part), B(Part),),
        union!([tag = "t", content = "d"] A(Part), B(Part),),
        union!([untagged] A(Part), B(Other),),
        union!([untagged] B(Other), A(Part),),
        union!([tag = "t", tag_default = A] A(Part), B(Part),),
        union!([tag = "t", tag_default = B] A(Part), B(Part),),
        union!([tag = "t", rename_all = "snake_case"] A(Part), B(Part),),
        union!([tag = "t", max_bytes = 100] A(Part), B(Part),),
        union!([tag = "t", max_depth = 3] A(Part), B(Part),),
        union!([tag = "t", rule(variant == A)] A(Part), B(Part),),
        union!([tag = "t"] #[wire(no_tag)] A(Part), B(Part),),
        union!([tag = "t"] #[wire(alias("x"))] A(Part), B(Part),),
        union!([tag = "t"] A(Part), B,),
        union!([tag = "t"] A(Part), #[wire(open)] B(UnknownVariant),),
        union!([tag = "t", content = "c"] A(u8), B(Part),),
        union!([tag = "t", content = "c"] #[wire(default = 1)] A(u8), B(Part),),
        union!([tag = "t", content = "c"] #[wire(default = 2)] A(u8), B(Part),),
    ]);
    assert_eq!(
        union!([tag = "t"] #[wire(alias("x", "y"))] A(Part),),
        union!([tag = "t"] #[wire(alias("y"), alias("x"))] A(Part),)
    );
    assert_eq!(union!([tag = "t"] A(Part),), union!([tag = "t"] A(Box<Part>),));
}

#[test]
fn how_json_spells_values_is_meaning() {
    distinct(&[
        values!([enumeration] A = 1),
        values!([enumeration, as = integer] A = 1),
        values!([enumeration, case = fold] A = 1),
        values!([flags] A = 1),
        values!([flags, as = names] A = 1),
    ]);
    assert_eq!(values!([enumeration, as = names, case = exact] A = 1), values!([enumeration] A = 1));
    assert_eq!(values!([flags, as = integer] A = 1), values!([flags] A = 1));
}

#[test]
fn a_held_contract_counts_with_its_wire_id_and_its_source_id() {
    macro_rules! holding {
        ([$($docs:tt)*] $ty:ty) => {
            ids! {
                #[derive(WireContract)]
                #[wire(recipe)]
                pub(super) struct Inner {
                    $($docs)* a: $ty,
                }
                #[derive(WireContract)]
                #[wire(recipe)]
                pub(super) struct C {
                    inner: Option<Vec<Inner>>,
                }
            }
        };
    }
    let (base, documented, other) = (holding!([] u8), holding!([/** Documented. */] u8), holding!([] u16));
    assert_eq!(base.0, documented.0);
    assert_ne!(base.1, documented.1);
    assert_ne!(base.0, other.0);
}
