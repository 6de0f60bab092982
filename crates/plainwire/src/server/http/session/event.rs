//! The encoding of events in the log of a session: one byte for the kind, then the content.

use std::time::Duration;

/// An event in the log of a session: a message for the client, or a sign for the response that follows the
/// log.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event<'e> {
    /// The response ends after asking the client to come back after this time.
    Leave(Duration),
    /// A JSON-RPC message for the client.
    Message(&'e [u8]),
    /// The first event of a stream that has no priming event; it is not sent to the client. It makes the
    /// stream exist in the store, so that a response can follow the stream before its first message.
    Begun,
    /// An event with an id and without data, which begins a stream so that the client can continue the stream
    /// even before its first message.
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

    /// Parses bytes that [`Self::to_bytes`] wrote; `None` for other bytes.
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
