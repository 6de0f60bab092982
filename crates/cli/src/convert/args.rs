//! What can be written after `plainwire convert` and `plainwire patch`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use plainwire_richtext::{Address, Dialect, Flavor, Format};

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// How the input is written.
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Name,
    /// How the output is to be written.
    #[arg(long, value_name = "FORMAT")]
    pub(super) to: Name,
    #[command(flatten)]
    pub(super) spelling: Spelling,
    /// To Markdown: write into FILE what Markdown can't say. From Markdown: put the edit back into the document FILE was made of.
    #[arg(long, value_name = "FILE", conflicts_with = "plain", value_hint = ValueHint::FilePath)]
    pub(super) sidecar: Option<PathBuf>,
    /// Names of people, pages and files, JSON: see `names` in docs/rich-text.md.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) names: Option<PathBuf>,
    /// Write the document although the edit lost something of it.
    #[arg(long, requires = "sidecar")]
    pub(super) allow_loss: bool,
    /// How to say what was lost, on stderr.
    #[arg(long, value_enum, value_name = "HOW", default_value = "text")]
    pub(super) report: Report,
    /// Keep input, output and report in DIR, byte for byte.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) capture: Option<PathBuf>,
    /// Print the smallest part of the input that loses something, instead of the output.
    #[arg(long, conflicts_with_all = ["sidecar", "out", "capture"])]
    pub(super) minimize: bool,
    /// Write the output of each INPUT into DIR, under its name.
    #[arg(long, value_name = "DIR", conflicts_with = "sidecar", value_hint = ValueHint::DirPath)]
    pub(super) out: Option<PathBuf>,
    /// Files; without any, stdin. More than one need --out.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) input: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Patch {
    /// Which part: headings (`Goals/This year`), `#localId`, or the number of a block from 0 (`[3]`).
    #[arg(long, value_name = "PATH")]
    pub(super) section: Address,
    /// How the document is written.
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Name,
    #[command(flatten)]
    pub(super) spelling: Spelling,
    /// Print the part as Markdown, and change nothing.
    #[arg(long, conflicts_with = "markdown")]
    pub(super) show: bool,
    /// Names of people, pages and files, JSON: see `names` in docs/rich-text.md.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) names: Option<PathBuf>,
    /// Print the document although the edit lost something of it.
    #[arg(long)]
    pub(super) allow_loss: bool,
    /// How to say what was lost, on stderr.
    #[arg(long, value_enum, value_name = "HOW", default_value = "text")]
    pub(super) report: Report,
    /// The document.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) document: PathBuf,
    /// The part as it is to be, in Markdown; without it, stdin.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) markdown: Option<PathBuf>,
}

/// What belongs to a format.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Spelling {
    /// Whose wiki markup.
    #[arg(long, value_enum, default_value = "confluence")]
    dialect: Whose,
    /// Write Markdown for reading only: without directives, and with what they say lost.
    #[arg(long)]
    plain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Name {
    /// Atlassian Document Format, JSON.
    Adf,
    /// Confluence storage format, XHTML with macros.
    Storage,
    /// Wiki markup.
    Wiki,
    /// Markdown, with directives for what it has no syntax for.
    Markdown,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Whose {
    Jira,
    Confluence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Report {
    /// A line each.
    Text,
    /// One object.
    Json,
}

impl Spelling {
    /// The format of this name.
    pub(super) fn format(self, name: Name) -> Format {
        match name {
            Name::Adf => Format::Adf,
            Name::Storage => Format::Storage,
            Name::Wiki => Format::Wiki(match self.dialect {
                Whose::Jira => Dialect::Jira,
                Whose::Confluence => Dialect::Confluence,
            }),
            Name::Markdown => Format::Markdown(if self.plain { Flavor::Plain } else { Flavor::Extended }),
        }
    }
}

impl Name {
    /// How files of this format end.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Adf => "json",
            Self::Storage => "xml",
            Self::Wiki => "wiki",
            Self::Markdown => "md",
        }
    }
}
