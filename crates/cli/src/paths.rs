//! Paths of the clients' configuration files, and of the folder for this command's own data.
//!
//! In: the operating system and its environment. Out: paths; the files need not exist. [`CONFIG_FILES`] is
//! the only table of the clients' paths.

use std::env;
use std::path::PathBuf;

use crate::args::KnownClient;

/// The owner of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The project in the current folder. Another person may have written the file.
    Project,
    /// The user who runs this command.
    User,
}

/// The folder that a path in [`CONFIG_FILES`] is relative to.
#[derive(Clone, Copy, Debug)]
enum Base {
    /// The folder in the variable `CLAUDE_CONFIG_DIR`, or [`Self::Home`] if it is not set.
    Claude,
    /// The home folder of the user.
    Home,
    /// The current folder. The path stays relative.
    Here,
    /// The system's folder for the settings of programs: `~/Library/Application Support` on macOS,
    /// `%APPDATA%` on Windows, otherwise `$XDG_CONFIG_HOME`, which is `~/.config` by default.
    Settings,
}

/// The configuration files of the known clients: client, owner, base folder, and path below that folder. A
/// comment before an entry names the vendor's page that documents the path, as of 2026.
const CONFIG_FILES: [(KnownClient, Scope, Base, &str); 9] = [
    // `code.claude.com/docs/en/mcp`, "MCP installation scopes": the file also has servers for single
    // projects. That the file moves with `CLAUDE_CONFIG_DIR` is documented in
    // `code.claude.com/docs/en/env-vars`: all settings are stored there.
    (KnownClient::ClaudeCode, Scope::User, Base::Claude, ".claude.json"),
    // `code.claude.com/docs/en/mcp`, "Project scope".
    (KnownClient::ClaudeCode, Scope::Project, Base::Here, ".mcp.json"),
    // `modelcontextprotocol.io/docs/develop/connect-local-servers`: macOS and Windows. Claude Desktop does
    // not support Linux, so its path there is undocumented; this is the usual folder for such settings.
    (KnownClient::ClaudeDesktop, Scope::User, Base::Settings, "Claude/claude_desktop_config.json"),
    // `cursor.com/docs/mcp`, "Configuration locations".
    (KnownClient::Cursor, Scope::User, Base::Home, ".cursor/mcp.json"),
    (KnownClient::Cursor, Scope::Project, Base::Here, ".cursor/mcp.json"),
    (KnownClient::Plainwire, Scope::User, Base::Settings, "plainwire/servers.json"),
    // `code.visualstudio.com/docs/agents/reference/mcp-configuration`: "in your user profile"; the default
    // profile's folder is that of `settings.json` in `code.visualstudio.com/docs/configure/settings`. Other
    // profiles have folders of their own.
    (KnownClient::Vscode, Scope::User, Base::Settings, "Code/User/mcp.json"),
    (KnownClient::Vscode, Scope::Project, Base::Here, ".vscode/mcp.json"),
    // `docs.windsurf.com/windsurf/cascade/mcp`, "mcp_config.json". Windsurf's plugins for other editors use
    // `~/.codeium/mcp_config.json` (`docs.windsurf.com/plugins/cascade/mcp`), which is ignored here.
    (KnownClient::Windsurf, Scope::User, Base::Home, ".codeium/windsurf/mcp_config.json"),
];

/// A configuration file of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigFile {
    pub(crate) client: KnownClient,
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
}

/// Returns the configuration files that the known clients would read on this machine and in the current
/// folder. The files need not exist.
pub(crate) fn config_files() -> Vec<ConfigFile> {
    config_files_of(env::consts::OS, |name| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from))
}

/// Returns the current folder if the file of `client` and `scope` can have entries for that folder alone.
/// Only the user's file of Claude Code can; for all other files the result is `None`.
///
/// Source: `code.claude.com/docs/en/mcp`, "Local scope". The page does not say whether Claude Code uses the
/// folder that it was started in or the root of the repository; this function uses the folder that
/// `plainwire` was started in.
pub(crate) fn project(client: KnownClient, scope: Scope) -> Option<PathBuf> {
    let has_parts = client == KnownClient::ClaudeCode && scope == Scope::User;
    has_parts.then(|| env::current_dir().ok()).flatten()
}

/// Returns the folder for this command's own data; `None` if the environment does not determine it. The
/// folder exists only after a command has stored data in it.
pub(crate) fn data() -> Option<PathBuf> {
    data_folder(env::consts::OS, |name| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from))
}

/// Returns the folder for this command's own settings, where `servers.json` is; `None` if the environment does not determine it.
pub(crate) fn settings() -> Option<PathBuf> {
    let own = |it: ConfigFile| {
        (it.client == KnownClient::Plainwire).then(|| it.path.parent().map(PathBuf::from))?
    };
    config_files().into_iter().find_map(own)
}

fn data_folder(os: &str, folder: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let base = match os {
        "macos" => folder("HOME")?.join("Library/Application Support"),
        // Not `APPDATA`, which can roam between machines: tokens belong to one machine.
        "windows" => folder("LOCALAPPDATA")?,
        // Spec: XDG Base Directory: a relative path is ignored.
        _ => match folder("XDG_DATA_HOME").filter(|it| it.is_absolute()) {
            Some(base) => base,
            None => folder("HOME")?.join(".local/share"),
        },
    };
    Some(base.join("plainwire"))
}

fn config_files_of(os: &str, folder: impl Fn(&str) -> Option<PathBuf>) -> Vec<ConfigFile> {
    let home = || folder("HOME").or_else(|| folder("USERPROFILE"));
    let base = |base| match (base, os) {
        (Base::Here, _) => Some(PathBuf::new()),
        (Base::Home, "windows") => folder("USERPROFILE").or_else(&home),
        (Base::Home, _) => home(),
        (Base::Claude, "windows") => {
            folder("CLAUDE_CONFIG_DIR").or_else(|| folder("USERPROFILE")).or_else(&home)
        }
        (Base::Claude, _) => folder("CLAUDE_CONFIG_DIR").or_else(&home),
        (Base::Settings, "macos") => Some(home()?.join("Library/Application Support")),
        (Base::Settings, "windows") => folder("APPDATA"),
        (Base::Settings, _) => folder("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config"))),
    };
    let place =
        |(client, scope, from, path)| Some(ConfigFile { client, path: base(from)?.join(path), scope });
    CONFIG_FILES.into_iter().filter_map(place).collect()
}

/// Returns the product name of a client.
pub(crate) const fn name(client: KnownClient) -> &'static str {
    match client {
        KnownClient::ClaudeCode => "Claude Code",
        KnownClient::ClaudeDesktop => "Claude Desktop",
        KnownClient::Cursor => "Cursor",
        KnownClient::Plainwire => "plainwire",
        KnownClient::Vscode => "VS Code",
        KnownClient::Windsurf => "Windsurf",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(os: &str, environment: &[(&str, &str)], expected: [Option<&str>; 9]) {
        let folder = |name: &str| {
            environment.iter().find(|(it, _)| *it == name).map(|(_, value)| PathBuf::from(value))
        };
        let found = config_files_of(os, folder);
        let expected: Vec<PathBuf> = expected.into_iter().flatten().map(PathBuf::from).collect();
        assert_eq!(found.into_iter().map(|it| it.path).collect::<Vec<_>>(), expected, "{os}");
    }

    #[test]
    fn knows_where_its_own_data_belongs() {
        for (os, environment, expected) in [
            ("linux", &[("HOME", "/h")][..], Some("/h/.local/share/plainwire")),
            ("linux", &[("HOME", "/h"), ("XDG_DATA_HOME", "/x")], Some("/x/plainwire")),
            ("linux", &[("HOME", "/h"), ("XDG_DATA_HOME", "x")], Some("/h/.local/share/plainwire")),
            ("linux", &[], None),
            ("macos", &[("HOME", "/h")], Some("/h/Library/Application Support/plainwire")),
            ("windows", &[("LOCALAPPDATA", "C:/l"), ("APPDATA", "C:/r")], Some("C:/l/plainwire")),
        ] {
            let folder = |name: &str| {
                environment.iter().find(|(it, _)| *it == name).map(|(_, value)| PathBuf::from(value))
            };
            assert_eq!(data_folder(os, folder), expected.map(PathBuf::from), "{os} {environment:?}");
        }
    }

    #[test]
    fn knows_the_files_of_each_system() {
        check(
            "linux",
            &[("HOME", "/h")],
            [
                Some("/h/.claude.json"),
                Some(".mcp.json"),
                Some("/h/.config/Claude/claude_desktop_config.json"),
                Some("/h/.cursor/mcp.json"),
                Some(".cursor/mcp.json"),
                Some("/h/.config/plainwire/servers.json"),
                Some("/h/.config/Code/User/mcp.json"),
                Some(".vscode/mcp.json"),
                Some("/h/.codeium/windsurf/mcp_config.json"),
            ],
        );
        check(
            "macos",
            &[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c"), ("XDG_CONFIG_HOME", "/x")],
            [
                Some("/c/.claude.json"),
                Some(".mcp.json"),
                Some("/h/Library/Application Support/Claude/claude_desktop_config.json"),
                Some("/h/.cursor/mcp.json"),
                Some(".cursor/mcp.json"),
                Some("/h/Library/Application Support/plainwire/servers.json"),
                Some("/h/Library/Application Support/Code/User/mcp.json"),
                Some(".vscode/mcp.json"),
                Some("/h/.codeium/windsurf/mcp_config.json"),
            ],
        );
        check(
            "windows",
            &[("USERPROFILE", "C:/u"), ("APPDATA", "C:/r"), ("HOME", "/msys")],
            [
                Some("C:/u/.claude.json"),
                Some(".mcp.json"),
                Some("C:/r/Claude/claude_desktop_config.json"),
                Some("C:/u/.cursor/mcp.json"),
                Some(".cursor/mcp.json"),
                Some("C:/r/plainwire/servers.json"),
                Some("C:/r/Code/User/mcp.json"),
                Some(".vscode/mcp.json"),
                Some("C:/u/.codeium/windsurf/mcp_config.json"),
            ],
        );
        check(
            "linux",
            &[("XDG_CONFIG_HOME", "/x")],
            [
                None,
                Some(".mcp.json"),
                Some("/x/Claude/claude_desktop_config.json"),
                None,
                Some(".cursor/mcp.json"),
                Some("/x/plainwire/servers.json"),
                Some("/x/Code/User/mcp.json"),
                Some(".vscode/mcp.json"),
                None,
            ],
        );
    }
}
