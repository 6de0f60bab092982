//! Trying out a template before the server starts, with values made from a schema.
//!
//! In: a template, and the schema of its kind. Out: the members that it names and the kind does not have or may lack. Values
//! are made in three ways, so that the template takes its branches: with everything, with what is required only, and with
//! empty lists.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use minijinja::Template;
use minijinja::value::{Enumerator, Object, Serde, Value as Part};
use serde_json::Value;

/// The maximal number of references and values, one inside the other.
const MAX_DEPTH: usize = 12;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    All,
    Required,
    Empty,
}

/// Returns the schema of the values of `kind` in the output schema `root`.
pub(super) fn of_kind<'s>(root: &'s Value, kind: &str) -> Option<&'s Value> {
    let is_kind = |schema: &Value| schema.pointer("/properties/kind/const").is_some_and(|it| it == kind);
    let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|keyword| root.get(keyword)?.as_array());
    let all = std::iter::once(root).chain(alternatives.flatten());
    all.map(|schema| resolve(schema, root)).find(|schema| is_kind(schema))
}

/// Renders the template with values of the schema.
///
/// # Errors
/// A sentence about what it names and the schema does not have.
pub(super) fn try_out(
    template: &Template<'_, '_>,
    schema: &Value,
    root: &Value,
    globals: &BTreeSet<&str>,
) -> Result<(), String> {
    let missing = Arc::default();
    let maker = Maker { globals, missing: Arc::clone(&missing), root };
    let rendered = [Fill::All, Fill::Required, Fill::Empty]
        .map(|fill| template.render(maker.value(schema, fill, "", MAX_DEPTH)).map(drop));
    // Branches that no sample takes: at least the names at the top are those of the schema.
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_known = |name: &String| {
        globals.contains(&**name) || properties.is_some_and(|properties| properties.contains_key(name))
    };
    let mut missing = missing.lock().expect("no panic in a lock").clone();
    missing.extend(template.undeclared_variables(false).into_iter().filter(|it| !is_known(it)));
    if let Some(name) = missing.first() {
        let members = properties.map(|it| it.keys().cloned().collect::<Vec<_>>().join(", "));
        return Err(format!(
            "expected members of the value, but found `{name}`; at its top, the value has {}",
            members.unwrap_or_default()
        ));
    }
    for (outcome, fill) in rendered.into_iter().zip([Fill::All, Fill::Required, Fill::Empty]) {
        outcome.map_err(|error| match fill {
            Fill::All => super::sentence(&error),
            Fill::Required | Fill::Empty => {
                let hint = "a value may lack what is not required, so ask for it with `if`";
                format!("{}; {hint}", super::sentence(&error))
            }
        })?;
    }
    Ok(())
}

fn resolve<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let target =
        schema.get("$ref").and_then(Value::as_str).and_then(|it| root.pointer(it.strip_prefix('#')?));
    target.unwrap_or(schema)
}

struct Maker<'s> {
    globals: &'s BTreeSet<&'s str>,
    missing: Arc<Mutex<BTreeSet<String>>>,
    root: &'s Value,
}

impl Maker<'_> {
    fn value(&self, schema: &Value, fill: Fill, place: &str, left: usize) -> Part {
        let Some(left) = left.checked_sub(1) else { return Part::from("x") };
        let schema = resolve(schema, self.root);
        if let Some(constant) = schema.get("const").or_else(|| schema.get("enum")?.get(0)) {
            return Part::from(Serde(constant));
        }
        let alternatives = ["anyOf", "oneOf"].into_iter().find_map(|keyword| schema.get(keyword)?.as_array());
        if let Some(alternatives) = alternatives {
            let is_null = |it: &&Value| it.get("type").is_some_and(|it| it == "null");
            let chosen = match fill {
                Fill::All => alternatives.iter().find(|it| !is_null(it)),
                _ => alternatives.iter().find(is_null).or(alternatives.first()),
            };
            return chosen.map_or(Part::from(()), |it| self.value(it, fill, place, left));
        }
        match type_of(schema, fill) {
            Some("object") => self.object(schema, fill, place, left),
            Some("array") if fill == Fill::Empty => Part::from(Vec::<Part>::new()),
            Some("array") => {
                let item = schema.get("items").unwrap_or(&Value::Null);
                Part::from(vec![self.value(item, fill, place, left)])
            }
            Some("boolean") => Part::from(fill == Fill::All),
            Some("integer") => Part::from(1),
            Some("number") => Part::from(1.5),
            Some("null") => Part::from(()),
            _ => Part::from("x"),
        }
    }

    fn object(&self, schema: &Value, fill: Fill, place: &str, left: usize) -> Part {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
        let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        let mut known = BTreeSet::new();
        let mut members = BTreeMap::new();
        for (name, part) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if fill == Fill::All || is_required(name) {
                members.insert(name.clone(), self.value(part, fill, &inside(name), left));
            }
            known.insert(name.clone());
        }
        let is_open = known.is_empty();
        if let Some(part) =
            schema.get("additionalProperties").filter(|it| is_open && it.is_object() && fill != Fill::Empty)
        {
            members.insert("name".to_owned(), self.value(part, fill, &inside("name"), left));
        }
        // Names of functions are looked up in the value first.
        if place.is_empty() {
            known.extend(self.globals.iter().map(|&it| it.to_owned()));
        }
        let missing = (!is_open).then(|| Arc::clone(&self.missing));
        Part::from_object(Sample { known, members, missing, place: place.to_owned() })
    }
}

/// Returns the type of the values of a schema; of several, null only if little is to be filled in.
fn type_of(schema: &Value, fill: Fill) -> Option<&str> {
    match schema.get("type")? {
        Value::Array(types) => {
            let mut types = types.iter().filter_map(Value::as_str);
            let is_null = |it: &&str| *it == "null";
            if fill != Fill::All && types.clone().any(|it| it == "null") {
                return Some("null");
            }
            types.find(|it| !is_null(it))
        }
        one => one.as_str(),
    }
}

/// An object that notes each name that its schema does not have.
#[derive(Debug)]
struct Sample {
    known: BTreeSet<String>,
    members: BTreeMap<String, Part>,
    /// The names that were asked for and are not known; `None` if the object may have members of any name.
    missing: Option<Arc<Mutex<BTreeSet<String>>>>,
    place: String,
}

impl Object for Sample {
    fn get_value(self: &Arc<Self>, name: &Part) -> Option<Part> {
        let name = name.as_str()?;
        if let Some(missing) = self.missing.as_ref().filter(|_| !self.known.contains(name)) {
            let path = if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) };
            missing.lock().expect("no panic in a lock").insert(path);
        }
        self.members.get(name).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.members.keys().map(|it| Part::from(it.clone())).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Templates;
    use super::*;

    fn check(source: &str) -> Result<(), String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "kind": { "const": "a:v1" },
                "title": { "type": "string" },
                "note": { "type": ["string", "null"] },
                "parts": { "type": "array", "items": { "$ref": "#/$defs/Part" } },
                "counts": { "type": "object", "additionalProperties": { "type": "integer" } }
            },
            "required": ["kind", "title", "parts", "counts"],
            "$defs": { "Part": {
                "type": "object",
                "properties": { "id": { "type": "string" }, "size": { "type": "integer" } },
                "required": ["id"]
            } }
        });
        let environment = Templates::default().environment;
        let template = environment.template_from_str(source).expect("a template");
        try_out(&template, of_kind(&schema, "a:v1").expect("the kind"), &schema, &BTreeSet::from(["range"]))
    }

    #[test]
    fn a_template_may_name_what_its_kind_has() {
        let source = "{{ title }}{% if note %}{{ note }}{% endif %}{% for it in parts %}{{ it.id }}{% if it.size %}{{ it.size }}\
            {% endif %}{% endfor %}{% for name, count in counts | items %}{{ name }}: {{ count }}{% endfor %}{% for n in range(2) %}{% endfor %}";
        assert_eq!(check(source), Ok(()));
    }

    #[test]
    fn what_a_kind_does_not_have_is_found_in_each_branch() {
        for (source, found) in [
            ("{{ titel }}", "`titel`"),
            ("{% if titel %}x{% endif %}", "`titel`"),
            ("{% for it in parts %}{{ it.name }}{% endfor %}", "`parts.name`"),
            ("{% for it in parts %}{% if it.name %}x{% endif %}{% endfor %}", "`parts.name`"),
            ("{% if title == 'never' %}{{ titel }}{% endif %}", "`titel`"),
            ("{% if not note %}{{ title.size.x }}{% endif %}", "undefined value"),
            ("{% for it in parts %}{{ it.size }}{% endfor %}", "a value may lack what is not required"),
        ] {
            let why = check(source).expect_err(source);
            assert!(why.contains(found), "{source}: {why}");
        }
    }
}
