//! The doctor at a whole site, as a function and as a command.

use std::fs;
use std::path::Path;

use plainwire_atlassian::doctor::{Outcome, examine};
use plainwire_atlassian::rest::{Credentials, Secret};
use plainwire_suite::binary;
use serde_json::{Value, json};

use crate::support::{BOTH, World};

#[tokio::test]
async fn a_healthy_site_passes_each_check() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let checks = examine(&world.settings()).await;
        for check in &checks {
            assert_ne!(check.outcome, Outcome::Failed, "{check:?}");
        }
        let passed = ["login", "permissions", "search", "boards", "service desk", "deployment", "clock"];
        let has_passed =
            |name: &&str| checks.iter().any(|it| it.name == *name && it.outcome == Outcome::Passed);
        assert!(passed.iter().all(has_passed), "{checks:#?}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_token_that_is_none_fails_at_the_login_only() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let mut settings = world.settings();
        // Nothing is sent to the real gateway.
        settings.gateway = settings.base.clone();
        let wrong = Secret::new("wrong-token-9271");
        settings.credentials = match settings.credentials {
            Credentials::Basic { user, .. } => Credentials::Basic { user, secret: wrong },
            _ => Credentials::Bearer(wrong),
        };
        let checks = examine(&settings).await;
        let failed: Vec<_> = checks.iter().filter(|it| it.outcome == Outcome::Failed).collect();
        assert!(failed.len() == 1 && failed[0].name == "login" && failed[0].advice.is_some(), "{failed:?}");
        assert!(!format!("{checks:?}").contains("9271"));
    }
}

/// Runs `plainwire atlassian doctor --json` with a file, a local file and variables, and no others.
fn doctor(folder: &Path, variables: &[(&str, &str)], more: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = binary::command();
    command.args(["atlassian", "doctor", "--json", "--config"]).arg(folder.join("atlassian.json")).args(more);
    command.env_clear().env("HOME", folder).envs(variables.iter().copied());
    let output = command.output().expect("the command runs");
    let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), value, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test]
async fn the_command_reads_files_variables_and_flags() {
    let world = World::new(plainwire_site::Deployment::DataCenter).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (file, local) = (folder.path().join("atlassian.json"), folder.path().join("atlassian.local.json"));
    let text = r#"{ // shared by the team
        "jira_url": "http://127.0.0.1:1", "jira_timeout": 7, "atlassian_retry_total": 1 }"#;
    fs::write(&file, text).expect("a file");
    fs::write(&local, r#"{ "jira_personal_token": "demo-token", "jira_timeout": 8 }"#).expect("a file");
    let variables = [("MCP_JIRA_URL", world.url.as_str()), ("JIRA_TIMEOUT", "9")];
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |mode| fs::set_permissions(&local, fs::Permissions::from_mode(mode)).expect("a mode");
        mode(0o644);
        let (code, _, said) = doctor(folder.path(), &variables, &[]);
        assert!(code == Some(2) && said.contains("chmod 600"), "{said}");
        mode(0o600);
    }
    let (code, report, said) = doctor(folder.path(), &variables, &["--set", "jira_timeout=10"]);
    assert_eq!((code, said.as_str()), (Some(0), ""), "{report:#}");
    let row =
        |name: &str, value: &str, source: &str| json!({ "name": name, "value": value, "source": source });
    let expected = [
        row("JIRA_URL", &world.url, "in the environment"),
        row("JIRA_PERSONAL_TOKEN", "set", "in the local file"),
        row("JIRA_TIMEOUT", "10", "on the command line"),
        row("ATLASSIAN_RETRY_TOTAL", "1", "in the file"),
    ];
    assert_eq!(report["settings"], json!(expected));
    let (code, report, _) = doctor(folder.path(), &[("JIRA_PERSONAL_TOKEN", "wrong"), variables[0]], &[]);
    let failed = report["checks"].as_array().expect("checks").iter().find(|it| it["outcome"] == "FAILED");
    assert_eq!((code, failed.map(|it| &it["name"])), (Some(1), Some(&json!("login"))), "{report:#}");
    let (code, _, said) = doctor(folder.path(), &[("JIRA_TIMEOUT", "x"), ("READ_ONLY_MODE", "x")], &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("JIRA_TIMEOUT (in the environment)") && said.contains("READ_ONLY_MODE (in the"),
        "{said}"
    );
    let (code, _, said) = doctor(folder.path(), &[], &["--set", "jira_api_token=s3cr3t"]);
    assert!(code == Some(2) && !said.contains("s3cr3t"), "{said}");
}

#[test]
fn a_blank_limit_and_options_that_contradict_each_other_are_refused() {
    for (words, expected) in [
        (&["--projects", ""][..], "--projects"),
        (&["--toolsets", "issues,"], "--toolsets"),
        (&["--only-tools", ""], "--only-tools"),
        (&["--without-tools", ""], "--without-tools"),
        (&["--demo", "--validate"], "--validate"),
        (&["--demo", "--set", "READ_ONLY_MODE=true"], "--demo, which has settings of its own"),
        (&["--demo", "--config", "a.json"], "--demo, which has settings of its own"),
    ] {
        let output =
            binary::command().args(["serve", "atlassian"]).args(words).output().expect("the command runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(expected), "{words:?}: {said}");
    }
}
