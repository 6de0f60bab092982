//! Mistakes: all at once, with what was expected and what was found, and never a secret.

use plainwire_atlassian::settings::Source;

use crate::support::{CLOUD, DATA_CENTER, SECRET, from, good, of, pairs, with};

#[track_caller]
fn refused(name: &str, value: &str, expected: &str) {
    let problems = with(CLOUD, &[(name, value)]).expect_err("a problem");
    let text = problems.to_string();
    assert!(problems.0.len() == 1 && text.starts_with(name) && text.contains(expected), "{text}");
}

#[test]
fn a_value_that_is_none_is_refused_with_what_was_expected_and_found() {
    for url in ["example.atlassian.net", "ftp://example.com", "mailto:a@b", "https://", "ten"] {
        refused("JIRA_URL", url, "expected an address of http or https");
    }
    refused(
        "JIRA_URL",
        "https://example.atlassian.net/wiki",
        "such as `https://example.atlassian.net`, but found that of a page",
    );
    refused(
        "JIRA_URL",
        "https://example.atlassian.net/jira/software/projects/SHOP",
        "such as `https://example.atlassian.net`",
    );
    refused("JIRA_URL", "https://a.example/jira/browse/SHOP-1", "such as `https://a.example/jira`");
    refused("JIRA_URL", "http://a.example:8080/jira/browse/X-1", "such as `http://a.example:8080/jira`");
    refused("JIRA_URL", &format!("https://ada:{SECRET}@a.example"), "without a user or a password");
    refused("JIRA_URL", &format!("ftp://ada:{SECRET}@a.example"), "but found \"an address with a user\"");
    refused(
        "JIRA_URL",
        "http://jira.example.com",
        "expected an address of https, since credentials are sent",
    );
    refused("JIRA_DEPLOYMENT", "moon", "expected `cloud` or `data_center`, but found \"moon\"");
    refused("JIRA_AUTH_TYPE", "magic", "but found \"magic\"");
    refused("JIRA_TIMEOUT", "soon", "expected a whole number of seconds from 1 to 3600, but found \"soon\"");
    refused("JIRA_TIMEOUT", "0", "from 1 to 3600");
    refused("ATLASSIAN_CONNECT_TIMEOUT", "3600001", "milliseconds");
    refused("ATLASSIAN_RETRY_TOTAL", "-1", "attempts from 0 to 10");
    for it in ["NaN", "inf", "61", "-1", "x"] {
        refused("ATLASSIAN_RETRY_BACKOFF", it, "expected a number of seconds from 0 to 60");
    }
    refused("READ_ONLY_MODE", "maybe", "expected `true` or `false`, but found \"maybe\"");
    refused("JIRA_SSL_VERIFY", "/etc/ca.pem", "expected `true` or `false`");
    refused("JIRA_PROJECTS_FILTER", "SHOP;OPS", "keys of projects with commas");
    refused("JIRA_PROJECTS_FILTER", ",", "keys of projects with commas");
    refused("ATLASSIAN_GATEWAY_URL", "gateway", "expected an address");
    refused("ATLASSIAN_NAMES", "v3", "expected `v1`, `v2` or `v1,v2`, but found \"v3\"");
    refused("JIRA_SLA_METRICS", "speed", "expected metrics among cycle_time");
    refused("JIRA_SLA_WORKING_HOURS_START", "9", "expected a time such as 09:00, but found \"9\"");
    refused("JIRA_SLA_WORKING_HOURS_START", "18:00", "expected an end of work after its start 18:00");
    refused("JIRA_SLA_WORKING_HOURS_END", "08:00", "expected an end of work after its start 09:00");
    refused("JIRA_SLA_WORKING_DAYS", "Monday", "expected days from 1 for Monday to 7");
    refused("JIRA_SLA_WORKING_DAYS", "0,8", "but found \"0,8\"");
    refused("REQUESTS_CA_BUNDLE", "/nowhere.pem", "can't be read");
    refused("MCP_JIRA_TIMEOUT", "soon", "expected a whole number of seconds");
    refused("JIRA_SLA_TIMEZONE", "Mars/Olympus", "expected a time zone such as Europe/Berlin");
}

#[test]
fn a_callback_url_that_is_none_is_refused_by_the_name_that_was_written() {
    let app = [
        ("JIRA_URL", "https://example.atlassian.net"),
        ("JIRA_OAUTH_CLIENT_ID", "app"),
        ("JIRA_OAUTH_CLIENT_SECRET", SECRET),
    ];
    for uri in ["callback", "mailto:a@b", "https://a.example/#x"] {
        for name in ["JIRA_OAUTH_REDIRECT_URI", "ATLASSIAN_OAUTH_REDIRECT_URI"] {
            let text = with(&app, &[(name, uri)]).expect_err("a problem").to_string();
            let expected = format!("{name} (in the environment): expected the callback URL of the app");
            assert!(text.starts_with(&expected) && text.ends_with(&format!("but found {uri:?}")), "{text}");
        }
    }
}

#[test]
fn secrets_are_never_part_of_a_message() {
    // `from` looks for the secret in each message.
    refused("JIRA_CUSTOM_HEADERS", SECRET, "expected `Name=value`, but found no `=` in part 1");
    refused("JIRA_CUSTOM_HEADERS", &format!("X-A=a,{SECRET}"), "in part 2");
    refused("JIRA_CUSTOM_HEADERS", &format!("{{\"a\": [\"{SECRET}\"]}}"), "expected an object of JSON");
    refused("JIRA_CUSTOM_HEADERS", &format!("X A={SECRET}"), "expected the name of a header");
    refused("JIRA_HTTPS_PROXY", &format!("ftp://ada:{SECRET}@proxy"), "expected the address of a proxy");
    refused("HTTP_PROXY", &format!("ftp://ada:{SECRET}@proxy"), "expected the address of a proxy");
    for limit in ["TOOLSETS", "ENABLED_TOOLS", "JIRA_PROJECTS_FILTER"] {
        refused(limit, ",", "expected ");
    }
}

#[test]
fn files_are_read_and_checked() {
    refused("JIRA_CA_FILE", "missing.pem", "the file \"missing.pem\" can't be read");
    refused("JIRA_CA_FILE", "other.pem", "expected certificates in PEM");
    refused("JIRA_CLIENT_CERT", "other.pem", "expected a certificate and its private key");
    refused("JIRA_CLIENT_CERT", "cert.pem", "expected a certificate and its private key");
    good(CLOUD, &[("JIRA_CLIENT_CERT", "cert.pem"), ("JIRA_CLIENT_KEY", "key.pem")]);
    let problems = with(CLOUD, &[("JIRA_CLIENT_KEY", "key.pem")]).expect_err("no certificate").to_string();
    assert!(problems.starts_with("JIRA_CLIENT_CERT: expected the certificate for the key"), "{problems}");
}

#[test]
fn all_problems_come_at_once() {
    let values = [
        ("JIRA_TIMEOUT", "x"),
        ("TOOLSETS", "isues"),
        ("JIRA_SSL_VERIFY", "x"),
        ("JIRA_CA_FILE", "no.pem"),
        ("READ_ONLY_MODE", "x"),
    ];
    let problems = from(&of(Source::Flags, &values)).expect_err("problems");
    let names: Vec<_> = problems.0.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        names,
        ["JIRA_URL", "JIRA_SSL_VERIFY", "JIRA_CA_FILE", "JIRA_TIMEOUT", "TOOLSETS", "READ_ONLY_MODE"]
    );
    assert!(problems.to_string().contains("TOOLSETS (on the command line)"), "{problems}");
}

#[test]
fn tools_that_there_are_not_are_refused_and_those_of_mcp_atlassian_are_told() {
    refused("TOOLSETS", "isues", "did you mean `jira_issues`?");
    refused("ENABLED_TOOLS", "jira_serach", "did you mean `jira_search`?");
    refused("DISABLED_TOOLS", "jira_serach", "did you mean `jira_search`?");
    let config = good(
        CLOUD,
        &[("TOOLSETS", "Issues, confluence_pages"), ("ENABLED_TOOLS", "jira_search,confluence_search")],
    );
    assert_eq!(
        (config.choice.toolsets, config.choice.tools),
        (vec!["issues".to_owned()], vec!["jira_search".to_owned()])
    );
    assert_eq!(
        config.warnings[0],
        "TOOLSETS: confluence_pages has no effect here, because this server does not have it"
    );
    // Nothing that is left would be no limit.
    refused(
        "ENABLED_TOOLS",
        "confluence_search",
        "expected at least one name of this server, but found none",
    );
    refused("TOOLSETS", "confluence_pages", "expected at least one");
    refused("ENABLED_TOOLS", ",", "expected at least one");
}

#[test]
fn what_has_no_effect_is_told_with_the_reason() {
    let warnings = |values: &[(&str, &str)]| good(DATA_CENTER, values).warnings;
    assert_eq!(
        warnings(&[("CONFLUENCE_URL", "x"), ("CONFLUENCE_API_TOKEN", SECRET)]),
        ["CONFLUENCE_URL, CONFLUENCE_API_TOKEN have no effect here, because this server is for Jira"]
    );
    for (name, reason) in [
        ("ATLASSIAN_OAUTH_PROXY_ENABLE", "no authorization server for its clients"),
        ("JIRA_CLIENT_KEY_PASSWORD", "without a password"),
        ("ATLASSIAN_RETRY_INCLUDE_WRITES", "surely did not make it"),
        ("HIERARCHY_LINK_PHRASES", "is a part of its parent"),
        ("MCP_ALLOWED_URL_DOMAINS", "its own credentials"),
        ("MCP_ATLASSIAN_PROXY_WPAD_URL", "PAC and WPAD"),
        ("JIRA_PERSONAL_TOKN", "did you mean JIRA_PERSONAL_TOKEN?"),
    ] {
        let found = warnings(&[(name, SECRET)]);
        assert!(found.len() == 1 && found[0].starts_with(name) && found[0].contains(reason), "{found:?}");
    }
    assert!(warnings(&[("JIRA_HOME", "/var/jira")]).is_empty(), "another program's");
}

#[test]
fn what_is_dangerous_is_told() {
    let warnings = good(DATA_CENTER, &[("JIRA_SSL_VERIFY", "false")]).warnings;
    assert!(warnings[0].contains("can read the token"), "{warnings:?}");
}

#[test]
fn a_guard_that_this_server_lacks_is_refused() {
    refused("JIRA_INTERNAL_ONLY_PROJECTS", "DESK", "can't keep the comments of a project internal");
}

#[test]
fn an_unknown_name_in_a_file_is_a_mistake() {
    let layers = of(Source::File, CLOUD)
        .with(Source::LocalFile, pairs(&[("jira_api_tokn", SECRET), ("colour", "red")]));
    let problems = from(&layers).expect_err("problems").to_string();
    assert_eq!(
        problems,
        "JIRA_API_TOKN (in the local file): expected the name of a setting, but found another one; did you mean JIRA_API_TOKEN?\n\
         COLOUR (in the local file): expected the name of a setting, but found another one"
    );
    let layers = of(Source::File, CLOUD).with(Source::File, pairs(&[("confluence_url", "x")]));
    assert_eq!(from(&layers).expect("settings").warnings.len(), 1);
}
