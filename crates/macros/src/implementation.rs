//! `#[server]`: the methods of an `impl` that are entries, and the provider that declares them.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::{Attribute, Error, Ident, ImplItem, ImplItemFn, ItemImpl, Meta, Result, Token};

use crate::entry::{Entry, Kind};
use crate::function;

/// Expands the attribute on an `impl`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let text = "expected `#[server]` on an `impl` of a type, such as `impl Library { … }`";
            let error = Error::new(error.span(), text).into_compile_error();
            return quote!(#error #item);
        }
    };
    match provider(options, &mut block) {
        Ok(provider) => quote!(#block #provider),
        Err(error) => {
            strip(&mut block);
            let error = error.into_compile_error();
            quote!(#error #block)
        }
    }
}

fn provider(options: TokenStream, block: &mut ItemImpl) -> Result<TokenStream> {
    let part = part.parse2(options)?;
    if let Some((path, _)) = &block.trait_ {
        let text =
            "expected an `impl` of the type itself: methods of a trait can call those that are entries";
        return Err(Error::new_spanned(path, text));
    }
    let mut errors: Option<Error> = None;
    let mut entries = Vec::new();
    let mut keys = BTreeMap::new();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        match take(method) {
            Ok(None) => {}
            Ok(Some((entry, kind))) => {
                let first = keys.insert((kind.attribute(), entry.key.clone()), method.sig.ident.clone());
                if let Some(first) = first {
                    let (kind, key) = (kind.attribute(), &entry.key);
                    let text = format!("expected the {kind} `{key}` once, but `{first}` is it already");
                    keep(&mut errors, Error::new(method.sig.ident.span(), text));
                }
                entries.push(declared(&entry, &method.sig.ident));
            }
            Err(error) => keep(&mut errors, error),
        }
    }
    if let Some(errors) = errors {
        return Err(errors);
    }
    if entries.is_empty() {
        let text = "expected a method with `#[tool]`, `#[resource]` or `#[prompt]`, but found none";
        return Err(Error::new_spanned(&block.self_ty, text));
    }
    let (ty, (generics, _, bounds)) = (&block.self_ty, block.generics.split_for_impl());
    let body = quote! {
        let entries = ::plainwire::Entries::new();
        #(#entries)*
        entries
    };
    Ok(match part {
        Some(part) => quote! {
            impl #generics #ty #bounds {
                /// Returns the entries that are declared here.
                pub fn #part(self: ::std::sync::Arc<Self>) -> ::plainwire::Entries {
                    #body
                }
            }
        },
        None => quote! {
            impl #generics ::plainwire::Provider for #ty #bounds {
                fn entries(self: ::std::sync::Arc<Self>) -> ::plainwire::Entries {
                    #body
                }
            }
        },
    })
}

/// Adds an entry to those before it.
fn declared(entry: &Entry, method: &Ident) -> TokenStream {
    let (add, arguments) = (entry.method(), entry.function.arguments_struct());
    let build = if entry.function.has_receiver {
        let (parameters, values) = (entry.function.handler_parameters(), entry.function.values());
        let call = quote!(this.#method(#(#values),*));
        let run = match entry.options.blocking {
            Some(_) => quote!(::plainwire::blocking(move || #call)),
            None => quote!(async move { #call.await }),
        };
        let handler = quote! {
            move |#(#parameters),*| {
                let this = ::std::sync::Arc::clone(&this);
                #run
            }
        };
        let build = entry.build(&handler);
        quote!({ let this = ::std::sync::Arc::clone(&self); #build })
    } else {
        entry.build(&entry.handler(&quote!(Self::#method)))
    };
    quote! {
        let entries = {
            #arguments
            entries.#add(#build)
        };
    }
}

/// Reads the entry that a method is, if it is one, and leaves what the compiler knows.
fn take(method: &mut ImplItemFn) -> Result<Option<(Entry, Kind)>> {
    let mut found: Option<(Kind, Attribute)> = None;
    for attribute in std::mem::take(&mut method.attrs) {
        match kind_of(&attribute) {
            None => method.attrs.push(attribute),
            Some(_) if found.is_some() => {
                let text = "expected one of `#[tool]`, `#[resource]` and `#[prompt]`, but found a second one";
                return Err(Error::new_spanned(attribute, text));
            }
            Some(kind) => found = Some((kind, attribute)),
        }
    }
    let Some((kind, attribute)) = found else { return Ok(None) };
    let options = match attribute.meta {
        Meta::List(list) => list.tokens,
        Meta::Path(_) => TokenStream::new(),
        Meta::NameValue(other) => {
            let text = format!("expected `#[{}(…)]`", kind.attribute());
            return Err(Error::new_spanned(other, text));
        }
    };
    Entry::take(kind, options, &method.attrs, &mut method.sig).map(|entry| Some((entry, kind)))
}

/// The kind that an attribute says, with or without the path of the crate before it.
fn kind_of(attribute: &Attribute) -> Option<Kind> {
    let last = attribute.path().segments.last()?;
    [Kind::Prompt, Kind::Resource, Kind::Tool].into_iter().find(|kind| last.ident == kind.attribute())
}

fn strip(block: &mut ItemImpl) {
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            method.attrs.retain(|it| kind_of(it).is_none());
            function::strip(&mut method.sig);
        }
    }
}

/// Reads `part = name`, or nothing.
fn part(input: syn::parse::ParseStream<'_>) -> Result<Option<Ident>> {
    if input.is_empty() {
        return Ok(None);
    }
    let text = "expected nothing, or `part = name` for an `impl` of the type in another place";
    let name: Ident = input.parse().map_err(|error| Error::new(error.span(), text))?;
    if name != "part" {
        return Err(Error::new(name.span(), text));
    }
    input.parse::<Token![=]>()?;
    input.parse().map(Some)
}

fn keep(errors: &mut Option<Error>, error: Error) {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
}
