//! The golden list: questions with their intents, and the resources that should come first. It was written before there was a
//! ranking.

use plainwire_learning::ranking::{Question, rank};
use plainwire_learning::vault::{Filter, Vault};

#[test]
fn each_question_finds_what_a_reader_expects() {
    let folder = tempfile::tempdir().expect("a folder");
    let vault = Vault::open(&folder.path().join("vault.db")).expect("a vault");
    let lines: Vec<Vec<&str>> = include_str!("queries.tsv")
        .lines()
        .filter(|it| !it.starts_with('#'))
        .map(|it| it.split('\t').collect())
        .collect();
    assert_eq!(lines.len(), 30);
    let mut wrong = Vec::new();
    for line in lines {
        let [intent, query, first, among] = line[..] else { panic!("expected four columns: {line:?}") };
        let ranked = rank(&vault, Question::new(query), &Filter::default()).expect("an answer");
        let found = format!("{:?}", ranked.question.intent).to_lowercase();
        if found != intent {
            wrong.push(format!("{query}: expected the intent {intent}, but found {found}"));
        }
        let ids: Vec<&str> = ranked.matches.iter().take(10).map(|it| &*it.0.id).collect();
        let is_first = ids.first().is_some_and(|id| first.split(',').any(|it| it == *id));
        let has_all = among.split(',').filter(|it| !it.is_empty()).all(|id| ids.contains(&id));
        if !is_first || !has_all {
            let shown: Vec<String> = ranked
                .matches
                .iter()
                .take(10)
                .map(|(it, score)| format!("    {} {:.1} {:?}", it.id, score.total(), score.parts))
                .collect();
            wrong.push(format!(
                "{query}: expected {first} first, and {among:?}, but found\n{}",
                shown.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
