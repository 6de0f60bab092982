//! `Server::http` without the feature `http`: an error of the compiler that names the feature.

use crate::error::Result;
use crate::server::Server;

/// A type that an address may have without the feature `http`: none.
#[diagnostic::on_unimplemented(
    message = "`Server::http` needs the feature `http`",
    label = "expected the feature `http` of the crate `plainwire`",
    note = "write `features = [\"http\"]` into the entry of `plainwire` in Cargo.toml, or run `cargo add plainwire \
            --features http`"
)]
#[doc(hidden)]
#[expect(unnameable_types, reason = "nobody implements it")]
pub trait NeedsFeatureHttp {}

impl Server {
    /// Never compiles: the compiler would not name the feature for a method that is missing.
    #[doc(hidden)]
    pub fn http<A: NeedsFeatureHttp>(self, _: A) -> std::future::Ready<Result<()>> {
        std::future::ready(Ok(()))
    }
}
