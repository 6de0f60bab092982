//! Headers that repeat arguments of a call: checks them on the server, and produces them on the client.
//!
//! In: the output of [`super::param_headers`], the arguments of a call and, on the server, its headers. Out:
//! on the server, nothing or an error; on the client, pairs of header name and value.
//!
//! Source: 2026-07-28 `streamable-http` "Server Behavior for Custom Headers" and "Client Behavior".

use std::borrow::Cow;

use super::{Headers, ParamHeader, Primitive, decode_value, encode_value, mismatch, text};
use crate::error::Error;
use crate::json::scan::{Scanner, Syntax};
use crate::json::{shorten, unquote};

/// Largest absolute value of an integer in a header: 2^53 − 1. JavaScript represents all integers up to this
/// one exactly.
const MOST: i64 = (1 << 53) - 1;

/// Checks that the headers of a call match its `arguments`. `Mcp-Param-…` headers that are not in `params`
/// are ignored.
///
/// # Errors
/// `HeaderMismatch` for an argument without its header, a header without its argument, two values that
/// differ, and values that a header cannot hold. Numbers are compared by value: `42.0` equals `42`.
pub fn check_params(
    params: &[ParamHeader],
    arguments: Option<&str>,
    headers: &(impl Headers + ?Sized),
) -> Result<(), Error> {
    for param in params {
        let header = text(headers, &param.header)?;
        let body = find(arguments, param)?;
        match (header, body) {
            (None, None) => {}
            (Some(header), Some(body)) => compare(param, header, &body)?,
            (None, Some(_)) => {
                let path = param.path.join(".");
                let text =
                    format!("expected `{}` beside `arguments.{path}`, but found nothing", param.header);
                return Err(mismatch(text));
            }
            (Some(header), None) => {
                let (path, found) = (param.path.join("."), shorten(header));
                let text =
                    format!("expected no `{}` without `arguments.{path}`, but found {found:?}", param.header);
                return Err(mismatch(text));
            }
        }
    }
    Ok(())
}

/// Returns the headers that a client sends with `arguments`, as pairs of name and value.
///
/// # Errors
/// `HeaderMismatch` for arguments that a header cannot hold.
pub fn param_values(params: &[ParamHeader], arguments: Option<&str>) -> Result<Vec<(String, String)>, Error> {
    let mut values = Vec::new();
    for param in params {
        if let Some(body) = find(arguments, param)? {
            let value = match &body {
                Body::Integer(number) => number.to_string(),
                Body::Text(text) => encode_value(text).into_owned(),
            };
            values.push((param.header.clone(), value));
        }
    }
    Ok(values)
}

/// An argument in a form that a header can hold.
enum Body<'a> {
    /// A whole number within ±(2^53 − 1).
    Integer(i64),
    /// A string, `true` or `false`.
    Text(Cow<'a, str>),
}

fn compare(param: &ParamHeader, header: &str, body: &Body<'_>) -> Result<(), Error> {
    let decoded = decode_value(header).map_err(|it| it.about(&param.header))?;
    let (same, body) = match body {
        Body::Integer(number) => (integer(&decoded) == Some(*number), number.to_string()),
        Body::Text(text) => (decoded == *text, format!("{:?}", shorten(text))),
    };
    if same {
        return Ok(());
    }
    let (name, found) = (&param.header, shorten(&decoded));
    Err(mismatch(format!("expected `{name}` to be {body} as in the body, but found {found:?}")))
}

/// Returns the argument that the header of `param` repeats; `None` if it is absent or `null`.
fn find<'a>(arguments: Option<&'a str>, param: &ParamHeader) -> Result<Option<Body<'a>>, Error> {
    let Some(mut json) = arguments else { return Ok(None) };
    for name in &param.path {
        match member(json, name) {
            Ok(Some(value)) => json = value,
            Ok(None) => return Ok(None),
            Err(text) => return Err(mismatch(text)),
        }
    }
    let body = match json.as_bytes().first() {
        Some(b'n') => return Ok(None),
        Some(b'"') => unquote(json).map(Body::Text),
        Some(b't' | b'f') => Some(Body::Text(Cow::Borrowed(json))),
        _ => integer(json).map(Body::Integer),
    };
    // This is an error even if the schema will refuse the argument later: programs between client and server
    // read the header, and must not see another value than the server.
    body.map(Some).ok_or_else(|| {
        let (path, found) = (param.path.join("."), shorten(json));
        let kind = match param.kind {
            Primitive::Boolean => "a boolean",
            Primitive::Integer => "an integer within ±(2^53 − 1)",
            Primitive::String => "a string",
        };
        mismatch(format!("expected `arguments.{path}` to be {kind}, but found {found}"))
    })
}

/// Returns the member `name` of an object; `None` if it is absent or `json` is not an object. If the member
/// is repeated, that is an error: a program that reads the first and one that reads the last see different
/// calls. Malformed JSON is an error too.
fn member<'a>(json: &'a str, name: &str) -> Result<Option<&'a str>, String> {
    if !json.starts_with('{') {
        return Ok(None);
    }
    let mut scanner = Scanner::new(json, MOST_SCANNED);
    let mut found = None;
    let mut scan = || -> Result<bool, Syntax> {
        scanner.open_object()?;
        let mut first = true;
        while let Some(key) = scanner.member(first)? {
            first = false;
            let value = scanner.value()?;
            if unquote(key.text(json)).as_deref() == Some(name) && found.replace(value.text(json)).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    };
    match scan() {
        Ok(true) => Ok(found),
        Ok(false) => Err(format!("expected `{}` once in `arguments`, but found it twice", shorten(name))),
        Err(syntax) => Err(format!("expected {} at byte {} of `arguments`", syntax.expected, syntax.at)),
    }
}

/// Largest number of nesting levels in scanned arguments: the maximum that the limit `depth` can have. The
/// limit itself was applied when the frame was parsed.
const MOST_SCANNED: usize = 1_024;

/// Parses a whole number within ±(2^53 − 1), in any notation: `42`, `42.0`, `4.2e1`.
fn integer(text: &str) -> Option<i64> {
    let number = match text.parse::<i64>() {
        Ok(_) if text.starts_with('+') => return None,
        Ok(number) => number,
        Err(_) => {
            // Floats represent whole numbers below 2^53 exactly, so no whole number is rounded here.
            let float = serde_json::from_str::<f64>(text).ok()?;
            if float.fract() != 0.0 || float.abs() > MOST as f64 {
                return None;
            }
            float as i64
        }
    };
    (-MOST..=MOST).contains(&number).then_some(number)
}
