//! `#[data]`: makes a struct or an enum of the program usable as an argument, a part of one, or a result.
//!
//! In: the type. Out: the type with three derives, whose generated code reaches `serde` and `schemars`
//! through `plainwire`. `#[default]`, `#[range]` and the like on fields become attributes of these derives. A
//! program needs neither `serde` nor `schemars` in its Cargo.toml.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::Parser;
use syn::{Attribute, Data, DeriveInput, Error, Field, Ident, Result};

use crate::kind::{self, Options};
use crate::table::FIELD;
use crate::{argument, constraint, default};

/// The traits that `#[data]` derives.
const DERIVES: [&str; 3] = ["Deserialize", "JsonSchema", "Serialize"];

/// Expands `#[data]` on a type.
pub(crate) fn expand(options: &TokenStream, item: TokenStream) -> TokenStream {
    let mut ty: DeriveInput = match syn::parse2(item.clone()) {
        Ok(ty) => ty,
        Err(error) => {
            let error =
                Error::new(error.span(), "expected `#[data]` on a struct or an enum").into_compile_error();
            return quote!(#error #item);
        }
    };
    let options = syn::parse2::<Options>(options.clone());
    if let Ok(Options::Kinds) = options {
        return check(&ty).and_then(|()| kind::of_enum(&ty)).unwrap_or_else(|error| {
            let error = error.into_compile_error();
            quote!(#error #ty)
        });
    }
    let of_kind = options.and_then(|options| match options {
        Options::Kind(kind) => kind::of_struct(&kind, &ty),
        Options::Kinds | Options::None => Ok((TokenStream::new(), TokenStream::new())),
    });
    let (mut errors, (tag, kinds)) = match of_kind {
        Ok(of_kind) => (check(&ty).err(), of_kind),
        Err(error) => (Some(error), Default::default()),
    };
    let mut functions = Vec::new();
    let name = ty.ident.clone();
    for (field, function) in fields(&mut ty.data, &name) {
        match translate(field, &function) {
            Ok(function) => functions.extend(function),
            Err(error) => match &mut errors {
                Some(errors) => errors.combine(error),
                none => *none = Some(error),
            },
        }
    }
    let (errors, derives) = (errors.map(Error::into_compile_error), missing(&ty));
    quote! {
        #errors
        #[derive(#(#derives),*)]
        #[serde(crate = "::plainwire::serde")]
        #[schemars(crate = "::plainwire::schemars")]
        #tag
        #ty
        #(#functions)*
        #kinds
    }
}

fn check(ty: &DeriveInput) -> Result<()> {
    if let Data::Union(it) = &ty.data {
        return Err(Error::new(it.union_token.span, "expected `#[data]` on a struct or an enum"));
    }
    match derived(ty).into_iter().find(|it| DERIVES.contains(&it.to_string().as_str())) {
        Some(twice) => {
            let text = format!("expected no `{twice}` here: `#[data]` derives it");
            Err(Error::new(twice.span(), text))
        }
        None => Ok(()),
    }
}

/// Returns the paths of the derives that the type does not have yet.
fn missing(ty: &DeriveInput) -> Vec<TokenStream> {
    let there = derived(ty);
    let paths = [
        quote!(::plainwire::serde::Deserialize),
        quote!(::plainwire::schemars::JsonSchema),
        quote!(::plainwire::serde::Serialize),
    ];
    let all = DERIVES.into_iter().zip(paths);
    all.filter(|(name, _)| !there.iter().any(|it| it == name)).map(|(_, path)| path).collect()
}

/// Returns the names in the `#[derive(…)]` attributes below `#[data]`.
fn derived(ty: &DeriveInput) -> Vec<Ident> {
    let mut found = Vec::new();
    for attribute in ty.attrs.iter().filter(|it| it.path().is_ident("derive")) {
        // The compiler reports a malformed derive.
        let _ = attribute.parse_nested_meta(|it| {
            found.extend(it.path.segments.last().map(|last| last.ident.clone()));
            Ok(())
        });
    }
    found
}

/// Returns all fields, each with a name for the function that returns the field's default, if the field has a
/// default.
fn fields<'d>(data: &'d mut Data, ty: &Ident) -> Vec<(&'d mut Field, Ident)> {
    let named = |place: &str, n: usize, field: &Field| {
        let field = field.ident.as_ref().map_or_else(|| n.to_string(), ToString::to_string);
        format_ident!("default_of_{}_{}", place.to_lowercase(), field.trim_start_matches("r#"))
    };
    let mut found = Vec::new();
    let mut find = |place: &str, fields: &'d mut syn::Fields| {
        found.extend(fields.iter_mut().enumerate().map(|(n, field)| {
            let name = named(place, n, field);
            (field, name)
        }));
    };
    match data {
        Data::Struct(it) => find(&ty.to_string(), &mut it.fields),
        Data::Enum(it) => {
            let variants = it.variants.iter_mut();
            variants.for_each(|variant| find(&format!("{ty}_{}", variant.ident), &mut variant.fields));
        }
        Data::Union(_) => {}
    }
    found
}

/// Replaces the attributes of this crate on `field` by attributes of the derives. If the field has a default,
/// returns the code of a function called `function` that returns the default.
fn translate(field: &mut Field, function: &Ident) -> Result<Option<TokenStream>> {
    let is_ours = |it: &Attribute| FIELD.iter().any(|known| it.path().is_ident(known.name));
    let all = argument::of_field(std::mem::take(&mut field.attrs))?;
    let (ours, theirs) = all.into_iter().partition::<Vec<_>, _>(is_ours);
    field.attrs = theirs;
    let mut default = None;
    for attribute in &ours {
        let tokens = if !attribute.path().is_ident("default") {
            constraint::read(attribute, &field.ty)?
        } else if default.is_some() {
            return Err(Error::new_spanned(attribute, "expected one default, but found a second one"));
        } else {
            default = Some(default::read(attribute, &field.ty)?);
            let path = function.to_string();
            quote!(#[serde(default = #path)])
        };
        field.attrs.extend(Attribute::parse_outer.parse2(tokens)?);
    }
    let Some(default) = default else { return Ok(None) };
    ours.iter().try_for_each(|attribute| constraint::holds(attribute, &default))?;
    Ok(Some(default::function(function, &field.ty, &default)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(options: &TokenStream, item: TokenStream) -> String {
        expand(options, item).to_string()
    }

    #[test]
    fn misuse_is_said_in_a_sentence() {
        let nothing = TokenStream::new();
        for (options, item, expected) in [
            (
                nothing.clone(),
                quote!(
                    fn f() {}
                ),
                "on a struct or an enum",
            ),
            (nothing.clone(), quote!(union U { a: u8 }), "on a struct or an enum"),
            (
                quote!(x),
                quote!(
                    struct S;
                ),
                "without options",
            ),
            (
                quote!(kind = "book"),
                quote!(
                    struct S {}
                ),
                "such as `bookDetails:v1`, but found",
            ),
            (
                quote!(kind = "book:v1"),
                quote!(
                    enum E {}
                ),
                "takes `#[data(kinds)]`",
            ),
            (
                quote!(kinds),
                quote!(
                    enum E {
                        A,
                    }
                ),
                "that holds one type with a kind",
            ),
            (
                quote!(kinds),
                quote!(
                    struct S;
                ),
                "expected `kinds` on an enum",
            ),
            (
                quote!(kinds),
                quote!(
                    enum E<T> {
                        A(T),
                    }
                ),
                "without parameters",
            ),
            (
                quote!(kinds),
                quote!(
                    #[derive(Serialize)]
                    enum E {
                        A(A),
                    }
                ),
                "expected no `Serialize` here",
            ),
            (
                nothing.clone(),
                quote!(
                    #[derive(Clone, Serialize)]
                    struct S;
                ),
                "expected no `Serialize` here",
            ),
            (
                nothing.clone(),
                quote!(
                    struct S {
                        #[default(1)]
                        #[default(2)]
                        a: u8,
                    }
                ),
                "found a second one",
            ),
            (
                nothing.clone(),
                quote!(
                    struct S {
                        #[default(1)]
                        a: Option<u8>,
                    }
                ),
                "expected no default",
            ),
            (
                nothing.clone(),
                quote!(
                    enum E {
                        A {
                            #[length(1)]
                            a: u8,
                        },
                    }
                ),
                "is for texts and lists",
            ),
        ] {
            let text = expanded(&options, item);
            assert!(text.contains("compile_error") && text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn what_is_derived_below_is_not_derived_twice() {
        let text = expanded(
            &TokenStream::new(),
            quote!(
                #[derive(JsonSchema)]
                struct S;
            ),
        );
        assert_eq!(text.matches("JsonSchema").count(), 2, "in the derive below and in the error: {text}");
    }
}
