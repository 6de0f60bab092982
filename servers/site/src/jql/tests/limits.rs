//! The limits: what is at them works, and what is over them is refused with a sentence.

use super::world::{ANN, NOW, World};
use crate::jql::{MAX_BYTES, MAX_DEPTH, MAX_TERMS, MAX_VALUES, MAX_WORDS, parse};

fn deep(levels: usize) -> String {
    format!(
        "{}type = Bug{}",
        "(project = SHOP AND (type = Epic OR ".repeat(levels / 2),
        "))".repeat(levels / 2)
    )
}

#[test]
fn a_query_has_at_most_so_many_bytes() {
    let jql = |bytes: usize| format!("summary ~ '{}'", "a".repeat(bytes - 12));
    assert!(parse(&jql(MAX_BYTES)).is_ok());
    let error = parse(&jql(MAX_BYTES + 1)).map_err(|error| error.message);
    assert_eq!(
        error.err().as_deref(),
        Some("Error in the JQL Query: The query is too long. It can have at most 50000 bytes.")
    );
}

#[test]
fn a_query_has_at_most_so_many_levels() {
    let world = World::cloud();
    world.check(&deep(MAX_DEPTH), "SHOP-1 SHOP-3");
    for jql in [
        deep(MAX_DEPTH + 2),
        format!("{} a = b", "NOT ".repeat(MAX_DEPTH + 1)),
        format!("a in {}1", "(".repeat(20_000)),
    ] {
        let error = parse(&jql).map_err(|error| error.message).err().unwrap_or_default();
        assert_eq!(
            error,
            "Error in the JQL Query: The query is nested too deeply. It can have at most 64 levels."
        );
    }
    let jql = format!("{}type = Bug", "NOT ".repeat(MAX_DEPTH));
    world.check(&format!("{}type = Bug", "NOT ".repeat(MAX_DEPTH - 2)), "SHOP-3 DESK-1");
    assert!(parse(&jql).is_ok());
}

#[test]
fn a_list_has_at_most_so_many_values() {
    let world = World::cloud();
    let labels = |count: usize| {
        format!("labels in ({})", (0..count).map(|it| format!("l{it}, ")).collect::<String>() + "frontend")
    };
    world.check(&labels(MAX_VALUES - 1), "SHOP-3");
    let error = parse(&labels(MAX_VALUES)).map_err(|error| error.message).err().unwrap_or_default();
    assert_eq!(error, "Error in the JQL Query: A list can have at most 1000 values, but one has 1001.");
    // Lists inside of lists count together.
    let half = (0..600).map(|it| it.to_string()).collect::<Vec<_>>().join(",");
    world.refuses(
        &format!("labels in (({half}), ({half}))"),
        "The field 'labels' can be compared with at most 1000 values.",
    );
}

#[test]
fn a_query_has_at_most_so_many_clauses() {
    let world = World::cloud();
    let chain = |clause: &str, glue: &str, count: usize| vec![clause; count].join(glue);
    for (clause, glue, count) in [
        ("type = Bug", " OR ", 2),
        ("text ~ slow", " AND ", 1),
        ("fixVersion changed from '3.0'", " AND ", 1),
        ("NOT (fixVersion = '3.0' OR assignee = ann)", " AND ", 1),
    ] {
        let clauses = MAX_TERMS / (1 + clause.matches(" OR ").count());
        let compiled = world.compile(ANN, &chain(clause, glue, clauses)).expect("it is at the limit");
        assert_eq!(world.at(NOW, |work| compiled.count(work)), count, "{clause}");
    }
    world.refuses(
        &chain("type = Bug", " OR ", MAX_TERMS + 1),
        "The query is too complex. It can have at most 500 clauses.",
    );
    // The clauses of a filter count each time.
    world.refuses(
        &chain("filter = Bugs", " OR ", 251),
        "The query is too complex. It can have at most 500 clauses.",
    );
}

#[test]
fn filters_inside_of_filters_have_at_most_so_many_levels() {
    let world = World::cloud();
    world.at("2026-11-21T10:00:00.000+0000", |work| {
        let insert = "INSERT INTO filter (id, name, owner_id, jql) VALUES (?1, ?2, 1, ?3)";
        work.run(insert, (1_000, "f0", "type = Bug"))?;
        for n in 1..10 {
            let (open, close) = ("(project = SHOP AND (type = Epic OR ".repeat(15), "))".repeat(15));
            work.run(insert, (1_000 + n, format!("f{n}"), format!("{open}filter = f{}{close}", n - 1)))?;
        }
        Ok(())
    });
    world.check("filter = f5", "SHOP-1 SHOP-3");
    world.refuses("filter = f9", "The query is nested too deeply. It can have at most 200 levels.");
}

#[test]
fn the_text_of_a_search_has_at_most_so_many_words_and_levels() {
    let world = World::cloud();
    world.check(&format!("summary ~ '{}'", "slow ".repeat(MAX_WORDS)), "SHOP-3");
    world.refuses(
        &format!("summary ~ '{}'", "slow ".repeat(MAX_WORDS + 1)),
        "The text query for field 'summary' is too complex.",
    );
    world.check(&format!("summary ~ '{}slow{}'", "(".repeat(16), ")".repeat(16)), "SHOP-3");
    world.refuses(
        &format!("summary ~ '{}slow'", "(".repeat(40_000)),
        "The text query for field 'summary' is too complex.",
    );
}

#[test]
fn an_error_has_at_most_ten_sentences() {
    let world = World::cloud();
    let jql = (0..30).map(|it| format!("project = p{it}")).collect::<Vec<_>>().join(" OR ");
    let fault = world.fault(&jql);
    assert_eq!((fault.status, fault.messages.len()), (400, 10));
    assert_eq!(
        fault.messages.first().map(String::as_str),
        Some("The value 'p0' does not exist for the field 'project'.")
    );
}

#[test]
fn nothing_that_is_sent_is_part_of_the_statement() {
    let world = World::cloud();
    for hostile in [
        "'; DROP TABLE issue; --",
        "\" OR 1=1 --",
        "?1",
        "%",
        "NEAR(a b)",
        "{summary}: x",
        "a\" OR \"b",
        "*",
        "summary : login",
    ] {
        let text = crate::jql::quote(hostile);
        for jql in ["labels = ", "summary ~ ", "cf[10063] ~ ", "cf[10065] = "] {
            match world.find(ANN, &format!("{jql}{text}")) {
                Ok(found) => assert!(found.is_empty(), "{jql}{text}: {found:?}"),
                Err(fault) => assert!(matches!(fault.status, 400 | 501), "{jql}{text}: {fault}"),
            }
        }
    }
    world.check("type = Bug", "SHOP-3 DESK-1");
}

#[test]
fn a_broken_query_never_panics() {
    let whole = r#"NOT (status was in ("a b", 'c', f(1)) by x DURING ("-1d", now()) AND cf[1] !~ "\u0041\n") OR a.b[c].d is not EMPTY ORDER BY x DESC, y"#;
    let mut at = 0;
    for (end, _) in whole.char_indices() {
        let _ = parse(&whole[..end]);
        let _ = parse(&whole[end..]);
        for piece in ["", "(", ")", "'", "\\", "[", ",", "!", "é", "\0", " by "] {
            at += usize::from(parse(&format!("{}{piece}{}", &whole[..end], &whole[end..])).is_ok());
        }
    }
    assert!(at > 0);
}
