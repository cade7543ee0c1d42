//! Documents as C is given them, with a mirror as the generator writes it.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;

use wirecontract::__private::{Key, Plain};
use wirecontract::export::documents::{
    Array, At, CArena, CError, CFaults, Memory, Mirror, Str, Truth, arena_free, from_json, from_json_lenient,
    to_json,
};
use wirecontract::export::{COwnedBytes, free};
use wirecontract::{Code, WireContract, WireError};

/// What a camera offers.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(first: len(widths) > 0))]
struct Offer {
    #[wire(max_len = 8)]
    name: String,
    #[wire(max_items = 3)]
    widths: Vec<u32>,
    #[wire(default = false, lenient)]
    raw: Option<bool>,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct COffer {
    present: u64,
    name: Str,
    widths: Array<u32>,
    raw: Truth,
}

static NAME: Key = Key::new("Offer", "name", "").max_len(8);
static WIDTHS: Key = Key::new("Offer", "widths", "").max_items(3);
static RAW: Key = Key::new("Offer", "raw", "");

// SAFETY: its members can all be zero, and stand as C has them.
unsafe impl Mirror<Offer> for COffer {
    unsafe fn take(&self, at: At<'_>) -> Result<Offer, WireError> {
        // SAFETY: the caller's word is the same, of each member.
        unsafe {
            at.ruled(Offer {
                name: Mirror::<_, Plain>::take(&self.name, at.key(&NAME))?,
                widths: Mirror::<_, Plain>::take(&self.widths, at.key(&WIDTHS))?,
                raw: if self.present & 1 != 0 {
                    Some(Mirror::<_, Plain>::take(&self.raw, at.key(&RAW))?)
                } else {
                    None
                },
            })
        }
    }

    fn of(value: &Offer, memory: &mut Memory) -> Self {
        COffer {
            present: u64::from(value.raw.is_some()),
            name: Mirror::<_, Plain>::of(&value.name, memory),
            widths: Mirror::<_, Plain>::of(&value.widths, memory),
            raw: Truth(u8::from(value.raw())),
        }
    }
}

const DOCUMENT: &str = r#"{"name":"ray","widths":[640,1280],"raw":true}"#;

fn zeroed<T>() -> T {
    // SAFETY: for structs of C that can be zero.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

fn read(text: &'static str, arena: &mut CArena) -> (i32, COffer, CError) {
    let (mut offer, mut error) = (zeroed(), zeroed());
    // SAFETY: all are there.
    let status = unsafe { from_json::<Offer, COffer>(Str::new(text), &raw mut offer, arena, &raw mut error) };
    (status, offer, error)
}

fn written(offer: &COffer) -> Result<String, i32> {
    let mut bytes: COwnedBytes = COwnedBytes::NONE;
    // SAFETY: all are there.
    let status = unsafe { to_json::<Offer, COffer>(offer, &raw mut bytes, ptr::null_mut()) };
    if status != 0 {
        return Err(status);
    }
    // SAFETY: so many were given.
    let text = unsafe { std::slice::from_raw_parts(bytes.data, bytes.length) };
    let text = String::from_utf8(text.to_vec()).unwrap();
    // SAFETY: they are this call's.
    unsafe { free(&raw mut bytes) }.unwrap();
    Ok(text)
}

fn field(error: &CError) -> &CStr {
    // SAFETY: a refusal has its texts.
    unsafe { CStr::from_ptr(error.field()) }
}

#[test]
fn what_was_read_is_there_until_the_arena_is_freed_and_no_longer() {
    let mut arena = zeroed();
    let (status, offer, _) = read(DOCUMENT, &mut arena);
    assert_eq!((status, written(&offer).as_deref()), (0, Ok(DOCUMENT)));
    let mut copy = arena;
    // SAFETY: they are there.
    let freed =
        unsafe { [arena_free(&raw mut arena), arena_free(&raw mut arena), arena_free(&raw mut copy)] };
    assert_eq!(freed, [0, 0, Code::BadHandle as i32]);
    // SAFETY: null is no arena.
    assert_eq!(unsafe { arena_free(ptr::null_mut()) }, Code::NullArgument as i32);
}

#[test]
fn an_arena_is_freed_by_any_thread() {
    let mut arena = zeroed();
    assert_eq!(read(DOCUMENT, &mut arena).0, 0);
    // SAFETY: it is there, and moves with the closure.
    let freed = std::thread::spawn(move || unsafe { arena_free(&raw mut arena) }).join().unwrap();
    assert_eq!(freed, 0);
}

#[test]
fn a_pointer_that_is_null_is_refused_by_its_name() {
    let (mut offer, mut arena, mut error): (COffer, CArena, CError) = (zeroed(), zeroed(), zeroed());
    let (value, place, fault) = (&raw mut offer, &raw mut arena, &raw mut error);
    let text = Str::new(DOCUMENT);
    // SAFETY: what is not null is there.
    unsafe {
        assert_eq!(from_json::<Offer, COffer>(text, ptr::null_mut(), place, fault), 28);
        assert_eq!(field(&error), c"value");
        assert_eq!(from_json::<Offer, COffer>(text, value, ptr::null_mut(), fault), 28);
        assert_eq!(field(&error), c"arena");
        assert_eq!(from_json_lenient::<Offer, COffer>(text, value, place, ptr::null_mut(), fault), 28);
        assert_eq!(field(&error), c"faults");
        assert_eq!(to_json::<Offer, COffer>(value, ptr::null_mut(), fault), 28);
        assert_eq!(field(&error), c"json");
        assert_eq!(to_json::<Offer, COffer>(ptr::null(), &mut COwnedBytes::NONE.clone(), fault), 28);
        assert_eq!(field(&error), c"");
        assert_eq!(from_json::<Offer, COffer>(zeroed(), value, place, ptr::null_mut()), 11);
    }
}

#[test]
fn lenient_reading_lists_what_it_passed_in_the_arena() {
    let (mut offer, mut arena, mut faults): (COffer, CArena, CFaults) = (zeroed(), zeroed(), zeroed());
    let text = Str::new(r#"{"name":"ray","widths":[1],"raw":3}"#);
    // SAFETY: all are there.
    let status = unsafe {
        from_json_lenient::<Offer, COffer>(
            text,
            &raw mut offer,
            &raw mut arena,
            &raw mut faults,
            ptr::null_mut(),
        )
    };
    // SAFETY: the arena is not freed yet.
    let listed = unsafe { faults.as_slice() };
    assert_eq!((status, listed.len(), offer.present), (0, 1, 0));
    assert_eq!(field(&listed[0]), c"raw");
    // SAFETY: it is there.
    assert_eq!(unsafe { arena_free(&raw mut arena) }, 0);
}

#[test]
fn the_first_fault_counts_whether_rust_could_hold_the_value_or_not() {
    let mut arena = zeroed();
    let (_, good, _) = read(DOCUMENT, &mut arena);
    let faulty = COffer { name: Str::new("far too long"), raw: Truth(7), ..good };
    assert_eq!(written(&faulty), Err(Code::TooLarge as i32));
    assert_eq!(written(&COffer { raw: Truth(7), ..good }), Err(Code::UnknownValue as i32));
    assert_eq!(written(&COffer { widths: zeroed(), ..good }), Err(Code::RuleViolated as i32));
    assert_eq!(written(&COffer { widths: zeroed(), raw: Truth(7), ..good }), Err(Code::UnknownValue as i32));
    // SAFETY: it is there.
    assert_eq!(unsafe { arena_free(&raw mut arena) }, 0);
}

#[test]
fn a_text_of_a_declaration_is_kept_once() {
    let mut arena = zeroed();
    let text = |error: &CError| error.field();
    let first = read(r#"{"name":1}"#, &mut arena).2;
    let second = read(r#"{"name":2}"#, &mut arena).2;
    assert_eq!((text(&first), field(&first)), (text(&second), c"name"));
}

/// Bytes in which a function is given all that it is given.
struct Desk([u64; 128]);

/// What marks bytes that nothing was written to.
const MARK: u8 = 0xA5;

/// Where what stands on a desk, with a gap behind each. The text is at 0.
const VALUE: usize = 64;
const FAULTS: usize = VALUE + size_of::<COffer>() + 8;
const ARENA: usize = FAULTS + size_of::<CFaults>() + 8;
const ERROR: usize = ARENA + 32;

impl Desk {
    fn new() -> Desk {
        let mut desk = Desk([u64::from_ne_bytes([MARK; 8]); 128]);
        for (index, byte) in DOCUMENT.bytes().enumerate() {
            // SAFETY: within it.
            unsafe { desk.at(index).write(byte) };
        }
        desk
    }

    fn at(&mut self, offset: usize) -> *mut u8 {
        // SAFETY: within it.
        unsafe { (&raw mut self.0).cast::<u8>().add(offset) }
    }

    fn json(&mut self) -> Str {
        let bytes = ptr::slice_from_raw_parts(self.at(0), DOCUMENT.len());
        // SAFETY: valid UTF-8, which a call that is refused does not look at.
        Str::new(unsafe { std::str::from_utf8_unchecked(&*bytes) })
    }

    /// Whether all bytes of a member are that.
    fn is_all(&mut self, offset: usize, size: usize, byte: u8) -> bool {
        // SAFETY: within it, and all of it was written.
        (0..size).all(|index| unsafe { self.at(offset + index).read() } == byte)
    }
}

/// Reads leniently into these places of a desk; status, key and words of the fault.
fn read_at(desk: &mut Desk, [value, arena, faults, error]: [usize; 4]) -> (i32, String) {
    let (json, into) = (desk.json(), [value, arena, faults, error].map(|offset| desk.at(offset)));
    // SAFETY: within the desk.
    let before: [u8; 16] = unsafe { into[3].cast::<[u8; 16]>().read() };
    // SAFETY: within the desk, or refused.
    let status = unsafe {
        from_json_lenient::<Offer, COffer>(
            json,
            into[0].cast(),
            into[1].cast(),
            into[2].cast(),
            into[3].cast(),
        )
    };
    // SAFETY: as above.
    if unsafe { into[3].cast::<[u8; 16]>().read() } == before {
        return (status, String::new());
    }
    // SAFETY: it was written.
    (status, unsafe { said(&*into[3].cast()) })
}

/// `key: expected, found`.
fn said(error: &CError) -> String {
    // SAFETY: a refusal has its texts.
    let expected = unsafe { CStr::from_ptr(error.expected()) };
    format!("{}: {}, {}", field(error).to_str().unwrap(), expected.to_str().unwrap(), error.found_text())
}

#[test]
fn a_place_where_nothing_can_stand_is_refused_and_zeroed() {
    const WRONG_TYPE: i32 = Code::WrongType as i32;
    let good = [VALUE, ARENA, FAULTS, ERROR];
    for (index, name) in ["value", "arena", "faults"].into_iter().enumerate() {
        let (mut desk, mut places) = (Desk::new(), good);
        places[index] += 1;
        let at = desk.at(places[index]);
        let words = format!("{name}: a pointer aligned to 8, one that is at {at:p}");
        assert_eq!(read_at(&mut desk, places), (WRONG_TYPE, words));
        for (offset, size) in places.into_iter().zip([size_of::<COffer>(), 8, 16]) {
            assert!(desk.is_all(offset, size, 0), "{name}: {offset}");
        }
        assert!(desk.is_all(good[index], 1, MARK), "{name}");
    }
    // Nobody can be told.
    let mut desk = Desk::new();
    assert_eq!(read_at(&mut desk, [VALUE, ARENA, FAULTS, ERROR + 4]), (WRONG_TYPE, String::new()));
    assert!(desk.is_all(ERROR, 64, MARK) && desk.is_all(VALUE, size_of::<COffer>(), 0));
    assert_eq!(read_at(&mut Desk::new(), good).0, 0);
}

#[test]
fn memory_that_is_anothers_as_well_is_refused_and_stays_as_it_is() {
    const RULE_VIOLATED: i32 = Code::RuleViolated as i32;
    let own = "memory of its own: the call writes there, memory that overlaps";
    for (places, words, zeroed) in [
        ([0, ARENA, FAULTS, ERROR], format!("value: {own} `json`"), [ARENA, FAULTS].as_slice()),
        ([VALUE, 40, FAULTS, ERROR], format!("arena: {own} `json`"), &[VALUE, FAULTS]),
        ([VALUE, VALUE, FAULTS, ERROR], format!("arena: {own} `value`"), &[FAULTS]),
        ([VALUE, VALUE + 40, FAULTS, ERROR], format!("arena: {own} `value`"), &[FAULTS]),
        ([VALUE, ARENA, ARENA - 8, ERROR], format!("faults: {own} `arena`"), &[VALUE]),
        ([VALUE, ARENA, VALUE - 8, ERROR], format!("faults: {own} `value`"), &[ARENA]),
        // Nobody can be told. An error is larger than all that lies behind where it is put.
        ([VALUE, ARENA, FAULTS, ARENA], String::new(), &[VALUE, FAULTS]),
        ([VALUE, ARENA, FAULTS, FAULTS], String::new(), &[VALUE]),
        ([VALUE, ARENA, FAULTS, 0], String::new(), &[]),
    ] {
        let (mut desk, mut before) = (Desk::new(), Desk::new());
        assert_eq!(read_at(&mut desk, places).0, RULE_VIOLATED, "{places:?}");
        let mut again = Desk::new();
        if !words.is_empty() {
            assert_eq!(read_at(&mut again, places).1, words, "{places:?}");
        }
        // Byte by byte, but for what is zeroed and the fault.
        let sizes = [(VALUE, size_of::<COffer>()), (ARENA, 8), (FAULTS, 16)];
        let end = if words.is_empty() { size_of::<Desk>() } else { ERROR };
        for offset in 0..end {
            let is_in = |(start, size): &(usize, usize)| (*start..start + size).contains(&offset);
            let is_zeroed =
                sizes.iter().find(|place| is_in(place)).is_some_and(|place| zeroed.contains(&place.0));
            // SAFETY: within the desks.
            let (found, old) = unsafe { (desk.at(offset).read(), before.at(offset).read()) };
            assert_eq!(found, if is_zeroed { 0 } else { old }, "{places:?} at {offset}");
        }
    }
}

#[test]
fn arguments_that_touch_are_read_and_written() {
    let mut desk = Desk::new();
    // Each begins where another ends.
    let (faults, arena) = (VALUE + size_of::<COffer>(), VALUE + size_of::<COffer>() + size_of::<CFaults>());
    assert_eq!(read_at(&mut desk, [VALUE, arena, faults, arena + 8]).0, 0);
    // SAFETY: it was given.
    assert_eq!(unsafe { arena_free(desk.at(arena).cast()) }, 0);
    // A document that is none is nowhere, and so is one of more bytes than there can be.
    for (length, code) in [(0, Code::NotJson), (usize::MAX, Code::LengthExceeds)] {
        // SAFETY: laid out as `wc_str`; the call looks at none of the bytes.
        let json: Str = unsafe { std::mem::transmute((desk.at(VALUE + 8), length)) };
        let into = [VALUE, ARENA].map(|offset| desk.at(offset));
        // SAFETY: as above.
        let status =
            unsafe { from_json::<Offer, COffer>(json, into[0].cast(), into[1].cast(), ptr::null_mut()) };
        assert_eq!(status, code as i32);
    }
}

#[test]
fn what_writes_a_document_refuses_the_same() {
    // Owned bytes, which are three words.
    const JSON: usize = FAULTS;
    let mut arena = zeroed();
    let (_, offer, _) = read(DOCUMENT, &mut arena);
    let mut desk = Desk::new();
    let write = |desk: &mut Desk, value: usize, json: usize, error: usize| {
        let [value, json, error] = [value, json, error].map(|offset| desk.at(offset));
        // SAFETY: within the desk; bytes stand anywhere.
        unsafe {
            value.cast::<COffer>().write_unaligned(offer);
            let status = to_json::<Offer, COffer>(value.cast(), json.cast(), error.cast());
            if status == 0 {
                return (status, String::new());
            }
            (status, said(&*error.cast()))
        }
    };
    let at = desk.at(VALUE + 4);
    let words = format!("value: a pointer aligned to 8, one that is at {at:p}");
    assert_eq!(write(&mut desk, VALUE + 4, JSON, ERROR), (Code::WrongType as i32, words));
    assert!(desk.is_all(JSON, 24, 0));
    let at = desk.at(JSON + 1);
    let words = format!("json: a pointer aligned to 8, one that is at {at:p}");
    assert_eq!(write(&mut desk, VALUE, JSON + 1, ERROR), (Code::WrongType as i32, words));
    let words = "json: memory of its own: the call writes there, memory that overlaps `value`".to_owned();
    assert_eq!(write(&mut desk, VALUE, VALUE + 8, ERROR), (Code::RuleViolated as i32, words));
    assert_eq!(write(&mut desk, VALUE, JSON, ERROR).0, 0);
    // SAFETY: they were given.
    unsafe { free(desk.at(JSON).cast()) }.unwrap();
    // SAFETY: it is there.
    assert_eq!(unsafe { arena_free(&raw mut arena) }, 0);
}
