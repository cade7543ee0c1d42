//! What is expanded for a declaration that was refused: impls that compile and are never run, so that one mistake
//! gives one error and not one for each use.

mod document;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, Expr, Ident, Lit, Type};

use super::accessors::constant;
use super::descriptor::{array_probe, probe};
use super::rule;
use crate::case;
use crate::parse::{Declaration, Field, Kind};
use crate::ty::Known;

/// The stub of a declaration.
pub(crate) fn stub(declaration: &Declaration<'_>) -> TokenStream {
    // Without the feature there is nothing of JSON that a stub could stand on.
    if let (false, Some(kind @ (Kind::Recipe | Kind::Union))) = (cfg!(feature = "json"), declaration.kind) {
        let kind = if kind == Kind::Recipe { quote!(Recipe) } else { quote!(Union) };
        return wrap(declaration, &kind, &TokenStream::new());
    }
    match (&declaration.input.data, declaration.kind) {
        (_, Some(Kind::Handle)) => wrap(declaration, &quote!(Handle), &TokenStream::new()),
        (_, Some(Kind::Message)) => wrap(declaration, &quote!(Message), &message(declaration)),
        (Data::Struct(_), Some(Kind::Recipe | Kind::Union)) => {
            wrap(declaration, &quote!(Recipe), &document::recipe(declaration))
        }
        (Data::Enum(_), Some(Kind::Recipe | Kind::Union)) => {
            wrap(declaration, &quote!(Union), &document::union(declaration))
        }
        (Data::Struct(_), Some(Kind::Abi)) => wrap(declaration, &quote!(Abi), &abi(declaration)),
        (Data::Enum(_), None) if declaration.values.iter().any(|value| value.has_fields) => {
            wrap(declaration, &quote!(Union), &document::union(declaration))
        }
        (Data::Struct(_) | Data::Union(_), _) => descriptor(declaration),
        (Data::Enum(_), Some(Kind::Flags)) => {
            let (flags, rules) = (flags(declaration), rule::refused(declaration, false));
            wrap(declaration, &quote!(Flags), &quote!(#flags #rules))
        }
        (Data::Enum(_), Some(Kind::Enumeration)) => {
            let (enumeration, rules) = (enumeration(declaration), rule::refused(declaration, true));
            wrap(declaration, &quote!(Enumeration), &quote!(#enumeration #rules))
        }
        // Which of the two was meant, nobody said.
        (Data::Enum(_), _) => {
            let (enumeration, flags) = (enumeration(declaration), flags(declaration));
            let rules = rule::refused(declaration, true);
            wrap(declaration, &quote!(Enumeration), &quote!(#enumeration #flags #rules))
        }
    }
}

/// What others ask of a message. Without the feature there is nothing that it could stand on.
fn message(declaration: &Declaration<'_>) -> TokenStream {
    if !cfg!(feature = "message") {
        return TokenStream::new();
    }
    let (ident, krate) = (declaration.ident, &declaration.krate);
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics #krate::Message for #ident #arguments #clause {
            const MAX_BYTES: usize = 0;
            const MAX_FDS: usize = 0;
            fn from_message(
                _: &[u8],
                _: __wire::message::Vec<__wire::message::OwnedFd>,
            ) -> ::core::result::Result<Self, #krate::WireError> {
                ::core::unimplemented!()
            }
            fn to_message(
                &self,
            ) -> ::core::result::Result<
                (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
                #krate::WireError,
            > {
                ::core::unimplemented!()
            }
            fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
                ::core::unimplemented!()
            }
        }
    }
}

fn wrap(declaration: &Declaration<'_>, kind: &TokenStream, items: &TokenStream) -> TokenStream {
    let (ident, krate) = (declaration.ident, &declaration.krate);
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    let name = ident.to_string();
    quote! {
        #[allow(warnings, clippy::all)]
        const _: () = {
            use #krate::__private as __wire;
            use __wire::Otherwise as _;

            #[automatically_derived]
            impl #generics #krate::Contract for #ident #arguments #clause {
                const NAME: &'static str = #name;
                const KIND: #krate::Kind = #krate::Kind::#kind;
                const WIRE_ID: u64 = 0;
                const SOURCE_ID: u64 = 0;
            }

            #[automatically_derived]
            impl #generics #krate::__private::Crosses for #ident #arguments #clause {
                type As = __wire::cross::Refused;
            }
            #items
        };
    }
}

fn descriptor(declaration: &Declaration<'_>) -> TokenStream {
    let (ident, krate, vis) = (declaration.ident, &declaration.krate, declaration.vis);
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    let view = format_ident!("{ident}View");
    let wire_type = wire_type(declaration, &quote!(#view<'__view>));
    let size = Literal::u64_unsuffixed(declaration.container.size.map_or(1, |(size, _)| size));
    // Types of fields may mention parameters, which nothing outside the impl can.
    let fields: &[Field<'_>] =
        if declaration.input.generics.params.is_empty() { &declaration.fields } else { &[] };
    let probes = fields.iter().enumerate().map(|(index, field)| probed(index, field));
    let mut names: Vec<String> = Vec::new();
    let mut accessors = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        for (name, item) in self::accessors(declaration, index, field) {
            if !names.contains(&name) {
                names.push(name);
                accessors.push(item);
            }
        }
    }
    let getters = fields.iter().enumerate().map(|(index, field)| getter(declaration, index, field));
    let items = quote! {
        #(#probes)*
        #wire_type

        #[automatically_derived]
        impl #generics #krate::WireContract for #ident #arguments #clause {
            const WIRE_SIZE: usize = #size;
            type Bytes = [u8; #size];
            const ZEROED: [u8; #size] = [0; #size];
        }

        impl #generics #ident #arguments #clause {
            #(#accessors)*
        }

        impl<'a> #view<'a> {
            #(#getters)*
        }
    };
    let rest = wrap(declaration, &quote!(Descriptor), &items);
    quote! {
        #[doc = "A view of a contract that was refused."]
        #[allow(dead_code)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #view<'a>(&'a [u8]);
        #rest
    }
}

/// What a refused abi struct has besides `Contract`.
fn abi(declaration: &Declaration<'_>) -> TokenStream {
    let (ident, krate) = (declaration.ident, &declaration.krate);
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    let serialised =
        declaration.input.generics.params.is_empty().then(|| quote!(#krate::__never_serialised!(#ident);));
    quote! {
        #[automatically_derived]
        impl #generics #krate::AbiStruct for #ident #arguments #clause {
            const LAYOUT: #krate::AbiLayout = #krate::AbiLayout::new([0; 4], [1; 4], &[]);
            const ZERO: Self = ::core::unimplemented!();
        }

        #[automatically_derived]
        impl #generics __wire::AbiType for #ident #arguments #clause {
            const SHAPE: __wire::AbiShape = __wire::AbiShape::REFUSED;
            const ZERO: Self = ::core::unimplemented!();
        }

        #[automatically_derived]
        impl #generics __wire::AbiPointee for #ident #arguments #clause {
            const POINTEE: __wire::AbiShape = __wire::AbiShape::REFUSED;
        }

        #serialised
    }
}

/// Asks a type that the macro cannot see through whether it is a wire type: that it is not would be one more mistake.
fn probed(index: usize, field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    let known = Known::of(ty);
    if known.is_plain() || known.refusal().is_some() {
        return TokenStream::new();
    }
    let (probe, array_probe) = (probe(index), array_probe(index));
    let shape = quote_spanned!(ty.span()=> <#ty as __wire::WireType>::SHAPE);
    quote! {
        const #probe: bool = __wire::Probe::<#ty>::IS_WIRE_TYPE;
        const #array_probe: bool = __wire::Probe::<#ty>::IS_ARRAY;
        const _: __wire::Shape = #shape;
    }
}

/// The accessors that uses of the struct would miss, each with its name.
fn accessors(declaration: &Declaration<'_>, index: usize, field: &Field<'_>) -> Vec<(String, TokenStream)> {
    let (krate, vis, member) = (&declaration.krate, field.vis, field.ident);
    let get_name = member.unraw().to_string();
    let set = format_ident!("set_{}", member.unraw());
    let result = quote!(::core::result::Result<(), #krate::WireError> { ::core::unimplemented!() });
    if let Some(magic) = &field.magic {
        let (constant, length) = (constant(member), magic.value().len());
        return vec![(constant.to_string(), quote!(#vis const #constant: [u8; #length] = *#magic;))];
    }
    if let Some((version, _)) = field.version {
        let fits = match Known::of(field.ty) {
            Known::Scalar(scalar) => scalar.is_unsigned() && version <= scalar.max(),
            _ => false,
        };
        let ty = if fits { field.ty.to_token_stream() } else { quote!(u64) };
        let (constant, version) = (constant(member), Literal::u64_unsuffixed(version));
        return vec![(constant.to_string(), quote!(#vis const #constant: #ty = #version;))];
    }
    if field.text.is_some() {
        let get = quote! {
            #vis fn #member(&self) -> ::core::result::Result<&str, #krate::WireError> {
                ::core::unimplemented!()
            }
        };
        let set_text = quote!(#vis fn #set(&mut self, _: &str) -> #result);
        return vec![(get_name, get), (set.to_string(), set_text)];
    }
    if let Some(names) = field.length_of.as_ref().filter(|names| names.len() > 1) {
        let elements = names.iter().filter_map(|name| {
            let target = declaration.fields.iter().position(|other| is_named(other, name))?;
            element(declaration.fields[target].ty, target)
        });
        return vec![(set.to_string(), quote!(#vis fn #set(&mut self, #(_: &[#elements]),*) -> #result))];
    }
    let mut counts = declaration.fields.iter().flat_map(|other| other.length_of.iter().flatten());
    match element(field.ty, index) {
        Some(element) if counts.any(|name| is_named(field, name)) => vec![
            (get_name, quote!(#vis fn #member(&self) -> &[#element] { ::core::unimplemented!() })),
            (set.to_string(), quote!(#vis fn #set(&mut self, _: &[#element]) -> #result)),
        ],
        _ => Vec::new(),
    }
}

fn is_named(field: &Field<'_>, name: &Ident) -> bool {
    field.ident.unraw() == name.unraw()
}

/// What a counted field is an array of, or would be.
fn element(ty: &Type, index: usize) -> Option<TokenStream> {
    match (ty, Known::of(ty)) {
        (Type::Array(array), _) => Some(array.elem.to_token_stream()),
        (_, Known::Other) => {
            let probe = array_probe(index);
            Some(quote!(__wire::Element<#ty, #probe>))
        }
        (Type::Path(path), Known::Refused(_)) => match &path.path.segments.last()?.arguments {
            syn::PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                syn::GenericArgument::Type(element) => Some(element.to_token_stream()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The getters that uses of the view would miss.
fn getter(declaration: &Declaration<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (krate, vis, member, ty) = (&declaration.krate, field.vis, field.ident, field.ty);
    let known = Known::of(ty);
    let result = match ty {
        _ if field.reserved.is_some() => return TokenStream::new(),
        _ if field.text.is_some() => quote!(&'a str),
        _ if known.is_plain() => quote!(#krate::View<'a, #ty>),
        _ if known.refusal().is_none() => {
            let probe = probe(index);
            quote!(#krate::View<'a, #ty, #probe>)
        }
        // Nobody can say what these would have given.
        Type::Slice(_) | Type::TraitObject(_) | Type::ImplTrait(_) | Type::Reference(_) | Type::Infer(_) => {
            return TokenStream::new();
        }
        Type::Path(path) if path.path.is_ident("str") => return TokenStream::new(),
        _ => quote!(#ty),
    };
    quote! {
        #vis fn #member(&self) -> #result {
            ::core::unimplemented!()
        }
    }
}

fn enumeration(declaration: &Declaration<'_>) -> TokenStream {
    let (ident, krate, repr) = (declaration.ident, &declaration.krate, repr(declaration));
    let (generics, arguments, _) = declaration.input.generics.split_for_impl();
    let clause = copy(declaration);
    let wire_type = wire_type(declaration, &quote!(Self));
    let inherent = inherent(declaration);
    quote! {
        #[automatically_derived]
        impl #generics #krate::Enumeration for #ident #arguments #clause {
            type Repr = #repr;
            const VALUES: &'static [#krate::Value<Self>] = &[];
            const HAS_ZERO: bool = true;
            fn from_valid(_: #repr) -> Self {
                ::core::unimplemented!()
            }
            fn from_value(_: #repr) -> ::core::option::Option<Self> {
                ::core::unimplemented!()
            }
            fn value(self) -> #repr {
                ::core::unimplemented!()
            }
            fn name(self) -> &'static str {
                ::core::unimplemented!()
            }
        }
        #wire_type
        #inherent
        #krate::__refused_json_type! { { #generics } #ident #arguments, { #clause } }

        #[automatically_derived]
        impl #generics __wire::rule::Carries for #ident #arguments #clause {
            fn carried(self, _: usize) -> i128 {
                ::core::unimplemented!()
            }
        }
    }
}

fn flags(declaration: &Declaration<'_>) -> TokenStream {
    let (ident, krate, repr) = (declaration.ident, &declaration.krate, repr(declaration));
    let (generics, arguments, _) = declaration.input.generics.split_for_impl();
    let clause = copy(declaration);
    let any = declaration.input.generics.params.is_empty().then(|| {
        quote! {
            #[automatically_derived]
            impl<__T: ::core::convert::Into<#krate::Flags<Self>>> ::core::ops::BitOr<__T> for #ident {
                type Output = #krate::Flags<Self>;
                fn bitor(self, _: __T) -> #krate::Flags<Self> {
                    ::core::unimplemented!()
                }
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #generics #krate::FlagSet for #ident #arguments #clause {
            type Repr = #repr;
            const VALUES: &'static [#krate::Value<Self>] = &[];
            const KNOWN_BITS: u64 = 0;
            const OPEN: bool = true;
            fn bits(self) -> #repr {
                ::core::unimplemented!()
            }
        }

        #[automatically_derived]
        #any
    }
}

/// What the traits of enums ask for, and an enum that was refused may lack: bound in this way, the compiler does not
/// hold it against the impl.
fn copy(declaration: &Declaration<'_>) -> TokenStream {
    let ident = declaration.ident;
    let (_, arguments, _) = declaration.input.generics.split_for_impl();
    let given = declaration.input.generics.where_clause.as_ref().map(|clause| &clause.predicates);
    let given = given.into_iter().flatten();
    quote!(where #(#given,)* for<'__any> #ident #arguments: ::core::marker::Copy + 'static)
}

/// Aliases and data that uses of the enum would miss.
fn inherent(declaration: &Declaration<'_>) -> TokenStream {
    if !declaration.input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (ident, vis) = (declaration.ident, declaration.vis);
    let mut names: Vec<String> = declaration.values.iter().map(|value| value.ident.to_string()).collect();
    let mut items = TokenStream::new();
    for value in &declaration.values {
        for alias in &value.aliases {
            let name = case::constant(&alias.value());
            let Ok(constant) = syn::parse_str::<Ident>(&name) else { continue };
            if !names.contains(&name) && !value.has_fields {
                let member = value.ident;
                items.extend(quote!(#vis const #constant: Self = Self::#member;));
                names.push(name);
            }
        }
    }
    let mut keys: Vec<&Ident> = Vec::new();
    for datum in declaration.values.iter().flat_map(|value| &value.data) {
        let (name, taken) = (&datum.key, ["value", "name", "from_value", "from_name"]);
        if keys.contains(&name) || taken.iter().any(|taken| name == taken) {
            continue;
        }
        keys.push(name);
        // A constant may ask for it: it gives something.
        let (ty, some) = match &datum.value {
            Expr::Lit(literal) if matches!(literal.lit, Lit::Str(_)) => (quote!(&'static str), quote!("")),
            Expr::Lit(literal) if matches!(literal.lit, Lit::Bool(_)) => (quote!(bool), quote!(false)),
            _ => (quote!(i64), quote!(0)),
        };
        items.extend(quote!(#vis const fn #name(self) -> #ty { #some }));
    }
    quote!(impl #ident { #items })
}

fn repr(declaration: &Declaration<'_>) -> Ident {
    let known = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];
    let found = declaration.repr.iter().find(|word| known.iter().any(|known| *word == known));
    found.cloned().unwrap_or_else(|| format_ident!("u32"))
}

fn wire_type(declaration: &Declaration<'_>, view: &TokenStream) -> TokenStream {
    let ident = declaration.ident;
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics __wire::WireType for #ident #arguments #clause {
            const SHAPE: __wire::Shape = __wire::Shape::refused();
            type View<'__view> = #view;
            type Slice<'__view> = __wire::ArrayView<'__view, Self>;
            fn validate<__R: __wire::Refuse>(_: &[u8], _: __wire::Endian, _: __wire::At) -> ::core::result::Result<(), __R> {
                ::core::unimplemented!()
            }
            fn decode(_: &[u8], _: __wire::Endian) -> Self {
                ::core::unimplemented!()
            }
            fn encode(&self, _: &mut [u8], _: __wire::Endian) {
                ::core::unimplemented!()
            }
            fn view_of(_: &[u8], _: __wire::Endian) -> Self::View<'_> {
                ::core::unimplemented!()
            }
            fn slice_of(_: &[u8], _: __wire::Endian) -> Self::Slice<'_> {
                ::core::unimplemented!()
            }
        }
    }
}
