//! Words that stand for parts of the vocabulary: who asks for `tokio` asks for `async` and for `rust`.
//!
//! In: the stems of a question. Out: labels such as `concept=async`.

use std::sync::LazyLock;

use crate::words::{stem, words};

/// Each entry: words that follow one another in a question, and the labels that they stand for.
const KEYWORDS: [(&str, &str); 151] = [
    // ai
    ("agent", "concept=agents category=ai"),
    ("ai", "category=ai"),
    ("claude", "category=ai"),
    ("context engineering", "concept=prompting concept=agents category=ai"),
    ("gpt", "category=ai"),
    ("language model", "category=ai"),
    ("llm", "category=ai"),
    ("deep learning", "category=ai"),
    ("expert system", "category=ai"),
    ("machine learning", "category=ai"),
    ("prompt", "concept=prompting category=ai"),
    ("rag", "concept=search category=ai"),
    // architecture
    ("architecture", "category=architecture"),
    ("design pattern", "category=architecture"),
    ("microservice", "category=architecture category=distributed-systems"),
    // concurrency
    ("actor", "concept=actors"),
    ("atomics", "concept=memory-model concept=locks"),
    ("concurrency", "concept=threads concept=locks"),
    ("concurrent", "concept=threads concept=locks"),
    ("data race", "concept=memory-model concept=threads"),
    ("deadlock", "concept=locks"),
    ("lock", "concept=locks"),
    ("lock free", "concept=locks concept=memory-model"),
    ("memory model", "concept=memory-model"),
    ("memory ordering", "concept=memory-model"),
    ("multithreading", "concept=threads"),
    ("mutex", "concept=locks"),
    ("parallel", "concept=threads"),
    ("race condition", "concept=threads"),
    ("thread", "concept=threads"),
    ("virtual thread", "concept=threads language=java"),
    // data
    ("b tree", "concept=indexing category=databases"),
    ("database", "category=databases"),
    ("full text search", "concept=search"),
    ("index", "concept=indexing"),
    ("information retrieval", "concept=search"),
    ("isolation level", "concept=transactions category=databases"),
    ("mvcc", "concept=transactions category=databases"),
    ("postgres", "concept=sql category=databases"),
    ("postgresql", "concept=sql category=databases"),
    ("query plan", "concept=indexing concept=sql"),
    ("serializable", "concept=transactions"),
    ("sql", "concept=sql category=databases"),
    ("sqlite", "concept=sql category=databases"),
    ("transaction", "concept=transactions"),
    // distributed systems
    ("cap theorem", "concept=consistency category=distributed-systems"),
    ("chaos engineering", "concept=fault-tolerance"),
    ("consensus", "concept=consensus category=distributed-systems"),
    ("consistency", "concept=consistency"),
    ("crdt", "concept=replication concept=consistency"),
    ("distributed", "category=distributed-systems"),
    ("event sourcing", "concept=messaging category=architecture"),
    ("eventual consistency", "concept=consistency category=distributed-systems"),
    ("failover", "concept=fault-tolerance concept=replication"),
    ("fault tolerance", "concept=fault-tolerance"),
    ("kafka", "concept=messaging category=distributed-systems"),
    ("leader election", "concept=consensus"),
    ("linearizability", "concept=consistency"),
    ("message queue", "concept=messaging"),
    ("messaging", "concept=messaging"),
    ("paxos", "concept=consensus category=distributed-systems"),
    ("raft", "concept=consensus category=distributed-systems"),
    ("reliability", "concept=fault-tolerance"),
    ("replication", "concept=replication category=distributed-systems"),
    ("resilience", "concept=fault-tolerance"),
    ("retry", "concept=fault-tolerance"),
    ("sharding", "concept=replication category=databases"),
    ("stream processing", "concept=messaging concept=streaming"),
    // engineering
    ("benchmark", "concept=performance"),
    ("devops", "category=devops"),
    ("docker", "category=devops"),
    ("fuzzing", "concept=testing category=testing"),
    ("garbage collection", "concept=performance"),
    ("integration test", "concept=testing category=testing"),
    ("junit", "concept=testing category=testing language=java"),
    ("kubernetes", "category=devops"),
    ("latency", "concept=performance"),
    ("logging", "concept=observability category=observability"),
    ("metrics", "concept=observability category=observability"),
    ("mocking", "concept=testing category=testing"),
    ("monitoring", "concept=observability category=observability"),
    ("mutation testing", "concept=testing category=testing"),
    ("observability", "concept=observability category=observability"),
    ("opentelemetry", "concept=observability category=observability"),
    ("optimization", "concept=performance"),
    ("performance", "concept=performance"),
    ("profiling", "concept=performance concept=observability"),
    ("property based testing", "concept=testing category=testing"),
    ("test", "concept=testing category=testing"),
    ("tracing", "concept=observability category=observability"),
    ("unit test", "concept=testing category=testing"),
    // languages
    ("async", "concept=async"),
    ("asynchronous", "concept=async"),
    ("borrow checker", "concept=ownership language=rust"),
    ("cargo", "language=rust"),
    ("error handling", "concept=error-handling"),
    ("exception", "concept=error-handling"),
    ("futures", "concept=async"),
    ("generics", "concept=type-systems"),
    ("go language", "language=go"),
    ("golang", "language=go"),
    ("java", "language=java"),
    ("javascript", "language=javascript"),
    ("jvm", "language=java"),
    ("jdk", "language=java"),
    ("lifetimes", "concept=ownership language=rust"),
    ("macro", "concept=macros"),
    ("node", "language=javascript"),
    ("ownership", "concept=ownership"),
    ("python", "language=python"),
    ("rust", "language=rust"),
    ("serde", "concept=serialization language=rust"),
    ("spring", "language=java"),
    ("tokio", "concept=async language=rust"),
    ("traits", "concept=type-systems language=rust"),
    ("type system", "concept=type-systems"),
    ("typescript", "language=javascript"),
    // protocols and the web
    ("api", "category=web"),
    ("browser", "category=web"),
    ("cbor", "concept=serialization category=protocols"),
    ("cors", "concept=web-security concept=http category=web"),
    ("dns", "category=networking"),
    ("grpc", "concept=serialization concept=streaming category=protocols"),
    ("http", "concept=http category=protocols"),
    ("json", "concept=serialization"),
    ("json rpc", "concept=json-rpc category=protocols"),
    ("mcp", "concept=mcp category=mcp"),
    ("model context protocol", "concept=mcp category=mcp"),
    ("network", "category=networking"),
    ("protobuf", "concept=serialization category=protocols"),
    ("protocol", "category=protocols"),
    ("quic", "concept=http category=networking"),
    ("rest api", "concept=http category=web"),
    ("serialization", "concept=serialization"),
    ("server sent events", "concept=streaming category=web"),
    ("socket", "category=networking"),
    ("streaming", "concept=streaming"),
    ("tcp", "category=networking"),
    ("websocket", "concept=streaming category=web"),
    // security
    ("authentication", "concept=authentication category=security"),
    ("authorization", "concept=authorization category=security"),
    ("cross origin", "concept=web-security category=web"),
    ("cryptography", "concept=cryptography category=security"),
    ("encryption", "concept=cryptography category=security"),
    ("jwt", "concept=authentication category=security"),
    ("oauth", "concept=authorization category=security"),
    ("password", "concept=authentication category=security"),
    ("security", "category=security"),
    ("supply chain", "concept=supply-chain category=security"),
    ("tls", "concept=cryptography category=security"),
    ("vulnerability", "category=security"),
];

/// The entries with the stems of their words.
static STEMMED: LazyLock<Vec<(Vec<String>, &str)>> = LazyLock::new(|| {
    let stemmed = |it: &str| words(it).iter().map(|it| stem(it)).collect();
    KEYWORDS.iter().map(|(word, labels)| (stemmed(word), *labels)).collect()
});

/// Returns the labels that the stems stand for, each as the name of a vocabulary and a word of it, in no order.
pub(super) fn labels(stems: &[String]) -> impl Iterator<Item = (&'static str, &'static str)> {
    let has = |entry: &[String]| stems.windows(entry.len()).any(|it| it == entry);
    STEMMED
        .iter()
        .filter(move |(entry, _)| has(entry))
        .flat_map(|(_, labels)| labels.split(' '))
        .filter_map(|it| it.split_once('='))
}

/// Returns for each stem whether it is a part of an entry of several words.
pub(super) fn covered(stems: &[String]) -> Vec<bool> {
    let mut covered = vec![false; stems.len()];
    for (entry, _) in STEMMED.iter().filter(|(entry, _)| entry.len() > 1) {
        for at in 0..stems.len().saturating_sub(entry.len() - 1) {
            if stems[at..at + entry.len()] == **entry {
                covered[at..at + entry.len()].fill(true);
            }
        }
    }
    covered
}

/// Returns whether a stem is a part of an entry.
pub(super) fn has_word(stem: &str) -> bool {
    STEMMED.iter().any(|(entry, _)| entry.iter().any(|it| it == stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::{CATEGORIES, Language, concepts};

    #[test]
    fn keywords_stand_for_words_of_the_vocabulary() {
        for (word, labels) in KEYWORDS {
            for label in labels.split(' ') {
                let is_known = match label.split_once('=') {
                    Some(("category", it)) => CATEGORIES.contains(&it),
                    Some(("concept", it)) => concepts().any(|known| known == it),
                    Some(("language", it)) => Language::ALL.iter().any(|known| known.as_str() == it),
                    _ => false,
                };
                assert!(is_known, "{word}: {label}");
            }
        }
    }

    #[test]
    fn a_keyword_of_several_words_needs_all_of_them_in_their_order() {
        let found = |text: &str| {
            let stems: Vec<String> = words(text).iter().map(|it| stem(it)).collect();
            labels(&stems).map(|(_, it)| it).collect::<Vec<_>>()
        };
        assert_eq!(found("the CAP theorems"), ["consistency", "distributed-systems"]);
        assert!(found("a theorem about a cap").is_empty());
    }
}
