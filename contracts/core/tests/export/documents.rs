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
