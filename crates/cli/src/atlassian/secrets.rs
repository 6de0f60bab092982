//! Secrets in the keychain: `keychain:NAME` in place of a value, and `plainwire atlassian secret NAME`, which puts one there.
//!
//! In: settings whose values name secrets; a secret on stdin. Out: the settings with the secrets. They are in the same store as tokens:
//! the keychain of the system, or files if there is none.

use std::io::{self, IsTerminal as _, Read as _};

use plainwire_atlassian::rest::Secret;
use plainwire_atlassian::settings::{KEYCHAIN, Layers};
use plainwire_oauth::{StoreKey, TokenStore as _};

use super::SecretOptions;
use crate::exit::{Exit, Failure};
use crate::{output, token_store};

/// The longest secret, in bytes: tokens have some hundred.
const MAX_BYTES: u64 = 16 << 10;

/// The longest name of a secret, in bytes.
const MAX_NAME: usize = 100;

/// Puts the secrets that the values name into the settings. The store is opened only if a value names one.
pub(super) async fn resolved(layers: Layers) -> Result<Layers, Failure> {
    let names: Vec<_> = layers.keychain_names().into_iter().map(ToOwned::to_owned).collect();
    if names.is_empty() {
        return Ok(layers);
    }
    let store = token_store::store()?;
    let mut found = Vec::new();
    for name in names {
        let text = store.load(&StoreKey::secret(&name)).await.map_err(|error| unusable(&error))?;
        found.extend(text.map(|it| (name, Secret::new(it))));
    }
    Ok(layers.with_keychain(found))
}

/// Keeps a secret from stdin, or removes one.
pub(super) async fn run(it: &SecretOptions) -> Result<Exit, Failure> {
    let name = checked(&it.name)?;
    let (store, key) = (token_store::store()?, StoreKey::secret(name));
    if it.remove {
        store.remove(&key).await.map_err(|error| unusable(&error))?;
        output::line(&format!("the secret {name} is removed"))?;
        return Ok(Exit::Done);
    }
    let secret = read()?;
    store.save(&key, &secret).await.map_err(|error| unusable(&error))?;
    output::line(&format!(
        "the secret {name} is kept: write {KEYCHAIN}{name} in its place, as in JIRA_API_TOKEN={KEYCHAIN}{name}"
    ))?;
    Ok(Exit::Done)
}

/// Refuses a name that a value could not have.
fn checked(name: &str) -> Result<&str, Failure> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_.@/".contains(it);
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_plain) {
        return Ok(name);
    }
    // It could be the secret itself.
    Err(Failure::usage(format!(
        "expected a name of at most {MAX_NAME} letters, digits, `-`, `_`, `.`, `@` and `/`, but found another text; the secret comes on stdin"
    )))
}

/// Reads a secret from stdin: one line at a terminal, which does not show it; all of a pipe.
fn read() -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::usage(format!("the secret can't be read from stdin: {error}"));
    if io::stdin().is_terminal() {
        output::note("type the secret, which is not shown, and press Enter:");
        return usable(&rpassword::read_password().map_err(failed)?);
    }
    let mut text = String::new();
    io::stdin().take(MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    usable(&text)
}

/// Returns a secret without the white space around it.
fn usable(text: &str) -> Result<String, Failure> {
    let secret = text.trim();
    match secret.len() as u64 {
        0 => Err(Failure::usage("expected a secret on stdin, but found nothing".to_owned())),
        1..=MAX_BYTES if !secret.contains(char::is_control) => Ok(secret.to_owned()),
        _ => Err(Failure::usage(format!(
            "expected a secret of one line and at most {MAX_BYTES} bytes on stdin, but found more"
        ))),
    }
}

fn unusable(error: &io::Error) -> Failure {
    Failure { exit: Exit::Unreachable, hint: None, text: format!("the store of secrets failed: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_plain_and_its_error_does_not_repeat_it() {
        for name in ["jira", "work/ada@example.com", "a-b_c.9", &"x".repeat(100)] {
            assert!(checked(name).is_ok(), "{name}");
        }
        for name in ["", "s3cr3t=", "a b", "ä", &"x".repeat(101)] {
            let failure = checked(name).expect_err("an error");
            assert!(!failure.text.contains("s3cr3t"), "{}", failure.text);
        }
    }

    #[test]
    fn a_secret_has_one_line_and_at_most_16_kib() {
        assert_eq!(usable(" s3cr3t\r\n").expect("a secret"), "s3cr3t");
        assert!(usable(&"x".repeat(16_384)).is_ok());
        for text in ["", "\n", "two\nlines", &"x".repeat(16_385)] {
            let failure = usable(text).expect_err("an error");
            assert!(!failure.text.contains("two"), "{}", failure.text);
        }
    }
}
