//! The pictures of terminals in docs/pictures: drawn from what the command prints, so that they never show something else.
//!
//! `UPDATE=1 cargo test -p plainwire-suite --test cli pictures` draws them again; look at them before you commit them.

use std::fs;

use anstyle_svg::Term;
use plainwire_suite::{binary, root};

use super::REFERENCE;
use super::pty::Pty;

/// The pictures, each with the words of the command between `plainwire` and the server.
const PICTURES: [(&str, &str); 2] = [("terminal-list", "list"), ("terminal-hint", "call count to=two")];

#[test]
fn the_pictures_of_terminals_show_what_the_command_prints() {
    for (name, words) in PICTURES {
        let mut command = binary::command();
        command.args(words.split(' ')).args(REFERENCE).env("TERM", "xterm").env_remove("NO_COLOR");
        let shown = Pty::start(command, false).end().1;
        let picture =
            Term::new().render_svg(&format!("$ plainwire {words} -- plainwire serve reference\n{shown}"));
        let path = root().join(format!("docs/pictures/{name}.svg"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &picture).expect("a file of the repository");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == picture,
            "expected {} to show what the command prints now:\n{shown}",
            path.display()
        );
    }
}
