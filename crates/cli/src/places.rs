//! Where clients keep their servers, and where this command keeps its own data.
//!
//! In: the operating system and its environment. Out: the files, whether they are there or not. The table below is the only
//! place that knows them.

use std::env;
use std::path::PathBuf;

use crate::args::Known;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// A project's, in the folder that the command runs in: others may have written it.
    Project,
    /// This user's.
    User,
}

/// What a path begins with.
#[derive(Clone, Copy, Debug)]
enum Base {
    /// `CLAUDE_CONFIG_DIR`, else as [`Self::Home`].
    Claude,
    /// The folder of the user.
    Home,
    /// The folder that the command runs in.
    Here,
    /// Where programs keep their settings: `~/Library/Application Support`, `%APPDATA%`, or `$XDG_CONFIG_HOME`, which is
    /// `~/.config` by default.
    Settings,
}

/// Each with the page of its makers that says so, as it stood in 2026.
const PLACES: [(Known, Scope, Base, &str); 8] = [
    // `code.claude.com/docs/en/mcp`, "MCP installation scopes": also what is kept for one project. That the file moves with
    // `CLAUDE_CONFIG_DIR` is not said there: `code.claude.com/docs/en/env-vars` says that all settings are stored there.
    (Known::ClaudeCode, Scope::User, Base::Claude, ".claude.json"),
    // The same, "Project scope".
    (Known::ClaudeCode, Scope::Project, Base::Here, ".mcp.json"),
    // `modelcontextprotocol.io/docs/develop/connect-local-servers`: macOS and Windows. Nobody documents Linux, which Claude
    // Desktop is not made for; there it is where programs of its kind keep their settings.
    (Known::ClaudeDesktop, Scope::User, Base::Settings, "Claude/claude_desktop_config.json"),
    // `cursor.com/docs/mcp`, "Configuration locations".
    (Known::Cursor, Scope::User, Base::Home, ".cursor/mcp.json"),
    (Known::Cursor, Scope::Project, Base::Here, ".cursor/mcp.json"),
    // `code.visualstudio.com/docs/agents/reference/mcp-configuration`: "in your user profile"; the folder of the default profile is
    // that of `settings.json` in `code.visualstudio.com/docs/configure/settings`. Other profiles have their own.
    (Known::Vscode, Scope::User, Base::Settings, "Code/User/mcp.json"),
    (Known::Vscode, Scope::Project, Base::Here, ".vscode/mcp.json"),
    // `docs.windsurf.com/windsurf/cascade/mcp`, "mcp_config.json". Its plugins for other editors have `~/.codeium/mcp_config.json`
    // (`docs.windsurf.com/plugins/cascade/mcp`), which is not looked for.
    (Known::Windsurf, Scope::User, Base::Home, ".codeium/windsurf/mcp_config.json"),
];

/// A file that a client reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) client: Known,
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
}

/// Returns the files of this machine and this folder.
pub(crate) fn here() -> Vec<Place> {
    places(env::consts::OS, |name| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from))
}

/// Returns the folder for which a file of this client has a part of its own: the one that the command runs in.
///
/// Source: `code.claude.com/docs/en/mcp`, "Local scope". Whether Claude Code takes the folder that it was started in or the root
/// of a repository is not said there; here it is the folder.
pub(crate) fn project(client: Known, scope: Scope) -> Option<PathBuf> {
    let has_parts = client == Known::ClaudeCode && scope == Scope::User;
    has_parts.then(|| env::current_dir().ok()).flatten()
}

/// Returns the folder where this command keeps its own data, if the environment says where such folders are. It is there once something
/// is kept.
pub(crate) fn data() -> Option<PathBuf> {
    data_folder(env::consts::OS, |name| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from))
}

fn data_folder(os: &str, folder: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let base = match os {
        "macos" => folder("HOME")?.join("Library/Application Support"),
        // Not the folder that moves from machine to machine with its user: tokens belong to this one.
        "windows" => folder("LOCALAPPDATA")?,
        // Spec: XDG Base Directory: a relative path counts for nothing.
        _ => match folder("XDG_DATA_HOME").filter(|it| it.is_absolute()) {
            Some(base) => base,
            None => folder("HOME")?.join(".local/share"),
        },
    };
    Some(base.join("plainwire"))
}

fn places(os: &str, folder: impl Fn(&str) -> Option<PathBuf>) -> Vec<Place> {
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
    let place = |(client, scope, from, path)| Some(Place { client, path: base(from)?.join(path), scope });
    PLACES.into_iter().filter_map(place).collect()
}

/// What people call a client.
pub(crate) const fn name(client: Known) -> &'static str {
    match client {
        Known::ClaudeCode => "Claude Code",
        Known::ClaudeDesktop => "Claude Desktop",
        Known::Cursor => "Cursor",
        Known::Vscode => "VS Code",
        Known::Windsurf => "Windsurf",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(os: &str, environment: &[(&str, &str)], expected: [Option<&str>; 8]) {
        let folder = |name: &str| {
            environment.iter().find(|(it, _)| *it == name).map(|(_, value)| PathBuf::from(value))
        };
        let found = places(os, folder);
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
                Some("/x/Code/User/mcp.json"),
                Some(".vscode/mcp.json"),
                None,
            ],
        );
    }
}
