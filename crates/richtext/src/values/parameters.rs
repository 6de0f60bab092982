//! Parameters of a macro, in ADF's JSON form.
//!
//! In: the data of a macro. Out: `{"macroParams":{…},"macroMetadata":{…}}`, and back. A parameter that is
//! more than text, such as a user, has its markup in storage format in the member `storage`, next to `value`,
//! the text that people would read. Other members of the JSON are carried unchanged.

use std::borrow::Cow;

use super::json::{self, quote};

/// The name of the parameter that contains a macro's plain text body. This parameter comes last.
pub(crate) const BODY: &str = "__bodyContent";

/// Returns the parameters of a macro as JSON. `params` has the name of each parameter, its text, and its
/// markup if the parameter is more than text; `macro_id` and `version` are `ac:macro-id` and
/// `ac:schema-version` of the macro's element; `extra` has other members, as in [`Parts::extra`].
pub(crate) fn write(
    params: &[(&str, &str, Option<&str>)],
    macro_id: Option<&str>,
    version: Option<&str>,
    extra: Option<&str>,
) -> String {
    let mut out = "{\"macroParams\":{".to_owned();
    for (index, (name, text, markup)) in params.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        member(&mut out, name, text, *markup);
    }
    out.push('}');
    let extra = extra.and_then(json::members).unwrap_or_default();
    let metadata = extra.iter().find(|it| it.0 == "macroMetadata").map(|it| it.1);
    let mut said = Vec::new();
    for (name, value) in [("macroId", macro_id), ("schemaVersion", version)] {
        let mut one = String::new();
        said.extend(value.map(|it| member(&mut one, name, it, None)).map(|()| one));
    }
    said.extend(metadata.map(inside).filter(|it| !it.is_empty()).map(str::to_owned));
    if !said.is_empty() || metadata.is_some() {
        out.push_str(&format!(",\"macroMetadata\":{{{}}}", said.join(",")));
    }
    for (name, value) in extra.iter().filter(|it| it.0 != "macroMetadata") {
        out.push(',');
        quote(&mut out, name);
        out.push_str(&format!(":{value}"));
    }
    out.push('}');
    out
}

/// Returns `edited`, the JSON of parameters after an edit, with what the Markdown before the edit, in `base`, does not show of
/// `ours`: other members, and the markup of parameters that are more than text. Returns `None` if one of them is no object.
pub(crate) fn merged(ours: &str, base: &str, edited: &str) -> Option<String> {
    joined(ours, base, edited, &|name, own, was, is| match name {
        "macroParams" => merged_params(own, was, is).unwrap_or_else(|| is.to_owned()),
        _ => is.to_owned(),
    })
}

fn merged_params(ours: &str, base: &str, edited: &str) -> Option<String> {
    joined(ours, base, edited, &|_, own, was, is| if was == is { own.to_owned() } else { param(own, is) })
}

/// Returns the members of `edited` in the order of `ours`, then the new ones. A member that all three have becomes what `both`
/// makes of its name and its three values. Members that only `ours` has stay.
fn joined(
    ours: &str,
    base: &str,
    edited: &str,
    both: &dyn Fn(&str, &str, &str, &str) -> String,
) -> Option<String> {
    let (ours, base, is) = (json::members(ours)?, json::members(base)?, json::members(edited)?);
    let of = |all: &[(Cow<'_, str>, &str)], name: &str| all.iter().position(|it| it.0 == name);
    let mut all = Vec::new();
    for (name, own) in &ours {
        match (of(&base, name), of(&is, name)) {
            (Some(was), Some(at)) => all.push(shown(name, &both(name, own, base[was].1, is[at].1))),
            (None, Some(at)) => all.push(shown(name, is[at].1)),
            (None, None) => all.push(shown(name, own)),
            (Some(_), None) => {}
        }
    }
    all.extend(is.iter().filter(|it| of(&ours, &it.0).is_none()).map(|it| shown(&it.0, it.1)));
    Some(format!("{{{}}}", all.join(",")))
}

/// Returns a parameter whose text an edit changed: if its markup has the old text once, the markup gets the new one, such as the
/// title of a page. Otherwise the parameter is only text now.
fn param(own: &str, is: &str) -> String {
    let text = |it: &str| {
        let members = json::members(it)?;
        Some(json::string(members.iter().find(|it| it.0 == "value")?.1)?.into_owned())
    };
    let markup = json::members(own)
        .and_then(|it| Some(json::string(it.iter().find(|it| it.0 == "storage")?.1)?.into_owned()));
    let changed = || {
        let (markup, old, new) = (markup?, escaped(&text(own)?), escaped(&text(is)?));
        let quoted = |it: &str| format!("\"{it}\"");
        let (old, new) = (quoted(&old), quoted(&new));
        (markup.matches(&old).count() == 1).then(|| markup.replace(&old, &new))
    };
    let Some((markup, text)) = changed().and_then(|it| Some((it, text(is)?))) else { return is.to_owned() };
    let mut all = String::new();
    member(&mut all, "", &text, Some(&markup));
    all.split_off("\"\":".len())
}

/// Returns `text` as it is spelled in an attribute of XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Returns the JSON of parameters without the id of the macro; `None` if it has none.
pub(crate) fn without_id(text: &str) -> Option<String> {
    let parts = read(text)?;
    parts.macro_id.as_ref()?;
    let body = parts.body.as_deref().map(|it| (BODY, it, None));
    let params: Vec<_> =
        parts.params.iter().map(|it| (&*it.0, &*it.1, it.2.as_deref())).chain(body).collect();
    Some(write(&params, None, parts.version.as_deref(), parts.extra.as_deref()))
}

/// Returns the JSON of parameters that have only names and texts, with `body` as the plain text body if there
/// is one.
pub(crate) fn of_texts<'p>(
    params: impl IntoIterator<Item = (&'p str, &'p str)>,
    body: Option<&'p str>,
) -> String {
    let body = body.map(|it| (BODY, it));
    let params: Vec<_> = params.into_iter().chain(body).map(|(name, text)| (name, text, None)).collect();
    write(&params, None, None, None)
}

fn member(out: &mut String, name: &str, text: &str, markup: Option<&str>) {
    quote(out, name);
    out.push_str(":{\"value\":");
    quote(out, text);
    if let Some(markup) = markup {
        out.push_str(",\"storage\":");
        quote(out, markup);
    }
    out.push('}');
}

/// Returns the text between the braces of a JSON object; empty for other JSON.
fn inside(object: &str) -> &str {
    object.trim().strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap_or_default().trim()
}

/// A parameter of a macro: its name, its text, and its markup in storage format if it is more than text.
pub(crate) type Param<'j> = (Cow<'j, str>, Cow<'j, str>, Option<Cow<'j, str>>);

/// The data of a macro, parsed from JSON.
#[derive(Default)]
pub(crate) struct Parts<'j> {
    /// The parameters, except the plain text body.
    pub(crate) params: Vec<Param<'j>>,
    /// The plain text body of the macro, if it has one.
    pub(crate) body: Option<Cow<'j, str>>,
    /// The value of `ac:macro-id`.
    pub(crate) macro_id: Option<Cow<'j, str>>,
    /// The value of `ac:schema-version`.
    pub(crate) version: Option<Cow<'j, str>>,
    /// The members of the JSON that no other field holds, as a JSON object; `None` if there are none.
    pub(crate) extra: Option<String>,
}

/// Parses the JSON of parameters into the data of a macro. Returns `None` if `text` is malformed, has no
/// `macroParams`, or has parameters that a macro in storage format can't have.
pub(crate) fn read(text: &str) -> Option<Parts<'_>> {
    let mut parts = Parts::default();
    let mut rest = Vec::new();
    let mut found = false;
    for (name, value) in json::members(text)? {
        match &*name {
            "macroParams" if !found => {
                read_params(value, &mut parts)?;
                found = true;
            }
            "macroMetadata" => rest.extend(read_metadata(value, &mut parts)?),
            _ => rest.push(shown(&name, value)),
        }
    }
    parts.extra = (!rest.is_empty()).then(|| format!("{{{}}}", rest.join(",")));
    found.then_some(parts)
}

fn read_params<'j>(text: &'j str, parts: &mut Parts<'j>) -> Option<()> {
    for (name, value) in json::members(text)? {
        let mut members = json::members(value)?.into_iter();
        let first = members.next().filter(|it| it.0 == "value")?;
        let value = json::string(first.1)?;
        let markup = match members.next() {
            None => None,
            Some(it) if it.0 == "storage" => Some(json::string(it.1)?),
            Some(_) => return None,
        };
        if members.next().is_some() || parts.body.is_some() {
            return None;
        }
        if name == BODY && markup.is_none() {
            parts.body = Some(value);
        } else {
            parts.params.push((name, value, markup));
        }
    }
    Some(())
}

/// Parses `text`, the value of `macroMetadata`, and puts the macro id and the version into `parts`. Returns
/// the other members as `"macroMetadata":{…}`, or an inner `None` if there are none. Metadata with no id, no
/// version and no other member is returned as `"macroMetadata":{}`, so that it is written again.
fn read_metadata<'j>(text: &'j str, parts: &mut Parts<'j>) -> Option<Option<String>> {
    let mut rest = Vec::new();
    for (name, value) in json::members(text)? {
        let slot = match &*name {
            "macroId" => Some(&mut parts.macro_id),
            "schemaVersion" => Some(&mut parts.version),
            _ => None,
        };
        let only = json::members(value)
            .filter(|it| it.len() == 1 && it[0].0 == "value")
            .and_then(|it| json::string(it[0].1));
        match (slot, only) {
            (Some(slot), Some(only)) if slot.is_none() => *slot = Some(only),
            _ => rest.push(shown(&name, value)),
        }
    }
    let bare = parts.macro_id.is_none() && parts.version.is_none();
    Some((!rest.is_empty() || bare).then(|| format!("\"macroMetadata\":{{{}}}", rest.join(","))))
}

fn shown(name: &str, value: &str) -> String {
    let mut out = String::new();
    quote(&mut out, name);
    out.push(':');
    out.push_str(value);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_come_back() {
        for text in [
            r#"{"macroParams":{}}"#,
            r#"{"macroParams":{},"macroMetadata":{}}"#,
            r#"{"macroParams":{"b":{"value":"2"},"a":{"value":"\"1\"","storage":"<ri:user/>"},"__bodyContent":{"value":"x"}},"macroMetadata":{"macroId":{"value":"m"},"schemaVersion":{"value":"1"},"title":"T"},"other":[1.50]}"#,
        ] {
            let parts = read(text).expect("it can be written");
            let mut params: Vec<_> =
                parts.params.iter().map(|it| (&*it.0, &*it.1, it.2.as_deref())).collect();
            params.extend(parts.body.as_deref().map(|it| (BODY, it, None)));
            let back =
                write(&params, parts.macro_id.as_deref(), parts.version.as_deref(), parts.extra.as_deref());
            assert_eq!(back, text);
        }
    }

    #[test]
    fn an_edit_changes_the_texts_of_parameters_and_keeps_what_it_does_not_show() {
        let ours = r#"{"macroParams":{"b":{"value":"2"},"":{"value":"Home","storage":"<ac:link><ri:page ri:content-title=\"Home\" /></ac:link>"},"c:d":{"value":"x"}},"macroMetadata":{"macroId":{"value":"m"}}}"#;
        let base = r#"{"macroParams":{"b":{"value":"2"},"":{"value":"Home"}}}"#;
        assert_eq!(merged(ours, base, base).as_deref(), Some(ours));
        let edited = r#"{"macroParams":{"":{"value":"A & B"},"e":{"value":"5"}}}"#;
        assert_eq!(
            merged(ours, base, edited).as_deref(),
            Some(
                r#"{"macroParams":{"":{"value":"A & B","storage":"<ac:link><ri:page ri:content-title=\"A &amp; B\" /></ac:link>"},"c:d":{"value":"x"},"e":{"value":"5"}},"macroMetadata":{"macroId":{"value":"m"}}}"#
            )
        );
    }

    #[test]
    fn texts_alone_have_no_metadata() {
        assert_eq!(of_texts([], None), r#"{"macroParams":{}}"#);
        assert_eq!(
            of_texts([("", "1"), ("b", "2")], Some("x")),
            r#"{"macroParams":{"":{"value":"1"},"b":{"value":"2"},"__bodyContent":{"value":"x"}}}"#
        );
    }

    #[test]
    fn what_no_macro_can_say_is_refused() {
        for text in
            ["{}", r#"{"macroParams":{"a":{"value":1}}}"#, r#"{"macroParams":{"a":"b"}}"#, "[]", "null"]
        {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
