//! `plainwire tokens`: counts the tokens that the tools of a server cost a model.
//!
//! In: the command line. Out: a table, JSON or the tools as text on stdout; an error on stderr if the budget
//! is exceeded. `plainwire_inspect` counts. A `~` marks an estimate.

use plainwire_inspect::Entry;
use plainwire_inspect::tokens::{Change, Difference, Report, Seen, Tokenizer, differences, render};
use serde_json::json;

use crate::args::{Ask, By, Tokens};
use crate::connect::with_client;
use crate::exit::{Exit, Failure, ServerChoice};
use crate::output::{self, Column};
use crate::{tools, visible};

/// Runs `plainwire tokens`: prints the token counts of the tools of a server.
pub(crate) async fn run(it: Tokens) -> Result<Exit, Failure> {
    let tokenizer = Tokenizer::best();
    let before = match &it.against {
        Some(command) => {
            // `--trace` traces one server only: a second one would overwrite its file.
            let choice = ServerChoice { command: words(command)?, ..ServerChoice::default() };
            let ask = Ask { trace: None, choice, ..it.ask.clone() };
            let entries = entries(&ask, &it).await.map_err(|failure| Failure {
                text: format!("the server of --against: {}", failure.text),
                hint: failure.hint.map(|hint| hint.replace("after `--`", "of `--against`")),
                ..failure
            })?;
            Some(Report::of(&entries, tokenizer))
        }
        None => None,
    };
    let entries = entries(&it.ask, &it).await?;
    let report = Report::of(&entries, tokenizer);
    if it.render {
        render(&entries).lines().try_for_each(|line| output::line(&visible::line(line)))?;
    } else if it.ask.json.is_some() {
        json(&it, &report, before.as_ref())?;
    } else if let Some(before) = &before {
        show_differences(before, &report)?;
    } else {
        show(&it, &report)?;
    }
    let hint = match it.against {
        Some(_) => "the table shows how many tokens each tool has",
        None => "`--by field` shows where they are",
    };
    check_budget(it.budget, &report, hint)
}

async fn entries(ask: &Ask, it: &Tokens) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    with_client(ask, async |client| {
        entries = tools::tools(client, it.filter.as_deref()).await?;
        Ok(Exit::Done)
    })
    .await?;
    Ok(entries)
}

/// Splits a command as a shell would, without expanding anything.
fn words(command: &str) -> Result<Vec<std::ffi::OsString>, Failure> {
    let wrong =
        |form: &str| Failure::usage(format!("expected --against='COMMAND' {form}, but found {command:?}"));
    let words = shlex::split(command).ok_or_else(|| wrong("with closed quotes"))?;
    if words.is_empty() {
        return Err(wrong("with a command"));
    }
    Ok(words.into_iter().map(Into::into).collect())
}

fn json(it: &Tokens, report: &Report, before: Option<&Report>) -> Result<(), Failure> {
    let mut value = serde_json::to_value(report).map_err(std::io::Error::other)?;
    if let Some(turns) = it.turns {
        value["turns"] = json!(turns);
        value["totalInTurns"] = json!(in_turns(report, turns));
    }
    if let Some(before) = before {
        value["against"] = json!({ "total": before.total, "tools": differences(before, report) });
    }
    Ok(output::json(&value)?)
}

fn show(it: &Tokens, report: &Report) -> Result<(), Failure> {
    let mut rows = vec![["tokens", "bytes", "tool"].map(String::from)];
    for tool in &report.tools {
        let name = visible::short_line(&tool.name, MAX_CHARS);
        rows.push([tokens(report, tool.total), grouped(tool.bytes), name]);
        if it.by == By::Field {
            rows.extend(tool.fields.iter().map(|field| {
                let count = if field.seen == Seen::Never { "-".into() } else { tokens(report, field.tokens) };
                let mark = if field.seen == Seen::Seldom { " (not in the sum)" } else { "" };
                let name = visible::short_line(&field.name, MAX_CHARS);
                [count, grouped(field.bytes), format!("  {name}{mark}")]
            }));
        }
    }
    let all = output::counted(report.tools.len(), "tool");
    rows.push([tokens(report, report.total), grouped(report.bytes), format!("= {all}")]);
    output::table(&rows, [Column::Right, Column::Right, Column::Left])?;
    if report.output_schemas > 0 {
        let count = tokens(report, report.output_schemas);
        output::line(&format!("\n{count} more in output schemas, which most hosts do not show to a model"))?;
    }
    if let Some(turns) = it.turns {
        let count = mark(report, in_turns(report, turns));
        output::line(&format!("\n{count} tokens in {turns} turns: the tools are sent on every turn"))?;
    }
    Ok(())
}

fn show_differences(before: &Report, now: &Report) -> Result<(), Failure> {
    let mut rows = vec![["before", "now", "change", "tool"].map(String::from)];
    let row = |it: &Difference| {
        let change = match it.change {
            Change::Added => "added",
            Change::Changed => "changed",
            Change::Removed => "removed",
        };
        let name = visible::short_line(&it.name, MAX_CHARS);
        let fields = it.fields.join(", ");
        let what = if fields.is_empty() {
            name
        } else {
            format!("{name}: {}", visible::short_line(&fields, MAX_CHARS))
        };
        [tokens(now, it.before), tokens(now, it.now), change.into(), what]
    };
    rows.extend(differences(before, now).iter().map(row));
    let sum = format!("= {} before, {} now", output::counted(before.tools.len(), "tool"), now.tools.len());
    rows.push([tokens(now, before.total), tokens(now, now.total), signed(before.total, now.total), sum]);
    output::table(&rows, [Column::Right, Column::Right, Column::Left, Column::Left])?;
    Ok(())
}

/// Fails if the tools have more tokens than the budget.
fn check_budget(budget: Option<usize>, report: &Report, hint: &str) -> Result<Exit, Failure> {
    match budget {
        Some(budget) if report.total > budget => {
            let (budget, total) = (grouped(budget), tokens(report, report.total));
            let text =
                format!("expected at most {budget} tokens in the tools of the server, but found {total}");
            Err(Failure::check_failed(text, hint))
        }
        _ => Ok(Exit::Done),
    }
}

fn in_turns(report: &Report, turns: u32) -> usize {
    report.in_turns(usize::try_from(turns).unwrap_or(usize::MAX))
}

fn tokens(report: &Report, count: usize) -> String {
    if count == 0 { "0".into() } else { mark(report, count) }
}

fn mark(report: &Report, count: usize) -> String {
    let mark = if report.tokenizer.is_exact() { "" } else { "~" };
    format!("{mark}{}", grouped(count))
}

fn signed(before: usize, now: usize) -> String {
    let sign = if now < before { '-' } else { '+' };
    format!("{sign}{}", grouped(now.abs_diff(before)))
}

/// Returns a number with commas between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The maximal number of characters of a name in a table.
const MAX_CHARS: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_numbers_so_that_they_can_be_read() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(
            (signed(1, 1_001), signed(5, 3), signed(2, 2)),
            ("+1,000".into(), "-2".into(), "+0".into())
        );
    }
}
