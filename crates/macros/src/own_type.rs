//! `Self` and type parameters in the arguments of methods. The struct that arguments are read into is outside
//! of the `impl`, and neither has a meaning outside of it.
//!
//! In: the signature of a method, and its `impl`. Out: the signature with the name of the type in place of
//! `Self`, or an error.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Error, FnArg, ItemImpl, Meta, Result, Signature};

use crate::function::Function;

/// Returns the signature of a method with `Self` replaced by the type of `block` in all parameters. If the
/// `impl` has type parameters, the signature stays unchanged.
///
/// # Errors
/// If a type can't be parsed after the replacement. An `impl` that compiles never causes this error.
pub(crate) fn spelt_out(signature: &Signature, block: &ItemImpl) -> Result<Signature> {
    let mut signature = signature.clone();
    if block.generics.type_params().next().is_some() {
        return Ok(signature);
    }
    let ty = block.self_ty.to_token_stream();
    for input in &mut signature.inputs {
        if let FnArg::Typed(parameter) = input {
            parameter.ty = syn::parse2(replaced(parameter.ty.to_token_stream(), &ty))?;
            parameter.attrs.iter_mut().for_each(|it| replace_in(it, &ty));
        }
    }
    Ok(signature)
}

/// Refuses arguments whose type names a type parameter of the `impl`, or `Self` if the `impl` has type
/// parameters: there is one schema for all calls.
pub(crate) fn independent(function: &Function, block: &ItemImpl) -> Result<()> {
    let mut names: Vec<String> = block.generics.type_params().map(|it| it.ident.to_string()).collect();
    if names.is_empty() {
        return Ok(());
    }
    names.push("Self".to_owned());
    for argument in function.arguments() {
        if let Some(name) = names.iter().find(|name| mentions(argument.ty.to_token_stream(), name)) {
            let text = format!(
                "expected an argument whose type does not depend on `{name}`: there is one schema for all calls; write the \
                 type out"
            );
            return Err(Error::new(argument.ty.span(), text));
        }
    }
    Ok(())
}

fn replace_in(attribute: &mut Attribute, ty: &TokenStream) {
    if let Meta::List(list) = &mut attribute.meta {
        list.tokens = replaced(std::mem::take(&mut list.tokens), ty);
    }
}

fn replaced(tokens: TokenStream, ty: &TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
                out.extend(if is_path { quote!(<#ty>) } else { ty.clone() });
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replaced(group.stream(), ty));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}
