//! A checked server, ready to serve connections. It holds settings and the shared catalog, and does no I/O.

use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::peer::ServerConfig;

use super::asking::Sealer;
use super::catalog::SharedCatalog;
use super::context::ProgressRate;
use super::principal::Principal;
use crate::runtime::Detached;
use crate::stream::Tap;

/// A server that has passed all checks, shared by its connections.
pub(crate) struct Built {
    pub(crate) ask_timeout: Duration,
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) detached: Detached,
    pub(crate) drain: Duration,
    pub(crate) masks_errors: bool,
    pub(crate) max_questions: usize,
    pub(crate) principal: Option<Arc<Principal>>,
    pub(crate) progress: ProgressRate,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) shared: Arc<SharedCatalog>,
    pub(crate) tap: Option<Tap>,
    pub(crate) timeout: Option<Duration>,
}
