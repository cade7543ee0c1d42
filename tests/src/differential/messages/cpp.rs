//! Messages of descriptors in the C++ driver.

#![expect(clippy::format_push_string, reason = "the text of a program reads best in formatted pieces")]

use wirecontract_codegen::emit::{EmitInput, Family};
use wirecontract_codegen::model::{
    Body, ContractId, FdForm, Message, MessageField, MessageVariant, TailItem,
};
use wirecontract_codegen::names::cpp as names;

use super::{MessageChange, MessageProbe, is_binary, message, message_probes, tag_fields, variants};
use crate::differential::cpp::path;

/// The functions of a family's messages, and their lines of the table.
pub(in crate::differential) fn handlers(input: &EmitInput<'_>, family: &Family) -> (String, String) {
    let (mut text, mut table) = (String::new(), String::new());
    let own: Vec<ContractId> =
        family.contracts.iter().copied().filter(|&id| is_binary(input.catalog, id)).collect();
    let mut done = Vec::new();
    for &id in &own {
        let held = variants(input, id).iter().map(MessageVariant::message);
        for id in held.chain([id]) {
            if !done.contains(&id) {
                done.push(id);
                text += &match &input.catalog.get(id).body {
                    Body::Message(message) => of_one(input, id, message),
                    _ => of_several(input, id),
                };
            }
        }
    }
    for &id in &own {
        text += &HANDLER.replace("@ID@", &id.0.to_string()).replace("@TYPE@", &path(input, id)).replace(
            "@VARIANT@",
            &if message(input.catalog, id).is_none() {
                format!("put(variant_{}(*read));", id.0)
            } else {
                "put(\"-\");".to_owned()
            },
        );
        table += &format!("    {{\"{}\", handle_{}}},\n", input.catalog.get(id).name, id.0);
    }
    (text, table)
}

fn of_one(input: &EmitInput<'_>, id: ContractId, message: &Message) -> String {
    let (mut groups, mut tree) = (String::new(), String::new());
    for (index, group) in message.fds.iter().enumerate() {
        let member = names::message_member(MessageField::Fds(group));
        let before = if index > 0 { "," } else { "" };
        groups += &match group.form {
            FdForm::One => format!("    put_group(\"{before}\", &v.{member}, v.{member} >= 0 ? 1 : 0);\n"),
            FdForm::Optional { .. } => {
                format!(
                    "    put_group(\"{before}\", v.{member} ? &*v.{member} : nullptr, v.{member} ? 1 : 0);\n"
                )
            }
            FdForm::Many { .. } => {
                format!("    put_group(\"{before}\", v.{member}.data(), v.{member}.size());\n")
            }
        };
    }
    for (index, part) in message.parts.iter().enumerate() {
        let member = names::message_member(MessageField::Part(part));
        let before = if index > 0 { "," } else { "[" };
        tree += &format!("    put(\"{before}\");\n    print_{}(v.{member});\n", part.contract.0);
    }
    tree += "    put(\"]\");\n";
    if let Some(tail) = &message.tail {
        let member = names::message_member(MessageField::Tail(tail));
        tree += &match tail.item {
            TailItem::Bytes => format!("    put_bytes(v.{member}.data(), v.{member}.size());\n"),
            TailItem::Text => format!("    put_text(v.{member}.data(), v.{member}.size());\n"),
            TailItem::Descriptor(item) => format!(
                "    const char *comma = \"[\";\n    for (const auto &item : v.{member}) {{\n        put(comma);\n        \
                 comma = \",\";\n        print_{}(item);\n    }}\n    put(v.{member}.empty() ? \"[]\" : \"]\");\n",
                item.0
            ),
        };
    }
    let mut cases = String::new();
    for (number, probe) in message_probes(input.catalog, id).into_iter().enumerate() {
        cases += &format!("    case {number}: {}\n", change(message, probe.change));
    }
    let groups = format!("    put(\"[\");\n{groups}    put(\"]\");\n");
    functions(id, &path(input, id), [&groups, &tree, &cases])
}

fn functions(id: ContractId, ty: &str, [groups, tree, cases]: [&str; 3]) -> String {
    format!(
        "[[maybe_unused]] void groups_{0}(const {ty} &v) {{\n    (void)v;\n{groups}}}\n\n\
         [[maybe_unused]] void tree_{0}(const {ty} &v) {{\n    (void)v;\n{tree}}}\n\n\
         [[maybe_unused]] bool probe_{0}({ty} &v, int number, const int *spare) {{\n    (void)v;\n    (void)spare;\n    \
         switch (number) {{\n{cases}    default: return false;\n    }}\n}}\n\n",
        id.0
    )
}

fn change(message: &Message, change: MessageChange) -> String {
    let group = |index: usize| names::message_member(MessageField::Fds(&message.fds[index]));
    let tail = message.tail.as_ref().map(|tail| (tail.item, names::message_member(MessageField::Tail(tail))));
    match (change, tail) {
        (MessageChange::MoreFds(index), _) => {
            format!("v.{0} = more_fds(v.{0}, *spare); return true;", group(index))
        }
        (MessageChange::FewerFds(index), _) => format!(
            "if (v.{0}.empty()) return false; v.{0} = ::wirecontract::view<int>(v.{0}.data(), v.{0}.size() - 1); return true;",
            group(index)
        ),
        (MessageChange::OtherFd(index), _) => {
            format!("if (v.{0}) v.{0} = std::nullopt; else v.{0} = *spare; return true;", group(index))
        }
        (MessageChange::LongerTail, Some((TailItem::Descriptor(_), member))) => format!(
            "if (v.{member}.empty()) return false; v.{member}.push_back(copied(v.{member}.back())); return true;"
        ),
        (MessageChange::LongerTail, Some((_, member))) => {
            format!("v.{member} = longer(v.{member}); return true;")
        }
        (MessageChange::ShorterTail, Some((TailItem::Descriptor(_), member))) => {
            format!("if (v.{member}.empty()) return false; v.{member}.pop_back(); return true;")
        }
        (MessageChange::ShorterTail, Some((_, member))) => {
            format!("if (v.{member}.empty()) return false; v.{member} = shorter(v.{member}); return true;")
        }
        (MessageChange::LongerTail | MessageChange::ShorterTail | MessageChange::Tag(_), _) => {
            "return false;".to_owned()
        }
    }
}

fn of_several(input: &EmitInput<'_>, id: ContractId) -> String {
    let ty = path(input, id);
    let (mut groups, mut trees, mut named, mut cases) =
        (String::new(), String::new(), String::new(), String::new());
    for (index, variant) in variants(input, id).iter().enumerate() {
        let held = variant.message().0;
        named += &format!("    case {index}: return \"{}\";\n", variant.member.name);
        groups += &format!(
            "    if (v.value.index() == {index}) groups_{held}(std::get<{index}>(v.value).value);\n"
        );
        trees +=
            &format!("    if (v.value.index() == {index}) tree_{held}(std::get<{index}>(v.value).value);\n");
    }
    for (number, MessageProbe { variant, change }) in
        message_probes(input.catalog, id).into_iter().enumerate()
    {
        let index = variant.expect("each of several messages is a variant");
        let variant = &variants(input, id)[index];
        let held = format!("std::get<{index}>(v.value).value");
        let apply = match change {
            MessageChange::Tag(tag) => {
                let first = &input.catalog.get(variant.message()).message().parts[0];
                let place = tag_fields(input.catalog, id)
                    .into_iter()
                    .fold(names::message_member(MessageField::Part(first)), |place, field| {
                        format!("{place}.{}", names::member(field))
                    });
                format!("{held}.{place} = UINT64_C({tag}); return true;")
            }
            change => {
                let own = message_probes(input.catalog, variant.message());
                let own = own.iter().position(|probe| probe.change == change).expect("it is the message's");
                format!("return probe_{}({held}, {own}, spare);", variant.message().0)
            }
        };
        cases += &format!("    case {number}: if (v.value.index() != {index}) return false; {apply}\n");
    }
    let named = format!(
        "[[maybe_unused]] const char *variant_{}(const {ty} &v) {{\n    switch (v.value.index()) {{\n{named}    \
         default: return \"no variant\";\n    }}\n}}\n\n",
        id.0
    );
    named + &functions(id, &ty, [&groups, &trees, &cases])
}

/// What the functions of every message need.
pub(in crate::differential) const HEAD: &str = r#"
[[maybe_unused]] void fault(const ::wirecontract::error &error) {
    put_fault(static_cast<int>(error.code()), std::string(error.contract()).c_str(),
              std::string(error.field()).c_str(), error.offset(), error.message().c_str());
}

[[maybe_unused]] ::wirecontract::view<int> more_fds(::wirecontract::view<int> group, int more) {
    static std::vector<int> fds;
    fds.assign(group.begin(), group.end());
    fds.push_back(more);
    return ::wirecontract::view<int>(fds.data(), fds.size());
}

template <class T>
T copied(const T &value) {
    return value;
}

[[maybe_unused]] ::wirecontract::bytes_view longer(::wirecontract::bytes_view bytes) {
    static std::vector<std::uint8_t> copy;
    copy.assign(bytes.begin(), bytes.end());
    copy.push_back('a');
    return ::wirecontract::bytes_view(copy.data(), copy.size());
}

[[maybe_unused]] std::string_view longer(std::string_view text) {
    static std::string copy;
    copy = std::string(text) + 'a';
    return copy;
}

[[maybe_unused]] ::wirecontract::bytes_view shorter(::wirecontract::bytes_view bytes) {
    return ::wirecontract::bytes_view(bytes.data(), bytes.size() - 1);
}

[[maybe_unused]] std::string_view shorter(std::string_view text) {
    std::size_t length = text.size() - 1;
    while ((static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) {
        length--;
    }
    return text.substr(0, length);
}

/* What is written of a message; of one that was changed, nothing else is said. */
template <class T>
bool put_written(const T &value, bool changed) {
    const auto written = value.to_message();
    if (!written) {
        put(changed ? "" : "unwritten ");
        fault(written.error());
        return false;
    }
    put(changed ? "ok - " : "");
    put_hex(written->bytes.data(), written->bytes.size());
    return true;
}

template <class T>
void put_import(const T &value) {
    const auto asked = value.validate_import();
    put(" | ");
    if (asked) {
        fault(*asked);
    } else {
        put("ok");
    }
}

"#;

const HANDLER: &str = r#"void handle_@ID@(const char *operation, const uint8_t *bytes, size_t length) {
    using T = @TYPE@;
    char *end;
    const size_t fd_count = static_cast<size_t>(strtoul(operation + 1, &end, 10));
    auto read = T::from_message({bytes, length}, ::wirecontract::view<int>(driver_fds(), fd_count));
    if (!read) {
        refuse(read.error());
        return;
    }
    if (*end == 'w') {
        T v = *read;
        if (!probe_@ID@(v, atoi(end + 1), driver_fds() + fd_count)) {
            put("-");
        } else if (put_written(v, true)) {
            put_import(v);
        }
    } else {
        put("ok ");
        @VARIANT@
        put(" ");
        groups_@ID@(*read);
        put(" ");
        (void)put_written(*read, false);
        put_import(*read);
        put(" | ");
        tree_@ID@(*read);
    }
    puts("");
}

"#;
