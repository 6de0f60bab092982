//! Arguments of a call that are repeated in its headers: whether they agree, and what a client sends.
//!
//! In: what [`super::param_headers`] found, the arguments of a call, its headers. Out: nothing, or an error; pairs of name
//! and value.
//!
//! Source: 2026-07-28 `streamable-http` "Server Behavior for Custom Headers" and "Client Behavior".

use std::borrow::Cow;

use super::{Headers, ParamHeader, Primitive, decode_value, encode_value, mismatch, text};
use crate::error::Error;
use crate::json::scan::{Scanner, Syntax};
use crate::json::{shorten, unquote};

/// 2^53 − 1, up to which numbers of JavaScript are whole.
const MOST: i64 = (1 << 53) - 1;

/// Checks that the headers of a call say what its `arguments` say. Other `Mcp-Param-…` are not looked at.
///
/// # Errors
/// `HeaderMismatch` for an argument without its header, a header without its argument, two values that differ, and
/// values that no header can hold. Numbers are compared as numbers: `42.0` is `42`.
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

/// Returns the headers, names and values, that a client sends with `arguments`.
///
/// # Errors
/// `HeaderMismatch` for arguments that no header can hold.
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

/// An argument as a header can hold it.
enum Body<'a> {
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

/// Finds the argument; `None` when there is none, or `null`.
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
    // Also where the schema will refuse the argument: nobody on the way may have been shown another value.
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

/// The member `name` of an object. Twice is a mistake: who reads the first and who reads the last see different calls.
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

/// Levels of nesting, which were counted when the frame was read; the most that can be asked for there.
const MOST_SCANNED: usize = 1_024;

/// A whole number within ±(2^53 − 1), however it is written: `42`, `42.0`, `4.2e1`.
fn integer(text: &str) -> Option<i64> {
    let number = match text.parse::<i64>() {
        Ok(_) if text.starts_with('+') => return None,
        Ok(number) => number,
        Err(_) => {
            // Whole floats below 2^53 are exact, so that nothing is rounded here.
            let float = serde_json::from_str::<f64>(text).ok()?;
            if float.fract() != 0.0 || float.abs() > MOST as f64 {
                return None;
            }
            float as i64
        }
    };
    (-MOST..=MOST).contains(&number).then_some(number)
}
