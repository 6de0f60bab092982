//! A function that becomes an entry: its parameters, its return type and the code that calls it.
//!
//! In: a signature. Out: its parameters, and a signature that the compiler accepts. Free functions and
//! methods are treated alike.

use std::collections::HashSet;

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Error, FnArg, GenericArgument, GenericParam, Ident, PathArguments, ReceiverKind, Result, ReturnType,
    Safety, Signature, Type,
};

use crate::docs::Described;
use crate::header;
use crate::name::any_of;
use crate::parameter::{Kind, Parameter};

/// Limit on the parameters of a function with an attribute: `IntoEntry` is implemented for up to 16.
pub(crate) const MAX_PARAMETERS: usize = 16;

/// Limit on the parameters that come from the call: a handler takes eight parameters, and one of them is for
/// the arguments.
const MAX_EXTRACTED: usize = 7;

/// The parameters of a function that becomes an entry.
pub(crate) struct Function {
    pub(crate) has_receiver: bool,
    pub(crate) parameters: Vec<Parameter>,
}

impl Function {
    /// Parses a signature and removes the parameter attributes that the compiler would not accept.
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
                    let text = "expected `&self`, but found `&mut self`: calls run at the same time; put what changes behind a lock";
                    keep(Error::new_spanned(receiver, text));
                } else if matches!(receiver.kind, ReceiverKind::Value) {
                    let text = "expected `&self`, but found `self`: all calls share the value";
                    keep(Error::new_spanned(receiver, text));
                }
                continue;
            }
            match Parameter::take(argument, &signature.ident) {
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
        let mut names = HashSet::new();
        if let Some(again) = self.arguments().find(|it| !names.insert(&it.sent)) {
            let text =
                format!("expected each argument to have a name of its own, but found `{}` again", again.sent);
            return Err(Error::new(again.name.span(), text));
        }
        header::are_unique(self.parameters.iter().filter_map(|it| it.header.as_ref()))?;
        let count = |kind| self.parameters.iter().filter(|it| it.kind == kind).count();
        let extracted = count(Kind::Extracted) + count(Kind::BorrowedContext);
        let second = |kind| self.parameters.iter().filter(|it| it.kind == kind).nth(1);
        if let Some(second) = second(Kind::Arguments) {
            let text =
                "expected one parameter with `#[arguments]`, but found a second one: make one struct of both";
            return Err(Error::new(second.name.span(), text));
        }
        if count(Kind::Arguments) == 1 && count(Kind::Argument) > 0 {
            let other = self.arguments().next().map_or_else(Span::call_site, |it| it.name.span());
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
                let text = format!(
                    "expected at most {MAX_EXTRACTED} parameters that come from the call, but found {extracted}: put some \
                     into one type with `FromCall`"
                );
                Err(Error::new(last.name.span(), text))
            }
            _ => Ok(()),
        }
    }

    /// Gives arguments the descriptions that the doc comment of the function has for them. A struct that holds all
    /// arguments has its own.
    pub(crate) fn describe(&mut self, all: &[Described]) -> Result<()> {
        if self.takes_struct() {
            return Ok(());
        }
        for by in all {
            let names: Vec<String> = self.arguments().map(|it| it.name.unraw().to_string()).collect();
            let is_named = |it: &&mut Parameter| it.name.unraw() == by.name.as_str() || it.sent == by.name;
            let named = self.parameters.iter_mut().find(is_named);
            match named {
                Some(parameter) if parameter.kind == Kind::Argument => parameter.describe(by)?,
                // For people who read the source.
                Some(_) => {}
                None if by.name == "self" => {}
                None => {
                    let names: Vec<_> = names.iter().map(String::as_str).collect();
                    let text = format!("expected {}, but found `{}`", argument_of(&names), by.name);
                    return Err(Error::new(by.span, text));
                }
            }
        }
        Ok(())
    }

    /// Returns the parameters that are one argument each.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|it| it.kind == Kind::Argument)
    }

    /// Returns whether one parameter is the struct that holds all arguments.
    pub(crate) fn takes_struct(&self) -> bool {
        self.parameters.iter().any(|it| it.kind == Kind::Arguments)
    }

    /// Returns the span of the only parameter type that is perhaps impossible to get from a call. `None` if
    /// there is no such type, or more than one.
    pub(crate) fn doubtful(&self) -> Option<Span> {
        let mut doubtful = self.parameters.iter().filter(|it| match it.kind {
            Kind::Argument | Kind::BorrowedContext => false,
            Kind::Arguments | Kind::Extracted => !it.is_context(),
        });
        let first = doubtful.next()?;
        doubtful.next().is_none().then(|| first.ty.span())
    }

    /// Returns the parameters that are `&Context`.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|it| it.kind == Kind::BorrowedContext)
    }

    /// Returns the struct that the single arguments are read into, with the functions for their defaults;
    /// `None` if there are no single arguments.
    pub(crate) fn arguments_struct(&self) -> Option<TokenStream> {
        let (fields, defaults): (Vec<_>, Vec<_>) = self.arguments().map(Parameter::field).unzip();
        // The derives copy these bounds to their `impl`s and rely on them. So a type that can't be an
        // argument is one error, not one for each use in derived code.
        let asked: Vec<_> = self.arguments().filter_map(Parameter::asked).collect();
        let asked = (!asked.is_empty()).then(|| quote!(where #(#asked),*));
        let name = self.arguments_name();
        self.arguments().next().map(|first| {
            // Errors of the derives about types are shown at the first argument's type.
            let derive = at(
                quote!(#[derive(::plainwire::serde::Deserialize, ::plainwire::schemars::JsonSchema)]),
                first.ty.span(),
            );
            quote! {
                #derive
                #[serde(crate = "::plainwire::serde")]
                #[schemars(crate = "::plainwire::schemars")]
                struct #name #asked { #(#fields),* }
                #(#defaults)*
            }
        })
    }

    /// Returns the name of the struct of [`Self::arguments_struct`]. Its span is that of the only type that
    /// is perhaps no legal argument. With two such types it is unknown which one is wrong, so the span is the
    /// attribute's.
    fn arguments_name(&self) -> Ident {
        let mut asked = self.arguments().filter(|it| it.asked().is_some());
        let only = asked.next().filter(|_| asked.next().is_none());
        Ident::new("__Arguments", only.map_or_else(Span::call_site, |it| shown_at(it.ty.span())))
    }

    /// Returns a tuple with a pair for each parameter of the handler: the type of the parameter, and its
    /// source (`ViaArguments` or `ViaCall`).
    pub(crate) fn takes(&self) -> TokenStream {
        let name = self.arguments_name();
        let spot = name.span();
        let arguments = self
            .arguments()
            .next()
            .map(|_| quote_spanned!(spot=> (#name, ::plainwire::handler::ViaArguments),));
        let others = self.parameters.iter().map(|Parameter { kind, ty, .. }| match kind {
            Kind::Argument => quote!(),
            Kind::Arguments => quote!((#ty, ::plainwire::handler::ViaArguments),),
            Kind::Extracted => quote!((#ty, ::plainwire::handler::ViaCall),),
            Kind::BorrowedContext => quote!((::plainwire::Context, ::plainwire::handler::ViaCall),),
        });
        quote_spanned!(spot=> (#arguments #(#others)*))
    }

    /// Returns the parameters of the handler: first the struct that single arguments are read into, if there
    /// are any, then the other parameters in their order.
    pub(crate) fn handler_parameters(&self) -> Vec<TokenStream> {
        let (mut own, name) = (own("arguments"), self.arguments_name());
        own.set_span(own.span().located_at(name.span()));
        let arguments = self.arguments().next().map(|_| quote_spanned!(name.span()=> #own: #name));
        let others = self.parameters.iter().filter_map(|it| {
            let (name, ty) = (&it.local, &it.ty);
            match it.kind {
                Kind::Argument => None,
                Kind::Arguments | Kind::Extracted => Some(quote!(#name: #ty)),
                Kind::BorrowedContext => Some(quote!(#name: ::plainwire::Context)),
            }
        });
        arguments.into_iter().chain(others).collect()
    }

    /// Returns the values that the handler passes to the function.
    pub(crate) fn values(&self) -> Vec<TokenStream> {
        let arguments = own("arguments");
        let value = |it: &Parameter| {
            let (name, local) = (&it.name, &it.local);
            match it.kind {
                Kind::Argument => quote!(#arguments.#name),
                Kind::Arguments | Kind::Extracted => quote!(#local),
                Kind::BorrowedContext => quote!(&#local),
            }
        };
        self.parameters.iter().map(value).collect()
    }
}

/// Returns whether a function returns a `Result<_, E>` where `E` is not called `ToolError`.
pub(crate) fn fails(signature: &Signature) -> bool {
    let ReturnType::Type(_, ty) = &signature.output else { return false };
    let Type::Path(path) = &**ty else { return false };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Result") else { return false };
    let PathArguments::AngleBracketed(angle) = &last.arguments else { return false };
    match angle.args.iter().nth(1) {
        Some(GenericArgument::Type(Type::Path(error))) => {
            error.path.segments.last().is_none_or(|last| last.ident != "ToolError")
        }
        Some(GenericArgument::Type(_)) => true,
        _ => false,
    }
}

/// Returns the type that a function returns; `()` if it is not written.
pub(crate) fn output(signature: &Signature) -> TokenStream {
    match &signature.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    }
}

/// Checks that a signature can be that of an entry: its type parameters, its return type, and whether it is
/// `async`, `unsafe` or variadic. The types of its parameters are not checked here.
fn check(signature: &Signature, blocking: bool) -> Result<()> {
    let wrong = |at: &dyn ToTokens, text: &str| Err(Error::new_spanned(at, text));
    let is_type = |it: &&GenericParam| !matches!(it, GenericParam::Lifetime(_));
    if let Some(generic) = signature.generics.params.iter().find(is_type) {
        let text = "expected no type parameters: there is one schema for all calls; write the type out";
        return wrong(generic, text);
    }
    if let Safety::Unsafe(token) = &signature.safety {
        return wrong(token, "expected a safe function, since clients call it, but found an unsafe one");
    }
    match (blocking, &signature.asyncness) {
        (false, None) => {
            let text = "expected an `async fn`, but found a plain one: write `async` before it, or, if it blocks its \
                        thread, `blocking` into the attribute";
            return wrong(&signature.fn_token, text);
        }
        (true, Some(asyncness)) => {
            let text = "expected a plain `fn`, since it is `blocking`, but found an async one: remove one of the two";
            return wrong(asyncness, text);
        }
        _ => {}
    }
    if let Some(variadic) = &signature.variadic {
        return wrong(variadic, "expected parameters with a name and a type");
    }
    match &signature.output {
        ReturnType::Type(_, ty) if matches!(**ty, Type::ImplTrait(_)) => {
            wrong(ty, "expected a type with a name, since clients see its schema: write the type out")
        }
        _ => Ok(()),
    }
}

/// Removes all attributes except lints from the parameters, without reading them.
pub(crate) fn strip(signature: &mut Signature) {
    for argument in &mut signature.inputs {
        if let FnArg::Typed(argument) = argument {
            argument.attrs.retain(crate::parameter::is_lint);
        }
    }
}

/// Returns a span that makes errors appear at `at`, but still marks tokens as generated, so that lints do not
/// treat them as the program's own code.
pub(crate) fn shown_at(at: Span) -> Span {
    Span::call_site().located_at(at)
}

/// Returns `tokens`, changed so that errors in them appear at `at`.
pub(crate) fn at(tokens: TokenStream, at: Span) -> TokenStream {
    let spot = shown_at(at);
    let moved = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), self::at(group.stream(), at)).into();
        }
        token.set_span(spot);
        token
    });
    moved.collect()
}

/// Returns the name of a parameter with the macro's hygiene, so that it does not shadow a function of that
/// name in the program. A parameter named like the function itself gets a prefix: the inner function of that
/// name would be nearer in scope.
pub(crate) fn local(name: &Ident, function: &Ident) -> Ident {
    let span = Span::mixed_site().located_at(name.span());
    if name == function {
        return format_ident!("__{}", name.unraw(), span = span);
    }
    let mut local = name.clone();
    local.set_span(span);
    local
}

/// Returns the name of a variable that only generated code can see.
pub(crate) fn own(name: &str) -> Ident {
    format_ident!("__{name}", span = Span::mixed_site())
}

/// Returns the expected names for an error message: "`a` or `b`", or that there is no argument.
pub(crate) fn argument_of(names: &[&str]) -> String {
    if names.is_empty() { "an argument, of which there is none".to_owned() } else { any_of(names) }
}
