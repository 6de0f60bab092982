//! One OpenAPI document.
//!
//! In: the file, plain or compressed with gzip. Out: its operations, its parts by reference, and judgements
//! of values by its schemas. Its known faults are corrected when it is read. References to other documents
//! are not followed; there are none.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::{Map, Value};

use super::faults;
use super::route::{Routes, Target};
use super::schema::{Judges, Side};

/// A document with its operations.
pub(super) struct Document {
    judges: Judges,
    root: Value,
    routes: Routes,
}

/// An operation of a document.
pub(super) struct Operation {
    /// The `operationId`.
    pub(super) id: String,
    /// In capitals.
    pub(super) method: String,
    /// The path template as the document has it.
    path: String,
    /// The path template with the prefix of the server.
    pub(super) template: String,
}

impl Operation {
    /// Returns method and template, by which problems and caches tell the operation from others.
    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, self.template)
    }
}

const METHODS: [&str; 7] = ["delete", "get", "head", "options", "patch", "post", "put"];

impl Document {
    /// Reads the document `name`, whose paths all begin with `prefix` on the server.
    pub(super) fn read(folder: &Path, name: &'static str, prefix: &str) -> Self {
        let root = corrected(folder, name);
        let mut operations = Vec::new();
        for (path, item) in root["paths"].as_object().into_iter().flatten() {
            for method in METHODS {
                let Some(operation) = item.get(method) else { continue };
                let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
                let template = format!("{prefix}{path}");
                operations.push(Operation {
                    id,
                    method: method.to_uppercase(),
                    path: path.clone(),
                    template,
                });
            }
        }
        Self { judges: Judges::default(), root, routes: Routes::new(operations) }
    }

    /// Returns the operation that a method and a path mean.
    pub(super) fn route(&self, method: &str, path: &str) -> Option<Target<'_>> {
        self.routes.find(method, path)
    }

    /// Returns the operations in the order of their templates.
    pub(super) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.routes.operations()
    }

    /// Returns the description of an operation.
    pub(super) fn described(&self, operation: &Operation) -> &Value {
        &self.root["paths"][&operation.path][operation.method.to_lowercase()]
    }

    /// Returns the parameters of an operation, its own and those of its path.
    pub(super) fn parameters(&self, operation: &Operation) -> impl Iterator<Item = &Value> {
        let shared = &self.root["paths"][&operation.path]["parameters"];
        [&self.described(operation)["parameters"], shared].into_iter().filter_map(Value::as_array).flatten()
    }

    /// Returns the schema called `name` in `components`; null if there is none.
    pub(super) fn component(&self, name: &str) -> &Value {
        &self.root["components"]["schemas"][name]
    }

    /// Returns the schema that `schema` refers to, or itself if it refers to none.
    pub(super) fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        component_of(schema).map_or(schema, |name| self.component(name))
    }

    /// Checks a value by `schema`, which is known to the cache of compiled schemas as `name`. The problems
    /// begin with `place` and the path of the value inside of it.
    pub(super) fn faults(
        &self,
        name: &str,
        side: Side,
        schema: &Value,
        value: &Value,
        place: &str,
    ) -> Vec<String> {
        self.judges.faults(self, name, side, schema, value, place)
    }
}

/// Reads the document `name` without its known faults.
pub(super) fn corrected(folder: &Path, name: &str) -> Value {
    let mut root = json(&folder.join(name));
    faults::correct(name, &mut root);
    root
}

/// Makes a document fit judges that others wrote, which match the whole path of a request and look at its credentials: its paths get the
/// prefix of the server, and none of its operations names a kind of authentication. Data Center takes access tokens where its document
/// names only passwords, and Cloud takes API tokens where the document of boards names only OAuth.
pub(super) fn generalize(root: &mut Value, prefix: &str) {
    let paths = root["paths"].take();
    let mut prefixed = Map::new();
    for (path, mut item) in paths.as_object().into_iter().flatten().map(|(path, item)| (path, item.clone())) {
        for (_, operation) in item.as_object_mut().into_iter().flatten() {
            if let Some(operation) = operation.as_object_mut() {
                operation.remove("security");
            }
        }
        prefixed.insert(format!("{prefix}{path}"), item);
    }
    root["paths"] = prefixed.into();
}

/// Returns the name of the component that a schema refers to.
pub(super) fn component_of(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/")
}

/// Reads a file of JSON, compressed if its name ends in `.gz`.
pub(super) fn json(path: &Path) -> Value {
    let stored = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut plain = Vec::new();
    if path.extension().is_some_and(|it| it == "gz") {
        let read = GzDecoder::new(stored.as_slice()).read_to_end(&mut plain);
        read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    } else {
        plain = stored;
    }
    serde_json::from_slice(&plain).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
