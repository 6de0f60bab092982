//! Frames of a client and of servers that follow one another, as the proxy passes them on.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Returns a proxy with a server that has been greeted in a session.
fn in_session() -> Proxy {
    let mut proxy = Proxy::default();
    assert_eq!(proxy.started(), (1, Vec::new()));
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#.to_owned();
    assert_eq!(proxy.handle_client(initialize.clone(), SECOND), [ToServer(1, initialize)]);
    let answer = r#"{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{}}}}"#;
    let [Say(said), ToClient(frame)] = &proxy.handle_server(1, answer.to_owned(), 2 * SECOND)[..] else {
        panic!("an answer")
    };
    assert_eq!(said, "initialize 1000 ms");
    assert!(frame.contains(r#""tools":{"listChanged":true}"#), "{frame}");
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned();
    proxy.handle_client(initialized, SECOND);
    proxy
}

#[test]
fn a_session_goes_on_at_the_next_server_and_the_client_learns_of_the_change() {
    let mut proxy = in_session();
    proxy.handle_client(
        r#"{"id":1,"method":"resources/subscribe","params":{"uri":"a:b"}}"#.to_owned(),
        SECOND,
    );
    proxy.handle_server(1, r#"{"id":1,"result":{}}"#.to_owned(), SECOND);
    let (generation, actions) = proxy.started();
    let [ToServer(2, greeting)] = &actions[..] else { panic!("{actions:?}") };
    assert!(generation == 2 && greeting.contains("plainwire-dev-initialize-2"), "{greeting}");
    // A request that comes meanwhile waits.
    let call = r#"{"id":2,"method":"tools/call","params":{"name":"t"}}"#;
    assert_eq!(proxy.handle_client(call.to_owned(), SECOND), []);
    let greeted =
        r#"{"id":"plainwire-dev-initialize-2","result":{"capabilities":{"tools":{},"prompts":{}}}}"#;
    let actions = proxy.handle_server(2, greeted.to_owned(), SECOND);
    let shown: Vec<String> = actions.iter().map(|action| format!("{action:?}")).collect();
    let has = |text: &str| shown.iter().any(|it| it.contains(text));
    assert!(has("notifications/initialized") && has("resources/subscribe") && has("tools/call"), "{shown:?}");
    assert!(
        has("notifications/tools/list_changed") && has("notifications/prompts/list_changed"),
        "{shown:?}"
    );
    assert!(!has("notifications/resources/list_changed"), "{shown:?}");
    // What the proxy has asked itself is not answered to the client.
    assert_eq!(
        proxy.handle_server(2, r#"{"id":"plainwire-dev-again-2-0","result":{}}"#.to_owned(), SECOND),
        []
    );
}

#[test]
fn the_messages_of_a_batch_are_known_and_stay_a_batch() {
    let mut proxy = in_session();
    let batch = r#"[{"id": 7,"method":"ping"},{"id":8,"method":"tools/call","params":{"name":"t"}}]"#;
    let [ToServer(1, sent)] = &proxy.handle_client(batch.to_owned(), SECOND)[..] else { panic!("a batch") };
    assert_eq!(sent, r#"[{"id": 7,"method":"ping"},{"id":8,"method":"tools/call","params":{"name":"t"}}]"#);
    assert!(proxy.is_needed(1));
    let asked = r#"[{"id":7,"result":{}},{"id":1,"method":"roots/list"}]"#;
    let actions = proxy.handle_server(1, asked.to_owned(), SECOND);
    let batch = r#"[{"id":7,"result":{}},{"id":"dev-1-1","method":"roots/list"}]"#.to_owned();
    assert_eq!(actions, [Say("ping 0 ms".to_owned()), ToClient(batch)]);
    let answers = r#"[{"id":"dev-1-1","result":{}},{"id":9,"method":"ping"}]"#;
    let expected = r#"[{"id":1,"result":{}},{"id":9,"method":"ping"}]"#.to_owned();
    assert_eq!(proxy.handle_client(answers.to_owned(), SECOND), [ToServer(1, expected)]);
    // Each request is answered once, and only those that are open.
    let lost = proxy.ended(1, "was restarted");
    assert!(lost.len() == 2 && !format!("{lost:?}").contains(r#"\"id\":7"#), "{lost:?}");
}

#[test]
fn a_batch_that_comes_between_two_servers_reaches_the_next_one() {
    let mut proxy = in_session();
    proxy.ended(1, "ended");
    proxy.down("it ended");
    assert_eq!(proxy.handle_client(r#"[{"id":7,"method":"ping"}]"#.to_owned(), SECOND), []);
    proxy.started();
    let greeted = r#"{"id":"plainwire-dev-initialize-2","result":{"capabilities":{}}}"#;
    let actions = proxy.handle_server(2, greeted.to_owned(), SECOND);
    assert!(actions.contains(&ToServer(2, r#"{"id":7,"method":"ping"}"#.to_owned())), "{actions:?}");
}

#[test]
fn a_line_that_is_no_message_is_answered_by_the_server() {
    let mut proxy = in_session();
    for line in ["{broken", "[]", "7", r#"{"jsonrpc":"2.0"}"#] {
        let actions = proxy.handle_client(line.to_owned(), SECOND);
        let said = Say("the client wrote a line that is not a message".to_owned());
        assert_eq!(actions, [said, ToServer(1, line.to_owned())]);
    }
    let refusal = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}"#.to_owned();
    assert_eq!(proxy.handle_server(1, refusal.clone(), SECOND), [ToClient(refusal)]);
}

#[test]
fn a_request_of_a_server_that_is_gone_is_answered_once() {
    let mut proxy = in_session();
    let call = r#"{"id":7,"method":"tools/call","params":{"name":"slow"}}"#;
    proxy.handle_client(call.to_owned(), SECOND);
    proxy.started();
    assert!(proxy.is_needed(1));
    let [ToClient(answer)] = &proxy.ended(1, "was restarted")[..] else { panic!("an answer") };
    let progress = r#"{"method":"notifications/progress","params":{"progressToken":1,"progress":2}}"#;
    assert_eq!(proxy.handle_server(1, progress.to_owned(), SECOND), [], "the call was answered");
    assert!(answer.contains(r#""id":7"#) && answer.contains("restarted before it answered `tools/call`"));
    assert!(
        !proxy.is_needed(1)
            && proxy.handle_server(1, r#"{"id":7,"result":{}}"#.to_owned(), SECOND).is_empty()
    );
}

#[test]
fn answers_of_the_client_go_to_the_server_that_has_asked() {
    let mut proxy = in_session();
    let question = r#"{"id":1,"method":"elicitation/create","params":{}}"#;
    let [ToClient(asked)] = &proxy.handle_server(1, question.to_owned(), SECOND)[..] else {
        panic!("a question")
    };
    assert!(asked.contains(r#""id":"dev-1-1""#), "{asked}");
    let answer = r#"{"id":"dev-1-1","result":{"action":"decline"}}"#;
    let [ToServer(1, answered)] = &proxy.handle_client(answer.to_owned(), SECOND)[..] else {
        panic!("an answer")
    };
    assert!(answered.contains(r#""id":1"#), "{answered}");
    proxy.handle_server(1, question.to_owned(), SECOND);
    proxy.ended(1, "was restarted");
    assert_eq!(proxy.handle_client(answer.to_owned(), SECOND), []);
}

#[test]
fn a_server_that_is_replaced_finishes_its_calls() {
    let mut proxy = in_session();
    let call = r#"{"id":7,"method":"tools/call","params":{"name":"slow"}}"#;
    proxy.handle_client(call.to_owned(), SECOND);
    proxy.started();
    // It reports progress, asks, and gets the answer. What it says of its lists is over.
    let progress = r#"{"method":"notifications/progress","params":{"progressToken":1,"progress":2}}"#;
    assert_eq!(proxy.handle_server(1, progress.to_owned(), SECOND), [ToClient(progress.to_owned())]);
    let changed = r#"{"method":"notifications/tools/list_changed"}"#;
    assert_eq!(proxy.handle_server(1, changed.to_owned(), SECOND), []);
    let question = r#"{"id":1,"method":"elicitation/create","params":{}}"#;
    assert!(matches!(&proxy.handle_server(1, question.to_owned(), SECOND)[..], [ToClient(_)]));
    let answer = r#"{"id":"dev-1-1","result":{"action":"decline"}}"#;
    assert!(matches!(&proxy.handle_client(answer.to_owned(), SECOND)[..], [ToServer(1, _)]));
    // A cancellation reaches it, and it is no longer needed.
    let cancelled = r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert_eq!(proxy.handle_client(cancelled.to_owned(), SECOND), [ToServer(1, cancelled.to_owned())]);
    assert!(!proxy.is_needed(1));
}

#[test]
fn a_request_that_is_cancelled_before_the_next_server_is_greeted_does_not_reach_it() {
    let mut proxy = in_session();
    proxy.started();
    let call = r#"{"id":7,"method":"tools/call","params":{"name":"slow"}}"#;
    assert_eq!(proxy.handle_client(call.to_owned(), SECOND), []);
    assert!(proxy.holds_back());
    let cancelled = r#"{"method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert_eq!(proxy.handle_client(cancelled.to_owned(), SECOND), []);
    assert!(!proxy.holds_back() && !proxy.is_needed(1) && !proxy.is_needed(2));
}

#[test]
fn a_client_that_does_not_wait_for_the_answer_to_initialize_greets_the_server_once() {
    let mut proxy = Proxy::default();
    let initialize = r#"{"id":0,"method":"initialize","params":{}}"#.to_owned();
    let initialized = r#"{"method":"notifications/initialized"}"#.to_owned();
    proxy.handle_client(initialize.clone(), SECOND);
    proxy.handle_client(initialized.clone(), SECOND);
    assert_eq!(proxy.started(), (1, vec![ToServer(1, initialize), ToServer(1, initialized)]));
}

#[test]
fn the_question_of_a_server_that_is_gone_is_withdrawn() {
    let mut proxy = in_session();
    let question = r#"{"id":1,"method":"elicitation/create","params":{}}"#;
    proxy.handle_server(1, question.to_owned(), SECOND);
    let [ToClient(frame)] = &proxy.ended(1, "was restarted")[..] else { panic!("a notification") };
    let frame: Value = serde_json::from_str(frame).expect("JSON");
    assert_eq!(
        (&frame["method"], &frame["params"]["requestId"]),
        (&"notifications/cancelled".into(), &"dev-1-1".into())
    );
    assert_eq!(proxy.ended(1, "was restarted"), []);
}

#[test]
fn a_client_whose_server_crashed_in_the_handshake_learns_why_and_can_try_again() {
    let mut proxy = Proxy::default();
    proxy.started();
    let initialize =
        |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{}}}}"#);
    proxy.handle_client(initialize(1), SECOND);
    let [ToClient(answer)] = &proxy.ended(1, "ended (exit status: 3)")[..] else { panic!("an answer") };
    assert!(answer.contains("the server ended (exit status: 3) before it answered `initialize`"), "{answer}");
    proxy.down("it ended (exit status: 3)");
    // The next server is greeted by the client alone.
    assert_eq!(proxy.started(), (2, Vec::new()));
    assert_eq!(proxy.handle_client(initialize(2), SECOND), [ToServer(2, initialize(2))]);
}

#[test]
fn a_subscription_goes_on_and_reports_that_everything_may_have_changed() {
    let mut proxy = Proxy::default();
    proxy.started();
    let listen = r#"{"id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}}}"#;
    proxy.handle_client(listen.to_owned(), SECOND);
    let acknowledged = r#"{"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{"resourceSubscriptions":["a:b"]}}}"#;
    let [ToClient(_)] = &proxy.handle_server(1, acknowledged.to_owned(), SECOND)[..] else {
        panic!("an acknowledgement")
    };
    assert_eq!(proxy.started(), (2, vec![ToServer(2, listen.to_owned())]));
    // The old server ends the subscription, which the client does not see.
    assert_eq!(proxy.handle_server(1, r#"{"id":"l","result":{}}"#.to_owned(), SECOND), []);
    assert_eq!(proxy.ended(1, "was restarted"), []);
    let shown: Vec<String> =
        proxy.handle_server(2, acknowledged.to_owned(), SECOND).iter().map(|it| format!("{it:?}")).collect();
    assert!(shown[0].contains("tools/list_changed") && shown[1].contains("resources/updated"), "{shown:?}");
}

#[test]
fn a_client_that_no_server_has_answered_learns_why() {
    let mut proxy = Proxy::default();
    let ask = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{}}}}"#);
    assert_eq!(proxy.handle_client(ask(1), SECOND), []);
    for (actions, id) in [(proxy.down("its build failed"), 1), (proxy.handle_client(ask(2), SECOND), 2)] {
        let [ToClient(frame)] = &actions[..] else { panic!("{actions:?}") };
        let frame: Value = serde_json::from_str(frame).expect("JSON");
        assert_eq!(frame["id"], id);
        assert_eq!(frame["error"]["message"], "the server is not running: its build failed");
    }
    // The next server is for whoever asks then.
    assert_eq!(proxy.started(), (1, Vec::new()));
    assert_eq!(proxy.handle_client(ask(3), SECOND), [ToServer(1, ask(3))]);
    // A client that was answered waits.
    let mut proxy = in_session();
    assert_eq!(proxy.down("it ended"), []);
    assert_eq!(proxy.handle_client(ask(4).replace("initialize", "ping"), SECOND), []);
}

#[test]
fn a_restart_reports_the_resources_of_a_session_too() {
    let mut proxy = in_session();
    let subscribe = r#"{"jsonrpc":"2.0","id":5,"method":"resources/subscribe","params":{"uri":"a://b"}}"#;
    proxy.handle_client(subscribe.to_owned(), SECOND);
    proxy.handle_server(1, r#"{"jsonrpc":"2.0","id":5,"result":{}}"#.to_owned(), SECOND);
    proxy.started();
    let answer =
        r#"{"jsonrpc":"2.0","id":"plainwire-dev-initialize-2","result":{"capabilities":{"tools":{}}}}"#;
    let shown = format!("{:?}", proxy.handle_server(2, answer.to_owned(), SECOND));
    assert!(shown.contains("tools/list_changed") && shown.contains("resources/updated"), "{shown}");
}

#[test]
fn a_subscription_is_acknowledged_with_what_a_restart_reports() {
    let mut proxy = Proxy::default();
    proxy.started();
    let listen = r#"{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a://b"]}}}"#;
    proxy.handle_client(listen.to_owned(), SECOND);
    let acknowledged = r#"{"method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{}}}"#;
    let [ToClient(frame)] = &proxy.handle_server(1, acknowledged.to_owned(), SECOND)[..] else {
        panic!("an acknowledgement")
    };
    let frame: Value = serde_json::from_str(frame).expect("JSON");
    // The server has not agreed to report the resource, and a restart does not report it either.
    let granted = serde_json::json!({ "toolsListChanged": true });
    assert_eq!(frame["params"]["notifications"], granted);
}

#[test]
fn frames_that_wait_for_a_server_have_a_limit() {
    let mut proxy = Proxy::default();
    let big = format!(r#"{{"id":1,"method":"ping","params":{{"pad":"{}"}}}}"#, "p".repeat(MAX_WAITING / 2));
    assert_eq!(proxy.handle_client(big.clone(), SECOND), []);
    let [Say(said)] = &proxy.handle_client(big, SECOND)[..] else { panic!("a line") };
    assert!(said.contains("too many wait"), "{said}");
}

#[test]
fn of_each_side_1_000_requests_are_open_and_an_id_has_at_most_1_kib() {
    let mut proxy = in_session();
    let ping = |id: &str| format!(r#"{{"id":{id},"method":"ping"}}"#);
    let is_refused = |actions: &[Action]| match actions {
        [ToServer(_, frame) | ToClient(frame)] => frame.contains("1,000 open requests"),
        other => panic!("{other:?}"),
    };
    let id = |size: usize| format!("\"{}\"", "i".repeat(size));
    for id in 0..999 {
        assert!(!is_refused(&proxy.handle_client(ping(&id.to_string()), SECOND)), "{id}");
        assert!(!is_refused(&proxy.handle_server(1, ping(&id.to_string()), SECOND)), "{id}");
    }
    assert!(is_refused(&proxy.handle_client(ping(&id(1_025)), SECOND)));
    assert!(is_refused(&proxy.handle_server(1, ping(&id(1_025)), SECOND)));
    assert!(
        is_refused(&proxy.handle_client(ping(&format!("[{}]", id(1_025))), SECOND)),
        "an id that is no id"
    );
    assert!(!is_refused(&proxy.handle_client(ping(&id(1_024)), SECOND)));
    assert!(!is_refused(&proxy.handle_server(1, ping(&id(1_024)), SECOND)));
    assert!(is_refused(&proxy.handle_client(ping("1000"), SECOND)));
    assert!(is_refused(&proxy.handle_server(1, ping("1000"), SECOND)));
    proxy.handle_server(1, r#"{"id":5,"result":{}}"#.to_owned(), SECOND);
    assert!(!is_refused(&proxy.handle_client(ping("1000"), SECOND)), "one was answered");
}

#[test]
fn subscriptions_of_1_mib_are_opened_again() {
    let mut proxy = in_session();
    let listen = |id: usize, size: usize| {
        let line = format!(r#"{{"id":{id},"method":"subscriptions/listen","pad":""}}"#);
        line.replace("\"\"", &format!("\"{}\"", "p".repeat(size - line.len())))
    };
    assert_eq!(proxy.handle_client(listen(1, 1 << 19), SECOND).len(), 1);
    assert_eq!(proxy.handle_client(listen(2, 1 << 19), SECOND).len(), 1);
    let actions = proxy.handle_client(listen(3, 100), SECOND);
    assert!(
        matches!(&actions[..], [ToServer(..), Say(said)] if said == changes::NOT_REMEMBERED),
        "{actions:?}"
    );
}

#[test]
fn of_a_method_only_the_beginning_is_kept() {
    let mut proxy = in_session();
    let method = "m".repeat(1 << 20);
    proxy.handle_client(format!(r#"{{"id":1,"method":"{method}"}}"#), SECOND);
    assert!(proxy.open["1"].method.len() < 2 * changes::MAX_NAME);
}
