//! Tokens between the runs of a program.

use plainwire::auth::{FileStore, OAuth};
use plainwire::serde_json::json;

use crate::refreshing::Folder;
use crate::world::World;

#[tokio::test]
async fn the_next_run_needs_no_login() {
    let (world, folder) = (World::new(), Folder::new());
    let client =
        || world.oauth().store(FileStore::encrypted(&folder.0, &[[7; 32]])).build().expect("a client");
    world.call(&client()).await.expect("an answer");
    let refused = world.count("rs POST");
    assert_eq!(world.call(&client()).await.expect("an answer"), 200);
    assert_eq!((world.count("rs POST") - refused, world.count("as1 POST /token")), (1, 1));
}

#[tokio::test]
async fn the_next_run_refreshes_without_a_person_and_without_a_refusal() {
    let (world, folder) = (World::new(), Folder::new());
    {
        let mut fake = world.fake();
        // Only the challenge says where the metadata is, so the next run has to remember it.
        let about =
            fake.server.documents.remove("/.well-known/oauth-protected-resource/mcp").expect("metadata");
        fake.server.documents.insert("/custom.json".to_owned(), about);
        fake.server.challenge = format!("Bearer resource_metadata=\"{}/custom.json\"", world.rs);
        fake.first.token_with = Some(json!({"expires_in": 0}));
    }
    let ending = world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    world.call(&ending).await.expect_err("a token that has ended is not sent");
    world.fake().first.token_with = None;
    let (calls, logins) = (world.count("rs POST"), world.count("as1 GET /authorize"));
    let nobody = OAuth::builder("Test host").store(FileStore::new(&folder.0)).build().expect("a client");
    assert_eq!(world.call(&nobody).await.expect("an answer"), 200);
    assert_eq!((world.count("rs POST"), world.count("as1 GET /authorize")), (calls + 1, logins));
}

#[tokio::test]
async fn after_a_logout_somebody_has_to_sign_in() {
    let (world, folder) = (World::new(), Folder::new());
    let client = || world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    let oauth = client();
    world.call(&oauth).await.expect("an answer");
    oauth.logout(&world.server()).await.expect("gone");
    for oauth in [oauth, client()] {
        let before = world.fake().first.authorizations.len();
        world.call(&oauth).await.expect("an answer");
        assert_eq!(world.fake().first.authorizations.len(), before + 1);
        oauth.logout(&world.server()).await.expect("gone");
    }
    let left = std::fs::read_dir(&folder.0).expect("a folder").map(|it| it.expect("a file").file_name());
    let left: Vec<_> =
        left.map(|it| it.to_string_lossy().into_owned()).filter(|it| !it.ends_with(".lock")).collect();
    assert!(left.iter().all(|it| it.starts_with("client-")), "{left:?}");
}

#[tokio::test]
async fn a_file_that_says_nothing_is_a_login_and_one_that_others_can_read_is_an_error() {
    let (world, folder) = (World::new(), Folder::new());
    let client = || world.oauth().store(FileStore::new(&folder.0)).build().expect("a client");
    world.call(&client()).await.expect("an answer");
    let files = || {
        let all = std::fs::read_dir(&folder.0).expect("a folder").map(|it| it.expect("a file").path());
        all.filter(|it| it.to_string_lossy().contains("/tokens-") && it.extension().is_none())
            .collect::<Vec<_>>()
    };
    for file in files() {
        std::fs::write(file, "{").expect("written");
    }
    assert_eq!(world.call(&client()).await.expect("an answer"), 200);
    assert_eq!(world.fake().first.authorizations.len(), 2);
    #[cfg(unix)]
    for file in files() {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644)).expect("a mode");
        let refusal = World::refusal(world.call(&client()).await);
        assert!(
            refusal.starts_with("the token store failed") && refusal.ends_with("found mode 0644"),
            "{refusal}"
        );
    }
}
