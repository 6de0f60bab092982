//! `--capture`: stores the input and the output of a conversion, byte for byte, so that you can examine a
//! wrong conversion later.

use std::fs;
use std::path::Path;

use super::args::Convert;
use super::{Outcome, files};
use crate::exit::Failure;

/// Writes `NNN-input.EXT`, `NNN-output.EXT` (unless the output was refused), `NNN-sidecar.json` (with
/// `--sidecar`) and `NNN-report.json` into `folder`. NNN is the first number from 001 that has no report yet.
pub(super) fn keep(
    folder: &Path,
    it: &Convert,
    input: &files::Input,
    outcome: &Outcome,
) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| files::failed("making", folder, &error))?;
    let number = (1..).find(|it| !folder.join(format!("{it:03}-report.json")).exists()).unwrap_or(1);
    let file = |name: String| folder.join(format!("{number:03}-{name}"));
    files::write(&file(format!("input.{}", it.from.extension())), &input.text)?;
    if let Some(text) = &outcome.text {
        files::write(&file(format!("output.{}", it.to.extension())), text)?;
    }
    if let Some(sidecar) = &it.sidecar {
        let copy = file("sidecar.json".to_owned());
        fs::copy(sidecar, &copy).map_err(|error| files::failed("writing", &copy, &error))?;
    }
    files::write(&file("report.json".to_owned()), &format!("{:#}\n", outcome.found.json(input)))
}
