//! One parameter of a function: an argument of the entry, or a value that comes from the call.
//!
//! In: the parameter with its attributes. Out: for an argument, its field of the arguments struct; and the
//! parameter without attributes except lints.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{
    Attribute, Error, Expr, ExprLit, FnArg, GenericArgument, Ident, Lit, LitStr, MetaNameValue, Pat, PatType,
    PathArguments, Result, Token, Type, parenthesized,
};

use crate::name::{any_of, meant};
use crate::table::{self, FIELD, PARAMETER};
use crate::{argument, constraint, default, docs, function, header};

/// A parameter of an entry's function.
pub(crate) struct Parameter {
    /// Attributes of the field that the argument is read into, such as `#[doc]` and `#[schemars]`.
    attributes: Vec<TokenStream>,
    default: Option<Expr>,
    /// Whether the parameter has a doc comment.
    is_described: bool,
    /// Whether the parameter has an attribute `#[serde]` or `#[schemars]`.
    has_words_of_derives: bool,
    /// The name of the header that repeats the argument, without `Mcp-Param-`.
    pub(crate) header: Option<LitStr>,
    pub(crate) kind: Kind,
    /// The parameter's name with the macro's hygiene, for use in generated code.
    pub(crate) local: Ident,
    pub(crate) name: Ident,
    /// The name that clients use: that of the parameter, or the one of `#[serde(rename = "…")]`.
    pub(crate) sent: String,
    /// The type of the parameter, as written.
    pub(crate) ty: Type,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// One argument of the entry.
    Argument,
    /// The struct that holds all arguments.
    Arguments,
    /// A value made from the call, such as `State<T>`.
    Extracted,
    /// A reference, `&Context`, to the context of the call.
    BorrowedContext,
}

impl Parameter {
    /// Reads a parameter and removes its attributes except lints. Fails if an attribute is not known.
    pub(crate) fn take(argument: &mut FnArg, function: &Ident) -> Result<Self> {
        let FnArg::Typed(PatType { attrs, pat, ty, .. }) = argument else {
            return Err(Error::new_spanned(argument, "expected a parameter with a name and a type"));
        };
        let Pat::Ident(name) = &**pat else {
            let text = "expected a parameter with a name: the name is what a client calls the argument";
            return Err(Error::new_spanned(pat, text));
        };
        let name = name.ident.clone();
        let all = argument::of_parameter(std::mem::take(attrs))?;
        let (lints, ours) = all.into_iter().partition::<Vec<_>, _>(is_lint);
        *attrs = lints;
        if let Some(unknown) = ours.iter().find(|it| !is_ours(it)) {
            return Err(Error::new_spanned(unknown, unknown_attribute(unknown)));
        }
        let (kind, local) = (kind(ty)?, function::local(&name, function));
        let mut this = Self {
            attributes: Vec::new(),
            default: None,
            is_described: ours.iter().any(docs::is_doc),
            has_words_of_derives: ours.iter().any(|it| is_one_of(it, &["serde", "schemars"])),
            header: None,
            kind,
            local,
            sent: ours.iter().find_map(renamed).unwrap_or_else(|| name.unraw().to_string()),
            name,
            ty: (**ty).clone(),
        };
        // The kind of the parameter decides what the other attributes mean, so it is read before them.
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
                    "expected this attribute on one argument, but this parameter holds all arguments: put it on a field of the struct"
                }
                _ => "expected this attribute on an argument, but this parameter is not one: remove it",
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

    /// Gives the argument the description that the doc comment of the function has for it.
    pub(crate) fn describe(&mut self, by: &docs::Described) -> Result<()> {
        if std::mem::replace(&mut self.is_described, true) {
            let text = format!("expected one description of `{}`, but found a second one", by.name);
            return Err(Error::new(by.span, text));
        }
        let text = &by.text;
        self.attributes.push(quote!(#[doc = #text]));
        Ok(())
    }

    pub(crate) fn is_context(&self) -> bool {
        is_named(&self.ty, "Context", 0)
    }

    /// Returns the bound that makes the compiler check that the type can be an argument. `None` for types
    /// that this crate knows, and for parameters with `#[serde]` or `#[schemars]`: then only these derives
    /// know how the value is read.
    pub(crate) fn asked(&self) -> Option<TokenStream> {
        let ty = constraint::item(&self.ty);
        let asks = !self.has_words_of_derives && constraint::is_unknown(ty);
        let at = function::shown_at(ty.span());
        // With a lifetime in the bound, the compiler checks it where the struct is used and not in each
        // derived `impl`.
        asks.then(|| quote_spanned!(at=> for<'__any> #ty: ::plainwire::handler::Argument))
    }

    /// Returns the argument's field of the arguments struct, and the function that returns its default; no
    /// code for the function if there is no default.
    pub(crate) fn field(&self) -> (TokenStream, TokenStream) {
        let Self { attributes, default, name, ty, .. } = self;
        let Some(default) = default else { return (quote!(#(#attributes)* #name: #ty), quote!()) };
        let function = format_ident!("__default_of_{name}");
        let path = function.to_string();
        let field = quote!(#(#attributes)* #[serde(default = #path)] #name: #ty);
        (field, default::function(&function, ty, default))
    }
}

/// Returns the name that `#[serde(rename = "…")]` gives for reading. Other options are left to `serde`.
fn renamed(attribute: &Attribute) -> Option<String> {
    let (mut name, mut for_reading) = (None, None);
    let read = attribute.path().is_ident("serde").then(|| {
        attribute.parse_nested_meta(|option| {
            let is_rename = option.path.is_ident("rename");
            if option.input.peek(Token![=]) {
                let value: Expr = option.value()?.parse()?;
                name = name.take().or(literal(&value).filter(|_| is_rename));
            } else if option.input.peek(Paren) {
                let inner;
                parenthesized!(inner in option.input);
                let pairs = Punctuated::<MetaNameValue, Token![,]>::parse_terminated(&inner)?;
                let reading = pairs.iter().find(|pair| is_rename && pair.path.is_ident("deserialize"));
                for_reading = for_reading.take().or(reading.and_then(|pair| literal(&pair.value)));
            }
            Ok(())
        })
    });
    // What can't be read here, `serde` refuses.
    read?.ok()?;
    for_reading.or(name)
}

fn literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn is_ours(attribute: &Attribute) -> bool {
    docs::is_doc(attribute) || is_one_of(attribute, &ours())
}

/// Returns the names of the attributes that a parameter may have besides doc comments and lints.
fn ours() -> Vec<&'static str> {
    let mut names = [table::names(&FIELD), table::names(&PARAMETER)].concat();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns whether an attribute sets the level of a lint, as `allow` does. The compiler accepts such
/// attributes on a parameter, and this crate ignores them.
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
    let ours = ours();
    match meant(&found, &ours) {
        Some(meant) => {
            format!("expected an attribute of an argument, but found `{found}`; did you mean `{meant}`?")
        }
        None => format!("expected {} or a doc comment, but found `{found}`", any_of(&ours)),
    }
}

fn is_one_of(attribute: &Attribute, names: &[&str]) -> bool {
    names.iter().any(|name| attribute.path().is_ident(name))
}

/// Returns the kind of a parameter as its type alone tells; an attribute can change it.
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

/// Returns whether `ty` is a path whose last segment is `name` with `generics` type arguments.
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
    if let Type::Reference(reference) = constraint::inner_of_option(ty).unwrap_or(ty) {
        let text = match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => {
                "expected an owned type such as `String`: an argument is read from the request and can't borrow"
            }
            inner if is_named(inner, "State", 1) => {
                "expected `State<T>` itself, but found a reference to it: it is cheap to clone"
            }
            inner if is_named(inner, "Context", 0) => {
                "expected `&Context` or `Context`, but found `&mut Context`"
            }
            _ => "expected an owned type: an argument is read from the request and can't borrow",
        };
        return Err(Error::new_spanned(reference, text));
    }
    Ok(())
}

/// Checks that `#[arguments]` is on a type that can be a JSON object.
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
