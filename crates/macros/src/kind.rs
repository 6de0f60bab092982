//! `#[data(kind = "bookDetails:v1")]` and `#[data(kinds)]`: types whose JSON says what they are.
//!
//! In: the options of `#[data]` and the type. Out: attributes and impls beside those of `#[data]`. A struct gets a member
//! `kind` in its value and its schema. An enum is one of its variants, each of which holds a type with kinds.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Data, DeriveInput, Error, Fields, Ident, LitStr, Result, Token, Type};

/// The options of `#[data]`.
pub(crate) enum Options {
    None,
    /// `kind = "bookDetails:v1"`.
    Kind(LitStr),
    /// `kinds`.
    Kinds,
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.is_empty() {
            return Ok(Self::None);
        }
        let name: Ident = input.parse().map_err(|error| Error::new(error.span(), UNKNOWN))?;
        let options = match name.to_string().as_str() {
            "kind" => {
                input.parse::<Token![=]>().map_err(|error| {
                    Error::new(error.span(), "expected a kind, as in `kind = \"bookDetails:v1\"`")
                })?;
                Self::Kind(kind(input.parse()?)?)
            }
            "kinds" => Self::Kinds,
            _ => return Err(Error::new(name.span(), UNKNOWN)),
        };
        if input.is_empty() { Ok(options) } else { Err(input.error("expected one option, but found more")) }
    }
}

const UNKNOWN: &str = "expected `#[data]` without options, with `kind = \"…\"`, or with `kinds`; `#[serde(…)]` has other options";

/// Checks the text of a kind: a name, `:v`, and the number of the version.
fn kind(text: LitStr) -> Result<LitStr> {
    let value = text.value();
    let is_kind = value.split_once(":v").is_some_and(|(name, version)| {
        name.starts_with(|it: char| it.is_ascii_alphabetic())
            && name.bytes().all(|it| it.is_ascii_alphanumeric())
            && !version.is_empty()
            && version.bytes().all(|it| it.is_ascii_digit())
    });
    match is_kind {
        true => Ok(text),
        false => {
            let message = format!(
                "expected a kind with a name and a version, such as `bookDetails:v1`, but found {value:?}"
            );
            Err(Error::new(text.span(), message))
        }
    }
}

/// Returns the attributes that give a struct its kind, and the impl of `Kinds`.
pub(crate) fn of_struct(kind: &LitStr, ty: &DeriveInput) -> Result<(TokenStream, TokenStream)> {
    match &ty.data {
        Data::Struct(it) if matches!(it.fields, Fields::Named(_)) => {
            let own = |field: &&syn::Field| field.ident.as_ref().is_some_and(|name| name.unraw() == "kind");
            if let Some(field) = it.fields.iter().find(own) {
                let text = "expected no field `kind`, since `#[data(kind = …)]` adds this member";
                return Err(Error::new_spanned(&field.ident, text));
            }
        }
        _ => {
            let text = "expected `kind` on a struct with named fields; an enum takes `#[data(kinds)]`";
            return Err(Error::new(kind.span(), text));
        }
    }
    let (name, (with, of, bounds)) = (&ty.ident, ty.generics.split_for_impl());
    Ok((
        quote! {
            #[serde(tag = "kind", rename = #kind)]
            #[schemars(transform = |schema: &mut ::plainwire::schemars::Schema| ::plainwire::kind::mark(schema, #kind))]
        },
        quote! {
            impl #with ::plainwire::kind::Kinds for #name #of #bounds {
                fn kinds() -> ::std::vec::Vec<&'static str> {
                    ::std::vec![#kind]
                }
            }
        },
    ))
}

/// Expands `#[data(kinds)]` on an enum, which gets its impls here, without derives.
pub(crate) fn of_enum(ty: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(it) = &ty.data else {
        return Err(Error::new_spanned(
            &ty.ident,
            "expected `kinds` on an enum; a struct takes `#[data(kind = \"…\")]`",
        ));
    };
    if let Some(parameter) = ty.generics.params.first() {
        return Err(Error::new_spanned(parameter, "expected `kinds` on an enum without parameters"));
    }
    let held = it.variants.iter().map(|variant| match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Ok((&variant.ident, &fields.unnamed[0].ty)),
        _ => Err(Error::new_spanned(
            variant,
            "expected a variant that holds one type with a kind, as in `Book(Book)`",
        )),
    });
    let held: Vec<(&Ident, &Type)> = held.collect::<Result<_>>()?;
    let (variants, types): (Vec<_>, Vec<_>) = held.into_iter().unzip();
    let (name, shown) = (&ty.ident, ty.ident.to_string());
    Ok(quote! {
        #ty

        impl ::plainwire::kind::Kinds for #name {
            fn kinds() -> ::std::vec::Vec<&'static str> {
                [#(<#types as ::plainwire::kind::Kinds>::kinds()),*].concat()
            }
        }

        impl ::plainwire::serde::Serialize for #name {
            fn serialize<S: ::plainwire::serde::Serializer>(&self, to: S) -> ::std::result::Result<S::Ok, S::Error> {
                match self {
                    #(Self::#variants(it) => ::plainwire::serde::Serialize::serialize(it, to),)*
                }
            }
        }

        impl<'de> ::plainwire::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::plainwire::serde::Deserializer<'de>>(from: D) -> ::std::result::Result<Self, D::Error> {
                use ::plainwire::serde::de::Error as _;
                let value = <::plainwire::serde_json::Value as ::plainwire::serde::Deserialize>::deserialize(from)?;
                #(if ::plainwire::kind::check::<#types>(&value).is_ok() {
                    return ::plainwire::serde_json::from_value(value).map(Self::#variants).map_err(D::Error::custom);
                })*
                Err(D::Error::custom(::plainwire::kind::check::<Self>(&value).err().unwrap_or_default()))
            }
        }

        impl ::plainwire::schemars::JsonSchema for #name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                #shown.into()
            }

            fn schema_id() -> ::std::borrow::Cow<'static, str> {
                ::std::concat!(::std::module_path!(), "::", #shown).into()
            }

            fn json_schema(generator: &mut ::plainwire::schemars::SchemaGenerator) -> ::plainwire::schemars::Schema {
                let each = [#(generator.subschema_for::<#types>()),*];
                ::plainwire::schemars::json_schema!({ "type": "object", "anyOf": each })
            }
        }
    })
}
