//! Tests of event streams. Events that this crate writes are read back. Other streams are read by the rules
//! of WHATWG HTML 9.2.6, in whatever parts they arrive.

use proptest::prelude::*;

use super::*;

fn read(limit: usize, parts: &[&[u8]]) -> (Vec<Piece>, String) {
    let mut events = Events::new(limit);
    let mut pieces = Vec::new();
    for part in parts {
        events.push(part);
        pieces.extend(std::iter::from_fn(|| events.next_piece()));
    }
    (pieces, events.last_id().to_owned())
}

/// Reads `stream` whole and byte by byte, which must give the same events. Returns each event as
/// `id|event|retry|data`, with `-` for an absent field.
fn show(stream: &str) -> Vec<String> {
    let whole = read(1000, &[stream.as_bytes()]);
    let crumbs: Vec<_> = stream.as_bytes().chunks(1).collect();
    assert_eq!(read(1000, &crumbs), whole, "{stream:?} byte by byte");
    whole.0.iter().map(line).collect()
}

fn line(piece: &Piece) -> String {
    let Piece::Event(it) = piece else { return "too long".to_owned() };
    let retry = it.retry.map(|it| it.to_string());
    [&it.id, &it.event, &retry, &it.data].map(|it| it.as_deref().unwrap_or("-")).join("|")
}

#[test]
fn reads_what_the_standard_says() {
    let cases: [(&str, &[&str]); 25] = [
        // 9.2.5: CR, LF and CRLF each end a line.
        ("data: a\n\n", &["-|-|-|a"]),
        ("data: a\r\r", &["-|-|-|a"]),
        ("data: a\r\n\r\n", &["-|-|-|a"]),
        ("id: 1\r\ndata: a\r\n\r\n", &["1|-|-|a"]),
        ("data: a\r\n\rdata: b\n\r\n", &["-|-|-|a", "-|-|-|b"]),
        // 9.2.6: one byte order mark at the beginning is skipped, and no other.
        ("\u{feff}data: a\n\n", &["-|-|-|a"]),
        ("\u{feff}\u{feff}data: a\n\n", &[]),
        ("\ndata: a\n\n\u{feff}data: b\n\n", &["-|-|-|a"]),
        ("ï: x\ndata: a\n\n", &["-|-|-|a"]),
        // "If the line starts with a colon: ignore the line."
        (": hello\n\n:\n:data: no\ndata: a\n: x\n\n", &["-|-|-|a"]),
        // "The string is not empty but does not contain a colon": the whole line is the name.
        ("data\n\ndata\ndata\n\ndata:", &["-|-|-|", "-|-|-|\n"]),
        ("id\ndata: a\n\n", &["|-|-|a"]),
        // "If value starts with a U+0020 SPACE character, remove it": only one space, and not a tab.
        ("data:a\ndata:  b\ndata:\tc\ndata: d:e\n\n", &["-|-|-|a\n b\n\tc\nd:e"]),
        // Fields other than `data`.
        ("event: endpoint\ndata: /x\n\n", &["-|endpoint|-|/x"]),
        ("event:\ndata: a\n\n", &["-|-|-|a"]),
        ("event: a\nevent: b\ndata: c\n\ndata: d\n\n", &["-|b|-|c", "-|-|-|d"]),
        ("event: alone\n\ndata: a\n\n", &["-|-|-|a"]),
        ("Data: a\ndatas: b\n data: c\nfoo: d\n\n", &[]),
        // "If the field value does not contain U+0000 NULL".
        ("id: 1\nid: 2\u{0}\ndata: a\n\n", &["1|-|-|a"]),
        // "If the field value consists of only ASCII digits".
        ("retry: 1500\n\n", &["-|-|1500|-"]),
        ("retry: 10\nretry: 1.5\nretry: -1\nretry: \nretry: 99999999999999999999\n\n", &["-|-|10|-"]),
        ("retry: +5\nretry: ٣\n\n", &[]),
        // An event without data is no message, but its id counts. 2025-11-25: an event with an id and empty
        // data tells the client from where it can resume.
        ("id: 7\n\n", &["7|-|-|-"]),
        ("id: 7\ndata:\n\n", &["7|-|-|"]),
        // "Once the end of the file is reached, any pending data must be discarded."
        ("data: a\n\nid: 9\ndata: b\n", &["-|-|-|a"]),
    ];
    for (stream, expected) in cases {
        assert_eq!(show(stream), expected, "{stream:?}");
    }
}

#[test]
fn half_a_byte_order_mark_belongs_to_the_first_line() {
    for stream in [&b"\xefdata: a\n\n"[..], b"\xef\xbbdata: a\n\n"] {
        assert_eq!(read(1000, &[stream]).0, [], "{stream:?}");
    }
}

#[test]
fn the_last_id_stays_until_another_and_an_event_cut_off_brings_none() {
    for (stream, last) in [
        ("", ""),
        ("id: 1\ndata: a\n\ndata: b\n\n", "1"),
        ("id: 1\n\nid: 2\n\n", "2"),
        ("id: 1\n\nid: 2\ndata: b\n", "1"),
        ("id: 1\n\nid\n\n", ""),
        ("id: 1\n\nid: 2\u{0}\n\n", "1"),
    ] {
        assert_eq!(read(1000, &[stream.as_bytes()]).1, last, "{stream:?}");
    }
}

#[test]
fn an_event_without_anything_to_handle_says_so() {
    let event = |data: Option<&str>| Event { data: data.map(str::to_owned), ..Event::default() };
    assert!(event(Some("{}")).has_data());
    assert!(!event(Some("")).has_data());
    assert!(!event(None).has_data());
}

#[test]
fn bytes_that_are_no_utf_8_are_replaced() {
    let (pieces, _) = read(1000, &[b"data: a\xff\xc3\n\n"]);
    assert_eq!(line(&pieces[0]), "-|-|-|a\u{fffd}\u{fffd}");
}

#[test]
fn an_event_over_the_limit_is_reported_once_and_the_next_one_is_whole() {
    // The limit is 20 bytes: events with one long line, with many lines, with exactly 20 bytes, and with 21.
    let long = "x".repeat(100);
    let many = "data: 1\n".repeat(40);
    for (stream, expected) in [
        (format!("id: 1\ndata: {long}\ndata: {long}\n\ndata: b\n\n"), &["too long", "-|-|-|b"][..]),
        (format!("{many}\ndata: b\n\n"), &["too long", "-|-|-|b"]),
        ("data: 12345678901234\n\n".to_owned(), &["-|-|-|12345678901234"]),
        ("data: 123456789012345\n\n".to_owned(), &["too long"]),
        (format!("data: {long}\r\n\r\ndata: b\r\n\r\n"), &["too long", "-|-|-|b"]),
        // Comments do not count against the limit, even if they never end.
        (format!("data: a\n: {long}\n\n"), &["-|-|-|a"]),
        (format!("\u{feff}: {long}"), &[]),
        // Each event has the whole limit.
        ("data: 1234567\n\n".repeat(3), &["-|-|-|1234567"; 3]),
    ] {
        for step in [1, 7, 1000] {
            let parts: Vec<_> = stream.as_bytes().chunks(step).collect();
            let (pieces, last) = read(20, &parts);
            assert_eq!(pieces.iter().map(line).collect::<Vec<_>>(), expected, "{stream:?} by {step}");
            assert_eq!(last, "", "an event that is dropped brings no id");
        }
    }
}

#[test]
fn after_an_id_of_more_than_8_kib_a_stream_has_no_id_to_resume_with() {
    for (length, is_kept) in [(8 << 10, true), ((8 << 10) + 1, false)] {
        let id = "i".repeat(length);
        let stream = format!("id: 1\ndata: a\n\nid: {id}\ndata: b\n\n");
        let (pieces, last) = read(1 << 20, &[stream.as_bytes()]);
        let kept = if is_kept { &*id } else { "" };
        let lines: Vec<_> = pieces.iter().map(line).collect();
        assert!(lines == ["1|-|-|a", &format!("{kept}|-|-|b")] && last == kept, "{length}");
    }
}

#[test]
fn a_large_line_is_read_like_a_small_one_and_its_memory_is_not_kept() {
    let (x, é) = ("x".repeat(100_000), "é".repeat(100_000));
    let stream = format!("data: {x}\ndata:{é}\n\nevent: {x}\ndata:  {é}\n\ndata: \u{feff}{x}\n\n");
    let mut events = Events::new(1 << 20);
    stream.as_bytes().chunks(7_001).for_each(|part| events.push(part));
    let data: Vec<_> = std::iter::from_fn(|| events.next_piece())
        .map(|piece| if let Piece::Event(event) = piece { event.data } else { None })
        .collect();
    let expected = [format!("{x}\n{é}"), format!(" {é}"), format!("\u{feff}{x}")];
    assert!(data == expected.map(Some), "they differ");
    assert!(events.line.capacity() < LARGE);

    let mut events = Events::new(1 << 20);
    events.push(b"data: ");
    events.push(&[0xff; 70_000]);
    events.push(b"\n\n");
    let Some(Piece::Event(event)) = events.next_piece() else { panic!("no event") };
    assert!(event.data == Some("\u{fffd}".repeat(70_000)));
}

#[test]
fn keeps_no_more_than_the_limit() {
    let mut events = Events::new(1000);
    for part in [&b"data: "[..], &[b'x'; 5000], b"\n:", &[b'y'; 5000], b"\r", b"\n:"] {
        events.push(part);
        assert!(events.line.len() <= 1000, "{}", events.line.len());
        assert_eq!(events.event, Event::default());
    }
    assert_eq!(events.ready, [Piece::TooLong]);
}

#[test]
fn writes_what_readers_read() {
    let written = |fields| {
        let mut out = Vec::new();
        write_event(&mut out, fields);
        String::from_utf8(out).expect("text")
    };
    let none = Fields::default();
    assert_eq!(written(Fields { data: Some("{}"), ..none }), "data: {}\n\n");
    assert_eq!(written(Fields { id: Some("1"), data: Some(""), ..none }), "id: 1\ndata:\n\n");
    assert_eq!(written(Fields { retry: Some(500), ..none }), "retry: 500\n\n");
    let all = Fields { id: Some("a/1"), event: Some("message"), retry: Some(0), data: Some("x") };
    assert_eq!(written(all), "id: a/1\nevent: message\nretry: 0\ndata: x\n\n");
    assert_eq!(written(Fields { data: Some("a\nb\rc\r\nd\n"), ..none }).matches("data:").count(), 5);
    // A line break in an id or an event type must not begin another field.
    let cut = Fields { id: Some("1\ndata: no"), event: Some("a\rb"), data: Some("x"), ..none };
    assert_eq!(written(cut), "data: x\n\n");
    assert_eq!(written(Fields { id: Some("1\0"), data: Some("x"), ..none }), "data: x\n\n");
}

#[test]
fn a_comment_is_passed_over_whatever_it_says() {
    let mut out = Vec::new();
    write_comment(&mut out, "");
    assert_eq!(out, b":\n\n");
    write_comment(&mut out, "one\ndata: two\r\n\r\nid: 3");
    write_event(&mut out, Fields { data: Some("a"), ..Fields::default() });
    let (pieces, last) = read(1000, &[&out]);
    assert_eq!((pieces.iter().map(line).collect(), last.as_str()), (vec!["-|-|-|a".to_owned()], ""));
}

proptest! {
    #[test]
    fn a_stream_reads_the_same_however_it_is_cut(
        stream in "(data|id|event|retry|:|: |\u{feff}|[0-9]|é|a|\u{0}|\r|\n|\r\n|\n\n){0,40}",
        cuts in prop::collection::vec(0usize..200, 0..6),
        limit in 1usize..60,
    ) {
        let bytes = stream.as_bytes();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let parts: Vec<_> = cuts.windows(2).map(|it| &bytes[it[0]..it[1]]).collect();
        prop_assert_eq!(read(limit, &parts), read(limit, &[bytes]));
    }

    #[test]
    fn any_data_is_read_back_with_its_line_breaks_as_one_kind(data in "([ :a\r\n\u{0}é]|\r\n|data: ){0,20}") {
        let mut out = Vec::new();
        write_event(&mut out, Fields { data: Some(&data), ..Fields::default() });
        let (pieces, _) = read(10_000, &[&out]);
        let expected = data.replace("\r\n", "\n").replace('\r', "\n");
        prop_assert_eq!(pieces, [Piece::Event(Event { data: Some(expected), ..Event::default() })]);
    }
}
