//! `plainwire serve`: serves a built-in server on stdin and stdout, or over HTTP.

use plainwire::Server;

use self::options::{Builtin, Serve};
use self::served::{serve, with_options};
use crate::exit::{Exit, Failure};

mod atlassian;
pub(crate) mod inventory;
mod learning;
pub(crate) mod library;
pub(crate) mod options;
pub(crate) mod served;
mod site;

pub(crate) async fn run(args: Serve) -> Result<Exit, Failure> {
    args.refuse_others()?;
    let Serve { atlassian, inventory, learning, library, patterns, server, shared, site } = args;
    let server: Server = match server {
        Builtin::Atlassian => return atlassian::run(&atlassian, &site, &library, &shared).await,
        Builtin::Inventory => inventory.server(&library)?,
        Builtin::Learning => learning.server(&library, shared.http.is_some())?,
        Builtin::Patterns => patterns.server(&library)?,
        Builtin::Reference => plainwire_reference::server(),
        Builtin::Site => return site::run(&site, &library, shared.http.as_deref()).await,
    };
    serve(with_options(server, &shared)?, &shared).await?;
    Ok(Exit::Done)
}
