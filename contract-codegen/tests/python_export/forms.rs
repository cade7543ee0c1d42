//! Functions of each number type and of names that only Python makes hard, and a library of them in C.

use std::fmt::Write as _;

use wirecontract_codegen::emit::EmitInput;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::fixtures::export::{self, out, param, passed};
use wirecontract_codegen::model::{
    AbiScalar, AbiType, CallbackParam, Catalog, Contract, FunctionParam, Out, OutForm, ParamForm, Pass,
    Scalar,
};

/// Every number type, by its name in Rust and in C.
fn scalars() -> Vec<(String, AbiScalar, &'static str)> {
    let fixed = |scalar| match scalar {
        Scalar::Bool => "_Bool",
        Scalar::U8 => "uint8_t",
        Scalar::I8 => "int8_t",
        Scalar::U16 => "uint16_t",
        Scalar::I16 => "int16_t",
        Scalar::U32 => "uint32_t",
        Scalar::I32 => "int32_t",
        Scalar::U64 => "uint64_t",
        Scalar::I64 => "int64_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    };
    let own = [
        "char",
        "schar",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "size",
        "ptrdiff",
    ];
    let c = [
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "size_t",
        "ptrdiff_t",
    ];
    let fixed = Scalar::ALL.map(|scalar| (scalar.name().to_owned(), AbiScalar::Fixed(scalar), fixed(scalar)));
    let own = AbiScalar::OWN.into_iter().zip(own).zip(c);
    fixed.into_iter().chain(own.map(|((scalar, name), c)| (name.to_owned(), scalar, c))).collect()
}

/// The fixture's types and handles, with other functions.
pub(crate) fn catalog() -> Catalog {
    let mut catalog = export::catalog();
    catalog.contracts.truncate(export::id::OPEN.0);
    for (name, scalar, _) in scalars() {
        let ty = AbiType::Scalar(scalar);
        catalog.contracts.extend([echo(&name, &ty), tell(&name, &ty)]);
    }
    let extent = AbiType::Struct(export::id::EXTENT);
    catalog.contracts.extend([echo("extent", &extent), tell("extent", &extent)]);
    catalog.contracts.extend([
        words("load"),
        words("len"),
        words("type"),
        words("_hidden"),
        words("Camera::int"),
    ]);
    let mut hostile = words("Camera::staticmethod");
    hostile.docs = "\"\"\" ends this? \\N{DASH}".into();
    let mut made =
        export::exported("Camera::bytes", vec![], vec![out("out", OutForm::Handle(export::id::CAMERA))]);
    made.deprecated = Some("use \"int\"".into());
    catalog.contracts.extend([hostile, made]);
    for contract in &mut catalog.contracts {
        contract.module = "forms::sensor".into();
        contract.package = "forms".into();
    }
    catalog
}

/// A package of its own: `form_contracts`.
pub(crate) fn input(catalog: &Catalog) -> EmitInput<'_> {
    let mut input = fixtures::input(catalog);
    for family in &mut input.families {
        family.package.python_package = "form_contracts".into();
    }
    input
}

/// It gives the last item, or what is pointed to, or the value.
fn echo(name: &str, ty: &AbiType) -> Contract {
    let reference = |is_mut, is_nullable| ParamForm::Reference { to: ty.clone(), is_mut, is_nullable };
    let params = vec![
        param("value", ParamForm::Value(ty.clone())),
        param("lent", reference(false, true)),
        param("items", ParamForm::Slice { item: ty.clone(), is_mut: false }),
        param("written", reference(true, true)),
        param("filled", ParamForm::Slice { item: ty.clone(), is_mut: true }),
    ];
    export::exported(&format!("echo_{name}"), params, vec![out("out", OutForm::Value(ty.clone()))])
}

/// It calls with what it is given, a pointer to that, and two of them; then with nothing.
fn tell(name: &str, ty: &AbiType) -> Contract {
    let told = [
        ("value", ParamForm::Value(ty.clone())),
        ("lent", ParamForm::Reference { to: ty.clone(), is_mut: false, is_nullable: true }),
        ("items", ParamForm::Slice { item: ty.clone(), is_mut: false }),
        ("print", ParamForm::Text { is_nullable: true }),
    ];
    let told = told.map(|(name, form)| CallbackParam { name: name.into(), form }).to_vec();
    let params =
        vec![param("value", ParamForm::Value(ty.clone())), param("function", ParamForm::Callback(told))];
    export::exported(&format!("tell_{name}"), params, vec![])
}

/// Parameters and results that are called like what a body uses.
fn words(name: &str) -> Contract {
    let number = |name: &str| param(name, ParamForm::Value(AbiType::Scalar(AbiScalar::Fixed(Scalar::U8))));
    let mut params: Vec<FunctionParam> =
        ["from", "type", "int", "len", "bytes", "_wire", "status", "out", "cls"].map(number).into();
    if name.contains("::") {
        params.insert(0, passed("self", export::id::CAMERA, Pass::Borrowed));
    }
    params.push(param("settings", ParamForm::Document(export::id::SETTINGS)));
    let mut outs: Vec<Out> = ["status", "from", "number", "int"]
        .map(|name| out(name, OutForm::Value(AbiType::Scalar(AbiScalar::Fixed(Scalar::U8)))))
        .into();
    outs.push(out("self", OutForm::Descriptor(export::id::CALIBRATION)));
    export::exported(name, params, outs)
}

/// The library.
pub(crate) fn library(ids: &str) -> String {
    let mut text = String::from(
        "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\
         typedef struct { uint32_t width, height; } extent;\n\
         typedef struct { const char *data; size_t length; } str;\n\
         typedef struct { uint64_t id; } handle;\n",
    );
    text += ids;
    let types = scalars().into_iter().map(|(name, _, c)| (name, c)).chain([("extent".to_owned(), "extent")]);
    for (name, c) in types {
        writeln!(
            text,
            "int32_t wc_echo_{name}({c} value, const {c} *lent, const {c} *items, size_t count, {c} *written, {c} *filled,\n\
             size_t room, {c} *out)\n{{\n    *out = count ? items[count - 1] : lent ? *lent : value;\n\
             if (written) {{ *written = value; }}\n    for (size_t at = 0; at < room; at++) {{ filled[at] = value; }}\n\
             return 0;\n}}\n\
             int32_t wc_tell_{name}({c} value, int32_t (*function)(void *, {c}, const {c} *, const {c} *, size_t,\n\
             const char *), void *context)\n{{\n    {c} items[2] = {{value, value}};\n\
             int32_t status = function(context, value, &value, items, 2, \"text\");\n\
             return status ? status : function(context, value, NULL, NULL, 0, NULL);\n}}"
        )
        .unwrap();
    }
    let numbers = "uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t e, uint8_t f, uint8_t g, uint8_t h, uint8_t i, \
                   str settings, uint8_t *w, uint8_t *x, uint8_t *y, uint8_t *z, uint8_t out[8]";
    for (symbol, this) in [
        ("load", ""),
        ("len", ""),
        ("type", ""),
        ("_hidden", ""),
        ("camera_int", "handle camera, "),
        ("camera_staticmethod", "handle camera, "),
    ] {
        let used = if this.is_empty() { "" } else { "    (void)camera;\n" };
        writeln!(
            text,
            "int32_t wc_{symbol}({this}{numbers})\n{{\n{used}    *w = a + b + c + d + e;\n    *x = f + g + h + i;\n\
             *y = (uint8_t)settings.length;\n    *z = settings.data[0];\n    memset(out, 0, 8);\n    return 0;\n}}"
        )
        .unwrap();
    }
    text += "int32_t wc_camera_bytes(handle *out)\n{\n    out->id = 1;\n    return 0;\n}\n\
             int32_t wc_camera_destroy(handle *camera)\n{\n    camera->id = 0;\n    return 0;\n}\n\
             int32_t wc_frame_destroy(handle *frame)\n{\n    frame->id = 0;\n    return 0;\n}\n\
             void wc_last_error(void *out)\n{\n    memset(out, 0, 4);\n}\n\
             int32_t wc_bytes_free(void *bytes)\n{\n    (void)bytes;\n    return 0;\n}\n";
    text
}
