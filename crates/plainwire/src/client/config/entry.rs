//! An entry of a configuration file: one server.
//!
//! In: the entry's JSON. Out: a [`Target`] with expanded variables. Keys that are not needed to connect are
//! ignored: each client has keys of its own. Errors and `Debug` show no value of the environment, no argument
//! and no header, since these may hold tokens.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::file::{self, MAX_VALUE};
use super::jsonc::{Members, kind};
use super::variables::{Scope, Variables};
use super::{Dialect, Input};
use crate::client::{Target, Transport};
use crate::error::{Error, Result};

/// A server of a configuration file.
#[derive(Clone)]
pub struct ConfigEntry {
    disabled: bool,
    file: Arc<FileInfo>,
    line: usize,
    name: String,
    spec: std::result::Result<Spec, String>,
}

/// The facts about a configuration file that its entries need.
pub(super) struct FileInfo {
    pub(super) dialect: Dialect,
    pub(super) inputs: Vec<Input>,
    pub(super) path: PathBuf,
    /// The folder of the project that the file belongs to according to its path; `None` if the path does not
    /// say.
    pub(super) workspace: Option<PathBuf>,
}

/// The part of an entry that is needed to connect, with variables that are not expanded.
#[derive(Clone)]
enum Spec {
    Command {
        args: Vec<String>,
        command: String,
        cwd: Option<String>,
        /// The environment variables to set, with their values. A variable without a value is removed from
        /// the environment.
        env: Vec<(String, Option<String>)>,
        env_file: Option<String>,
    },
    Http {
        headers: Vec<(String, String)>,
        /// Whether secrets in the headers may go to another machine over `http`.
        unencrypted: bool,
        url: String,
    },
}

impl ConfigEntry {
    pub(super) fn new(file: &Arc<FileInfo>, name: String, line: usize, json: &str) -> Self {
        let members = serde_json::from_str::<Members<'_>>(json);
        let members = members.map_err(|_| format!("expected an object, but found {}", kind(json)));
        let members = members.map(|it| Fields(it.0));
        let is = |name, value| members.as_ref().is_ok_and(|it| it.get(name).is_some_and(|it| it == value));
        // None of the five documentation pages defines `disabled` or `enabled`. Clients that disable servers
        // in the file use one of these keys.
        let disabled = is("disabled", "true") || is("enabled", "false");
        let spec = members.and_then(|it| it.spec());
        Self { disabled, file: Arc::clone(file), line, name, spec }
    }

    /// Returns the name of the server in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the line of the file in which the entry begins, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns whether the file disables the server, with `"disabled": true` or `"enabled": false`.
    pub fn is_disabled(&self) -> bool {
        self.disabled
    }

    /// Returns the transport to the server.
    ///
    /// # Errors
    /// [`Error::Target`] for an invalid entry.
    pub fn transport(&self) -> Result<Transport> {
        Ok(match self.spec()? {
            Spec::Command { .. } => Transport::Stdio,
            Spec::Http { .. } => Transport::Http,
        })
    }

    /// Returns the part of the server's address that is safe to show: its program, or scheme, host and port
    /// of its URL, without arguments and path. Variables are not expanded.
    ///
    /// # Errors
    /// Like [`Self::transport`].
    pub fn summary(&self) -> Result<String> {
        Ok(match self.spec()? {
            Spec::Command { command, .. } => command.clone(),
            Spec::Http { url, .. } => origin(url),
        })
    }

    /// Returns the target that a client connects to, with the `${…}` of the entry expanded by `variables`.
    ///
    /// A command runs in [`Variables::workspace`], else in the project that the file belongs to, else in the
    /// working directory of this program. A `cwd` in the entry replaces that folder; a relative `cwd` is
    /// relative to it. This method reads the `envFile`.
    ///
    /// # Errors
    /// [`Error::Target`] for an invalid entry, a `${…}` that is unknown or has no value, an `envFile` that
    /// can't be read or parsed, and for a URL if the feature `http-client` is missing.
    pub fn target(&self, variables: &Variables) -> Result<Target> {
        let workspace = variables.folder().or(self.file.workspace.as_deref());
        let scope = Scope { dialect: self.file.dialect, inputs: &self.file.inputs, workspace };
        let expand = |what: &str, text: &str| {
            variables.expand(text, &scope).map_err(|why| self.fault(&format!("{why}, in `{what}`")))
        };
        match self.spec()? {
            Spec::Command { args, command, cwd, env, env_file } => {
                let folder = cwd.as_deref().map(|cwd| expand("cwd", cwd)).transpose()?;
                let folder = below(workspace, folder.as_deref());
                let program = expand("command", command)?;
                let mut ready = Command::new(located(&program, folder.as_deref()));
                for arg in args {
                    ready.arg(expand("args", arg)?);
                }
                if let Some(path) = env_file {
                    let path = expand("envFile", path)?;
                    ready.envs(self.env_file(&below(workspace, Some(&path)).unwrap_or_default())?);
                }
                for (name, value) in env {
                    match value {
                        Some(value) => ready.env(name, expand("env", value)?),
                        None => ready.env_remove(name),
                    };
                }
                if let Some(folder) = folder {
                    ready.current_dir(folder);
                }
                Ok(ready.into())
            }
            Spec::Http { headers, unencrypted, url } => {
                let header = |(name, value): &(String, String)| Ok((name.clone(), expand("headers", value)?));
                let sent = headers.iter().filter(|(name, _)| !variables.leaves_out(name));
                let headers = sent.map(header).collect::<Result<_>>()?;
                self.remote(expand("url", url)?, headers, *unencrypted)
            }
        }
    }

    #[cfg(feature = "http-client")]
    fn remote(&self, url: String, headers: Vec<(String, String)>, unencrypted: bool) -> Result<Target> {
        let remote = crate::client::http::Remote::new(url);
        remote.url().map_err(|error| self.fault(&error.to_string()))?;
        let remote = if unencrypted { remote.allow_unencrypted() } else { remote };
        Ok(headers.into_iter().fold(remote, |remote, (name, value)| remote.header(name, value)).into())
    }

    #[cfg(not(feature = "http-client"))]
    fn remote(&self, url: String, _: Vec<(String, String)>, _: bool) -> Result<Target> {
        let found = origin(&url);
        Err(self.fault(&format!(
            "expected a command, since this program was built without the feature `http-client`, but found {found}"
        )))
    }

    fn env_file(&self, path: &Path) -> Result<Vec<(String, String)>> {
        let read = file::read(path, MAX_VALUE).map_err(|why| self.fault(&format!("{why}, in `envFile`")))?;
        file::variables(&read).map_err(|why| self.fault(&format!("{why} of {}", path.display())))
    }

    fn spec(&self) -> Result<&Spec> {
        self.spec.as_ref().map_err(|why| self.fault(why))
    }

    fn fault(&self, why: &str) -> Error {
        let path = self.file.path.display();
        Error::Target { message: format!("{path}:{}: server {:?}: {why}", self.line, self.name) }
    }
}

impl fmt::Debug for ConfigEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigEntry")
            .field("name", &self.name)
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

/// The members of an entry's JSON object: their names and values.
struct Fields<'t>(Vec<(String, &'t RawValue)>);

impl Fields<'_> {
    fn spec(&self) -> std::result::Result<Spec, String> {
        // `serverUrl` is the key of Windsurf, which accepts `url` too:
        // `docs.windsurf.com/windsurf/cascade/mcp`, "Remote HTTP MCPs".
        let url = self.string("url")?.or(self.string("serverUrl")?);
        let command = self.string("command")?;
        // `stdio`, `http` and `sse` are in the pages of VS Code and Claude Code, `stdio` also in that of
        // Cursor. `transport` and the longer names are in none of the five pages. They appear in shared
        // files, and their meaning is unambiguous.
        let kind = self.string("type")?.or(self.string("transport")?);
        let stdio = match kind.as_deref() {
            None => command.is_some() || url.is_none(),
            // `local` and `remote` are in none of these pages either, and just as unambiguous.
            Some("local" | "stdio") => true,
            Some("http" | "remote" | "sse" | "streamable-http" | "streamableHttp" | "streamable_http") => {
                false
            }
            Some(other) => {
                return Err(format!("expected `type` to be `stdio`, `http` or `sse`, but found {other:?}"));
            }
        };
        if !stdio {
            let url = url.ok_or("expected `url`, but found none")?;
            // One with variables is checked when they are expanded.
            #[cfg(feature = "http-client")]
            if !url.contains("${") {
                crate::client::http::Remote::new(url.clone()).url().map_err(|error| error.to_string())?;
            }
            return Ok(Spec::Http {
                headers: self.texts("headers")?,
                unencrypted: self.flag("allowUnencrypted")?,
                url,
            });
        }
        let none = if kind.is_some() { "expected `command`, but found none" } else { NEITHER };
        Ok(Spec::Command {
            args: self.list("args")?,
            // `envFile`: VS Code and Cursor, for commands only. `cwd` is in none of the five pages; its
            // meaning is clear from its name.
            command: command.filter(|it| !it.is_empty()).ok_or(none)?,
            cwd: self.string("cwd")?,
            env: self.values("env")?,
            env_file: self.string("envFile")?,
        })
    }

    /// Returns the value of a key. If the key is repeated, its last value counts, as in most JSON parsers;
    /// `null` counts as missing.
    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(it, _)| it == name)?;
        Some(found.1.get()).filter(|it| *it != "null")
    }

    /// Returns the value of a key that is true or false, and false if it is missing.
    fn flag(&self, name: &str) -> std::result::Result<bool, String> {
        match self.get(name).unwrap_or("false") {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(format!("expected `{name}` to be true or false, but found {}", kind(other))),
        }
    }

    fn string(&self, name: &str) -> std::result::Result<Option<String>, String> {
        let read = |it: &str| {
            serde_json::from_str(it)
                .map_err(|_| format!("expected `{name}` to be a string, but found {}", kind(it)))
        };
        self.get(name).map(read).transpose()
    }

    fn list(&self, name: &str) -> std::result::Result<Vec<String>, String> {
        let Some(json) = self.get(name) else { return Ok(Vec::new()) };
        let wrong = |found| format!("expected `{name}` to be a list of strings, but found {found}");
        let all: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| wrong(kind(json)))?;
        let read = |it: &&RawValue| serde_json::from_str(it.get()).map_err(|_| wrong(kind(it.get())));
        all.iter().map(read).collect()
    }

    fn values(&self, name: &str) -> std::result::Result<Vec<(String, Option<String>)>, String> {
        let Some(json) = self.get(name) else { return Ok(Vec::new()) };
        let wrong = |at: &str, found| format!("expected `{at}` to be {found}");
        let members: Members<'_> = serde_json::from_str(json)
            .map_err(|_| wrong(name, format!("an object of strings, but found {}", kind(json))))?;
        let read = |(key, value): (String, &RawValue)| {
            let text = value.get();
            let value = match kind(text) {
                "null" => None,
                "a string" => Some(serde_json::from_str(text).map_err(|error| error.to_string())?),
                "a number" | "true or false" => Some(text.to_owned()),
                other => return Err(wrong(&format!("{name}.{key}"), format!("a string, but found {other}"))),
            };
            Ok((key, value))
        };
        members.0.into_iter().map(read).collect()
    }

    fn texts(&self, name: &str) -> std::result::Result<Vec<(String, String)>, String> {
        let values = self.values(name)?;
        Ok(values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect())
    }
}

const NEITHER: &str = "expected `command`, `url` or `serverUrl`, but found none of them";

/// Returns scheme, host and port of a URL, the parts that never hold tokens; `a URL` if the text has no
/// `://`.
fn origin(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "a URL".to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}")
}

/// Returns `path` joined to `folder`. If only one of the two is given, returns that one.
fn below(folder: Option<&Path>, path: Option<&str>) -> Option<PathBuf> {
    match (folder, path) {
        (Some(folder), Some(path)) => Some(folder.join(path)),
        (folder, path) => path.map(PathBuf::from).or(folder.map(Path::to_path_buf)),
    }
}

/// Returns the path of a program that runs in `folder`. A relative path such as `bin/a` is joined to
/// `folder`, since operating systems differ in how they resolve it. A bare name is searched for on the PATH.
fn located(program: &str, folder: Option<&Path>) -> PathBuf {
    match folder {
        Some(folder) if Path::new(program).components().count() > 1 => folder.join(program),
        _ => PathBuf::from(program),
    }
}
