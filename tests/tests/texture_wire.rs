//! The messages of the texture service, as it and its clients send them, and a table of what is wrong with others.

use wirecontract::{Enumeration as _, WireError, WireJson};
use wirecontract_gpu::texture::{
    CheckInAnswer, LookupAnswer, OpaqueFdExport, OutcomeAnswer, Registration, ReleaseAnswer, Request,
    ResourceKind, SurfaceAnswer,
};
use wirecontract_tests::texture::{Case, Fault, Object, answer_of_least, cases, messages};

/// Does something with the contract of that name.
macro_rules! with_contract {
    ($name:expr, $function:ident($($argument:expr),*)) => {
        match $name {
            "Request" => $function::<Request>($($argument),*),
            "LookupAnswer" => $function::<LookupAnswer>($($argument),*),
            "OutcomeAnswer" => $function::<OutcomeAnswer>($($argument),*),
            "CheckInAnswer" => $function::<CheckInAnswer>($($argument),*),
            "ReleaseAnswer" => $function::<ReleaseAnswer>($($argument),*),
            "OpaqueFdExport" => $function::<OpaqueFdExport>($($argument),*),
            other => panic!("expected a contract of the table, found {other}"),
        }
    };
}

fn fault(error: &WireError) -> Fault {
    Fault {
        code: error.code.name().to_owned(),
        contract: error.contract.to_owned(),
        field: error.field.to_owned(),
        offset: error.offset,
        text: error.to_string(),
    }
}

/// What this side says of a case, in the case's own form.
fn answer<T: WireJson>(case: &Case) -> Case {
    let document = case.document.as_bytes();
    let value = T::from_json(document);
    let import = case.import.as_ref().map(|&(fds, _)| {
        let value = value.as_ref().unwrap_or_else(|error| panic!("{}: {error}", case.name));
        (fds, value.validate_import(fds).map_err(|error| fault(&error)))
    });
    let lenient = T::from_json_lenient(document).map(|(value, faults)| {
        (value.to_json().expect("what was read can be written"), faults.iter().map(fault).collect())
    });
    Case {
        read: value
            .map(|value| value.to_json().expect("what was read can be written"))
            .map_err(|error| fault(&error)),
        lenient: lenient.map_err(|error| fault(&error)),
        import,
        ..case.clone()
    }
}

#[test]
fn every_message_is_read_and_written_byte_for_byte() {
    for message in messages() {
        fn written<T: WireJson>(document: &str) -> String {
            T::from_json(document.as_bytes()).and_then(|value| value.to_json()).unwrap_or_else(|error| {
                panic!("{document}: {error}");
            })
        }
        let written = with_contract!(message.contract, written(&message.document));
        assert_eq!(written, message.document, "{}", message.name);
    }
}

#[test]
fn requests_come_with_the_descriptors_that_they_say() {
    let mut seen = 0;
    for message in messages().iter().filter(|message| message.contract == "Request") {
        let request = Request::from_json(message.document.as_bytes()).unwrap();
        assert_eq!(request.validate_import(message.fds), Ok(()), "{}", message.name);
        seen += 1;
    }
    assert_eq!(seen, 8);
}

#[test]
fn a_consumer_says_of_every_answer_what_the_service_s_consumer_says() {
    let mut seen = 0;
    for message in messages().iter().filter(|message| message.contract == "LookupAnswer") {
        let answer = LookupAnswer::from_json(message.document.as_bytes()).unwrap();
        let verdict = answer.validate_import(message.fds).map_err(|error| error.to_string());
        let consumer = message.consumer.as_deref().expect("what a consumer says");
        match (&answer, consumer) {
            (LookupAnswer::Error(refusal), "the service's refusal, with its text") => {
                assert_eq!((&*refusal.error, verdict), ("surface not found", Ok(())));
            }
            (LookupAnswer::Surface(_), consumer) if consumer.starts_with("accepts") => {
                assert_eq!(verdict, Ok(()), "{}", message.name);
            }
            (LookupAnswer::Surface(_), consumer) => {
                let named = consumer.strip_prefix("refuses, naming ").unwrap_or_else(|| {
                    assert_eq!(consumer, "refuses: unknown allocation size");
                    "vk_image_allocation_size"
                });
                let message = verdict.unwrap_err();
                assert!(message.contains(&format!("expected {named}: ")), "{message}");
            }
            (answer, consumer) => panic!("{}: {answer:?}, {consumer}", message.name),
        }
        seen += 1;
    }
    assert_eq!(seen, 7);
}

#[test]
fn the_variant_of_every_answer_is_the_one_it_is() {
    let read = |name: &str| messages().into_iter().find(|message| message.name == name).unwrap().document;
    let error = read("answer_error");
    let text = "surface not found".to_owned();
    assert!(
        matches!(OutcomeAnswer::from_json(error.as_bytes()), Ok(OutcomeAnswer::Error(it)) if it.error == text)
    );
    assert!(
        matches!(ReleaseAnswer::from_json(error.as_bytes()), Ok(ReleaseAnswer::Error(it)) if it.error == text)
    );
    assert!(
        matches!(CheckInAnswer::from_json(error.as_bytes()), Ok(CheckInAnswer::Error(it)) if it.error == text)
    );
    let status = OutcomeAnswer::from_json(read("answer_success_false").as_bytes());
    assert!(matches!(status, Ok(OutcomeAnswer::Outcome(it)) if !it.success));
    let released = ReleaseAnswer::from_json(read("answer_released").as_bytes());
    assert!(matches!(released, Ok(ReleaseAnswer::Released(it)) if it.success && it.released));
}

#[test]
fn every_case_of_the_table_has_the_verdict_that_the_table_states() {
    for case in cases() {
        let came = with_contract!(&*case.contract, answer(&case));
        let (name, document) = (&case.name, &case.document);
        assert_eq!(came.read, case.read, "{name}: reading {document}");
        assert_eq!(came.lenient, case.lenient, "{name}: lenient reading {document}");
        assert_eq!(came.import, case.import, "{name}: importing {document}");
    }
}

/// The request as a registration.
fn registration(document: &str, lenient: bool) -> Registration {
    let request = if lenient {
        Request::from_json_lenient(document.as_bytes()).map(|(request, _)| request)
    } else {
        Request::from_json(document.as_bytes())
    };
    match request {
        Ok(Request::Register(registration)) => *registration,
        other => panic!("expected a registration, found {other:?}"),
    }
}

#[test]
fn the_answer_of_a_full_registration_is_the_one_that_the_service_sends() {
    let messages = messages();
    let find = |name: &str| &messages.iter().find(|message| message.name == name).unwrap().document;
    let answer = SurfaceAnswer::of(registration(find("register_opaque_fd_texture"), false));
    assert_eq!(&answer.to_json().unwrap(), find("answer_opaque_fd_texture"));
}

#[test]
fn an_answer_echoes_every_key_with_its_default_except_the_last_two() {
    let defaults = answer_of_least();
    let least = r#"{"op":"register","surface_id":"s1"}"#;
    let answer = SurfaceAnswer::of(registration(least, false));
    assert_eq!(answer.to_json().unwrap(), defaults);

    // Each key that is registered takes the place of its default, and moves nothing else.
    let full = messages().into_iter().find(|it| it.name == "register_opaque_fd_texture").unwrap().document;
    let full = Object::parse(&full);
    let keys = full.keys();
    for (key, token) in [
        ("width", "640"),
        ("height", "480"),
        ("format", "\"gray8\""),
        ("handle_type", "\"opaque_fd\""),
        ("plane_sizes", "[1,2]"),
        ("plane_offsets", "[]"),
        ("plane_strides", "[3]"),
        ("drm_format_modifier", "18446744073709551615"),
        ("has_produce_done_fd", "true"),
        ("has_consume_done_fd", "true"),
        ("current_image_layout", "7"),
        ("vk_image_type", "2"),
        ("vk_image_mip_levels", "3"),
        ("vk_image_array_layers", "6"),
        ("vk_image_samples", "4"),
        ("vk_image_tiling", "1"),
        ("vk_image_usage", "2147483648"),
        ("vk_image_allocation_size", "4096"),
        ("vk_memory_type_index", "0"),
        ("exporting_device_uuid", "\"00000000000000000000000000000000\""),
    ] {
        assert!(keys.contains(&key), "{key}");
        let mut request = Object::parse(least);
        request.set(key, token);
        let mut expected = Object::parse(&defaults);
        expected.set(key, token);
        let answer = SurfaceAnswer::of(registration(&request.to_string(), false));
        assert_eq!(answer.to_json().unwrap(), expected.to_string());
    }
}

#[test]
fn a_malformed_registration_is_answered_with_defaults_when_it_is_read_leniently() {
    let document = r#"{"op":"register","surface_id":"s1","width":-1,"vk_image_usage":"all","vk_memory_type_index":null}"#;
    let error = Request::from_json(document.as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("SurfaceShape.width at byte "), "{error}");
    let answer = SurfaceAnswer::of(registration(document, true));
    let least = SurfaceAnswer::of(registration(r#"{"op":"register","surface_id":"s1"}"#, false));
    assert_eq!(answer, least);
    let (_, faults) = Request::from_json_lenient(document.as_bytes()).unwrap();
    let fields: Vec<&str> = faults.iter().map(|fault| fault.field).collect();
    assert_eq!(fields, ["width", "vk_image_usage", "vk_memory_type_index"]);
}

#[test]
fn an_absent_key_stays_absent_and_has_a_value_all_the_same() {
    let registration = registration(r#"{"op":"register","surface_id":"s1"}"#, false);
    assert_eq!((registration.shape.width, registration.shape.width()), (None, 0));
    assert_eq!((registration.image.vk_image_mip_levels, registration.image.vk_image_mip_levels()), (None, 1));
    assert_eq!(registration.image.vk_memory_type_index, None);
    assert!(matches!(registration.shape.kind, ResourceKind::Implied(ref keys) if keys.format.is_none()));
}
