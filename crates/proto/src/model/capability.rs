//! What a client or a server says it can do.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The capabilities of one side: the object of the wire, unknown members included.
///
/// Shape: `{ "tools": { "listChanged": true }, "experimental": { … }, "extensions": { "io.example/x": { … } } }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Capabilities(pub Map<String, Value>);

impl Capabilities {
    /// Returns whether `name` is declared, with whatever settings.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns whether the boolean setting `setting` of `name` is on, as in `tools.listChanged`.
    pub fn is_on(&self, name: &str, setting: &str) -> bool {
        self.0.get(name).and_then(|settings| settings.get(setting)) == Some(&Value::Bool(true))
    }

    /// Returns the settings of an extension, such as `io.modelcontextprotocol/ui`.
    pub fn extension(&self, identifier: &str) -> Option<&Value> {
        self.0.get("extensions")?.get(identifier)
    }

    /// Returns the settings of an experimental capability.
    pub fn experimental(&self, name: &str) -> Option<&Value> {
        self.0.get("experimental")?.get(name)
    }

    /// Declares `name` with `settings`.
    pub fn declare(&mut self, name: &str, settings: Value) {
        self.0.insert(name.to_owned(), settings);
    }

    /// Declares `key` with `settings` inside the map `name`, which is `experimental` or `extensions`.
    ///
    /// Settings that are no object become `{}`: the schema asks for objects.
    pub fn declare_in(&mut self, name: &str, key: &str, settings: Value) {
        let settings = if settings.is_object() { settings } else { Value::Object(Map::new()) };
        let map = self.0.entry(name).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(map) = map {
            map.insert(key.to_owned(), settings);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_it_does_not_know() {
        let text = r#"{"experimental":{"x":{"y":1}},"future":{"a":[1]},"tools":{"listChanged":true}}"#;
        let capabilities: Capabilities = serde_json::from_str(text).expect("capabilities");
        assert!(capabilities.is_on("tools", "listChanged"));
        assert!(!capabilities.has("prompts"));
        assert_eq!(capabilities.experimental("x"), Some(&serde_json::json!({ "y": 1 })));
        assert_eq!(serde_json::to_string(&capabilities).expect("JSON"), text);
    }

    #[test]
    fn makes_an_object_of_settings_that_are_none() {
        let mut capabilities = Capabilities::default();
        capabilities.declare_in("experimental", "x", Value::Bool(true));
        assert_eq!(capabilities.experimental("x"), Some(&serde_json::json!({})));
    }
}
