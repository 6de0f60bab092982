//! `#[header("Region")]`: an argument that clients on HTTP repeat in the header `Mcp-Param-Region`.
//!
//! In: the attribute and the type of the argument. Out: the name in the attribute, or an error if clients
//! would refuse it, since a client ignores a tool whose header it refuses. Types whose kind only their schema
//! tells are checked when the server starts.

use quote::quote;
use syn::{Attribute, Error, LitStr, Result, Type};

use crate::constraint;

/// Returns the part of the header's name after `Mcp-Param-`.
///
/// # Errors
/// If the attribute has no name, if the name is not legal for a header, or if a header can never hold a value
/// of the type.
pub(crate) fn read(attribute: &Attribute, ty: &Type) -> Result<LitStr> {
    let text = "expected the name of a header in quotes, as in `#[header(\"Region\")]`";
    let name: LitStr = attribute.parse_args().map_err(|_| Error::new_spanned(attribute, text))?;
    if !is_token(&name.value()) {
        let text = format!("expected a name of letters, digits and `{MARKS}`, but found {:?}", name.value());
        return Err(Error::new(name.span(), text));
    }
    let inner = constraint::inner_of_option(ty).unwrap_or(ty);
    if !constraint::fits_header(inner) {
        let ty = quote!(#inner).to_string().replace(' ', "");
        let text =
            format!("`#[header]` is for texts, whole numbers and booleans, but the argument is a `{ty}`");
        return Err(Error::new_spanned(attribute, text));
    }
    Ok(name)
}

/// Checks that each name of a header occurs once, ignoring case.
///
/// # Errors
/// At the first repeated name.
pub(crate) fn are_unique<'n>(names: impl Iterator<Item = &'n LitStr>) -> Result<()> {
    let mut seen = Vec::new();
    for name in names {
        let lower = name.value().to_ascii_lowercase();
        if seen.contains(&lower) {
            let text = format!("expected each header once, but found `{}` again", name.value());
            return Err(Error::new(name.span(), text));
        }
        seen.push(lower);
    }
    Ok(())
}

/// Characters that a header name can have besides letters and digits. Spec: RFC 9110 §5.6.2.
const MARKS: &str = "!#$%&'*+-.^_`|~";

fn is_token(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || MARKS.contains(c))
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[track_caller]
    fn refuses(attribute: &Attribute, ty: &Type, expected: &str) {
        // `expect_err` needs `Debug` of the value, which the types of `syn` have only with a feature.
        let Err(error) = read(attribute, ty) else { panic!("{expected}") };
        let error = error.to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_name_that_no_header_can_have_is_refused() {
        let text: Type = parse_quote!(String);
        for name in ["", "a b", "a:b", "Región", "a\r\nb", "(a)"] {
            refuses(&parse_quote!(#[header(#name)]), &text, "expected a name of letters, digits");
        }
        refuses(&parse_quote!(#[header]), &text, "in quotes");
        refuses(&parse_quote!(#[header(1)]), &text, "in quotes");
        let every_mark: Attribute = parse_quote!(#[header("aZ09!#$%&'*+-.^_`|~")]);
        assert!(read(&every_mark, &text).is_ok());
    }

    #[test]
    fn a_type_that_visibly_is_no_text_integer_or_boolean_is_refused() {
        let header: Attribute = parse_quote!(#[header("Region")]);
        let no: [Type; 6] = [
            parse_quote!(f64),
            parse_quote!(Option<f32>),
            parse_quote!(Vec<String>),
            parse_quote!(std::collections::BTreeSet<u8>),
            parse_quote!((u8, u8)),
            parse_quote!([u8; 4]),
        ];
        no.iter().for_each(|ty| refuses(&header, ty, "is for texts, whole numbers and booleans"));
        let yes: [Type; 5] = [
            parse_quote!(String),
            parse_quote!(Option<bool>),
            parse_quote!(i64),
            parse_quote!(char),
            parse_quote!(crate::Region),
        ];
        assert!(yes.iter().all(|ty| read(&header, ty).is_ok()));
    }

    #[test]
    fn a_name_that_differs_in_case_only_is_the_same_one() {
        let names: [LitStr; 3] = [parse_quote!("Region"), parse_quote!("Zone"), parse_quote!("REGION")];
        assert!(are_unique(names[..2].iter()).is_ok());
        let error = are_unique(names.iter()).expect_err("a second one").to_string();
        assert_eq!(error, "expected each header once, but found `REGION` again");
    }
}
