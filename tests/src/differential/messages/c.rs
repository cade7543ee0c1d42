//! Messages in the C drivers: those of descriptors, and those whose document a library reads.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use wirecontract_codegen::emit::{EmitInput, Family};
use wirecontract_codegen::model::{
    Body, ContractId, FdForm, FdGroup, Message, MessageContent, MessageField, MessageVariant, Tail, TailItem,
};
use wirecontract_codegen::names::c as names;

use super::{MessageChange, MessageProbe, is_binary, message, message_probes, tag_fields, variants};

/// The functions of a family's messages of descriptors, or of documents, and their lines of the table.
pub(in crate::differential) fn handlers(
    input: &EmitInput<'_>,
    family: &Family,
    of_documents: bool,
) -> (String, String) {
    let (mut text, mut table) = (String::new(), String::new());
    let asked = |id: ContractId| match input.catalog.document_of(id) {
        Some(_) => of_documents,
        None => !of_documents && is_binary(input.catalog, id),
    };
    // A variant may be a message of another family.
    let mut needed: Vec<ContractId> = Vec::new();
    for &id in family.contracts.iter().filter(|&&id| asked(id)) {
        needed.extend(variants(input, id).iter().filter_map(|variant| variant.holds.message()));
        needed.push(id);
    }
    let mut done = Vec::new();
    for id in needed {
        if !done.contains(&id) {
            done.push(id);
            text += &functions(input, id);
        }
    }
    for &id in family.contracts.iter().filter(|&&id| asked(id)) {
        text += &handler(input, id);
        table += &format!("    {{\"{}\", handle_{}}},\n", input.catalog.get(id).name, id.0);
    }
    (text, table)
}

fn type_name(input: &EmitInput<'_>, id: ContractId) -> String {
    names::type_name(&input.family_of(id).package, input.catalog.get(id))
}

fn stem(input: &EmitInput<'_>, id: ContractId) -> String {
    names::stem(&input.family_of(id).package, input.catalog.get(id))
}

fn functions(input: &EmitInput<'_>, id: ContractId) -> String {
    match &input.catalog.get(id).body {
        Body::Message(message) => shown(input, id, message) + &probes_of(input, id, message),
        _ => several_shown(input, id) + &several_probes(input, id),
    }
}

fn group_line(index: usize, group: &FdGroup) -> String {
    let field = MessageField::Fds(group);
    let (before, member) = (if index > 0 { "," } else { "" }, names::message_member(field));
    match group.form {
        FdForm::Many { .. } => {
            format!("    put_group(\"{before}\", v->{member}, v->{});\n", names::count_member(field))
        }
        _ => format!("    put_group(\"{before}\", &v->{member}, v->{member} >= 0 ? 1 : 0);\n"),
    }
}

/// What prints the groups, and the parts and the tail.
fn shown(input: &EmitInput<'_>, id: ContractId, message: &Message) -> String {
    let ty = type_name(input, id);
    let groups: String =
        message.fds.iter().enumerate().map(|(index, group)| group_line(index, group)).collect();
    let is_document = input.catalog.document_of(id).is_some();
    let mut tree = String::new();
    for (index, part) in message.parts.iter().enumerate().filter(|_| !is_document) {
        let (before, member) =
            (if index > 0 { "," } else { "[" }, names::message_member(MessageField::Part(part)));
        tree += &format!("    put(\"{before}\");\n    print_{}(&v->{member});\n", part.contract.0);
    }
    tree += if is_document { "    put(\"-\");\n" } else { "    put(\"]\");\n" };
    tree += &message.tail.as_ref().map_or_else(String::new, |tail| tail_line(input, id, tail));
    format!(
        "static void groups_{0}(const {ty} *v) {{\n    (void)v;\n    put(\"[\");\n{groups}    put(\"]\");\n}}\n\n\
         static void tree_{0}(const {ty} *v) {{\n    (void)v;\n{tree}}}\n\n",
        id.0
    )
}

fn tail_line(input: &EmitInput<'_>, id: ContractId, tail: &Tail) -> String {
    let field = MessageField::Tail(tail);
    let member = names::message_member(field);
    match tail.item {
        TailItem::Bytes => format!("    put_bytes(v->{member}.data, v->{member}.length);\n"),
        TailItem::Text => format!("    put_text(v->{member}.data, v->{member}.length);\n"),
        TailItem::Descriptor(item) => {
            let element = names::element_function(&input.family_of(id).package, input.catalog.get(id), field);
            format!(
                "    put(\"[\");\n    for (size_t i = 0; i < v->{count}; ++i) {{\n        {ty} item;\n        \
                 put(i ? \",\" : \"\");\n        if ({element}(v, i, &item, NULL) != 0) {{\n            \
                 put(\"an element that was read is refused\");\n        }} else {{\n            \
                 print_{item_id}(&item);\n        }}\n    }}\n    put(\"]\");\n",
                count = names::count_member(field),
                ty = type_name(input, item),
                item_id = item.0,
            )
        }
    }
}

/// What changes a message as a probe says, if it can be.
fn probes_of(input: &EmitInput<'_>, id: ContractId, message: &Message) -> String {
    let mut cases = String::new();
    for (number, probe) in message_probes(input.catalog, id).into_iter().enumerate() {
        cases += &format!("    case {number}: {}\n", change(input, message, probe.change));
    }
    format!(
        "static bool probe_{}({} *v, int number, size_t came) {{\n    (void)v;\n    (void)came;\n    switch (number) {{\n{cases}    \
         default: return false;\n    }}\n}}\n\n",
        id.0,
        type_name(input, id)
    )
}

fn change(input: &EmitInput<'_>, message: &Message, change: MessageChange) -> String {
    let group = |index: usize| {
        let field = MessageField::Fds(&message.fds[index]);
        (names::message_member(field), names::count_member(field))
    };
    let tail = message.tail.as_ref().map(|tail| {
        let field = MessageField::Tail(tail);
        (tail.item, names::message_member(field), names::count_member(field))
    });
    match change {
        MessageChange::MoreFds(index) => {
            let (member, count) = group(index);
            format!("v->{member} = more_fds(v->{member}, &v->{count}, came); return true;")
        }
        MessageChange::FewerFds(index) => {
            format!("if (v->{0} == 0) return false; v->{0}--; return true;", group(index).1)
        }
        MessageChange::OtherFd(index) => {
            format!("v->{0} = v->{0} >= 0 ? -1 : driver_fds()[came]; return true;", group(index).0)
        }
        MessageChange::LongerTail => match tail {
            Some((TailItem::Descriptor(item), member, count)) => {
                let size = size_constant(input, item);
                format!(
                    "if (v->{count} == 0) return false; v->{member} = longer(v->{member}, v->{count} * {size}, v->{member} + (v->{count} - 1) * {size}, {size}); v->{count}++; return true;"
                )
            }
            Some((item, member, _)) => {
                let cast = if item == TailItem::Text { "(const char *)" } else { "" };
                format!(
                    "v->{member}.data = {cast}longer((const uint8_t *)v->{member}.data, v->{member}.length, (const uint8_t *)\"a\", 1); v->{member}.length++; return true;"
                )
            }
            None => "return false;".to_owned(),
        },
        MessageChange::ShorterTail => match tail {
            Some((TailItem::Descriptor(_), _, count)) => {
                format!("if (v->{count} == 0) return false; v->{count}--; return true;")
            }
            Some((TailItem::Bytes, member, _)) => {
                format!("if (v->{member}.length == 0) return false; v->{member}.length--; return true;")
            }
            Some((TailItem::Text, member, _)) => format!(
                "if (v->{member}.length == 0) return false; while ((v->{member}.data[--v->{member}.length] & 0xc0) == 0x80) {{ }} return true;"
            ),
            None => "return false;".to_owned(),
        },
        MessageChange::Tag(_) => "return false;".to_owned(),
    }
}

fn size_constant(input: &EmitInput<'_>, id: ContractId) -> String {
    format!("{}_SIZE", names::constant_stem(&input.family_of(id).package, input.catalog.get(id)))
}

fn constant(input: &EmitInput<'_>, id: ContractId, variant: &MessageVariant) -> String {
    names::message_constant(&input.family_of(id).package, input.catalog.get(id), variant)
}

fn several_shown(input: &EmitInput<'_>, id: ContractId) -> String {
    let (mut groups, mut trees, mut variant_names) = (String::new(), String::new(), String::new());
    for variant in variants(input, id) {
        let (constant, member) = (constant(input, id, variant), names::message_variant_member(variant));
        variant_names += &format!("    case {constant}: return \"{}\";\n", variant.member.name);
        let (group, tree) = match variant.holds {
            MessageContent::Message(held) => (
                format!("groups_{}(&v->value.{member})", held.0),
                format!("tree_{}(&v->value.{member})", held.0),
            ),
            MessageContent::Value(_) | MessageContent::Nothing => {
                ("put(\"[]\")".to_owned(), "put(\"-\")".to_owned())
            }
            MessageContent::Other => (
                format!("put_group(\"[\", v->value.{member}.fds, v->value.{member}.fd_count); put(\"]\")"),
                "put(\"-\")".to_owned(),
            ),
        };
        groups += &format!("    case {constant}: {group}; break;\n");
        trees += &format!("    case {constant}: {tree}; break;\n");
    }
    let ty = type_name(input, id);
    format!(
        "static const char *variant_{0}(const {ty} *v) {{\n    switch (v->tag) {{\n{variant_names}    \
         default: return \"no variant\";\n    }}\n}}\n\n\
         static void groups_{0}(const {ty} *v) {{\n    switch (v->tag) {{\n{groups}    default: break;\n    }}\n}}\n\n\
         static void tree_{0}(const {ty} *v) {{\n    switch (v->tag) {{\n{trees}    default: break;\n    }}\n}}\n\n",
        id.0
    )
}

fn several_probes(input: &EmitInput<'_>, id: ContractId) -> String {
    let mut cases = String::new();
    for (number, MessageProbe { variant, change }) in
        message_probes(input.catalog, id).into_iter().enumerate()
    {
        let index = variant.expect("each of several messages is a variant");
        let variant = &variants(input, id)[index];
        let member = names::message_variant_member(variant);
        let apply = match change {
            MessageChange::Tag(tag) => {
                let first = &input.catalog.get(variant.message()).message().parts[0];
                let path = tag_fields(input.catalog, id)
                    .into_iter()
                    .fold(names::message_member(MessageField::Part(first)), |place, field| {
                        format!("{place}.{}", names::member(field))
                    });
                format!("v->value.{member}.{path} = UINT64_C({tag}); return true;")
            }
            change => {
                let own = message_probes(input.catalog, variant.message());
                let own = own.iter().position(|probe| probe.change == change).expect("it is the message's");
                format!("return probe_{}(&v->value.{member}, {own}, came);", variant.message().0)
            }
        };
        let constant = constant(input, id, variant);
        cases += &format!("    case {number}: if (v->tag != {constant}) return false; {apply}\n");
    }
    format!(
        "static bool probe_{}({} *v, int number, size_t came) {{\n    (void)v;\n    (void)came;\n    switch (number) {{\n{cases}    \
         default: return false;\n    }}\n}}\n\n",
        id.0,
        type_name(input, id)
    )
}

fn handler(input: &EmitInput<'_>, id: ContractId) -> String {
    let is_several = message(input.catalog, id).is_none();
    let variant = if is_several { format!("put(variant_{}(&v));", id.0) } else { "put(\"-\");".to_owned() };
    let text = match input.catalog.document_of(id) {
        None => BINARY.to_owned(),
        Some(document) => {
            let (out, whole) = if is_several {
                (
                    "&whole, ".to_owned(),
                    format!("    status = {}_detail_document(v, &whole, &count, &error);\n", stem(input, id)),
                )
            } else {
                let part = &input.catalog.get(id).message().parts[0];
                let part = names::message_member(MessageField::Part(part));
                (String::new(), format!("    whole = v->{part};\n    status = 0;\n"))
            };
            DOCUMENT
                .replace("@OUT@", &out)
                .replace("@WHOLE@", &whole)
                .replace("@DOCUMENT@", &type_name(input, document))
                .replace("@READER@", &stem(input, document))
                .replace("@PREFIX@", &input.family_of(id).package.c_prefix)
        }
    };
    (text + HANDLER)
        .replace("@VARIANT@", &variant)
        .replace("@ID@", &id.0.to_string())
        .replace("@TYPE@", &type_name(input, id))
        .replace("@STEM@", &stem(input, id))
        .replace("@CONSTANTS@", &names::constant_stem(&input.family_of(id).package, input.catalog.get(id)))
}

/// What the functions of every message need.
pub(in crate::differential) const HEAD: &str = r#"
static void fault(wc_status status, const wc_error *error) {
    char message[4096];
    if (status != error->code) {
        put("the status is not the error's");
        return;
    }
    wc_error_message(error, message, sizeof message);
    put_fault((int)status, error->contract, error->field, error->offset, message);
}

/* Says why a message that was read is not written again; of one that was changed, nothing else is said. */
static inline void unwritten(bool changed, wc_status status, const wc_error *error) {
    put(changed ? "" : "unwritten ");
    fault(status, error);
}

static inline const int *more_fds(const int *group, size_t *count, size_t came) {
    static int fds[DRIVER_FDS];
    if (*count != 0) {
        memcpy(fds, group, *count * sizeof *fds);
    }
    fds[(*count)++] = driver_fds()[came];
    return fds;
}

static inline const uint8_t *longer(const uint8_t *bytes, size_t length, const uint8_t *more, size_t count) {
    static uint8_t *copy;
    free(copy);
    copy = (uint8_t *)malloc(length + count);
    if (length != 0) {
        memcpy(copy, bytes, length);
    }
    memcpy(copy + length, more, count);
    return copy;
}

"#;

/// Writes into exactly the room that is needed, and into less.
const BINARY: &str = r#"static bool written_@ID@(const @TYPE@ *v, bool changed) {
    static uint8_t bytes[@CONSTANTS@_MAX_BYTES];
    int fds[DRIVER_FDS];
    size_t length = 0, count = 0, again = 0, fds_again = 0;
    wc_error error;
    uint8_t *exact;
    wc_status status = @STEM@_write(v, bytes, sizeof bytes, &length, fds, DRIVER_FDS, &count, &error);
    if (status != 0) {
        unwritten(changed, status, &error);
        return false;
    }
    exact = (uint8_t *)malloc(length);
    if (@STEM@_write(v, exact, length, &again, fds, count, &fds_again, NULL) != 0 || again != length ||
        fds_again != count || memcmp(exact, bytes, length) != 0) {
        put("what there is room for is refused ");
    }
    if (@STEM@_write(v, exact, length - 1, &again, fds, count, &fds_again, NULL) != WC_STATUS_TOO_SHORT ||
        (count != 0 &&
         @STEM@_write(v, exact, length, &again, fds, count - 1, &fds_again, NULL) != WC_STATUS_TOO_SHORT)) {
        put("what there is no room for is written ");
    }
    free(exact);
    put(changed ? "ok - " : "");
    put_hex(bytes, length);
    return true;
}

static bool read_@ID@(const uint8_t *bytes, size_t length, size_t fd_count, @TYPE@ *v) {
    wc_error error;
    const wc_status status = @STEM@_read(bytes, length, driver_fds(), fd_count, v, &error);
    if (status != 0) {
        fault(status, &error);
    }
    return status == 0;
}

static void done_@ID@(void) {}

"#;

/// The document is the library's part.
const DOCUMENT: &str = r#"static wc_arena arena_@ID@;

static bool written_@ID@(const @TYPE@ *v, bool changed) {
    @DOCUMENT@ whole;
    int fds[DRIVER_FDS];
    size_t count = 0;
    wc_owned_bytes json;
    wc_error error;
    wc_status status;
@WHOLE@    if (status == 0) {
        status = @READER@_to_json(&whole, &json, &error);
    }
    if (status != 0) {
        unwritten(changed, status, &error);
        return false;
    }
    status = @STEM@_join(v, @OUT@fds, DRIVER_FDS, &count, &error);
    if (status != 0) {
        unwritten(changed, status, &error);
    } else {
        put(changed ? "ok - " : "");
        put_hex(json.data, json.length);
        if (count != 0 && @STEM@_join(v, @OUT@fds, count - 1, &count, NULL) != WC_STATUS_TOO_SHORT) {
            put(" without room");
        }
    }
    (void)@PREFIX@_bytes_free(&json);
    return status == 0;
}

static bool read_@ID@(const uint8_t *bytes, size_t length, size_t fd_count, @TYPE@ *v) {
    @DOCUMENT@ document;
    wc_str json;
    wc_error error;
    wc_status status;
    json.data = (const char *)bytes;
    json.length = length;
    status = @READER@_from_json(json, &document, &arena_@ID@, &error);
    if (status == 0) {
        status = @STEM@_split(&document, driver_fds(), fd_count, v, &error);
        if (status != 0) {
            (void)@PREFIX@_arena_free(&arena_@ID@);
        }
    }
    if (status != 0) {
        fault(status, &error);
    }
    return status == 0;
}

static void done_@ID@(void) { (void)@PREFIX@_arena_free(&arena_@ID@); }

"#;

const HANDLER: &str = r#"static void imported_@ID@(const @TYPE@ *v) {
    wc_error error;
    const wc_status status = @STEM@_validate_import(v, &error);
    put(" | ");
    if (status != 0) {
        fault(status, &error);
    } else {
        put("ok");
    }
}

static void handle_@ID@(const char *operation, const uint8_t *bytes, size_t length) {
    char *end;
    const size_t fd_count = (size_t)strtoul(operation + 1, &end, 10);
    @TYPE@ v;
    /* What is filled first is to see that a reader writes every member. */
    memset(&v, 0xa5, sizeof v);
    if (!read_@ID@(bytes, length, fd_count, &v)) {
        puts("");
        return;
    }
    if (*end == 'w') {
        if (!probe_@ID@(&v, atoi(end + 1), fd_count)) {
            put("-");
        } else if (written_@ID@(&v, true)) {
            imported_@ID@(&v);
        }
    } else {
        put("ok ");
        @VARIANT@
        put(" ");
        groups_@ID@(&v);
        put(" ");
        (void)written_@ID@(&v, false);
        imported_@ID@(&v);
        put(" | ");
        tree_@ID@(&v);
    }
    done_@ID@();
    puts("");
}

"#;
