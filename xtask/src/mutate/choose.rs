//! Which mutants a run makes: the same for one seed, and of every kind of change in turn.

use std::collections::BTreeMap;

/// The places of each operator, as the seed mixes them.
type Operators<'name> = BTreeMap<&'name str, Vec<(u64, usize)>>;

/// The order in which candidates are taken: one of each area (`field`, `key`, `param`, …) in turn, within an area one of
/// each operator, and of an operator's places those that the seed picks. What is named first is what a sample takes.
pub(crate) fn order<'name>(
    seed: u64,
    names: impl IntoIterator<Item = (&'name str, &'name str)>,
) -> Vec<usize> {
    let mut areas: BTreeMap<&str, Operators<'_>> = BTreeMap::new();
    for (index, (operator, name)) in names.into_iter().enumerate() {
        let area = operator.split('.').next().unwrap_or(operator);
        let places = areas.entry(area).or_default().entry(operator).or_default();
        places.push((mixed(seed, name), index));
    }
    let mut lanes: Vec<(u64, Vec<usize>)> = Vec::new();
    for (area, operators) in areas {
        let mut operators: Vec<(u64, Vec<usize>)> = operators
            .into_iter()
            .map(|(operator, mut places)| {
                places.sort_unstable();
                (mixed(seed, operator), places.into_iter().map(|(_, index)| index).collect())
            })
            .collect();
        operators.sort();
        let places: Vec<Vec<usize>> = operators.into_iter().map(|(_, places)| places).collect();
        let lane = in_turn(&places);
        lanes.push((mixed(seed, area), lane));
    }
    lanes.sort();
    let lanes: Vec<Vec<usize>> = lanes.into_iter().map(|(_, lane)| lane).collect();
    in_turn(&lanes)
}

/// The first of each, the second of each, and so on.
fn in_turn(lanes: &[Vec<usize>]) -> Vec<usize> {
    let longest = lanes.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|at| lanes.iter().filter_map(move |lane| lane.get(at).copied())).collect()
}

/// FNV-1a 64 over seed and name.
fn mixed(seed: u64, name: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::order;

    const NAMES: [(&str, &str); 6] = [
        ("field.type", "a"),
        ("field.type", "b"),
        ("field.type", "c"),
        ("field.name", "d"),
        ("key.name", "e"),
        ("param.type", "f"),
    ];

    #[test]
    fn every_area_is_taken_before_one_is_taken_twice_and_every_operator_before_its_second_place() {
        for seed in 0..20 {
            let order = order(seed, NAMES);
            let areas: Vec<&str> =
                order[..3].iter().map(|&at| NAMES[at].0.split('.').next().unwrap()).collect();
            assert!(["field", "key", "param"].iter().all(|area| areas.contains(area)), "{areas:?}");
            let fields: Vec<&str> =
                order.iter().map(|&at| NAMES[at].0).filter(|name| name.starts_with("field")).collect();
            assert!(fields[..2].contains(&"field.name") && fields[..2].contains(&"field.type"), "{fields:?}");
        }
    }

    #[test]
    fn a_seed_gives_one_order_and_another_seed_another_one() {
        assert_eq!(order(1, NAMES), order(1, NAMES));
        assert!((2..20).any(|seed| order(seed, NAMES) != order(1, NAMES)));
    }
}
