//! `output_page`: bytes of an output from an offset.
//!
//! In: an offset and a length in bytes. Out: so many bytes, moved to the borders of characters in text.

use plainwire_macros::data;

use super::{Completeness, MAX_ANSWER, as_text, offset};
use crate::server::context::Context;
use crate::server::outputs::keeper::{Keeper, SCHEME};
use crate::server::result::ToolError;

/// The default of `length`.
const LENGTH: u64 = 16 << 10;

/// The largest number of bytes of a character in UTF-8.
const MAX_CHARACTER: usize = 4;

/// The page that is asked for.
#[data]
pub(crate) struct Wanted {
    /// The link or the id of the output.
    #[length(..=100)]
    id: String,
    /// The first byte. Within a character of a text, the page begins with that character.
    #[range(0..=9007199254740991)]
    offset: Option<u64>,
    /// The number of bytes. 16384 by default.
    #[range(1..=65536)]
    length: Option<u64>,
}

/// A part of an output.
#[data(kind = "outputPage:v1")]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    pub(crate) uri: String,
    /// The first byte of the page.
    pub(crate) offset: u64,
    /// The offset of the next page; absent after the last byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) next_offset: Option<u64>,
    pub(crate) total_bytes: u64,
    pub(crate) state: Completeness,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// The bytes in base64, if they are no text in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base64: Option<String>,
}

pub(crate) async fn page(keeper: Keeper, wanted: Wanted, ctx: Context) -> Result<Page, ToolError> {
    let (id, stat) = keeper.find(&ctx, &wanted.id).await?;
    let offset = offset(wanted.offset, &stat)?;
    let length = (wanted.length.unwrap_or(LENGTH) as usize).clamp(1, MAX_ANSWER);
    // A few bytes before and after show where characters begin.
    let before = offset.min(MAX_CHARACTER as u64 - 1) as usize;
    let bytes = keeper.read(&id, offset - before as u64, before + length + MAX_CHARACTER).await?;
    let (from, to) = borders(&bytes, before, length);
    let (text, base64) = as_text(&bytes[from..to]);
    let begin = offset - before as u64 + from as u64;
    let end = begin + (to - from) as u64;
    Ok(Page {
        uri: format!("{SCHEME}{}", id.as_str()),
        offset: begin,
        next_offset: (end < stat.bytes).then_some(end),
        total_bytes: stat.bytes,
        state: Completeness::from(&stat),
        text,
        base64,
    })
}

/// Returns the range of `bytes` that begins at `from` and has about `length` bytes, moved back to the borders of characters: at the
/// beginning so that the character is whole, and at the end so that it is left for the next page. Bytes that are no UTF-8 begin at `from`.
fn borders(bytes: &[u8], from: usize, length: usize) -> (usize, usize) {
    let end = (from + length).min(bytes.len());
    let from = from.min(bytes.len());
    let first = character_at(bytes, from);
    let mut last = character_at(bytes, end);
    if last <= first && end < bytes.len() {
        // Not even one character fits: the page has one.
        last = (end..=bytes.len()).find(|&at| at > first && is_border(bytes, at)).unwrap_or(bytes.len());
    }
    match std::str::from_utf8(&bytes[first..last]) {
        Ok(_) => (first, last),
        // The end is one at which the next page, which may be a text, begins.
        Err(_) => (from, last.max(from)),
    }
}

/// Returns the position at which the character begins that `at` is in.
fn character_at(bytes: &[u8], at: usize) -> usize {
    (at.saturating_sub(MAX_CHARACTER - 1)..=at).rev().find(|&at| is_border(bytes, at)).unwrap_or(at)
}

fn is_border(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_end_between_characters() {
        let text = "aäö€😀z".as_bytes();
        for length in 1..=text.len() {
            let (mut at, mut read) = (0, Vec::new());
            while at < text.len() {
                let before = at.min(3);
                let window = &text[at - before..(at + length + MAX_CHARACTER).min(text.len())];
                let (from, to) = borders(window, before, length);
                let page = std::str::from_utf8(&window[from..to])
                    .unwrap_or_else(|error| panic!("{length} {at}: {error}"));
                assert!(!page.is_empty(), "{length} {at}");
                assert_eq!(from, before, "the page begins where the one before ended");
                read.extend_from_slice(page.as_bytes());
                at += to - from;
            }
            assert_eq!(read, text, "{length}");
        }
        // In the middle of the euro sign, which has the bytes 5 to 7.
        let (from, to) = borders(&text[3..], 3, 1);
        assert_eq!(&text[3..][from..to], "€".as_bytes());
        // No text: from where it was asked for.
        assert_eq!(borders(&[0xff, 0x80, 0x80, 0x80, 0x80, 0xc3], 2, 2), (2, 4));
        // Text after a byte that is none: the next page begins where this one ends.
        let mixed = [&[0xff][..], "ää".as_bytes()].concat();
        assert_eq!((borders(&mixed, 0, 2), borders(&mixed, 1, 4)), ((0, 1), (1, 5)));
    }
}
