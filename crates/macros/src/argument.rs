//! `#[argument("How many at most.", default = 10, range = 1..=100)]`: the description and other attributes of an
//! argument on one line.
//!
//! In: the attributes of a parameter or a field. Out: the same attributes, with those that `#[argument(…)]` stands for
//! in its place.

use proc_macro2::Span;
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Error, Expr, Ident, LitStr, Meta, Result, Token, parse_quote};

use crate::name::{any_of, meant};
use crate::table::{self, FIELD};

const NAME: &str = "argument";

/// A part of `#[argument(…)]`.
enum Part {
    Description(LitStr),
    Option(Ident, Box<Expr>),
}

impl Parse for Part {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(LitStr) {
            return Ok(Self::Description(input.parse()?));
        }
        let name: Ident = input.parse().map_err(|error| {
            Error::new(error.span(), "expected a description in quotes, or an option such as `default = 10`")
        })?;
        let known: Vec<_> = table::names(&FIELD).into_iter().filter(|it| *it != NAME).collect();
        let found = name.to_string();
        if !known.contains(&found.as_str()) {
            let meant = meant(&found, &known).map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
            let text = format!("expected {}, but found `{found}`{meant}", any_of(&known));
            return Err(Error::new(name.span(), text));
        }
        input
            .parse::<Token![=]>()
            .map_err(|error| Error::new(error.span(), format!("expected a value, as in `{found} = …`")))?;
        Ok(Self::Option(name, input.parse()?))
    }
}

/// Replaces each `#[argument(…)]` of a parameter; `#[argument]` without parentheses, which says that the parameter is an
/// argument, is there then too.
///
/// # Errors
/// If there is an option that is not known, or a second description.
pub(crate) fn of_parameter(attributes: Vec<Attribute>) -> Result<Vec<Attribute>> {
    expand(attributes, Some(&parse_quote!(#[argument])))
}

/// Replaces each `#[argument(…)]` of a field.
///
/// # Errors
/// As [`of_parameter`]; also for `#[argument]` without parentheses, which means nothing on a field.
pub(crate) fn of_field(attributes: Vec<Attribute>) -> Result<Vec<Attribute>> {
    let all = expand(attributes, None)?;
    match all.iter().find(|it| it.path().is_ident(NAME)) {
        Some(bare) => Err(Error::new_spanned(bare, NOTHING)),
        None => Ok(all),
    }
}

const NOTHING: &str =
    "expected a description in quotes, or an option such as `default = 10`, but found nothing";

/// Replaces each `#[argument(…)]`; `flag` is put in front of what it stands for.
fn expand(attributes: Vec<Attribute>, flag: Option<&Attribute>) -> Result<Vec<Attribute>> {
    let mut all = Vec::new();
    let mut described: Option<Span> = None;
    for attribute in attributes {
        match &attribute.meta {
            Meta::List(list) if attribute.path().is_ident(NAME) => {
                all.extend(flag.cloned());
                let parts = attribute.parse_args_with(Punctuated::<Part, Token![,]>::parse_terminated)?;
                if parts.is_empty() {
                    return Err(Error::new_spanned(list, NOTHING));
                }
                for part in parts {
                    all.push(match part {
                        Part::Description(text) if described.replace(text.span()).is_some() => {
                            return Err(Error::new(
                                text.span(),
                                "expected one description, but found a second one",
                            ));
                        }
                        Part::Description(text) => parse(&quote_spanned!(text.span()=> #[doc = #text]))?,
                        Part::Option(name, value) => parse(&quote_spanned!(name.span()=> #[#name(#value)]))?,
                    });
                }
            }
            _ => all.push(attribute),
        }
    }
    Ok(all)
}

fn parse(tokens: &proc_macro2::TokenStream) -> Result<Attribute> {
    use syn::parse::Parser as _;
    let mut all = Attribute::parse_outer.parse2(tokens.clone())?;
    all.pop().ok_or_else(|| Error::new(tokens.span(), "expected an attribute"))
}

#[cfg(test)]
mod tests {
    use quote::{ToTokens as _, quote};

    use super::*;

    fn expanded(attribute: Attribute) -> String {
        match of_parameter(vec![attribute]) {
            Ok(all) => all.iter().map(|it| it.to_token_stream().to_string().replace(' ', "")).collect(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_line_stands_for_the_attributes_that_it_names() {
        let all = expanded(parse_quote!(#[argument("How many.", default = 10, range = 1..=100)]));
        let quoted = quote!(#[doc = "How many."]).to_string().replace(' ', "");
        assert_eq!(all, format!("#[argument]{quoted}#[default(10)]#[range(1..=100)]"));
        assert_eq!(expanded(parse_quote!(#[argument])), "#[argument]");
        assert_eq!(expanded(parse_quote!(#[serde(default)])), "#[serde(default)]");
    }

    #[test]
    fn misuse_is_said_in_a_sentence() {
        for (attribute, expected) in [
            (parse_quote!(#[argument()]), "but found nothing"),
            (
                parse_quote!(#[argument(1)]),
                "expected a description in quotes, or an option such as `default = 10`",
            ),
            (parse_quote!(#[argument("a", "b")]), "expected one description, but found a second one"),
            (parse_quote!(#[argument(defualt = 1)]), "but found `defualt`; did you mean `default`?"),
            (parse_quote!(#[argument(argument = 1)]), "but found `argument`"),
            (parse_quote!(#[argument(range(1..))]), "expected a value, as in `range = …`"),
        ] {
            let found = expanded(attribute);
            assert!(found.contains(expected), "{found}");
        }
        let twice = of_parameter(vec![parse_quote!(#[argument("a")]), parse_quote!(#[argument("b")])]);
        assert!(twice.is_err_and(|it| it.to_string().contains("but found a second one")));
    }
}
