//! The account that a request comes from, as verified by the transport.

/// The authenticated account that a request comes from. A server on stdio has none; over HTTP or with
/// [`crate::Server::serve_as`] the program names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The name of the account, in the form that the authentication gives it.
    pub name: String,
}
