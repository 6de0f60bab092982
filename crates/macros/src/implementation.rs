//! `#[server]`: the methods of an `impl` that are entries, and the provider that declares them.
//!
//! In: the options and the `impl`. Out: the `impl` without the attributes of this crate, and an
//! implementation of `Provider` (or a method, for `part = name`) that returns the entries.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::Parser;
use syn::{Attribute, Error, Expr, Ident, ImplItem, ImplItemFn, ItemImpl, Meta, Result, Token};

use crate::entry::{Entry, Kind};
use crate::function::{self, own, shown_at};
use crate::own_type;
use crate::table::SERVER;

/// Expands `#[server]` on an `impl`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let text = "expected `#[server]` on an `impl` of a type, such as `impl Library { … }`; on a function, \
                        `#[tool]`, `#[resource]` or `#[prompt]` does it";
            let error = Error::new(error.span(), text).into_compile_error();
            return quote!(#error #item);
        }
    };
    if let Some((path, _)) = &block.trait_ {
        let text = "expected an `impl` of the type itself, but found one of a trait: write the entries in another `impl`, \
                    from where they can call these methods";
        let error = Error::new_spanned(path, text).into_compile_error();
        strip(&mut block);
        return quote!(#error #block);
    }
    let (mut found, mut errors) = (Found::default(), None);
    let part = part.parse2(options).map_err(|error| keep(&mut errors, error));
    found.take(&mut block, &mut errors);
    strip(&mut block);
    let error = errors.map(Error::into_compile_error);
    // Correct entries are declared even if another one is wrong. The type then implements `Provider`, and
    // using it is not a second error. Without a legal `part` there is no name for the method.
    let provider = part.ok().map(|part| provider(part, &block, &found.declared));
    quote!(#error #block #provider)
}

/// The entries that were found in an `impl`.
#[derive(Default)]
struct Found {
    /// For each entry, the statement that adds it to the `Entries` of the `impl`.
    declared: Vec<TokenStream>,
    /// The methods that were read so far, except those with `#[cfg]`, by the attribute's name and the entry's
    /// key (a URI or name).
    keys: BTreeMap<(&'static str, String), Ident>,
}

impl Found {
    fn take(&mut self, block: &mut ItemImpl, errors: &mut Option<Error>) {
        let mut none = true;
        let whole = block.clone();
        for item in &mut block.items {
            let ImplItem::Fn(method) = item else { continue };
            match take(method, &whole) {
                Ok(None) => continue,
                Ok(Some((entry, kind))) => self.add(&entry, kind, method, errors),
                Err(error) => keep(errors, error),
            }
            none = false;
        }
        if none {
            let text = "expected a method with `#[tool]`, `#[resource]` or `#[prompt]`, but found none: write it above \
                        the methods that clients may call";
            keep(errors, Error::new_spanned(&block.self_ty, text));
        }
    }

    fn add(&mut self, entry: &Entry, kind: Kind, method: &mut ImplItemFn, errors: &mut Option<Error>) {
        let conditions: Vec<_> = method.attrs.iter().filter(|it| it.path().is_ident("cfg")).collect();
        let (key, ident) = (entry.key(), &method.sig.ident);
        // Of two methods under `#[cfg]`, perhaps only one is compiled, so their keys are not compared.
        if conditions.is_empty() {
            let word = kind.attribute();
            if let Some(first) = self.keys.insert((word, key.value()), ident.clone()) {
                let what = if entry.options.uri.is_some() { "URI" } else { "name" };
                let text = format!(
                    "expected a unique {what}, but `{}` is also that of the {word} `{first}`: change one of them",
                    key.value()
                );
                keep(errors, Error::new(key.span(), text));
            }
        }
        let declared = declared(entry, ident);
        self.declared.push(quote!(#(#conditions)* #declared));
        // Without `blocking` the function has to be async, so the author can't avoid this lint.
        method.attrs.push(syn::parse_quote!(#[allow(clippy::unused_async)]));
    }
}

/// Returns an `impl` with the method that returns the entries: `Provider::entries`, or for `#[server(part =
/// name)]` a method of that name.
fn provider(part: Option<Ident>, block: &ItemImpl, declared: &[TokenStream]) -> TokenStream {
    let mut generics = block.generics.clone();
    if generics.type_params().next().is_some() {
        // The bound is checked where the value is given to a server, since the type arguments are known
        // there.
        let shared = syn::parse_quote!(Self: ::std::marker::Send + ::std::marker::Sync + 'static);
        generics.make_where_clause().predicates.push(shared);
    }
    let (ty, (generics, _, bounds)) = (&block.self_ty, generics.split_for_impl());
    let entries = own("entries");
    let body = quote! {
        let #entries = ::plainwire::Entries::new();
        #(#declared)*
        #entries
    };
    match part {
        Some(part) => quote! {
            impl #generics #ty #bounds {
                /// Returns the entries that the methods of this `impl` declare.
                pub fn #part(self: ::std::sync::Arc<Self>) -> ::plainwire::Entries {
                    #body
                }
            }
        },
        None => quote! {
            impl #generics ::plainwire::handler::Provider for #ty #bounds {
                fn entries(self: ::std::sync::Arc<Self>) -> ::plainwire::Entries {
                    #body
                }
            }
        },
    }
}

/// Returns the statement that adds the entry of `method` to the variable with the earlier entries.
fn declared(entry: &Entry, method: &Ident) -> TokenStream {
    let (add, arguments) = (entry.method(), entry.function.arguments_struct());
    let (parameters, values) = (entry.function.handler_parameters(), entry.function.values());
    let (entries, this) = (own("entries"), own("this"));
    let (callee, shared) = if entry.function.has_receiver {
        (quote!(#this.#method), Some(quote!(let #this = ::std::sync::Arc::clone(&#this);)))
    } else {
        (quote!(Self::#method), None)
    };
    let at = shown_at(entry.returned);
    let call = quote!(#callee(#(#values),*));
    let run = match entry.options.blocking {
        Some(_) => entry.awaited(&quote!(::plainwire::handler::blocking(move || #call))),
        None => entry.awaited(&call),
    };
    let build = entry.build(&quote_spanned!(at=> move |#(#parameters),*| { #shared #run }));
    let shared = entry.function.has_receiver.then(|| quote!(let #this = ::std::sync::Arc::clone(&self);));
    quote! {
        let #entries = {
            #arguments
            #shared
            #entries.#add(#build)
        };
    }
}

/// Reads the entry that a method declares; `None` if it has no `#[tool]`, `#[resource]` or `#[prompt]`.
/// Removes these attributes from the method.
fn take(method: &mut ImplItemFn, block: &ItemImpl) -> Result<Option<(Entry, Kind)>> {
    let mut found: Option<(Kind, Attribute)> = None;
    for attribute in std::mem::take(&mut method.attrs) {
        match kind_of(&attribute) {
            None => method.attrs.push(attribute),
            Some(_) if found.is_some() => {
                let text = "expected one of `#[tool]`, `#[resource]` and `#[prompt]`, but found a second one: remove one, or write a second method";
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
    let mut signature = own_type::spelt_out(&method.sig, block)?;
    let mut entry = Entry::take(kind, options, &method.attrs, &mut signature)?;
    for (_, function) in &mut entry.options.completed {
        if let Some(method) = method_of(function, block) {
            *function = bound(&method);
        }
    }
    own_type::independent(&entry.function, block)?;
    Ok(Some((entry, kind)))
}

/// Returns the name of a function if it is `Self::name`, and a method with `&self` of this `impl`.
fn method_of(function: &Expr, block: &ItemImpl) -> Option<Ident> {
    let Expr::Path(it) = function else { return None };
    let [this, name] = &it.path.segments.iter().collect::<Vec<_>>()[..] else { return None };
    let is_it = |item: &ImplItem| match item {
        ImplItem::Fn(method) => method.sig.ident == name.ident && method.sig.receiver().is_some(),
        _ => false,
    };
    (this.ident == "Self" && block.items.iter().any(is_it)).then(|| name.ident.clone())
}

/// Returns a function that completes by calling the method on the value of the server.
fn bound(method: &Ident) -> Expr {
    let (this, typed) = (own("this"), own("typed"));
    let at = method.span();
    syn::parse_quote_spanned! {at=> {
        let #this = ::std::sync::Arc::clone(&self);
        move |#typed: ::plainwire::handler::Completing| {
            let #this = ::std::sync::Arc::clone(&#this);
            async move { #this.#method(#typed).await }
        }
    }}
}

/// Returns the kind of entry that an attribute declares; it may have the path of the crate before its name.
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

/// Parses the options of `#[server]`: `part = name`, or none.
fn part(input: syn::parse::ParseStream<'_>) -> Result<Option<Ident>> {
    if input.is_empty() {
        return Ok(None);
    }
    let text = "expected nothing, or `part = name` for an `impl` of the type in another place";
    let name: Ident = input.parse().map_err(|error| Error::new(error.span(), text))?;
    if !SERVER.iter().any(|known| name == known.name) {
        return Err(Error::new(name.span(), text));
    }
    let named = input.parse::<Token![=]>().and_then(|_| input.parse());
    named
        .map(Some)
        .map_err(|_| Error::new(name.span(), "expected a name for the method, as in `part = name`"))
}

fn keep(errors: &mut Option<Error>, error: Error) {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
}
