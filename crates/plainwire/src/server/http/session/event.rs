//! What stands in the event log of a session: one byte that says what it is, then the rest.

use std::time::Duration;

/// An event of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event<'e> {
    /// The reader should go, and come back after so long.
    Leave(Duration),
    /// A JSON-RPC message.
    Message(&'e [u8]),
    /// Nothing to send: a stream that nothing was said on yet can be followed too.
    Begun,
    /// Nothing, but something to come back behind.
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

    /// Reads what [`Self::to_bytes`] wrote; `None` for anything else.
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
