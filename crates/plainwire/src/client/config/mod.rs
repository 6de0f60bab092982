//! Configuration files of clients: `mcpServers` of Claude Desktop, Claude Code, Cursor, Windsurf and others,
//! `servers` of VS Code.
//!
//! In: a file, and values for its variables. Out: a [`Target`](crate::client::Target) for each server.
//! Unknown keys and comments are ignored. An invalid entry does not affect the other entries. This module
//! reads only the files that the caller names, and writes none.
//!
//! ```
//! use plainwire::client::config::{Config, Variables};
//!
//! # fn run() -> plainwire::Result<()> {
//! let text = r#"{ "mcpServers": { "reference": { "command": "plainwire", "args": ["serve", "reference"] } } }"#;
//! let config = Config::parse(text, ".mcp.json")?;
//! let variables = Variables::new(|name| std::env::var(name).ok());
//! let target = config.entry("reference")?.target(&variables)?;
//! # Ok(()) }
//! # run().unwrap();
//! ```
//!
//! Sources, as of 2026: `modelcontextprotocol.io/docs/develop/connect-local-servers` (Claude Desktop),
//! `code.claude.com/docs/en/mcp`, `code.visualstudio.com/docs/agents/reference/mcp-configuration`,
//! `cursor.com/docs/mcp`, `docs.windsurf.com/windsurf/cascade/mcp`. Comments in the code say which page
//! defines what.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, Result};

mod entry;
mod file;
mod jsonc;
#[cfg(test)]
mod tests;
mod variables;

pub use entry::ConfigEntry;
use entry::FileInfo;
use jsonc::{Members, kind, to_json};
pub use variables::Variables;

/// The servers of a configuration file, in the order of the file.
pub struct Config {
    entries: Vec<ConfigEntry>,
    file: Arc<FileInfo>,
}

/// A question that VS Code asks its user before it starts a server: an element of `inputs`.
///
/// Source: `code.visualstudio.com/docs/agents/reference/mcp-configuration`, "Input variables"; for `default`,
/// `code.visualstudio.com/docs/reference/variables-reference`, "Input variables".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// The suggested answer. It is used if [`Variables::inputs`] gives no answer, but never for a password.
    pub default: Option<String>,
    /// The text of the question, for the user.
    pub description: Option<String>,
    /// The id of the question, by which an entry refers to the answer: `${input:id}`.
    pub id: String,
    /// Whether the answer is a secret, to be hidden while the user types.
    pub password: bool,
}

/// The client that a file belongs to. It determines which variables the file can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// The path of the file shows no client that this module knows.
    Any,
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Windsurf,
}

impl Config {
    /// Reads the configuration file at `path`.
    ///
    /// # Errors
    /// [`Error::Target`] if the file can't be read, or has more than 64 MiB; otherwise like [`Self::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = file::read(path, file::MAX_CONFIG).map_err(|message| Error::Target { message })?;
        Self::parse(&text, path)
    }

    /// Reads the servers that the file at `path` holds for the project in `folder`:
    /// `projects.FOLDER.mcpServers` of Claude Code's `.claude.json`. A file without such a project has no
    /// servers.
    ///
    /// # Errors
    /// Like [`Self::read`].
    pub fn read_project(path: impl AsRef<Path>, folder: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = file::read(path, file::MAX_CONFIG).map_err(|message| Error::Target { message })?;
        Self::parse_part(&text, path, Some(folder.as_ref()))
    }

    /// Parses `text`, the contents of the file at `path`. An empty text, or one without the list of servers,
    /// has no servers.
    ///
    /// The name of the file, its folder, and the key of its list of servers (`mcpServers` or `servers`)
    /// determine the client that the file belongs to.
    /// The project that the file belongs to is the folder of `.mcp.json`, or the folder that contains `.vscode` or
    /// `.cursor`.
    ///
    /// # Errors
    /// [`Error::Target`] if the text is not JSON with comments, if it or its list of servers is not an
    /// object, or if two servers have the same name.
    pub fn parse(text: &str, path: impl AsRef<Path>) -> Result<Self> {
        Self::parse_part(text, path.as_ref(), None)
    }

    /// Parses the servers of `project` in a file of Claude Code; without a project, the servers at the top
    /// level of the file.
    fn parse_part(text: &str, path: &Path, project: Option<&Path>) -> Result<Self> {
        let json = to_json(text);
        if json.trim().is_empty() {
            return Ok(Self::of(path, Dialect::Any, Vec::new(), "", Vec::new()));
        }
        let fault =
            |line: usize, why: String| Error::Target { message: format!("{}:{line}: {why}", path.display()) };
        // Types are checked by hand: an error of `serde_json` about types shows values.
        let broken = |error: &serde_json::Error| match error.is_eof() {
            true => fault(
                text.lines().count(),
                "expected JSON to go on, but found the end of the file; is a bracket or quote open?"
                    .to_owned(),
            ),
            false => fault(error.line(), format!("expected JSON, but found: {error}")),
        };
        let root: &RawValue = serde_json::from_str(&json).map_err(|error| broken(&error))?;
        let object = |value: &RawValue, what: &str| match kind(value.get()) {
            "an object" => Ok(()),
            other => Err(fault(
                line(&json, value.get()),
                format!("expected {what} to be an object, but found {other}"),
            )),
        };
        object(root, "the file")?;
        let mut root: Members<'_> = serde_json::from_str(root.get()).map_err(|error| broken(&error))?;
        if let Some(folder) = project {
            let none = || Self::of(path, Dialect::of(path), Vec::new(), "", Vec::new());
            let Some(projects) = root.find(|it| it == "projects") else { return Ok(none()) };
            object(projects, "`projects`")?;
            let projects: Members<'_> =
                serde_json::from_str(projects.get()).map_err(|error| broken(&error))?;
            // Compared as paths, not as text: a separator at the end means nothing, and Windows has two
            // separators.
            let Some(project) = projects.find(|it| Path::new(it) == folder) else { return Ok(none()) };
            object(project, &format!("the project {}", folder.display()))?;
            root = serde_json::from_str(project.get()).map_err(|error| broken(&error))?;
        }
        let member = |name: &str| root.find(|it| it == name);
        let (name, dialect) = match member("mcpServers") {
            Some(_) => ("mcpServers", Dialect::of(path)),
            None if project.is_some() => ("mcpServers", Dialect::of(path)),
            None => ("servers", Dialect::VsCode),
        };
        let Some(servers) = member(name) else {
            let keys = ["mcpServers", "servers"];
            let like = |found: &str| keys.into_iter().find(|key| key.eq_ignore_ascii_case(found));
            if let Some((found, value)) = root.0.iter().find(|(found, _)| like(found).is_some()) {
                let key = like(found).unwrap_or_default();
                return Err(fault(
                    line(&json, value.get()),
                    format!("expected `{key}`, but found `{found}`"),
                ));
            }
            return Ok(Self::of(path, dialect, Vec::new(), "", Vec::new()));
        };
        object(servers, &format!("`{name}`"))?;
        let servers: Members<'_> = serde_json::from_str(servers.get()).map_err(|error| broken(&error))?;
        let mut names: Vec<&str> = servers.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|it| it[0] == it[1]) {
            let second = servers.0.iter().rev().find(|(name, _)| name == twice[0]);
            let line = second.map_or(1, |(_, value)| line(&json, value.get()));
            return Err(fault(line, format!("expected each server once, but found {:?} again", twice[0])));
        }
        let inputs = member("inputs").map(inputs).unwrap_or_default();
        Ok(Self::of(path, dialect, inputs, &json, servers.0))
    }

    fn of(
        path: &Path,
        dialect: Dialect,
        inputs: Vec<Input>,
        json: &str,
        servers: Vec<(String, &RawValue)>,
    ) -> Self {
        let shared = FileInfo { dialect, inputs, path: path.to_path_buf(), workspace: workspace(path) };
        let file = Arc::new(shared);
        let entry = |(name, value): (String, &RawValue)| {
            ConfigEntry::new(&file, name, line(json, value.get()), value.get())
        };
        Self { entries: servers.into_iter().map(entry).collect(), file }
    }

    /// Returns all servers, in the order of the file.
    pub fn entries(&self) -> &[ConfigEntry] {
        &self.entries
    }

    /// Returns the questions that VS Code asks the user for this file.
    pub fn inputs(&self) -> &[Input] {
        &self.file.inputs
    }

    /// Returns the server with this name.
    ///
    /// # Errors
    /// [`Error::Target`] if there is none. The message names the servers of the file, at most 20.
    pub fn entry(&self, name: &str) -> Result<&ConfigEntry> {
        self.entries.iter().find(|it| it.name() == name).ok_or_else(|| {
            let names: Vec<_> =
                self.entries.iter().take(MAX_NAMES).map(|it| format!("{:?}", it.name())).collect();
            let found = match names.len() {
                0 => "no server at all".to_owned(),
                _ => names.join(", "),
            };
            let path = self.file.path.display();
            Error::Target { message: format!("expected {path} to have a server {name:?}, but found {found}") }
        })
    }
}

/// The most servers that the error of [`Config::entry`] names.
const MAX_NAMES: usize = 20;

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config").field("path", &self.file.path).field("entries", &self.entries).finish()
    }
}

impl Dialect {
    fn of(path: &Path) -> Self {
        let folder = path.parent().and_then(Path::file_name);
        match path.file_name().and_then(OsStr::to_str) {
            Some("claude_desktop_config.json") => Self::ClaudeDesktop,
            Some(".claude.json" | ".mcp.json") => Self::ClaudeCode,
            Some("mcp_config.json") => Self::Windsurf,
            _ if folder == Some(OsStr::new(".cursor")) => Self::Cursor,
            _ if folder == Some(OsStr::new(".vscode")) => Self::VsCode,
            _ => Self::Any,
        }
    }
}

/// Returns the folder of the project that a file belongs to according to its path; `None` if the path does
/// not say.
fn workspace(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let folder = path.parent()?;
    if path.file_name() == Some(OsStr::new(".mcp.json")) {
        return Some(folder.to_path_buf());
    }
    let name = folder.file_name()?;
    [".cursor", ".vscode"].iter().any(|it| name == *it).then(|| folder.parent().map(Path::to_path_buf))?
}

/// Returns the line of `text`, from 1, in which `part` begins. `part` has to be a slice of `text`.
fn line(text: &str, part: &str) -> usize {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// Parses `inputs`. Invalid elements are ignored: an entry that needs such an input reports that it is
/// missing.
fn inputs(json: &RawValue) -> Vec<Input> {
    #[derive(Deserialize)]
    struct Written {
        default: Option<String>,
        description: Option<String>,
        id: String,
        #[serde(default)]
        password: bool,
    }
    let all: Vec<&RawValue> = serde_json::from_str(json.get()).unwrap_or_default();
    let read = |it: &&RawValue| serde_json::from_str::<Written>(it.get()).ok();
    let written = all.iter().filter_map(read);
    written
        .map(|it| Input {
            default: it.default,
            description: it.description,
            id: it.id,
            password: it.password,
        })
        .collect()
}
