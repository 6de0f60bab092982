//! `scrape_url` and `read_url`: a page in short, and its whole text.

use plainwire::prelude::*;

use super::Library;
use crate::kinds::{PageSummary, PageText};
use crate::ranking::Question;
use crate::resource::Difficulty;
use crate::words::words;

/// The words that a person reads in a minute.
const WORDS_PER_MINUTE: usize = 230;

/// The largest number of characters of an excerpt.
const MAX_EXCERPT: usize = 500;

/// From this mean length of words on, a text is for experts; of a text with short words less.
const LONG_WORDS: [(f64, Difficulty); 3] =
    [(6.0, Difficulty::Expert), (5.4, Difficulty::Advanced), (4.6, Difficulty::Intermediate)];

/// The page to read.
#[data]
pub(crate) struct UrlArguments {
    /// The address of a page, with `http` or `https`.
    #[length(1..=2000)]
    url: String,
}

pub(crate) async fn scrape_url(
    args: UrlArguments,
    library: State<Library>,
) -> Result<PageSummary, ToolError> {
    let page = library.pages.read(&args.url).await?;
    let (named, found) = (args.url, page.url.clone());
    let known_as =
        library.ask(move |vault| Ok(vault.id_of_address(&named)?.or(vault.id_of_address(&found)?))).await?;
    let words = page.text.split_whitespace().count();
    Ok(PageSummary {
        difficulty: difficulty(&page.title, &page.text),
        excerpt: excerpt(&page.text),
        reading_minutes: words.div_ceil(WORDS_PER_MINUTE).max(1),
        words,
        known_as,
        url: page.url,
        title: page.title,
        description: page.description,
        author: page.author,
        site: page.site,
        language: page.language,
        published: page.published,
        media_type: page.media_type,
    })
}

pub(crate) async fn read_url(args: UrlArguments, library: State<Library>) -> Result<PageText, ToolError> {
    let page = library.pages.read(&args.url).await?;
    Ok(PageText {
        words: page.text.split_whitespace().count(),
        url: page.url,
        title: page.title,
        text: page.text,
    })
}

/// Returns the difficulty that the title names, or else that of the words.
pub(super) fn difficulty(title: &str, text: &str) -> Difficulty {
    if let Some(named) = Question::new(title).difficulty {
        return named;
    }
    let all = words(text);
    let letters: usize = all.iter().map(|it| it.chars().count()).sum();
    let mean = letters as f64 / all.len().max(1) as f64;
    LONG_WORDS.iter().find(|(least, _)| mean >= *least).map_or(Difficulty::Beginner, |it| it.1)
}

fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_EXCERPT) {
        None => line,
        Some((end, _)) => {
            let end = line[..end].rfind(' ').unwrap_or(end);
            format!("{}…", &line[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difficulty_follows_from_the_title_or_the_words() {
        assert_eq!(
            difficulty("Locks for beginners", "Serializability characterizations"),
            Difficulty::Beginner
        );
        assert_eq!(difficulty("Locks", "We can do it if we try to"), Difficulty::Beginner);
        assert_eq!(difficulty("Locks", "Linearizability characterizes implementations"), Difficulty::Expert);
        assert_eq!(difficulty("", ""), Difficulty::Beginner);
    }

    #[test]
    fn an_excerpt_ends_with_a_word() {
        assert_eq!(excerpt(" a\n b "), "a b");
        let long = excerpt(&"wörd ".repeat(300));
        assert!(long.ends_with("wörd…") && long.chars().count() <= MAX_EXCERPT + 1, "{long}");
        assert_eq!(excerpt(&"ö".repeat(600)).chars().count(), MAX_EXCERPT + 1);
    }
}
