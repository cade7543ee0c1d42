//! Rules at import: of what is nested, in declared order, then one's own.

use wirecontract::{WireContract, WireJson};

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 4, rule(area: width > 0), at = import)]
struct Area {
    width: u32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(even: n % 2 == 0), at = import)]
struct Part {
    n: u32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "t", rename_all = "snake_case")]
enum Choice {
    Part(Part),
    Nothing,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(fds: fd_count == len(parts)), at = import)]
struct Whole {
    #[wire(hex)]
    area: Area,
    parts: Vec<Part>,
    #[wire(flatten)]
    choice: Choice,
    boxed: Option<Box<Part>>,
}

#[test]
fn what_is_nested_is_looked_at_first_and_in_order() {
    let part = |n| Part { n };
    let sound = Whole {
        area: Area { width: 1 },
        parts: vec![part(2), part(4)],
        choice: Choice::Part(part(6)),
        boxed: Some(Box::new(part(8))),
    };
    assert_eq!(sound.validate_import(2), Ok(()));
    let told = |value: &Whole, fds| value.validate_import(fds).unwrap_err().to_string();
    let mut value = sound.clone();
    assert_eq!(
        told(&value, 1),
        "Whole at byte 0: rule_violated: expected fds: fd_count == len(parts), found fd_count = 1, len(parts) = 2"
    );
    let even = |n| format!("Part at byte 0: rule_violated: expected even: n % 2 == 0, found n = {n}");
    value.boxed = Some(Box::new(part(7)));
    assert_eq!(told(&value, 1), even(7));
    value.choice = Choice::Part(part(5));
    assert_eq!(told(&value, 1), even(5));
    value.parts[1] = part(3);
    assert_eq!(told(&value, 1), even(3));
    value.area.width = 0;
    assert_eq!(told(&value, 1), "Area at byte 0: rule_violated: expected area: width > 0, found width = 0");
    // None of it is asked of who only reads or writes.
    let document = value.to_json().unwrap();
    assert_eq!(Whole::from_json(document.as_bytes()), Ok(value));
    assert_eq!(Whole { choice: Choice::Nothing, ..sound }.validate_import(2), Ok(()));
}
