//! Tests of `plainwire login` and `plainwire logout`, from the sign-in page to the stored files. The servers
//! are the reference server behind a check of tokens, and a test authorization server.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Cursor, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use http_body_util::{BodyExt as _, Full};
use plainwire::http::Http;
use plainwire_oauth::Url;
use plainwire_suite::binary;
use serde_json::{Value, json};

use super::Ran;
use super::oauth::Setup;
use super::plain_http::{self, Request, Response};
use super::targets::folder;

/// A user with a home folder, and the servers at which the user logs in.
struct Person {
    home: PathBuf,
    setup: Setup,
}

impl Person {
    fn new(name: &str) -> Self {
        let setup = Setup::new();
        setup.fake().server.app = Some(Box::new(reference()));
        Self { home: folder(&format!("login-{name}")), setup }
    }

    fn url(&self) -> String {
        self.setup.server().to_string()
    }

    /// Returns a `plainwire` command in which `HOME` is this home folder and no keychain can be reached.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = binary::command();
        command.args(words).env("HOME", &self.home).stdin(Stdio::null());
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "PLAINWIRE_TOKEN_KEY"] {
            command.env_remove(name);
        }
        command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all");
        command
    }

    fn run(&self, words: &[&str]) -> Ran {
        Ran::of(self.command(words).output().expect("the binary starts"))
    }

    /// Calls the tool `calculate` of the protected server.
    fn call(&self) -> Ran {
        self.run(&["call", "calculate", "expression=6*7", "--url", &self.url()])
    }

    /// Logs in: runs `plainwire login` with the further arguments `words`, and opens the page that stderr
    /// names.
    fn login(&self, words: &[&str]) -> Ran {
        let url = self.url();
        self.follow(self.command(&[&["login", "--no-browser", "--url", &url], words].concat()))
    }

    fn follow(&self, mut command: Command) -> Ran {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the binary starts");
        let stderr = browse(&mut child);
        let mut stdout = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("UTF-8");
        Ran { code: child.wait().expect("an end").code().expect("an exit code"), stderr, stdout }
    }

    /// Returns the files without an extension in the folder `below` of the home folder, with their contents.
    fn kept(&self, below: &str) -> Vec<(PathBuf, String)> {
        let files = fs::read_dir(self.home.join(below)).expect("a folder");
        let files = files.map(|it| it.expect("a file").path()).filter(|it| it.extension().is_none());
        files.map(|it| (it.clone(), fs::read_to_string(it).expect("text"))).collect()
    }
}

/// Returns the reference server as a function from requests to responses.
fn reference() -> impl Fn(&Request) -> Response + Send {
    let service = Http::new(plainwire_reference::server()).into_service().expect("a legal server");
    move |request| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let mut asked = http::Request::builder().method(request.method.as_str()).uri(request.url.path());
            for (name, value) in &request.headers {
                asked = asked.header(name, value);
            }
            let asked =
                asked.body(Full::new(Cursor::new(request.body.clone().into_bytes()))).expect("a request");
            let (head, body) = service.handle(asked).await.into_parts();
            let body = body.collect().await.expect("a body").to_bytes();
            let kind = head.headers.get("content-type").map_or("", |it| it.to_str().expect("text"));
            let text = std::str::from_utf8(&body).expect("UTF-8");
            Response::new(head.status.as_u16()).with("content-type", kind).body(text)
        })
    }
}

/// Reads the stderr of `child` to its end. On the way, opens each sign-in page that it names, and follows the
/// redirect back to `plainwire`. Returns all of stderr.
fn browse(child: &mut Child) -> String {
    let mut all = String::new();
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    while lines.read_line(&mut all).expect("UTF-8") > 0 {
        let line = all.lines().last().unwrap_or_default();
        if let Some(page) = line.split_once("open this page to sign in: ").map(|(_, page)| page) {
            plain_http::browse_loopback(&Url::parse(page).expect("a URL")).expect("a browser");
        }
    }
    all
}

/// Checks that the output contains no access token, no refresh token and no authorization code.
#[track_caller]
fn tells_no_token(ran: &Ran) {
    for secret in ["access-", "refresh-", "code="] {
        assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{secret}: {ran:?}");
    }
}

#[test]
fn signs_in_once_for_all_commands_until_the_logout() {
    let person = Person::new("once");
    let url = person.url();
    person.setup.change("revocation_endpoint", json!(format!("{}/revoke", person.setup.as1)));
    let says_to_log_in = |ran: Ran| {
        let hint = format!(
            "\n\nhint: `plainwire login --url {url}` signs in by OAuth; `--bearer-env VARIABLE` and `--token-file FILE` \
             send a token\n"
        );
        assert!(ran.code == 4 && ran.stderr.ends_with(&hint), "{ran:?}");
        assert_eq!(person.setup.count("as1 GET /authorize") + person.setup.count("as1 POST /register"), 0);
    };
    says_to_log_in(person.call());

    let ran = person.login(&[]);
    tells_no_token(&ran);
    assert_eq!(
        (ran.code, &*ran.stdout),
        (
            0,
            &*format!(
                "signed in at {url}\n  issuer   {}\n  scopes   read\n  expires  in 59 min, renewed automatically\n",
                person.setup.as1
            )
        ),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("tokens are stored in files below "), "{ran:?}");
    for words in [
        &["list"][..],
        &["call", "calculate", "expression=6*7"],
        &["read", "server://info"],
        &["prompt", "explain_calculation", "expression=1"],
        &["ping"],
        &["lint", "--filter=calculate"],
    ] {
        let ran = person.run(&[words, &["--url", &url]].concat());
        tells_no_token(&ran);
        ran.quietly();
    }
    // The user is signed in already, so no page is opened.
    assert_eq!(person.run(&["login", "--url", &url, "--no-browser"]).code, 0);
    assert_eq!(person.setup.count("as1 GET /authorize"), 1);

    let ran = person.run(&["logout", "--url", &url]);
    tells_no_token(&ran);
    assert_eq!(ran.quietly(), format!("signed out of {url}: the tokens are revoked\n"));
    assert_eq!(person.setup.fake().first.revocations.len(), 1);
    assert!(person.kept(TOKENS).iter().all(|(path, _)| path.to_string_lossy().contains("/client-")));
    person.setup.fake().log.clear();
    says_to_log_in(person.call());
    assert_eq!(
        person.run(&["logout", "--url", &url]).quietly(),
        format!("you were not signed in at {url}\n")
    );
}

/// The folder of the stored tokens, below the home folder.
const TOKENS: &str = ".local/share/plainwire/tokens";

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_and_encrypted_if_there_is_a_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let person = Person::new("modes");
    let key = "07".repeat(32);
    let mut command = person.command(&["login", "--no-browser", "--url", &person.url()]);
    command.env("PLAINWIRE_TOKEN_KEY", &key);
    assert_eq!(person.follow(command).code, 0);
    let call = |key: &str| {
        let mut command = person.command(&["call", "calculate", "expression=6*7", "--url", &person.url()]);
        Ran::of(command.env("PLAINWIRE_TOKEN_KEY", key).output().expect("the binary starts"))
    };
    assert_eq!(call(&key).quietly(), "42\n");
    let encrypted = person.kept(".local/share/plainwire/encrypted-tokens");
    assert!(
        encrypted.len() == 3 && encrypted.iter().all(|(_, text)| !text.contains("access")),
        "{encrypted:?}"
    );
    let ran = call(&"08".repeat(32));
    assert!(ran.code == 3 && ran.stderr.contains("keys can decrypt"), "{ran:?}");
    assert_eq!(call("s3cret").code, 2);
    assert!(!call("s3cret").stderr.contains("s3cret"));

    person.login(&[]);
    let plain = person.kept(TOKENS);
    assert!(plain.iter().any(|(_, text)| text.contains("access-")), "{plain:?}");
    for (path, _) in encrypted.iter().chain(&plain) {
        assert_eq!(mode(path), 0o600, "{}", path.display());
    }
    assert_eq!(mode(&person.home.join(TOKENS)), 0o700);
}

/// Tokens must be stored in the keychain and not in files. The test runs only with the session bus that
/// `third_party/keychain.sh` starts: it leaves a client registration in the keychain, so it must not use a
/// developer's own keychain.
#[test]
fn tokens_go_to_the_keychain_where_there_is_one() {
    if env::var_os("PLAINWIRE_TEST_KEYCHAIN").is_none() {
        // Written to stderr directly, because the output of a test is shown only when it fails.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: third_party/keychain.sh runs this where there is a keychain"
        );
        return;
    }
    let person = Person::new("keychain");
    let url = person.url();
    let command = |words: &[&str]| {
        let mut command = person.command(&[words, &["--url", &url]].concat());
        command.env("DBUS_SESSION_BUS_ADDRESS", env::var_os("DBUS_SESSION_BUS_ADDRESS").expect("a bus"));
        command
    };
    let ran = person.follow(command(&["login", "--no-browser"]));
    assert!(ran.code == 0 && !ran.stderr.contains("tokens are stored in files"), "{ran:?}");
    assert_eq!(person.kept(TOKENS), []);
    let list = || Ran::of(command(&["list"]).output().expect("the binary starts"));
    list().quietly();
    // If the keychain can't be reached, as over SSH, the command fails for this reason and asks for no new
    // login.
    let ran = person.run(&["list", "--url", &url]);
    assert!(ran.code == 3 && ran.stderr.contains("expected the keychain of this user to answer"), "{ran:?}");
    let ran = Ran::of(command(&["logout"]).output().expect("the binary starts"));
    ran.quietly();
    assert_eq!(list().code, 4);
}

#[test]
fn an_expired_token_is_renewed_once_however_many_commands_run() {
    let person = Person::new("expired");
    person.login(&[]);
    // Sets the expiry of the stored tokens to the past, as if an hour had passed.
    for (path, text) in person.kept(TOKENS) {
        if path.to_string_lossy().contains("/tokens-") {
            let mut tokens: Value = serde_json::from_str(&text).expect("JSON");
            tokens["expires"] = json!(1);
            fs::write(path, tokens.to_string()).expect("a file of ours");
        }
    }
    person.setup.revoke_access();
    let before = person.setup.count("as1 POST /token");
    thread::scope(|scope| {
        let calls: Vec<_> = (0..3).map(|_| scope.spawn(|| person.call())).collect();
        for call in calls {
            let ran = call.join().expect("no panic");
            tells_no_token(&ran);
            assert_eq!(ran.quietly(), "42\n");
        }
    });
    assert_eq!(person.setup.count("as1 POST /token") - before, 1);
}

#[test]
fn a_grant_that_is_gone_says_to_log_in_and_a_login_mends_it() {
    let person = Person::new("gone");
    person.login(&[]);
    person.setup.revoke_access();
    person.setup.revoke_refresh();
    let ran = person.call();
    assert!(ran.code == 4 && ran.stderr.contains("requires a login"), "{ran:?}");
    assert!(ran.stderr.contains(&format!("`plainwire login --url {}`", person.url())), "{ran:?}");
    assert_eq!(person.login(&[]).code, 0);
    assert_eq!(person.call().quietly(), "42\n");
}

#[test]
fn a_token_that_is_not_good_any_more_is_no_login() {
    let person = Person::new("stale");
    // The access token has a long validity, and there is no refresh token. The server then refuses the access
    // token.
    person.setup.fake().first.token_with = Some(json!({"refresh_token": null}));
    person.login(&[]);
    person.setup.revoke_access();
    assert_eq!(person.call().code, 4);
    assert_eq!(person.login(&[]).code, 0);
    assert_eq!(person.call().quietly(), "42\n");
}

#[test]
fn a_scope_that_is_missing_is_named_and_a_login_with_it_mends_it() {
    let person = Person::new("scope");
    person.setup.fake().server.wants.insert("/mcp".to_owned(), "write".to_owned());
    // The login also calls the server, which refuses the token because of a missing scope. So the login
    // requests that scope too.
    assert!(person.login(&[]).stdout.contains("\n  scopes   read write\n"));
    person.setup.fake().server.wants.insert("/mcp".to_owned(), "admin".to_owned());
    let ran = person.call();
    assert!(ran.code == 4 && ran.stderr.contains("login for the scopes \"admin read write\""), "{ran:?}");
    assert_eq!(person.login(&[]).code, 0);
    assert_eq!(person.call().quietly(), "42\n");
}

#[test]
fn a_token_of_the_command_line_goes_before_those_that_are_kept() {
    let person = Person::new("explicit");
    person.login(&[]);
    let url = person.url();
    let ran = person.run(&["list", "--url", &url, "--header", "AUTHORIZATION: Bearer other"]);
    assert!(ran.code == 4 && ran.stderr.starts_with("error: the server refused with HTTP 401"), "{ran:?}");
    let mut command = person.command(&["list", "--url", &url, "--bearer-env", "TOKEN"]);
    let ran = Ran::of(command.env("TOKEN", "other").output().expect("the binary starts"));
    assert_eq!(ran.code, 4, "{ran:?}");
    assert_eq!(person.call().quietly(), "42\n");
}

#[test]
fn an_entry_of_a_configuration_file_is_signed_in_at_by_its_name() {
    let person = Person::new("entry");
    let path = person.home.join("servers.json");
    let config = json!({"mcpServers": {
        "it": {"url": person.url()},
        "known": {"url": person.url(), "headers": {"Authorization": "Bearer s3cret"}},
        "command": {"command": "plainwire"},
    }});
    fs::write(&path, config.to_string()).expect("a file of ours");
    let path = path.to_str().expect("UTF-8");
    let list = || person.run(&["list", "--server", "it", "--config", path]);
    let ran = list();
    assert!(ran.stderr.contains(&format!("`plainwire login --config {path} --server it`")), "{ran:?}");
    let check = || person.run(&["servers", "--check", "--config", path]).stdout;
    assert!(check().contains("`plainwire login --config"), "{}", check());
    let command = person.command(&["login", "--no-browser", "--server", "it", "--config", path, "--json"]);
    let ran = person.follow(command);
    tells_no_token(&ran);
    let said: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&said["server"], &said["issuer"]), (&json!(person.url()), &json!(person.setup.as1)));
    assert_eq!((&said["scopes"], &said["renewed"]), (&json!(["read"]), &json!(true)));
    assert!(said["expires"].as_u64().is_some_and(|it| it > 1_700_000_000), "{said}");
    list().quietly();
    assert!(check().contains("plainwire-reference"), "{}", check());
    for (name, expected) in
        [("known", "an `Authorization` header of its own"), ("command", "but found a command")]
    {
        let ran = person.run(&["login", "--server", name, "--config", path]);
        assert!(ran.code == 2 && ran.stderr.contains(expected) && !ran.stderr.contains("s3cret"), "{ran:?}");
    }
}

#[test]
fn a_client_that_is_registered_already_signs_in_as_itself() {
    let person = Person::new("client");
    let ran = person.login(&["--client-id", "mine", "--scope", "write", "--scope", "admin"]);
    assert!(ran.stdout.contains("\n  scopes   admin write\n"), "{ran:?}");
    let fake = person.setup.fake();
    let asked = &fake.first.authorizations[0];
    assert_eq!((&*asked["client_id"], &*asked["scope"]), ("mine", "admin write"));
    assert_eq!(fake.first.registrations.len(), 0);
}

#[test]
fn a_document_describes_the_client_where_such_documents_are_taken() {
    let person = Person::new("document");
    person.setup.change("client_id_metadata_document_supported", json!(true));
    let document = "https://app.example/client.json";
    assert_eq!(person.login(&["--client-id-metadata", document]).code, 0);
    assert_eq!(person.setup.fake().first.authorizations[0]["client_id"], document);
}

#[test]
fn a_program_signs_in_with_its_secret_and_without_a_person() {
    let person = Person::new("program");
    let url = person.url();
    let words = [
        "login",
        "--url",
        &url,
        "--client-id",
        "job",
        "--client-secret-env",
        "SECRET",
        "--client-credentials",
    ];
    let ran = person.run(&words);
    assert!(ran.code == 2 && ran.stderr.contains("--client-secret-env SECRET: expected a secret"), "{ran:?}");
    let ran = Ran::of(person.command(&words).env("SECRET", "s3cret").output().expect("the binary starts"));
    tells_no_token(&ran);
    assert!(ran.code == 0 && ran.stdout.contains("then sign in again\n"), "{ran:?}");
    assert!(!ran.stderr.contains("s3cret"), "{ran:?}");
    assert_eq!(person.setup.count("as1 GET /authorize"), 0);
    assert_eq!(person.call().quietly(), "42\n");
}

#[test]
fn a_person_who_says_no_or_never_comes_is_told_about() {
    let person = Person::new("denied");
    person.setup.fake().first.error = Some(("access_denied".to_owned(), "not today".to_owned()));
    let url = person.url();
    let ran = person.run(&["login", "--url", &url, "--no-browser", "--timeout", "1"]);
    assert!(ran.code == 4 && ran.stderr.contains("the login at "), "{ran:?}");
    let mut child = person.command(&["login", "--url", &url, "--no-browser"]);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let page = lines.find_map(|it| Some(it.split_once("sign in: ")?.1.to_owned())).expect("a page");
    let back = super::oauth::browse(&Url::parse(&page).expect("a URL"));
    assert!(plain_http::send("GET", &back, &[]).body.contains("login failed"));
    let rest: Vec<_> = lines.collect();
    assert!(rest.iter().any(|it| it.contains("access_denied") && it.contains("not today")), "{rest:?}");
    assert_eq!(child.wait().expect("an end").code(), Some(4));
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_gets_the_page_as_one_word_and_no_shell_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let person = Person::new("browser");
    let opener = person.home.join("xdg-open");
    // A replacement of `xdg-open`. It writes the number of its arguments and the URL of the page to files in
    // the home folder.
    let script = "#!/bin/sh\necho $# > \"$HOME/words\"\nprintf %s \"$1\" > \"$HOME/page.new\"\nmv \"$HOME/page.new\" \"$HOME/page\"\n";
    fs::write(&opener, script).expect("a file of ours");
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("a mode");
    let mut command = person.command(&["login", "--url", &person.url()]);
    let path = format!("{}:{}", person.home.display(), binary::search_path().display());
    command.env("PATH", path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    let page = loop {
        match fs::read_to_string(person.home.join("page")) {
            Ok(page) => break page,
            Err(_) => thread::yield_now(),
        }
    };
    assert_eq!(fs::read_to_string(person.home.join("words")).expect("a file").trim(), "1");
    plain_http::browse_loopback(&Url::parse(&page).expect("a URL")).expect("a browser");
    let ran = Ran::of(child.wait_with_output().expect("an end"));
    assert!(
        ran.code == 0 && ran.stderr.contains(&format!("if none does, open this page: {page}\n")),
        "{ran:?}"
    );
}

#[test]
fn says_what_a_login_takes() {
    for words in [
        &["login"][..],
        &["login", "--", "plainwire"],
        &["login", "--url", "http://localhost:1/mcp", "--server", "a"],
        &["login", "--url", "http://localhost:1/mcp", "--client-credentials"],
        &["login", "--url", "http://localhost:1/mcp", "--client-secret-env", "A"],
        &["logout"],
    ] {
        let ran = super::run(words);
        assert_eq!((ran.code, &*ran.stdout), (2, ""), "{words:?}: {ran:?}");
    }
}
