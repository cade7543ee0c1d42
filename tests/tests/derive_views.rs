//! Getters over checked bytes give what reading gives, without reading.

mod derive;

use derive::{Axis, Fault, Frame, Mode, bytes, frame};
use wirecontract::{Flags, Open, WireContract};

#[test]
fn getters_give_what_reading_gives() {
    let bytes = bytes();
    let view = Frame::view(&bytes).unwrap();
    let value = frame();
    assert_eq!((view.ok(), view.version(), view.count()), (value.ok, value.version, value.count));
    assert_eq!(view.magic(), Frame::MAGIC);
    assert_eq!((view.open(), view.hints()), (value.open, value.hints));
    assert_eq!((view.name(), view.bits(), view.wide().to_bits()), ("arm", 1.5, value.wide.to_bits()));
    assert_eq!((view.stamp().version(), view.stamp().magic()), (3, &b"ST"[..]));
    assert_eq!(Frame::from(view), value);
    assert_eq!(view.as_ref(), bytes);
}

#[test]
fn arrays_are_read_element_by_element() {
    let bytes = bytes();
    let view = Frame::view(&bytes).unwrap();
    let axes = view.axes();
    assert_eq!((axes.len(), axes.is_empty()), (1, false), "the elements that count");
    assert!(axes.get(1).is_none() && axes.get(usize::MAX).is_none());
    let row = axes.get(0).unwrap();
    assert_eq!(row.len(), 2);
    let first = row.get(0).unwrap();
    assert_eq!((first.mode(), first.locked(), first.ticks()), (Mode::FirstGear, true, 0x0102_0304));
    assert!(first.faults().contains(Fault::Loud) && !first.faults().contains(Fault::Wet));
    assert_eq!(Axis::from(first), frame().axes[0][0]);
    assert_eq!(axes.iter().flat_map(|row| row.iter()).map(Axis::from).count(), 2);
    assert_eq!(axes.as_bytes(), &bytes[32..48]);
    assert_eq!((view.left(), view.right().iter().collect::<Vec<_>>()), (&[7][..], vec![0x0908]));
}

#[test]
fn a_view_outlives_what_made_it() {
    let bytes = bytes();
    let name = {
        let view = Frame::view(&bytes).unwrap();
        view.name()
    };
    let axis = Frame::view(&bytes).unwrap().axes().get(0).unwrap().get(0).unwrap();
    assert_eq!((name, axis.locked()), ("arm", true));
}

/// Arrays of everything that is not a byte.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, endian = big)]
struct Arrays {
    modes: [Mode; 2],
    open: [Open<Mode>; 2],
    faults: [Flags<Fault>; 4],
    bools: [bool; 4],
    numbers: [i64; 1],
    bytes: [[u8; 2]; 4],
}

#[test]
fn arrays_in_views_are_in_the_byte_order_of_their_field() {
    let value = Arrays {
        modes: [Mode::FirstGear, Mode::SecondGear],
        open: [Open::from_raw(1), Open::from(Mode::Off)],
        faults: [Flags::empty(), Fault::Hot.into(), Fault::Wet.into(), Flags::all()],
        bools: [true, false, true, true],
        numbers: [-2],
        bytes: [[1, 2], [3, 4], [5, 6], [7, 8]],
    };
    let bytes = value.to_bytes().unwrap();
    let view = Arrays::view(&bytes).unwrap();
    assert!(view.modes().iter().eq(value.modes));
    assert!(view.open().iter().eq(value.open));
    assert!(view.faults().iter().eq(value.faults));
    assert!(view.bools().iter().eq(value.bools));
    assert!(view.numbers().iter().eq(value.numbers));
    assert!(view.bytes().iter().eq(value.bytes.iter().map(<[u8; 2]>::as_slice)));
    assert_eq!(format!("{:?}", view.modes()), "[FirstGear, SecondGear]");
}

#[test]
fn a_view_shows_its_bytes() {
    assert_eq!(format!("{:?}", Axis::view(&[0; 8]).unwrap()), "AxisView { bytes: [0, 0, 0, 0, 0, 0, 0, 0] }");
}
