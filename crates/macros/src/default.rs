//! `#[default(50)]`: the value of a missing argument or field, as a function that serde calls.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Expr, ExprLit, Ident, Lit, Result, Type};

use crate::constraint;

/// Parses the value in the parentheses of `#[default(…)]`.
///
/// # Errors
/// If the attribute has no value, if the type is an `Option` and so has a default already, or if the value is
/// a text and the type a number or a boolean.
pub(crate) fn read(attribute: &Attribute, ty: &Type) -> Result<Expr> {
    let default: Expr = attribute
        .parse_args()
        .map_err(|error| Error::new(error.span(), "expected a value, as in `#[default(50)]`"))?;
    if constraint::inner_of_option(ty).is_some() {
        let text = "expected no default: an argument with `Option` that is missing is `None`; \
                    remove the `Option` or the default";
        return Err(Error::new_spanned(attribute, text));
    }
    match constraint::instead_of_text(ty) {
        Some(expected) if is_text(&default) => {
            let ty = quote!(#ty);
            let text = format!("expected {expected}, since the argument is a `{ty}`, but found a text");
            Err(Error::new_spanned(default, text))
        }
        _ => Ok(default),
    }
}

fn is_text(default: &Expr) -> bool {
    matches!(default, Expr::Lit(ExprLit { lit: Lit::Str(_), .. }))
}

/// Returns the code of a function called `name` that returns the default. A text is converted into `ty` by
/// `Into`.
pub(crate) fn function(name: &Ident, ty: &Type, default: &Expr) -> TokenStream {
    let value = match is_text(default) {
        true => quote!(::std::convert::Into::into(#default)),
        false => quote!(#default),
    };
    quote!(fn #name() -> #ty { #value })
}
