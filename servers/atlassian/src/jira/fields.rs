//! Fields by their names.
//!
//! In: a name as people say it, an id, or `cf[10016]`. Out: the field, or a question if several have the name.

use std::sync::Arc;

use plainwire::ToolError;
use serde::Deserialize;
use serde_json::Value;

use super::Jira;
use super::dialect::Options;
use super::question::question;
use super::shown::name_of;
use crate::rest::{Style, Upstream};

/// The largest number of fields that an error suggests.
const MAX_SUGGESTED: usize = 5;

/// A field of a site.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Field {
    /// Such as `summary` or `customfield_10016`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Whether the site defines it.
    #[serde(default)]
    pub custom: bool,
    /// The type of its values.
    #[serde(default)]
    pub schema: Schema,
}

/// The type of a field's values.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Schema {
    /// Such as `string`, `user` or `array`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// The type of the elements of an array.
    #[serde(default)]
    pub items: Option<String>,
    /// The type of a custom field, such as `com.atlassian.jira.plugin.system.customfieldtypes:textarea`.
    #[serde(default)]
    pub custom: Option<String>,
    /// The id of a system field.
    #[serde(default)]
    pub system: Option<String>,
}

impl Schema {
    /// Returns whether values are rich text.
    pub fn is_rich(&self) -> bool {
        match (&self.system, &self.custom) {
            (Some(system), _) => matches!(system.as_str(), "description" | "environment"),
            (None, Some(custom)) => custom.ends_with(":textarea"),
            (None, None) => false,
        }
    }

    /// Returns whether a custom field has this type, by the last part of its key.
    pub fn is_custom(&self, name: &str) -> bool {
        self.custom.as_deref().and_then(|it| it.rsplit_once(':')).is_some_and(|(_, it)| it == name)
    }
}

/// The fields of a site.
#[derive(Debug, Default)]
pub struct Fields(Vec<Field>);

impl Jira {
    /// Returns the fields of the site. They are asked once.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn fields(&self) -> Result<Arc<Fields>, Upstream> {
        let ask = async || Ok(Arc::new(Fields(self.site.json(self.get(["field"])).await?)));
        self.kept.fields.get_or_try_init(ask).await.cloned()
    }
}

impl Fields {
    /// Returns all of them.
    pub fn all(&self) -> &[Field] {
        &self.0
    }

    /// Returns the field of an id.
    pub fn by_id(&self, id: &str) -> Option<&Field> {
        self.0.iter().find(|it| it.id == id)
    }

    /// Returns the field with a custom type, such as `gh-sprint`.
    pub fn of_type(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|it| it.schema.is_custom(name))
    }

    /// Returns the name that people know a field by; its id if several have that name.
    pub fn shown<'a>(&'a self, field: &'a Field) -> &'a str {
        let same = self.0.iter().filter(|it| it.name == field.name).count();
        if field.custom && same == 1 { &field.name } else { &field.id }
    }

    /// Returns the field that a text means: by id, by `cf[…]`, or by name without regard to case.
    ///
    /// # Errors
    /// No such field, with the nearest ones; several of the name, as a question with their ids.
    pub fn meant(&self, text: &str) -> Result<&Field, ToolError> {
        let wanted = text.trim();
        let number = wanted.strip_prefix("cf[").and_then(|it| it.strip_suffix(']'));
        let id = number.map_or_else(|| wanted.to_owned(), |it| format!("customfield_{it}"));
        if let Some(field) = self.by_id(&id) {
            return Ok(field);
        }
        let name = plain(wanted);
        let named: Vec<_> =
            self.0.iter().filter(|it| plain(&it.name) == name || plain(&it.id) == name).collect();
        match named.as_slice() {
            [field] => Ok(field),
            [] => {
                self.named_in_answers(wanted).or_else(|| self.epic(&name)).ok_or_else(|| self.unknown(wanted))
            }
            several => {
                let choices = several.iter().map(|it| (it.id.clone(), it.name.clone()));
                Err(question(
                    format!("{} fields are called {wanted:?}", several.len()),
                    "Which field?",
                    None,
                    choices,
                ))
            }
        }
    }

    /// Returns the field that answers call so.
    fn named_in_answers(&self, text: &str) -> Option<&Field> {
        self.0.iter().find(|it| !it.custom && name_of(self, it) == text)
    }

    /// Returns the field that has the epic of an issue, if a text means it: on Cloud, an epic is the parent.
    fn epic(&self, name: &str) -> Option<&Field> {
        let is_meant = matches!(name, "epic" | "epickey" | "epiclink");
        is_meant.then(|| self.of_type("gh-epic-link").or_else(|| self.by_id("parent")))?
    }

    fn unknown(&self, wanted: &str) -> ToolError {
        if matches!(plain(wanted).as_str(), "epicname" | "epiclabel") {
            return ToolError::invalid_input(format!(
                "there is no field {wanted:?}: an epic of this site has no name of its own"
            ))
            .hint("its `summary` is its name");
        }
        let wanted_low = wanted.to_lowercase();
        let mut near: Vec<_> = self
            .0
            .iter()
            .map(|it| (strsim::jaro_winkler(&wanted_low, &it.name.to_lowercase()), it))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let near: Vec<_> =
            near.iter().take(MAX_SUGGESTED).map(|(_, it)| format!("{} ({})", it.name, it.id)).collect();
        ToolError::invalid_input(format!("there is no field {wanted:?}"))
            .hint(format!("the nearest are {}; jira_search_fields finds others", near.join(", ")))
    }
}

/// Returns a name without what people write in different ways.
fn plain(text: &str) -> String {
    text.to_lowercase().replace(['_', '-', ' '], "")
}

/// The largest number of options that are read of a field.
const MAX_OPTIONS: usize = 5_000;

impl Jira {
    /// Returns the options of a custom field in all of its contexts; those that are disabled are left out.
    ///
    /// # Errors
    /// Those of the site; on Cloud, a caller who is no administrator.
    ///
    /// Source: Cloud `GET /rest/api/3/field/{id}/context/{context}/option`, Data Center `GET /rest/api/2/customFields/{id}/options`.
    pub async fn options(&self, field: &str) -> Result<Vec<String>, Upstream> {
        let mut all: Vec<Value> = Vec::new();
        match self.dialect.options {
            Options::Contexts => {
                let contexts = self
                    .site()
                    .pages(self.get(["field", field, "context"]), Style::StartAt { items: "values" });
                for context in contexts.collect(MAX_OPTIONS).await?.items {
                    let id = context["id"].as_str().unwrap_or_default();
                    let request = self.get(["field", field, "context", id, "option"]);
                    all.extend(
                        self.site()
                            .pages(request, Style::StartAt { items: "values" })
                            .collect(MAX_OPTIONS)
                            .await?
                            .items,
                    );
                }
            }
            Options::Fields => {
                let number = field.trim_start_matches("customfield_");
                let request = self.get(["customFields", number, "options"]);
                all = self
                    .site()
                    .pages(request, Style::StartAt { items: "options" })
                    .collect(MAX_OPTIONS)
                    .await?
                    .items;
            }
        }
        let mut names: Vec<String> = Vec::new();
        for option in all.iter().filter(|it| it["disabled"] != true) {
            let value = option["value"].as_str().unwrap_or_default();
            let upper = option["optionId"].as_str().and_then(|id| all.iter().find(|it| it["id"] == id));
            let name = match upper.and_then(|it| it["value"].as_str()) {
                Some(upper) => format!("{upper} > {value}"),
                None => value.to_owned(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }
}
