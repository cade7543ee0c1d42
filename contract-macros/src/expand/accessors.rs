//! What a descriptor's struct gets besides the trait: constants, counted elements, text.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::descriptor::offset;
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
    let get_docs = format!("The text of `{}`. Refused when the bytes are not NUL-padded UTF-8.", field.name);
    let set_docs = format!(
        "Sets the text of `{}`. Refused, and left as it was, when it has a NUL or leaves no room for one.",
        field.name
    );
    quote! {
        #[doc = #get_docs]
        #[inline]
        #vis fn #member(&self) -> ::core::result::Result<&str, #krate::WireError> {
            __wire::counted::text(&self.#member).ok_or_else(|| <#krate::WireError as __wire::Refuse>::text(#at))
        }

        #[doc = #set_docs]
        #vis fn #set(&mut self, text: &str) -> ::core::result::Result<(), #krate::WireError> {
            __wire::counted::set_text(&mut self.#member, text, #at)
        }
    }
}

fn counted(contract: &Contract<'_>, descriptor: &Descriptor<'_>, index: usize, count: usize) -> TokenStream {
    let field = &descriptor.fields[index];
    let (krate, vis, member) = (contract.krate, field.vis, field.ident);
    let count_field = &descriptor.fields[count];
    let count_member = count_field.ident;
    let element = element(field);
    let get_docs = format!("The elements of `{}` that `{}` counts.", field.name, count_field.name);
    let get = quote! {
        #[doc = #get_docs]
        #[inline]
        #vis fn #member(&self) -> &[#element] {
            __wire::counted::valid(&self.#member, self.#count_member)
        }
    };
    let alone = matches!(&count_field.role, Role::LengthOf(targets) if targets.len() == 1);
    if !alone {
        return get;
    }
    let set = setter(field.ident);
    let at = place(contract, count, count_field);
    let set_docs = format!(
        "Sets the elements of `{0}` and their number, `{1}`; the elements past it become zero. Refused, and left as \
         it was, when there are more than `{0}` or `{1}` can hold.",
        field.name, count_field.name
    );
    quote! {
        #get

        #[doc = #set_docs]
        #vis fn #set(&mut self, elements: &[#element]) -> ::core::result::Result<(), #krate::WireError>
        where
            #element: ::core::clone::Clone,
        {
            __wire::counted::set(&mut self.#member, elements, &mut self.#count_member, #at)
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
    let (krate, vis, count) = (contract.krate, field.vis, field.ident);
    let set = setter(field.ident);
    let at = place(contract, index, field);
    let targets: Vec<&Field<'_>> = targets.iter().map(|&target| &descriptor.fields[target]).collect();
    let members: Vec<&Ident> = targets.iter().map(|target| target.ident).collect();
    let elements: Vec<TokenStream> = targets.iter().map(|target| element(target)).collect();
    let first = members[0];
    let names = targets.iter().map(|target| format!("`{}`", target.name)).collect::<Vec<_>>().join(", ");
    let docs = format!(
        "Sets the elements of {names} and their number, `{}`; the elements past it become zero. Refused, and left as \
         they were, when they are not of one length or too many.",
        field.name
    );
    quote! {
        #[doc = #docs]
        #vis fn #set(&mut self, #(#members: &[#elements]),*) -> ::core::result::Result<(), #krate::WireError>
        where
            #(#elements: ::core::clone::Clone,)*
        {
            #(__wire::counted::even(#first.len(), #members.len(), #at)?;)*
            #(__wire::counted::fits(&self.#members, #members.len(), #at)?;)*
            #(__wire::counted::set(&mut self.#members, #members, &mut self.#count, #at)?;)*
            ::core::result::Result::Ok(())
        }
    }
}

fn setter(ident: &Ident) -> Ident {
    format_ident!("set_{}", ident.unraw(), span = ident.span())
}

/// What an array field is an array of.
pub(super) fn element(field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    quote_spanned!(ty.span()=> <#ty as __wire::Array>::Element)
}

fn place(contract: &Contract<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (contract, name, offset) = (&contract.about.name, &field.name, offset(index));
    quote!(__wire::At::START.field(&__wire::Place { contract: #contract, field: #name }, #offset))
}
