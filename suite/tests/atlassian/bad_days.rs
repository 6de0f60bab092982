//! Days on which the site, the network or the configuration is bad: what a model is told, and that no write is lost or doubled.

use std::time::Duration;

use plainwire_atlassian::rest::{Credentials, Secret};
use plainwire_site::{Deployment, Settings};
use serde_json::{Value, json};

use crate::support::{BOTH, call, refused, stored};
use crate::trouble::{Trouble, client_of, has};

/// A comment that a test adds, as tests of writes do.
fn comment() -> Value {
    json!({ "issue_key": "SHOP-1", "body": "Once only." })
}

const COMMENTS: &str = "SELECT count(*) FROM comment WHERE body LIKE '%Once only%'";

/// A fault for the request that adds a comment.
fn at_comment(kind: &str, times: u32, after: bool) -> Value {
    json!({ "path": "/issue/SHOP-1/comment", "method": "POST", "kind": kind, "times": times, "after": after })
}

/// A fault for the request that reads an issue.
fn at_issue(kind: &str, times: u32) -> Value {
    json!({ "path": "/issue/SHOP-1", "method": "GET", "kind": kind, "times": times })
}

fn issue() -> Value {
    json!({ "issue_key": "SHOP-1", "fields": "summary", "comment_limit": 0 })
}

#[tokio::test]
async fn a_wrong_address_is_named_with_what_to_check() {
    let site = Trouble::new(Deployment::Cloud).await;
    let mut settings = site.settings();
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    settings.base = format!("http://{free}").parse().expect("a URL");
    let text = refused(&client_of(settings).await, "jira_get_issue", issue()).await;
    has(
        &text,
        &[
            "there is no connection to the site",
            &format!("check the configured address http://{free}"),
            "proxy",
        ],
    );
}

#[tokio::test]
async fn a_context_path_that_is_missing_or_wrong_is_told() {
    for deployment in BOTH {
        let site =
            Trouble::with(Settings { deployment, context: "/jira".to_owned(), ..Settings::default() }).await;
        call(&site.client().await, "jira_get_issue", issue()).await;
        for path in ["", "/other"] {
            let mut settings = site.settings();
            settings.base.set_path(path);
            let text = refused(&client_of(settings).await, "jira_get_issue", issue()).await;
            has(&text, &["check the configured address", "context path (such as `/jira`", "may be missing"]);
        }
    }
}

#[tokio::test]
async fn a_page_to_log_in_is_no_answer_and_writes_nothing() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        for (tool, arguments, fault) in [
            ("jira_get_issue", issue(), at_issue("login-page", 1)),
            ("jira_add_comment", comment(), at_comment("login-page", 1, false)),
        ] {
            site.fault(fault).await;
            let text = refused(&client, tool, arguments).await;
            has(
                &text,
                &[
                    "expected JSON, but the site answered with a page for a browser",
                    "single sign-on",
                    "context path",
                ],
            );
        }
        assert_eq!(site.number(COMMENTS), 0);
    }
}

#[tokio::test]
async fn a_token_that_expired_is_told_as_such() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        site.world.store.run(0, |work| work.run("UPDATE token SET expires = 1", [])).expect("SQL");
        let text = refused(&site.client().await, "jira_get_issue", issue()).await;
        has(&text, &["the site does not accept the credentials", "token", "expire"]);
        assert!(!text.contains("demo-token"), "{text}");
        assert_eq!(site.asked("GET"), 1, "a login that fails is not tried again: it could lock the account");
    }
}

#[tokio::test]
async fn a_token_with_scopes_needs_the_gateway_and_the_error_says_so() {
    let site = Trouble::new(Deployment::Cloud).await;
    let sql = "UPDATE token SET scopes = 'read:jira-work read:jira-user'";
    site.world.store.run(0, |work| work.run(sql, [])).expect("SQL");
    let text = refused(&site.client().await, "jira_get_issue", issue()).await;
    has(&text, &["the site does not accept the credentials", "cloud id", "api.atlassian.com"]);
    let mut settings = site.settings();
    settings.cloud_id = Some("11223344-a1b2-4c33-8d44-1234567890ab".to_owned());
    settings.gateway = site.world.url.parse().expect("a URL");
    let client = client_of(settings).await;
    call(&client, "jira_get_issue", issue()).await;
    let text = refused(&client, "jira_add_comment", comment()).await;
    has(&text, &["scope"]);
    assert_eq!(site.number(COMMENTS), 0);
}

#[tokio::test]
async fn a_lock_with_a_captcha_is_not_hammered() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        site.fault(json!({ "path": "/rest/", "kind": "captcha", "times": 10 })).await;
        let text = refused(&client, "jira_get_issue", issue()).await;
        has(&text, &["CAPTCHA", "sign in to http://127.0.0.1", "with a browser once"]);
        assert_eq!(site.left().await, 9);
    }
}

#[tokio::test]
async fn an_issue_that_may_not_be_seen_is_like_one_that_is_not_there_and_the_error_says_both() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        for key in ["SEC-1", "SHOP-99999"] {
            let text = refused(&client, "jira_get_issue", json!({ "issue_key": key })).await;
            has(&text, &["the site has no such thing, or does not show it to this user", "may not see"]);
        }
        site.world.assert_contract();
    }
}

#[tokio::test]
async fn a_conflict_writes_nothing_and_asks_to_read_again() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let before = stored(&site.world, "SHOP-1", "summary");
        site.fault(json!({ "path": "/issue/SHOP-1", "method": "PUT", "kind": "conflict", "times": 5 })).await;
        let text = refused(
            &site.client().await,
            "jira_update_issue",
            json!({ "issue_key": "SHOP-1", "fields": { "summary": "x" } }),
        )
        .await;
        has(&text, &["the site refused the change", "read the current state, and make the change again"]);
        assert_eq!((site.left().await, stored(&site.world, "SHOP-1", "summary")), (4, before));
    }
}

#[tokio::test]
async fn a_site_that_asks_for_fewer_requests_gets_few_and_a_write_is_made_once() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        for (at, kind) in ["rate-limit", "rate-limit-bare", "rate-limit-zero"].into_iter().enumerate() {
            site.fault(at_issue(kind, 2)).await;
            call(&client, "jira_get_issue", issue()).await;
            assert_eq!(site.left().await, 0, "{kind}");
            site.fault(at_comment(kind, 2, false)).await;
            call(&client, "jira_add_comment", comment()).await;
            assert_eq!((site.left().await, site.number(COMMENTS)), (0, at as i64 + 1), "{kind}");
            // A write that is refused for good was not made, and was not tried for ever.
            site.fault(at_comment(kind, 100, false)).await;
            let text = refused(&client, "jira_add_comment", comment()).await;
            has(&text, &["the site asks for fewer requests", "try again in"]);
            assert_eq!(
                (site.left().await, site.number(COMMENTS)),
                (96, at as i64 + 1),
                "{kind}: once, and three times again"
            );
        }
    }
}

#[tokio::test]
async fn an_unavailable_site_is_read_again_but_not_written_again() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        site.fault(at_issue("unavailable", 1)).await;
        call(&client, "jira_get_issue", issue()).await;
        for kind in ["unavailable", "broken"] {
            site.fault(at_comment(kind, 3, false)).await;
            let text = refused(&client, "jira_add_comment", comment()).await;
            has(&text, &["the site failed", "read whether the change was made before you try again"]);
            assert_eq!((site.left().await, site.number(COMMENTS)), (2, 0), "{kind}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_or_lost_is_read_again_and_a_write_is_told_as_unknown_and_not_doubled() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        let mut made = 0;
        for kind in ["cut-off", "reset"] {
            site.fault(at_issue(kind, 1)).await;
            call(&client, "jira_get_issue", issue()).await;
            assert_eq!(site.left().await, 0, "{kind}");
            for after in [false, true] {
                site.fault(at_comment(kind, 3, after)).await;
                let text = refused(&client, "jira_add_comment", comment()).await;
                has(
                    &text,
                    &[
                        "it is unknown whether the change was made",
                        "read whether the change was made before you try again",
                    ],
                );
                made += i64::from(after);
                assert_eq!((site.left().await, site.number(COMMENTS)), (2, made), "{kind} {after}");
            }
        }
    }
}

#[tokio::test]
async fn a_site_that_drips_is_given_up_in_time() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let mut settings = site.settings();
        settings.timeout = Duration::from_secs(2);
        let client = client_of(settings).await;
        call(&client, "jira_get_issue", issue()).await;
        let begun = std::time::Instant::now();
        site.fault(at_issue("slow-drip", 1)).await;
        let text = refused(&client, "jira_get_issue", issue()).await;
        has(&text, &["the site took too long", "within 2s", "ask for less at once"]);
        site.fault(at_comment("slow-drip", 3, true)).await;
        let text = refused(&client, "jira_add_comment", comment()).await;
        has(&text, &["it is unknown whether the change was made", "within 2s"]);
        assert_eq!((site.left().await, site.number(COMMENTS)), (2, 1));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_cut_at_the_limit() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let mut settings = site.settings();
        settings.max_json_bytes = 1 << 20;
        let client = client_of(settings).await;
        site.fault(at_issue("endless", 1)).await;
        let text = refused(&client, "jira_get_issue", issue()).await;
        has(
            &text,
            &["the answer of the site is too large", "expected at most 1048576 bytes", "ask for less"],
        );
        site.fault(at_comment("endless", 1, true)).await;
        let text = refused(&client, "jira_add_comment", comment()).await;
        has(&text, &["it is unknown whether the change was made"]);
        assert_eq!(site.number(COMMENTS), 1);
    }
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_not_followed() {
    for deployment in BOTH {
        let site = Trouble::new(deployment).await;
        let client = site.client().await;
        site.fault(at_issue("private-redirect", 1)).await;
        let text = refused(&client, "jira_get_issue", issue()).await;
        has(
            &text,
            &[
                "the site sent the request to another address, which is not followed",
                "169.254.169.254",
                "configure it in place of",
            ],
        );
        site.fault(at_comment("private-redirect", 1, false)).await;
        let text = refused(&client, "jira_add_comment", comment()).await;
        has(&text, &["which is not followed"]);
        assert_eq!(site.number(COMMENTS), 0);
        // Files may be elsewhere, but not there.
        let file = json!({ "issue_key": "SHOP-1", "file_name": "a.txt", "text": "x" });
        call(&client, "jira_upload_attachment", file).await;
        let path =
            if deployment == Deployment::Cloud { "/attachment/content/" } else { "/secure/attachment/" };
        site.fault(json!({ "path": path, "kind": "private-redirect" })).await;
        let found = call(
            &client,
            "jira_download_attachments",
            json!({ "issue_key": "SHOP-1", "attachments": "a.txt" }),
        )
        .await;
        assert_eq!(site.left().await, 0, "{found}");
        has(&found["left_out"][0]["why"].to_string(), &["169.254.169.254"]);
    }
}

#[tokio::test]
async fn a_wrong_token_is_told_and_is_not_in_the_message() {
    let site = Trouble::new(Deployment::DataCenter).await;
    let mut settings = site.settings();
    settings.credentials = Credentials::Bearer(Secret::new("a-token-that-is-wrong"));
    let text = refused(&client_of(settings).await, "jira_get_issue", issue()).await;
    has(&text, &["the site does not accept the credentials", "expired or was revoked"]);
    assert!(!text.contains("a-token-that-is-wrong"), "{text}");
}
