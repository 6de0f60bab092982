//! The official schemas, one for each revision. A definition is compiled when it is first used.
//!
//! In: the name of a definition, and a value. Out: the errors of the value. Nothing is downloaded: the
//! schemas refer only to their own definitions, and the library is built without its loaders.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use jsonschema::Validator;
use plainwire::proto::revision::Revision;
use serde_json::{Value, json};

pub(crate) struct Oracles {
    compiled: RefCell<HashMap<(Revision, String), Validator>>,
    schemas: HashMap<Revision, Value>,
}

impl Oracles {
    /// Reads the schemas in the folder `spec`.
    pub(crate) fn new(spec: PathBuf) -> Self {
        let read = |revision: Revision| {
            let path = spec.join(format!("{revision}.schema.json"));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            (revision, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}")))
        };
        Self { compiled: RefCell::default(), schemas: Revision::ALL.into_iter().map(read).collect() }
    }

    /// Returns whether the schema of `revision` has a definition called `name`.
    pub(crate) fn knows(&self, revision: Revision, name: &str) -> bool {
        self.definitions(revision).1.get(name).is_some()
    }

    /// Checks `value` against the definition `name` of `revision`. Returns the errors, one line for each.
    pub(crate) fn faults(&self, revision: Revision, name: &str, value: &Value) -> Vec<String> {
        if !self.knows(revision, name) {
            return vec![format!("{revision} has no {name}")];
        }
        let mut compiled = self.compiled.borrow_mut();
        let validator =
            compiled.entry((revision, name.to_owned())).or_insert_with(|| self.compile(revision, name));
        let fault = |error: jsonschema::ValidationError<'_>| {
            format!("no {name} of {revision} at `{}`: {error}", error.instance_path())
        };
        validator.iter_errors(value).map(fault).collect()
    }

    fn compile(&self, revision: Revision, name: &str) -> Validator {
        let (word, definitions) = self.definitions(revision);
        // The reference is inside of `allOf`, because draft 7 ignores all members beside a `$ref`.
        let schema = json!({
            "$schema": self.schemas[&revision]["$schema"],
            "allOf": [{ "$ref": format!("#/{word}/{name}") }],
            word: definitions,
        });
        let options = jsonschema::options().should_validate_formats(true);
        options.build(&schema).unwrap_or_else(|error| panic!("{revision} {name}: {error}"))
    }

    /// Returns the definitions of a revision, and the name of the member of the schema that contains them.
    fn definitions(&self, revision: Revision) -> (&'static str, &Value) {
        let schema = &self.schemas[&revision];
        let word = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
        (word, &schema[word])
    }
}
