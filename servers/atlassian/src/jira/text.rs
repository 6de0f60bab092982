//! Rich text: what Jira stores, and the Markdown that models read and write.
//!
//! In: a body as Jira answers it, and later its edited Markdown. Out: Markdown, and the body with the edit. What an edit did not touch stays byte
//! for byte; what would be lost is refused with a report, unless the caller accepts it.

use plainwire::ToolError;
use plainwire_richtext::{
    Address, Conversion, Dialect, Document, Format, Restored, Sidecar, SidecarError, convert,
};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The largest number of losses that an error lists.
const MAX_TOLD: usize = 10;

/// A body of rich text, as Jira stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rich {
    format: Format,
    source: String,
}

/// Permission to lose content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Losses {
    /// They are made, and told.
    Accept,
    /// Nothing is written, and they are told.
    Refuse,
}

/// A body after an edit.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The new body.
    pub rich: Rich,
    /// Losses that were accepted, a sentence each.
    pub accepted: Vec<String>,
}

impl Rich {
    /// Reads a body of an answer; an empty field has none. On Cloud, some APIs answer wiki markup where others answer ADF: those of boards.
    pub fn of_json(format: Format, json: &RawValue) -> Option<Self> {
        match (format, json.get()) {
            (_, "null") => None,
            (Format::Adf, source) if !source.starts_with('"') => {
                Some(Self { format, source: source.to_owned() })
            }
            (_, text) => {
                let format = if format == Format::Adf { Format::Wiki(Dialect::Jira) } else { format };
                let source: String = serde_json::from_str(text).ok()?;
                Some(Self { format, source })
            }
        }
    }

    /// Takes a body as it is given: ADF as JSON text, or wiki markup.
    ///
    /// # Errors
    /// ADF that is no JSON.
    pub fn of_raw(format: Format, raw: &str) -> Result<Self, ToolError> {
        if format == Format::Adf {
            serde_json::from_str::<&RawValue>(raw).map_err(|error| {
                ToolError::invalid_input(format!(
                    "expected the JSON of an ADF document, but found other text: {error}"
                ))
            })?;
        }
        Ok(Self { format, source: raw.to_owned() })
    }

    /// Makes a body of Markdown.
    ///
    /// # Errors
    /// Content that the format has no place for, unless losses are accepted; mistakes that Jira would refuse.
    pub fn of_markdown(format: Format, markdown: &str, losses: Losses) -> Result<Edited, ToolError> {
        let Conversion { text, losses: lost, invalid, .. } = convert(Format::EDITED, format, markdown);
        let told: Vec<String> = lost
            .iter()
            .filter(|it| it.kind != plainwire_richtext::LossKind::Identity)
            .map(|it| it.message.clone())
            .collect();
        let invalid = invalid.iter().map(|it| it.message.clone()).collect();
        accept(Self { format, source: text }, told, invalid, losses)
    }

    /// Returns the body in Markdown that can be edited and given to [`Self::edited`].
    pub fn markdown(&self) -> String {
        Sidecar::markdown(&Document::read(self.format, &self.source))
    }

    /// Returns the stored text: JSON or wiki markup.
    pub fn raw(&self) -> &str {
        &self.source
    }

    /// Returns the body for a request.
    pub fn to_json(&self) -> Value {
        match self.format {
            Format::Adf => serde_json::from_str(&self.source).unwrap_or(Value::Null),
            _ => json!(self.source),
        }
    }

    /// Returns a short mark of the body, by which an edit can say what it is based on.
    pub fn revision(&self) -> String {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.source.as_bytes());
        digest.as_ref().iter().take(5).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the body with an edit: `markdown` is the edited output of [`Self::markdown`].
    ///
    /// # Errors
    /// Content that the edit lost, unless losses are accepted.
    pub fn edited(&self, markdown: &str, losses: Losses) -> Result<Edited, ToolError> {
        let (before, sidecar) = Sidecar::split(&Document::read(self.format, &self.source));
        if before == markdown {
            return Ok(Edited { rich: self.clone(), accepted: Vec::new() });
        }
        match sidecar.restore(markdown) {
            Ok(restored) => self.restored(restored, losses),
            // Another text in its place, which is what the caller may mean.
            Err(SidecarError::OtherDocument) => self.replaced(markdown, losses),
            Err(error) => Err(ToolError::invalid_input(error.to_string())),
        }
    }

    /// Returns the body with an edit of one section.
    ///
    /// # Errors
    /// An address without a section; content that the edit lost, unless losses are accepted.
    pub fn section_edited(&self, address: &str, markdown: &str, losses: Losses) -> Result<Edited, ToolError> {
        let unfit = |message: String| {
            ToolError::invalid_input(message).hint(
                "name a section by its heading, as in `Steps`, or by the number of its block, as in `[2]`",
            )
        };
        let document = Document::read(self.format, &self.source);
        let address: Address = address.parse().map_err(unfit)?;
        let section = document.section(&address).map_err(|error| unfit(error.to_string()))?;
        self.restored(section.patch(markdown), losses)
    }

    /// Returns a new body in the place of this one. Nodes that only this one has are told.
    fn replaced(&self, markdown: &str, losses: Losses) -> Result<Edited, ToolError> {
        let new = Self::of_markdown(self.format, markdown, losses)?;
        let hidden = convert(self.format, Format::Markdown(plainwire_richtext::Flavor::Plain), &self.source);
        if losses == Losses::Refuse && !hidden.is_lossless() {
            let told = hidden.losses.iter().map(|it| it.message.clone()).collect();
            return accept(new.rich, told, Vec::new(), losses);
        }
        Ok(new)
    }

    fn restored(&self, restored: Restored, losses: Losses) -> Result<Edited, ToolError> {
        let lost = restored.losses.iter().filter(|it| it.kind != plainwire_richtext::LossKind::Identity);
        let lost = lost.map(|it| it.message.clone());
        let gone = restored.conflicts.iter().map(|it| format!("the edit removes the {}", it.what));
        let told = gone.chain(lost).collect();
        let invalid = restored.invalid.iter().map(|it| it.message.clone()).collect();
        accept(Self { format: self.format, source: restored.text }, told, invalid, losses)
    }
}

/// Returns the body if nothing was lost, or losses are accepted. What is not valid is never written: Jira would refuse it.
fn accept(rich: Rich, lost: Vec<String>, invalid: Vec<String>, losses: Losses) -> Result<Edited, ToolError> {
    if !invalid.is_empty() {
        let message = format!("expected rich text that Jira takes, but {}", listed(&invalid));
        return Err(ToolError::invalid_input(message).hint("nothing was written"));
    }
    if losses == Losses::Refuse && !lost.is_empty() {
        let message = format!("nothing was written, because the edit would lose content: {}", listed(&lost));
        let hint = "keep these parts as they were in the Markdown that you read, or repeat the call with `accept_loss: true`";
        return Err(ToolError::new("content_loss", message).hint(hint));
    }
    Ok(Edited { rich, accepted: lost })
}

fn listed(all: &[String]) -> String {
    let mut told: Vec<&str> = all.iter().take(MAX_TOLD).map(String::as_str).collect();
    let more = all.len().saturating_sub(MAX_TOLD);
    let rest = format!("{more} more");
    if more > 0 {
        told.push(&rest);
    }
    told.join("; ")
}
