//! The encoding of events in the log of a session: one byte for the kind, then the content.

use std::time::Duration;

/// An event of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event<'e> {
    /// The client should disconnect, and come back after this time.
    Leave(Duration),
    /// A JSON-RPC message.
    Message(&'e [u8]),
    /// Not sent. It makes a stream exist in the store, so that it can be followed before its first message.
    Begun,
    /// An empty event with an id, so that the client can continue after it.
    Priming,
}

impl<'e> Event<'e> {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Leave(retry) => {
                let millis = u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
                [b"l".as_slice(), &millis.to_be_bytes()].concat()
            }
            Self::Message(json) => [b"m", *json].concat(),
            Self::Begun => b"b".to_vec(),
            Self::Priming => b"p".to_vec(),
        }
    }

    /// Parses what [`Self::to_bytes`] wrote; `None` for anything else.
    pub(crate) fn parse(bytes: &'e [u8]) -> Option<Self> {
        match bytes.split_first()? {
            (b'l', millis) => {
                Some(Self::Leave(Duration::from_millis(u64::from_be_bytes(millis.try_into().ok()?))))
            }
            (b'm', json) => Some(Self::Message(json)),
            (b'b', []) => Some(Self::Begun),
            (b'p', []) => Some(Self::Priming),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_writes_and_nothing_else() {
        for event in
            [Event::Leave(Duration::from_millis(500)), Event::Message(b"{}"), Event::Begun, Event::Priming]
        {
            assert_eq!(Event::parse(&event.to_bytes()), Some(event));
        }
        for bytes in [b"".as_slice(), b"x", b"l", b"l1234567", b"l123456789", b"p1"] {
            assert_eq!(Event::parse(bytes), None, "{bytes:?}");
        }
    }
}
