//! The function of C: what takes which parameter, and in which order. What that does is in the core.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::forms::{items, of, optional, reference};
use super::{c_text, exported};
use crate::export::{Failing, Function, Param, Passed, Passing};

/// The function of C.
pub(super) fn expand(function: &Function) -> TokenStream {
    let place = exported(&function.symbol);
    let symbol = c_text(&function.symbol);
    let params: Vec<Received> =
        function.params.iter().enumerate().map(|(index, param)| received(index, param)).collect();
    let declared = params.iter().map(|param| &param.declared);
    let measures = params.iter().map(|param| &param.measure);
    let receives = params.iter().map(|param| &param.receive);
    let takes = params.iter().map(|param| &param.take);
    let arguments = params.iter().map(|param| &param.argument);
    let outs: Vec<Ident> = (0..function.outs.len()).map(|index| format_ident!("__out_{index}")).collect();
    let out_types = function.outs.iter().map(|out| {
        let ty = &out.ty;
        if out.is_plain {
            quote!(__wire::export::Out<__wire::export::Plain<#ty>, __wire::cross::Plain>)
        } else {
            of("Out", ty)
        }
    });
    let names: Vec<Literal> = function.outs.iter().map(|out| c_text(&out.name)).collect();
    let areas: Vec<TokenStream> = params
        .iter()
        .filter_map(|param| param.area.clone())
        .chain(outs.iter().zip(&names).map(|(out, name)| quote!(#out.area(#name))))
        .collect();
    let callee = match &function.owner {
        Some(owner) => {
            let ident = &function.ident;
            quote!(<#owner>::#ident)
        }
        None => {
            let ident = &function.ident;
            quote!(#ident)
        }
    };
    let calls = quote!(#callee(#(#arguments),*));
    // What an unsafe function asks of its callers is asked of those in C.
    let calls = if function.is_unsafe { quote!(unsafe { #calls }) } else { calls };
    let calls = match &function.failing {
        Failing::Never => calls,
        Failing::Unsaid => quote!(__call.result(#calls.map_err(::core::convert::Into::into))?),
        Failing::With(error) => {
            let fails = quote!(__wire::If<{ __wire::export::Can::<#error>::FAILS }>);
            let failure = quote!(<#fails as __wire::export::FailsIf<#error>>::failure);
            quote!(__call.result(#calls.map_err(#failure))?)
        }
    };
    let results: Vec<Ident> = (0..outs.len()).map(|index| format_ident!("__result_{index}")).collect();
    let pattern = match results.as_slice() {
        [one] if !function.gives_tuple => quote!(#one),
        _ => quote!((#(#results,)*)),
    };
    let values = results.iter().zip(&function.outs).map(|(result, out)| {
        if out.is_plain { quote!(__wire::export::Plain(#result)) } else { quote!(#result) }
    });
    let clears: Vec<TokenStream> = params.iter().filter_map(|param| param.clear.clone()).collect();
    let prepare = prepare(&areas, &clears, &outs, &names);
    quote! {
        #place
        unsafe extern "C" fn __wire_function(#(#declared,)* #(#outs: #out_types),*) -> i32 {
            __wire::export::call(#symbol, |__call| {
                #(#measures)*
                #prepare
                #(#receives)*
                #(#takes)*
                let #pattern = #calls;
                #(let #results = unsafe { #outs.ready(#values, #names) }?;)*
                #(#results.write();)*
                ::core::result::Result::Ok(())
            })
        }
    }
}

/// Makes the places for results nothing, when nobody else uses them or what is written.
fn prepare(areas: &[TokenStream], clears: &[TokenStream], outs: &[Ident], names: &[Literal]) -> TokenStream {
    let clear = quote!(#(unsafe { #outs.clear() };)* #(#clears)*);
    let check = quote!(#(#outs.check(#names)?;)*);
    if areas.len() < 2 {
        return quote!(#clear #check);
    }
    quote! {
        let __apart = if const { __wire::export::may_overlap(__WIRE_PARAMS, __WIRE_OUTS) } {
            unsafe { __wire::export::apart(&[#(#areas),*]) }
        } else {
            ::core::result::Result::Ok(())
        };
        if __apart.is_ok() {
            #clear
        }
        #check
        __apart?;
    }
}

/// A parameter on its way from C to Rust.
struct Received {
    /// As C passes it.
    declared: TokenStream,
    /// What looks how long it is.
    measure: TokenStream,
    /// Where it is, if it can be somewhere.
    area: Option<TokenStream>,
    /// What makes places for results nothing, if it is some.
    clear: Option<TokenStream>,
    /// What checks it.
    receive: TokenStream,
    /// What takes it, when all are checked.
    take: TokenStream,
    /// As Rust takes it.
    argument: TokenStream,
}

fn received(index: usize, param: &Param) -> Received {
    let own = format_ident!("__param_{index}");
    let length = format_ident!("__length_{index}");
    let name = c_text(&param.name);
    let receive = |pattern: TokenStream, arguments: TokenStream| quote!(let #pattern = unsafe { #own.receive(#arguments #name) }?;);
    let pattern = |is_mut: bool| if is_mut { quote!(mut #own) } else { quote!(#own) };
    let borrowed = |is_mut: bool| if is_mut { quote!(&mut *#own) } else { quote!(&*#own) };
    let area = Some(quote!(#own.area(#name)));
    let none = TokenStream::new;
    match &param.passing {
        Passing::Plain(ty) => Received {
            declared: quote!(#own: #ty),
            measure: none(),
            area: None,
            clear: None,
            receive: none(),
            take: none(),
            argument: quote!(#own),
        },
        Passing::Value(ty) => {
            let ty = of("Value", ty);
            Received {
                declared: quote!(#own: #ty),
                measure: none(),
                area: Some(quote!(unsafe { #own.area(#name) })),
                clear: None,
                receive: receive(quote!(#own), none()),
                take: quote!(let #own = #own.take();),
                argument: quote!(#own),
            }
        }
        Passing::Reference { ty, is_mut } => {
            let ty = of(reference(*is_mut), ty);
            Received {
                declared: quote!(#own: #ty),
                measure: none(),
                area,
                clear: None,
                receive: receive(pattern(*is_mut), none()),
                take: none(),
                argument: borrowed(*is_mut),
            }
        }
        Passing::Optional { ty, is_mut } => {
            let ty = of(optional(*is_mut), ty);
            Received {
                declared: quote!(#own: #ty),
                measure: none(),
                area,
                clear: None,
                receive: receive(quote!(#own), none()),
                take: none(),
                argument: quote!(#own),
            }
        }
        Passing::Slice { ty, is_mut } => {
            let ty = of(items(*is_mut), ty);
            Received {
                declared: quote!(#own: #ty, #length: usize),
                measure: none(),
                area: Some(quote!(#own.area(#length, #name))),
                clear: is_mut.then(|| quote!(unsafe { #own.clear(#length, #name) };)),
                receive: receive(pattern(*is_mut), quote!(#length,)),
                take: none(),
                argument: borrowed(*is_mut),
            }
        }
        Passing::Text { is_optional } => {
            let receives = Ident::new(if *is_optional { "receive_optional" } else { "receive" }, own.span());
            Received {
                declared: quote!(#own: __wire::export::Text),
                measure: quote!(let #own = unsafe { #own.measure() };),
                area,
                clear: None,
                receive: quote!(let #own = unsafe { #own.#receives(#name) }?;),
                take: none(),
                argument: quote!(#own),
            }
        }
        Passing::Callback { params, .. } => callback(&own, index, &name, params),
    }
}

/// A function of C with its context, as a closure.
fn callback(own: &Ident, index: usize, name: &Literal, params: &[Passed]) -> Received {
    let context = format_ident!("__context_{index}");
    let (mut declared, mut typed, mut before, mut passed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (number, param) in params.iter().enumerate() {
        let it = format_ident!("__arg_{number}");
        match param {
            Passed::Plain(ty) => {
                declared.push(quote!(#ty));
                typed.push(quote!(#it: #ty));
                passed.push(quote!(#it));
            }
            Passed::Value(ty) => {
                declared.push(of("Pass", ty));
                typed.push(quote!(#it: #ty));
                passed.push(quote!(__wire::export::Pass::of(#it)));
            }
            Passed::Reference(ty) => {
                declared.push(quote!(__wire::export::Pointer<#ty>));
                typed.push(quote!(#it: &#ty));
                passed.push(quote!(__wire::export::Pointer::to(#it)));
            }
            Passed::Slice(ty) => {
                declared.push(quote!(__wire::export::Pointer<#ty>));
                declared.push(quote!(usize));
                typed.push(quote!(#it: &[#ty]));
                passed.push(quote!(__wire::export::Pointer::first(#it)));
                passed.push(quote!(#it.len()));
            }
            Passed::Text => {
                declared.push(quote!(*const ::core::ffi::c_char));
                typed.push(quote!(#it: &str));
                before.push(quote!(let #it = __call.text(#name, #it)?;));
                passed.push(quote!(#it.as_ptr()));
            }
        }
    }
    Received {
        declared: quote! {
            #own: ::core::option::Option<unsafe extern "C" fn(*mut ::core::ffi::c_void, #(#declared),*) -> i32>,
            #context: *mut ::core::ffi::c_void
        },
        measure: TokenStream::new(),
        area: None,
        clear: None,
        receive: quote! {
            let #own = __wire::export::callback(#own, #name)?;
            let mut #own = |#(#typed),*| -> ::core::result::Result<(), __wire::export::CallbackError> {
                #(#before)*
                __call.called(#name, unsafe { #own(#context, #(#passed),*) })
            };
        },
        take: TokenStream::new(),
        argument: quote!(&mut #own),
    }
}
