//! `plainwire convert` and `plainwire patch`: convert rich text between formats, and apply edits to
//! documents.
//!
//! In: files or stdin. Out: the document on stdout, byte for byte; the report of losses on stderr; the exit
//! code. `plainwire_richtext` reads and writes the formats.

mod allowed;
mod args;
mod capture;
mod files;
mod patch;
mod report;

use std::fmt::Display;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use allowed::Allowed;
use args::ReportFormat;
pub(crate) use args::{Convert, Patch};
pub(crate) use patch::run as patch;
use plainwire_richtext::{
    Conversion, Diagnostic, Document, Flavor, Format, Names, Positions, Restored, Sidecar, convert_with,
    minimize,
};

use crate::exit::{Exit, Failure};
use crate::output;
use report::Findings;

/// The result of one conversion.
struct Outcome {
    /// The converted document; `None` if it is not written because an edit lost content, is in conflict with
    /// the document or made it invalid.
    text: Option<String>,
    found: Findings,
}

/// Runs `plainwire convert`: converts documents between formats.
pub(crate) fn run(it: &Convert) -> Result<Exit, Failure> {
    match it.input.as_slice() {
        [] if it.out.is_some() => {
            Err(Failure::usage("expected an INPUT with --out DIR, but found none".into()))
        }
        [] => to_stdout(it, &files::stdin()?),
        [file] if it.out.is_none() => to_stdout(it, &files::read(file)?),
        _ => many(it),
    }
}

fn to_stdout(it: &Convert, input: &files::Input) -> Result<Exit, Failure> {
    if it.minimize {
        return smallest(it, input);
    }
    let outcome = one(it, names(it.names.as_deref())?.as_ref(), input)?;
    output::to_stdout(outcome.text.as_deref().unwrap_or_default())?;
    report::show(it.report, input, &outcome.found);
    Ok(outcome.exit())
}

/// Converts many files, each to a file of its own, with a progress bar if stderr is a terminal.
fn many(it: &Convert) -> Result<Exit, Failure> {
    if it.minimize || it.sidecar.is_some() {
        let found = it.input.len();
        return Err(Failure::usage(format!(
            "expected one INPUT with --sidecar or --minimize, but found {found}"
        )));
    }
    let Some(out) = &it.out else {
        return Err(Failure::usage("expected --out DIR with more than one INPUT, but found none".into()));
    };
    let outputs = files::outputs(out, &it.input, it.to.extension())?;
    it.input.iter().try_for_each(|it| files::check(it))?;
    let names = names(it.names.as_deref())?;
    fs::create_dir_all(out).map_err(|error| files::failed("making", out, &error))?;
    let bar = bar(it.input.len());
    let mut exit = Exit::Done;
    for (path, output) in it.input.iter().zip(outputs) {
        let input = files::read(path)?;
        let outcome = one(it, names.as_ref(), &input)?;
        files::write(&output, outcome.text.as_deref().unwrap_or_default())?;
        bar.suspend(|| report::show(it.report, &input, &outcome.found));
        if outcome.exit() != Exit::Done {
            exit = outcome.exit();
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(exit)
}

fn bar(files: usize) -> indicatif::ProgressBar {
    if io::stderr().is_terminal() {
        indicatif::ProgressBar::new(files as u64)
    } else {
        indicatif::ProgressBar::hidden()
    }
}

/// Converts one document. With --capture, also stores its input, output and report.
fn one(it: &Convert, names: Option<&Names>, input: &files::Input) -> Result<Outcome, Failure> {
    let (from, to) = (it.format_options.format(it.from), it.format_options.format(it.to));
    let outcome = match &it.sidecar {
        None => converted(it, names, input)?,
        Some(file) if is_markdown(to) && !is_markdown(from) => split(from, names, input, file)?,
        Some(file) if is_markdown(from) && !is_markdown(to) => restore(it, to, names, input, file)?,
        Some(_) => {
            let found = format!("--from {from} --to {to}");
            return Err(Failure::usage(format!(
                "expected Markdown on one side with --sidecar, but found {found}"
            )));
        }
    };
    if let Some(folder) = &it.capture {
        capture::keep(folder, it, input, &outcome)?;
    }
    Ok(outcome)
}

fn is_markdown(format: Format) -> bool {
    matches!(format, Format::Markdown(_))
}

/// The table of names that is used without --names. It is empty.
static NO_NAMES: Names = Names { users: Vec::new(), pages: Vec::new(), attachments: Vec::new() };

/// Reads the table of names in the file of --names; `None` without the option.
fn names(file: Option<&Path>) -> Result<Option<Names>, Failure> {
    let Some(file) = file else { return Ok(None) };
    let json = files::read(file)?.text;
    let wrong = |found: &dyn Display| {
        let expected = "expected the JSON of a table of names, but found something else";
        Failure::usage(format!("{}: {expected}: {found}", file.display()))
    };
    let json = files::without_mark(&json);
    // serde would also read a list of three lists as `Names`.
    if json.trim_start().starts_with('[') {
        return Err(wrong(&"a list"));
    }
    serde_json::from_str(json).map(Some).map_err(|error| wrong(&error))
}

/// Resolves users, pages and attachments of the document with `names`, for output in `to`. Returns all users,
/// pages and attachments that the document refers to.
fn named(document: &mut Document<'_>, to: Format, names: Option<&Names>) -> Names {
    let references = document.references();
    if let Some(names) = names {
        document.resolve(names, to);
    }
    references
}

/// Converts the input without a sidecar, the file for what Markdown does not express.
fn converted(it: &Convert, names: Option<&Names>, input: &files::Input) -> Result<Outcome, Failure> {
    let (from, to) = (it.format_options.format(it.from), it.format_options.format(it.to));
    let (mut references, mut is_unread) = (None, false);
    let Conversion { text, losses, diagnostics, invalid } = convert_with(from, to, &input.text, |document| {
        is_unread = document.is_unread();
        references = Some(named(document, to, names));
        document.keep_raw = it.keep_raw;
    });
    if is_unread {
        return Err(unread(input, &diagnostics));
    }
    // With `--plain`, there is no sidecar.
    let sidecar_helps = to == Format::Markdown(Flavor::Extended);
    Ok(Outcome {
        text: Some(text),
        found: Findings { losses, diagnostics, invalid, references, sidecar_helps, ..Findings::default() },
    })
}

/// Returns the error for an input that is no document of its format at all. A converted document would hide that
/// mistake.
fn unread(input: &files::Input, diagnostics: &[Diagnostic]) -> Failure {
    let positions = Positions::of(&input.text);
    let said =
        diagnostics.first().map(|it| format!("{}: {}", positions.at(it.span.start as usize), it.message));
    let hint = Some("`--from` names the format of the input".to_owned());
    Failure { hint, ..Failure::usage(format!("{}:{}", input.name, said.unwrap_or_default())) }
}

/// Converts to Markdown, and writes a sidecar for what Markdown can't express.
fn split(from: Format, names: Option<&Names>, input: &files::Input, file: &Path) -> Result<Outcome, Failure> {
    let mut document = Document::read(from, &input.text);
    if document.is_unread() {
        return Err(unread(input, &document.diagnostics));
    }
    let references = named(&mut document, Format::EDITED, names);
    let (text, sidecar) = Sidecar::split(&document);
    files::refuse_overwrite(Path::new(&input.name), file)?;
    files::write(file, &sidecar.to_json())?;
    let found =
        Findings { diagnostics: document.diagnostics, references: Some(references), ..Findings::default() };
    Ok(Outcome { text: Some(text), found })
}

/// Applies edited Markdown to the document in the sidecar `file`.
fn restore(
    it: &Convert,
    to: Format,
    names: Option<&Names>,
    input: &files::Input,
    file: &Path,
) -> Result<Outcome, Failure> {
    let json = files::read(file).map_err(|failure| Failure {
        hint: Some("converting the document to Markdown with `--sidecar FILE` writes this file".to_owned()),
        ..failure
    })?;
    let json = json.text;
    let named = |text: String| Failure::usage(format!("{}: {text}", file.display()));
    let sidecar = Sidecar::from_json(files::without_mark(&json)).map_err(|error| named(error.to_string()))?;
    if sidecar.format() != to {
        let (expected, found) = (whole_name(to), whole_name(sidecar.format()));
        return Err(named(format!("expected a sidecar of {expected}, but found one of {found}")));
    }
    let names = names.unwrap_or(&NO_NAMES);
    let sidecar = sidecar.keeping_raw(it.keep_raw);
    let restored = sidecar.restore_with(&input.text, names).map_err(|error| named(error.to_string()))?;
    Ok(Outcome::restored(restored, &it.allow_loss, input))
}

/// Returns the name of a format as on the command line, for wiki markup with its dialect.
fn whole_name(format: Format) -> String {
    match format {
        Format::Wiki(dialect) => format!("wiki --dialect {dialect:?}").to_lowercase(),
        other => other.to_string(),
    }
}

/// Runs `plainwire convert --minimize`: prints the smallest document that was found to lose the same kind of
/// content as the input. If nothing is lost, prints only a report, as text a note.
fn smallest(it: &Convert, input: &files::Input) -> Result<Exit, Failure> {
    let (from, to) = (it.format_options.format(it.from), it.format_options.format(it.to));
    let Some(smallest) = minimize(from, to, &input.text) else {
        let nothing = Findings { refused: true, ..Findings::default() };
        match it.report {
            ReportFormat::Text => output::note("nothing is lost: there is no part to show"),
            ReportFormat::Json => report::show(it.report, input, &nothing),
        }
        return Ok(Exit::Done);
    };
    output::to_stdout(&smallest.source)?;
    let input = files::Input { name: input.name.clone(), text: smallest.source };
    report::show(it.report, &input, &Findings { losses: smallest.losses, ..Findings::default() });
    Ok(Exit::CheckFailed)
}

impl Outcome {
    /// Returns the outcome of the edit in `input`. If the edit lost content, is in conflict with the document or made it
    /// invalid, the document is included only if `allowed` (--allow-loss) allows all of that.
    fn restored(it: Restored, allowed: &[Allowed], input: &files::Input) -> Self {
        let Restored { text, losses, diagnostics, conflicts, invalid, .. } = it;
        let mut found = Findings { losses, diagnostics, conflicts, invalid, ..Findings::default() };
        found.refused = found.is_loss() && !found.is_allowed(allowed, input);
        Self { text: (!found.refused).then_some(text), found }
    }

    fn exit(&self) -> Exit {
        if self.found.is_loss() { Exit::CheckFailed } else { Exit::Done }
    }
}
