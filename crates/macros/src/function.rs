//! A function that becomes an entry: its parameters in order, what it returns, what it is called.
//!
//! In: a signature. Out: the parameters, taken apart, and a signature that the compiler accepts. Whether it is a function
//! of its own or a method makes no difference here.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{
    Error, FnArg, GenericParam, Ident, Pat, ReceiverKind, Result, ReturnType, Safety, Signature, Type,
};

use crate::docs;
use crate::parameter::{Kind, Parameter};

/// The most parameters that a function with an attribute has: as many as `IntoEntry` is written for.
const MAX_PARAMETERS: usize = 16;

/// The most parameters that come from the call: a handler has eight, and one of them is for the arguments.
const MAX_EXTRACTED: usize = 7;

pub(crate) struct Function {
    pub(crate) has_receiver: bool,
    pub(crate) parameters: Vec<Parameter>,
}

impl Function {
    /// Reads a signature and leaves in it what the compiler knows.
    pub(crate) fn take(signature: &mut Signature, blocking: bool) -> Result<Self> {
        check(signature, blocking)?;
        let mut errors: Option<Error> = None;
        let mut keep = |error: Error| match &mut errors {
            Some(errors) => errors.combine(error),
            none => *none = Some(error),
        };
        let mut parameters = Vec::new();
        let mut has_receiver = false;
        for argument in &mut signature.inputs {
            if let FnArg::Receiver(receiver) = argument {
                has_receiver = true;
                if matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_))) {
                    let text = "expected `&self`: calls run at the same time; put what changes behind a lock";
                    keep(Error::new_spanned(receiver, text));
                } else if matches!(receiver.kind, ReceiverKind::Value) {
                    let text = "expected `&self`: the value is shared by all calls";
                    keep(Error::new_spanned(receiver, text));
                }
                continue;
            }
            match Parameter::take(argument) {
                Ok(parameter) => parameters.push(parameter),
                Err(error) => keep(error),
            }
        }
        if let Some(errors) = errors {
            return Err(errors);
        }
        let this = Self { has_receiver, parameters };
        this.check()?;
        Ok(this)
    }

    fn check(&self) -> Result<()> {
        let count = |kind| self.parameters.iter().filter(|it| it.kind == kind).count();
        let extracted = count(Kind::Extracted) + count(Kind::BorrowedContext);
        let second = |kind| self.parameters.iter().filter(|it| it.kind == kind).nth(1);
        if let Some(second) = second(Kind::Arguments) {
            let text = "expected one parameter with `#[arguments]`, but found a second one";
            return Err(Error::new(second.name.span(), text));
        }
        if count(Kind::Arguments) == 1 && count(Kind::Argument) > 0 {
            let other =
                self.arguments().next().map_or_else(proc_macro2::Span::call_site, |it| it.name.span());
            let text =
                "expected no other argument beside `#[arguments]`: make this one a field of the struct";
            return Err(Error::new(other, text));
        }
        match self.parameters.last() {
            Some(last) if self.parameters.len() > MAX_PARAMETERS => {
                let text = format!(
                    "expected at most {MAX_PARAMETERS} parameters, but found {}: use a struct with `#[arguments]`",
                    self.parameters.len()
                );
                Err(Error::new(last.name.span(), text))
            }
            Some(last) if extracted > MAX_EXTRACTED => {
                let text = format!("expected at most {MAX_EXTRACTED} parameters that come from the call");
                Err(Error::new(last.name.span(), text))
            }
            _ => Ok(()),
        }
    }

    /// The parameters that are single arguments.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|it| it.kind == Kind::Argument)
    }

    pub(crate) fn borrows_context(&self) -> bool {
        self.parameters.iter().any(|it| it.kind == Kind::BorrowedContext)
    }

    /// The parameters that are `&Context`.
    pub(crate) fn contexts(&self) -> Vec<&Ident> {
        self.parameters.iter().filter(|it| it.kind == Kind::BorrowedContext).map(|it| &it.name).collect()
    }

    /// What the function is called with, where its own parameters are there and contexts are owned.
    pub(crate) fn owned_values(&self) -> Vec<TokenStream> {
        let value = |it: &Parameter| {
            let name = &it.name;
            if it.kind == Kind::BorrowedContext { quote!(&#name) } else { quote!(#name) }
        };
        self.parameters.iter().map(value).collect()
    }

    /// The struct that single arguments are read into, if there are any.
    pub(crate) fn arguments_struct(&self) -> Option<TokenStream> {
        let (fields, defaults): (Vec<_>, Vec<_>) = self.arguments().map(Parameter::field).unzip();
        (!fields.is_empty()).then(|| {
            quote! {
                #[derive(::plainwire::serde::Deserialize, ::plainwire::schemars::JsonSchema)]
                #[serde(crate = "::plainwire::serde")]
                #[schemars(crate = "::plainwire::schemars")]
                struct Arguments { #(#fields),* }
                #(#defaults)*
            }
        })
    }

    /// The parameters of the handler: one for all arguments, then those that come from the call.
    pub(crate) fn handler_parameters(&self) -> Vec<TokenStream> {
        let arguments = self.arguments().next().map(|_| quote!(arguments: Arguments));
        let others = self.parameters.iter().filter_map(|it| {
            let (name, ty) = (&it.name, &it.ty);
            match it.kind {
                Kind::Argument => None,
                Kind::Arguments | Kind::Extracted => Some(quote!(#name: #ty)),
                Kind::BorrowedContext => Some(quote!(#name: ::plainwire::Context)),
            }
        });
        arguments.into_iter().chain(others).collect()
    }

    /// What the function is called with, where the handler's parameters are there.
    pub(crate) fn values(&self) -> Vec<TokenStream> {
        let value = |it: &Parameter| {
            let name = &it.name;
            match it.kind {
                Kind::Argument => quote!(arguments.#name),
                Kind::Arguments | Kind::Extracted => quote!(#name),
                Kind::BorrowedContext => quote!(&#name),
            }
        };
        self.parameters.iter().map(value).collect()
    }
}

/// Removes `mut` from the parameters: it belongs to the function alone.
pub(crate) fn without_mut(signature: &mut Signature) {
    for argument in &mut signature.inputs {
        if let FnArg::Typed(argument) = argument
            && let Pat::Ident(name) = &mut *argument.pat
        {
            name.mutability = None;
        }
    }
}

/// The type that a function returns.
pub(crate) fn output(signature: &Signature) -> TokenStream {
    match &signature.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    }
}

fn check(signature: &Signature, blocking: bool) -> Result<()> {
    let wrong = |at: &dyn Fn() -> proc_macro2::Span, text: &str| Err(Error::new(at(), text));
    if let Some(generic) =
        signature.generics.params.iter().find(|it| !matches!(it, GenericParam::Lifetime(_)))
    {
        return wrong(
            &|| generic.span(),
            "expected no type parameters: there is one schema for all calls; write the type out",
        );
    }
    match (blocking, &signature.asyncness) {
        (false, None) => {
            return wrong(
                &|| signature.fn_token.span,
                "expected an `async fn`; for work that blocks its thread write `blocking` into the attribute",
            );
        }
        (true, Some(asyncness)) => {
            return wrong(
                &|| asyncness.span(),
                "expected a plain `fn`: one that is `blocking` runs off the async threads and can't await",
            );
        }
        _ => {}
    }
    if let Safety::Unsafe(token) = &signature.safety {
        return wrong(&|| token.span(), "expected a function that is safe: clients call it");
    }
    if let Some(variadic) = &signature.variadic {
        return wrong(&|| variadic.span(), "expected parameters with a name and a type");
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && matches!(**ty, Type::ImplTrait(_))
    {
        return wrong(&|| ty.span(), "expected a type with a name: its schema is what clients see");
    }
    Ok(())
}

/// Removes the attributes of parameters that only this crate understands, where nothing else is to be done with them.
pub(crate) fn strip(signature: &mut Signature) {
    for argument in &mut signature.inputs {
        if let FnArg::Typed(argument) = argument {
            argument.attrs.retain(|it| !docs::is_doc(it) && it.path().is_ident("cfg"));
        }
    }
}

/// A name that no parameter has, for what the macro itself needs one.
pub(crate) fn own(name: &str) -> Ident {
    Ident::new(name, proc_macro2::Span::mixed_site())
}
