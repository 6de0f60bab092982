//! From a function with an attribute to the same function, and to the builder calls that declare it.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Attribute, Error, Ident, ItemFn, Result, Signature};

use crate::docs;
use crate::function::{self, Function, own};
use crate::name::any_of;
use crate::options::Options;
use crate::template;

/// What a function becomes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Prompt,
    Resource,
    Tool,
}

impl Kind {
    /// The attribute that says so.
    pub(crate) const fn attribute(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Tool => "tool",
        }
    }
}

/// An entry that was read from a function.
pub(crate) struct Entry {
    kind: Kind,
    description: Option<String>,
    pub(crate) function: Function,
    ident: Ident,
    /// What has to be there once: the name of a tool or a prompt, the URI of a resource.
    pub(crate) key: String,
    name: syn::LitStr,
    pub(crate) options: Options,
    /// Whether the URI has variables.
    templated: bool,
}

impl Entry {
    /// Reads an entry, and leaves a signature that the compiler accepts.
    pub(crate) fn take(
        kind: Kind,
        options: TokenStream,
        attributes: &[Attribute],
        signature: &mut Signature,
    ) -> Result<Self> {
        let options = Options::parse(kind, options)?;
        let function = Function::take(signature, options.blocking.is_some())?;
        let name = options.name_of(&signature.ident, kind)?;
        let ident = signature.ident.clone();
        let mut key = name.value();
        let mut templated = false;
        if let Some(uri) = &options.uri {
            key = uri.value();
            let variables = template::variables(&key).map_err(|text| Error::new(uri.span(), text))?;
            templated = !variables.is_empty();
            fits(&variables, &function, uri)?;
        }
        let description = docs::description(attributes);
        let entry = Self { kind, description, function, ident, key, name, options, templated };
        entry.completes()?;
        Ok(entry)
    }

    /// What is completed has to be there.
    fn completes(&self) -> Result<()> {
        let names: Vec<_> = self.function.arguments().map(|it| it.name.to_string()).collect();
        let takes_struct =
            self.function.parameters.iter().any(|it| it.kind == crate::parameter::Kind::Arguments);
        for completed in &self.options.completed {
            if !takes_struct && !names.contains(&completed.to_string()) {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                let text = format!("expected {}, but found `{completed}`", any_of(&names));
                return Err(Error::new(completed.span(), text));
            }
        }
        Ok(())
    }

    /// The type of the entry.
    fn ty(&self) -> TokenStream {
        match (self.kind, self.templated) {
            (Kind::Prompt, _) => quote!(::plainwire::Prompt),
            (Kind::Resource, false) => quote!(::plainwire::Resource),
            (Kind::Resource, true) => quote!(::plainwire::ResourceTemplate),
            (Kind::Tool, _) => quote!(::plainwire::Tool),
        }
    }

    /// The method of `Entries` that takes it.
    pub(crate) fn method(&self) -> Ident {
        Ident::new(self.kind.attribute(), self.ident.span())
    }

    /// The calls that build the entry of a handler.
    pub(crate) fn build(&self, handler: &TokenStream) -> TokenStream {
        let (ty, name, calls) = (self.ty(), &self.name, &self.options.calls);
        let description = self.description.as_ref().filter(|_| !self.options.described);
        let description = description.map(|text| quote!(.description(#text)));
        let new = match &self.options.uri {
            Some(uri) => quote_spanned!(self.ident.span()=> #ty::new(#uri, #name, #handler)),
            None => quote_spanned!(self.ident.span()=> #ty::new(#name, #handler)),
        };
        quote!(#new #description #(#calls)*)
    }

    /// A handler that calls `callee` with the arguments that it gets.
    pub(crate) fn handler(&self, callee: &TokenStream) -> TokenStream {
        let (parameters, values) = (self.function.handler_parameters(), self.function.values());
        let call = quote!(#callee(#(#values),*));
        match (self.options.blocking.is_some(), self.function.borrows_context()) {
            (true, _) => quote!(|#(#parameters),*| ::plainwire::blocking(move || #call)),
            (false, true) => quote!(|#(#parameters),*| async move { #call.await }),
            (false, false) => quote!(|#(#parameters),*| #call),
        }
    }
}

/// The variables of a URI are the arguments of its function.
fn fits(variables: &[String], function: &Function, uri: &syn::LitStr) -> Result<()> {
    if function.parameters.iter().any(|it| it.kind == crate::parameter::Kind::Arguments) {
        return Ok(());
    }
    let known: BTreeSet<&str> = variables.iter().map(String::as_str).collect();
    for argument in function.arguments() {
        let name = argument.name.to_string();
        if !known.contains(name.as_str()) {
            let text = format!(
                "expected `{{{name}}}` in the URI, since the function takes `{name}`, but found it not"
            );
            return Err(Error::new(argument.name.span(), text));
        }
    }
    let taken: Vec<_> = function.arguments().map(|it| it.name.to_string()).collect();
    match variables.iter().find(|variable| !taken.contains(variable)) {
        Some(variable) => {
            let text = format!(
                "expected a parameter `{variable}`, since the URI has `{{{variable}}}`, but found none"
            );
            Err(Error::new(uri.span(), text))
        }
        None => Ok(()),
    }
}

/// Expands an attribute on a function of its own.
pub(crate) fn expand(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let text = format!("expected `#[{}]` on a function", kind.attribute());
            let error = Error::new(error.span(), text).into_compile_error();
            return quote!(#error #item);
        }
    };
    match free_function(kind, options, &mut function) {
        Ok(tokens) => tokens,
        Err(error) => {
            function::strip(&mut function.sig);
            let error = error.into_compile_error();
            quote!(#error #function)
        }
    }
}

fn free_function(kind: Kind, options: TokenStream, item: &mut ItemFn) -> Result<TokenStream> {
    if let Some(receiver) = item.sig.receiver() {
        let text = format!(
            "expected a function without `self`: to make methods entries, write `#[server]` above their `impl`, \
             and `#[{}]` stays here",
            kind.attribute()
        );
        return Err(Error::new_spanned(receiver, text));
    }
    let entry = Entry::take(kind, options, &item.attrs, &mut item.sig)?;
    let (ours, theirs): (Vec<_>, Vec<_>) = item.attrs.iter().partition(|it| {
        docs::is_doc(it) || ["cfg", "deprecated", "must_use"].iter().any(|name| it.path().is_ident(name))
    });
    let (visibility, body, output) = (&item.vis, &item.block, function::output(&item.sig));
    let inner = own("function");
    let mut inside = item.sig.clone();
    inside.ident = inner.clone();
    let mut outside = item.sig.clone();
    function::without_mut(&mut outside);
    let (ident, generics, inputs) = (&outside.ident, &outside.generics, &outside.inputs);
    let names: Vec<_> = entry.function.parameters.iter().map(|it| &it.name).collect();
    let future = match (entry.options.blocking.is_some(), entry.function.borrows_context()) {
        (true, true) => {
            let contexts = entry.function.contexts();
            let values = entry.function.owned_values();
            quote!({ #(let #contexts = ::std::clone::Clone::clone(#contexts);)* ::plainwire::blocking(move || #inner(#(#values),*)) })
        }
        (true, false) => quote!(::plainwire::blocking(move || #inner(#(#names),*))),
        (false, _) => quote!(#inner(#(#names),*)),
    };
    let (arguments, ty) = (entry.function.arguments_struct(), entry.ty());
    let build = entry.build(&entry.handler(&quote!(#inner)));
    Ok(quote! {
        #(#ours)*
        #visibility fn #ident #generics (#inputs) -> impl ::std::future::Future<Output = #output>
            + ::std::marker::Send + ::plainwire::Described<Entry = #ty>
        {
            #(#theirs)*
            #inside #body

            #arguments

            enum Description {}

            impl ::plainwire::Described for Description {
                type Entry = #ty;

                fn entry() -> #ty {
                    #build
                }
            }

            ::plainwire::Tagged::<Description, _>::new(#future)
        }
    })
}
