//! Records of what a library exports: what is written from the model is read again, and what no declaration says is
//! refused with bounded work.

mod catalog_support;

use catalog_support::{BIG_32, BIG_64, LITTLE_32, LITTLE_64, elf_object, section_file, with_ids};
use wirecontract_codegen::catalog::encode::{self, Lines, Word};
use wirecontract_codegen::catalog::{ReadError, ResolveError, read_bytes, resolve};
use wirecontract_codegen::emit;
use wirecontract_codegen::fixtures::{self, forms_id as id, param};
use wirecontract_codegen::model::{
    Access, Body, Catalog, ContractId, Function, OutForm, ParamForm, Pass, Symbols,
};

fn catalog() -> Catalog {
    with_ids(fixtures::forms())
}

#[test]
fn records_of_exports_are_read_as_they_were_written() {
    let catalog = catalog();
    for target in [LITTLE_64, BIG_64, LITTLE_32, BIG_32] {
        let library = read_bytes(&elf_object(&catalog, target)).expect("the file holds contracts");
        let read = resolve(&library.records).expect("the records make a catalog");
        for (read, written) in read.contracts.iter().zip(&catalog.contracts) {
            assert_eq!(read, written);
        }
        assert_eq!(read.contracts.len(), catalog.contracts.len());
    }
}

#[test]
fn a_record_reads_so() {
    let catalog = catalog();
    let lines = |id| Lines::of(&catalog, catalog.get(id));
    assert_eq!(
        lines(id::CAMERA).wire,
        r#"{"kind":"handle","name":"Device","access":"exclusive","symbol":"wc_camera_destroy"}"#
    );
    assert_eq!(
        lines(id::CAMERA).source,
        r#"{"name":"Camera","docs":"The contract Camera.","since":2,"deprecated":"use another","prefix":"wc","package":"wirecontract-gpu","members":[]}"#
    );
    assert_eq!(
        lines(id::EACH).wire,
        r#"{"kind":"function","symbol":"wc_camera_each","params":[{"name":"self"},{"name":"on_frame","args":["index","samples","mode","point","label"]}],"outs":[]}"#
    );
    assert_eq!(
        lines(id::SET_GAIN).source,
        r#"{"name":"Camera::set_gain","docs":"The contract Camera::set_gain.","prefix":"wc","package":"wirecontract-gpu","members":[{},{"name":"gain"}]}"#
    );
    assert_eq!(
        lines(id::LIBRARY).wire,
        r#"{"kind":"library","name":"wc","symbols":["wc_last_error","wc_bytes_free"]}"#
    );
    assert!(lines(id::RAW).wire.contains(r#"{"name":"release","params":[["point"]]}"#));

    let words = |id| words_of(&catalog, id).into_iter().map(|word| word.0).collect::<Vec<_>>();
    assert_eq!(words(id::CAMERA), [0x5a17]);
    assert_eq!(words(id::MEAN), [0, 1, 1, 4, 10, 1, 10]);
    assert_eq!(words(id::SYMBOLS), [0; 0]);
    // A method: the ids of its handle, then a receiver that it changes, then a float.
    let set_gain = words(id::SET_GAIN);
    assert_eq!((set_gain[..3].to_vec(), set_gain.len()), (vec![1, 2, 0], 3 + 4 + 1 + 4 + 2));
    assert_eq!((set_gain[7], &set_gain[12..]), (8 + (1 << 9) + (1 << 13), &[1, 10][..]));
    assert_eq!(words(id::CLOSE)[7], 8 + (1 << 10) + (1 << 13));
    assert_eq!(words(id::RAW)[..3], [2, 2, 3]);
}

fn ids_of(catalog: &Catalog) -> std::collections::BTreeMap<ContractId, (u64, u64)> {
    catalog.iter().map(|(id, contract)| (id, (contract.wire_id, contract.source_id))).collect()
}

fn words_of(catalog: &Catalog, id: ContractId) -> Vec<Word> {
    encode::words(catalog, catalog.get(id), &ids_of(catalog))
}

fn function(catalog: &mut Catalog, id: ContractId) -> &mut Function {
    let Body::Function(function) = &mut catalog.contracts[id.0].body else { panic!("no function") };
    function
}

type Change = fn(&mut Catalog);

#[test]
fn wire_ids_cover_what_a_caller_depends_on() {
    let before = catalog();
    let after = |change: &dyn Fn(&mut Catalog)| {
        let mut catalog = fixtures::forms();
        change(&mut catalog);
        with_ids(catalog)
    };
    let changes: [(ContractId, Change); 12] = [
        // Renamed, removed, of another type, in another order.
        (id::EVERYTHING, |catalog| function(catalog, id::EVERYTHING).params[0].name = "size".into()),
        (id::EVERYTHING, |catalog| drop(function(catalog, id::EVERYTHING).params.pop())),
        (id::MEAN, |catalog| {
            function(catalog, id::MEAN).params[0].form = ParamForm::Text { is_nullable: false }
        }),
        (id::EVERYTHING, |catalog| function(catalog, id::EVERYTHING).params.swap(0, 1)),
        (id::SIZE, |catalog| function(catalog, id::SIZE).outs.swap(0, 1)),
        (id::GIVE, |catalog| function(catalog, id::GIVE).outs[2].form = OutForm::Bytes),
        (id::OPEN, |catalog| function(catalog, id::OPEN).symbol = "wc_open".into()),
        (id::RAW, |catalog| function(catalog, id::RAW).is_unsafe = false),
        // What a callback takes, and how it is called.
        (id::EACH, |catalog| {
            let ParamForm::Callback(params) = &mut function(catalog, id::EACH).params[1].form else { return };
            params[0].name = "number".into();
        }),
        // What it holds.
        (id::EVERYTHING, |catalog| {
            let Body::Recipe(recipe) = &mut catalog.contracts[id::SETTINGS.0].body else { return };
            recipe.keys[0].key = "shutter".into();
        }),
        (id::CLOSE, |catalog| {
            let Body::Handle(handle) = &mut catalog.contracts[id::CAMERA.0].body else { return };
            handle.tag = 2;
        }),
        (id::LIBRARY, |catalog| {
            let Body::Symbols(symbols) = &mut catalog.contracts[id::LIBRARY.0].body else { return };
            symbols.names.pop();
        }),
    ];
    for (at, (id, change)) in changes.iter().enumerate() {
        assert_ne!(before.get(*id).wire_id, after(change).get(*id).wire_id, "change {at}");
    }
    let renamed = after(&|catalog| {
        let gain = &mut function(catalog, id::SET_GAIN).params[1];
        gain.name = "value".into();
        catalog.contracts[id::CAMERA.0].name = "Cam".into();
        catalog.contracts[id::MEAN.0].name = "average".into();
    });
    for id in [id::SET_GAIN, id::CAMERA, id::MEAN] {
        assert_eq!(before.get(id).wire_id, renamed.get(id).wire_id, "they have the names they had first");
        assert_ne!(before.get(id).source_id, renamed.get(id).source_id);
    }
}

/// Records of a catalog in which one says something else, with ids that fit.
fn verdict(
    catalog: &Catalog,
    changed: ContractId,
    change: impl FnOnce(&mut Lines, &mut Vec<Word>),
) -> Result<Catalog, String> {
    let mut records: Vec<Vec<u8>> =
        encode::records(catalog, LITTLE_64).into_iter().map(|record| record.bytes).collect();
    let mut lines = Lines::of(catalog, catalog.get(changed));
    let mut words = words_of(catalog, changed);
    change(&mut lines, &mut words);
    records[changed.0] = lines.encode(&words, LITTLE_64).bytes;
    let library = read_bytes(&section_file(&records.concat())).map_err(|error| {
        assert!(matches!(error, ReadError::Corrupted { .. } | ReadError::NewerDeclaration { .. }), "{error}");
        error.to_string()
    })?;
    resolve(&library.records).map_err(|errors| {
        let is_typed = |error: &ResolveError| {
            matches!(
                error,
                ResolveError::Corrupted { .. }
                    | ResolveError::MissingPointee { .. }
                    | ResolveError::MissingNested { .. }
            )
        };
        assert!(errors.iter().all(is_typed), "{errors:?}");
        errors[0].to_string()
    })
}

#[track_caller]
fn refused(part: &str, changed: ContractId, change: impl FnOnce(&mut Lines, &mut Vec<Word>)) {
    match verdict(&catalog(), changed, change) {
        Ok(_) => panic!("it is taken, without `{part}`"),
        Err(message) => assert!(message.contains(part), "{message}"),
    }
}

/// What is said where a word is another.
#[track_caller]
fn word(changed: ContractId, at: usize, word: u32, part: &str) {
    refused(part, changed, |_, words| words[at].0 = word);
}

/// What is said where a part of the first line is another.
#[track_caller]
fn text(changed: ContractId, from: &str, to: &str, part: &str) {
    refused(part, changed, |lines, _| {
        assert!(lines.wire.contains(from), "{from} is not in {}", lines.wire);
        lines.wire = lines.wire.replacen(from, to, 1);
    });
}

/// What is said where a part of the second line is another.
#[track_caller]
fn source(changed: ContractId, from: &str, to: &str, part: &str) {
    refused(part, changed, |lines, _| {
        assert!(lines.source.contains(from), "{from} is not in {}", lines.source);
        lines.source = lines.source.replacen(from, to, 1);
    });
}

/// What is said of a catalog in which a function is another, and all else is as it would be.
#[track_caller]
fn model(part: &str, changed: ContractId, change: impl FnOnce(&mut Function)) {
    let mut catalog = fixtures::forms();
    change(function(&mut catalog, changed));
    match verdict(&with_ids(catalog), changed, |_, _| {}) {
        Ok(_) => panic!("it is taken, without `{part}`"),
        Err(message) => assert!(message.contains(part), "{message}"),
    }
}

#[test]
fn symbols_are_names_of_c() {
    for symbol in ["", "1st", "größe", "a b", "a-b", "wc_x;", "a::b", "wc_x_wire_id"] {
        text(id::MEAN, "wc_mean", symbol, "is no symbol of a function");
        text(id::CAMERA, "wc_camera_destroy", symbol, "is no symbol of a function");
        text(id::SYMBOLS, "wc_settings_to_json", symbol, "is no symbol of a function");
        source(
            id::CAMERA,
            r#""prefix":"wc""#,
            &format!(r#""prefix":"{symbol}""#),
            "is no symbol of a function",
        );
    }
    text(id::SYMBOLS, "wc_settings_to_json", "wc_settings_from_json", "it has two symbols");
    text(id::SYMBOLS, r#"["wc_settings_from_json","wc_settings_to_json"]"#, "[]", "it has no symbols");
    text(id::SYMBOLS, r#"["wc_settings_from_json","wc_settings_to_json"]"#, "[1]", "expected text");
    text(
        id::SYMBOLS,
        r#","symbols":["wc_settings_from_json","wc_settings_to_json"]"#,
        "",
        "`symbols` is missing",
    );
    text(id::LIBRARY, r#""wc_last_error","#, "", "that every library has the functions wc_bytes_free");
    text(id::LIBRARY, r#""name":"wc""#, r#""name":"cw""#, "which this version does not know");
    source(id::CAMERA, r#""prefix":"wc","#, "", "the key `prefix` is missing");
    source(id::MEAN, r#""prefix":"wc","#, "", "the key `prefix` is missing");
}

#[test]
fn a_handle_says_how_it_is_used_and_has_a_tag() {
    text(id::CAMERA, "exclusive", "mine", "the access `mine`");
    text(id::CAMERA, r#","access":"exclusive""#, "", "the key `access` is missing");
    text(id::CAMERA, r#","symbol""#, r#","more":1,"symbol""#, "the key `more`");
    for tag in [0, 0x1_0000, u32::MAX] {
        word(id::CAMERA, 0, tag, "expected one of 1 to 65535");
    }
    refused("has not one word", id::CAMERA, |_, words| words.clear());
    refused("has not one word", id::CAMERA, |_, words| words.push((1, false)));
    refused("it is of kind library and has words", id::LIBRARY, |_, words| words.push((1, false)));
    source(id::CAMERA, r#""members":[]"#, r#""members":[{}]"#, "members of it");
    source(id::LIBRARY, r#""members":[]"#, r#""members":[{}]"#, "members of it");
    source(id::POOL, r#""members":[]"#, r#""members":[],"rules":[]"#, "rules of handle");
}

#[test]
fn names_of_functions_and_parameters_are_names() {
    for name in ["", "Camera", "Camera::", "a::b::c", "Camera::a b"] {
        source(
            id::OPEN,
            r#""name":"Camera::open""#,
            &format!(r#""name":"{name}""#),
            "is no name of a method",
        );
    }
    for name in ["", "a::b", "1"] {
        source(id::MEAN, r#""name":"wc_mean""#, &format!(r#""name":"{name}""#), "is no name of a function");
    }
    source(id::MEAN, r#""name":"wc_mean","#, "", "the key `name` is missing");
    text(id::MEAN, r#""symbol""#, r#""name":"mean","symbol""#, "the record of wc_mean");
    text(id::MEAN, r#""symbol""#, r#""name":"mean","symbol""#, "the key `name`");
    text(id::MEAN, r#"{"name":"samples"}"#, r#"{"name":"a b"}"#, "\"a b\" is no name");
    text(id::MEAN, r#"{"name":"samples"}"#, r#"{"name":"samples","docs":""}"#, "the key `docs`");
    text(id::MEAN, r#"["out"]"#, r#"["0"]"#, "\"0\" is no name");
    text(id::MEAN, r#"["out"]"#, r#"["samples"]"#, "it has two parameters or results `samples`");
    text(
        id::SIZE,
        r#"["width","height"]"#,
        r#"["width","width"]"#,
        "it has two parameters or results `width`",
    );
    text(id::EVERYTHING, r#"{"name":"at"}"#, r#"{"name":"length"}"#, "it has two parameters `length`");
    // A parameter that has now the name that another had first.
    source(id::SET_GAIN, r#"{"name":"gain"}"#, r#"{"name":"self"}"#, "is not the receiver of a method");
    source(
        id::EVERYTHING,
        r#""members":[{},{}"#,
        r#""members":[{"name":"at"},{}"#,
        "two parameters or results `at`",
    );
    source(id::MEAN, r#""members":[{}]"#, r#""members":[]"#, "parameters");
    text(id::SIZE, r#"["width","height"]"#, r#"["width"]"#, "results");
}

#[test]
fn a_receiver_is_the_first_and_of_the_methods_handle() {
    text(id::MEAN, r#"{"name":"samples"}"#, r#"{"name":"self"}"#, "is not the receiver of a method");
    text(id::EVERYTHING, r#"{"name":"camera"}"#, r#"{"name":"self"}"#, "is not the receiver of a method");
    model("is not the receiver of a method", id::GAIN, |function| {
        function.params[0].form = ParamForm::Handle { contract: id::POOL, pass: Pass::Borrowed };
    });
    model("is not the receiver of a method", id::SET_GAIN, |function| function.params.swap(0, 1));
    model("`self` changes the handle Pool, which is shared", id::SHARE, |function| {
        function.params[0].form = ParamForm::Handle { contract: id::POOL, pass: Pass::BorrowedMut };
    });
    model("`camera` holds Pool as document, which is handle", id::EVERYTHING, |function| {
        function.params[12].form = ParamForm::Document(id::POOL);
    });
}

#[test]
fn what_is_held_is_of_the_kind_that_its_form_says() {
    for (form, part) in [
        (ParamForm::Closed(id::OPTIONS), "holds Options as enumeration, which is flags"),
        (ParamForm::Descriptor(id::POINT), "holds Point as descriptor, which is abi"),
        (ParamForm::Document(id::FRAME), "holds Frame as document, which is descriptor"),
        (ParamForm::Document(id::CAMERA), "holds Camera as document, which is handle"),
        (
            ParamForm::Handle { contract: id::SETTINGS, pass: Pass::Borrowed },
            "the parameter or result `samples` holds Settings as handle, which is recipe",
        ),
    ] {
        model(part, id::MEAN, |function| function.params[0].form = form);
    }
    for (form, part) in [
        (OutForm::Closed(id::FRAME), "holds Frame as enumeration"),
        (OutForm::Descriptor(id::REGION), "holds Region as descriptor"),
        (OutForm::Document(id::MODE), "holds Mode as document"),
        (OutForm::Handle(id::POINT), "holds Point as handle"),
    ] {
        model(part, id::MEAN, |function| function.outs[0].form = form);
    }
    model("`self` holds Point as handle, which is abi", id::OPEN, |function| {
        function.method_of = Some(id::POINT);
    });
    // The wire id that its holder covers is another one.
    refused("holds Frame with another wire id", id::GIVE, |_, words| {
        let catalog = catalog();
        let low = catalog.get(id::FRAME).wire_id & u64::from(u32::MAX);
        let at = words.iter().position(|word| u64::from(word.0) == low).expect("the id is there");
        words[at].0 ^= 1;
    });
}

#[test]
fn words_that_no_function_has_are_refused() {
    word(id::MEAN, 0, 4, "the flags 0x4 of a function");
    word(id::MEAN, 0, 1, "its words end within a field");
    word(id::MEAN, 1, u32::MAX, "its words end within a field");
    word(id::MEAN, 2, 0, "it has words behind its last result");
    word(id::MEAN, 3, 0, "the form 0 of");
    word(id::MEAN, 3, 12, "the form 12 of");
    word(id::MEAN, 3, 4 + (1 << 11), "the form word 0x804");
    word(id::MEAN, 3, 4 + (1 << 14), "the form word 0x4004");
    for (code, bits) in
        [(1, [8, 9, 10, 13]), (4, [8, 10, 13, 13]), (3, [10, 10, 13, 13]), (5, [9, 10, 13, 13])]
    {
        for bit in bits {
            word(id::MEAN, 3, code + (1 << bit), &format!("contradicts its code {code}"));
        }
    }
    for code in [2, 6, 7, 8] {
        word(id::MEAN, 3, code, &format!("contradicts its code {code}"));
    }
    // A handle that is taken is not changed besides, and never null.
    word(id::CLOSE, 7, 8 + (1 << 9) + (1 << 10) + (1 << 13), "contradicts its code 8");
    word(id::CLOSE, 7, 8 + (1 << 8) + (1 << 10) + (1 << 13), "contradicts its code 8");
    // Types that are no value, and none to refer to.
    word(id::MEAN, 4, 63, "the parameter `samples` has the type void by value");
    word(id::MEAN, 4, 12, "the type code 12");
    for item in [&[64, 63][..], &[66, 2, 2], &[65, 0, 63]] {
        refused("what has none", id::MEAN, |_, words| {
            words.splice(4..5, item.iter().map(|&word| (word, false)));
        });
    }
    refused("takes or gives an array by value", id::MEAN, |_, words| {
        words.splice(3..5, [1, 66, 2, 2].map(|word| (word, false)));
    });
    refused("by value of which it says the name alone", id::MEAN, |_, words| {
        let key = [(0, true); 2];
        words.splice(3..5, [1, 68, 0, 0].map(|word| (word, false)).into_iter().chain(key));
    });
    // Results.
    for (form, part) in [
        (&[5 + (1 << 8)][..], "the result `out` is marked as only a parameter can be"),
        (&[3, 2], "is of the form 3, which is no result"),
        (&[4, 2], "is of the form 4, which is no result"),
        (&[9, 0], "is of the form 9, which is no result"),
        (&[1, 65, 0, 63], "is a function, which is no result"),
    ] {
        refused(part, id::MEAN, |_, words| {
            words.truncate(5);
            words.extend(form.iter().map(|&word| (word, false)));
        });
    }
    for code in [10, 11] {
        refused(&format!("is of the form {code}, which is no parameter"), id::MEAN, |_, words| {
            words.splice(3..5, [(code, false)]);
        });
    }
    // A file descriptor is given or lent, and never changed.
    refused("contradicts its code 11", id::MEAN, |_, words| {
        words.truncate(5);
        words.push((11 + (1 << 9), false));
    });
    let mut catalog = fixtures::forms();
    function(&mut catalog, id::EVERYTHING).params.push(param("more", ParamForm::Text { is_nullable: false }));
    verdict(&with_ids(catalog), id::EVERYTHING, |_, _| {}).expect("16 are not too many");
    model("it has 17 parameters, where 16 are the most", id::EVERYTHING, |function| {
        for name in ["more", "most"] {
            function.params.push(param(name, ParamForm::Text { is_nullable: false }));
        }
    });
    model("it has 9 results, where 8 are the most", id::GIVE, |function| {
        function.outs.push(fixtures::out("more", OutForm::Text));
    });
}

#[test]
fn a_callback_takes_what_it_is_told_and_no_callback() {
    let of = |args: &'static [u32], names: &'static str| {
        move |lines: &mut Lines, words: &mut Vec<Word>| {
            // Behind two words, two of a source id.
            let args = args.iter().enumerate().map(|(at, &word)| (word, at >= 4));
            words.splice(3..5, [(9, false)].into_iter().chain(args));
            lines.wire = lines
                .wire
                .replace(r#"{"name":"samples"}"#, &format!(r#"{{"name":"samples","args":{names}}}"#));
        }
    };
    verdict(&catalog(), id::MEAN, of(&[1, 1, 2], r#"["a"]"#)).expect("it takes a number");
    refused("one of its callbacks takes a callback", id::MEAN, of(&[1, 9, 0], r#"["a"]"#));
    for args in [
        &[1, 3 + (1 << 8), 2][..],
        &[1, 3 + (1 << 9), 2],
        &[1, 4 + (1 << 9), 2],
        &[1, 5 + (1 << 8)],
        &[1, 10],
        &[1, 6 + (1 << 13), 0, 0, 0, 0],
        &[1, 8 + (1 << 13), 0, 0, 0, 0],
    ] {
        refused("whose `a` is what no callback takes", id::MEAN, of(args, r#"["a"]"#));
    }
    refused("with more or fewer names than it takes", id::MEAN, of(&[1, 1, 2], "[]"));
    refused("two parameters of one callbacks `a`", id::MEAN, of(&[2, 5, 5], r#"["a","a"]"#));
    refused("\"0\" is no name", id::MEAN, of(&[1, 5], r#"["0"]"#));
    refused("its words end within a field", id::MEAN, of(&[u32::MAX, 5], r#"["a"]"#));
    refused("where 16 are the most", id::MEAN, |lines, words| {
        words.splice(3..5, [(9, false), (17, false)].into_iter().chain([(5, false); 17]));
        let names: Vec<String> = (0..17).map(|at| format!("\"a{at}\"")).collect();
        let args = format!(r#"{{"name":"samples","args":[{}]}}"#, names.join(","));
        lines.wire = lines.wire.replace(r#"{"name":"samples"}"#, &args);
    });
    text(
        id::EACH,
        r#","args":["index","samples","mode","point","label"]"#,
        "",
        "without names of what it takes",
    );
    text(id::MEAN, r#"{"name":"samples"}"#, r#"{"name":"samples","args":[]}"#, "takes, and is none");
    text(id::RAW, r#","params":[["point"]]"#, "", "more or fewer names than parameters");
    text(id::RAW, r#"{"name":"points"}"#, r#"{"name":"points","params":[[]]}"#, "functions that it has not");
}

#[test]
fn a_function_may_have_the_name_of_a_type_and_symbols_that_of_a_recipe() {
    let mut catalog = fixtures::forms();
    catalog.contracts[id::MEAN.0].name = "Point".into();
    verdict(&with_ids(catalog), id::MODE, |_, _| {}).expect("Rust has both");
    let mut catalog = fixtures::forms();
    catalog.contracts[id::GIVE.0].name = "wc_mean".into();
    let library = read_bytes(&elf_object(&with_ids(catalog), LITTLE_64)).expect("the file holds contracts");
    let errors = resolve(&library.records).expect_err("two functions have one name");
    assert!(matches!(errors[..], [ResolveError::Conflict { .. }]), "{errors:?}");
}

/// Every word and every byte of text as something else: an error, or a catalog that every emitter takes or refuses.
#[test]
fn forged_records_are_refused_or_make_a_catalog() {
    let catalog = catalog();
    let mut taken = 0;
    for changed in [id::CAMERA, id::EACH, id::EVERYTHING, id::GIVE, id::RAW, id::SYMBOLS] {
        for at in 0..words_of(&catalog, changed).len() {
            let new = [0, 1, 2, 3, 4, 5, 9, 10, 64, 8 + (1 << 13), u32::MAX];
            for new in [new[at % new.len()], new[(at + 5) % new.len()]] {
                if let Ok(read) = verdict(&catalog, changed, |_, words| words[at].0 = new) {
                    taken += 1;
                    let input = fixtures::input(&read);
                    let _ = emit::json::emit(&input);
                }
            }
        }
        let length = Lines::of(&catalog, catalog.get(changed)).wire.len();
        for at in (12..length).step_by(7) {
            let _ = verdict(&catalog, changed, |lines, _| lines.wire.replace_range(at..=at, "]"));
        }
    }
    assert!(taken > 10, "{taken}");
}

#[test]
fn a_family_of_exports_alone_has_no_vectors() {
    let catalog = catalog();
    let handles = [id::CAMERA, id::POOL].map(|id| catalog.get(id).clone()).to_vec();
    let alone = Catalog { contracts: handles };
    assert_eq!(emit::vectors::emit(&fixtures::input(&alone)).expect("nothing is wrong").len(), 0);
    let [file] = emit::vectors::emit(&fixtures::input(&catalog)).unwrap().try_into().expect("one family");
    assert!(file.body.contains("\"contract\":\"Settings\"") && !file.body.contains("wc_mean"));
}

#[test]
fn the_model_says_what_a_function_holds_in_the_order_of_its_words() {
    let catalog = catalog();
    assert_eq!(catalog.get(id::OPEN).function().held(), [id::CAMERA, id::CAMERA]);
    let each = catalog.get(id::EACH).function();
    assert_eq!(each.held(), [id::CAMERA, id::CAMERA, id::MODE, id::POINT]);
    assert_eq!(catalog.get(id::RAW).function().pointees(), [id::POINT; 3]);
    assert_eq!(catalog.get(id::POOL).handle().access, Access::Shared);
    let Body::Symbols(Symbols { is_library, .. }) = &catalog.get(id::LIBRARY).body else { panic!() };
    assert!(is_library);
}
