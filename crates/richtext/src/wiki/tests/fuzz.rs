//! Tests of texts that are cut off, broken, or from the corpus: all spans are right. The trees of broken
//! texts and of the corpus are also equal after writing and reading.

use super::{BOTH, read, survives};
use crate::corpus;
use crate::dice::Dice;
use crate::format::Dialect;

/// Returns small texts with every construct, and the small files of the corpus.
fn seeds() -> Vec<String> {
    let own = [
        "h1. *a _b_* {{c}}\n\n* x\n*# y {color:red}z{color}\n\n||h||i||\n|a\\|b|[t|http://x.y|tip]|\n",
        "{panel:title=T}\n|a\n* b {code}x|y{code}|c|\n{panel} -- !a.png|width=3!",
        "{info}{code:java|title=x}\na\n{code}\n{info} [~u] [#a] [^f] (*) :) \\\\ \\* &amp; ??c?? C:\\\\x",
        "bq. q\r\n- a\r\n- b\r\nc\\\\d\r\n\r\n----\r\n{quote}x{quote}",
        "{section}{column:width=30%}a{column}{column}b{column}{section}{status:colour=Green|title=OK} {toc}\n{adf:display=block}{\"type\":\"rule\"}{adf}",
    ];
    let files = corpus::files("wiki", "wiki").into_iter().map(|it| it.1).filter(|it| it.len() < 400);
    own.into_iter().map(str::to_owned).chain(files).collect()
}

#[test]
fn places_hold_for_every_beginning_of_a_text() {
    for seed in seeds() {
        for end in (0..=seed.len()).filter(|it| seed.is_char_boundary(*it)) {
            for dialect in BOTH {
                read(&seed[..end], dialect);
            }
        }
    }
}

#[test]
fn what_is_read_from_a_broken_text_is_written_so_that_it_is_read_again() {
    let mut numbers = Dice(0x2545_f491_4f6c_dd1d);
    let seeds = seeds();
    for round in 0..ROUNDS {
        let seed: Vec<char> = seeds[numbers.below(seeds.len())].chars().collect();
        let mut broken = seed.clone();
        for _ in 0..=numbers.below(6) {
            let at = numbers.below(broken.len());
            match numbers.below(4) {
                0 if !broken.is_empty() => {
                    broken.remove(at);
                }
                1 if !broken.is_empty() => broken.insert(at, broken[at]),
                2 => broken.insert(at, SIGNS[numbers.below(SIGNS.len())]),
                _ => {
                    let end = (at + numbers.below(12)).min(broken.len());
                    let piece = broken[at..end].to_vec();
                    let to = numbers.below(broken.len());
                    broken.splice(to..to, piece);
                }
            }
        }
        let broken: String = broken.into_iter().collect();
        survives(&broken, BOTH[round % 2]);
    }
}

/// The number of broken texts: enough to find rare combinations of neighbours within a few seconds.
const ROUNDS: usize = 6000;

const SIGNS: &[char] = &[
    '*', '_', '-', '+', '^', '~', '?', '{', '}', '[', ']', '(', ')', '|', '!', '#', '\\', '\n', ' ', ':',
    '&', ';', 'a', '\r', '<',
];

#[test]
fn every_file_of_the_corpus_is_read_with_its_places_and_written_again() {
    let mut same = 0;
    let files = corpus::files("wiki", "wiki");
    for (_, source) in &files {
        for dialect in BOTH {
            same += usize::from(survives(source, dialect) == *source && dialect == Dialect::Jira);
        }
    }
    // For comparison: Atlassian's own writer returns 88 of the 234 files unchanged.
    assert!(files.is_empty() || same >= 133, "{same} of {} files were written as they were", files.len());
}
