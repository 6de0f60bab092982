//! `plainwire serve`: one of the built-in servers on stdin and stdout.

use std::fs::File;
use std::path::PathBuf;

use plainwire::Server;
use plainwire::transport::tap::Tap;

use crate::args::{Builtin, Serve};
use crate::exit::{Exit, Failure};

pub(crate) async fn run(args: Serve) -> Result<Exit, Failure> {
    let mut server: Server = match args.server {
        Builtin::Reference => plainwire_reference::server(),
    };
    if let Some(tap) = tap(args.trace)? {
        server = server.tap(tap);
    }
    server.stdio().await?;
    Ok(Exit::Done)
}

/// Makes the tap that `--trace[=FILE]` asks for. A file is written anew.
pub(crate) fn tap(trace: Option<Option<PathBuf>>) -> Result<Option<Tap>, Failure> {
    match trace {
        None => Ok(None),
        Some(None) => Ok(Some(Tap::lines(std::io::stderr()))),
        Some(Some(path)) => match File::create(&path) {
            Ok(file) => Ok(Some(Tap::lines(file))),
            Err(error) => Err(Failure::usage(format!("--trace={}: {error}", path.display()))),
        },
    }
}
