//! The account that a request comes from, as verified by the transport.

/// The authenticated account that a request comes from. On stdio there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The name of the account, in the form that the authentication gives it.
    pub name: String,
}
