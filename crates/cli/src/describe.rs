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
use crate::arguments::shown;
use crate::connect::with_client;
use crate::exit::{Exit, Failure, ServerChoice};
use crate::slips::{self, quoted};
use crate::{output, visible};

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
        let names: Vec<Entry> = raw.iter().map(|raw| Entry::read(raw.get())).collect();
        let near = slips::nearest(&it.name, names.iter().map(Entry::name));
        return Err(Failure {
            hint: Some(match near {
                Some(near) => format!("did you mean {near:?}?"),
                None => "`plainwire list` shows the names".to_owned(),
            }),
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
    if let Some(text) = tool.description() {
        output::line("")?;
        text.trim().lines().try_for_each(|part| output::wrapped("", "", part))?;
    }
    let nothing = Value::Null;
    let root = tool.input_schema().unwrap_or(&nothing);
    let parameters: Vec<(&str, &Value, bool)> = tool.parameters().collect();
    if !parameters.is_empty() {
        output::line("\nparameters:")?;
    }
    for (name, schema, is_required) in &parameters {
        value((name, schema, *is_required), &Shape::of(schema, root), "  ")?;
    }
    output::line("")?;
    if let Some(schema) = tool.output_schema() {
        let shape = Shape::of(schema, schema);
        output::wrapped("returns: ", "    ", &visible::line(&shape.to_string()))?;
        members(&shape, "  ")?;
    }
    let hints = hints(tool);
    output::wrapped("hints: ", "    ", if hints.is_empty() { "none" } else { &hints })?;
    let cost = Report::of(std::slice::from_ref(tool), Tokenizer::Estimate).total;
    output::line(&format!("cost: about {cost} tokens on every turn of a model"))?;
    let words: Vec<String> = parameters
        .iter()
        .filter(|(.., is_required)| *is_required)
        .map(|(name, schema, _)| quoted(&word(name, &Shape::of(schema, root), schema)))
        .collect();
    let line = [
        vec!["plainwire call".to_owned(), quoted(tool.name())],
        words,
        options(ask, choice),
        vec![server(choice)],
    ];
    let line = line.concat();
    output::line(&format!("\n{}", line.join(" ")))?;
    Ok(())
}

/// The depth of members of members that are shown.
const DEPTH: usize = 4;

/// Prints a parameter or a member: its name, type and bounds, its description, and its own members.
fn value(
    (name, schema, is_required): (&str, &Value, bool),
    shape: &Shape<'_>,
    indent: &str,
) -> Result<(), Failure> {
    let need = if is_required { "required" } else { "optional" };
    let below = format!("{indent}    ");
    output::wrapped(indent, &below, &visible::line(&format!("{name}: {shape}, {need}{}", bounds(schema))))?;
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        text.trim().lines().try_for_each(|part| output::wrapped(&below, &below, part))?;
    }
    members(shape, &below)
}

/// Prints the members of an object, or of the objects in a list.
fn members(shape: &Shape<'_>, indent: &str) -> Result<(), Failure> {
    let items = shape.items();
    let shape = items.as_ref().unwrap_or(shape);
    if indent.len() > 4 * DEPTH {
        return Ok(());
    }
    shape.properties().into_iter().try_for_each(|member| match shape.member(member.0) {
        Some(inner) => value(member, &inner, indent),
        None => Ok(()),
    })
}

/// Returns the bounds and the default of a parameter, each after a comma.
fn bounds(schema: &Value) -> String {
    let mut text = String::new();
    for (keyword, said) in [
        ("default", "default"),
        ("minimum", "at least"),
        ("exclusiveMinimum", "more than"),
        ("maximum", "at most"),
        ("exclusiveMaximum", "less than"),
        ("multipleOf", "a multiple of"),
        ("minLength", "characters from"),
        ("maxLength", "characters up to"),
        ("minItems", "elements from"),
        ("maxItems", "elements up to"),
        ("pattern", "pattern"),
        ("format", "format"),
    ] {
        if let Some(value) = schema.get(keyword).filter(|it| !it.is_null()) {
            let _ = write!(text, ", {said} {value}");
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

/// Returns the word that sets a parameter: `key=text`, or `key:=json` for a value with members.
fn word(name: &str, shape: &Shape<'_>, schema: &Value) -> String {
    let is_text = shape.allows(Kind::String) || shape.items().is_some_and(|items| items.allows(Kind::String));
    let has_members = shape.allows(Kind::Object)
        || shape.items().is_some_and(|items| items.allows(Kind::Object) || items.allows(Kind::Array));
    if has_members && !is_text {
        format!("{name}:={}", example_json(shape, DEPTH))
    } else {
        format!("{name}={}", example(shape, schema))
    }
}

/// Returns a value that the schema allows, with the members that it requires.
fn example_json(shape: &Shape<'_>, depth: usize) -> Value {
    if let Some(value) = shape.values().find(|it| !it.is_null()) {
        return value.clone();
    }
    match () {
        () if shape.allows(Kind::String) => "text".into(),
        () if shape.allows(Kind::Integer) || shape.allows(Kind::Number) => 1.into(),
        () if shape.allows(Kind::Boolean) => true.into(),
        () if depth == 0 => Value::Null,
        () if shape.allows(Kind::Array) => {
            shape.items().map(|items| example_json(&items, depth - 1)).into_iter().collect()
        }
        () if shape.allows(Kind::Object) => {
            let required = shape.properties().into_iter().filter(|(.., is_required)| *is_required);
            let example = |name: &str| shape.member(name).map(|it| example_json(&it, depth - 1));
            Value::Object(required.filter_map(|(name, ..)| Some((name.to_owned(), example(name)?))).collect())
        }
        () => "text".into(),
    }
}

/// Returns a text that [`crate::arguments`] converts into a value of the schema.
fn example(shape: &Shape<'_>, schema: &Value) -> String {
    let listed =
        schema.get("examples").and_then(|it| it.get(0)).or(schema.get("default")).or(shape.values().next());
    if let Some(value) = listed.filter(|it| !it.is_null()) {
        return shown(value).into_owned();
    }
    let number = || {
        ["minimum", "maximum"]
            .iter()
            .find_map(|it| schema.get(it))
            .map_or_else(|| "1".to_owned(), Value::to_string)
    };
    match () {
        () if shape.allows(Kind::String) => "text".to_owned(),
        () if shape.allows(Kind::Integer) || shape.allows(Kind::Number) => number(),
        () if shape.allows(Kind::Boolean) => "true".to_owned(),
        () if shape.allows(Kind::Array) => {
            shape.items().map_or_else(|| "text".to_owned(), |items| example(&items, &Value::Null))
        }
        () if shape.allows(Kind::Object) => "{}".to_owned(),
        () => "text".to_owned(),
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
