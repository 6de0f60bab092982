//! One parameter of a function: an argument of the entry, or something that comes from the call.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, FnArg, GenericArgument, Ident, LitStr, Pat, PatType, PathArguments};
use syn::{Result, Type};

use crate::name::{any_of, meant};
use crate::{constraint, default, docs, function, header};

/// A parameter, as the entry sees it.
pub(crate) struct Parameter {
    /// What stands before the field of an argument, or nothing.
    attributes: Vec<TokenStream>,
    default: Option<Expr>,
    has_words_of_derives: bool,
    /// The header that repeats the argument.
    pub(crate) header: Option<LitStr>,
    pub(crate) kind: Kind,
    /// The name where only the macro sees it.
    pub(crate) local: Ident,
    pub(crate) name: Ident,
    /// What the parameter is in the caller's eyes: without `mut`.
    pub(crate) ty: Type,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// One argument.
    Argument,
    /// The struct that has all of them.
    Arguments,
    /// Made from the call.
    Extracted,
    /// `&Context`.
    BorrowedContext,
}

/// Attributes of parameters that mean something here.
const OURS: [&str; 11] = [
    "argument",
    "arguments",
    "default",
    "extract",
    "format",
    "header",
    "length",
    "pattern",
    "range",
    "schemars",
    "serde",
];

impl Parameter {
    /// Reads a parameter, and takes from it what only this crate understands.
    pub(crate) fn take(argument: &mut FnArg, function: &Ident) -> Result<Self> {
        let FnArg::Typed(PatType { attrs, pat, ty, .. }) = argument else {
            return Err(Error::new_spanned(argument, "expected a parameter with a name and a type"));
        };
        let Pat::Ident(name) = &**pat else {
            let text = "expected a parameter with a name: the name is what a client calls the argument";
            return Err(Error::new_spanned(pat, text));
        };
        let name = name.ident.clone();
        let (lints, ours) = std::mem::take(attrs).into_iter().partition::<Vec<_>, _>(is_lint);
        *attrs = lints;
        if let Some(unknown) = ours.iter().find(|it| !is_ours(it)) {
            return Err(Error::new_spanned(unknown, unknown_attribute(unknown)));
        }
        let (kind, local) = (kind(ty)?, function::local(&name, function));
        let mut this = Self {
            attributes: Vec::new(),
            default: None,
            has_words_of_derives: ours.iter().any(|it| is_one_of(it, &["serde", "schemars"])),
            header: None,
            kind,
            local,
            name,
            ty: (**ty).clone(),
        };
        // What kind it is counts for all the others, wherever it stands.
        let (kinds, rest) =
            ours.iter().partition::<Vec<_>, _>(|it| is_one_of(it, &["argument", "arguments", "extract"]));
        for attribute in kinds {
            this.kind = match attribute.path().require_ident()?.to_string().as_str() {
                "argument" => Kind::Argument,
                "arguments" => Kind::Arguments,
                _ => Kind::Extracted,
            };
        }
        if this.kind == Kind::Argument {
            owned(&this.ty)?;
        }
        if this.kind == Kind::Arguments {
            a_struct(&this.ty)?;
        }
        for attribute in &rest {
            this.read(attribute)?;
        }
        if let Some(default) = &this.default {
            rest.iter().try_for_each(|attribute| constraint::holds(attribute, default))?;
        }
        Ok(this)
    }

    fn read(&mut self, attribute: &Attribute) -> Result<()> {
        if docs::is_doc(attribute) && self.kind != Kind::Argument {
            return Ok(());
        }
        if self.kind != Kind::Argument {
            let text = match self.kind {
                Kind::Arguments => {
                    "expected this on one argument, but this parameter is all of them: put it on a field of the struct"
                }
                _ => "expected this on an argument, but this parameter comes from the call: remove it",
            };
            return Err(Error::new_spanned(attribute, text));
        }
        if attribute.path().is_ident("default") {
            if self.default.is_some() {
                return Err(Error::new_spanned(attribute, "expected one default, but found a second one"));
            }
            self.default = Some(default::read(attribute, &self.ty)?);
            return Ok(());
        }
        if attribute.path().is_ident("header") {
            if self.header.is_some() {
                return Err(Error::new_spanned(attribute, "expected one header, but found a second one"));
            }
            self.header = Some(header::read(attribute, &self.ty)?);
        }
        if docs::is_doc(attribute) || is_one_of(attribute, &["serde", "schemars"]) {
            self.attributes.push(quote!(#attribute));
        } else {
            self.attributes.push(constraint::read(attribute, &self.ty)?);
        }
        Ok(())
    }

    pub(crate) fn is_context(&self) -> bool {
        is_named(&self.ty, "Context", 0)
    }

    /// What the compiler is asked about the type: that it can be an argument. What `#[serde]` and `#[schemars]` read it
    /// with, only they know.
    pub(crate) fn asked(&self) -> Option<TokenStream> {
        let ty = constraint::item(&self.ty);
        let asks = !self.has_words_of_derives && constraint::is_unknown(ty);
        let at = function::shown_at(ty.span());
        // With a lifetime in it, what is asked is looked at where the struct is used and not in each derived `impl`.
        asks.then(|| quote_spanned!(at=> for<'__any> #ty: ::plainwire::Argument))
    }

    /// The field of the struct that the arguments are read into, and the function that makes its default.
    pub(crate) fn field(&self) -> (TokenStream, TokenStream) {
        let Self { attributes, default, name, ty, .. } = self;
        let Some(default) = default else { return (quote!(#(#attributes)* #name: #ty), quote!()) };
        let function = format_ident!("__default_of_{name}");
        let path = function.to_string();
        let field = quote!(#(#attributes)* #[serde(default = #path)] #name: #ty);
        (field, default::function(&function, ty, default))
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    docs::is_doc(attribute) || is_one_of(attribute, &OURS)
}

/// Whether an attribute is one of those that the compiler takes on a parameter and that are no business of ours.
pub(crate) fn is_lint(attribute: &Attribute) -> bool {
    is_one_of(attribute, &["allow", "deny", "expect", "forbid", "warn"])
}

fn unknown_attribute(attribute: &Attribute) -> String {
    let path = attribute.path();
    if is_one_of(attribute, &["cfg", "cfg_attr"]) {
        return "expected no `#[cfg]` on a parameter: the schema would not follow it; write two functions"
            .to_owned();
    }
    let found = quote!(#path).to_string().replace(' ', "");
    match meant(&found, &OURS) {
        Some(meant) => {
            format!("expected an attribute of an argument, but found `{found}`; did you mean `{meant}`?")
        }
        None => format!("expected {} or a doc comment, but found `{found}`", any_of(&OURS)),
    }
}

fn is_one_of(attribute: &Attribute, names: &[&str]) -> bool {
    names.iter().any(|name| attribute.path().is_ident(name))
}

/// What a parameter is by its type alone.
fn kind(ty: &Type) -> Result<Kind> {
    match ty {
        Type::Reference(reference) => match &*reference.elem {
            inner if reference.mutability.is_none() && is_named(inner, "Context", 0) => {
                Ok(Kind::BorrowedContext)
            }
            _ => Ok(Kind::Argument),
        },
        Type::ImplTrait(_) => Err(Error::new_spanned(
            ty,
            "expected a type with a name, since there is one schema for all calls: write the type out",
        )),
        _ if is_named(ty, "Context", 0) || is_named(ty, "Principal", 0) || is_named(ty, "State", 1) => {
            Ok(Kind::Extracted)
        }
        _ if constraint::inner_of_option(ty).is_some_and(|inner| is_named(inner, "Principal", 0)) => {
            Ok(Kind::Extracted)
        }
        _ => Ok(Kind::Argument),
    }
}

/// Whether the last word of a path is `name`, with so many generic arguments.
fn is_named(ty: &Type, name: &str, generics: usize) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| {
        let count = match &last.arguments {
            PathArguments::AngleBracketed(angle) => {
                angle.args.iter().filter(|it| matches!(it, GenericArgument::Type(_))).count()
            }
            _ => 0,
        };
        last.ident == name && count == generics
    })
}

fn owned(ty: &Type) -> Result<()> {
    if let Type::Reference(reference) = ty {
        let text = match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => {
                "expected a type of its own such as `String`: an argument is read from the request and borrows nothing"
            }
            inner if is_named(inner, "Context", 0) => {
                "expected `&Context` or `Context`, but found `&mut Context`"
            }
            _ => "expected a type of its own: an argument is read from the request and borrows nothing",
        };
        return Err(Error::new_spanned(ty, text));
    }
    Ok(())
}

/// `#[arguments]` needs something that is an object in JSON.
fn a_struct(ty: &Type) -> Result<()> {
    let is_struct = match ty {
        Type::Path(_) => constraint::inner_of_option(ty).is_none() && constraint::is_unknown(ty),
        _ => false,
    };
    if is_struct {
        return Ok(());
    }
    let text = "expected `#[arguments]` on a struct with named fields: arguments are a JSON object";
    Err(Error::new_spanned(ty, text))
}
