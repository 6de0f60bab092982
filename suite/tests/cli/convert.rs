//! Tests of `plainwire convert` and `plainwire patch`: results on stdout, messages on stderr, exit codes.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use plainwire_suite::binary;
use serde_json::Value;

use super::Ran;

/// A page in storage format with an identifier, a date and a mention, and without a line feed at its end.
const PAGE: &str = r#"<h1>Plan</h1>
<p>We ship on <time datetime="2026-02-28" />.</p>
<ac:structured-macro ac:name="info" ac:macro-id="41c2"><ac:rich-text-body><p>Ask <ac:link><ri:user ri:account-id="5b10" /></ac:link> first.</p></ac:rich-text-body></ac:structured-macro>
<h2>Goals</h2>
<p>Less is more.</p>"#;

/// `PAGE` as Markdown.
const MARKDOWN: &str = "# Plan

We ship on :date[2026-02-28].

:::panel{type=info}
Ask :mention{id=5b10} first.
:::

## Goals

Less is more.
";

const TO_MARKDOWN: [&str; 7] = ["convert", "--from", "storage", "--to", "markdown", "--sidecar", "s"];
const BACK: [&str; 7] = ["convert", "--from", "markdown", "--to", "storage", "--sidecar", "s"];

/// Makes a folder for one test that contains `files`, as name and text.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convert").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder of our own");
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a file of our own");
    }
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = binary::command();
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    Ran::of(command.output().expect("the binary starts"))
}

/// Runs `plainwire` in `folder` with `input` on its stdin.
fn feed(folder: &Path, arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = binary::command();
    command.args(arguments).current_dir(folder).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    child.stdin.take().expect("it is piped").write_all(input).expect("it reads");
    Ran::of(child.wait_with_output().expect("it ends"))
}

/// Makes a folder that contains the page `in.xml` and the sidecar `s`, the data of the page that its Markdown
/// does not show.
fn split(name: &str) -> PathBuf {
    let folder = folder(name, &[("in.xml", PAGE)]);
    assert_eq!(run(&folder, &[&TO_MARKDOWN[..], &["in.xml"]].concat()).quietly(), MARKDOWN);
    folder
}

/// Converts edited Markdown back to a page by the sidecar `s` in `folder`.
fn back(folder: &Path, options: &[&str], markdown: &str) -> Ran {
    fs::write(folder.join("a.md"), markdown).expect("a file of our own");
    run(folder, &[&BACK[..], options, &["a.md"]].concat())
}

#[track_caller]
fn refused(ran: &Ran, code: i32, said: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{ran:?}");
    assert_eq!(ran.stderr, said);
}

#[test]
fn a_page_comes_back_to_the_byte_with_its_sidecar() {
    let folder = split("unedited");
    assert_eq!(back(&folder, &[], MARKDOWN).quietly(), PAGE);
    assert_eq!(feed(&folder, &BACK, MARKDOWN.as_bytes()).quietly(), PAGE);
    assert_eq!(feed(&folder, &[&BACK[..], &["-"]].concat(), MARKDOWN.as_bytes()).quietly(), PAGE);
}

#[test]
fn an_edited_word_changes_that_word_only() {
    let folder = split("edited");
    let edited = MARKDOWN.replace("Less", "Little").replace(" first", " at once");
    let expected = PAGE.replace("Less", "Little").replace(" first", " at once");
    assert_eq!(back(&folder, &[], &edited).quietly(), expected);
}

/// Returns `MARKDOWN` without its panel.
fn without_the_panel() -> String {
    MARKDOWN.replace(":::panel{type=info}\nAsk :mention{id=5b10} first.\n:::\n\n", "")
}

#[test]
fn an_edit_that_takes_something_rich_away_is_not_written() {
    let folder = split("conflict");
    let ran = back(&folder, &[], &without_the_panel());
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("a.md: conflict: expected the panel "), "{}", ran.stderr);
    assert!(
        ran.stderr.ends_with("\na.md: nothing was written; --allow-loss writes it anyway\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_an_edit_takes_away_is_written_if_that_is_allowed_and_still_said() {
    let folder = split("allowed");
    let ran = back(&folder, &["--allow-loss"], &without_the_panel());
    let (start, end) = (PAGE.find("<ac:").expect("a panel"), PAGE.find("<h2>").expect("a heading"));
    assert_eq!((ran.code, ran.stdout), (1, format!("{}{}", &PAGE[..start], &PAGE[end..])));
    assert!(ran.stderr.contains("conflict") && !ran.stderr.contains("nothing was written"), "{}", ran.stderr);
}

#[test]
fn an_edit_is_written_if_all_that_it_loses_is_allowed() {
    let folder = split("allowed-kinds");
    let ran = back(&folder, &["--allow-loss=attribute,content"], &without_the_panel());
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "a conflict is neither: {ran:?}");
    let ran = back(&folder, &["--allow-loss=conflict"], &without_the_panel());
    assert!(ran.code == 1 && ran.stdout.contains("<h2>"), "{ran:?}");
    let wrong = format!("{MARKDOWN}\n:status[a]{{color=freen}}\n");
    let line = wrong.lines().count();
    assert_eq!(back(&folder, &[&format!("--allow-loss={}", line + 1)], &wrong).stdout, "");
    let ran = back(&folder, &[&format!("--allow-loss=1-{line}")], &wrong);
    assert!(ran.code == 1 && ran.stdout.contains("<h2>"), "{ran:?}");
    let ran = back(&folder, &["--allow-loss=nothing"], &wrong);
    assert!(ran.code == 2 && ran.stderr.contains("lines such as 7 or 7-9"), "{ran:?}");
}

#[test]
fn what_a_format_has_no_place_for_is_kept_only_if_it_is_asked_for() {
    let file = r#"{"version":1,"type":"doc","content":[{"type":"mediaSingle","attrs":{"layout":"center"},"content":[{"type":"media","attrs":{"type":"file","id":"6e7c","collection":"c"}}]}]}"#;
    let folder = folder("keep-raw", &[("in.json", file)]);
    let words = ["convert", "--from", "adf", "--to", "storage", "in.json"];
    let ran = run(&folder, &words);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("lost: expected mediaSingle"), "{}", ran.stderr);
    let ran = run(&folder, &[&words[..], &["--keep-raw"]].concat());
    assert!(ran.code == 0 && ran.stdout.contains("plainwire-raw"), "{ran:?}");
}

#[test]
fn a_report_is_one_object_if_it_is_asked_for_as_json() {
    let folder = split("report");
    let ran = back(&folder, &["--report", "json"], &without_the_panel());
    let report: Value = serde_json::from_str(&ran.stderr).expect("JSON");
    assert_eq!((ran.code, &report["file"], &report["written"]), (1, &"a.md".into(), &false.into()));
    assert_eq!(report["conflicts"][0]["block"], 2, "{report}");
    let ran = run(&folder, &["convert", "--from", "storage", "--to", "adf", "--report", "json", "in.xml"]);
    let report: Value = serde_json::from_str(&ran.stderr).expect("JSON");
    let loss = &report["losses"][0];
    assert_eq!((ran.code, &report["written"], &loss["kind"]), (0, &true.into(), &"identity".into()));
    let place = ["line", "column", "start", "end"].map(|it| loss[it].as_u64().expect("a number"));
    assert_eq!(place, [3, 1, 64, 249]);
}

#[test]
fn identifiers_are_counted_and_a_sidecar_is_named_only_where_it_helps() {
    let folder = folder("identifiers", &[("in.xml", PAGE)]);
    let to = |to| run(&folder, &["convert", "--from", "storage", "--to", to, "in.xml"]);
    assert_eq!(to("adf").stderr, "in.xml: 1 identifier left out\n");
    let said = "in.xml: 1 identifier left out; a sidecar (--sidecar FILE) brings them back\n";
    assert_eq!((to("markdown").code, to("markdown").stderr.as_str()), (0, said));
    let plain = run(&folder, &["convert", "--from", "storage", "--to", "markdown", "--plain", "in.xml"]);
    assert!(plain.stderr.ends_with("in.xml: 1 identifier left out\n"), "{plain:?}");
}

#[test]
fn a_loss_is_said_with_its_place_and_exits_with_1() {
    let folder = folder("loss", &[("in.wiki", "intro\n\n{code:java|title=A.java}\nx\n{code}")]);
    let ran = run(&folder, &["convert", "--from", "wiki", "--to", "adf", "in.wiki"]);
    let said = "in.wiki:3:1: lost: codeBlock: expected param:title = \"A.java\", but found none\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (1, said));
    assert!(ran.stdout.starts_with("{\"version\":1"), "{}", ran.stdout);
}

#[test]
fn what_the_schema_of_adf_refuses_is_said_and_exits_with_1() {
    let folder = folder("invalid", &[("a.md", "now\n\n:status[OK]{color=freen}\n")]);
    let ran = run(&folder, &["convert", "--from", "markdown", "--to", "adf", "a.md"]);
    let said = "a.md:3:1: not valid: status: color: expected neutral, purple, blue, red, yellow, green or a colour such as #0052cc, but found \"freen\"\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (1, said));
    assert!(ran.stdout.contains("freen"), "{}", ran.stdout);
}

#[test]
fn a_sidecar_of_another_format_or_version_is_refused() {
    let folder = split("wrong");
    fs::write(folder.join("a.md"), MARKDOWN).expect("a file of our own");
    let to = |to: &[&str]| {
        run(&folder, &[&["convert", "--from", "markdown", "--sidecar", "s", "a.md", "--to"], to].concat())
    };
    refused(&to(&["adf"]), 2, "error: s: expected a sidecar of adf, but found one of storage\n");
    fs::rename(folder.join("s"), folder.join("t")).expect("a file of our own");
    let ran = to(&["storage"]);
    assert!(
        ran.stderr.contains("hint: converting the document to Markdown with `--sidecar FILE`"),
        "{ran:?}"
    );
    fs::rename(folder.join("t"), folder.join("s")).expect("a file of our own");
    let said = "error: s: expected a sidecar of wiki --dialect jira, but found one of storage\n";
    refused(&to(&["wiki", "--dialect", "jira"]), 2, said);

    let sidecar = fs::read_to_string(folder.join("s")).expect("the sidecar");
    fs::write(folder.join("s"), sidecar.replace("\"version\":1", "\"version\":9"))
        .expect("a file of our own");
    refused(&to(&["storage"]), 2, "error: s: expected a sidecar of version 1, but found version 9\n");
    fs::write(folder.join("s"), "[]").expect("a file of our own");
    let ran = to(&["storage"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.starts_with("error: s: expected the JSON of a sidecar, but found something else: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_sidecar_of_another_document_is_refused() {
    let folder = split("other");
    let other = "- milk\n- eggs\n\n```rust\nfn main() {}\n```\n";
    let said =
        "error: s: expected the Markdown this sidecar belongs to, but found that of another document\n";
    refused(&back(&folder, &[], other), 2, said);
}

#[test]
fn a_sidecar_needs_markdown_on_one_side_and_all_of_it() {
    let folder = folder("sides", &[("in.xml", PAGE)]);
    let ran = run(&folder, &["convert", "--from", "storage", "--to", "adf", "--sidecar", "s", "in.xml"]);
    let said = "error: expected Markdown on one side with --sidecar, but found --from storage --to adf\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
    let ran = run(&folder, &[&TO_MARKDOWN[..], &["--plain", "in.xml"]].concat());
    assert_eq!((ran.code, folder.join("s").exists()), (2, false), "{ran:?}");
}

#[test]
fn a_mark_before_the_text_is_no_part_of_it_and_markdown_needs_no_sidecar() {
    let folder = split("mark");
    assert_eq!(back(&folder, &[], &format!("\u{feff}{MARKDOWN}")).quietly(), PAGE);
    let before = fs::read(folder.join("s")).expect("the sidecar");
    let ran = run(&folder, &["convert", "--from", "markdown", "--to", "markdown", "--sidecar", "s", "a.md"]);
    assert_eq!((ran.code, fs::read(folder.join("s")).expect("the sidecar")), (2, before), "{ran:?}");
    assert!(ran.stderr.starts_with("error: expected Markdown on one side with --sidecar, but found "));
}

#[test]
fn an_input_is_never_written_over() {
    let folder = folder("over", &[("in.xml", PAGE), ("a.wiki", "a"), ("b.wiki", "b")]);
    let ran =
        run(&folder, &["convert", "--from", "storage", "--to", "markdown", "--sidecar", "in.xml", "in.xml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    let ran = run(&folder, &["convert", "--from", "wiki", "--to", "wiki", "--out", ".", "a.wiki", "b.wiki"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("expected an output file other than INPUT, but found ./a.wiki"), "{ran:?}");
    assert_eq!(fs::read_to_string(folder.join("in.xml")).expect("it is there"), PAGE);
}

#[test]
fn text_that_is_not_utf_8_is_refused_with_its_place() {
    let folder = folder("bytes", &[]);
    let ran = feed(&folder, &["convert", "--from", "wiki", "--to", "adf"], b"a\xffb");
    refused(&ran, 2, "error: <stdin>: expected UTF-8, but found the byte 0xff at offset 1\n");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let folder = folder("absent", &[]);
    let ran = run(&folder, &["convert", "--from", "wiki", "--to", "adf", "nowhere.wiki"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("error: reading nowhere.wiki failed: "), "{}", ran.stderr);
}

#[test]
fn many_files_go_to_one_folder() {
    let folder = folder("many", &[("a.wiki", "h1. A"), ("b.wiki", "{code:title=T}\nx\n{code}")]);
    let ran = run(&folder, &["convert", "--from", "wiki", "--to", "adf", "--out", "out", "a.wiki", "b.wiki"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.starts_with("b.wiki:1:1: lost: codeBlock: "), "{}", ran.stderr);
    for (name, kind) in [("a", "heading"), ("b", "codeBlock")] {
        let text = fs::read_to_string(folder.join(format!("out/{name}.json"))).expect("it is written");
        assert!(text.contains(&format!("{{\"type\":\"{kind}\"")), "{text}");
    }
}

#[test]
fn many_files_need_a_folder_and_an_output_each() {
    let folder = folder("folders", &[("a.wiki", "a"), ("b.wiki", "b"), ("a.txt", "c")]);
    let wiki =
        |words: &[&str]| run(&folder, &[&["convert", "--from", "wiki", "--to", "adf"], words].concat());
    for (words, said) in [
        (&["a.wiki", "b.wiki"][..], "expected --out DIR with more than one INPUT, but found none"),
        (&["--out", "out"], "expected an INPUT with --out DIR, but found none"),
        (&["--minimize", "a.wiki", "b.wiki"], "expected one INPUT with --sidecar or --minimize, but found 2"),
        (
            &["--out", "out", "a.wiki", "a.txt"],
            "expected an output for each INPUT, but found a.wiki and a.txt going to out/a.json",
        ),
    ] {
        let ran = wiki(words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}: {ran:?}");
        assert!(ran.stderr.starts_with(&format!("error: {said}\n")), "{words:?}: {}", ran.stderr);
    }
    assert!(!folder.join("out").exists());
}

#[test]
fn one_file_of_many_that_can_not_be_read_leaves_all_unwritten() {
    let folder = folder("unreadable", &[("a.wiki", "a"), ("b.wiki", "b")]);
    fs::write(folder.join("c.wiki"), b"caf\xe9").expect("a file of our own");
    fs::create_dir(folder.join("d")).expect("a folder of our own");
    for (wrong, said) in [
        ("nosuch", "error: reading nosuch failed: "),
        ("c.wiki", "error: c.wiki: expected UTF-8, "),
        ("d", "error: reading d failed: "),
    ] {
        let words =
            ["convert", "--from", "wiki", "--to", "markdown", "--out", "out", "a.wiki", wrong, "b.wiki"];
        let ran = run(&folder, &words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{wrong}: {ran:?}");
        assert!(ran.stderr.starts_with(said), "{}", ran.stderr);
        assert!(!folder.join("out").exists(), "{wrong}");
    }
}

#[test]
fn a_capture_keeps_what_came_in_and_what_went_out() {
    let folder = split("capture");
    back(&folder, &["--capture", "kept"], MARKDOWN).quietly();
    assert_eq!(back(&folder, &["--capture", "kept"], &without_the_panel()).code, 1);
    let kept = |name: &str| fs::read_to_string(folder.join("kept").join(name));
    assert_eq!(kept("001-input.md").expect("it is kept"), MARKDOWN);
    assert_eq!(kept("001-output.xml").expect("it is kept"), PAGE);
    let sidecar = fs::read_to_string(folder.join("s")).expect("the sidecar");
    assert_eq!(kept("001-sidecar.json").expect("it is kept"), sidecar);
    assert!(kept("002-output.xml").is_err(), "nothing was written");
    let report: Value = serde_json::from_str(&kept("002-report.json").expect("it is kept")).expect("JSON");
    assert_eq!(report["conflicts"][0]["block"], 2, "{report}");
}

#[test]
fn minimize_prints_the_smallest_part_that_loses_something() {
    let wiki = "h1. One\n\n{code:java|title=A.java}\nx\n{code}\n\nlong *text*";
    let folder = folder("minimize", &[("in.wiki", wiki), ("plain.wiki", "h1. One")]);
    let ran = run(&folder, &["convert", "--from", "wiki", "--to", "adf", "--minimize", "in.wiki"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "{noformat:title=A.java}\n\n{noformat}"));
    assert!(ran.stderr.contains("lost: codeBlock: expected param:title"), "{}", ran.stderr);
    let ran = run(&folder, &["convert", "--from", "wiki", "--to", "adf", "--minimize", "plain.wiki"]);
    let said = "nothing is lost: there is no part to show\n";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", said));
    let json = ["--minimize", "--report", "json", "plain.wiki"];
    let ran = run(&folder, &[&["convert", "--from", "wiki", "--to", "adf"], &json[..]].concat());
    let report: Value = serde_json::from_str(&ran.stderr).expect("JSON");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let members = (&report["file"], &report["losses"], &report["written"]);
    assert_eq!(members, (&"plain.wiki".into(), &Value::Array(Vec::new()), &false.into()));
}

#[test]
fn adf_that_is_wrong_is_read_and_its_place_is_said() {
    let adf = "{\"version\":1,\"type\":\"doc\",\"content\":[\n  {\"type\":\"paragraph\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]}";
    let folder = folder("adf", &[("bad.json", adf)]);
    let ran = run(&folder, &["convert", "--from", "adf", "--to", "markdown", "bad.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "a\n"));
    assert_eq!(ran.stderr, "bad.json:2:62: expected ',' or ']', but found the end of the text\n");
}

#[test]
fn a_section_is_shown_and_patched_by_heading_identifier_or_number() {
    let folder = folder("patch", &[("in.xml", PAGE)]);
    let patch = |section: &str, more: &[&str], input: &str| {
        let words = [&["patch", "--from", "storage", "--section", section, "in.xml"], more].concat();
        feed(&folder, &words, input.as_bytes())
    };
    for (section, shown, old, new) in [
        ("Plan/Goals", "## Goals\n\nLess is more.\n", "Less", "Little"),
        ("Goals", "## Goals\n\nLess is more.\n", "Less", "Little"),
        ("#41c2", ":::panel{type=info}\nAsk :mention{id=5b10} first.\n:::\n", "first", "soon"),
        ("[1]", "We ship on :date[2026-02-28].\n", "ship", "sail"),
    ] {
        assert_eq!(patch(section, &["--show"], "").quietly(), shown, "{section}");
        let patched = patch(section, &[], &shown.replace(old, new)).quietly();
        assert_eq!(patched, PAGE.replace(old, new), "{section}");
    }
    fs::write(folder.join("new.md"), "We sail on :date[2026-02-28].\n").expect("a file of our own");
    assert_eq!(patch("[1]", &["new.md"], "").quietly(), PAGE.replace("ship", "sail"));
}

#[test]
fn a_patch_that_loses_something_is_not_written_unless_that_is_allowed() {
    let folder = folder("patch-loss", &[("in.xml", PAGE)]);
    let words = ["patch", "--from", "storage", "--section", "[1]", "in.xml"];
    let ran = feed(&folder, &words, b"Soon.\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("<stdin>: conflict: expected the date "), "{}", ran.stderr);
    let ran = feed(&folder, &[&words[..], &["--allow-loss"]].concat(), b"Soon.\n");
    let date = "We ship on <time datetime=\"2026-02-28\" />.";
    assert_eq!((ran.code, ran.stdout), (1, PAGE.replace(date, "Soon.")));
}

#[test]
fn a_section_that_is_not_there_is_refused_with_those_that_are() {
    let folder = folder("sections", &[("in.xml", PAGE)]);
    let show =
        |section| run(&folder, &["patch", "--from", "storage", "--show", "--section", section, "in.xml"]);
    let error = |said: &str| format!("error: in.xml: expected a section {said}\n");
    refused(&show("Means"), 2, &error("\"Means\", but found only Plan, Plan/Goals"));
    refused(&show("[9]"), 2, &error("\"[9]\", but found only [0] to [4]"));
    refused(&show("#nope"), 2, &error("\"#nope\", but found only #41c2"));
    let bare = ["patch", "--from", "markdown", "--show", "--section", "#nope", "in.md"];
    fs::write(folder.join("in.md"), "# Plan\n").expect("a file of our own");
    let said = "error: in.md: expected a section \"#nope\", but found no section with this kind of address\n";
    refused(&run(&folder, &bare), 2, said);
    let ran = show("[x]");
    assert_eq!(
        (ran.code, ran.stderr.contains("expected a number in [], but found \"x\"")),
        (2, true),
        "{ran:?}"
    );
}

#[test]
fn a_document_on_stdin_leaves_no_room_there_for_the_markdown() {
    let folder = folder("stdin", &[("new.md", "## Goals\n\nMore.\n")]);
    let words = ["patch", "--from", "storage", "--section", "Goals", "-"];
    let ran = feed(&folder, &words, PAGE.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("error: expected the Markdown in a file"), "{}", ran.stderr);
    let ran = feed(&folder, &[&words[..], &["new.md"]].concat(), PAGE.as_bytes());
    assert_eq!(ran.quietly(), PAGE.replace("Less is more.", "More."));
}

#[test]
fn names_are_written_for_who_reads_and_change_nothing_in_the_source() {
    let names = r#"{"users": [{"accountId": "5b10", "name": "Jane Doe"}]}"#;
    let folder = folder("names", &[("in.xml", PAGE), ("names.json", names)]);
    let named = MARKDOWN.replace(":mention{", ":mention[@Jane Doe]{");
    let words = [&TO_MARKDOWN[..], &["--names", "names.json", "in.xml"]].concat();
    assert_eq!(run(&folder, &words).quietly(), named);
    assert_eq!(back(&folder, &[], &named).quietly(), PAGE);
    let words =
        ["patch", "--from", "storage", "--section", "[2]", "--names", "names.json", "--show", "in.xml"];
    assert_eq!(
        run(&folder, &words).quietly(),
        ":::panel{type=info}\nAsk :mention[@Jane Doe]{id=5b10} first.\n:::\n"
    );
}

#[test]
fn an_edit_that_adf_refuses_is_not_written_unless_that_is_allowed() {
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"now"}]}]}"#;
    let folder = folder("refused", &[("in.json", adf), ("a.md", ":status[OK]{color=freen}\n")]);
    let split = ["convert", "--from", "adf", "--to", "markdown", "--sidecar", "s", "in.json"];
    assert_eq!(run(&folder, &split).quietly(), "now\n");
    let back = ["convert", "--from", "markdown", "--to", "adf", "--sidecar", "s", "a.md"];
    let ran = run(&folder, &back);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.starts_with("a.md:1:1: not valid: status: color: expected "), "{}", ran.stderr);
    assert!(run(&folder, &[&back[..], &["--allow-loss"]].concat()).stdout.contains("freen"));
}

#[test]
fn somebody_mentioned_by_name_gets_the_id_on_the_way_back() {
    let names = r#"{"users": [{"accountId": "7", "name": "Joe"}]}"#;
    let folder = split("named");
    fs::write(folder.join("names.json"), names).expect("a file of our own");
    let ran = back(&folder, &["--names", "names.json"], &MARKDOWN.replace("Less", ":mention[@Joe]: less"));
    let mention = r#"<ac:link><ri:user ri:account-id="7" />"#;
    assert!(ran.stdout.contains(&format!("<p>{mention}")), "{ran:?}");
    assert!(ran.stdout.ends_with(": less is more.</p>"), "{ran:?}");
}

#[test]
fn a_report_tells_what_there_is_to_name_in_the_form_that_names_have() {
    let folder = folder("references", &[("in.xml", PAGE)]);
    let plain = ["convert", "--from", "storage", "--to", "markdown", "--plain"];
    let ran = run(&folder, &[&plain[..], &["--report", "json", "in.xml"]].concat());
    let mut report: Value = serde_json::from_str(&ran.stderr).expect("JSON");
    let references = report["references"].take();
    assert_eq!(references.to_string(), r#"{"attachments":[],"pages":[],"users":[{"accountId":"5b10"}]}"#);
    fs::write(folder.join("names.json"), references.to_string()).expect("a file of our own");
    assert_eq!(run(&folder, &[&plain[..], &["--names", "names.json", "in.xml"]].concat()).code, 1);
}

#[test]
fn a_table_of_names_that_is_none_is_refused() {
    let folder = folder("no-names", &[("in.xml", PAGE), ("names.json", r#"{"people": []}"#)]);
    let ran = run(&folder, &[&TO_MARKDOWN[..], &["--names", "names.json", "in.xml"]].concat());
    let said = "error: names.json: expected the JSON of a table of names, but found something else: unknown field `people`, expected one of `users`, `pages`, `attachments` at line 1 column 9\n";
    refused(&ran, 2, said);
    fs::write(folder.join("names.json"), "[[], [], []]").expect("a file of our own");
    let ran = run(&folder, &[&TO_MARKDOWN[..], &["--names", "names.json", "in.xml"]].concat());
    let said = "error: names.json: expected the JSON of a table of names, but found something else: a list\n";
    refused(&ran, 2, said);
}

#[test]
fn what_is_lost_is_told_behind_a_thousand_identifiers() {
    let paragraph = |it: usize| {
        format!(
            r#"{{"type":"paragraph","attrs":{{"localId":"{it}"}},"content":[{{"type":"text","text":"a"}}]}}"#
        )
    };
    let mut blocks: Vec<String> = (0..1100).map(paragraph).collect();
    blocks.push(r##"{"type":"paragraph","content":[{"type":"text","text":"b","marks":[{"type":"textColor","attrs":{"color":"#ff0000"}}]}]}"##.to_owned());
    let json = format!(r#"{{"type":"doc","version":1,"content":[{}]}}"#, blocks.join(","));
    let folder = folder("identifiers", &[("in.json", &json)]);
    let ran = run(&folder, &["convert", "--from", "adf", "--to", "markdown", "--plain", "in.json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("lost: paragraph: expected \"b\" (textColor), but found \"b\""),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("in.json: at least 1000 identifiers left out"), "{}", ran.stderr);
}

#[test]
fn places_of_an_edit_count_its_byte_order_mark() {
    let folder = folder("marked", &[("in.xml", "<p>a</p>")]);
    run(&folder, &[&TO_MARKDOWN[..], &["in.xml"]].concat());
    let ran = back(&folder, &[], "\u{feff}a\n\nb \u{2} c\n");
    assert!(ran.stderr.starts_with("a.md:3:1: lost: "), "{}", ran.stderr);
}

#[test]
fn where_more_is_lost_than_is_told_that_is_said() {
    for (count, said) in [(999, false), (1001, true)] {
        let folder = folder("many", &[("in.md", &":color[a]{fg=#ff0000}\n\n".repeat(count))]);
        let ran = run(&folder, &["convert", "--from", "markdown", "--to", "markdown", "--plain", "in.md"]);
        let last = "in.md: only the first 1000 losses are listed\n";
        assert_eq!(ran.stderr.ends_with(last), said, "{}", ran.stderr);
    }
}

#[test]
fn an_input_that_is_no_document_at_all_is_refused_and_nothing_is_written() {
    let folder = folder("unread", &[]);
    for to in ["storage", "markdown", "wiki"] {
        let end = "the end of the text";
        for (input, found) in [(&b"plain text\n"[..], "'p'"), (b"<p>x</p>", "'<'"), (b"", end), (b" \t", end)]
        {
            let ran = feed(&folder, &["convert", "--from", "adf", "--to", to], input);
            assert_eq!((ran.code, &*ran.stdout), (2, ""), "{to}: {ran:?}");
            let at = if input == b" \t" { 3 } else { 1 };
            let said = format!("error: <stdin>:1:{at}: expected a document of ADF, but found {found}\n");
            assert!(ran.stderr.starts_with(&said), "{to}: {ran:?}");
        }
        // What begins as a document is read as far as it goes.
        let cut = br#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Half"}"#;
        let ran = feed(&folder, &["convert", "--from", "adf", "--to", to], cut);
        assert!(ran.code != 2 && ran.stdout.contains("Half"), "{to}: {ran:?}");
    }
}

#[test]
fn identifiers_that_only_the_output_has_are_said_to_be_added() {
    let folder = folder("added", &[("task.md", "- [ ] task\n- [x] two\n")]);
    let ran = run(&folder, &["convert", "--from", "markdown", "--to", "adf", "task.md"]);
    assert_eq!((ran.code, &*ran.stderr), (0, "task.md: 3 identifiers added\n"));
}
