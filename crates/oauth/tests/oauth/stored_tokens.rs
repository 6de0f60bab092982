//! Tokens that are stored between two runs of a program.

use plainwire::serde_json::json;
use plainwire_oauth::{FileStore, OAuth};

use crate::refreshing::Folder;
use crate::support::Setup;

#[tokio::test]
async fn the_next_run_needs_no_login() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client =
        || setup.oauth().store(FileStore::encrypted(&folder.0, &[[7; 32]])).build().expect("a client");
    setup.call(&client()).await.expect("an answer");
    let refused = setup.count("rs POST");
    assert_eq!(setup.call(&client()).await.expect("an answer"), 200);
    assert_eq!((setup.count("rs POST") - refused, setup.count("as1 POST /token")), (1, 1));
}

#[tokio::test]
async fn the_next_run_refreshes_without_a_person_and_without_a_refusal() {
    let (setup, folder) = (Setup::new(), Folder::new());
    {
        let mut fake = setup.fake();
        // The URL of the metadata is only in the `WWW-Authenticate` header, so the client has to store it for
        // the next run.
        let about =
            fake.server.documents.remove("/.well-known/oauth-protected-resource/mcp").expect("metadata");
        fake.server.documents.insert("/custom.json".to_owned(), about);
        fake.server.challenge = format!("Bearer resource_metadata=\"{}/custom.json\"", setup.rs);
        fake.first.token_with = Some(json!({"expires_in": 0}));
    }
    let ending = setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    setup.call(&ending).await.expect_err("a token that has ended is not sent");
    setup.fake().first.token_with = None;
    let (calls, logins) = (setup.count("rs POST"), setup.count("as1 GET /authorize"));
    let nobody = OAuth::builder("Test host").store(FileStore::new(&folder.0)).build().expect("a client");
    assert_eq!(setup.call(&nobody).await.expect("an answer"), 200);
    assert_eq!((setup.count("rs POST"), setup.count("as1 GET /authorize")), (calls + 1, logins));
}

#[tokio::test]
async fn after_a_logout_the_user_has_to_sign_in() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client = || setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    let oauth = client();
    setup.call(&oauth).await.expect("an answer");
    oauth.logout(&setup.server()).await.expect("gone");
    for oauth in [oauth, client()] {
        let before = setup.fake().first.authorizations.len();
        setup.call(&oauth).await.expect("an answer");
        assert_eq!(setup.fake().first.authorizations.len(), before + 1);
        oauth.logout(&setup.server()).await.expect("gone");
    }
    let left = std::fs::read_dir(&folder.0).expect("a folder").map(|it| it.expect("a file").file_name());
    let left: Vec<_> =
        left.map(|it| it.to_string_lossy().into_owned()).filter(|it| !it.ends_with(".lock")).collect();
    assert!(left.iter().all(|it| it.starts_with("client-")), "{left:?}");
}

#[tokio::test]
async fn a_broken_file_causes_a_login_and_one_that_others_can_read_is_an_error() {
    let (setup, folder) = (Setup::new(), Folder::new());
    let client = || setup.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    setup.call(&client()).await.expect("an answer");
    let files = || {
        let all = std::fs::read_dir(&folder.0).expect("a folder").map(|it| it.expect("a file").path());
        all.filter(|it| it.to_string_lossy().contains("/tokens-") && it.extension().is_none())
            .collect::<Vec<_>>()
    };
    for file in files() {
        std::fs::write(file, "{").expect("written");
    }
    assert_eq!(setup.call(&client()).await.expect("an answer"), 200);
    assert_eq!(setup.fake().first.authorizations.len(), 2);
    #[cfg(unix)]
    for file in files() {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644)).expect("a mode");
        let refusal = Setup::refusal(setup.call(&client()).await);
        assert!(
            refusal.starts_with("the token store failed") && refusal.ends_with("found mode 0644"),
            "{refusal}"
        );
    }
}
