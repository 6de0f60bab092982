//! Reads attributes and marks from JSON: objects, arrays and strings.

use std::borrow::Cow;
use std::collections::BTreeMap;

use thin_vec::ThinVec;

use super::super::text;
use super::{Broken, Names, Reader};
use crate::diagnostic::Diagnostic;
use crate::tree::{Attr, Mark, MarkKind, Span, Value, add};

impl<'a> Reader<'a> {
    /// Parses the object at the current position. Calls `member` at the start of each value, with its key.
    pub(super) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.scan.at += 1;
        self.scan.space();
        if self.scan.peek() == Some(b'}') {
            self.scan.at += 1;
            return Ok(());
        }
        loop {
            let key = self.scan.key();
            let key = self.sound(key)?;
            let name = if key.escaped { Cow::Owned(text::decode(key.spelling)) } else { key.spelling.into() };
            member(self, name)?;
            self.scan.space();
            match self.scan.peek() {
                Some(b',') => self.scan.at += 1,
                Some(b'}') => {
                    self.scan.at += 1;
                    return Ok(());
                }
                _ => {
                    let fault = self.scan.fault("',' or '}'");
                    return self.sound(Err(fault));
                }
            }
        }
    }

    /// Reads the string at the current position. Returns it decoded, with the span between its quotes.
    pub(super) fn characters(&mut self) -> Result<(Cow<'a, str>, Span), Broken> {
        let quoted = self.scan.string("a string");
        let quoted = self.sound(quoted)?;
        if quoted.escaped {
            return Ok((Cow::Owned(text::decode(quoted.spelling)), quoted.span));
        }
        Ok((Cow::Borrowed(quoted.spelling), quoted.span))
    }

    /// Reads the value at the current position: a string decoded, any other value as JSON. A string with half
    /// of a surrogate pair stays JSON too.
    fn value(&mut self) -> Result<Value<'a>, Broken> {
        let start = self.scan.at;
        if self.scan.peek() == Some(b'"') {
            let (characters, span) = self.characters()?;
            if !matches!(characters, Cow::Owned(_))
                || text::lone_surrogate(span.of(self.scan.source)).is_none()
            {
                return Ok(Value::Str(characters));
            }
        } else {
            let skipped = self.scan.value();
            self.sound(skipped)?;
        }
        let json = &self.scan.source[start..self.scan.at];
        Ok(Value::Json(if self.scan.control.is_some() { text::cleaned(json) } else { json.into() }))
    }

    /// Reads the value at the current position, and adds it to `keys` as the attribute `/key`.
    pub(super) fn other(&mut self, key: &str, keys: &mut ThinVec<Attr<'a>>) -> Result<(), Broken> {
        let value = self.value()?;
        keys.push(Attr { name: Cow::Owned(format!("/{key}")), value });
        Ok(())
    }

    /// Reads the object `attrs` at the current position, and adds its members to `attrs`. Members whose names
    /// mean something else in the tree (with a colon, or a `/` at the start) go into one attribute `/attrs`
    /// of `keys`. An empty object also becomes an attribute `/attrs`, so that it is written again.
    pub(super) fn attrs_into(
        &mut self,
        attrs: &mut ThinVec<Attr<'a>>,
        keys: &mut ThinVec<Attr<'a>>,
    ) -> Result<(), Broken> {
        let mut odd = ThinVec::new();
        self.members(|reader, name| {
            let value = reader.value()?;
            let is_odd = reader.names == Names::Adf && (name.contains(':') || name.starts_with('/'));
            add(if is_odd { &mut odd } else { &mut *attrs }, Attr { name, value });
            Ok(())
        })?;
        self.last_of_each(attrs);
        self.last_of_each(&mut odd);
        if attrs.is_empty() || !odd.is_empty() {
            keys.push(Attr::json("/attrs", object(&odd)));
        }
        Ok(())
    }

    /// Reads the array at the current position into `marks`. If it is empty or an element is not a mark, the
    /// whole array becomes the attribute `/marks` of `keys` instead.
    pub(super) fn marks_into(
        &mut self,
        marks: &mut ThinVec<Mark<'a>>,
        keys: &mut ThinVec<Attr<'a>>,
    ) -> Result<(), Broken> {
        let start = self.scan.at;
        let skipped = self.marks(marks)?;
        if !skipped && !marks.is_empty() {
            return Ok(());
        }
        marks.clear();
        self.scan.at = start;
        if skipped {
            let found = "expected each mark to be an object with a `type`, but found something else";
            self.say(Diagnostic::new(Span::new(start, start + 1), found));
        }
        self.other("marks", keys)
    }

    /// Reads the array at the current position into `marks`. Stops at an element that is not a mark, and
    /// returns whether there was such an element.
    fn marks(&mut self, marks: &mut ThinVec<Mark<'a>>) -> Result<bool, Broken> {
        marks.clear();
        self.scan.at += 1;
        self.scan.space();
        if self.scan.peek() == Some(b']') {
            self.scan.at += 1;
            return Ok(false);
        }
        loop {
            self.scan.space();
            if self.scan.peek() != Some(b'{') {
                return Ok(true);
            }
            match self.mark()? {
                Some(mark) => add(marks, mark),
                None => return Ok(true),
            }
            self.scan.space();
            match self.scan.peek() {
                Some(b',') => self.scan.at += 1,
                Some(b']') => {
                    self.scan.at += 1;
                    return Ok(false);
                }
                _ => {
                    let fault = self.scan.fault("',' or ']'");
                    return self.sound(Err(fault));
                }
            }
        }
    }

    /// Reads the mark at the current position; returns `None` if its `type` is not a string.
    fn mark(&mut self) -> Result<Option<Mark<'a>>, Broken> {
        let (mut name, mut attrs, mut keys) = (None, ThinVec::new(), ThinVec::new());
        self.members(|reader, key| {
            match (&*key, reader.scan.peek()) {
                ("type", Some(b'"')) => name = Some(reader.characters()?.0),
                ("attrs", Some(b'{')) => {
                    attrs.clear();
                    reader.attrs_into(&mut attrs, &mut keys)?;
                }
                _ => reader.other(&key, &mut keys)?,
            }
            Ok(())
        })?;
        self.last_of_each(&mut keys);
        let Some(name) = name else { return Ok(None) };
        let kind = MarkKind::of_adf(&name).unwrap_or(MarkKind::Other);
        keys.retain(|it| it.name != "/type");
        if kind == MarkKind::Other {
            keys.push(Attr::string("/type", name));
        }
        attrs.extend(keys);
        Ok(Some(Mark { kind, attrs }))
    }

    /// Of attributes with equal names, keeps only the last, at the position of the first, and records a
    /// diagnostic for each repetition.
    pub(super) fn last_of_each(&mut self, attrs: &mut ThinVec<Attr<'a>>) {
        let is_twice = |it: usize| attrs[..it].iter().any(|other| other.name == attrs[it].name);
        if attrs.len() < 2 || (attrs.len() <= 32 && !(1..attrs.len()).any(is_twice)) {
            return;
        }
        let mut places = BTreeMap::new();
        let mut kept: ThinVec<Attr<'a>> = ThinVec::new();
        for attr in attrs.drain(..) {
            match places.get(&attr.name) {
                Some(&place) => {
                    let end = self.scan.at;
                    let found = format!("expected the key {:?} once, but found it again", attr.name);
                    kept[place] = attr;
                    self.say(Diagnostic::new(Span::at(end), found));
                }
                None => {
                    places.insert(attr.name.clone(), kept.len());
                    kept.push(attr);
                }
            }
        }
        *attrs = kept;
    }
}

fn object(attrs: &[Attr<'_>]) -> String {
    let mut out = String::from("{");
    for (index, attr) in attrs.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        super::super::write::attr(&mut out, &attr.name, &attr.value);
    }
    out.push('}');
    out
}
