//! Fuzz target for the server of Jira and its stand-in site: no text of a caller leaves the limit to projects, ends its quotes or its segment of a
//! path; and JQL of any text is answered or refused.

use plainwire_atlassian::jira::search::{quoted, within};
use plainwire_atlassian::rest::quote;
use plainwire_site::Deployment;
use plainwire_site::jql::ast::{Clause, FieldName, Operand, Operator, Query, Term};
use plainwire_site::jql::{compile, parse};
use plainwire_site::store::Store;

thread_local! {
    /// A site without a company: nobody sees anything.
    static STORE: Store = Store::open(None, Deployment::Cloud).expect("a store").0;
}

/// The limit of the target, as a project of the query has it.
const PROJECT: &str = "A";

/// Takes the text as JQL, as words, and as a part of a path.
pub fn atlassian(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if parse(&text).is_ok() {
        // An error is a sentence, and no panic.
        let answered = STORE.with(|store| store.run(0, |work| compile(work, 1, &text).map(drop)));
        if let Err(fault) = answered {
            assert!(matches!(fault.status, 400 | 501) && !fault.messages.is_empty(), "{fault}");
        }
    }
    if let Ok(limited) = within(&text, &[PROJECT.to_owned()])
        && let Ok(query) = parse(&limited)
    {
        assert!(is_limited(&query), "{limited:?}");
    }
    let words: String = text.chars().filter(|it| !it.is_control()).collect();
    let query = parse(&format!("summary ~ {}", quoted(&words)));
    if let Ok(Query { clause: Some(Clause::Term(term)), order }) = query {
        assert!(order.is_empty() && term.operand == Some(Operand::Text(words.clone())), "{words:?}");
    }
    let segment = quote(&text);
    assert!(segment.bytes().all(|it| it.is_ascii_alphanumeric() || b"%-._~".contains(&it)), "{segment:?}");
}

/// Returns whether a query finds only issues of the project: it is a term about it, or all of several conditions of which one is.
fn is_limited(query: &Query) -> bool {
    let is_limit = |clause: &Clause| {
        matches!(clause, Clause::Term(Term { field: FieldName::Named(field), operator: Operator::In, operand: Some(Operand::List(list)), .. })
            if field == "project" && *list == [Operand::Text(PROJECT.to_owned())])
    };
    match &query.clause {
        Some(Clause::And(all)) => all.iter().any(is_limit),
        Some(clause) => is_limit(clause),
        None => false,
    }
}
