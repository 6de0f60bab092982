//! `plainwire lint`: reports tools of a server that models and clients will have trouble with.
//!
//! In: the command line. Out: findings on stdout, tool by tool or as JSON, and an exit code.
//! `plainwire_inspect` has the rules.

use plainwire_inspect::lint::{Client, Finding, Severity, check};
use serde_json::json;

use crate::args::{Deny, Lint};
use crate::connect::with_client;
use crate::exit::{Exit, Failure};
use crate::{output, tools, visible};

/// Runs `plainwire lint`: prints the findings about the tools of a server.
pub(crate) async fn run(it: Lint) -> Result<Exit, Failure> {
    with_client(&it.ask, async |client| {
        let entries = tools::tools(client, it.filter.as_deref()).await?;
        let findings: Vec<Finding> =
            check(&entries).into_iter().filter(|found| is_wanted(&it, found)).collect();
        if it.ask.json.is_some() {
            json(&findings, entries.len())?;
        } else {
            show(&findings, entries.len())?;
        }
        let denied = Deny::severity(it.deny);
        Ok(if findings.iter().any(|it| it.severity >= denied) { Exit::CheckFailed } else { Exit::Done })
    })
    .await
}

fn is_wanted(it: &Lint, found: &Finding) -> bool {
    let concerns = it.client.is_empty() || it.client.iter().any(|client| found.concerns(*client));
    concerns && !it.allow.iter().any(|rule| rule == found.rule)
}

fn json(findings: &[Finding], tools: usize) -> Result<(), Failure> {
    let count = |severity| count(findings, severity);
    Ok(output::json(&json!({
        "tools": tools,
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "notes": count(Severity::Note),
        "findings": findings,
    }))?)
}

fn show(findings: &[Finding], tools: usize) -> Result<(), Failure> {
    // Findings are in the order of the tools. So the findings of two tools with one name are shown as those
    // of one tool, unless findings of another tool are between them.
    for of_one in findings.chunk_by(|a, b| a.tool == b.tool) {
        let name = of_one.first().map_or("", |it| &it.tool);
        let name = if name.is_empty() { "(no name)" } else { name };
        output::line(&visible::short_line(name, MAX_CHARS))?;
        of_one.iter().try_for_each(finding)?;
        output::line("")?;
    }
    let shown = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| output::counted(count(findings, severity), severity.name()))
        .join(", ");
    output::line(&format!("{shown} in {}", output::counted(tools, "tool")))?;
    // Schemas that are derived from types are changed by a setting, and not by hand.
    let is_adapted = |it: &Finding| {
        let has_preset = it.clients.contains(&Client::Gemini) || it.clients.contains(&Client::Openai);
        has_preset && it.place.starts_with("inputSchema")
    };
    if findings.iter().any(is_adapted) {
        output::line(
            "\na server made with Plainwire adapts its schemas to Gemini or OpenAI: `Server::schema_preset`",
        )?;
    }
    Ok(())
}

fn finding(it: &Finding) -> std::io::Result<()> {
    let clients: Vec<_> = it.clients.iter().copied().map(Client::name).collect();
    let clients = if clients.is_empty() { String::new() } else { format!(" ({})", clients.join(", ")) };
    let place = visible::short_line(&it.place, MAX_CHARS);
    output::line(&format!("  {} {}{clients} in {place}", it.severity.name(), it.rule))?;
    output::line(&format!("      {}", visible::line(&it.message)))?;
    output::line(&format!("      hint: {}", it.hint))
}

fn count(findings: &[Finding], severity: Severity) -> usize {
    findings.iter().filter(|it| it.severity == severity).count()
}

/// The maximal number of characters of a name or a position that are shown.
const MAX_CHARS: usize = 200;
