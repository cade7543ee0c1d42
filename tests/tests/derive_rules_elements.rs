//! What rules of documents ask of all elements of an array: of required keys, of those that stand for a default, of what
//! is nested, and of descriptors in them.

use wirecontract::{WireContract, WireJson};

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
struct Extents {
    sizes: Vec<u64>,
    #[wire(default = [2, 3])]
    steps: Option<Vec<i32>>,
    #[wire(default = [4, 5])]
    pair: Option<[u8; 2]>,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, layout = packed)]
struct Counted {
    #[wire(length_of = numbers)]
    count: u8,
    numbers: [i16; 3],
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
#[wire(rule(own: product(own) == 6))]
#[wire(rule(steps: least(steps) == -1))]
#[wire(rule(nested: product(extents.sizes) == 12 && least(extents.sizes) == 3))]
#[wire(rule(nested_steps: product(extents.steps) == 6 && least(extents.steps) == 2))]
#[wire(rule(nested_pair: product(extents.pair) == 20 && least(extents.pair) == 4))]
#[wire(rule(counted: product(counted.numbers) == 7 && least(counted.numbers) == 1))]
struct Ruled {
    own: [u32; 2],
    #[wire(default = [5, -1])]
    steps: Option<Vec<i64>>,
    extents: Extents,
    #[wire(hex)]
    counted: Counted,
}

const EXTENTS: &str = r#"{"sizes":[3,4]}"#;
// Two numbers count, 7 and 1; the third does not.
const COUNTED: &str = "02070001000000";

fn verdict(own: &str, steps: &str, extents: &str, counted: &str) -> Result<(), String> {
    let steps = if steps.is_empty() { String::new() } else { format!(r#""steps":{steps},"#) };
    let document = format!(r#"{{"own":{own},{steps}"extents":{extents},"counted":"{counted}"}}"#);
    let read = Ruled::from_json(document.as_bytes());
    if let Ok(value) = &read {
        assert_eq!(value.to_json().as_deref(), Ok(&*document));
    }
    read.map(|_| ()).map_err(|error| error.to_string())
}

fn refused(rule: &str, found: &str) -> Result<(), String> {
    Err(format!("Ruled at byte 0: rule_violated: expected {rule}, found {found}"))
}

#[test]
fn elements_are_asked_wherever_the_array_is() {
    assert_eq!(verdict("[2,3]", "", EXTENTS, COUNTED), Ok(()));
    assert_eq!(verdict("[2,4]", "", EXTENTS, COUNTED), refused("own: product(own) == 6", "product(own) = 8"));
    assert_eq!(verdict("[2,3]", "[9,-1,3]", EXTENTS, COUNTED), Ok(()));
    let steps = "steps: least(steps) == -1";
    assert_eq!(verdict("[2,3]", "[9,-2]", EXTENTS, COUNTED), refused(steps, "least(steps) = -2"));
    assert_eq!(verdict("[2,3]", "[]", EXTENTS, COUNTED), refused(steps, "least(steps) = none"));
}

#[test]
fn elements_of_what_is_nested_are_those_of_the_default_where_it_is_absent() {
    let nested = "nested: product(extents.sizes) == 12 && least(extents.sizes) == 3";
    let sizes = |sizes: &str| verdict("[2,3]", "", &format!(r#"{{"sizes":{sizes}}}"#), COUNTED);
    assert_eq!(sizes("[4,3]"), Ok(()));
    assert_eq!(sizes("[2,6]"), refused(nested, "product(extents.sizes) = 12, least(extents.sizes) = 2"));
    assert_eq!(sizes("[]"), refused(nested, "product(extents.sizes) = 1, least(extents.sizes) = none"));
    let huge = "[18446744073709551615,3]";
    assert_eq!(sizes(huge), refused(nested, "product(extents.sizes) = none, least(extents.sizes) = 3"));

    let with = |key: &str| verdict("[2,3]", "", &format!(r#"{{"sizes":[3,4],{key}}}"#), COUNTED);
    assert_eq!(with(r#""steps":[3,2]"#), Ok(()));
    assert_eq!(
        with(r#""steps":[-1,-6]"#),
        refused(
            "nested_steps: product(extents.steps) == 6 && least(extents.steps) == 2",
            "product(extents.steps) = 6, least(extents.steps) = -6"
        )
    );
    assert_eq!(with(r#""pair":[5,4]"#), Ok(()));
    assert_eq!(
        with(r#""pair":[5,5]"#),
        refused(
            "nested_pair: product(extents.pair) == 20 && least(extents.pair) == 4",
            "product(extents.pair) = 25, least(extents.pair) = 5"
        )
    );
}

#[test]
fn of_a_descriptor_those_count_that_it_counts() {
    let counted = "counted: product(counted.numbers) == 7 && least(counted.numbers) == 1";
    assert_eq!(
        verdict("[2,3]", "", EXTENTS, "03070001000000"),
        refused(counted, "product(counted.numbers) = 0, least(counted.numbers) = 0")
    );
    assert_eq!(
        verdict("[2,3]", "", EXTENTS, "01070001000000"),
        refused(counted, "product(counted.numbers) = 7, least(counted.numbers) = 7")
    );
}
