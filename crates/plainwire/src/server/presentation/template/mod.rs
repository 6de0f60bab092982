//! Templates: the Markdown of one kind of value, in an order and with words of its own.
//!
//! In: templates in the language of Jinja, and values. Out: blocks of Markdown. A template gets the value and nothing else, so
//! what a reader sees is in the data. Its values are escaped by the rules of [`super::markdown`].

use std::collections::BTreeSet;
use std::fmt;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value as Part};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior};
use plainwire_proto::model::RawJson;
use serde_json::Value;

use super::markdown;
use super::tree::Tree;

mod sample;

/// The sign before and behind the priority with which a block begins. In a value, it is shown as another sign.
const SEPARATOR: char = '\u{1e}';

/// The compiled templates of a presentation, by kind.
#[derive(Clone)]
pub(super) struct Templates {
    environment: Environment<'static>,
    /// The first mistake in the source of a template.
    problem: Option<String>,
}

impl fmt::Debug for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.environment.templates().map(|(kind, _)| kind)).finish()
    }
}

impl Default for Templates {
    fn default() -> Self {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown".into()));
        environment.set_formatter(write);
        // `write` refuses to print what is absent. A loop over it has no rounds, and `if` takes it as false.
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
            environment.set_syntax(syntax);
        }
        environment.add_function("block", block);
        environment.add_function("marker", marker);
        environment.add_filter("cell", cell);
        environment.add_filter("code", code);
        environment.add_filter("heading", heading);
        environment.add_filter("quote", quote);
        environment.add_filter("span", span);
        environment.add_filter("text", text);
        Self { environment, problem: None }
    }
}

impl Templates {
    pub(super) fn add(&mut self, kind: &str, source: &str) {
        let is_second = self.environment.get_template(kind).is_ok();
        let added = self.environment.add_template_owned(kind.to_owned(), source.to_owned());
        let problem = match added {
            _ if is_second => Some(format!("expected one template for `{kind}`, but found two")),
            Err(error) => Some(format!("the template for `{kind}`: {}", sentence(&error))),
            Ok(()) => None,
        };
        self.problem = self.problem.take().or(problem);
    }

    /// Renders the value of a kind; `None` without a template for it. Each block has its priority, from 0 to 1.
    pub(super) fn render(&self, value: &Tree) -> Option<Result<Vec<(f64, String)>, String>> {
        let kind = value.member("kind")?.text()?;
        let template = self.environment.get_template(kind).ok()?;
        let rendered = template.render(Part::from(Serde(value)));
        Some(rendered.map(|text| blocks(&text)).map_err(|error| sentence(&error)))
    }

    /// Returns the first mistake, held against the output schemas of the tools: a template that can't be read, or that names
    /// a member which its kind does not have or may lack.
    pub(super) fn problem<'s>(&self, schemas: impl Iterator<Item = &'s RawJson>) -> Option<String> {
        if self.problem.is_some() {
            return self.problem.clone();
        }
        let schemas: Vec<Value> = schemas.filter_map(|it| serde_json::from_str(it.get()).ok()).collect();
        let globals: BTreeSet<&str> = self.environment.globals().map(|(name, _)| name).collect();
        self.environment.templates().find_map(|(kind, template)| {
            let found = schemas.iter().find_map(|root| Some((sample::of_kind(root, kind)?, root)));
            let Some((schema, root)) = found else {
                return Some(format!(
                    "the template for `{kind}`: no tool has this kind in its output schema"
                ));
            };
            let outcome = sample::try_out(&template, schema, root, &globals);
            outcome.err().map(|why| format!("the template for `{kind}`: {why}"))
        })
    }
}

/// Splits rendered text into its blocks. Empty ones are left out, and so are empty lines at their ends but for one.
fn blocks(text: &str) -> Vec<(f64, String)> {
    let mut parts = text.split(SEPARATOR);
    let mut all = vec![(1.0, parts.next().unwrap_or_default())];
    while let (Some(priority), Some(text)) = (parts.next(), parts.next()) {
        all.push((priority.parse().unwrap_or(1.0), text));
    }
    let tidy = |text: &str| {
        let inner = text.trim_matches('\n');
        let first = if text.starts_with('\n') { "\n" } else { "" };
        let last = if text.ends_with('\n') { "\n" } else { "" };
        format!("{first}{inner}{last}")
    };
    all.into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(priority, text)| (priority, tidy(text)))
        .collect()
}

/// Returns the mistake in one line, with its place in the template.
fn sentence(error: &Error) -> String {
    let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
    format!("{line}{}", error.detail().map_or_else(|| error.kind().to_string(), str::to_owned))
}

/// Writes the value of an expression, escaped unless it is Markdown already.
fn write(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Part) -> Result<(), Error> {
    if value.is_undefined() {
        return Err(Error::new(ErrorKind::UndefinedError, "expected a value, but found none"));
    }
    match value.as_str().filter(|_| value.is_safe()) {
        Some(markdown) => out.write_str(markdown),
        None => out.write_str(&in_line(value)?),
    }
    .map_err(Error::from)
}

fn in_line(value: &Part) -> Result<String, Error> {
    let tree = tree(value)?;
    markdown::in_line(&tree).ok_or_else(|| {
        let hint =
            "expected a value that fits into a line, but found one that needs `text`, `code` or a loop";
        Error::new(ErrorKind::InvalidOperation, hint)
    })
}

fn tree(value: &Part) -> Result<Tree, Error> {
    let json = serde_json::to_string(value);
    let tree = json.and_then(|json| serde_json::from_str(&json));
    tree.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

fn safe(markdown: String) -> Part {
    Part::from_safe_string(markdown.trim_end_matches('\n').to_owned())
}

/// `{{ block() }}` begins the next block, `{{ block(0.5) }}` with a priority.
fn block(priority: Option<f64>) -> Part {
    let priority = priority.unwrap_or(1.0).clamp(0.0, 1.0);
    Part::from_safe_string(format!("{SEPARATOR}{priority}{SEPARATOR}"))
}

/// `{{ marker("card:v1") }}` writes the comment `<!-- kind:card:v1 -->`.
fn marker(name: &str) -> Result<Part, Error> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || ":-_.".contains(it);
    if name.is_empty() || name.contains("--") || !name.chars().all(is_name) {
        let message = format!("expected a marker of letters, digits, `:` and `-`, but found {name:?}");
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    Ok(Part::from_safe_string(format!("<!-- kind:{name} -->")))
}

/// `| {{ value | cell }} |` writes a cell of a table.
fn cell(value: &Part) -> Result<Part, Error> {
    let text = markdown::in_cell(&tree(value)?);
    text.map(safe)
        .ok_or_else(|| Error::new(ErrorKind::InvalidOperation, "expected a value that fits into a cell"))
}

/// `{{ text | span }}` writes code within a line.
fn span(text: &str) -> Part {
    safe(markdown::span(text))
}

/// `{{ text | code("rust") }}` writes a block of code.
fn code(text: &str, language: Option<&str>) -> Part {
    safe(markdown::block(&shown(text), Some(language.unwrap_or_default())))
}

/// `# {{ text | heading }}` writes the text of a heading.
fn heading(text: &str) -> Part {
    safe(markdown::heading(text))
}

/// `{{ text | quote }}` writes Markdown of others as a quotation.
fn quote(text: &str) -> Part {
    safe(markdown::block(&shown(text), Some("markdown")))
}

/// `{{ text | text }}` writes text of several lines.
fn text(text: &str) -> Part {
    safe(markdown::block(&shown(text), None))
}

/// Returns a text in which nothing separates blocks.
fn shown(text: &str) -> String {
    text.replace(SEPARATOR, "\u{241e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(source: &str, json: &str) -> Vec<(f64, String)> {
        let mut templates = Templates::default();
        templates.add("a:v1", source);
        let tree: Tree = serde_json::from_str(json).expect("JSON");
        templates.render(&tree).expect("a template").expect("text")
    }

    #[test]
    fn values_are_escaped_and_blocks_have_priorities() {
        let source =
            "# {{ title | heading }}\n{{ block(0.5) }}- {{ note }}\n{{ block(7) }}{{ marker('card:v1') }}";
        let json = r##"{"kind":"a:v1","title":"C #","note":"# <b> [x](y)\u001e"}"##;
        let expected = [
            (1.0, "# C \\#\n".to_owned()),
            (0.5, "- `\"# <b> [x](y)\\u001e\"`\n".to_owned()),
            (1.0, "<!-- kind:card:v1 -->".to_owned()),
        ];
        assert_eq!(render(source, json), expected);
    }

    #[test]
    fn a_text_can_end_neither_its_block_nor_its_fence() {
        let source = "{{ note | code('rust') }}\n\n{{ note | quote }}";
        let json = r##"{"kind":"a:v1","note":"```\n\u001e0\u001e# x"}"##;
        let expected = "````rust\n```\n\u{241e}0\u{241e}# x\n````\n\n> ```\n> \u{241e}0\u{241e}# x";
        assert_eq!(render(source, json), [(1.0, expected.to_owned())]);
    }

    #[test]
    fn a_block_without_text_is_left_out() {
        assert_eq!(render("{{ block() }}\n{{ block() }}x", r#"{"kind":"a:v1"}"#), [(1.0, "x".to_owned())]);
    }
}
