//! The layer between the layers of a server and those of a server that it mounts: inside of it, entries have the
//! names that their own server gave them.

use super::{Layer, LayerFuture, Next, Request};

/// The layer that removes the prefix of a mounted server from the name of a request, so that the layers of the
/// mounted server see the names that they know.
pub(crate) struct OwnName {
    /// The prefix with its separator.
    pub(crate) prefix: String,
}

impl Layer for OwnName {
    fn call(&self, mut request: Request, next: Next) -> LayerFuture {
        if let Some(own) = request.name.strip_prefix(&self.prefix) {
            request.name = own.to_owned();
        }
        Box::pin(next.run(request))
    }
}
