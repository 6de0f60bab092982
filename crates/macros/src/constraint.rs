//! The attributes `#[range]`, `#[length]`, `#[pattern]`, `#[format]` and `#[header]` of an argument or a
//! field.
//!
//! In: the attribute, and the type of its argument or field. Out: the `#[schemars(…)]` attribute that means
//! the same. This module checks the attribute itself. Arguments are checked at run time, by the schema that
//! schemars generates.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Error, Expr, ExprLit, ExprRange, GenericArgument, Lit, LitInt, LitStr, PathArguments,
    RangeLimits, Result, Type, UnOp,
};

use crate::header;
use crate::literal::{Bounds, Number};
use crate::name::any_of;

/// The formats that `#[format]` accepts: those that arguments are checked for at run time.
pub(crate) const FORMATS: [&str; 8] =
    ["date", "date-time", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"];

/// Returns the `#[schemars(…)]` attribute that means the same as `attribute` on a value of type `ty`.
///
/// # Errors
/// If the attribute has no usable value, or does not fit the type.
pub(crate) fn read(attribute: &Attribute, ty: &Type) -> Result<TokenStream> {
    let ty = inner_of_option(ty).unwrap_or(ty);
    let name = attribute.path().require_ident()?.to_string();
    match name.as_str() {
        "range" => range(attribute, ty),
        "header" => header::read(attribute, ty).map(|it| quote!(#[schemars(extend("x-mcp-header" = #it))])),
        "length" => length(attribute, ty),
        "pattern" => pattern(attribute, ty),
        _ => format(attribute, ty),
    }
}

fn range(attribute: &Attribute, ty: &Type) -> Result<TokenStream> {
    fits(attribute, ty, &[Kind::Number], "numbers")?;
    let text = "expected a range such as `1..=100`, `0.0..` or `..10`, as in `#[range(1..=100)]`";
    let range = bounds(attribute, text)?;
    let written = Bounds::of(&range);
    written.hold_something().and_then(|()| written.fit(ty))?;
    let ExprRange { start, limits, end, .. } = range;
    let (start, end) = (start.map(typed), end.map(typed));
    let least = start.map(|least| quote!(min = #least));
    Ok(match (end, limits) {
        (Some(most), RangeLimits::Closed(_)) => {
            let both = least.into_iter().chain([quote!(max = #most)]);
            quote!(#[schemars(range(#(#both),*))])
        }
        (Some(most), RangeLimits::HalfOpen(_)) => {
            let least = least.map(|least| quote!(#[schemars(range(#least))]));
            quote!(#least #[schemars(extend("exclusiveMaximum" = #most))])
        }
        (None, _) => quote!(#[schemars(range(#least))]),
    })
}

/// Gives a literal that is too large for `i32`, the type of a number without one, a type.
fn typed(bound: Box<Expr>) -> TokenStream {
    let (sign, literal) = match &*bound {
        Expr::Unary(it) if matches!(it.op, UnOp::Neg(_)) => (Some(&it.op), &*it.expr),
        other => (None, other),
    };
    let Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) = literal else { return quote!(#bound) };
    match number.base10_parse::<u64>() {
        Ok(value) if number.suffix().is_empty() && i32::try_from(value).is_err() => {
            let ty = if i64::try_from(value).is_ok() { "i64" } else { "u64" };
            let number = LitInt::new(&format!("{value}{ty}"), number.span());
            quote!(#sign #number)
        }
        _ => quote!(#bound),
    }
}

fn length(attribute: &Attribute, ty: &Type) -> Result<TokenStream> {
    fits(attribute, ty, &[Kind::Text, Kind::List], "texts and lists")?;
    let text = "expected a length such as `1..=50`, `1..` or `5`, as in `#[length(1..=50)]`";
    if let Ok(Expr::Lit(exact)) = attribute.parse_args::<Expr>() {
        return Ok(quote!(#[schemars(length(equal = #exact))]));
    }
    let range = bounds(attribute, text)?;
    let written = Bounds::of(&range);
    written.hold_something().and_then(|()| written.fit_within((0, i128::MAX), ","))?;
    let ExprRange { start, limits, end, .. } = range;
    let least = start.map(|least| quote!(min = #least));
    let most = end.map(|most| match limits {
        RangeLimits::Closed(_) => quote!(max = #most),
        RangeLimits::HalfOpen(_) => quote!(max = #most - 1),
    });
    let both = least.into_iter().chain(most);
    Ok(quote!(#[schemars(length(#(#both),*))]))
}

/// Checks that `default` is within the range, if `attribute` is `#[range]`. Only number literals are
/// compared; every other default and bound passes.
///
/// # Errors
/// If the default is outside of the range.
pub(crate) fn holds(attribute: &Attribute, default: &Expr) -> Result<()> {
    match (attribute.parse_args::<Expr>(), Number::read(default)) {
        (Ok(Expr::Range(range)), Some(number)) if attribute.path().is_ident("range") => {
            Bounds::of(&range).hold(number, default)
        }
        _ => Ok(()),
    }
}

fn bounds(attribute: &Attribute, text: &str) -> Result<ExprRange> {
    match attribute.parse_args::<Expr>() {
        Ok(Expr::Range(range)) if range.start.is_some() || range.end.is_some() => Ok(range),
        _ => Err(Error::new_spanned(attribute, text)),
    }
}

fn pattern(attribute: &Attribute, ty: &Type) -> Result<TokenStream> {
    fits(attribute, ty, &[Kind::Text], "texts")?;
    let text = "expected a regular expression in quotes, as in `#[pattern(\"^[A-Z]+-[0-9]+$\")]`";
    let pattern: LitStr = attribute.parse_args().map_err(|_| Error::new_spanned(attribute, text))?;
    // `pattern!` exists in every build. Without the feature `pattern` it is a compile error that names the
    // feature.
    let checked = quote_spanned!(pattern.span()=> ::plainwire::pattern!(#pattern));
    Ok(quote!(#[schemars(regex(pattern = #checked))]))
}

fn format(attribute: &Attribute, ty: &Type) -> Result<TokenStream> {
    fits(attribute, ty, &[Kind::Text], "texts")?;
    let expected = format!("expected the format {} in quotes", any_of(&FORMATS.map(|it| it)));
    let format: LitStr = attribute.parse_args().map_err(|_| Error::new_spanned(attribute, &expected))?;
    if !FORMATS.contains(&format.value().as_str()) {
        return Err(Error::new(format.span(), format!("{expected}, but found `{}`", format.value())));
    }
    Ok(quote!(#[schemars(extend("format" = #format))]))
}

/// The kind of JSON value that a type is read from, as far as the name of the type tells.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Boolean,
    List,
    Number,
    Text,
    /// Any other type: only its own schema says which values it takes.
    Unknown,
}

fn kind(ty: &Type) -> Kind {
    let Type::Path(path) = ty else { return Kind::Unknown };
    let Some(last) = path.path.segments.last() else { return Kind::Unknown };
    match last.ident.to_string().as_str() {
        "bool" => Kind::Boolean,
        "BTreeSet" | "HashSet" | "Vec" | "VecDeque" => Kind::List,
        "char" | "String" => Kind::Text,
        "f32" | "f64" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64"
        | "u128" | "usize" => Kind::Number,
        _ => Kind::Unknown,
    }
}

/// Returns the kind of default that a boolean or a number needs, for an error message; `None` for all other
/// types, which may have a text as default.
pub(crate) fn instead_of_text(ty: &Type) -> Option<&'static str> {
    match kind(ty) {
        Kind::Boolean => Some("`true` or `false`"),
        Kind::Number => Some("a number"),
        _ => None,
    }
}

/// Returns whether a header may hold a value of the type: `false` for a list, a float, or a type that has no
/// name, such as a tuple. For a type of the program the result is `true`, since only its schema can tell.
pub(crate) fn fits_header(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let is_fraction = path.path.segments.last().is_some_and(|it| it.ident == "f32" || it.ident == "f64");
    kind(ty) != Kind::List && !is_fraction
}

pub(crate) fn is_unknown(ty: &Type) -> bool {
    kind(ty) == Kind::Unknown
}

fn fits(attribute: &Attribute, ty: &Type, kinds: &[Kind], what: &str) -> Result<()> {
    if is_unknown(ty) || kinds.contains(&kind(ty)) {
        return Ok(());
    }
    let ty = quote!(#ty).to_string().replace(' ', "");
    let name = attribute.path().require_ident()?;
    Err(Error::new_spanned(attribute, format!("`#[{name}]` is for {what}, but the argument is a `{ty}`")))
}

/// Returns the `T` of an `Option<T>`.
pub(crate) fn inner_of_option(ty: &Type) -> Option<&Type> {
    inner(ty, &["Option"])
}

/// Returns the innermost `T` of nested `Option<T>`s and lists of `T`, such as that of `Option<Vec<T>>`. Any
/// other type is returned as it is.
pub(crate) fn item(ty: &Type) -> &Type {
    inner(ty, &["BTreeSet", "HashSet", "Option", "Vec", "VecDeque"]).map_or(ty, item)
}

fn inner<'t>(ty: &'t Type, of: &[&str]) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| of.iter().any(|name| last.ident == name))?;
    let PathArguments::AngleBracketed(angle) = &last.arguments else { return None };
    match angle.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}
