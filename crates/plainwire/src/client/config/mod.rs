//! The files in which clients keep their servers: `mcpServers` of Claude Desktop, Claude Code, Cursor, Windsurf and others,
//! `servers` of VS Code.
//!
//! In: a file, and what its variables stand for. Out: a [`Target`](crate::Target) for each server. Keys that are not known
//! are passed over, comments as well; what is wrong with one server is no matter for the others. Files are read and never
//! written, and only those that are named.
//!
//! ```
//! use plainwire::config::{Config, Variables};
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
//! Sources, as they stood in 2026: `modelcontextprotocol.io/docs/develop/connect-local-servers` (Claude Desktop),
//! `code.claude.com/docs/en/mcp`, `code.visualstudio.com/docs/agents/reference/mcp-configuration`, `cursor.com/docs/mcp`,
//! `docs.windsurf.com/windsurf/cascade/mcp`. What each says stands where it is used.

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

use entry::Shared;
pub use entry::{Entry, Transport};
use jsonc::{Members, kind, to_json};
pub use variables::Variables;

/// The servers of a configuration file, in its order.
pub struct Config {
    entries: Vec<Entry>,
    file: Arc<Shared>,
}

/// Something that VS Code asks its user before it starts a server: an element of `inputs`.
///
/// Source: `code.visualstudio.com/docs/agents/reference/mcp-configuration`, "Input variables"; `default` is of
/// `code.visualstudio.com/docs/reference/variables-reference`, "Input variables".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// What is suggested. It is the answer if there is no other, but not to a password.
    pub default: Option<String>,
    /// What is asked.
    pub description: Option<String>,
    /// What `${input:…}` calls it.
    pub id: String,
    /// Whether nobody may look on.
    pub password: bool,
}

/// Whose file it is: which variables it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    /// Nobody's that we know.
    Any,
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Windsurf,
}

impl Config {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`Error::Target`] if it can't be read, has more than 64 MiB, or as [`Self::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = file::read(path, file::MAX_CONFIG).map_err(|message| Error::Target { message })?;
        Self::parse(&text, path)
    }

    /// Reads what the file at `path` keeps for the project in `folder`: `projects.FOLDER.mcpServers` of Claude Code's
    /// `.claude.json`. A file without such a project is one without servers.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_project(path: impl AsRef<Path>, folder: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = file::read(path, file::MAX_CONFIG).map_err(|message| Error::Target { message })?;
        Self::parse_part(&text, path, Some(folder.as_ref()))
    }

    /// Reads `text`, which stands at `path`. An empty text, and one without servers, is a file without servers.
    ///
    /// Whose file it is is known by its name, its folder and its shape; `${workspaceFolder}` is the folder of `.mcp.json`, or
    /// that of `.vscode` or `.cursor`.
    ///
    /// # Errors
    /// [`Error::Target`] for a text that is no JSON, even with comments, or whose servers are no object.
    pub fn parse(text: &str, path: impl AsRef<Path>) -> Result<Self> {
        Self::parse_part(text, path.as_ref(), None)
    }

    /// Reads the servers of a project, or those of the file.
    fn parse_part(text: &str, path: &Path, project: Option<&Path>) -> Result<Self> {
        let json = to_json(text);
        if json.trim().is_empty() {
            return Ok(Self::of(path, Dialect::Any, Vec::new(), "", Vec::new()));
        }
        let fault =
            |line: usize, why: String| Error::Target { message: format!("{}:{line}: {why}", path.display()) };
        // Told apart by hand: an error of `serde_json` about types shows values.
        let broken =
            |error: &serde_json::Error| fault(error.line(), format!("expected JSON, but found: {error}"));
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
            // Not by the text: a separator at the end means nothing, and Windows has two of them.
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
        let shared = Shared { dialect, inputs, path: path.to_path_buf(), workspace: workspace(path) };
        let file = Arc::new(shared);
        let entry = |(name, value): (String, &RawValue)| {
            Entry::new(&file, name, line(json, value.get()), value.get())
        };
        Self { entries: servers.into_iter().map(entry).collect(), file }
    }

    /// Returns all servers, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns what the file would ask its user.
    pub fn inputs(&self) -> &[Input] {
        &self.file.inputs
    }

    /// Returns the server of that name.
    ///
    /// # Errors
    /// [`Error::Target`] if there is none; it says which there are.
    pub fn entry(&self, name: &str) -> Result<&Entry> {
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

/// Names that an error shows.
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

/// The project that a file belongs to, by where it is.
fn workspace(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let folder = path.parent()?;
    if path.file_name() == Some(OsStr::new(".mcp.json")) {
        return Some(folder.to_path_buf());
    }
    let name = folder.file_name()?;
    [".cursor", ".vscode"].iter().any(|it| name == *it).then(|| folder.parent().map(Path::to_path_buf))?
}

/// The line of `part`, which is a part of `text`.
fn line(text: &str, part: &str) -> usize {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// Reads `inputs`; those that are none are passed over, since a server says which it needs.
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
