//! The golden list: queries, and the pattern that each should find first. It was written before there was a ranking.

use plainwire_patterns::index::Index;
use plainwire_patterns::library::Library;

#[test]
fn each_query_finds_its_pattern_first() {
    let library = Library::embedded();
    let index = Index::in_memory(&library).expect("an index");
    let mut wrong = Vec::new();
    let lines: Vec<(&str, &str)> =
        include_str!("queries.tsv").lines().filter_map(|it| it.split_once('\t')).collect();
    assert_eq!(lines.len(), 30);
    for (query, expected) in lines {
        let matches = index.search(query).expect("an answer");
        let ids: Vec<&str> = matches.positions.iter().map(|&at| &*library.patterns()[at].id).collect();
        if ids.first() != Some(&expected) {
            wrong.push(format!(
                "{query}: expected {expected}, but found {:?} of {}",
                &ids[..ids.len().min(4)],
                ids.len()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_are_corrected_only_when_nothing_has_them() {
    let library = Library::embedded();
    let index = Index::in_memory(&library).expect("an index");
    for (query, corrected) in [
        ("retyr backof", Some("retry backof")),
        ("graceful-shutdwon", Some("graceful shutdown")),
        ("semaphor", None),
        ("zzzzzz", None),
        ("qqq", None),
    ] {
        let matches = index.search(query).expect("an answer");
        assert_eq!(matches.corrected.as_deref(), corrected, "{query}");
        assert_eq!(matches.positions.is_empty(), query.starts_with(['z', 'q']), "{query}");
    }
    assert_eq!(
        index.search("rate-limit").expect("an answer"),
        index.search("Rate LIMIT").expect("an answer")
    );
    assert_eq!(
        index.search("\" ( * NOT").expect("an answer").corrected,
        None,
        "operators are words or nothing"
    );
}
