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
const EXPLORING: [&str; 28] = [
    "advice",
    "basics",
    "begin",
    "beginning",
    "best",
    "better",
    "explore",
    "fundamentals",
    "getting",
    "help",
    "ideas",
    "intro",
    "introduction",
    "introductory",
    "learn",
    "learning",
    "new",
    "overview",
    "recommend",
    "recommendation",
    "recommendations",
    "scratch",
    "start",
    "started",
    "starting",
    "suggest",
    "suggestions",
    "teach",
];

/// Words that ask for advice only beside others: "what should I read", "where do I start".
const READING: [&str; 4] = ["read", "study", "watch", "understand"];

/// Words for kinds of resources, and the kinds that they ask for.
const TYPES: [(&str, &[Type]); 20] = [
    ("article", &[Type::Article]),
    ("book", &[Type::Book]),
    ("books", &[Type::Book]),
    ("course", &[Type::Course]),
    ("courses", &[Type::Course]),
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
const LEVELS: [(&str, Difficulty); 10] = [
    ("advanced", Difficulty::Advanced),
    ("beginner", Difficulty::Beginner),
    ("beginners", Difficulty::Beginner),
    ("deep", Difficulty::Advanced),
    ("easy", Difficulty::Beginner),
    ("expert", Difficulty::Expert),
    ("experts", Difficulty::Expert),
    ("intermediate", Difficulty::Intermediate),
    ("newcomer", Difficulty::Beginner),
    ("simple", Difficulty::Beginner),
];

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
    /// Whether it asks for something official.
    pub official: bool,
    /// Whether it asks for something that costs nothing.
    pub free: bool,
}

impl Question {
    /// Reads a question.
    pub fn new(text: &str) -> Self {
        let address = text.split_whitespace().find(|it| it.contains("://")).and_then(|it| address(it).ok());
        let phrase = quoted(text).map(words).filter(|it| !it.is_empty());
        let all: Vec<String> = words(text).into_iter().take(MAX_WORDS).collect();
        let has = |wanted: &[&str]| all.iter().any(|it| wanted.contains(&&**it));
        let difficulty = LEVELS.iter().find(|(word, _)| all.iter().any(|it| it == word)).map(|it| it.1);
        let named = TYPES.iter().filter(|(word, _)| all.iter().any(|it| it == word));
        let mut types: Vec<Type> = named.flat_map(|it| it.1).copied().collect();
        types.sort_unstable();
        types.dedup();
        let numbered: Vec<(String, String)> = all
            .windows(2)
            .filter(|it| it[0].chars().all(char::is_alphabetic) && it[0].len() > 1 && it[1].len() > 2)
            .filter(|it| it[1].chars().all(char::is_numeric))
            .map(|it| (it[0].clone(), it[1].clone()))
            .collect();
        let asks = has(&["i", "me", "we"]) && has(&READING);
        let explores = has(&EXPLORING) || asks || difficulty == Some(Difficulty::Beginner);
        let is_named = !types.is_empty() || !numbered.is_empty() || has(&["official"]) || is_where(&all);
        let intent = match () {
            () if address.is_some() || phrase.is_some() => Intent::Specific,
            () if explores => Intent::Exploratory,
            () if is_named => Intent::Specific,
            () => Intent::Vague,
        };
        let is_telling = |it: &&String| {
            let is_level = LEVELS.iter().any(|(word, _)| word == it);
            let is_advice = EXPLORING.contains(&&***it) || READING.contains(&&***it);
            let asks = matches!(&***it, "official" | "free");
            !(is_common(it) || is_level || asks || intent == Intent::Exploratory && is_advice)
        };
        let telling = |all: &[String]| all.iter().filter(is_telling).cloned().collect::<Vec<_>>();
        let words = match &phrase {
            Some(phrase) => telling(phrase),
            None => telling(&all),
        };
        let words = if words.is_empty() { all.clone() } else { words };
        let mut question = Self {
            intent,
            phrase,
            address,
            numbered,
            types,
            difficulty,
            official: has(&["official"]),
            free: has(&["free"]),
            words: Vec::new(),
            stems: Vec::new(),
            concepts: Vec::new(),
            domains: Vec::new(),
            categories: Vec::new(),
            languages: Vec::new(),
        };
        question.set_words(words);
        question
    }

    /// Replaces a word, such as one with a typo.
    pub(super) fn replace(&mut self, word: &str, by: &str) {
        let words = self.words.iter().map(|it| if it == word { by.to_owned() } else { it.clone() });
        self.set_words(words.collect());
    }

    /// Returns whether a word stands for something of the vocabulary, or says what the question is after.
    pub(super) fn knows(word: &str) -> bool {
        TYPES.iter().any(|(it, _)| *it == word) || keywords::labels(&[stem(word)]).next().is_some()
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

    fn set_words(&mut self, words: Vec<String>) {
        self.stems = words.iter().map(|it| stem(it)).collect();
        self.words = words;
        let labels: Vec<(&str, &'static str)> = keywords::labels(&self.stems).collect();
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
            ("docs for learning", Intent::Exploratory),
            ("docs for axum", Intent::Specific),
            ("RFC9110", Intent::Specific),
            ("http 2", Intent::Vague),
            ("where do I start", Intent::Exploratory),
            ("what should we read about locks", Intent::Exploratory),
            ("read repair", Intent::Vague),
            ("", Intent::Vague),
        ] {
            assert_eq!(Question::new(text).intent, intent, "{text}");
        }
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
