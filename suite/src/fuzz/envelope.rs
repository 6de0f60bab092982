//! Fuzz target for the envelope of JSON-RPC messages: compares our single-pass reader with serde_json, writes
//! messages back, and reads lines from pieces of input.

use plainwire::proto::envelope::{self, Id, Malformed, Message, Meta, Params};
use plainwire::proto::error::{Error, ErrorKind};
use plainwire::proto::frame::{Frame, Lines};
use plainwire::proto::json::Span;
use plainwire::proto::revision::Revision;

use super::json;

/// Depth limits: the default of a peer, and one that short inputs reach.
const DEPTHS: [usize; 2] = [128, 3];

/// Reads the bytes as a frame, as a batch, as the beginning of a frame that is cut off, and as a stream of
/// lines.
pub fn envelope(data: &[u8]) {
    lines(data);
    let Ok(text) = std::str::from_utf8(data) else { return };
    let place = span(0, text.len());
    for max_depth in DEPTHS {
        let read = envelope::parse(text, place, max_depth);
        compare(text, max_depth, &read);
        batch(text, max_depth);
        if let Ok(message) = &read {
            beginnings(text, max_depth, message);
            written_back(text, message);
        }
    }
}

fn span(start: usize, end: usize) -> Span {
    Span::of(start, end).expect("fuzzers make no inputs of 4 GiB")
}

/// Checks that `read`, the result of our reader for `text`, agrees with serde_json: whether the text is a
/// message within the depth limit, and its members.
fn compare(text: &str, max_depth: usize, read: &Result<Message, Malformed>) {
    let is_json = json::is_json(text);
    let fits = is_json && json::depth(text) <= max_depth;
    match read {
        Ok(message) => {
            assert!(fits, "taken: {text:?}");
            let members = json::members(text).expect("a message is an object");
            accepted(text, &members, message);
        }
        Err(malformed) => {
            refused(text, malformed);
            if fits {
                assert_ne!(malformed.error.kind(), &ErrorKind::Parse, "{text:?}");
                assert!(!json::members(text).is_some_and(|it| is_message(&it)), "{text:?}: {malformed:?}");
            }
        }
    }
}

/// Members of a message that must not be repeated.
const NAMES: [&str; 6] = ["error", "id", "jsonrpc", "method", "params", "result"];
const IN_META: [&str; 6] = [
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/subscriptionId",
    "progressToken",
];
const IN_PARAMS: [&str; 9] =
    ["_meta", "arguments", "cursor", "id", "inputResponses", "name", "requestId", "requestState", "uri"];

/// Returns whether an object is a JSON-RPC message. Of our code it uses only the parser of ids.
fn is_message(members: &[(String, String)]) -> bool {
    let get = |name| json::last(members, name);
    let object = |text: &str| text.starts_with('{');
    let id = get("id").map(Id::parse);
    let once = |members: &[(String, String)], names: &[&str]| {
        !names.iter().any(|name| json::is_repeated(members, name))
    };
    let params = get("params").filter(|params| object(params)).and_then(json::members).unwrap_or_default();
    let meta =
        json::last(&params, "_meta").filter(|meta| object(meta)).and_then(json::members).unwrap_or_default();
    let is_sound = get("jsonrpc").and_then(json::string).as_deref() == Some("2.0")
        && once(members, &NAMES)
        && once(&params, &IN_PARAMS)
        && once(&meta, &IN_META);
    // The id of an error is `null` if that of the request could not be read.
    let id_is_sound = id.is_none_or(|it| it.is_some()) || get("error").is_some() && get("id") == Some("null");
    is_sound
        && id_is_sound
        && match (get("method"), get("result"), get("error")) {
            (Some(method), ..) => json::string(method).is_some() && get("params").is_none_or(object),
            (None, Some(_), None) => get("id").is_some(),
            (None, None, Some(_)) => true,
            _ => false,
        }
}

fn accepted(text: &str, members: &[(String, String)], message: &Message) {
    assert!(is_message(members), "{text:?}: {message:?}");
    let get = |name| json::last(members, name);
    let id = get("id").and_then(Id::parse);
    match message {
        Message::Request { id: found, method, params } => {
            assert_eq!(Some(found), id.as_ref(), "{text:?}");
            assert_eq!(Some(method.text(text)), get("method"), "{text:?}");
            compare_params(text, get("params"), params);
        }
        Message::Notification { method, params } => {
            assert_eq!(id, None, "{text:?}");
            assert_eq!(Some(method.text(text)), get("method"), "{text:?}");
            compare_params(text, get("params"), params);
        }
        Message::Result { id: found, result } => {
            assert_eq!((Some(found), get("method")), (id.as_ref(), None), "{text:?}");
            assert_eq!(Some(result.text(text)), get("result"), "{text:?}");
        }
        Message::Error { id: found, error } => {
            assert_eq!((found, get("method")), (&id, None), "{text:?}");
            assert_eq!(Some(error.text(text)), get("error"), "{text:?}");
        }
    }
}

fn compare_params(text: &str, expected: Option<&str>, params: &Params) {
    same(text, params.all, expected);
    let members = expected.and_then(json::members).unwrap_or_default();
    let get = |name| json::last(&members, name);
    same(text, params.arguments, get("arguments"));
    same(text, params.cursor, get("cursor"));
    same(text, params.id, get("id"));
    same(text, params.input_responses, get("inputResponses"));
    same(text, params.name, get("name"));
    same(text, params.request_id, get("requestId"));
    same(text, params.request_state, get("requestState"));
    same(text, params.uri, get("uri"));
    compare_meta(text, get("_meta"), &params.meta);
}

fn compare_meta(text: &str, expected: Option<&str>, meta: &Meta) {
    same(text, meta.all, expected);
    let members = expected.and_then(json::members).unwrap_or_default();
    let get = |name: &str| json::last(&members, &format!("io.modelcontextprotocol/{name}"));
    same(text, meta.client_capabilities, get("clientCapabilities"));
    same(text, meta.client_info, get("clientInfo"));
    same(text, meta.log_level, get("logLevel"));
    same(text, meta.protocol_version, get("protocolVersion"));
    same(text, meta.subscription_id, get("subscriptionId"));
    same(text, meta.progress_token, json::last(&members, "progressToken"));
}

/// Checks that a span is within the frame and between characters, and that its text is the one that
/// serde_json found.
#[track_caller]
fn same(text: &str, found: Option<Span>, expected: Option<&str>) {
    let found = found.map(|span| text.get(span.range()).expect("a span between two characters"));
    assert_eq!(found, expected, "{text:?}");
}

/// Checks that the error for a refused frame has the right id and a short message, and can be sent.
fn refused(text: &str, malformed: &Malformed) {
    let words = malformed.error.message();
    assert!(words.chars().count() <= 300, "{words}");
    if let Some(members) = json::members(text).filter(|_| json::is_json(text)) {
        let ids: Vec<_> = members.iter().filter(|(name, _)| name == "id").map(|(_, id)| id).collect();
        let certain = ids.iter().all(|id| *id == ids[0]);
        let expected = ids.first().filter(|_| certain).and_then(|id| Id::parse(id));
        assert_eq!(malformed.id, expected, "{text:?}");
        assert!(malformed.answer || malformed.is_answer || ids.is_empty(), "nobody answers {text:?}");
    }
    for revision in [None, Some(Revision::NEWEST_LEGACY), Some(Revision::NEWEST)] {
        let mut out = Vec::new();
        envelope::error(&mut out, malformed.id.as_ref(), &malformed.error, revision);
        let (frame, message) = read_back(&out);
        let Message::Error { id, error } = message else { panic!("{frame}") };
        assert_eq!(id, malformed.id, "{frame}");
        assert_eq!(Error::from_wire(error.text(&frame), "ping").message(), words);
    }
}

/// Checks that a batch has the messages that serde_json finds, and that each is read as if it were alone.
fn batch(text: &str, max_depth: usize) {
    const MOST: usize = 8;
    if !envelope::is_batch(text) {
        return;
    }
    let expected: Option<Vec<_>> = (json::is_json(text) && json::depth(text) <= max_depth)
        .then(|| json::messages(text))
        .filter(|it| (1..=MOST).contains(&it.len()));
    let Ok(found) = envelope::split_batch(text, max_depth, MOST) else {
        assert_eq!(expected, None, "{text:?}");
        return;
    };
    let texts: Vec<_> = found.iter().map(|it| text.get(it.range()).expect("between characters")).collect();
    assert_eq!(Some(&texts), expected.as_ref().map(|it| it.iter().map(|it| &**it).collect()).as_ref());
    for (place, alone) in found.into_iter().zip(texts) {
        let here = envelope::parse(text, place, max_depth);
        let there = envelope::parse(alone, span(0, alone.len()), max_depth);
        match (&here, &there) {
            (Ok(here), Ok(there)) => assert_eq!(outline(text, here), outline(alone, there)),
            (Err(here), Err(there)) => assert_eq!((&here.id, here.answer), (&there.id, there.answer)),
            _ => panic!("{here:?} in {text:?}, {there:?} alone"),
        }
    }
}

fn outline(frame: &str, message: &Message) -> (Option<Id>, [String; 4]) {
    let text = |span: Option<Span>| span.map_or("nothing", |span| span.text(frame)).to_owned();
    let params = |it: &Params| [text(it.all), text(it.arguments), text(it.meta.all)];
    match message {
        Message::Request { id, method, params: it } => {
            let [all, arguments, meta] = params(it);
            (Some(id.clone()), [text(Some(*method)), all, arguments, meta])
        }
        Message::Notification { method, params: it } => {
            let [all, arguments, meta] = params(it);
            (None, [text(Some(*method)), all, arguments, meta])
        }
        Message::Result { id, result } => {
            (Some(id.clone()), [text(Some(*result)), "result".into(), String::new(), String::new()])
        }
        Message::Error { id, error } => {
            (id.clone(), [text(Some(*error)), "error".into(), String::new(), String::new()])
        }
    }
}

/// Checks that the id that is read from a cut-off message is either absent or that of the whole message.
fn beginnings(text: &str, max_depth: usize, message: &Message) {
    let whole = outline(text, message).0;
    let step = (text.len() / 16).max(1);
    for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
        let cut = envelope::cut_off(&text[..end], max_depth, Error::new(ErrorKind::Parse, "cut"));
        assert!(cut.id.is_none() || cut.id == whole, "{:?}: {:?}", &text[..end], cut.id);
    }
    let shallow = envelope::parse(text, span(0, text.len()), 1);
    if let Err(Malformed { id: Some(id), .. }) = shallow {
        assert_eq!(Some(id), whole, "{text:?}");
    }
}

/// Checks that a message written from the parts of another one reads as the same parts.
fn written_back(text: &str, message: &Message) {
    let mut out = Vec::new();
    let (method, value) = match message {
        Message::Request { method, params, .. } | Message::Notification { method, params } => {
            (method.string(text), params.all.map_or("{}", |it| it.text(text)))
        }
        Message::Result { result: value, .. } | Message::Error { error: value, .. } => {
            (None, value.text(text))
        }
    };
    match (message, &method) {
        (Message::Request { id, .. }, Some(method)) => envelope::begin_request(&mut out, id, method),
        (Message::Notification { .. }, Some(method)) => envelope::begin_notification(&mut out, method),
        (Message::Result { id, .. }, _) => envelope::begin_result(&mut out, id),
        _ => return,
    }
    plainwire::proto::json::write::raw(&mut out, value);
    envelope::end(&mut out);
    let (frame, again) = read_back(&out);
    let (id, [first, all, ..]) = outline(&frame, &again);
    assert_eq!(id, outline(text, message).0, "{frame}");
    // Line breaks between tokens are written as blanks.
    let value = value.replace(['\n', '\r'], " ");
    match method {
        Some(method) => assert_eq!((json::string(&first), all), (Some(method.into_owned()), value)),
        None => assert_eq!(first, value),
    }
}

fn read_back(out: &[u8]) -> (String, Message) {
    let frame = String::from_utf8(out.to_vec()).expect("UTF-8 is written");
    assert!(!frame.contains(['\n', '\r']), "{frame:?}");
    // The envelope adds one level.
    let message = envelope::parse(&frame, span(0, frame.len()), DEPTHS[0] + 1);
    let message = message.unwrap_or_else(|malformed| panic!("{frame}: {malformed:?}"));
    (frame, message)
}

/// Checks that the lines do not depend on how the input is cut into pieces, and equal the parts of the input
/// between line breaks.
fn lines(data: &[u8]) {
    for limit in [16, 1000] {
        let mut expected = Vec::new();
        let mut parts: Vec<_> = data.split(|byte| *byte == b'\n').collect();
        let last = parts.pop().unwrap_or_default();
        for line in parts {
            match line.trim_ascii() {
                _ if line.len() > limit => expected.push(None),
                [] => {}
                trimmed => expected.push(Some(trimmed.to_vec())),
            }
        }
        let rest = if last.len() > limit { b"" } else { last.trim_ascii() };
        expected.extend((last.len() > limit).then_some(None));
        for pace in [Pace::AtOnce, Pace::ByteByByte, Pace::AsTheySay] {
            let mut lines = Lines::new(limit);
            assert_eq!(feed(&mut lines, data, pace), expected, "{data:?} in lines of {limit}");
            assert_eq!(lines.rest(), rest, "{data:?} in lines of {limit}");
        }
    }
}

#[derive(Clone, Copy)]
enum Pace {
    AtOnce,
    ByteByByte,
    /// The first byte of each piece determines the length of the piece.
    AsTheySay,
}

/// Passes `data` to `lines` in pieces and returns the lines; `None` is a line that is too long.
fn feed(lines: &mut Lines, mut data: &[u8], pace: Pace) -> Vec<Option<Vec<u8>>> {
    let mut found = Vec::new();
    while let Some(&first) = data.first() {
        let step = match pace {
            Pace::AtOnce => data.len(),
            Pace::ByteByByte => 1,
            Pace::AsTheySay => usize::from(first) % 31 + 1,
        };
        let space = lines.space();
        assert!(!space.is_empty());
        let count = step.min(data.len()).min(space.len());
        space[..count].copy_from_slice(&data[..count]);
        data = &data[count..];
        lines.filled(count);
        while let Some(frame) = lines.next_frame() {
            found.push(match frame {
                Frame::Line(line) => Some(line.to_vec()),
                Frame::TooLong(_) => None,
            });
        }
    }
    found
}
