//! Tests of the handshake: the revision on which client and server agree, and the requests that lead to it.

use super::*;

/// Returns every non-empty selection of revisions, each oldest first.
fn lists() -> impl Iterator<Item = Vec<Revision>> + Clone {
    (1u32..32).map(|bits| Revision::ALL.into_iter().filter(|r| bits >> r.index() & 1 == 1).collect())
}

/// Connects a client and a server that have these revisions, and returns the events that the client reports.
fn meet(server: &[Revision], client: &[Revision], era: EraChoice) -> Vec<String> {
    let mut pair = Pair::new(server_config(server), client_config(client, era));
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    outcome(&pair)
}

/// Returns a list of versions as error messages show it.
fn names<'r>(revisions: impl IntoIterator<Item = &'r Revision>) -> String {
    format!("{:?}", revisions.into_iter().map(|r| r.as_str()).collect::<Vec<_>>())
}

/// Returns the expected outcome of a handshake: the revision, or the error message.
fn expected(server: &[Revision], client: &[Revision], era: EraChoice) -> Result<Revision, String> {
    let newest = |list: &[Revision]| list.iter().copied().filter(|r| r.era() == Era::Legacy).max();
    let modern = client.contains(&V26) && era != EraChoice::Legacy;
    if modern && server.contains(&V26) {
        return Ok(V26);
    }
    let theirs = names(server.iter().rev());
    let ours = names(client.iter().filter(|r| match era {
        EraChoice::Auto => true,
        EraChoice::Legacy => r.era() == Era::Legacy,
        EraChoice::Modern => r.era() == Era::Modern,
    }));
    let proposal = if modern {
        // The client has sent `server/discover`, so it knows all revisions of the server.
        let common: Vec<_> = client.iter().copied().filter(|r| server.contains(r)).collect();
        newest(&common)
            .filter(|_| era == EraChoice::Auto)
            .ok_or_else(|| format!("expected the server to speak one of {ours}, but found {theirs}"))?
    } else {
        newest(client).filter(|_| era != EraChoice::Modern).ok_or_else(|| {
            format!("expected a revision for `EraChoice::{era:?}` among ours, but found {}", names(client))
        })?
    };
    let Some(newest_of_server) = newest(server) else {
        return Err(format!("expected a protocol version of {theirs}, but found \"{proposal}\""));
    };
    let answer = if server.contains(&proposal) { proposal } else { newest_of_server };
    client
        .contains(&answer)
        .then_some(answer)
        .ok_or_else(|| format!("expected the server to speak one of {ours}, but found \"{answer}\""))
}

#[test]
fn every_client_and_every_server_agree_or_say_why_not() {
    for (server, client) in lists().flat_map(|server| lists().map(move |client| (server.clone(), client))) {
        for era in [EraChoice::Auto, EraChoice::Legacy, EraChoice::Modern] {
            let expected = match expected(&server, &client, era) {
                Ok(revision) => format!("connected: {revision}"),
                Err(why) => format!("refused: {why}"),
            };
            assert_eq!(meet(&server, &client, era), [expected], "{server:?} and {client:?}, {era:?}");
        }
    }
}

#[test]
fn agrees_on_the_newest_that_both_have() {
    let all = &Revision::ALL[..];
    let legacy = &Revision::ALL[..4];
    for (server, client, era, agreed) in [
        (all, all, EraChoice::Auto, Some(V26)),
        (all, all, EraChoice::Modern, Some(V26)),
        (all, all, EraChoice::Legacy, Some(V25C)),
        (all, legacy, EraChoice::Auto, Some(V25C)),
        (legacy, all, EraChoice::Auto, Some(V25C)),
        (legacy, all, EraChoice::Modern, None),
        (&[V24], all, EraChoice::Auto, Some(V24)),
        (&[V24], all, EraChoice::Legacy, Some(V24)),
        (&[V26], all, EraChoice::Auto, Some(V26)),
        (&[V26], all, EraChoice::Legacy, None),
        (&[V26], legacy, EraChoice::Auto, None),
        (all, &[V25A], EraChoice::Auto, Some(V25A)),
        (all, &[V26], EraChoice::Auto, Some(V26)),
        (legacy, &[V26], EraChoice::Auto, None),
        (&[V25A], &[V25B], EraChoice::Auto, None),
        // Only the first of these two clients sends a modern request, and only the answer to such a request
        // names the server's revisions.
        (&[V24, V25A], &[V24, V25C, V26], EraChoice::Auto, Some(V24)),
        (&[V24, V25A], &[V24, V25C], EraChoice::Auto, None),
    ] {
        let met = meet(server, client, era);
        let found = met[0].strip_prefix("connected: ").and_then(Revision::parse);
        assert_eq!(found, agreed, "{server:?} and {client:?}, {era:?}: {met:?}");
    }
}

#[test]
fn each_revision_is_answered_with_itself() {
    for revision in &Revision::ALL[..4] {
        let mut server = Server::fresh();
        assert_eq!(
            server.serve(initialize("1", revision.as_str())),
            [result(
                "1",
                &format!(
                    r#"{{"protocolVersion":"{revision}","capabilities":{{"prompts":{{}},"resources":{{}},"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}"#
                )
            )]
        );
        assert_eq!(server.peer.revision(), Some(*revision));
    }
}

#[test]
fn an_unknown_or_modern_version_is_answered_with_the_newest_that_has_a_handshake() {
    for (served, newest) in
        [(&Revision::ALL[..], V25C), (&Revision::ALL[..4], V25C), (&[V24, V25A, V26], V25A), (&[V24], V24)]
    {
        for version in ["2026-07-28", "2099-01-01", "1.0.0", "", "2025-11-25 ", "DRAFT-2026-v1"] {
            let mut server = Server::new(server_config(served));
            let answer = server.serve(initialize("1", version));
            let begin = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{newest}","#);
            assert!(answer[0].starts_with(&begin), "{version:?}: {answer:?}");
        }
    }
}

#[test]
fn a_version_that_is_not_served_is_answered_with_the_newest_that_is() {
    let mut server = Server::new(server_config(&[V24, V25B]));
    assert!(server.serve(initialize("1", "2025-11-25"))[0].contains(r#""protocolVersion":"2025-06-18""#));
}

#[test]
fn refuses_a_second_initialize() {
    let mut server = Server::speaking(V25B);
    let text = "expected `initialize` once, but found it again";
    assert_eq!(server.serve(initialize("2", "2025-11-25")), [error("2", -32600, text)]);
    assert_eq!(server.peer.revision(), Some(V25B));
}

#[test]
fn an_initialize_with_an_id_in_flight_begins_no_session() {
    let mut server = Server::fresh();
    let key = server.open_one(modern("1", "tools/call", r#","name":"t""#));
    let text = "expected `id` to be new, but found 1, which is in flight";
    assert_eq!(server.serve(initialize("1", "2025-11-25")), [error("1", -32600, text)]);
    server.answer(key);
    server.sent();
    assert!(server.serve(initialize("1", "2025-11-25"))[0].contains("protocolVersion"));
}

#[test]
fn refuses_an_initialize_whose_parameters_cannot_be_read_and_accepts_the_next() {
    for (params, found) in [
        (r#"{}"#, "expected `protocolVersion` to be a string, but found nothing"),
        (
            r#"{"protocolVersion":5}"#,
            "expected the parameters of `initialize`, but found invalid type: integer `5`, expected a string at line 1 column 20",
        ),
        (
            r#"{"protocolVersion":"2025-11-25","capabilities":[]}"#,
            "expected the parameters of `initialize`, but found invalid type: sequence, expected a map at line 1 column 47",
        ),
    ] {
        let mut server = Server::fresh();
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        assert_eq!(server.serve(frame), [error("1", -32602, found)]);
        assert_eq!(server.peer.revision(), None);
        assert!(server.serve(initialize("2", "2025-11-25"))[0].contains("protocolVersion"));
    }
}

#[test]
fn a_modern_only_server_names_its_versions_to_whoever_sends_initialize() {
    let mut server = Server::new(server_config(&[V26]));
    assert_eq!(
        server.serve(initialize("1", "2025-11-25")),
        [concat!(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"#,
            r#""message":"expected a protocol version of [\"2026-07-28\"], but found \"2025-11-25\"","#,
            r#""data":{"requested":"2025-11-25","supported":["2026-07-28"]}}}"#
        )]
    );
    assert_eq!(server.serve(modern("2", "tools/list", "")), [result("2", MODERN_RESULT)]);
}

#[test]
fn a_modern_only_server_refuses_what_does_not_describe_itself() {
    let mut server = Server::new(server_config(&[V26]));
    let text = "expected `_meta.io.modelcontextprotocol/protocolVersion` to be a string, but found nothing";
    for method in ["ping", "tools/list", "server/discover", "nonsense"] {
        assert_eq!(server.serve(request("1", method)), [error("1", -32602, text)], "{method}");
    }
}

#[test]
fn a_modern_only_server_never_writes_an_id_of_null() {
    let mut server = Server::new(server_config(&[V26]));
    let text = "expected a JSON value at byte 0, but found 'h'";
    assert_eq!(server.serve("hello"), [error(None, -32700, text)]);
}

#[test]
fn the_server_remembers_who_initialized() {
    let mut server = Server::fresh();
    assert!(server.peer.session_client().is_none());
    server.hear(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"7"}}}"#,
    );
    let client = server.peer.session_client().expect("a client");
    assert!(client.capabilities.is_on("roots", "listChanged"));
    assert_eq!(client.info.as_ref().map(|info| info.version.as_str()), Some("7"));
}

#[test]
fn reports_the_end_of_the_handshake() {
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let mut server = Server::fresh();
    assert_eq!(server.hears(initialized), ["ignored: `notifications/initialized` before `initialize`"]);
    server.begin(V24);
    assert_eq!(server.hears(initialized), ["initialized"]);
    assert_eq!(server.sent(), [""; 0]);
}

#[test]
fn a_legacy_handshake_looks_like_this() {
    let mut pair = Pair::new(server_config(&Revision::ALL), client_config(&Revision::ALL, EraChoice::Legacy));
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    assert_eq!(
        pair.wire,
        [
            r#"> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
            r#"< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{},"resources":{},"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
            r#"> {"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#,
        ]
    );
    assert!(matches!(pair.server_events[..], [Event::Initialized]), "{:?}", pair.server_events);
}

#[test]
fn a_modern_beginning_looks_like_this() {
    let mut server = server_config(&Revision::ALL);
    server.instructions = Some("ask nicely".to_owned());
    server.cache_hint.ttl = Duration::from_secs(3);
    let mut pair = Pair::new(server, client_config(&Revision::ALL, EraChoice::Auto));
    pair.client.connect(pair.now);
    pair.drive(|_, _, _| {});
    assert_eq!(
        pair.wire,
        [
            r#"> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
            r#"< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"prompts":{},"resources":{},"tools":{}},"instructions":"ask nicely","ttlMs":3000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}}"#,
        ]
    );
}

#[test]
fn tells_the_client_what_the_server_said_of_itself() {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let mut config = server_config(&Revision::ALL);
        config.instructions = Some("ask nicely".to_owned());
        let mut pair = Pair::new(config, client_config(&Revision::ALL, era));
        pair.client.connect(pair.now);
        pair.drive(|_, _, _| {});
        let Some(Event::Connected(hello)) = pair.client_events.pop() else { panic!("not connected") };
        assert_eq!(hello.instructions.as_deref(), Some("ask nicely"));
        assert_eq!(hello.server_info.map(|info| info.name).as_deref(), Some("s"));
        assert!(hello.capabilities.has("tools"));
        assert!(pair.wire[1].contains(hello.raw.get()), "{}", hello.raw);
        assert_eq!(pair.client.revision(), Some(hello.revision));
    }
}

#[test]
fn a_server_describes_itself_within_limits() {
    for (modern, what, most) in [
        (false, "capabilities", 64 << 10),
        (false, "serverInfo", 1 << 20),
        (true, "capabilities", 64 << 10),
        (true, "io.modelcontextprotocol/serverInfo", 1 << 20),
    ] {
        for (found, is_taken) in [(most, true), (most + 1, false)] {
            let part = format!(r#"{{"name":"s","version":"1","x":"{}"}}"#, "x".repeat(found - 33));
            assert_eq!(part.len(), found);
            let (part, era) = match (modern, what) {
                (true, "capabilities") => (format!(r#""capabilities":{part}"#), EraChoice::Auto),
                (true, what) => (format!(r#""_meta":{{"{what}":{part}}}"#), EraChoice::Auto),
                (false, what) => (format!(r#""{what}":{part}"#), EraChoice::Legacy),
            };
            let mut client = Client::connecting(client_config(&Revision::ALL, era));
            client.sent();
            let versions = r#""protocolVersion":"2025-11-25","supportedVersions":["2026-07-28"]"#;
            let told = client.hears(result("1", &format!("{{{versions},{part}}}")));
            let expected = match is_taken {
                true => format!("connected: {}", if modern { V26 } else { V25C }),
                false => {
                    format!(
                        "refused: expected `{what}` of the server to have at most {most} bytes, but found {found}"
                    )
                }
            };
            assert_eq!(told, [expected]);
            assert_eq!(client.sent().len(), usize::from(!modern && is_taken));
        }
    }
}

#[test]
fn a_long_list_of_revisions_is_read_to_its_end() {
    let others: String = (0..1_000).map(|n| format!("\"{n}\",")).collect();
    let mut client = probing(EraChoice::Auto);
    let listed = |last: &str| result("1", &format!(r#"{{"supportedVersions":[{others}"{last}"]}}"#));
    assert_eq!(client.hears(listed("2026-07-28")), ["connected: 2026-07-28"]);
    let mut client = probing(EraChoice::Modern);
    let told = client.hears(listed("2099-01-01"));
    let expected =
        r#"refused: expected the server to speak one of ["2026-07-28"], but found ["0", "1", "2", "#;
    assert!(told[0].starts_with(expected) && told[0].ends_with('…'), "{told:?}");
}

#[test]
fn offers_completions_only_where_that_capability_exists() {
    for (revision, known) in [(V24, false), (V25A, true), (V25C, true)] {
        let mut config = server_config(&Revision::ALL);
        config.capabilities.declare("completions", json!({}));
        let answer = Server::new(config).serve(initialize("1", revision.as_str()));
        assert_eq!(answer[0].contains("completions"), known, "{revision}");
    }
}

/// Creates a client of all revisions that has sent `server/discover`.
fn probing(era: EraChoice) -> Client {
    let mut client = Client::connecting(client_config(&Revision::ALL, era));
    assert!(client.sent()[0].contains("server/discover"));
    client
}

/// Returns the version in the only message that `client` has sent, which must be `initialize`.
fn proposed(client: &mut Client) -> String {
    let sent = client.sent();
    assert_eq!(sent.len(), 1, "{sent:?}");
    let frame: serde_json::Value = serde_json::from_str(&sent[0]).expect("JSON");
    assert_eq!(frame["method"], "initialize");
    frame["params"]["protocolVersion"].as_str().expect("a version").to_owned()
}

#[test]
fn any_error_but_a_modern_one_means_a_legacy_server() {
    for code in [
        -32700,
        -32600,
        -32601,
        -32602,
        -32603,
        -32000,
        -32001,
        -32002,
        -32003,
        -32004,
        -32019,
        -32023,
        -32042,
        -32099,
        -32800,
        -1,
        0,
        1,
        404,
        i32::MIN,
        i32::MAX,
    ] {
        let mut client = probing(EraChoice::Auto);
        assert_eq!(client.hears(error("1", code, "no")), [""; 0], "{code}");
        assert_eq!(proposed(&mut client), "2025-11-25", "{code}");
    }
    for error in ["{}", "null", "\"no\"", r#"{"code":"x"}"#, r#"{"code":-32601.5}"#] {
        let mut client = probing(EraChoice::Auto);
        assert_eq!(
            client.hears(format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#)),
            [""; 0],
            "{error}"
        );
        assert_eq!(proposed(&mut client), "2025-11-25", "{error}");
    }
}

#[test]
fn a_result_that_is_no_discovery_means_a_legacy_server() {
    for answer in ["{}", "[]", r#"{"supportedVersions":"2026-07-28"}"#, r#"{"resultType":"odd"}"#] {
        let mut client = probing(EraChoice::Auto);
        assert_eq!(client.hears(result("1", answer)), [""; 0], "{answer}");
        assert_eq!(proposed(&mut client), "2025-11-25", "{answer}");
    }
}

#[test]
fn a_client_of_the_modern_era_does_not_fall_back() {
    let ours = r#"["2026-07-28"]"#;
    let mut client = probing(EraChoice::Modern);
    assert_eq!(
        client.hears(error("1", -32601, "Method not found")),
        [format!(
            "refused: expected the server to speak one of {ours}, but it answered `server/discover` with: Method not found"
        )]
    );
    let mut client = probing(EraChoice::Modern);
    assert_eq!(
        client.waits(Duration::from_secs(5)),
        [format!(
            "refused: expected the server to speak one of {ours}, but it answered `server/discover` with: expected an answer to `server/discover`, but the deadline of 5s passed"
        )]
    );
}

#[test]
fn a_modern_error_is_followed_into_the_revisions_it_names() {
    let unsupported = |code: i32, supported: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"no","data":{{"supported":{supported},"requested":"2026-07-28"}}}}}}"#
        )
    };
    for code in [-32020, -32021, -32022] {
        for (supported, version) in [
            (r#"["2025-11-25"]"#, "2025-11-25"),
            (r#"["2099-01-01","2025-03-26","2024-11-05"]"#, "2025-03-26"),
        ] {
            let mut client = probing(EraChoice::Auto);
            assert_eq!(client.hears(unsupported(code, supported)), [""; 0], "{code} {supported}");
            assert_eq!(proposed(&mut client), version, "{code} {supported}");
        }
        for supported in [r#"["2099-01-01"]"#, "[]", "null"] {
            let mut client = probing(EraChoice::Auto);
            let told = client.hears(unsupported(code, supported));
            let found = if supported == "null" { "[]" } else { supported };
            assert_eq!(
                told,
                [format!(
                    "refused: expected the server to speak one of {}, but found {found}",
                    names(&Revision::ALL)
                )]
            );
            assert_eq!(client.sent(), [""; 0]);
        }
    }
}

/// A server refuses a version and in the same error names it as supported: the client must send
/// `server/discover` a second time, as the conformance test `request-metadata` expects. It must not send it a
/// third time, since attempts could go on forever.
#[test]
fn a_revision_that_is_refused_and_named_in_the_same_breath_is_asked_for_once_more() {
    let refuses = |id: u64, supported: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"no","data":{{"supported":{supported},"requested":"2026-07-28"}}}}}}"#
        )
    };
    for (supported, then) in
        [(r#"["2026-07-28"]"#, None), (r#"["2026-07-28","2024-11-05"]"#, Some("2024-11-05"))]
    {
        let mut client = probing(EraChoice::Auto);
        assert_eq!(client.hears(refuses(1, supported)), [""; 0]);
        let again = client.sent();
        assert!(again.len() == 1 && again[0].contains("server/discover"), "{again:?}");
        let told = client.hears(refuses(2, supported));
        match then {
            Some(version) => assert_eq!(proposed(&mut client), version),
            None => assert!(told[0].starts_with("refused: "), "{told:?}"),
        }
    }
}

#[test]
fn discovery_that_lists_only_legacy_revisions_leads_to_the_newest_common_one() {
    let mut client = probing(EraChoice::Auto);
    let listed = r#"{"resultType":"complete","supportedVersions":["2099-01-01","2025-06-18","2024-11-05"]}"#;
    assert_eq!(client.hears(result("1", listed)), [""; 0]);
    assert_eq!(proposed(&mut client), "2025-06-18");
}

#[test]
fn silence_means_a_legacy_server() {
    let mut client = probing(EraChoice::Auto);
    assert_eq!(client.0.client.poll_timeout(), Some(Duration::from_secs(5)));
    assert_eq!(client.waits(Duration::from_millis(4_999)), [""; 0]);
    assert_eq!(client.sent(), [""; 0]);
    assert_eq!(client.waits(Duration::from_millis(1)), [""; 0]);
    assert_eq!(
        client.sent(),
        [
            r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        ]
    );
}

#[test]
fn the_probe_waits_as_long_as_it_was_told() {
    let mut config = client_config(&Revision::ALL, EraChoice::Auto);
    config.probe_timeout = Duration::from_secs(60);
    let mut client = Client::connecting(config);
    client.sent();
    client.waits(Duration::from_secs(59));
    assert_eq!(client.sent(), [""; 0]);
    client.waits(Duration::from_secs(1));
    assert_eq!(client.sent().len(), 1);
}

const AGREED: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;

/// A server that is slow to start answers `server/discover` only after the client has sent `initialize`: the
/// connection must become modern, and the answer to `initialize` must be ignored.
#[test]
fn a_discovery_that_comes_late_is_taken_while_the_handshake_waits() {
    let mut client = probing(EraChoice::Auto);
    client.waits(Duration::from_secs(5));
    assert_eq!(proposed(&mut client), "2025-11-25");
    let late = result("1", r#"{"supportedVersions":["2026-07-28"]}"#);
    assert_eq!(client.hears(late), ["connected: 2026-07-28"]);
    // Any answer to `initialize` is ignored now.
    for answer in [error("2", -32022, "no"), result("2", AGREED)] {
        let told = client.hears(answer);
        assert!(matches!(&told[..], [it] if it.starts_with("ignored: ")), "{told:?}");
    }
    assert_eq!(client.sent(), [""; 0]);
}

#[test]
fn a_discovery_that_comes_late_and_helps_nobody_is_ignored() {
    let mut client = probing(EraChoice::Auto);
    client.waits(Duration::from_secs(5));
    client.sent();
    let versions = |versions: &str| result("1", &format!(r#"{{"supportedVersions":{versions}}}"#));
    for late in [versions(r#"["2099-01-01"]"#), versions("7"), error("1", -32601, "no")] {
        assert_eq!(client.hears(late), [""; 0]);
        assert_eq!(client.sent(), [""; 0]);
    }
    assert_eq!(client.hears(result("2", AGREED)), ["connected: 2025-11-25"]);
    let late = versions(r#"["2026-07-28"]"#);
    assert_eq!(client.hears(late), [""; 0], "it is too late");
}

#[test]
fn refuses_a_server_that_answers_initialize_with_what_nobody_asked_for() {
    let legacy = r#"["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]"#;
    for (answer, why) in [
        (
            result("1", r#"{"protocolVersion":"2026-07-28"}"#),
            format!("expected the server to speak one of {legacy}, but found \"2026-07-28\""),
        ),
        (
            result("1", r#"{"protocolVersion":"2099-01-01"}"#),
            format!("expected the server to speak one of {legacy}, but found \"2099-01-01\""),
        ),
        (
            result("1", "{}"),
            "expected the result of `initialize`, but found missing field `protocolVersion` at line 1 column 2"
                .to_owned(),
        ),
        (result("1", "7"), "expected `result` to be an object, but found 7".to_owned()),
        (error("1", -32602, "Unsupported protocol version"), "Unsupported protocol version".to_owned()),
    ] {
        let mut client = Client::connecting(client_config(&Revision::ALL[..4], EraChoice::Auto));
        client.sent();
        assert_eq!(client.hears(&answer), [format!("refused: {why}")], "{answer}");
        assert_eq!(client.sent(), [""; 0]);
        assert_eq!(client.0.client.revision(), None);
    }
}

#[test]
fn gives_up_on_initialize_without_cancelling_it() {
    let mut client = Client::connecting(client_config(&[V25C], EraChoice::Auto));
    client.sent();
    assert_eq!(
        client.waits(Duration::from_secs(60)),
        ["refused: expected an answer to `initialize`, but the idle deadline of 60s passed"]
    );
    assert_eq!(client.sent(), [""; 0]);
}

#[test]
fn a_client_without_revisions_says_so() {
    let mut client = Client::connecting(client_config(&[], EraChoice::Auto));
    assert_eq!(
        client.waits(Duration::ZERO),
        ["refused: expected a revision for `EraChoice::Auto` among ours, but found []"]
    );
    assert_eq!(client.sent(), [""; 0]);
}
