//! Enumerations and flags as values: names, numbers, data, and what is not known.

mod derive;

use std::collections::HashSet;

use derive::{Fault, Hint, Mode};
use wirecontract::{Code, Contract, Enumeration, FlagSet, Flags, Kind, Open};

#[test]
fn an_enumeration_knows_its_numbers_and_names() {
    assert_eq!(
        Mode::VALUES.iter().map(|value| value.value).collect::<Vec<_>>(),
        [Mode::FirstGear, Mode::Off, Mode::SecondGear]
    );
    assert_eq!((Mode::NAME, Mode::KIND), ("Mode", Kind::Enumeration));
    assert_eq!(
        (Mode::FirstGear.value(), Mode::FirstGear.name(), Mode::SecondGear.name()),
        (-7, "first_gear", "2nd")
    );
    assert_eq!((Mode::from_value(300), Mode::from_value(301)), (Some(Mode::SecondGear), None));
    assert_eq!((Mode::from_name("zero"), Mode::from_name("Idle")), (Some(Mode::Off), Some(Mode::Off)));
    assert_eq!((Mode::from_name("2nd"), Mode::from_name("SecondGear")), (Some(Mode::SecondGear), None));
    assert_eq!(Mode::IDLE, Mode::Off);
}

#[test]
fn data_is_asked_of_the_value() {
    const LEVEL: i64 = Mode::FirstGear.level();
    assert_eq!((LEVEL, Mode::SecondGear.label(), Mode::Off.busy()), (-5, "two", false));
}

#[test]
fn an_open_number_is_kept_and_known_when_it_has_a_name() {
    let (known, unknown) = (Open::from(Mode::FirstGear), Open::<Mode>::from_raw(5));
    assert_eq!((known.raw(), known.known(), known == Mode::FirstGear), (-7, Some(Mode::FirstGear), true));
    assert_eq!((unknown.raw(), unknown.known()), (5, None));
    assert_eq!(format!("{known:?} {unknown:?}"), "first_gear Mode(5)");
    assert_eq!(known, Open::from_raw(-7));
    assert_ne!(known, unknown);
    assert_eq!(HashSet::from([known, unknown, known]).len(), 2);
}

#[test]
fn flags_are_a_set_of_named_bits() {
    let mut set = Fault::Hot | Fault::Loud;
    assert_eq!((set.bits(), Fault::KNOWN_BITS, Fault::KIND), (0x81, 0x87, Kind::Flags));
    assert!(set.contains(Fault::Hot) && !set.contains(Fault::Wet) && set.contains(Fault::Hot | Fault::Loud));
    set.insert(Fault::Wet);
    assert_eq!(set, Flags::all());
    set.remove(Fault::Hot | Fault::Loud);
    assert_eq!(set, Fault::Wet.into());
    assert!(!set.contains(Fault::Hot | Fault::Wet) && !set.is_empty());
    assert_eq!((!set).bits(), 0x81);
    assert_eq!((set & Fault::Hot, Flags::<Fault>::default()), (Flags::empty(), Flags::empty()));
    assert_eq!(Flags::<Fault>::all().iter().collect::<Vec<_>>(), [Fault::Hot, Fault::Wet, Fault::Loud]);
    assert_eq!([Fault::Hot, Fault::Loud].into_iter().collect::<Flags<Fault>>().bits(), 0x81);
    assert_eq!(Flags::<Fault>::from_bits(0x82).map(|set| set.into_iter().collect()), Some(vec![Fault::Loud]));
    set |= Fault::Hot;
    assert_eq!(format!("{set:?} {:?}", Flags::<Fault>::empty()), "{Hot | Wet} {}");
    assert_eq!(HashSet::from([set, Fault::Hot | Fault::Wet]).len(), 1);
}

#[test]
fn closed_flags_have_no_unknown_bits_and_open_ones_keep_them() {
    assert_eq!((Flags::<Fault>::from_bits(8), Fault::OPEN), (None, false));
    let hints = Flags::<Hint>::from_bits(0x8102).unwrap();
    assert_eq!((hints.bits(), hints.unknown_bits(), Hint::OPEN), (0x8102, 0x102, true));
    assert_eq!(format!("{hints:?}"), "{Late | 0x102}");
    assert_eq!((!hints).bits(), 1, "of the bits that have a name");
}

#[test]
fn the_codes_are_an_enumeration_themselves() {
    assert_eq!(Code::VALUES.len(), 36);
    assert!(Code::VALUES.iter().zip(0..).all(|(value, number)| value.value.value() == number));
    assert_eq!(
        (Code::ReservedNotZero.name(), Code::from_name("bad_utf8")),
        ("reserved_not_zero", Some(Code::BadUtf8))
    );
}
