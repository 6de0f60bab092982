//! The dialogue for a form: field by field, then a review of all answers before they are sent.

use std::sync::atomic::{AtomicBool, Ordering};

use plainwire::proto::form::{Choice, Field, FieldKind, Form};
use serde_json::{Map, Value};

use super::{Leave, MAX_NAME, confirm, until};
use crate::terminal::Terminal;
use crate::visible;

/// The user's decision after the review. A user who declines gives [`Leave::Decline`] instead.
#[derive(Clone, Copy)]
enum Verdict {
    Edit,
    Send,
}

/// Asks the user to fill in a form. Returns the answers, by field name.
pub(super) async fn fill(form: &Form, terminal: &mut Terminal) -> Result<Map<String, Value>, Leave> {
    if form.fields.is_empty() {
        return match confirm(terminal, "yes? [y/N] ").await? {
            true => Ok(Map::new()),
            false => Err(Leave::Decline),
        };
    }
    terminal.say(
        "(an empty line takes the value in brackets; `!decline` declines the question, `!cancel` cancels it)\n",
    );
    if form.fields.iter().any(wants_a_secret) {
        terminal.say(
            "warning: forms must not ask for secrets, and this one seems to: the server sees what is typed\n",
        );
    }
    let mut content = Map::new();
    loop {
        content = enter(form, &content, terminal).await?;
        terminal.say(&review(form, &content));
        match verdict(terminal).await? {
            Verdict::Send => return Ok(content),
            Verdict::Edit => {}
        }
    }
}

/// Asks for each field. `before` has the answers that the user edits.
async fn enter(
    form: &Form,
    before: &Map<String, Value>,
    terminal: &mut Terminal,
) -> Result<Map<String, Value>, Leave> {
    let mut content = Map::new();
    for (n, field) in form.fields.iter().enumerate() {
        terminal.say(&format!("\n({} of {}) {}", n + 1, form.fields.len(), introduce(field)));
        let given = before.get(&field.name);
        let read = |text: &str| match given {
            Some(given) if text.is_empty() => Ok(Some(given.clone())),
            _ => field.read(text),
        };
        if let Some(value) = until(terminal, &prompt(field, given), read).await? {
            content.insert(field.name.clone(), value);
        }
    }
    Ok(content)
}

/// Asks what to do with the answers. A script that ends before this question has given all its answers, so they are sent.
async fn verdict(terminal: &mut Terminal) -> Result<Verdict, Leave> {
    let is_answered = AtomicBool::new(false);
    let sent = until(terminal, "send? [Y/n/edit] ", |text| {
        is_answered.store(true, Ordering::Relaxed);
        match text.to_lowercase().as_str() {
            "" | "y" | "yes" => Ok(Some(Verdict::Send)),
            "e" | "edit" => Ok(Some(Verdict::Edit)),
            "n" | "no" => Ok(None),
            _ => Err(format!("expected yes, no or edit, but found {text:?}")),
        }
    })
    .await;
    match sent {
        Err(Leave::Cancel) if terminal.is_script_at_end() && !is_answered.load(Ordering::Relaxed) => {
            Ok(Verdict::Send)
        }
        sent => sent?.ok_or(Leave::Decline),
    }
}

/// Returns all answers as text for the review.
fn review(form: &Form, content: &Map<String, Value>) -> String {
    let mut text = "\nto be sent:\n".to_owned();
    for field in &form.fields {
        let value = match content.get(&field.name) {
            Some(value) => visible::line(&value.to_string()),
            None => "(left out)".to_owned(),
        };
        text += &format!("  {}: {value}\n", visible::short_line(&field.name, MAX_NAME));
    }
    text
}

/// Returns the title, the type, the description and the choices of a field as text.
fn introduce(field: &Field) -> String {
    let name = visible::short_line(field.title.as_deref().unwrap_or(&field.name), MAX_NAME);
    let optional = match field.required {
        true if field.may_be_none() && field.default_value().is_none() => "; an empty line for none of them",
        true => "",
        false => "; may be left out",
    };
    let mut text = format!("{name}: {}{optional}\n", in_words(&field.kind));
    text += &visible::quoted(field.description.as_deref().unwrap_or_default());
    if let FieldKind::SingleSelect { choices, .. } | FieldKind::MultiSelect { choices, .. } = &field.kind {
        for (n, choice) in choices.iter().enumerate() {
            text += &format!("  {}. {}\n", n + 1, label(choice));
        }
    }
    text
}

fn label(choice: &Choice) -> String {
    let label = visible::short_line(choice.label(), MAX_NAME);
    if choice.label() == choice.value {
        label
    } else {
        format!("{label} ({})", visible::short_line(&choice.value, MAX_NAME))
    }
}

fn in_words(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Boolean { .. } => "yes or no".to_owned(),
        FieldKind::MultiSelect { min_items, max_items, .. } => {
            format!(
                "any of these, with commas between them{}",
                bounds(min_items.as_ref(), max_items.as_ref(), "")
            )
        }
        FieldKind::Number { integer, minimum, maximum, .. } => {
            let number = if *integer { "a whole number" } else { "a number" };
            format!("{number}{}", bounds(minimum.as_ref(), maximum.as_ref(), ""))
        }
        FieldKind::SingleSelect { .. } => "one of these".to_owned(),
        FieldKind::Text { min_length, max_length, format, .. } => {
            let text = format.map_or("text", |it| it.in_words());
            format!(
                "{text}{}",
                bounds(min_length.as_ref(), max_length.as_ref(), " characters")
                    .replace(" 1 characters", " 1 character")
            )
        }
    }
}

fn bounds<T: std::fmt::Display>(least: Option<&T>, most: Option<&T>, unit: &str) -> String {
    match (least, most) {
        (None, None) => String::new(),
        (Some(least), None) => format!(", at least {least}{unit}"),
        (None, Some(most)) => format!(", at most {most}{unit}"),
        (Some(least), Some(most)) => format!(", {least} to {most}{unit}"),
    }
}

/// Returns the prompt of a field, with the earlier answer or else its default in brackets, as the user would type it.
fn prompt(field: &Field, given: Option<&Value>) -> String {
    let default = given.cloned().or_else(|| field.default_value()).map(|value| match value {
        Value::Bool(yes) => if yes { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text,
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    });
    default.map_or_else(|| "> ".to_owned(), |it| format!("[{}] > ", visible::short_line(&it, MAX_NAME)))
}

/// Returns whether the name, the title or the description of a field suggests that it asks for a secret.
///
/// Spec: "Servers MUST NOT use form mode elicitation to request sensitive information".
fn wants_a_secret(field: &Field) -> bool {
    const WORDS: [&str; 6] = ["apikey", "credential", "passphrase", "password", "secret", "token"];
    let texts = [Some(&field.name), field.title.as_ref(), field.description.as_ref()];
    texts.into_iter().flatten().any(|text| {
        let text: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        WORDS.iter().any(|word| text.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(schema: &str) -> Field {
        let form = format!(r#"{{"type":"object","properties":{{"it":{schema}}}}}"#);
        Form::parse(&form).expect("a form").fields.remove(0)
    }

    #[track_caller]
    fn check(schema: &str, introduced: &str, prompted: &str) {
        let field = field(schema);
        assert_eq!((&*introduce(&field), &*prompt(&field, None)), (introduced, prompted));
    }

    #[test]
    fn introduces_each_kind_of_field_in_words() {
        let kind =
            |schema: &str, words: &str| check(schema, &format!("it: {words}; may be left out\n"), "> ");
        kind(r#"{"type":"string"}"#, "text");
        kind(r#"{"type":"string","minLength":1}"#, "text, at least 1 character");
        kind(r#"{"type":"string","maxLength":9,"format":"email"}"#, "an email address, at most 9 characters");
        kind(r#"{"type":"integer","minimum":18,"maximum":120}"#, "a whole number, 18 to 120");
        kind(r#"{"type":"number","minimum":0.5}"#, "a number, at least 0.5");
        kind(r#"{"type":"boolean"}"#, "yes or no");
        check(r#"{"type":"boolean","default":true}"#, "it: yes or no; may be left out\n", "[yes] > ");
        check(r#"{"type":"string","default":"A\u001b"}"#, "it: text; may be left out\n", "[A\\u{1b}] > ");
        check(
            r#"{"type":"string","title":"Colour","description":"Of\nyours","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"g"}]}"#,
            "Colour: one of these; may be left out\n  | Of\n  | yours\n  1. Red (r)\n  2. g\n",
            "> ",
        );
        check(
            r#"{"type":"array","minItems":1,"items":{"enum":["a","b"]},"default":["b","a"]}"#,
            "it: any of these, with commas between them, at least 1; may be left out\n  1. a\n  2. b\n",
            "[b, a] > ",
        );
    }

    #[test]
    fn knows_secrets_by_their_names() {
        for text in ["Password", "api_key", "API key", "Your GitHub token", "client-secret", "Credentials"] {
            let schema = format!(r#"{{"type":"string","title":{text:?}}}"#);
            assert!(wants_a_secret(&field(&schema)), "{text}");
            assert!(wants_a_secret(&field(&schema.replace("title", "description"))), "{text}");
        }
        for text in ["Name", "Key", "Passport number"] {
            let schema = format!(r#"{{"type":"string","title":{text:?}}}"#);
            assert!(!wants_a_secret(&field(&schema)), "{text}");
        }
    }
}
