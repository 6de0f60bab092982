//! Tests with the keychain of the user who runs the tests. Without a keychain, as in CI, the tests that need
//! it do nothing.

use std::future::pending;
use std::io::Write as _;

use plainwire::proto::base64::encode_url;
use tokio::time::{Instant, sleep};

use super::*;

/// A folder that is removed at the end of its test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("plainwire-keychain-{}", encode_url(&crate::runtime::random_bytes::<9>()));
        Self(std::env::temp_dir().join(name))
    }

    fn store(&self) -> KeychainStore {
        KeychainStore::new("plainwire-test", &self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a key that no other run of the tests uses.
fn key() -> StoreKey {
    StoreKey::tokens(
        &format!("https://as.example/{}", encode_url(&crate::runtime::random_bytes::<9>())),
        "https://a.example",
    )
}

#[tokio::test]
async fn a_keychain_is_not_asked_for_what_was_never_kept() {
    let (folder, key) = (Folder::new(), key());
    let store = folder.store();
    assert_eq!(store.load(&key).await.expect("no error"), None);
    store.remove(&key).await.expect("nothing to remove");
    assert!(!store.keychain.initialized());
    drop(store.lock(&key).await.expect("a lock"));
}

#[tokio::test]
async fn keeps_texts_in_the_keychain_and_none_in_the_folder() {
    let (folder, key) = (Folder::new(), key());
    let store = folder.store();
    if let Err(error) = store.reach().await {
        // Written to stderr directly, because the output of a test is shown only when the test fails.
        let _ = writeln!(io::stderr(), "skipped, there is no keychain here: {error}");
        return;
    }
    // Longer than the largest item that the Windows Credential Manager accepts.
    let long = "s3cret ".repeat(1_000);
    for text in ["one", &long, "two"] {
        store.save(&key, text).await.expect("saved");
        assert_eq!(folder.store().load(&key).await.expect("no error").as_deref(), Some(text));
    }
    for file in std::fs::read_dir(&folder.0).expect("a folder") {
        assert_eq!(file.and_then(|it| it.metadata()).expect("a file").len(), 0);
    }
    let other = KeychainStore::new("plainwire-other", &folder.0);
    assert_eq!(other.load(&key).await.expect("no error"), None, "another program's items are its own");
    store.remove(&key).await.expect("removed");
    store.remove(&key).await.expect("nothing to remove");
    assert_eq!(folder.store().load(&key).await.expect("no error"), None);
    // `remove` has deleted the keychain item and not only the file that marks the key as stored: with the
    // file back, no text is found.
    super::super::file::touch(&folder.0, &store.mark(&key)).expect("a mark");
    assert_eq!(folder.store().load(&key).await.expect("no error"), None);
}

#[tokio::test(start_paused = true)]
async fn a_keychain_has_10_s_to_start() {
    let began = Instant::now();
    let refused = reached(pending::<io::Result<()>>()).await.expect_err("no keychain").to_string();
    assert_eq!(began.elapsed().as_secs(), 10);
    assert!(refused.ends_with("but found: no answer within 10s"), "{refused}");
    let late = async {
        sleep(Duration::from_secs(9)).await;
        Ok::<_, io::Error>(())
    };
    reached(late).await.expect("started in time");
}

#[tokio::test(start_paused = true)]
async fn a_keychain_has_120_s_to_answer() {
    let began = Instant::now();
    let refused = answered(pending::<io::Result<()>>()).await.expect_err("no answer").to_string();
    assert_eq!(began.elapsed().as_secs(), 120);
    assert!(refused.ends_with("but found: no answer within 120s"), "{refused}");
    let late = async {
        sleep(Duration::from_secs(119)).await;
        Ok::<_, io::Error>(())
    };
    answered(late).await.expect("unlocked in time");
}
