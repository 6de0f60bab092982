//! Writes Atlassian's OpenAPI documents of Jira into a folder, for judges that others wrote.
//!
//! In: the folder, as the only argument. Out: a file of JSON for each document, without the known faults of `openapi/faults.rs`. Without
//! the documents: none, and a line that says so. It judges nothing.

use std::path::PathBuf;
use std::process::ExitCode;

use plainwire_suite::openapi;

#[expect(clippy::print_stderr, reason = "the command has to say what is wrong")]
fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("error: expected a folder, but found no argument");
        return ExitCode::from(2);
    };
    for (name, document) in openapi::corrected().into_iter().flatten() {
        let file = folder.join(name.trim_end_matches(".gz"));
        if let Err(error) = std::fs::write(&file, document.to_string()) {
            eprintln!("error: {}: {error}", file.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
