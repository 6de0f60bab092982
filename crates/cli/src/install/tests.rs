//! Tests of edits: configuration files before and after.

use super::difference::difference;
use super::edit::{Edit, EntryPath, Existing, NewEntry, edit, remove};

const AT: EntryPath<'static> = EntryPath { list: "mcpServers", name: "it" };

/// Returns the entry of a server with the command `run`, in the format of most clients.
fn command(args: &[&str], env: &[(&str, &str)]) -> NewEntry {
    NewEntry::Command {
        args: args.iter().map(|it| (*it).to_owned()).collect(),
        command: "run".to_owned(),
        env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        kind: None,
    }
}

fn url(kind: Option<&'static str>) -> NewEntry {
    let headers = vec![("X".to_owned(), "${env:X}".to_owned())];
    NewEntry::Url { headers, key: "url", kind, url: "https://a.example/mcp".to_owned() }
}

#[track_caller]
fn changed(before: &str, wanted: &NewEntry, existing: Existing) -> String {
    match edit(before, AT, wanted, existing).expect("a file that is right") {
        Edit::Changed(after) => after,
        other => panic!("expected a change, but found {other:?}"),
    }
}

/// Checks that adding the entry `it` to the file `before` gives `expected`, and that adding it once more
/// changes nothing.
#[track_caller]
fn check(before: &str, expected: &str) {
    let wanted = command(&["a"], &[]);
    let after = changed(before, &wanted, Existing::Refuse);
    assert_eq!(after, expected);
    assert_eq!(edit(&after, AT, &wanted, Existing::Refuse), Ok(Edit::Same), "twice is once");
    assert_eq!(edit(&after, AT, &wanted, Existing::Overwrite), Ok(Edit::Same), "twice is once");
}

const ALONE: &str = "{\n  \"mcpServers\": {\n    \"it\": {\n      \"command\": \"run\",\n      \"args\": [\"a\"]\n    }\n  }\n}\n";

#[test]
fn begins_a_file_that_is_empty() {
    for before in ["", "\n", "{}\n"] {
        check(before, ALONE);
    }
    check("  \n{}", &format!("  \n{}", ALONE.trim_end()));
}

#[test]
fn keeps_comments_order_unknown_keys_and_form() {
    check(
        "// mine\n{\n\t\"z\": [1, 2 ,3], // odd\n\t/* servers */\n\t\"mcpServers\": {\n\t\t\"b\": { \"command\": \"x\" , \"icon\": null }, // b\n\t\t// a\n\t\t\"a\": {\"url\":\"y\"}\n\t},\n\t\"y\": 1.50\n}\n// end\n",
        "// mine\n{\n\t\"z\": [1, 2 ,3], // odd\n\t/* servers */\n\t\"mcpServers\": {\n\t\t\"b\": { \"command\": \"x\" , \"icon\": null }, // b\n\t\t// a\n\t\t\"a\": {\"url\":\"y\"},\n\t\t\"it\": {\n\t\t\t\"command\": \"run\",\n\t\t\t\"args\": [\"a\"]\n\t\t}\n\t},\n\t\"y\": 1.50\n}\n// end\n",
    );
    check(
        "{\n  \"theme\": \"dark\"\n}",
        "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"it\": {\n      \"command\": \"run\",\n      \"args\": [\"a\"]\n    }\n  }\n}",
    );
}

#[test]
fn keeps_how_lines_end_marks_and_commas() {
    check(
        "\u{feff}{\r\n    \"mcpServers\": {\r\n        \"b\": {},\r\n    },\r\n}\r\n",
        "\u{feff}{\r\n    \"mcpServers\": {\r\n        \"b\": {},\r\n        \"it\": {\r\n            \"command\": \"run\",\r\n            \"args\": [\"a\"],\r\n        },\r\n    },\r\n}\r\n",
    );
}

#[test]
fn puts_no_comma_where_a_file_has_none() {
    let after = changed(r#"{"mcpServers":{"b":{"command":"x"}}}"#, &command(&[], &[]), Existing::Refuse);
    let read: serde_json::Value =
        serde_json::from_str(&after).expect("JSON without comments and such commas");
    assert_eq!(read["mcpServers"]["it"]["command"], "run");
    assert_eq!(read["mcpServers"]["b"]["command"], "x");
}

#[test]
fn takes_an_entry_that_says_the_same_for_its_own() {
    for entry in [
        r#"{"command":"run","args":["a"],"env":{}}"#,
        r#"{"type":"stdio","command":"run","args":["a"],"env":{"MINE":"s3cret"},"disabled":true}"#,
        r#"{ "args": [ "a" /* first */ ], "command": "\u0072un", "url": null, }"#,
    ] {
        let text = format!("{{\"mcpServers\":{{\"it\":{entry}}}}}");
        assert_eq!(edit(&text, AT, &command(&["a"], &[]), Existing::Refuse), Ok(Edit::Same), "{entry}");
    }
}

#[test]
fn refuses_to_overwrite_another_entry_and_says_where_it_differs() {
    for (entry, wanted, keys) in [
        (r#"{"command":"x","args":["a"]}"#, command(&["a"], &[]), &["command"][..]),
        (r#"{"command":"run"}"#, command(&["a"], &[]), &["args"]),
        (r#"{"command":"run","args":["a","b"]}"#, command(&["a"], &[]), &["args"]),
        (r#"{"command":"run","env":{"A":"1"}}"#, command(&[], &[("A", "2")]), &["env"]),
        (r#"{"command":"run","type":"sse"}"#, command(&[], &[]), &["type"]),
        (r#"{"url":"u"}"#, command(&[], &[]), &["command", "url"]),
        (r#"{"command":"run"}"#, url(None), &["url", "headers", "command"]),
        (r#"{"url":"https://a.example/mcp","headers":{"X":"${env:X}"}}"#, url(Some("http")), &["type"]),
        ("7", command(&[], &[]), &["the whole entry"]),
    ] {
        let text = format!("{{\"mcpServers\":{{\"it\":{entry}}}}}");
        let keys = keys.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(edit(&text, AT, &wanted, Existing::Refuse), Ok(Edit::Other(keys)), "{entry}");
    }
}

#[test]
fn overwrites_what_differs_and_nothing_else() {
    let text =
        |entry: &str| format!("{{\n  \"mcpServers\": {{\n    \"it\": {entry},\n    \"b\": 1\n  }}\n}}\n");
    for (before, wanted, after) in [
        (
            "{\n      // mine\n      \"command\": \"x\",\n      \"args\": [ \"a\" ],\n      \"env\": { \"A\": \"1\", \"B\": \"2\" },\n      \"disabled\": true\n    }",
            command(&["a"], &[("B", "3")]),
            "{\n      // mine\n      \"command\": \"run\",\n      \"args\": [ \"a\" ],\n      \"env\": { \"A\": \"1\", \"B\": \"3\" },\n      \"disabled\": true\n    }",
        ),
        (
            "{\n      \"type\": \"stdio\",\n      \"command\": \"x\",\n      \"env\": {},\n      \"icon\": \"i\"\n    }",
            url(None),
            "{\n      \"icon\": \"i\",\n      \"url\": \"https://a.example/mcp\",\n      \"headers\": {\n        \"X\": \"${env:X}\"\n      }\n    }",
        ),
        ("7", command(&[], &[]), "{\n      \"command\": \"run\"\n    }"),
    ] {
        assert_eq!(changed(&text(before), &wanted, Existing::Overwrite), text(after));
        assert_eq!(edit(&text(after), AT, &wanted, Existing::Refuse), Ok(Edit::Same));
    }
}

#[test]
fn leaves_files_alone_that_it_does_not_understand() {
    for (text, why) in [
        ("[]", "expected an object, but found another value"),
        ("{\"mcpServers\": []}", "expected `mcpServers` to be an object, but found another value"),
        ("{\"mcpServers\": {}, \"mcpServers\": {}}", "expected \"mcpServers\" once, but found it 2 times"),
        ("{\"mcpServers\": {\"it\": 1, \"\\u0069t\": 2}}", "expected \"it\" once, but found it 2 times"),
        ("{\n\"a\" 1}", "expected JSON, but found in line 2: "),
        ("{\"a\": 'b'}", "expected JSON, but found in line 1: "),
        ("{\"a\": 1 \"b\": 2}", "expected JSON, but found in line 1: "),
        ("{a: 1}", "expected JSON, but found in line 1: "),
        ("{} {}", "expected JSON, but found in line 1: "),
        ("{\"a\": 1", "expected JSON, but found in line 1: "),
    ] {
        let error = edit(text, AT, &command(&[], &[]), Existing::Overwrite).expect_err("not this one");
        assert!(error.starts_with(why), "{text}: {error}");
        assert!(!error.contains("'b'"), "{error}");
    }
}

#[test]
fn shows_no_secret_of_others_and_none_of_variables() {
    for before in [
        r#"{"mcpServers":{"b":{"command":"s3cret","env":{"T":"s3cret"},"n":5417}},"k":"s3cret" /* s3cret */}"#,
        "// s3cret\n{\n  \"mcpServers\": {\n    // s3cret\n    \"b\": { \"args\": [\"s3cret\", 5417] }, // s3cret\n    \"it\": { \"command\": \"x\", \"env\": { \"T\": \"s3cret\" } }\n  }\n}",
        "",
    ] {
        let wanted = command(&["shown"], &[("A", "s3cret"), ("B", "${env:B}")]);
        let after = changed(before, &wanted, Existing::Overwrite);
        let lines = difference(before, &after, AT).join("\n");
        assert!(!lines.contains("s3cret") && !lines.contains("5417"), "{lines}");
        assert!(lines.contains("+ ") && lines.contains("\"shown\"") && lines.contains("${env:B}"), "{lines}");
    }
}

#[test]
fn shows_what_changes_with_three_lines_around_it() {
    let before = "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"b\": {}\n  },\n  \"x\": true,\n  \"y\": true,\n  \"z\": true\n}\n";
    let after = changed(before, &command(&[], &[]), Existing::Refuse);
    assert_eq!(
        difference(before, &after, AT),
        [
            "  {",
            "    \"a\": …,",
            "    \"mcpServers\": {",
            "-     \"b\": {}",
            "+     \"b\": {},",
            "+     \"it\": {",
            "+       \"command\": \"run\"",
            "+     }",
            "    },",
            "    \"x\": true,",
            "    \"y\": true,",
        ]
    );
    let secret = |value| {
        format!("{{\"mcpServers\":{{\"it\":{{\"command\":\"run\",\"env\":{{\"A\":\"{value}\"}}}}}}}}")
    };
    assert_eq!(difference(&secret("1"), &secret("2"), AT), ["  (only hidden values differ)"]);
}

/// A generator of pseudo-random numbers, which are the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }

    fn of(&mut self, all: &[&str]) -> String {
        all[self.below(all.len())].to_owned()
    }

    fn gap(&mut self) -> String {
        let n = self.below(1_000);
        let comment =
            [format!(" // c{n}\n"), format!("/* c{n} */"), "\n  ".to_owned(), " ".to_owned(), String::new()];
        comment[self.below(comment.len())].clone()
    }

    fn value(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 3 } else { 5 }) {
            0 => self.of(&["\"a // b\"", "\"\\\"}\"", "\"\""]),
            1 => self.of(&["1", "-2.50", "1e3"]),
            2 => self.of(&["true", "null"]),
            3 => {
                let all: Vec<String> =
                    (0..self.below(3)).map(|_| self.value(depth - 1) + &self.gap()).collect();
                format!("[{}{}]", self.gap(), all.join(","))
            }
            _ => {
                let n = self.below(3);
                let keys = ["x", "y", "z"];
                let all: Vec<String> = keys.iter().take(n).map(|key| self.member(key, depth - 1)).collect();
                self.object(&all)
            }
        }
    }

    fn member(&mut self, key: &str, depth: usize) -> String {
        format!("{}\"{key}\"{}:{}{}{}", self.gap(), self.gap(), self.gap(), self.value(depth), self.gap())
    }

    fn object(&mut self, members: &[String]) -> String {
        let comma = if members.is_empty() || self.below(3) > 0 { "" } else { "," };
        format!("{{{}{comma}{}}}", members.join(","), self.gap())
    }

    fn file(&mut self) -> String {
        let mut members = vec![self.member("theme", 2)];
        if self.below(4) > 0 {
            let mut servers = vec![self.member("a", 2), self.member("b", 2)];
            if self.below(2) == 0 {
                servers.insert(1, format!("\"it\":{}", self.value(2)));
            }
            let servers = self.object(&servers);
            members.insert(self.below(2), format!("{}\"mcpServers\":{}{servers}", self.gap(), self.gap()));
        }
        format!("{}{}{}", self.gap(), self.object(&members), self.gap())
    }
}

/// Returns the comments `c0`, `c1` and so on of a text in their order. The strings of the text must not
/// contain such comments.
fn comments(text: &str) -> Vec<&str> {
    let starts = text.match_indices(" c").filter(|(at, _)| {
        matches!(text.get(at - 2..*at), Some("//" | "/*"))
            && text[at + 2..].starts_with(|it: char| it.is_ascii_digit())
    });
    starts.map(|(at, _)| text[at..].split(['\n', '*']).next().unwrap_or_default().trim()).collect()
}

#[test]
fn twice_is_once_and_comments_survive_whatever_the_file_looks_like() {
    let mut changes = 0;
    for seed in 0..2_000 {
        let before = Chance(seed).file();
        let wanted = command(&["a"], &[("E", "1")]);
        let after = match edit(&before, AT, &wanted, Existing::Overwrite) {
            Ok(Edit::Changed(after)) => after,
            other => panic!("{seed}: {before}: {other:?}"),
        };
        assert_eq!(edit(&after, AT, &wanted, Existing::Refuse), Ok(Edit::Same), "{seed}: {after}");
        let new = !before.contains("\"it\"");
        if new {
            assert_eq!(comments(&after), comments(&before), "{seed}: {before}\n{after}");
            changes += comments(&before).len();
        }
    }
    assert!(changes > 1_000, "expected files with comments, but found {changes}");
}

#[test]
fn removes_the_entry_and_nothing_else() {
    for (before, after) in [
        (
            "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" }, // a\n    \"it\": {\n      \"command\": \"run\"\n    }\n  },\n  \"y\": 1.50\n}\n",
            "{\n  // mine\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\" } // a\n  },\n  \"y\": 1.50\n}\n",
        ),
        (
            "\u{feff}{\"mcpServers\":{\"it\":{},\"b\":{\"url\":\"y\"}}}",
            "\u{feff}{\"mcpServers\":{\"b\":{\"url\":\"y\"}}}",
        ),
        ("{\"mcpServers\":{\"it\":{}}}", "{\"mcpServers\":{}}"),
    ] {
        assert_eq!(remove(before, AT), Ok(Some(after.to_owned())));
        assert_eq!(remove(after, AT), Ok(None), "twice is once");
    }
    assert_eq!(remove("", AT), Ok(None));
    remove("{\"mcpServers\":{\"it\":{},\"it\":{}}}", AT).expect_err("which of them?");
    remove("{\"mcpServers\":", AT).expect_err("no JSON");
}
