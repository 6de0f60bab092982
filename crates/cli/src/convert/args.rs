//! The options of `plainwire convert` and `plainwire patch`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use plainwire_richtext::{Address, Dialect, Flavor, Format};

use super::allowed::Allowed;

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// Format of the input.
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: FormatName,
    /// Format of the output.
    #[arg(long, value_name = "FORMAT")]
    pub(super) to: FormatName,
    #[command(flatten)]
    pub(super) format_options: FormatOptions,
    /// To Markdown: store in FILE what Markdown can't express. From Markdown: apply the edit to the document that FILE was made from.
    #[arg(long, value_name = "FILE", conflicts_with = "plain", value_hint = ValueHint::FilePath)]
    pub(super) sidecar: Option<PathBuf>,
    /// Names of people, pages and files, as JSON: see `names` in docs/rich-text.md.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) names: Option<PathBuf>,
    /// Write the document even if the edit lost a part of it; with WHAT only if it lost nothing else: `content`, `attribute`, `conflict`, `invalid`, lines of the Markdown (`7`, `7-9`), separated by commas.
    #[arg(long, value_name = "WHAT", requires = "sidecar", num_args = 0..=1, require_equals = true, default_missing_value = "all", value_delimiter = ',')]
    pub(super) allow_loss: Vec<Allowed>,
    /// Keep what the output format has no place for, in macros and attributes that only Plainwire reads.
    #[arg(long)]
    pub(super) keep_raw: bool,
    /// Format of the report on stderr.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(super) report: ReportFormat,
    /// Store input, output, sidecar and report in DIR, byte for byte.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) capture: Option<PathBuf>,
    /// Print the smallest part of the input that loses something, instead of the output.
    #[arg(long, conflicts_with_all = ["sidecar", "out", "capture"])]
    pub(super) minimize: bool,
    /// Write the output of each INPUT into DIR, under the name of the input.
    #[arg(long, value_name = "DIR", conflicts_with = "sidecar", value_hint = ValueHint::DirPath)]
    pub(super) out: Option<PathBuf>,
    /// Input files; stdin if you name none. More than one requires --out.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) input: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Patch {
    /// Section: headings (`Goals/This year`), `#localId`, or the number of a block from 0 (`[3]`).
    #[arg(long, value_name = "PATH")]
    pub(super) section: Address,
    /// Format of the document.
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: FormatName,
    #[command(flatten)]
    pub(super) format_options: FormatOptions,
    /// Print the section as Markdown, and change nothing.
    #[arg(long, conflicts_with = "markdown")]
    pub(super) show: bool,
    /// Names of people, pages and files, as JSON: see `names` in docs/rich-text.md.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) names: Option<PathBuf>,
    /// Print the document even if the edit lost a part of it; with WHAT only if it lost nothing else: `content`, `attribute`, `conflict`, `invalid`, lines of the Markdown (`7`, `7-9`), separated by commas.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "all", value_delimiter = ',')]
    pub(super) allow_loss: Vec<Allowed>,
    /// Keep what the output format has no place for, in macros and attributes that only Plainwire reads.
    #[arg(long)]
    pub(super) keep_raw: bool,
    /// Format of the report on stderr.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(super) report: ReportFormat,
    /// The document.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) document: PathBuf,
    /// The new section, in Markdown; stdin if you name no file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) markdown: Option<PathBuf>,
}

/// Options of the formats.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct FormatOptions {
    /// Dialect of the wiki markup.
    #[arg(long, value_enum, default_value = "confluence")]
    dialect: DialectName,
    /// Write Markdown for reading only: without directives, whose content is lost.
    #[arg(long)]
    plain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatName {
    /// Atlassian Document Format, JSON.
    Adf,
    /// Confluence storage format, XHTML with macros.
    Storage,
    /// Wiki markup.
    Wiki,
    /// Markdown, with directives for what Markdown has no syntax for.
    Markdown,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectName {
    Jira,
    Confluence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportFormat {
    /// One line for each finding.
    Text,
    /// One JSON object for each document.
    Json,
}

impl FormatOptions {
    /// Returns the format of this name, with these options.
    pub(super) fn format(self, name: FormatName) -> Format {
        match name {
            FormatName::Adf => Format::Adf,
            FormatName::Storage => Format::Storage,
            FormatName::Wiki => Format::Wiki(match self.dialect {
                DialectName::Jira => Dialect::Jira,
                DialectName::Confluence => Dialect::Confluence,
            }),
            FormatName::Markdown => {
                Format::Markdown(if self.plain { Flavor::Plain } else { Flavor::Extended })
            }
        }
    }
}

impl FormatName {
    /// Returns the extension of files in this format.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Adf => "json",
            Self::Storage => "xml",
            Self::Wiki => "wiki",
            Self::Markdown => "md",
        }
    }
}
