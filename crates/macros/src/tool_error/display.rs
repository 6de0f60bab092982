//! `Display`, `std::error::Error` and `From` of a type whose texts stand in `#[tool_error("…")]`.
//!
//! In: the type. Out: the implementations, if any variant has a text: of `From` for each `#[from]`. Without a text,
//! another derive, such as thiserror's, implements them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, DeriveInput, Error, Fields, Ident, Index, Result, Type};

use super::{Named, Variant, Worded, formatted};

/// Returns the implementations for a type; nothing for a type without texts.
pub(super) fn of(ty: &DeriveInput, variants: &[Variant<'_>]) -> Result<Option<TokenStream>> {
    let words: Vec<_> = variants.iter().map(|it| Worded::take(it.attributes)).collect::<Result<_>>()?;
    if words.iter().all(|it| it.text.is_none()) {
        return Ok(None);
    }
    let (mut shown, mut caused, mut converted) = (Vec::new(), Vec::new(), Vec::new());
    let (name, (generics, arguments, bounds)) = (&ty.ident, ty.generics.split_for_impl());
    // A type parameter in a text has `Display` by a bound of the type; `Debug` may be derived.
    let mut of_error = ty.generics.clone();
    if of_error.type_params().next().is_some() {
        let debug = syn::parse_quote!(Self: ::std::fmt::Debug);
        of_error.make_where_clause().predicates.push(debug);
    }
    let error_bounds = of_error.split_for_impl().2;
    for (Variant { attributes, fields, name: variant, path }, words) in variants.iter().zip(&words) {
        if let Some(other) = attributes.iter().find(|it| it.path().is_ident("error")) {
            let text = "expected one text, in `#[tool_error(\"…\")]` or in `#[error(\"…\")]` for thiserror, but found both";
            return Err(Error::new_spanned(other, text));
        }
        let named = Named::all(fields);
        shown.push(arm(path, variant, &named, words)?);
        if let Some((member, held)) = converts(fields)? {
            converted.push(quote! {
                #[automatically_derived]
                impl #generics ::std::convert::From<#held> for #name #arguments #bounds {
                    fn from(error: #held) -> Self {
                        #path { #member: error }
                    }
                }
            });
        }
        caused.extend(named.iter().find(|it| it.is_source).map(|it| {
            let (member, local) = (&it.member, it.local());
            quote!(#path { #member: #local, .. } => ::std::option::Option::Some(#local.as_source()),)
        }));
    }
    Ok(Some(quote! {
        #(#converted)*

        #[automatically_derived]
        impl #generics ::std::fmt::Display for #name #arguments #bounds {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let text: ::std::string::String = match self { #(#shown)* };
                f.write_str(&text)
            }
        }

        #[automatically_derived]
        impl #generics ::std::error::Error for #name #arguments #error_bounds {
            fn source(&self) -> ::std::option::Option<&(dyn ::std::error::Error + 'static)> {
                #[allow(dead_code)]
                trait AsSource {
                    fn as_source(&self) -> &(dyn ::std::error::Error + 'static);
                }
                impl<E: ::std::error::Error + 'static> AsSource for E {
                    fn as_source(&self) -> &(dyn ::std::error::Error + 'static) {
                        self
                    }
                }
                // What a `Box` holds.
                impl AsSource for dyn ::std::error::Error {
                    fn as_source(&self) -> &(dyn ::std::error::Error + 'static) {
                        self
                    }
                }
                impl AsSource for dyn ::std::error::Error + ::std::marker::Send + ::std::marker::Sync {
                    fn as_source(&self) -> &(dyn ::std::error::Error + 'static) {
                        self
                    }
                }
                #[allow(unreachable_patterns)]
                match self {
                    #(#caused)*
                    _ => ::std::option::Option::None,
                }
            }
        }
    }))
}

/// Returns the field with `#[from]`, which has to be the only one, and its type.
fn converts(fields: &Fields) -> Result<Option<(TokenStream, &Type)>> {
    let is_from = |it: &Attribute| it.path().is_ident("from");
    let Some((n, field)) = fields.iter().enumerate().find(|(_, it)| it.attrs.iter().any(is_from)) else {
        return Ok(None);
    };
    if fields.len() > 1 {
        let text = "expected `#[from]` on the only field: the variant is made of it alone";
        return Err(Error::new_spanned(field, text));
    }
    let member =
        field.ident.as_ref().map_or_else(|| Index::from(n).to_token_stream(), ToTokens::to_token_stream);
    Ok(Some((member, &field.ty)))
}

/// Returns the arm that makes the text of a variant.
fn arm(path: &TokenStream, name: &Ident, fields: &[Named], words: &Worded) -> Result<TokenStream> {
    if words.transparent {
        return Ok(quote!(#path(error) => error.message().to_owned(),));
    }
    let Some(text) = &words.text else {
        let text =
            "expected a text, as in `#[tool_error(\"there is no {0}\")]`, since another variant has one";
        return Err(Error::new(name.span(), text));
    };
    let mut used = Vec::new();
    let text = formatted(text, name, fields, &mut used)?;
    let bindings = used.iter().map(|it| {
        let (member, local) = (&it.member, it.local());
        quote!(#member: #local,)
    });
    Ok(quote!(#path { #(#bindings)* .. } => #text,))
}
