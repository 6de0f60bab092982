//! What `${…}` in a configuration file stands for.
//!
//! In: a text of the file and [`Variables`], which know the environment. Out: the text that the client would use. What was
//! put in is not looked at again. Nothing here reads the environment: whoever owns the program hands it in.

use std::fmt;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;

use plainwire_proto::json::visible;

use super::{Dialect, Input};

type Lookup<T> = Arc<dyn Fn(&T) -> Option<String> + Send + Sync>;

/// What variables in a configuration file stand for.
///
/// | In the file | Where | What it becomes |
/// |---|---|---|
/// | `${NAME}`, `${NAME:-text}` | Claude Code | a variable of the environment, or the text if it is not set |
/// | `${env:NAME}` | Cursor, VS Code, Windsurf | a variable of the environment |
/// | `${input:id}` | VS Code | what [`Self::inputs`] answers |
/// | `${userHome}` | Cursor, VS Code | `HOME` or `USERPROFILE` of the environment |
/// | `${workspaceFolder}`, `${workspaceFolderBasename}` | Cursor, VS Code | [`Self::workspace`], else the project that the file belongs to |
/// | `${pathSeparator}`, `${/}` | Cursor, VS Code | `/`, or `\` on Windows |
/// | `${file:/path}` | Windsurf | what is in the file, without blanks at its ends |
///
/// A file of Claude Desktop has none: `${…}` stays as it stands. A file of nobody that we know may have all of them.
///
/// Sources: `code.claude.com/docs/en/mcp`, "Environment variable expansion", where it is said of `.mcp.json`;
/// `code.visualstudio.com/docs/reference/variables-reference`, which the page of `mcp.json` refers to; `cursor.com/docs/mcp`, "Config
/// interpolation"; `docs.windsurf.com/windsurf/cascade/mcp`, "Config Interpolation". As with Claude Code, a variable that is
/// not set is an error here, whatever the others do.
#[derive(Clone)]
pub struct Variables {
    environment: Lookup<str>,
    inputs: Lookup<Input>,
    workspace: Option<PathBuf>,
}

impl Variables {
    /// Takes the variables of an environment: `Variables::new(|name| std::env::var(name).ok())`.
    pub fn new(environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { environment: Arc::new(environment), inputs: Arc::new(|_| None), workspace: None }
    }

    /// Answers what a file of VS Code would ask its user.
    #[must_use]
    pub fn inputs(self, answer: impl Fn(&Input) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { inputs: Arc::new(answer), ..self }
    }

    /// Sets the folder that is open, for files that don't say it by where they are.
    #[must_use]
    pub fn workspace(self, folder: impl Into<PathBuf>) -> Self {
        Self { workspace: Some(folder.into()), ..self }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    /// Returns `text` with all variables of `dialect` put in.
    pub(super) fn expand(&self, text: &str, place: &Place<'_>) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, inside)) = rest.split_once("${") {
            let Some((name, behind)) = inside.split_once('}') else { break };
            out.push_str(before);
            match self.value(name, place)? {
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

    /// The value of `${reference}`; none if it is no reference here.
    fn value(&self, reference: &str, place: &Place<'_>) -> Result<Option<String>, String> {
        let dialect = place.dialect;
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
            _ => self.prefixed(reference, place),
        }
    }

    fn plain(&self, name: &str, default: Option<&str>) -> Result<String, String> {
        match (default, (self.environment)(name)) {
            // Also if it is not needed: the `}` of the inner one would be left behind the value.
            (Some(default), _) if default.contains("${") => {
                Err(format!("expected a text behind `${{{name}:-`, but found another variable"))
            }
            (_, Some(value)) => Ok(value),
            (Some(default), None) => Ok(default.to_owned()),
            (None, None) => Err(unset(name)),
        }
    }

    fn prefixed(&self, reference: &str, place: &Place<'_>) -> Result<Option<String>, String> {
        let workspace =
            || place.workspace.ok_or("expected a folder for `${workspaceFolder}`, but found none");
        let found = match reference.split_once(':').unwrap_or((reference, "")) {
            ("env", name) if !name.is_empty() => (self.environment)(name).ok_or_else(|| unset(name))?,
            ("input", id) if is_of(place, &[Dialect::VsCode]) => self.answer(id, place)?,
            ("file", path) if is_of(place, &[Dialect::Windsurf]) => {
                super::file::read(Path::new(path), super::file::MAX_VALUE)?.trim().to_owned()
            }
            ("userHome", "") => ["HOME", "USERPROFILE"]
                .iter()
                .find_map(|name| (self.environment)(name))
                .ok_or("expected `${userHome}` to be known, but found no HOME and no USERPROFILE")?,
            ("workspaceFolder", "") => workspace()?.display().to_string(),
            ("workspaceFolderBasename", "") => {
                workspace()?.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            ("pathSeparator" | "/", "") => MAIN_SEPARATOR_STR.to_owned(),
            (prefix, name) if !name.is_empty() && is_name(prefix) => {
                let reference = visible(reference, 80);
                return Err(format!("expected a variable that is known, but found `${{{reference}}}`"));
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    fn answer(&self, id: &str, place: &Place<'_>) -> Result<String, String> {
        let input = place.inputs.iter().find(|it| it.id == id);
        let input =
            input.ok_or_else(|| format!("expected `inputs` to describe {id:?}, but found no such input"))?;
        (self.inputs)(input).or_else(|| input.default.clone().filter(|_| !input.password)).ok_or_else(|| {
            let what = input.description.as_deref().unwrap_or("nothing is said of it");
            format!("expected an answer to the input {id:?} ({what}), but found none")
        })
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

/// Where a text stands.
pub(super) struct Place<'p> {
    pub(super) dialect: Dialect,
    pub(super) inputs: &'p [Input],
    pub(super) workspace: Option<&'p Path>,
}

/// These are not of the environment where both may stand.
const PREDEFINED: [&str; 4] = ["pathSeparator", "userHome", "workspaceFolder", "workspaceFolderBasename"];

fn is_of(place: &Place<'_>, dialects: &[Dialect]) -> bool {
    place.dialect == Dialect::Any || dialects.contains(&place.dialect)
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

fn unset(name: &str) -> String {
    // Files come with what is downloaded: whoever wrote them draws nothing on a terminal.
    format!("expected the variable `{}` to be set, but found nothing", visible(name, 80))
}
