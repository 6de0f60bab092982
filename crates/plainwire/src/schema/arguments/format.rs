//! Checks of the formats that text in arguments can have.
//!
//! In: the name of a format, and a text. Out: whether the text has the format. Formats that are not listed
//! here are not checked.

use std::net::{Ipv4Addr, Ipv6Addr};

use plainwire_proto::form::Format;

/// Returns whether the format `name` is checked.
pub(crate) fn is_checked(name: &str) -> bool {
    FORMATS.iter().any(|format| format.name == name)
}

/// A format that is checked: its name in the keyword `format`, its name in a sentence, an example, and the
/// check.
pub(super) struct CheckedFormat {
    name: &'static str,
    pub(super) in_words: &'static str,
    pub(super) example: &'static str,
    pub(super) fits: fn(&str) -> bool,
}

/// Returns the format `name`, if it is checked.
pub(super) fn known(name: &str) -> Option<&'static CheckedFormat> {
    FORMATS.iter().find(|format| format.name == name)
}

static FORMATS: [CheckedFormat; 8] = [
    CheckedFormat {
        name: "date",
        in_words: "a date",
        example: "2026-07-28",
        fits: |text| Format::Date.fits(text),
    },
    CheckedFormat {
        name: "date-time",
        in_words: "a date and time",
        example: "2026-07-28T12:00:00Z",
        fits: |text| Format::DateTime.fits(text),
    },
    CheckedFormat {
        name: "email",
        in_words: "an email address",
        example: "user@example.com",
        fits: |text| Format::Email.fits(text),
    },
    CheckedFormat { name: "hostname", in_words: "a host name", example: "example.com", fits: is_hostname },
    CheckedFormat {
        name: "ipv4",
        in_words: "an IPv4 address",
        example: "192.0.2.1",
        fits: |text| text.parse::<Ipv4Addr>().is_ok(),
    },
    CheckedFormat {
        name: "ipv6",
        in_words: "an IPv6 address",
        example: "2001:db8::1",
        fits: |text| text.parse::<Ipv6Addr>().is_ok(),
    },
    CheckedFormat {
        name: "uri",
        in_words: "a URI with a scheme",
        example: "https://example.com",
        fits: |text| Format::Uri.fits(text),
    },
    CheckedFormat {
        name: "uuid",
        in_words: "a UUID",
        example: "00000000-0000-4000-8000-000000000000",
        fits: is_uuid,
    },
];

/// Returns whether a text is a host name. Source: RFC 1123 §2.1.
fn is_hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// Returns whether a text is a UUID. Source: RFC 9562 §4.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    groups.len() == lengths.len()
        && groups
            .iter()
            .zip(lengths)
            .all(|(group, length)| group.len() == length && group.bytes().all(|b| b.is_ascii_hexdigit()))
}
