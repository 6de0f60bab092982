//! The report of a conversion on stderr: lines for people, or one JSON object for programs.

use plainwire_richtext::tree::Span;
use plainwire_richtext::{Conflict, Diagnostic, Loss, LossKind, MAX_LOSSES, Names, Positions};
use serde_json::{Value, json};

use super::allowed::Allowed;
use super::args::ReportFormat;
use super::files::Input;
use crate::{output, visible};

/// The findings about one document.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) losses: Vec<Loss>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) conflicts: Vec<Conflict>,
    /// Violations of the output format in the converted document.
    pub(super) invalid: Vec<Diagnostic>,
    /// Users, pages and attachments that the source refers to; `None` after an edit and with --minimize.
    pub(super) references: Option<Names>,
    /// Whether the output was not written because an edit lost content, is in conflict with the document or
    /// made it invalid, or because --minimize found no part that loses something.
    pub(super) refused: bool,
    /// Whether a sidecar would keep the identifiers that the output lacks.
    pub(super) sidecar_helps: bool,
}

impl Findings {
    /// Returns whether the output is invalid, an edit is in conflict with the document, or something other
    /// than identifiers was lost.
    pub(super) fn is_loss(&self) -> bool {
        !self.conflicts.is_empty()
            || !self.invalid.is_empty()
            || self.losses.iter().any(|it| it.kind != LossKind::Identity)
    }

    /// Returns whether each loss, each conflict and each content that is not valid is allowed; lines are those of `input`.
    pub(super) fn is_allowed(&self, allowed: &[Allowed], input: &Input) -> bool {
        let positions = Positions::of(&input.text);
        let line = |span: Span| positions.at(span.start as usize).line;
        let mut losses = self.losses.iter().filter(|it| it.kind != LossKind::Identity);
        losses.all(|it| allowed.iter().any(|one| one.loss(it.kind, line(it.span))))
            && self.invalid.iter().all(|it| allowed.iter().any(|one| one.invalid(line(it.span))))
            && (self.conflicts.is_empty() || allowed.iter().any(Allowed::conflict))
    }

    /// Returns the findings as JSON: `losses`, `diagnostics` and `invalid` with their positions (`line` and
    /// `column` from 1, `start` and `end` in bytes), `conflicts`, and in `written` whether the output was
    /// written. `references` has the form that --names takes; it is absent after an edit.
    pub(super) fn json(&self, input: &Input) -> Value {
        let positions = Positions::of(&input.text);
        let place = |start: u32, end: u32| {
            let at = positions.at(start as usize);
            (at.line, at.column, start, end)
        };
        let losses: Vec<Value> = self
            .losses
            .iter()
            .map(|it| {
                let (line, column, start, end) = place(it.span.start, it.span.end);
                json!({"kind": it.kind.name(), "message": it.message, "line": line, "column": column, "start": start, "end": end})
            })
            .collect();
        let said = |it: &Diagnostic| {
            let (line, column, start, end) = place(it.span.start, it.span.end);
            json!({"message": it.message, "line": line, "column": column, "start": start, "end": end})
        };
        let diagnostics: Vec<Value> = self.diagnostics.iter().map(said).collect();
        let invalid: Vec<Value> = self.invalid.iter().map(said).collect();
        let conflicts: Vec<Value> =
            self.conflicts.iter().map(|it| json!({"message": it.to_string(), "block": it.block})).collect();
        let mut json = json!({"file": input.name, "losses": losses, "diagnostics": diagnostics, "invalid": invalid, "conflicts": conflicts, "written": !self.refused});
        if let Some(references) = &self.references {
            json["references"] = json!(references);
        }
        json
    }
}

/// Returns whether the message of a loss is about something that only the output has.
fn is_added(message: &str) -> bool {
    message.split_once(": ").is_some_and(|(_, what)| what.starts_with("expected no "))
}

/// Prints the findings on stderr. As text, lost identifiers are counted, not listed.
pub(super) fn show(format: ReportFormat, input: &Input, found: &Findings) {
    if format == ReportFormat::Json {
        return output::note_json(&found.json(input));
    }
    let mut text = String::new();
    let mut line = |line: String| text += &format!("{line}\n");
    let positions = Positions::of(&input.text);
    let at = |span: Span| positions.at(span.start as usize);
    for it in &found.diagnostics {
        line(format!("{}:{}: {}", input.name, at(it.span), visible::line(&it.message)));
    }
    for it in found.losses.iter().filter(|it| it.kind != LossKind::Identity) {
        line(format!("{}:{}: lost: {}", input.name, at(it.span), visible::line(&it.message)));
    }
    let lost = found.losses.iter().filter(|it| it.kind != LossKind::Identity).count();
    if lost >= MAX_LOSSES {
        line(format!("{}: only the first {lost} losses are listed", input.name));
    }
    for it in &found.invalid {
        line(format!("{}:{}: not valid: {}", input.name, at(it.span), visible::line(&it.message)));
    }
    for it in &found.conflicts {
        line(format!("{}: conflict: {}", input.name, visible::line(&it.to_string())));
    }
    let identities = || found.losses.iter().filter(|it| it.kind == LossKind::Identity);
    let all = identities().count();
    let least = if all >= MAX_LOSSES { "at least " } else { "" };
    let added = identities().filter(|it| is_added(&it.message)).count();
    if all > added {
        let counted = output::counted(all - added, "identifier");
        let hint = if found.sidecar_helps { "; a sidecar (--sidecar FILE) brings them back" } else { "" };
        line(format!("{}: {least}{counted} left out{hint}", input.name));
    }
    if added > 0 {
        line(format!("{}: {least}{} added", input.name, output::counted(added, "identifier")));
    }
    if found.refused {
        line(format!("{}: nothing was written; --allow-loss writes it anyway", input.name));
    }
    output::to_stderr(&text);
}
