//! Tests that `--trace` shows every frame byte for byte, and no secrets.

use std::fs;
use std::path::{Path, PathBuf};

use super::{REFERENCE, ask, run};

/// A line of a trace: a frame, its direction, and its time in seconds.
#[derive(Debug, PartialEq)]
struct Traced {
    arrow: String,
    bytes: String,
    seconds: f64,
}

fn traced(text: &str) -> Vec<Traced> {
    let frame = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let mut next = || words.next().unwrap_or_else(|| panic!("a time, an arrow and a frame: {line}"));
        let (time, arrow, bytes) = (next(), next(), next());
        assert!(time.split_once('.').is_some_and(|(_, micros)| micros.len() == 6), "{line}");
        Traced { arrow: arrow.into(), bytes: bytes.into(), seconds: time.parse().expect("seconds") }
    };
    text.lines().map(frame).collect()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Returns the frames of a trace that have the direction `arrow`.
fn frames<'t>(trace: &'t [Traced], arrow: &str) -> Vec<&'t str> {
    trace.iter().filter(|it| it.arrow == arrow).map(|it| it.bytes.as_str()).collect()
}

#[test]
fn shows_the_exact_bytes_of_both_directions_on_both_sides() {
    for era in ["legacy", "modern"] {
        let (client, server) = (file(&format!("client-{era}.txt")), file(&format!("server-{era}.txt")));
        let (sent, received) = (file(&format!("sent-{era}.txt")), file(&format!("received-{era}.txt")));
        let serve = format!(
            "tee '{}' | plainwire serve reference '--trace={}' | tee '{}'",
            text(&sent),
            text(&server),
            text(&received)
        );
        let trace = format!("--trace={}", text(&client));
        let asked = ["call", "calculate", "expression=6 * 7", "--era", era, &trace, "--", "sh", "-c", &serve];
        assert_eq!(run(&asked).quietly(), "42\n");
        let read = |path: &Path| fs::read_to_string(path).expect("written by the command");
        let (client, server) = (traced(&read(&client)), traced(&read(&server)));
        let (sent, received) = (read(&sent), read(&received));
        assert_eq!(frames(&client, "->"), sent.lines().collect::<Vec<_>>(), "{era}");
        assert_eq!(frames(&client, "<-"), received.lines().collect::<Vec<_>>(), "{era}");
        assert_eq!(frames(&server, "<-"), frames(&client, "->"), "{era}");
        assert_eq!(frames(&server, "->"), frames(&client, "<-"), "{era}");
        for trace in [client, server] {
            assert!(trace.len() >= 4, "{trace:?}");
            assert!(trace.windows(2).all(|it| it[0].seconds <= it[1].seconds), "{trace:?}");
            assert!(trace[0].seconds > 1.7e9, "seconds since 1970: {trace:?}");
        }
    }
}

#[test]
fn masks_a_secret_by_as_many_stars_and_sends_it_all_the_same() {
    let (trace, sent) = (file("masked.txt"), file("unmasked.txt"));
    let serve = format!("tee '{}' | plainwire serve reference", text(&sent));
    let option = format!("--trace={}", text(&trace));
    let words = ["call", "calculate", "expression=1", "api_key=hunter2", &option, "--", "sh", "-c", &serve];
    assert_eq!(run(&words).code, 1, "`calculate` takes no such argument");
    let trace = fs::read_to_string(trace).expect("a trace");
    assert!(!trace.contains("hunter2") && trace.contains(r#""api_key":"*******""#), "{trace}");
    let sent = fs::read_to_string(sent).expect("what was sent");
    let masked = sent.replace("hunter2", "*******");
    assert!(masked != sent, "{sent}");
    assert_eq!(frames(&traced(&trace), "->"), masked.lines().collect::<Vec<_>>());
}

#[test]
fn goes_to_stderr_unless_a_file_is_named() {
    let ran = ask(&["call", "calculate", "expression=6*7", "--trace"]);
    assert_eq!((ran.code, &*ran.stdout), (0, "42\n"));
    assert_eq!(traced(&ran.stderr).len(), 6, "three requests, three answers");
    let serve = [&["ping", "--server-log"], &REFERENCE[..], &["--trace"]].concat();
    let ran = run(&serve);
    assert_eq!((ran.code, traced(&ran.stderr).len()), (0, 4), "the server's own trace: {ran:?}");
}

#[test]
fn a_trace_that_can_not_be_written_is_said_to_be_incomplete() {
    let ran = ask(&["ping", "--trace=/dev/full"]);
    let said = "warning: the file of --trace is not complete: No space left on device (os error 28)\n";
    assert_eq!((ran.code, &*ran.stderr), (0, said));
}
