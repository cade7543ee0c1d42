//! What a C++ function does: it makes C's arguments, calls, and makes C++ of what was given. What C owns is owned before
//! anything else can fail.

use std::collections::BTreeSet;

use super::{Place, forms};
use crate::emit::c::abi::declaration;
use crate::emit::c::export::{form as c_form, type_name as c_type};
use crate::model::{AbiType, CallbackParam, FunctionParam, Out, OutForm, ParamForm, Pass};
use crate::names::{c, cpp};

/// A function's parameters and statements.
pub(super) struct Body {
    pub(super) parameters: Vec<String>,
    pub(super) lines: Vec<String>,
    /// Whether a parameter is a handle that is taken.
    pub(super) takes: bool,
}

/// Fills a function.
pub(super) fn body(place: &Place<'_>) -> Body {
    let mut call = Call {
        place: *place,
        names: taken_names(place),
        before: Vec::new(),
        arguments: Vec::new(),
        behind: Vec::new(),
        thrown: Vec::new(),
    };
    let mut params = place.function.params.iter();
    if let Some(pass) = place.receiver() {
        params.next();
        call.arguments.push(if pass == Pass::Taken { "&c_" } else { "c_" }.to_owned());
    }
    let params: Vec<_> = params.map(|param| (param, call.fresh(&c::escape(&param.name)))).collect();
    let parameters = params.iter().map(|(param, name)| forms::parameter(place, &param.form, name)).collect();
    call.apart(&params);
    for (param, name) in &params {
        call.parameter(&param.form, &param.name, name);
    }
    let locals: Vec<String> = place.function.outs.iter().map(|out| call.out(out)).collect();
    let takes =
        params.iter().any(|(param, _)| matches!(param.form, ParamForm::Handle { pass: Pass::Taken, .. }));
    Body { parameters, lines: call.finish(&locals), takes }
}

/// Names that a parameter or a variable must not hide.
fn taken_names(place: &Place<'_>) -> BTreeSet<String> {
    let own = place.family.contracts.iter().map(|&id| place.input.catalog.get(id));
    own.map(cpp::type_name).chain(["c_".to_owned(), "std".to_owned()]).collect()
}

struct Call<'a> {
    place: Place<'a>,
    names: BTreeSet<String>,
    before: Vec<String>,
    arguments: Vec<String>,
    /// What follows the call at once, whatever its status.
    behind: Vec<String>,
    /// What callbacks have thrown.
    thrown: Vec<String>,
}

impl Call<'_> {
    /// The name, with as many underscores as it takes to be nobody else's.
    fn fresh(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn put(&mut self, line: impl Into<String>) {
        self.before.push(line.into());
    }

    /// A failure that is found on this side.
    fn refusal(&self, what: &str, argument: &str) -> String {
        format!(
            "return ::wirecontract::failure({what}, \"{}\", \"{}\");",
            self.place.function.symbol,
            c::escape(argument)
        )
    }

    /// An object that is given twice, and taken once of that, is none by the time that it is looked at for the second time:
    /// the library would not know it.
    fn apart(&mut self, params: &[(&FunctionParam, String)]) {
        let place = self.place;
        let handle = |form: &ParamForm| match form {
            ParamForm::Handle { contract, pass } => Some((*contract, *pass == Pass::Taken)),
            _ => None,
        };
        let receiver = place.function.params.first().filter(|_| place.receiver().is_some());
        let receiver = receiver.map(|param| (param, "this".to_owned()));
        let own = params.iter().map(|(param, name)| (*param, format!("&{name}")));
        let all: Vec<_> = receiver.into_iter().chain(own).collect();
        for (index, (later, address)) in all.iter().enumerate() {
            for (earlier, other) in &all[..index] {
                let (Some((of, is_taken)), Some((same, was_taken))) =
                    (handle(&later.form), handle(&earlier.form))
                else {
                    continue;
                };
                if of != same || !(is_taken || was_taken) {
                    continue;
                }
                let [name, first] = [&later.name, &earlier.name].map(|name| c::escape(name));
                self.put(format!("if ({address} == {other}) {{"));
                self.put(format!(
                    "    return ::wirecontract::failure(::wirecontract::status::rule_violated, \"{}\", \"{name}\", \"`{name}` \
                     is the same object as `{first}`, expected another: the call takes it\");",
                    place.function.symbol,
                ));
                self.put("}");
            }
        }
    }

    fn parameter(&mut self, form: &ParamForm, declared: &str, name: &str) {
        let place = self.place;
        let pointer = |to: &AbiType, is_mut: bool, pointer: String| {
            if forms::is_integer_in_c(to) {
                let ty = declaration(place.input, to, "");
                let is_const = if is_mut { "" } else { "const " };
                format!("::wirecontract::detail::items<{is_const}::{ty}>({pointer})")
            } else {
                pointer
            }
        };
        match form {
            ParamForm::Value(AbiType::Enumeration(id)) | ParamForm::Closed(id) => {
                self.arguments.push(format!("static_cast<::{}>({name})", c_type(place.input, *id)));
            }
            ParamForm::Value(AbiType::Flags(_)) => self.arguments.push(format!("{name}.bits()")),
            ParamForm::Value(_) => self.arguments.push(name.to_owned()),
            ParamForm::Reference { to, is_mut, is_nullable } => {
                let address = if *is_nullable { name.to_owned() } else { format!("&{name}") };
                self.arguments.push(pointer(to, *is_mut, address));
            }
            ParamForm::Slice { item, is_mut } => {
                self.arguments.push(pointer(item, *is_mut, format!("{name}.data()")));
                self.arguments.push(format!("{name}.size()"));
            }
            ParamForm::Text { .. } => {
                self.put(format!("if (!{name}.is_whole()) {{"));
                let what = "::wirecontract::status::bad_text";
                self.put(format!(
                    "    return ::wirecontract::failure({what}, \"{}\", \"{}\", \"expected a text without NUL, which would end it\");",
                    place.function.symbol,
                    c::escape(declared)
                ));
                self.put("}");
                self.arguments.push(format!("{name}.c_str()"));
            }
            ParamForm::Descriptor(_) => {
                let bytes = self.fresh(&format!("{name}_bytes"));
                self.put(format!("const auto {bytes} = {name}.to_bytes();"));
                self.put(format!("if (!{bytes}) {{"));
                let refusal = self.refusal(&format!("{bytes}.error()"), declared);
                self.put(format!("    {refusal}"));
                self.put("}");
                self.arguments.push(format!("{bytes}->data()"));
            }
            ParamForm::Document(_) => {
                self.arguments.push(format!("::wirecontract::detail::document({name})"));
            }
            ParamForm::Handle { contract, pass: Pass::Taken } => {
                let given = self.fresh(&format!("{name}_c"));
                self.put(format!("::{} {given} = {name}.release();", c_type(place.input, *contract)));
                self.behind.push(format!("{name} = {}::adopt({given});", place.name(*contract)));
                self.arguments.push(format!("&{given}"));
            }
            ParamForm::Handle { .. } => self.arguments.push(format!("{name}.c()")),
            ParamForm::Callback(params) => self.callback(params, name),
        }
    }

    /// A function that C calls, with what to call in its context.
    fn callback(&mut self, params: &[CallbackParam], name: &str) {
        let place = self.place;
        let (target, function) = (self.fresh(&format!("{name}_target")), self.fresh(&format!("{name}_call")));
        let context = self.fresh(c::CONTEXT);
        let mut declared = vec![format!("void *{context}")];
        let mut arguments = Vec::new();
        for param in params {
            let mut own = self.fresh(&c::escape(&param.name));
            // A length has its name from the items': both have to be free.
            while !self.names.insert(c::length_parameter(&own)) {
                own = self.fresh(&own);
            }
            let length = c::length_parameter(&own);
            declared.extend(c_form(place.input, &param.form, &own));
            arguments.push(told(&place, &param.form, &own, &length));
        }
        self.put(format!("using {target} = {};", forms::callback(&place, params)));
        self.put(format!("const auto {function} = []({}) noexcept -> ::wc_status {{", declared.join(", ")));
        self.put(format!(
            "    return (*static_cast<const {target} *>({context}))({});",
            arguments.join(", ")
        ));
        self.put("};");
        self.arguments.extend([function, format!("&{name}")]);
        self.thrown.push(format!("{name}.thrown()"));
    }

    /// Where a result is written.
    fn out(&mut self, out: &Out) -> String {
        let place = self.place;
        let local = self.fresh(&c::escape(&out.name));
        let (declared, argument) = match &out.form {
            OutForm::Value(ty) => (declaration(place.input, ty, &local), format!("&{local}")),
            OutForm::Fd { .. } => (format!("std::int32_t {local}"), format!("&{local}")),
            OutForm::Closed(id) | OutForm::Handle(id) => {
                (format!("::{} {local}", c_type(place.input, *id)), format!("&{local}"))
            }
            OutForm::Text | OutForm::Bytes | OutForm::Document(_) => {
                (format!("::wc_owned_bytes {local}"), format!("&{local}"))
            }
            OutForm::Descriptor(id) => {
                let size = format!("{}::wire_size", place.name(*id));
                (format!("std::array<std::uint8_t, {size}> {local}"), format!("{local}.data()"))
            }
        };
        self.put(format!("{declared}{{}};"));
        self.arguments.push(argument);
        local
    }

    /// The call, and what becomes of what it gives.
    fn finish(mut self, locals: &[String]) -> Vec<String> {
        let [last_error, bytes_free] = c::library_functions(&self.place.family.package);
        let function = self.place.function;
        let status = self.fresh("status");
        let mut values = Vec::new();
        let (mut owners, mut readers) = (Vec::new(), Vec::new());
        let is_one = function.outs.len() == 1;
        for (out, local) in function.outs.iter().zip(locals) {
            let owner = match &out.form {
                OutForm::Value(AbiType::Enumeration(id)) | OutForm::Closed(id) => {
                    values.push(format!("static_cast<{}>({local})", self.place.name(*id)));
                    continue;
                }
                OutForm::Value(ty @ AbiType::Flags(_)) => {
                    values.push(format!("{}::from_bits({local})", forms::value(&self.place, ty)));
                    continue;
                }
                OutForm::Value(_) | OutForm::Fd { .. } => {
                    values.push(local.clone());
                    continue;
                }
                OutForm::Descriptor(id) => {
                    let read = self.fresh(&format!("{local}_read"));
                    readers
                        .push(format!("const auto {read} = {}::from_bytes({local});", self.place.name(*id)));
                    readers.push(format!("if (!{read}) {{"));
                    readers.push(format!("    {}", self.refusal(&format!("{read}.error()"), &out.name)));
                    readers.push("}".to_owned());
                    values.push(format!("*{read}"));
                    continue;
                }
                OutForm::Text | OutForm::Document(_) => {
                    format!("::wirecontract::owned_text({local}, ::{bytes_free})")
                }
                OutForm::Bytes => format!("::wirecontract::owned_bytes({local}, ::{bytes_free})"),
                OutForm::Handle(id) => format!("{}::adopt({local})", self.place.name(*id)),
            };
            if is_one {
                values.push(owner);
            } else {
                let name = self.fresh(&format!("{local}_owned"));
                owners.push(format!("auto {name} = {owner};"));
                values.push(format!("std::move({name})"));
            }
        }
        let mut lines = self.before;
        lines.push(format!(
            "const ::wc_status {status} = ::{}({});",
            function.symbol,
            self.arguments.join(", ")
        ));
        lines.extend(self.behind);
        lines.push(format!("if ({status} != ::WC_STATUS_OK) {{"));
        let mut failed = vec![status, format!("::{last_error}")];
        if !self.thrown.is_empty() {
            failed.push(format!("{{ {} }}", self.thrown.join(", ")));
        }
        lines.push(format!("    return ::wirecontract::detail::failed({});", failed.join(", ")));
        lines.push("}".to_owned());
        lines.extend(owners.into_iter().chain(readers));
        lines.push(match values.as_slice() {
            [] => "return {};".to_owned(),
            [value] => format!("return {value};"),
            _ => format!("return {}{{ {} }};", cpp::result_type(self.place.contract), values.join(", ")),
        });
        lines
    }
}

/// What a callback in C++ is told of what C tells.
fn told(place: &Place<'_>, form: &ParamForm, name: &str, length: &str) -> String {
    let items = |ty: &AbiType| {
        if forms::is_integer_in_c(ty) {
            format!("::wirecontract::detail::items<const {}>({name})", forms::value(place, ty))
        } else {
            name.to_owned()
        }
    };
    match form {
        ParamForm::Value(AbiType::Enumeration(id)) | ParamForm::Closed(id) => {
            format!("static_cast<{}>({name})", place.name(*id))
        }
        ParamForm::Value(ty @ AbiType::Flags(_)) => {
            format!("{}::from_bits({name})", forms::value(place, ty))
        }
        ParamForm::Reference { to, is_nullable: false, .. } => format!("*{}", items(to)),
        ParamForm::Reference { to, .. } => items(to),
        ParamForm::Slice { item, .. } => {
            format!("::wirecontract::view<{}>({}, {length})", forms::value(place, item), items(item))
        }
        ParamForm::Text { is_nullable: false } => format!("std::string_view({name})"),
        _ => name.to_owned(),
    }
}
