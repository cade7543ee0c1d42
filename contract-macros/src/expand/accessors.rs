//! What a descriptor's struct gets besides the trait: constants, counted elements, text.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::descriptor::{array_probe, call, most, offset};
use crate::case;
use crate::check::{Contract, Descriptor, Field, Role};

/// The inherent impl of a descriptor's struct.
pub(crate) fn expand(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let items: Vec<TokenStream> = descriptor
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| match (&field.role, field.counted_by) {
            (Role::Magic(magic), _) => magic_constant(field, magic),
            (Role::Version(version), _) => version_constant(field, *version),
            (Role::Text, _) => text(contract, index, field),
            (Role::LengthOf(targets), _) if targets.len() > 1 => {
                set_together(contract, descriptor, index, targets)
            }
            (_, Some(count)) => counted(contract, descriptor, index, count),
            _ => TokenStream::new(),
        })
        .collect();
    if items.iter().all(TokenStream::is_empty) {
        return TokenStream::new();
    }
    let ident = contract.ident;
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #ident {
            #(#items)*
        }
    }
}

/// The name of the constant that a magic or version field gets.
pub(super) fn constant(field: &Ident) -> Ident {
    let name = case::constant(&field.unraw().to_string());
    Ident::new(&name, field.span())
}

fn magic_constant(field: &Field<'_>, magic: &[u8]) -> TokenStream {
    let (vis, constant, length) = (field.vis, constant(field.ident), magic.len());
    let magic = Literal::byte_string(magic);
    let docs = format!("The constant bytes of field `{}`.", field.name);
    quote! {
        #[doc = #docs]
        #vis const #constant: [u8; #length] = *#magic;
    }
}

fn version_constant(field: &Field<'_>, version: u64) -> TokenStream {
    let (vis, constant, ty) = (field.vis, constant(field.ident), field.ty);
    let version = Literal::u64_unsuffixed(version);
    let docs = format!("The version that is written to field `{}`; 1 to this are read.", field.name);
    quote! {
        #[doc = #docs]
        #vis const #constant: #ty = #version;
    }
}

fn text(contract: &Contract<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (krate, vis, member) = (contract.krate, field.vis, field.ident);
    let set = setter(field.ident);
    let at = place(contract, index, field);
    let bytes = call(field, "bytes", &quote!(&self.#member));
    let bytes_mut = call(field, "bytes_mut", &quote!(&mut self.#member));
    let get_docs = format!("The text of `{}`. Refused when the bytes are not NUL-padded UTF-8.", field.name);
    let set_docs = format!(
        "Sets the text of `{}`. Refused, and left as it was, when it has a NUL or leaves no room for one.",
        field.name
    );
    quote! {
        #[doc = #get_docs]
        #[inline]
        #vis fn #member(&self) -> ::core::result::Result<&str, #krate::WireError> {
            __wire::counted::text(#bytes).ok_or_else(|| <#krate::WireError as __wire::Refuse>::text(#at))
        }

        #[doc = #set_docs]
        #vis fn #set(&mut self, text: &str) -> ::core::result::Result<(), #krate::WireError> {
            __wire::counted::set_text(#bytes_mut, text, #at)
        }
    }
}

fn counted(contract: &Contract<'_>, descriptor: &Descriptor<'_>, index: usize, count: usize) -> TokenStream {
    let field = &descriptor.fields[index];
    let (vis, member) = (field.vis, field.ident);
    let count_field = &descriptor.fields[count];
    let count_member = count_field.ident;
    let element = element(field, index);
    let elements = elements(field, index);
    let number = call(count_field, "count", &quote!(&self.#count_member));
    let docs = format!("The elements of `{}` that `{}` counts.", field.name, count_field.name);
    let get = quote! {
        #[doc = #docs]
        #[inline]
        #vis fn #member(&self) -> &[#element] {
            __wire::counted::valid(#elements, #number)
        }
    };
    match &count_field.role {
        Role::LengthOf(targets) if targets.len() == 1 => {
            let docs = format!(
                "Sets the elements of `{0}` and their number, `{1}`; the elements past it become zero. Refused, and \
                 left as it was, when there are more than `{0}` or `{1}` can hold.",
                field.name, count_field.name
            );
            let set = set(contract, descriptor, field, count, targets, &docs);
            quote!(#get #set)
        }
        _ => get,
    }
}

/// The setter `name` of arrays with one count: of one, or of several that are set together.
fn set(
    contract: &Contract<'_>,
    descriptor: &Descriptor<'_>,
    name: &Field<'_>,
    count: usize,
    targets: &[usize],
    docs: &str,
) -> TokenStream {
    let count_field = &descriptor.fields[count];
    let (krate, vis, set, count_member) = (contract.krate, name.vis, setter(name.ident), count_field.ident);
    let at = place(contract, count, count_field);
    let fields: Vec<&Field<'_>> = targets.iter().map(|&target| &descriptor.fields[target]).collect();
    let members: Vec<&Ident> = fields.iter().map(|target| target.ident).collect();
    let elements: Vec<TokenStream> =
        targets.iter().map(|&target| element(&descriptor.fields[target], target)).collect();
    // Not the fields' own names: one that is a value in scope, as `None` is, would be a pattern here.
    let given: Vec<Ident> =
        members.iter().map(|member| format_ident!("{}_elements", member.unraw())).collect();
    let (first, others) = (&given[0], &given[1..]);
    let most = most(targets);
    let new = members.iter().map(|member| format_ident!("__new_{}", member.unraw())).collect::<Vec<_>>();
    let zeros = fields.iter().map(|field| call(field, "zero", &TokenStream::new()));
    let places =
        targets.iter().zip(&new).map(|(&target, new)| elements_mut(&descriptor.fields[target], target, new));
    let from_count = call(count_field, "from_count", &quote!(__number));
    quote! {
        #[doc = #docs]
        #vis fn #set(&mut self, #(#given: &[#elements]),*) -> ::core::result::Result<(), #krate::WireError>
        where
            #(for<'__any> #elements: ::core::clone::Clone,)*
        {
            #(__wire::counted::even(#first.len(), #others.len(), #at)?;)*
            let __most = const { __wire::settable(#most, &__WIRE_LAYOUT.shapes[#count]) };
            let __number = __wire::counted::fits(#first.len(), __most, #at)?;
            if let ::core::option::Option::Some(__number) = #from_count {
                #(
                    let mut #new = #zeros;
                    __wire::counted::copy(#places, #given);
                    self.#members = #new;
                )*
                self.#count_member = __number;
            }
            ::core::result::Result::Ok(())
        }
    }
}

/// Arrays that share a count are set together.
fn set_together(
    contract: &Contract<'_>,
    descriptor: &Descriptor<'_>,
    index: usize,
    targets: &[usize],
) -> TokenStream {
    let field = &descriptor.fields[index];
    let names = targets
        .iter()
        .map(|&target| format!("`{}`", descriptor.fields[target].name))
        .collect::<Vec<_>>()
        .join(", ");
    let docs = format!(
        "Sets the elements of {names} and their number, `{}`; the elements past it become zero. Refused, and left as \
         they were, when they are not of one length or too many.",
        field.name
    );
    set(contract, descriptor, field, index, targets, &docs)
}

fn setter(ident: &Ident) -> Ident {
    format_ident!("set_{}", ident.unraw(), span = ident.span())
}

/// What an array field is an array of.
fn element(field: &Field<'_>, index: usize) -> TokenStream {
    if let syn::Type::Array(array) = field.ty {
        return array.elem.to_token_stream();
    }
    let (ty, probe) = (field.ty, array_probe(index));
    quote_spanned!(ty.span()=> __wire::Element<#ty, #probe>)
}

/// The elements of an array field.
fn elements(field: &Field<'_>, index: usize) -> TokenStream {
    let (member, ty) = (field.ident, field.ty);
    if matches!(ty, syn::Type::Array(_)) {
        return quote!(&self.#member);
    }
    let probe = array_probe(index);
    quote!(<__wire::If<#probe> as __wire::ElementsOf<#ty>>::elements(&self.#member))
}

/// The elements of an array field's new value, to be set.
fn elements_mut(field: &Field<'_>, index: usize, value: &Ident) -> TokenStream {
    let ty = field.ty;
    if matches!(ty, syn::Type::Array(_)) {
        return quote!(&mut #value);
    }
    let probe = array_probe(index);
    quote!(<__wire::If<#probe> as __wire::ElementsOf<#ty>>::elements_mut(&mut #value))
}

fn place(contract: &Contract<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (contract, name, offset) = (&contract.about.name, &field.name, offset(index));
    quote!(__wire::At::START.field(&__wire::Place { contract: #contract, field: #name }, #offset))
}
