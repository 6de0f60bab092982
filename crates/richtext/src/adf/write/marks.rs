//! Writes the marks of a node: those that the schema allows together in its position.

use std::borrow::Cow;

use crate::tree::{Mark, MarkKind, Value};
use crate::values::colours;
use crate::values::json::quote;

/// Appends `,"marks":[…]` to `out`. Chooses the [`best`] of the sets in `allowed`, and leaves out marks that
/// are not in this set; leaves out none if `allowed` is `None`. Appends nothing if no mark is left.
pub(super) fn write(out: &mut String, marks: &[Mark<'_>], allowed: Option<&[&'static [MarkKind]]>) {
    let set = allowed.map(|sets| best(marks, sets));
    let start = out.len();
    out.push_str(",\"marks\":[");
    let inside = out.len();
    for mark in marks.iter().filter(|it| is_kept(it, set)) {
        let Some(mark) = (if set.is_some() { sound(mark) } else { Some(Cow::Borrowed(mark)) }) else {
            continue;
        };
        if out.len() > inside {
            out.push(',');
        }
        one(out, &mark, set.is_some());
    }
    if out.len() == inside {
        return out.truncate(start);
    }
    out.push(']');
}

/// Returns the set in `sets` that contains the most of `marks`. If `code` is among the marks, a set with
/// `code` is preferred, because that mark has the most meaning.
fn best(marks: &[Mark<'_>], sets: &[&'static [MarkKind]]) -> &'static [MarkKind] {
    let has_code = marks.iter().any(|it| it.kind == MarkKind::Code);
    let worth = |set: &&&'static [MarkKind]| {
        let taken = marks.iter().filter(|it| set.contains(&it.kind)).count();
        (has_code && set.contains(&MarkKind::Code), taken)
    };
    // Of equally good sets the first is taken, because it is the plainest.
    sets.iter().rev().max_by_key(worth).copied().unwrap_or_default()
}

/// Returns whether a mark is written if only the kinds in `set` are allowed (`None`: all). A mark that the
/// schema lacks is written if it came from ADF: its name has no colon.
fn is_kept(mark: &Mark<'_>, set: Option<&[MarkKind]>) -> bool {
    match (mark.kind, set) {
        (_, None) => true,
        (MarkKind::Other, Some(_)) => mark.text("/type").is_some_and(|it| !it.contains(':')),
        (kind, Some(set)) => set.contains(&kind),
    }
}

/// Returns `mark` in the form that the schema requires; `None` if a required attribute is missing or can't be
/// converted.
fn sound<'m, 'a>(mark: &'m Mark<'a>) -> Option<Cow<'m, Mark<'a>>> {
    let needed: &[&str] = match mark.kind {
        MarkKind::Link => &["href"],
        MarkKind::Annotation => &["id"],
        MarkKind::TextColor | MarkKind::BackgroundColor => &["color"],
        MarkKind::Subsup => &["type"],
        MarkKind::Alignment => &["align"],
        MarkKind::Indentation => &["level"],
        MarkKind::FontSize => &["fontSize"],
        MarkKind::Breakout => &["mode"],
        MarkKind::Border => &["size", "color"],
        MarkKind::Fragment => &["localId"],
        MarkKind::DataConsumer => &["sources"],
        _ => &[],
    };
    if needed.iter().any(|it| mark.get(it).is_none()) {
        return None;
    }
    match mark.kind {
        MarkKind::Annotation if mark.get("annotationType").is_none() => {
            Some(Cow::Owned(mark.clone().with("annotationType", "inlineComment")))
        }
        MarkKind::TextColor | MarkKind::BackgroundColor => colored(mark),
        _ => Some(Cow::Borrowed(mark)),
    }
}

fn colored<'m, 'a>(mark: &'m Mark<'a>) -> Option<Cow<'m, Mark<'a>>> {
    let color = mark.text("color")?;
    if colours::is_hex(color) {
        return Some(Cow::Borrowed(mark));
    }
    let color = colours::of_css(color.trim())?;
    let mut mark = mark.clone();
    mark.attrs.iter_mut().filter(|it| it.name == "color").for_each(|it| {
        it.value = Value::Str(color.clone().into());
    });
    Some(Cow::Owned(mark))
}

/// Appends a mark to `out` as JSON; if `is_strict`, without the attributes that ADF does not have.
fn one(out: &mut String, mark: &Mark<'_>, is_strict: bool) {
    out.push_str("{\"type\":");
    quote(out, mark.name());
    let start = out.len();
    out.push_str(",\"attrs\":{");
    let inside = out.len();
    for attr in &mark.attrs {
        if attr.name.starts_with('/') || (is_strict && attr.is_foreign()) {
            continue;
        }
        if out.len() > inside {
            out.push(',');
        }
        super::attr(out, &attr.name, &attr.value);
    }
    if out.len() == inside {
        out.truncate(start);
    } else {
        out.push('}');
    }
    let has_attrs = out.len() > start;
    for attr in mark.attrs.iter().filter(|it| it.name.starts_with('/') && it.name != "/type") {
        if attr.name != "/attrs" || !has_attrs {
            out.push(',');
            super::attr(out, &attr.name[1..], &attr.value);
        }
    }
    out.push('}');
}
