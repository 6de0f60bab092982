//! Expands `${…}` in configuration files.
//!
//! In: a text of the file, and [`Variables`], which look up the environment. Out: the text that the client
//! would use. Expanded values are not expanded again. This module does not read the environment: the program
//! passes it in.

use std::fmt;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;

use plainwire_proto::json::visible;

use super::{Dialect, Input};

type Lookup<T> = Arc<dyn Fn(&T) -> Option<String> + Send + Sync>;

/// The values of variables in a configuration file.
///
/// | In the file | Client | Value |
/// |---|---|---|
/// | `${NAME}`, `${NAME:-text}` | Claude Code | a variable of the environment, or the text if it is not set |
/// | `${env:NAME}` | Cursor, VS Code, Windsurf | a variable of the environment |
/// | `${input:id}` | VS Code | the answer of [`Self::inputs`] |
/// | `${userHome}` | Cursor, VS Code | `HOME` or `USERPROFILE` of the environment |
/// | `${workspaceFolder}`, `${workspaceFolderBasename}` | Cursor, VS Code | [`Self::workspace`], else the project that the file belongs to |
/// | `${pathSeparator}`, `${/}` | Cursor, VS Code | `/`, or `\` on Windows |
/// | `${file:/path}` | Windsurf | the contents of the file, without blanks at its ends |
///
/// A file of Claude Desktop has no variables: `${…}` stays as it is. A file of an unknown client may have all
/// of them.
///
/// Sources: `code.claude.com/docs/en/mcp`, "Environment variable expansion", which is about `.mcp.json`;
/// `code.visualstudio.com/docs/reference/variables-reference`, which the page about `mcp.json` refers to;
/// `cursor.com/docs/mcp`, "Config interpolation"; `docs.windsurf.com/windsurf/cascade/mcp`, "Config
/// Interpolation". A variable that is not set is an error for all clients here, as it is in Claude Code.
#[derive(Clone)]
pub struct Variables {
    environment: Lookup<str>,
    inputs: Lookup<Input>,
    left_out: Vec<String>,
    workspace: Option<PathBuf>,
}

impl Variables {
    /// Creates variables that look up the environment by a function, such as `|name|
    /// std::env::var(name).ok()`.
    pub fn new(environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            environment: Arc::new(environment),
            inputs: Arc::new(|_| None),
            left_out: Vec::new(),
            workspace: None,
        }
    }

    /// Sets the function that answers the `inputs` of a VS Code file: the questions that VS Code would ask
    /// its user. It returns `None` for a question without an answer.
    #[must_use]
    pub fn inputs(self, answer: impl Fn(&Input) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { inputs: Arc::new(answer), ..self }
    }

    /// Leaves a header of entries out, with the variables in it: the program sets it itself. Case is ignored.
    #[must_use]
    pub fn without_header(mut self, name: impl Into<String>) -> Self {
        self.left_out.push(name.into());
        self
    }

    /// Returns whether a header of entries is left out.
    pub(super) fn leaves_out(&self, name: &str) -> bool {
        self.left_out.iter().any(|it| it.eq_ignore_ascii_case(name))
    }

    /// Sets the open folder, the value of `${workspaceFolder}`. It takes precedence over the project that the
    /// file belongs to according to its path.
    #[must_use]
    pub fn workspace(self, folder: impl Into<PathBuf>) -> Self {
        Self { workspace: Some(folder.into()), ..self }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    /// Returns `text` with all variables of the file's client expanded.
    pub(super) fn expand(&self, text: &str, scope: &Scope<'_>) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, inside)) = rest.split_once("${") {
            let Some((name, behind)) = inside.split_once('}') else { break };
            out.push_str(before);
            match self.value(name, scope)? {
                Some(value) => out.push_str(&value),
                None => {
                    out.push_str("${");
                    rest = inside;
                    continue;
                }
            }
            rest = behind;
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Returns the value of `${reference}`; `None` if the file's client has no such variable, so that the
    /// text stays as it is. An unknown variable of the form `${word:text}` is an error, unless the file is of
    /// Claude Code or Claude Desktop.
    fn value(&self, reference: &str, scope: &Scope<'_>) -> Result<Option<String>, String> {
        let dialect = scope.dialect;
        if dialect == Dialect::ClaudeDesktop {
            return Ok(None);
        }
        if matches!(dialect, Dialect::Any | Dialect::ClaudeCode) {
            let (name, default) =
                reference.split_once(":-").map_or((reference, None), |(name, it)| (name, Some(it)));
            if is_name(name) && !(dialect == Dialect::Any && PREDEFINED.contains(&name)) {
                return self.plain(name, default).map(Some);
            }
        }
        match dialect {
            Dialect::ClaudeCode => Ok(None),
            _ => self.prefixed(reference, scope),
        }
    }

    fn plain(&self, name: &str, default: Option<&str>) -> Result<String, String> {
        match (default, (self.environment)(name)) {
            // An error even if the default is not needed: the `}` of the inner variable would be left after
            // the value.
            (Some(default), _) if default.contains("${") => {
                Err(format!("expected text after `${{{name}:-`, but found another variable"))
            }
            (_, Some(value)) => Ok(value),
            (Some(default), None) => Ok(default.to_owned()),
            (None, None) => Err(unset(name)),
        }
    }

    fn prefixed(&self, reference: &str, scope: &Scope<'_>) -> Result<Option<String>, String> {
        let workspace = || {
            scope.workspace.ok_or(
                "expected a folder for `${workspaceFolder}` (the file belongs to no project), but found none",
            )
        };
        let found = match reference.split_once(':').unwrap_or((reference, "")) {
            // The rest may be a secret: a default, which this client does not have.
            ("env", name) if name.contains(":-") => {
                let name = visible(name.split(":-").next().unwrap_or_default(), 80);
                return Err(format!("expected `${{env:{name}}}` without a default, but found one"));
            }
            ("env", name) if !name.is_empty() => (self.environment)(name).ok_or_else(|| unset(name))?,
            ("input", id) if is_of(scope, &[Dialect::VsCode]) => self.answer(id, scope)?,
            ("file", path) if is_of(scope, &[Dialect::Windsurf]) => {
                super::file::read(Path::new(path), super::file::MAX_VALUE)?.trim().to_owned()
            }
            ("userHome" | "workspaceFolder" | "workspaceFolderBasename" | "pathSeparator" | "/", "")
                if scope.dialect == Dialect::Windsurf =>
            {
                return Ok(None);
            }
            ("userHome", "") => ["HOME", "USERPROFILE"]
                .iter()
                .find_map(|name| (self.environment)(name))
                .ok_or("expected HOME or USERPROFILE for `${userHome}`, but found neither")?,
            ("workspaceFolder", "") => workspace()?.display().to_string(),
            ("workspaceFolderBasename", "") => {
                workspace()?.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            ("pathSeparator" | "/", "") => MAIN_SEPARATOR_STR.to_owned(),
            (prefix, name) if !name.is_empty() && is_name(prefix) => {
                // The rest may be a secret: the default of Claude Code's `${TOKEN:-s3cret}`.
                let prefix = visible(prefix, 80);
                return Err(format!("expected a known variable, but found `${{{prefix}:…}}`"));
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    fn answer(&self, id: &str, scope: &Scope<'_>) -> Result<String, String> {
        let input = scope.inputs.iter().find(|it| it.id == id);
        let input =
            input.ok_or_else(|| format!("expected `inputs` to describe {id:?}, but found no such input"))?;
        (self.inputs)(input).or_else(|| input.default.clone().filter(|_| !input.password)).ok_or_else(|| {
            let what = input.description.as_deref().unwrap_or("no description");
            format!("expected an answer to the input {id:?} ({what}), but found none")
        })
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// The facts about a configuration file that decide which variables it may use, and which values they have.
pub(super) struct Scope<'p> {
    pub(super) dialect: Dialect,
    pub(super) inputs: &'p [Input],
    pub(super) workspace: Option<&'p Path>,
}

/// The names of variables of VS Code and Cursor. In files of an unknown client, these names are not looked up
/// in the environment.
const PREDEFINED: [&str; 4] = ["pathSeparator", "userHome", "workspaceFolder", "workspaceFolderBasename"];

fn is_of(scope: &Scope<'_>, dialects: &[Dialect]) -> bool {
    scope.dialect == Dialect::Any || dialects.contains(&scope.dialect)
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

fn unset(name: &str) -> String {
    // Configuration files may come from strangers: their text must not control the terminal.
    format!("expected the variable `{}` to be set, but found nothing", visible(name, 80))
}
