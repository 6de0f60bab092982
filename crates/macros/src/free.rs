//! A free function with `#[tool]`, `#[resource]` or `#[prompt]`. It becomes a function that returns the
//! future of the original one, tagged with the description of the entry.
//!
//! In: the options and the function. Out: the function. If the declaration is wrong, a stand-in replaces the
//! function, so that `server.tool(function)` is not a second error that hides the first one.

use proc_macro2::{Group, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Error, FnArg, GenericParam, Item, Pat, Result, ReturnType, Signature, Type, Visibility,
};

use crate::docs;
use crate::entry::{Entry, Kind};
use crate::function::{self, MAX_PARAMETERS, shown_at};
use crate::parameter::{self, is_lint};

/// Expands the attribute for entries of this kind on `item`.
pub(crate) fn expand(kind: Kind, options: TokenStream, item: TokenStream) -> TokenStream {
    let mut free: Free = match syn::parse2(item.clone()) {
        Ok(free) => free,
        Err(error) => {
            let error = no_function(kind, &item, error).into_compile_error();
            return quote!(#error #item);
        }
    };
    free.declared(kind, options).unwrap_or_else(|error| {
        let error = error.into_compile_error();
        let stand_in = free.stand_in(kind);
        quote!(#error #stand_in)
    })
}

/// The function that has the attribute, in parts. Its body is not parsed: the compiler checks it.
struct Free {
    attributes: Vec<Attribute>,
    body: Group,
    signature: Signature,
    visibility: Visibility,
}

impl Parse for Free {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl Free {
    fn declared(&mut self, kind: Kind, options: TokenStream) -> Result<TokenStream> {
        if let Some(receiver) = self.signature.receiver() {
            let text = format!(
                "expected a function without `self`: to make methods entries, write `#[server]` above their `impl`, \
                 and `#[{}]` stays here",
                kind.attribute()
            );
            return Err(Error::new_spanned(receiver, text));
        }
        let entry = Entry::take(kind, options, &self.attributes, &mut self.signature)?;
        let (arguments, ty) = (entry.function.arguments_struct(), entry.ty());
        let ident = &self.signature.ident;
        let (parameters, values) = (entry.function.handler_parameters(), entry.function.values());
        let at = shown_at(entry.returned);
        let call = quote!(#ident(#(#values),*));
        let handler = if entry.fails || entry.function.contexts().next().is_some() {
            let awaited = entry.awaited(&call);
            quote_spanned!(at=> |#(#parameters),*| #awaited)
        } else {
            quote_spanned!(at=> |#(#parameters),*| { #call })
        };
        let (build, future) = (entry.build(&handler), self.future(&entry));
        let (outside, inside, local) = (self.outside(&ty), self.inside(), function::own("future"));
        Ok(quote! {
            #outside {
                let #local = {
                    #inside
                    #future
                };
                {
                    #arguments

                    enum __Description {}

                    impl ::plainwire::handler::Described for __Description {
                        type Entry = #ty;

                        fn entry() -> #ty {
                            #build
                        }
                    }

                    ::plainwire::handler::Tagged::<__Description, _>::new(#local)
                }
            }
        })
    }

    /// Returns the expression of the future that a call of the function returns.
    fn future(&self, entry: &Entry) -> TokenStream {
        let ident = &self.signature.ident;
        let locals: Vec<_> = entry.function.parameters.iter().map(|it| &it.local).collect();
        if entry.options.blocking.is_none() {
            return quote!(#ident(#(#locals),*));
        }
        // The function runs on a thread for blocking work, which can't borrow from the caller. So contexts
        // are cloned.
        let contexts: Vec<_> = entry.function.contexts().map(|it| &it.local).collect();
        let values = entry.function.parameters.iter().zip(&locals).map(|(it, local)| match it.kind {
            parameter::Kind::BorrowedContext => quote!(&#local),
            _ => quote!(#local),
        });
        quote! {
            #(let #contexts = ::std::clone::Clone::clone(#contexts);)*
            ::plainwire::handler::blocking(move || #ident(#(#values),*))
        }
    }

    /// Returns the outer function, the one that callers see, without its body.
    fn outside(&self, entry: &TokenStream) -> TokenStream {
        let attributes = self.attributes.iter().filter_map(outer);
        let Signature { ident, generics, inputs, .. } = &self.signature;
        let inputs = inputs.iter().map(|input| {
            let mut input = input.clone();
            if let FnArg::Typed(typed) = &mut input
                && let Pat::Ident(name) = &mut *typed.pat
            {
                // Only the inner function needs `mut`.
                name.mutability = None;
                name.ident = function::local(&name.ident, ident);
            }
            input
        });
        let (visibility, output, bounds) =
            (&self.visibility, function::output(&self.signature), generics.where_clause.as_ref());
        let returned = quote_spanned! { ident.span()=>
            impl ::std::future::Future<Output = #output>
                + ::std::marker::Send
                + ::plainwire::handler::Described<Entry = #entry>
        };
        quote!(#(#attributes)* #visibility fn #ident #generics (#(#inputs),*) -> #returned #bounds)
    }

    /// Returns the inner function: the one that the author wrote, without the attributes for callers, which
    /// the outer function has.
    fn inside(&self) -> TokenStream {
        let attributes = self.attributes.iter().filter(|it| !is_outer(it));
        let (signature, body) = (&self.signature, &self.body);
        quote! {
            #(#attributes)*
            // Without `blocking` the function has to be async, so the author can't avoid this lint.
            #[allow(clippy::unused_async)]
            #signature #body
        }
    }

    /// Returns a function that compiles wherever the declared one could be used if it were correct. It never
    /// runs.
    fn stand_in(&mut self, kind: Kind) -> TokenStream {
        function::strip(&mut self.signature);
        if self.signature.receiver().is_some() {
            let Self { attributes, body, signature, visibility } = self;
            return quote!(#(#attributes)* #visibility #signature #body);
        }
        let inside = self.inside();
        let signature = &mut self.signature;
        let is_impl = |ty: &Type| matches!(ty, Type::ImplTrait(_));
        if matches!(&signature.output, ReturnType::Type(_, ty) if is_impl(ty)) {
            signature.output = ReturnType::Default;
        }
        let open = signature.generics.params.iter().any(|it| !matches!(it, GenericParam::Lifetime(_)))
            || signature.inputs.iter().any(|it| matches!(it, FnArg::Typed(it) if is_impl(&it.ty)));
        if open || signature.inputs.len() > MAX_PARAMETERS {
            signature.inputs.clear();
            signature.generics = syn::Generics::default();
        }
        signature.variadic = None;
        let ty = kind.ty();
        let (outside, output) = (self.outside(&ty), function::output(&self.signature));
        quote! {
            #[allow(unused_variables)]
            #outside {
                #[allow(dead_code)]
                #inside

                enum __Description {}

                impl ::plainwire::handler::Described for __Description {
                    type Entry = #ty;

                    fn entry() -> #ty {
                        ::std::unreachable!()
                    }
                }

                ::plainwire::handler::Tagged::<__Description, ::std::future::Pending<#output>>::new(::std::future::pending())
            }
        }
    }
}

/// Returns an error that names the item that the attribute is on. For a function, or an item that can't be
/// parsed, returns `error` unchanged.
fn no_function(kind: Kind, item: &TokenStream, error: Error) -> Error {
    let (found, at): (_, &dyn quote::ToTokens) = match &syn::parse2::<Item>(item.clone()) {
        Ok(Item::Const(it)) => ("a constant", &it.const_token.clone()),
        Ok(Item::Enum(it)) => ("an enum", &it.enum_token.clone()),
        Ok(Item::Impl(it)) => ("an `impl`: it takes `#[server]`", &it.impl_token.clone()),
        Ok(Item::Mod(it)) => ("a module", &it.mod_token.clone()),
        Ok(Item::Static(it)) => ("a static", &it.static_token.clone()),
        Ok(Item::Struct(it)) => ("a struct", &it.struct_token.clone()),
        Ok(Item::Fn(_)) | Err(_) => return error,
        Ok(_) => ("something else", item),
    };
    Error::new_spanned(at, format!("expected `#[{}]` on a function, but found {found}", kind.attribute()))
}

/// Returns whether an attribute is for callers of the function: a doc comment, `cfg`, `deprecated` or
/// `must_use`.
fn is_outer(attribute: &Attribute) -> bool {
    docs::is_doc(attribute)
        || ["cfg", "deprecated", "must_use"].iter().any(|name| attribute.path().is_ident(name))
}

/// Returns the attribute for the outer function, if it belongs there. Lints go on both functions; `expect`
/// becomes `allow`, since the lint may fire in only one of the two.
fn outer(attribute: &Attribute) -> Option<TokenStream> {
    match &attribute.meta {
        syn::Meta::List(list) if attribute.path().is_ident("expect") => {
            let lints = &list.tokens;
            Some(quote!(#[allow(#lints)]))
        }
        _ => (is_outer(attribute) || is_lint(attribute)).then(|| quote!(#attribute)),
    }
}
