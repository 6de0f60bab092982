//! Fuzz target for the learning server: no text is more than words to the vault, and what is imported is checked or refused.

use plainwire_learning::import;
use plainwire_learning::ranking::{Question, rank, search};
use plainwire_learning::vault::{Filter, Vault};
use tempfile::TempDir;

thread_local! {
    /// The vault, whose folder is removed when the thread ends.
    static VAULT: (Vault, TempDir) = {
        let folder = tempfile::tempdir().expect("a folder");
        (Vault::open(&folder.path().join("vault.db")).expect("a vault"), folder)
    };
}

/// Asks the vault for the text in both ways, and imports it.
pub fn learning(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    VAULT.with(|(vault, _)| ask(vault, &text));
    if let Ok(entries) = import::read(&text, None) {
        for it in entries.resources {
            assert_eq!(it.check(), Ok(()), "{it:?}");
        }
    }
}

fn ask(vault: &Vault, text: &str) {
    for ranked in [rank, search] {
        let found = ranked(vault, Question::new(text), &Filter::default()).expect("an answer");
        assert!(found.total >= found.matches.len());
        let scores: Vec<f64> = found.matches.iter().map(|it| it.1.total()).collect();
        let is_sorted = scores.is_sorted_by(|a, b| a >= b);
        assert!(is_sorted && scores.iter().all(|it| (0.0..=285.0).contains(it)), "{scores:?}");
    }
    assert!(vault.meant(text).is_ok() && vault.id_of_address(text).is_ok() && vault.get(text).is_ok());
}
