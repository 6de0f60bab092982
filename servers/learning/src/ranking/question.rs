//! A question as the ranking understands it: its intent, its telling words, and the parts of the vocabulary that it names.
//!
//! In: the text of a user. Out: a [`Question`].

use plainwire::prelude::*;

use super::keywords;
use crate::resource::{Difficulty, Language, Type, address, concepts, domain};
use crate::words::{is_common, stem, words};

/// The largest number of words of a question that count.
const MAX_WORDS: usize = 32;

/// What a question is after.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Intent {
    /// One resource, which the question names.
    Specific,
    /// Whatever there is about a subject.
    Vague,
    /// A place to start, or advice.
    Exploratory,
}

/// Words that ask for advice. They say nothing about the subject.
const ADVICE: [&str; 21] = [
    "advice",
    "basics",
    "fundamentals",
    "getting",
    "help",
    "intro",
    "introduction",
    "introductions",
    "introductory",
    "learn",
    "learning",
    "overview",
    "overviews",
    "recommend",
    "recommendation",
    "recommendations",
    "scratch",
    "suggest",
    "suggestion",
    "suggestions",
    "teach",
];

/// Words that ask for advice beside a word for the one who asks: "what should I read", "where do I start".
const ASKED: [&str; 11] = [
    "begin",
    "beginning",
    "better",
    "explore",
    "ideas",
    "new",
    "read",
    "start",
    "started",
    "study",
    "understand",
];

/// Words for the one who asks, and for what is asked.
const ASKING: [&str; 8] = ["how", "i", "me", "my", "should", "we", "what", "where"];

/// Words behind which the subject of a book, of documentation and so on is named.
const ABOUT: [&str; 9] = ["about", "by", "covering", "for", "from", "of", "on", "to", "with"];

/// The names of series whose parts have numbers.
const SERIES: [&str; 10] = ["cve", "cwe", "ecma", "fips", "ieee", "iso", "jep", "jsr", "pep", "rfc"];

/// Words for kinds of resources, and the kinds that they ask for.
const TYPES: [(&str, &[Type]); 18] = [
    ("article", &[Type::Article]),
    ("book", &[Type::Book]),
    ("course", &[Type::Course]),
    ("crate", &[Type::Repository, Type::Documentation]),
    ("docs", &[Type::Documentation]),
    ("documentation", &[Type::Documentation]),
    ("guide", &[Type::Documentation, Type::Tutorial, Type::Book]),
    ("manual", &[Type::Documentation]),
    ("paper", &[Type::Paper]),
    ("reference", &[Type::Documentation, Type::Specification]),
    ("repo", &[Type::Repository]),
    ("repository", &[Type::Repository]),
    ("sdk", &[Type::Repository, Type::Documentation]),
    ("spec", &[Type::Specification]),
    ("specification", &[Type::Specification]),
    ("tool", &[Type::Tool]),
    ("tutorial", &[Type::Tutorial]),
    ("video", &[Type::Video]),
];

/// Words for what a reader knows.
const LEVELS: [(&str, Difficulty); 5] = [
    ("advanced", Difficulty::Advanced),
    ("beginner", Difficulty::Beginner),
    ("expert", Difficulty::Expert),
    ("intermediate", Difficulty::Intermediate),
    ("newcomer", Difficulty::Beginner),
];

/// The shortest word of these lists in which a typo is looked for.
const MIN_TYPO: usize = 7;

/// A question.
#[derive(Clone, Debug)]
pub struct Question {
    /// What it is after.
    pub intent: Intent,
    /// Its words without those that only say what it is after. Never common ones, unless it has no others.
    pub words: Vec<String>,
    /// The stems of [`Self::words`].
    pub stems: Vec<String>,
    /// The words between quotation marks.
    pub phrase: Option<Vec<String>>,
    /// The address in it, as addresses are compared.
    pub address: Option<String>,
    /// Names with a number, such as `rfc` and `8446`.
    pub numbered: Vec<(String, String)>,
    /// The kinds of resources that it asks for.
    pub types: Vec<Type>,
    /// The concepts that it names.
    pub concepts: Vec<&'static str>,
    /// The domains of these concepts.
    pub domains: Vec<&'static str>,
    /// The categories that it names.
    pub categories: Vec<&'static str>,
    /// The programming languages that it names.
    pub languages: Vec<Language>,
    /// What its reader knows.
    pub difficulty: Option<Difficulty>,
    /// All of its words.
    all: Vec<String>,
    /// The words that were read as others, each with that other.
    pub(super) spelled: Vec<(String, String)>,
    /// Whether it asks for something official.
    pub official: bool,
    /// Whether it asks for something that costs nothing.
    pub free: bool,
}

impl Question {
    /// Reads a question.
    pub fn new(text: &str) -> Self {
        let address = text.split_whitespace().find_map(named_address);
        let phrase = quoted(text).map(words).filter(|it| !it.is_empty());
        let mut spelled = Vec::new();
        let read = |word: String| match known(&word) {
            Some(meant) => {
                spelled.push((word, meant.to_owned()));
                meant.to_owned()
            }
            None => word,
        };
        let all: Vec<String> = words(text).into_iter().take(MAX_WORDS).map(read).collect();
        let stems: Vec<String> = all.iter().map(|it| stem(it)).collect();
        // A part of `machine learning` asks for nothing.
        let is_covered = keywords::covered(&stems);
        let has = |wanted: &[&str]| {
            let mut all = all.iter().zip(&is_covered);
            all.any(|(it, is_covered)| !is_covered && wanted.contains(&&**it))
        };
        let level = |it: &str| LEVELS.iter().find(|(word, _)| stem(word) == it).map(|it| it.1);
        let levels = stems.iter().zip(&is_covered).filter(|(_, is_covered)| !**is_covered);
        let difficulty = levels.filter_map(|(it, _)| level(it)).next();
        let types = types(&all, &stems, &is_covered);
        let is_number = |it: &str| it.len() > 2 && it.chars().all(char::is_numeric);
        let numbered: Vec<(String, String)> = all
            .windows(2)
            .filter(|it| SERIES.contains(&&*it[0]) && is_number(&it[1]))
            .map(|it| (it[0].clone(), it[1].clone()))
            .collect();
        let explores =
            has(&ADVICE) || has(&ASKING) && has(&ASKED) || difficulty == Some(Difficulty::Beginner);
        let is_named = !types.is_empty() || !numbered.is_empty() || has(&["official"]) || is_where(&all);
        let intent = match () {
            () if address.is_some() || phrase.is_some() => Intent::Specific,
            () if explores => Intent::Exploratory,
            () if is_named => Intent::Specific,
            () => Intent::Vague,
        };
        let says_more = |at: usize| {
            let is_advice = ADVICE.contains(&&*all[at]) || ASKED.contains(&&*all[at]);
            let asks = matches!(&*all[at], "official" | "free") || level(&stems[at]).is_some();
            !is_common(&all[at]) && (is_covered[at] || !(asks || intent == Intent::Exploratory && is_advice))
        };
        let telling = match &phrase {
            Some(phrase) => phrase.iter().filter(|it| !is_common(it)).cloned().collect::<Vec<_>>(),
            None => (0..all.len()).filter(|&at| says_more(at)).map(|at| all[at].clone()).collect(),
        };
        let mut question = Self {
            intent,
            phrase,
            address,
            numbered,
            types,
            difficulty,
            official: has(&["official"]),
            free: has(&["free"]),
            words: if telling.is_empty() { all.clone() } else { telling },
            all,
            spelled,
            stems: Vec::new(),
            concepts: Vec::new(),
            domains: Vec::new(),
            categories: Vec::new(),
            languages: Vec::new(),
        };
        question.understand();
        question
    }

    /// Replaces a word, such as one with a typo.
    pub(super) fn replace(&mut self, word: &str, by: &str) {
        for it in self.words.iter_mut().chain(&mut self.all).filter(|it| *it == word) {
            by.clone_into(it);
        }
        self.understand();
    }

    /// Returns whether a word stands for something of the vocabulary, or says what the question is after.
    pub(super) fn knows(word: &str) -> bool {
        TYPES.iter().any(|(it, _)| stem(it) == stem(word)) || keywords::has_word(&stem(word))
    }

    /// Returns whether a stem alone stands for a category or a language, and for no concept.
    pub(super) fn names_a_field(stem: &str) -> bool {
        let alone = [stem.to_owned()];
        let mut labels = keywords::labels(&alone).peekable();
        labels.peek().is_some() && labels.all(|(name, _)| name != "concept")
    }

    /// Returns the question with the concepts of a resource that it names.
    pub(super) fn about(mut self, named: &[String]) -> Self {
        self.concepts = concepts().filter(|it| named.iter().any(|named| named == it)).collect();
        self
    }

    /// Finds out what the words stand for.
    fn understand(&mut self) {
        self.stems = self.words.iter().map(|it| stem(it)).collect();
        let all: Vec<String> = self.all.iter().map(|it| stem(it)).collect();
        let labels: Vec<(&str, &'static str)> = keywords::labels(&all).collect();
        let named = |name: &str| {
            let mut all: Vec<&'static str> = labels.iter().filter(|it| it.0 == name).map(|it| it.1).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        self.concepts = named("concept");
        self.categories = named("category");
        let languages = named("language");
        self.languages =
            Language::ALL.iter().filter(|it| languages.contains(&it.as_str())).copied().collect();
        // What is for a language belongs to its category, if there is one.
        let of_languages = ["java", "rust"].into_iter().filter(|it| languages.contains(it));
        self.categories.extend(of_languages);
        self.domains = self.concepts.iter().filter_map(|it| domain(it)).collect();
        self.domains.sort_unstable();
        self.domains.dedup();
    }
}

/// Returns the word of the lists that a typo may have meant.
fn known(word: &str) -> Option<&'static str> {
    let all = || ADVICE.iter().copied().chain(LEVELS.iter().map(|it| it.0));
    let is_long = word.chars().count() + 1 >= MIN_TYPO;
    let is_near = |it: &&str| it.len() >= MIN_TYPO && strsim::osa_distance(it, word) == 1;
    if !is_long || all().any(|it| it == word || stem(it) == stem(word)) { None } else { all().find(is_near) }
}

/// Returns the kinds of resources that a question asks for: by a word at its end, or one behind which the subject is named.
fn types(all: &[String], stems: &[String], is_covered: &[bool]) -> Vec<Type> {
    let asks = |at: usize| !is_covered[at] && all.get(at + 1).is_none_or(|next| ABOUT.contains(&&**next));
    let mut types: Vec<Type> = (0..all.len())
        .filter(|&at| asks(at))
        .flat_map(|at| TYPES.iter().filter(move |(word, _)| stem(word) == stems[at]))
        .flat_map(|it| it.1)
        .copied()
        .collect();
    types.sort_unstable();
    types.dedup();
    types
}

/// Returns the address in a word, as addresses are compared; also without `https`, if it has a host and a path.
fn named_address(word: &str) -> Option<String> {
    if word.contains("://") {
        return address(word).ok();
    }
    let (host, path) = word.split_once('/')?;
    let last = host.rsplit_once('.')?.1;
    let is_host = last.len() > 1 && last.bytes().all(|it| it.is_ascii_alphabetic());
    (is_host && !path.is_empty()).then(|| address(&format!("https://{word}")).ok()).flatten()
}

/// Returns the text between the first two quotation marks.
fn quoted(text: &str) -> Option<&str> {
    let mark = |it: char| matches!(it, '"' | '“' | '”' | '„' | '«' | '»');
    let (_, rest) = text.split_once(mark)?;
    rest.split_once(mark).map(|(quoted, _)| quoted).filter(|it| !it.trim().is_empty())
}

/// Returns whether a question asks where something is, or what something says.
fn is_where(all: &[String]) -> bool {
    let begins = |wanted: [&str; 2]| all.len() > 2 && all[0] == wanted[0] && all[1] == wanted[1];
    begins(["where", "is"]) || begins(["what", "does"]) || begins(["where", "are"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intent_follows_from_the_words() {
        for (text, intent) in [
            ("\"how to learn\"", Intent::Specific),
            ("https://example.com/start", Intent::Specific),
            ("doc.rust-lang.org/book", Intent::Specific),
            ("docs for axum", Intent::Specific),
            ("papers on consensus", Intent::Specific),
            ("RFC9110", Intent::Specific),
            ("where is the book of Rust", Intent::Specific),
            ("docs for learning", Intent::Exploratory),
            ("where do I start", Intent::Exploratory),
            ("what should we read about locks", Intent::Exploratory),
            ("I am a total beginer in rust", Intent::Exploratory),
            ("recomend a book", Intent::Exploratory),
            ("http 2", Intent::Vague),
            ("HTTP 404", Intent::Vague),
            ("read repair", Intent::Vague),
            ("MCP tool calls", Intent::Vague),
            ("reference counting in Rust", Intent::Vague),
            ("video streaming protocol", Intent::Vague),
            ("machine learning", Intent::Vague),
            ("best effort delivery", Intent::Vague),
            ("start transaction isolation", Intent::Vague),
            ("Simple Network Management Protocol", Intent::Vague),
            ("", Intent::Vague),
        ] {
            assert_eq!(Question::new(text).intent, intent, "{text}");
        }
    }

    #[test]
    fn words_of_several_stand_for_what_they_say_together() {
        let lock_free = Question::new("lock-free queues");
        assert!(!lock_free.free && lock_free.concepts.contains(&"memory-model"), "{lock_free:?}");
        assert_eq!(Question::new("machine learning").words, ["machine", "learning"]);
        assert_eq!(Question::new("rest of the book").concepts, Vec::<&str>::new());
    }

    #[test]
    fn words_that_say_what_is_wanted_are_no_words_of_the_subject() {
        let question = Question::new("Recommend a free beginner book about async Rust");
        assert_eq!(question.words, ["book", "async", "rust"]);
        assert_eq!((question.free, question.difficulty), (true, Some(Difficulty::Beginner)));
        assert_eq!((question.types, question.languages), (vec![Type::Book], vec![Language::Rust]));
        assert_eq!((question.concepts, question.domains), (vec!["async"], vec!["languages"]));
        assert_eq!(Question::new("how to").words, ["how", "to"], "a question of common words keeps them");
    }
}
