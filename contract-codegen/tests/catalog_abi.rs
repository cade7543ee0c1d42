//! Records of C structs: what is written from the model is read again, and what no declaration says is refused with
//! bounded work.

mod catalog_support;

use catalog_support::{BIG_32, BIG_64, LITTLE_32, LITTLE_64, elf_object, section_file, with_ids};
use wirecontract_codegen::catalog::encode::{self, Lines, Word};
use wirecontract_codegen::catalog::{ReadError, Record, ResolveError, read_bytes, resolve};
use wirecontract_codegen::fixtures::{
    self, abi_field, abi_id as id, fixed, function, placed, several, to, to_const,
};
use wirecontract_codegen::model::{
    AbiField, AbiLayout, AbiScalar, AbiType, Body, Catalog, Contract, ContractId, Scalar,
};

fn catalog() -> Catalog {
    let mut catalog = fixtures::abi();
    for (line, contract) in (1..).zip(&mut catalog.contracts) {
        contract.line = line;
    }
    with_ids(catalog)
}

#[test]
fn records_of_structs_are_read_as_they_were_written() {
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
    let lines = Lines::of(&catalog, catalog.get(id::MANAGED));
    assert_eq!(
        lines.wire,
        r#"{"kind":"abi","name":"DLManagedTensor","fields":[{"name":"dl_tensor"},{"name":"manager_ctx"},{"name":"deleter","params":[["self"]]}]}"#
    );
    let words: Vec<u32> = words_of(&catalog, id::MANAGED).into_iter().map(|word| word.0).collect();
    assert_eq!(words[..8], [64, 8, 64, 8, 44, 4, 48, 8]);
    assert_eq!(words[8..13], [0, 0, 0, 0, 67 + (1 << 13)]);
    // The ids of the tensor, then `void *`, then a function that gives nothing and takes a pointer.
    assert_eq!(words[17..23], [48, 48, 36, 40, 64, 63]);
    assert_eq!(words[23..32], [56, 56, 40, 44, 65 + (1 << 14), 1, 63, 64, 68]);
    assert_eq!(words.len(), 36);
    let hash = |text: &str| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
    assert_eq!(long(32), hash("DLManagedTensor"));
    assert_eq!(long(34), hash("wirecontract_gpu::tensor::DLManagedTensor"));
    let lines = Lines::of(&catalog, catalog.get(id::EVERYTHING));
    assert!(lines.wire.contains(r#"{"name":"texts","counted_by":"span"}"#), "{}", lines.wire);
    assert!(lines.wire.contains(r#""params":[["install"],[""],["code"]]}"#), "{}", lines.wire);
    assert!(lines.wire.ends_with(r#",{"name":"alias"}]}"#), "{}", lines.wire);
}

fn ids_of(catalog: &Catalog) -> std::collections::BTreeMap<ContractId, (u64, u64)> {
    catalog.iter().map(|(id, contract)| (id, (contract.wire_id, contract.source_id))).collect()
}

fn words_of(catalog: &Catalog, id: ContractId) -> Vec<Word> {
    encode::words(catalog, catalog.get(id), &ids_of(catalog))
}

/// The wire ids of all structs after a change of one.
fn wire_ids(change: impl FnOnce(&mut Catalog)) -> Vec<u64> {
    let mut catalog = fixtures::abi();
    change(&mut catalog);
    with_ids(catalog).contracts.into_iter().map(|contract| contract.wire_id).collect()
}

fn fields(catalog: &mut Catalog, id: ContractId) -> &mut Vec<AbiField> {
    let Body::Abi(body) = &mut catalog.contracts[id.0].body else { panic!("no struct") };
    &mut body.fields
}

#[test]
fn wire_ids_cover_names_of_pointees_and_not_their_content_or_place() {
    let before = wire_ids(|_| {});
    // The content of what is pointed to.
    let after = wire_ids(|catalog| fields(catalog, id::SCHEMA)[0].name = "form".into());
    assert_ne!(before[id::SCHEMA.0], after[id::SCHEMA.0]);
    assert_eq!(before[id::STREAM.0], after[id::STREAM.0]);
    // Its name.
    let after = wire_ids(|catalog| catalog.contracts[id::SCHEMA.0].name = "Schema".into());
    assert_ne!(before[id::STREAM.0], after[id::STREAM.0]);
    // Its place, or a new name that keeps the first one.
    let after = wire_ids(|catalog| {
        catalog.contracts[id::SCHEMA.0].module = "wirecontract_gpu::schema".into();
        catalog.contracts[id::ARRAY.0].was = Some("ArrowArray".into());
        catalog.contracts[id::ARRAY.0].name = "Array".into();
    });
    assert_eq!(before, after);
    // What is held by value.
    let after = wire_ids(|catalog| fields(catalog, id::DEVICE)[1].name = "number".into());
    assert_ne!(before[id::MANAGED.0], after[id::MANAGED.0]);
    // `const`, names of parameters, lengths, what counts.
    for change in [
        (|catalog| fields(catalog, id::EVERYTHING)[20].counted_by = None) as fn(&mut Catalog),
        |catalog| fields(catalog, id::EVERYTHING)[17].ty = to(AbiType::Enumeration(id::DEVICE_TYPE)),
        |catalog| fields(catalog, id::EVERYTHING)[21].ty = function(vec![("a", fixed(Scalar::U8))], None),
    ] {
        let after = wire_ids(change);
        assert_ne!(before[id::EVERYTHING.0], after[id::EVERYTHING.0]);
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
    let contract = catalog.get(changed);
    let mut lines = Lines::of(catalog, contract);
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

/// What is said where a word of a struct is another.
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

#[test]
fn layouts_that_c_does_not_make_are_refused() {
    word(id::SCHEMA, 0, 80, "it has 80 bytes and alignment 8 on lp64, its fields make 72 and 8");
    word(id::SCHEMA, 5, 8, "on ilp32_u64_4, its fields make 44 and 4");
    word(id::SCHEMA, 7, 4, "on ilp32_u64_8, its fields make 48 and 8");
    word(id::SCHEMA, 8, 4, "the field `format` is at byte 4 on lp64, where C puts it at 0");
    word(id::SCHEMA, 17, 0, "the field `name` is at byte 0 on ilp32_u64_8, where C puts it at 4");
    // A type of another size.
    word(id::ARRAY, 12, 2, "the field `null_count` is at byte 8 on ilp32_u64_4, where C puts it at 4");
    // Larger than what 32 bits hold, also of arrays whose product leaves them.
    let mut catalog = catalog();
    let large = several(several(fixed(Scalar::U64), 0x1_0000), 0x1_0000);
    fields(&mut catalog, id::NODE)[1].ty = large;
    let message = verdict(&with_ids(catalog), id::DEVICE, |_, _| {}).expect_err("it is too large");
    assert!(message.contains("it is larger than 4 GiB on lp64"), "{message}");
}

#[test]
fn words_that_no_type_has_are_refused() {
    // Of DLDataType: 8 words of the whole, then of each field 4 offsets and a type.
    word(id::DATA_TYPE, 12, 12, "the type code 12");
    word(id::DATA_TYPE, 12, 49, "the type code 49");
    word(id::DATA_TYPE, 12, 69, "the type code 69");
    word(id::DATA_TYPE, 12, 2 + (1 << 15), "the type word 0x8002");
    for bit in [8, 12, 13, 14] {
        word(id::DATA_TYPE, 12, 2 + (1 << bit), "contradicts its code 2");
    }
    word(id::DATA_TYPE, 12, 63, "has the type void by value");
    word(id::DATA_TYPE, 22, 64, "its words end within a field");
    refused("it has 3 fields, words for 2", id::DATA_TYPE, |_, words| words.truncate(18));
    refused("its words end within a field", id::DATA_TYPE, |_, words| words.truncate(5));
    // Of DLManagedTensor: words 23 to 31 are the function.
    word(id::MANAGED, 12, 68, "by value of which it says the name alone");
    word(id::MANAGED, 12, 67, "contradicts its code 67");
    word(id::MANAGED, 12, 20 + (1 << 13), "contradicts its code 20");
    word(id::MANAGED, 12, 21 + (1 << 13), "holds DLTensor as flags, which is abi");
    word(id::MANAGED, 31, 67 + (1 << 13), "points to a struct by its ids, which is by its name");
    word(id::MANAGED, 28, 2, "its words end within a field");
    word(id::MANAGED, 28, u32::MAX, "its words end within a field");
    refused("has a function of 17 parameters, where 16 are the most", id::MANAGED, |lines, words| {
        words.truncate(30);
        words[28].0 = 17;
        words.extend([(2, false); 17]);
        lines.wire = lines.wire.replace(r#"["self"]"#, &format!("[{}]", [r#""""#; 17].join(",")));
    });
    refused("takes or gives an array by value", id::MANAGED, |_, words| {
        words.truncate(30);
        words.extend([(66, false), (3, false), (2, false)]);
    });
    refused("an array without items", id::MANAGED, |_, words| {
        words.truncate(30);
        words.extend([(64, false), (66, false), (0, false), (2, false)]);
    });
    refused("by value of which it says the name alone", id::MANAGED, |_, words| {
        words.splice(31..31, [(66, false), (2, false)]);
    });
    // Types in each other.
    let deep = |depth: usize| {
        move |_: &mut Lines, words: &mut Vec<Word>| {
            words.truncate(31);
            words.extend(std::iter::repeat_n((64, false), depth));
            words.push((63, false));
        }
    };
    verdict(&catalog(), id::MANAGED, deep(28)).expect("it is not too deep");
    refused("one of its types is more than 32 deep", id::MANAGED, deep(31));
    refused("one of its types is more than 32 deep", id::MANAGED, deep(1_000_000));
}

#[test]
fn text_that_no_declaration_has_is_refused() {
    text(id::DATA_TYPE, r#"{"name":"lanes"}"#, r#"{"name":"bits"}"#, "it has two fields `bits`");
    text(id::DATA_TYPE, r#"{"name":"lanes"}"#, r#"{"name":"1"}"#, "\"1\" is no name");
    text(id::DATA_TYPE, r#"{"name":"lanes"}"#, r#"{"name":"lanes","rules":[]}"#, "the key `rules`");
    text(id::DATA_TYPE, r#"{"kind""#, r#"{"rules":[],"kind""#, "the key `rules`");
    text(id::TENSOR, r#""counted_by":"ndim""#, r#""counted_by":"n""#, "counted by `n`, which is no field");
    text(id::TENSOR, r#""counted_by":"ndim""#, r#""counted_by":"device""#, "which is no integer");
    text(id::TENSOR, r#""counted_by":"ndim""#, r#""counted_by":"shape""#, "which is no integer");
    text(
        id::TENSOR,
        r#"{"name":"byte_offset"}"#,
        r#"{"name":"byte_offset","counted_by":"ndim"}"#,
        "no pointer",
    );
    text(id::VERSION, r#"{"name":"minor"}"#, r#"{"name":"minor","params":[]}"#, "no list of lists");
    text(
        id::VERSION,
        r#"{"name":"minor"}"#,
        r#"{"name":"minor","params":[[]]}"#,
        "functions that it has not",
    );
    text(id::MANAGED, r#"[["self"]]"#, "[[]]", "more or fewer names than parameters");
    text(id::MANAGED, r#"[["self"]]"#, r#"[["a","b"]]"#, "more or fewer names than parameters");
    text(id::MANAGED, r#"[["self"]]"#, r#"[["self"],[]]"#, "functions that it has not");
    text(id::MANAGED, r#"[["self"]]"#, r#"["self"]"#, "no list of lists");
    text(id::MANAGED, r#"[["self"]]"#, r#"[["a b"]]"#, "no list of lists");
    text(id::MANAGED, r#"[["self"]]"#, "[[1]]", "no list of lists");
    text(id::MANAGED, r#","params":[["self"]]"#, "", "more or fewer names than parameters");
    refused("the C type `t` is that of no function pointer", id::VERSION, |lines, _| {
        let docs = r#"{"docs":"The field minor."}"#;
        assert!(lines.source.contains(docs), "{}", lines.source);
        lines.source = lines.source.replacen(docs, r#"{"docs":"The field minor.","c_type":"t"}"#, 1);
    });
    refused("words for 0", id::VERSION, |_, words| words.truncate(8));
    refused("it has no fields", id::VERSION, |lines, words| {
        words.truncate(8);
        lines.wire = r#"{"kind":"abi","name":"DLPackVersion","fields":[]}"#.to_owned();
        lines.source = lines.source.split_once(r#""members":"#).unwrap().0.to_owned() + r#""members":[]}"#;
    });
}

#[test]
fn a_pointer_leads_to_the_struct_of_its_path_and_name() {
    // Word 32 and 33 are the hash of the name, 34 and 35 that of the path.
    word(id::MANAGED, 32, 1, "the field `deleter` points to DLManagedTensor under another name");
    word(
        id::MANAGED,
        34,
        1,
        "points in `deleter` to a C struct that is in none of the libraries read (hash of its path 0x",
    );
    word(id::MANAGED, 34, 1, "has the same name and another path");
    let mut catalog = catalog();
    fields(&mut catalog, id::NODE)[1].ty = to(AbiType::Struct(id::DEVICE_TYPE));
    let message =
        verdict(&with_ids(catalog), id::DEVICE, |_, _| {}).expect_err("it points to an enumeration");
    assert!(message.contains("points to DeviceType as a C struct, which is enumeration"), "{message}");
}

#[test]
fn a_struct_in_another_library_is_found_there_and_missed_without_it() {
    let mut catalog = catalog();
    catalog.contracts[id::SCHEMA.0].package = "arrow".into();
    catalog.contracts[id::SCHEMA.0].module = "arrow::schema".into();
    let catalog = with_ids(catalog);
    let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
    let (there, missing): (Vec<&Record>, Vec<&Record>) =
        library.records.iter().partition(|record| record.contract.name != "ArrowSchema");
    assert_eq!(missing.len(), 1);
    let all = resolve(there.iter().copied().chain(missing)).expect("all are there");
    let position = |name: &str| all.contracts.iter().position(|contract| contract.name == name).unwrap();
    let Body::Abi(stream) = &all.contracts[position("ArrowArrayStream")].body else { panic!("no struct") };
    let AbiType::Function(get_schema) = &stream.fields[0].ty else { panic!("no function") };
    assert_eq!(get_schema.params[1].ty, to(AbiType::Struct(ContractId(position("ArrowSchema")))));

    let errors = resolve(there).expect_err("it is missing");
    let messages: Vec<String> = errors.iter().map(ResolveError::to_string).collect();
    assert!(errors.iter().all(|error| matches!(error, ResolveError::MissingPointee { .. })), "{messages:?}");
    assert!(
        messages[0].contains("wirecontract_gpu::tensor::ArrowArrayStream")
            && messages[0].contains("points in `get_schema` to a C struct")
            && messages[0].contains("a dependency of wirecontract-gpu (`--library`)"),
        "{messages:?}"
    );
}

#[test]
fn two_libraries_of_one_path_are_told_apart_by_package() {
    let catalog = catalog();
    let mut other = catalog.clone();
    for contract in &mut other.contracts {
        contract.package = "another".into();
    }
    fields(&mut other, id::NODE)[1].docs = "Another.".into();
    let mut records = read_bytes(&elf_object(&catalog, LITTLE_64)).unwrap().records;
    records.extend(read_bytes(&elf_object(&with_ids(other), LITTLE_64)).unwrap().records);
    let all = resolve(&records).expect("the records make a catalog");
    for contract in &all.contracts {
        let Body::Abi(body) = &contract.body else { continue };
        for target in body.pointees() {
            assert_eq!(all.get(target).package, contract.package);
        }
    }
}

#[test]
fn structs_that_hold_each_other_by_value_are_refused() {
    // Ids are hashes of what is held, so that only records that are made up can do this: here two name each other's.
    let catalog = catalog();
    let mut library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
    let source_id = |records: &[Record], name: &str| {
        records.iter().find(|record| record.contract.name == name).expect("it is there").contract.source_id
    };
    let node = source_id(&library.records, "Node");
    let list = library.records.iter_mut().find(|record| record.contract.name == "NodeList").unwrap();
    list.nested.push(wirecontract_codegen::catalog::Nested {
        field: "first".into(),
        wire_id: 0,
        source_id: node,
        kind: None,
    });
    let errors = resolve(&library.records).expect_err("they hold each other");
    assert!(errors[0].to_string().contains("it holds itself"), "{errors:?}");
}

#[test]
fn structs_that_double_each_other_cost_no_more_than_their_number() {
    let mut catalog = Catalog::default();
    let mut ty = fixed(Scalar::U8);
    for level in 0..31 {
        let body = placed(&catalog, vec![abi_field("a", ty.clone()), abi_field("b", ty)]);
        ty = AbiType::Struct(ContractId(level));
        catalog.contracts.push(fixtures::contract(&format!("D{level}"), Body::Abi(body)));
    }
    for (line, contract) in (1..).zip(&mut catalog.contracts) {
        contract.line = line;
    }
    let catalog = with_ids(catalog);
    let library = read_bytes(&elf_object(&catalog, LITTLE_64)).expect("the file holds contracts");
    // Were each looked at for every time that it is held, this would be two thousand million times.
    let read = resolve(&library.records).expect("the records make a catalog");
    assert_eq!(read.contracts.last().unwrap().abi().layouts[0], AbiLayout { size: 1 << 31, align: 1 });
    let input = fixtures::input(&read);
    wirecontract_codegen::emit::c::emit(&input).expect("they have a C half");
    wirecontract_codegen::emit::python::emit(&input).expect("they have a Python half");
    wirecontract_codegen::emit::json::emit(&input).expect("they have a catalog");
}

#[test]
fn structs_in_each_other_are_bounded() {
    let chain = |count: usize| {
        let mut catalog = Catalog::default();
        let mut ty = fixed(Scalar::U8);
        for level in 0..count {
            let body = placed(&catalog, vec![abi_field("a", ty)]);
            ty = AbiType::Struct(ContractId(level));
            let line = u32::try_from(level).unwrap();
            let contract = fixtures::contract(&format!("D{level}"), Body::Abi(body));
            catalog.contracts.push(Contract { line, ..contract });
        }
        let library = read_bytes(&elf_object(&with_ids(catalog), LITTLE_64)).expect("it holds contracts");
        resolve(&library.records).map_err(|errors| errors[0].to_string())
    };
    chain(128).expect("they are not too deep");
    let message = chain(129).expect_err("they are too deep");
    assert!(message.contains("more than 128 deep"), "{message}");
}

/// Every word and every byte of text as something else: an error, or a catalog that every emitter takes or refuses.
#[test]
fn forged_records_are_refused_or_make_a_catalog() {
    let catalog = catalog();
    let input = |catalog: &Catalog| {
        let input = fixtures::input(catalog);
        let _ = wirecontract_codegen::emit::c::emit(&input);
        let _ = wirecontract_codegen::emit::cpp::emit(&input);
        let _ = wirecontract_codegen::emit::python::emit(&input);
        let _ = wirecontract_codegen::emit::json::emit(&input);
        let _ = wirecontract_codegen::emit::vectors::emit(&input);
    };
    let mut taken = 0;
    for changed in [id::TENSOR, id::STREAM, id::EVERYTHING] {
        let words = words_of(&catalog, changed).len();
        for at in 8..words {
            let new = [0, 1, 50, 63, 64, 64 + (1 << 8), 65, 66, 67 + (1 << 13), 68, u32::MAX];
            if let Ok(read) = verdict(&catalog, changed, |_, words| words[at].0 = new[at % new.len()]) {
                taken += 1;
                if taken % 8 == 0 {
                    input(&read);
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
fn const_and_pointers_are_told_apart() {
    let catalog = catalog();
    let Body::Abi(body) = &catalog.get(id::EVERYTHING).body else { panic!("no struct") };
    let by_name = |name: &str| &body.fields.iter().find(|field| field.name == name).unwrap().ty;
    assert_eq!(*by_name("texts"), to_const(to_const(AbiType::Scalar(AbiScalar::Char))));
    let nodes = body.pointees().into_iter().filter(|&id| id == id::NODE).count();
    assert_eq!(nodes, 1, "a pointer in an array behind a pointer");
    assert_eq!(body.held().iter().filter(|&&id| id == id::DEVICE).count(), 3);
}
