//! The formats that text in arguments can have.
//!
//! In: the name of a format and a text. Out: whether it looks like one. Formats that are not listed here say nothing.

use std::net::{Ipv4Addr, Ipv6Addr};

use plainwire_proto::form::Format;

/// Returns whether the format `name` is checked.
pub(crate) fn is_checked(name: &str) -> bool {
    FORMATS.iter().any(|format| format.name == name)
}

/// A format: its name, what it is in words, an example, and what has it.
pub(super) struct Known {
    name: &'static str,
    pub(super) in_words: &'static str,
    pub(super) example: &'static str,
    pub(super) fits: fn(&str) -> bool,
}

/// Returns the format `name`, if it is checked.
pub(super) fn known(name: &str) -> Option<&'static Known> {
    FORMATS.iter().find(|format| format.name == name)
}

static FORMATS: [Known; 8] = [
    Known { name: "date", in_words: "a date", example: "2026-07-28", fits: |text| Format::Date.fits(text) },
    Known {
        name: "date-time",
        in_words: "a date and time",
        example: "2026-07-28T12:00:00Z",
        fits: |text| Format::DateTime.fits(text),
    },
    Known {
        name: "email",
        in_words: "an email address",
        example: "user@example.com",
        fits: |text| Format::Email.fits(text),
    },
    Known { name: "hostname", in_words: "a host name", example: "example.com", fits: is_hostname },
    Known {
        name: "ipv4",
        in_words: "an IPv4 address",
        example: "192.0.2.1",
        fits: |text| text.parse::<Ipv4Addr>().is_ok(),
    },
    Known {
        name: "ipv6",
        in_words: "an IPv6 address",
        example: "2001:db8::1",
        fits: |text| text.parse::<Ipv6Addr>().is_ok(),
    },
    Known {
        name: "uri",
        in_words: "a URI with a scheme",
        example: "https://example.com",
        fits: |text| Format::Uri.fits(text),
    },
    Known {
        name: "uuid",
        in_words: "a UUID",
        example: "00000000-0000-4000-8000-000000000000",
        fits: is_uuid,
    },
];

/// Source: RFC 1123 §2.1.
fn is_hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

/// Source: RFC 9562 §4.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths = [8, 4, 4, 4, 12];
    groups.len() == lengths.len()
        && groups
            .iter()
            .zip(lengths)
            .all(|(group, length)| group.len() == length && group.bytes().all(|b| b.is_ascii_hexdigit()))
}
