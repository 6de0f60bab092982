//! OPML: outlines with addresses, which readers of feeds write.
//!
//! In: XML. Out: entries, each with the outlines around it. It is read element by element; entities of a document type are
//! unknown, so that none can grow.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Entries, Entry, MAX_FOLDERS, Unreadable};
use crate::line::{MAX_LINE, one_line};

/// The greatest depth of outlines.
const MAX_DEPTH: usize = 100;

pub(super) fn read(xml: &str) -> Result<Entries, Unreadable> {
    let mut reader = Reader::from_str(xml);
    let mut entries = Entries::default();
    let mut around: Vec<String> = Vec::new();
    let mut open = 0usize;
    loop {
        let at = reader.buffer_position();
        let event =
            reader.read_event().map_err(|error| mistake(xml, reader.error_position(), &error.to_string()))?;
        match &event {
            Event::Start(_) => open += 1,
            Event::End(_) => open = open.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Start(element) if element.name().as_ref() == "outline" => {
                let name = outline(&element, &around, &mut entries).map_err(|why| mistake(xml, at, &why))?;
                if around.len() == MAX_DEPTH {
                    return Err(mistake(
                        xml,
                        at,
                        &format!("expected at most {MAX_DEPTH} outlines in one another"),
                    ));
                }
                around.push(name);
            }
            Event::Empty(element) if element.name().as_ref() == "outline" => {
                outline(&element, &around, &mut entries).map_err(|why| mistake(xml, at, &why))?;
            }
            Event::End(element) if element.name().as_ref() == "outline" => {
                around.pop();
            }
            Event::Eof if open > 0 => return Err(mistake(xml, at, "the file ends within an element")),
            Event::Eof => return Ok(entries),
            _ => {}
        }
    }
}

/// Reads an outline, and returns its name. An outline without an address is a folder.
fn outline(element: &BytesStart<'_>, around: &[String], entries: &mut Entries) -> Result<String, String> {
    let value = |name: &str| -> Result<Option<String>, String> {
        let found = element.try_get_attribute(name).map_err(|error| error.to_string())?;
        let value = found.map(|it| it.normalized_value(quick_xml::XmlVersion::Implicit1_0)).transpose();
        Ok(value.map_err(|error| error.to_string())?.map(|it| it.into_owned()))
    };
    let name = value("text")?.or(value("title")?).unwrap_or_default();
    let folder = one_line(&name, MAX_LINE).unwrap_or_default();
    // The page itself, before the feed that tells of it.
    let mut url = None;
    for attribute in ["htmlUrl", "url", "xmlUrl"] {
        url = url.or(value(attribute)?);
    }
    if let Some(url) = url {
        entries.push(Entry {
            title: name,
            url,
            description: value("description")?.unwrap_or_default(),
            tags: Vec::new(),
            folders: around.iter().rev().take(MAX_FOLDERS).cloned().collect(),
            added: None,
        });
    }
    Ok(folder)
}

fn mistake(xml: &str, at: u64, why: &str) -> Unreadable {
    let before = usize::try_from(at).unwrap_or(usize::MAX).min(xml.len());
    let line = xml.as_bytes()[..before].iter().filter(|it| **it == b'\n').count() + 1;
    Unreadable(format!("line {line}: expected OPML, but found a mistake: {why}"))
}
