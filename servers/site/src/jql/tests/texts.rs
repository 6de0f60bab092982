//! Searches for words.

use super::world::{ANN, BOB, EVE, World};
use crate::jql::text::{Refusal, Wanted, read};

#[test]
fn texts_become_expressions_of_fts5() {
    for (text, expression) in [
        ("crash", r#"("crash")"#),
        ("crash login", r#"("crash" AND "login")"#),
        ("+crash +login", r#"("crash" AND "login")"#),
        ("crash AND login && page", r#"("crash" AND "login" AND "page")"#),
        ("crash OR login || page", r#"("crash" OR "login" OR "page")"#),
        ("crash -login", r#"(("crash") NOT ("login"))"#),
        ("crash NOT login !page", r#"(("crash") NOT ("login" OR "page"))"#),
        (r#""exact phrase""#, r#"("exact phrase")"#),
        (r#""an \"inner\" quote""#, r#"("an ""inner"" quote")"#),
        ("lcls-ii", r#"("lcls-ii")"#),
        ("psana:detector", r#"("psana:detector")"#),
        ("log*", r#"("log"*)"#),
        ("crash^4 login^0.5", r#"("crash" AND "login")"#),
        ("(a1 OR b1) c1", r#"(("a1" OR "b1") AND "c1")"#),
        ("the crash of it", r#"("crash")"#),
        (r#""the crash""#, r#"("the crash")"#),
        (r"a\*b", r#"("a*b")"#),
        ("ANDy ORacle NOTe", r#"("ANDy" AND "ORacle" AND "NOTe")"#),
        ("x AND -y", r#"(("x") NOT ("y"))"#),
        ("100%", r#"("100%")"#),
    ] {
        assert_eq!(read(text), Ok(Wanted::Match(expression.to_owned())), "{text}");
    }
    assert_eq!(read("-crash"), Ok(Wanted::NoMatch(r#"("crash")"#.to_owned())));
    assert_eq!(read("the"), Ok(Wanted::Nothing));
    assert_eq!(read("..."), Ok(Wanted::Nothing));
    for text in
        ["AND", "OR x1", "x1 AND", "BAD +", "-", "(x1", "x1)", "\"x1", "x1 ]", "x1^", "\\", "()", "x1 [y1"]
    {
        assert_eq!(read(text), Err(Refusal::Meaningless), "{text}");
    }
    for text in [
        "*rash",
        "cr*sh",
        "cr?sh",
        "?",
        "crash~",
        "crash~0.8",
        "\"a b\"~5",
        "[a TO b]",
        "x OR y AND z",
        "x OR -y",
        "a -(b -c) (-d)",
    ] {
        assert!(matches!(read(text), Err(Refusal::Lacking(_))), "{text}");
    }
}

#[test]
fn texts_are_found_by_their_words() {
    let world = World::cloud();
    for (jql, keys) in [
        ("summary ~ login", "SHOP-2 SHOP-4"),
        ("summary ~ LOGIN", "SHOP-2 SHOP-4"),
        ("summary ~ 'login page'", "SHOP-2"),
        ("summary ~ 'page login'", "SHOP-2"),
        (r#"summary ~ "\"login page\"""#, "SHOP-2"),
        (r#"summary ~ "\"page login\"""#, ""),
        // A word is found in its other forms, but a part of a word is not.
        ("summary ~ crash", "SHOP-2"),
        ("summary ~ cra", ""),
        ("summary ~ 'cra*'", "SHOP-2"),
        ("summary ~ 'login -page'", "SHOP-4"),
        ("summary ~ '-login'", "SHOP-1 SHOP-3 DESK-1"),
        ("summary !~ login", "SHOP-1 SHOP-3 DESK-1"),
        ("NOT summary ~ login", "SHOP-1 SHOP-3 DESK-1"),
        ("summary ~ 'login OR search'", "SHOP-2 SHOP-3 SHOP-4"),
        ("summary ~ '(search OR login) form'", "SHOP-4"),
        ("summary ~ the", ""),
        ("summary ~ EMPTY", ""),
        ("summary is not EMPTY", "SHOP-1 SHOP-2 SHOP-3 SHOP-4 DESK-1"),
        ("description ~ 'user'", "SHOP-2"),
        ("description is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
        // An empty text has no words, nor does it lack any.
        ("description !~ 'user'", ""),
        ("NOT (environment ~ nothing)", "SHOP-3"),
        ("environment ~ firefox", "SHOP-3"),
        ("Notes ~ sauce", "SHOP-2"),
        ("cf[10063] !~ sauce", ""),
        ("cf[10063] ~ crash", ""),
        ("comment ~ timeout", "SHOP-2"),
        ("comment !~ timeout", "DESK-1"),
        ("text ~ slow", "SHOP-3"),
        ("text ~ sauce", "SHOP-2"),
        ("text ~ timeout", "SHOP-2"),
        ("text ~ firefox", "SHOP-3"),
        ("text ~ 'timeout sauce'", ""),
        ("NOT text ~ login", "SHOP-1 SHOP-3 DESK-1"),
        ("text ~ 'nothing'", ""),
    ] {
        world.check(jql, keys);
    }
}

#[test]
fn comments_are_found_by_those_who_may_see_them() {
    let world = World::cloud();
    for (person, jql, keys) in [
        (ANN, "comment ~ hunter2", "SHOP-2"),
        (BOB, "text ~ hunter2", "SHOP-2"),
        (EVE, "comment ~ hunter2", ""),
        (EVE, "text ~ hunter2", ""),
        // Of a role.
        (ANN, "comment ~ backdoor", ""),
        (EVE, "comment ~ backdoor", "SHOP-3"),
        // Not for customers.
        (ANN, "comment ~ brigade", "DESK-1"),
        (4, "comment ~ brigade", ""),
        (4, "comment !~ nothing", "SHOP-2"),
    ] {
        world.check_of(person, jql, keys);
    }
}

#[test]
fn names_are_like_a_pattern_on_data_center_only() {
    let world = World::data_center();
    for (jql, keys) in [
        ("fixVersion ~ '1.*'", "SHOP-2"),
        ("fixVersion ~ '1'", ""),
        ("fixVersion !~ '1.*'", "SHOP-3"),
        ("fixVersion ~ '2.0'", "SHOP-3"),
        ("component ~ '*ear*'", "SHOP-3"),
        ("component ~ '%'", ""),
        ("Severity ~ 'ma*'", "SHOP-2"),
    ] {
        world.check(jql, keys);
    }
    World::cloud()
        .refuses("fixVersion ~ '1.*'", "The operator '~' is not supported by the 'fixVersion' field.");
}
