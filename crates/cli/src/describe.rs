//! `plainwire describe`: shows everything about one tool.
//!
//! In: the command line. Out: the signature, the description as a model reads it, the parameters, the hints, the
//! cost and a call to paste. With `--json`, the entry as the server sent it.

use std::fmt::Write as _;

use clap::ValueEnum as _;
use plainwire::Client;
use plainwire::proto::cursor::List;
use plainwire_inspect::tokens::{Report, Tokenizer};
use plainwire_inspect::{Entry, Kind, Shape, signature};
use serde_json::Value;

use crate::args::{Ask, Describe, Era};
use crate::arguments::{assignment, shown};
use crate::connect::with_client;
use crate::exit::{Exit, Failure, ServerChoice};
use crate::quote::quoted;
use crate::{meant, output, visible};

/// Runs `plainwire describe`.
pub(crate) async fn run(it: Describe) -> Result<Exit, Failure> {
    with_client(&it.ask, async |client| on(client, &it, &it.ask.choice).await).await
}

/// Describes a tool of a connected server. The example of a call names the server as `choice` does.
pub(crate) async fn on(client: &Client, it: &Describe, choice: &ServerChoice) -> Result<Exit, Failure> {
    let raw = match client.hello().capabilities.has("tools") {
        true => client.list_raw(List::Tools).await?,
        false => Vec::new(),
    };
    let Some(found) = raw.iter().find(|raw| Entry::read(raw.get()).name() == it.name) else {
        return Err(Failure {
            hint: meant::by(client, List::Tools, &it.name).await.hint(),
            ..Failure::refused(format!("expected a tool of this server, but found {:?}", it.name))
        });
    };
    if it.ask.json.is_some() {
        output::json(found)?;
    } else {
        show(&Entry::read(found.get()), &it.ask, choice)?;
    }
    Ok(Exit::Done)
}

fn show(tool: &Entry, ask: &Ask, choice: &ServerChoice) -> Result<(), Failure> {
    output::wrapped("", "    ", &visible::line(&signature(tool)))?;
    let title = tool.members().find_map(|(name, value)| value.as_str().filter(|_| name == "title"));
    if let Some(title) = title {
        output::wrapped("title: ", "    ", &visible::short_line(title, MAX_CHARS))?;
    }
    if let Some(text) = tool.description() {
        output::line("")?;
        text.trim().lines().try_for_each(|part| output::wrapped("", "", part))?;
    }
    let (nothing, mut left) = (Value::Null, MAX_MEMBERS);
    let root = tool.input_schema().unwrap_or(&nothing);
    let parameters: Vec<(&str, &Value, bool)> = tool.parameters().collect();
    if !parameters.is_empty() {
        output::line("\nparameters:")?;
    }
    for (name, schema, is_required) in &parameters {
        let shape = Shape::of(schema, root);
        output::wrapped("  ", "      ", &visible::line(&headline((name, schema, *is_required), &shape)))?;
        if let Some(text) = schema.get("description").and_then(Value::as_str) {
            text.trim().lines().try_for_each(|part| output::wrapped("      ", "      ", part))?;
        }
        members(&shape, "      ", &mut left)?;
    }
    output::line("")?;
    if let Some(schema) = tool.output_schema() {
        let shape = Shape::of(schema, schema);
        output::wrapped("returns: ", "    ", &visible::line(&shape.to_string()))?;
        members(&shape, "    ", &mut left)?;
    }
    let hints = hints(tool);
    output::wrapped("hints: ", "    ", if hints.is_empty() { "none" } else { &hints })?;
    let cost = Report::of(std::slice::from_ref(tool), Tokenizer::Estimate).total;
    let cost = output::counted(cost, "token");
    output::line(&format!("cost: about {cost} on every turn of a model"))?;
    // For each fitted example, the whole schema is read.
    let mut left = if root.to_string().len() <= MAX_SCHEMA { MAX_FITTED } else { 0 };
    let mut values = serde_json::Map::new();
    for (name, schema, _) in parameters.iter().filter(|(.., is_required)| *is_required) {
        values.insert((*name).to_owned(), value(schema, root, &mut left));
    }
    let words = values.iter().map(|(name, value)| assigned(name, value)).collect::<Option<Vec<_>>>();
    let words = words.unwrap_or_else(|| vec![format!("--json={}", Value::Object(values))]);
    let words = words.iter().map(|word| quoted(word)).collect();
    let line = [
        vec!["plainwire call".to_owned(), quoted(tool.name())],
        words,
        options(ask, choice),
        vec![server(choice)],
    ];
    let line = line.concat();
    output::line(&format!("\n{}", visible::line(&line.join(" "))))?;
    Ok(())
}

/// The maximal number of members of objects that are shown. A schema whose objects contain themselves has no end.
const MAX_MEMBERS: usize = 200;

/// The maximal number of parameters whose examples are fitted to their bounds.
const MAX_FITTED: usize = 50;

/// The maximal number of bytes in the schema of a tool whose examples are fitted.
const MAX_SCHEMA: usize = 64 << 10;

/// The maximal number of values in an example.
const MAX_VALUES: usize = 100;

/// The maximal number of characters of a member, of its description, and of a value in an example.
const MAX_CHARS: usize = 300;

/// Returns the name, type and bounds of a parameter or a member.
fn headline((name, schema, is_required): (&str, &Value, bool), shape: &Shape<'_>) -> String {
    let need = if is_required { "required" } else { "optional" };
    format!("{name}: {shape}, {need}{}", bounds(schema))
}

/// Prints the members of an object, or of the objects in a list, and their members. `left` is how many may still be
/// printed.
fn members(shape: &Shape<'_>, indent: &str, left: &mut usize) -> Result<(), Failure> {
    let items = shape.items();
    let shape = items.as_ref().unwrap_or(shape);
    let below = format!("{indent}    ");
    for (value, text) in shape.described_values() {
        if !has_room(left, indent)? {
            return Ok(());
        }
        let line = format!("{}: {}", shown(value), text.trim());
        output::wrapped(indent, &below, &visible::short_line(&line, MAX_CHARS))?;
    }
    let forms = shape.forms();
    for (n, (form, text)) in forms.iter().enumerate() {
        if !has_room(left, indent)? {
            return Ok(());
        }
        let word = if n == 0 { "either" } else { "or" };
        let line = text.map_or_else(|| format!("{word}:"), |text| format!("{word}: {}", text.trim()));
        output::wrapped(indent, &below, &visible::short_line(&line, MAX_CHARS))?;
        members(form, &below, left)?;
    }
    for member in if forms.is_empty() { shape.properties() } else { Vec::new() } {
        let Some(inner) = shape.member(member.0) else { continue };
        if !has_room(left, indent)? {
            return Ok(());
        }
        output::wrapped(indent, &below, &visible::short_line(&headline(member, &inner), MAX_CHARS))?;
        if let Some(text) = member.1.get("description").and_then(Value::as_str) {
            output::wrapped(&below, &below, &visible::short_line(text.trim(), MAX_CHARS))?;
        }
        members(&inner, &below, left)?;
    }
    Ok(())
}

/// Takes room for one more line of members. Prints once that there are more, when the room is used up.
fn has_room(left: &mut usize, indent: &str) -> Result<bool, Failure> {
    let had_any = *left > 0;
    *left = left.saturating_sub(1);
    if had_any && *left == 0 {
        output::line(&format!("{indent}… (more members)"))?;
    }
    Ok(*left > 0)
}

/// Returns the bounds and the default of a parameter, each after a comma.
fn bounds(schema: &Value) -> String {
    let mut text = String::new();
    for (keyword, said, unit) in [
        ("default", "default", ""),
        ("minimum", "at least", ""),
        ("exclusiveMinimum", "more than", ""),
        ("maximum", "at most", ""),
        ("exclusiveMaximum", "less than", ""),
        ("multipleOf", "a multiple of", ""),
        ("minLength", "at least", " characters"),
        ("maxLength", "at most", " characters"),
        ("minItems", "at least", " elements"),
        ("maxItems", "at most", " elements"),
        ("pattern", "pattern", ""),
        ("format", "format", ""),
    ] {
        if let Some(value) = schema.get(keyword).filter(|it| !it.is_null()) {
            // 1 character, 1 element.
            let unit = if value == 1 { unit.strip_suffix('s').unwrap_or(unit) } else { unit };
            let _ = write!(text, ", {said} {value}{unit}");
        }
    }
    text
}

/// Returns the hints of a tool in the words of this command.
fn hints(tool: &Entry) -> String {
    let annotations = tool.members().find(|(name, _)| *name == "annotations").map(|(_, value)| value);
    let words = [
        ("readOnlyHint", "changes nothing", "changes something"),
        ("destructiveHint", "may destroy something", "destroys nothing"),
        ("idempotentHint", "a second call does no more", "a second call may do more"),
        ("openWorldHint", "reaches other systems", "reaches no other systems"),
    ];
    let said = words.into_iter().filter_map(|(name, yes, no)| {
        let is_so = annotations?.get(name)?.as_bool()?;
        Some(if is_so { yes } else { no })
    });
    said.collect::<Vec<_>>().join(", ")
}

/// Returns a value for a parameter, if possible one that its schema allows.
fn value(schema: &Value, root: &Value, left: &mut usize) -> Value {
    let value = example(&Shape::of(schema, root), schema, &mut { MAX_VALUES });
    let fitting = if *left > 0 { plainwire::schema::example(value.clone(), schema, root) } else { None };
    *left = left.saturating_sub(1);
    fitting.unwrap_or(value)
}

/// Returns the word that sets a parameter. A list with one element is written as the element.
fn assigned(name: &str, value: &Value) -> Option<String> {
    let word = assignment(name, value)?;
    let single = match value.as_array().map(Vec::as_slice) {
        Some([one]) if !one.is_array() && !one.is_object() => assignment(name, one),
        _ => None,
    };
    Some(single.filter(|it| !it.contains(":=")).unwrap_or(word))
}

/// Returns a value that the schema allows, with the members that it requires. `left` is how many values it may still have.
fn example(shape: &Shape<'_>, schema: &Value, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    let named = schema.get("examples").and_then(|it| it.get(0)).or(schema.get("default"));
    let listed = named.or(shape.values().next()).filter(|it| !it.is_null());
    if let Some(value) = listed.filter(|it| it.to_string().len() <= MAX_CHARS) {
        return value.clone();
    }
    let number = || ["minimum", "maximum"].iter().find_map(|it| schema.get(it)).cloned();
    match () {
        () if shape.allows(Kind::String) => "text".into(),
        () if shape.allows(Kind::Integer) || shape.allows(Kind::Number) => number().unwrap_or(1.into()),
        () if shape.allows(Kind::Boolean) => true.into(),
        () if shape.allows(Kind::Array) => {
            let items = shape.items().filter(|_| *left > 0);
            Value::Array(items.iter().map(|items| example(items, &Value::Null, left)).collect())
        }
        () if shape.allows(Kind::Object) => {
            let mut members = serde_json::Map::new();
            for (name, schema, _) in shape.properties().into_iter().filter(|(.., is_required)| *is_required) {
                if let Some(inner) = shape.member(name).filter(|_| *left > 0) {
                    members.insert(name.to_owned(), example(&inner, schema, left));
                }
            }
            Value::Object(members)
        }
        () => "text".into(),
    }
}

/// Returns the options of the connection, as on the command line. Those that may hold a secret are left out: headers, and
/// the values of variables.
fn options(ask: &Ask, choice: &ServerChoice) -> Vec<String> {
    let era = ask.era.to_possible_value().filter(|_| !matches!(ask.era, Era::Auto));
    let era = era.map(|era| format!("--era {}", era.get_name()));
    let era = ask.revision.map(|it| format!("--revision {}", it.as_str())).or(era);
    let bearer = choice.bearer_env.as_ref().map(|name| format!("--bearer-env {}", quoted(name)));
    let token =
        choice.token_file.as_ref().map(|file| format!("--token-file {}", quoted(&file.to_string_lossy())));
    let names = choice.env.iter().map(|it| it.split('=').next().unwrap_or_default());
    let names = names.map(|name| format!("--env {}", quoted(name)));
    era.into_iter().chain(bearer).chain(token).chain(names).collect()
}

/// Returns the words that name the server, as on the command line.
fn server(choice: &ServerChoice) -> String {
    match (&choice.url, &choice.server) {
        (Some(url), _) => format!("--url {}", quoted(url)),
        (_, Some(name)) => {
            let config =
                choice.config.as_ref().map(|it| format!(" --config {}", quoted(&it.to_string_lossy())));
            format!("--server {}{}", quoted(name), config.unwrap_or_default())
        }
        _ => {
            let words = choice.command.iter().map(|it| quoted(&it.to_string_lossy()));
            format!("-- {}", words.collect::<Vec<_>>().join(" "))
        }
    }
}
