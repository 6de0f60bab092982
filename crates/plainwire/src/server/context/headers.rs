//! The HTTP headers of a request that the operator of the server lets handlers read.
//!
//! In: the names that are allowed, and the headers of a request. Out: the values by name. All other headers,
//! such as those with tokens, never reach a handler.

use std::sync::Arc;

/// The allowed headers of one request; empty without HTTP. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers(Option<Arc<[Header]>>);

/// A name in lower case and a value.
type Header = (Box<str>, Box<str>);

impl Headers {
    /// Takes the headers `allowed` from `all`. Several values of one name are joined by commas; a value that is
    /// not ASCII text is left out.
    #[cfg(feature = "http")]
    pub(crate) fn of(all: &http::HeaderMap, allowed: &[http::HeaderName]) -> Self {
        let value = |name: &http::HeaderName| {
            let values: Vec<&str> = all.get_all(name).iter().filter_map(|it| it.to_str().ok()).collect();
            (!values.is_empty()).then(|| (name.as_str().into(), values.join(", ").into()))
        };
        let found: Vec<Header> = allowed.iter().filter_map(value).collect();
        Self((!found.is_empty()).then(|| found.into()))
    }

    /// Returns the value of the header `name`, which may be in upper or lower case.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().flat_map(|all| all.iter());
        found.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }
}
