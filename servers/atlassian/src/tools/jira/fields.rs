//! Fields: finding them, and the values that they allow.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::allowed;
use crate::tools::args;

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_search_fields).tool(jira_get_field_options)
}

/// Fields of the site.
#[data(kind = "jiraFields:v1")]
struct FieldsView {
    fields: Vec<FieldView>,
}

/// A field.
#[data]
struct FieldView {
    id: String,
    name: String,
    custom: bool,
    #[serde(rename = "type")]
    kind: String,
}

/// Finds fields by a part of their name. Returns ids, names and types, the nearest first.
#[tool(read_only, title = "Find fields")]
async fn jira_search_fields(
    #[argument("A part of the name; nothing for all.", default = "")] keyword: String,
    #[argument("At most this many.", default = 10)] limit: u64,
    #[argument("Has no effect: fields are read once per server.", default = false)]
    #[schemars(extend("deprecated" = true))]
    refresh: bool,
    jira: State<Jira>,
) -> Result<FieldsView, ToolError> {
    let _ = refresh;
    let fields = jira.fields().await?;
    let word = keyword.trim().to_lowercase();
    let mut found: Vec<_> = fields
        .all()
        .iter()
        .map(|it| {
            let name = it.name.to_lowercase();
            let is_in = name.contains(&word) || it.id.to_lowercase().contains(&word);
            (if is_in { 1.0 } else { 0.0 } + strsim::jaro_winkler(&word, &name), it)
        })
        .filter(|(score, _)| word.is_empty() || *score > 0.75)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    let most = usize::try_from(args::limit(Some(limit), 10, 500)).unwrap_or(10);
    let fields = found.into_iter().take(most).map(|(_, it)| {
        let kind = match &it.schema.items {
            Some(items) => format!("{} of {items}", it.schema.kind),
            None => it.schema.kind.clone(),
        };
        FieldView { id: it.id.clone(), name: it.name.clone(), custom: it.custom, kind }
    });
    Ok(FieldsView { fields: fields.collect() })
}

/// The values that a field allows.
#[data(kind = "jiraFieldOptions:v1")]
struct OptionsView {
    field: String,
    options: Vec<String>,
}

// The field whose values are wanted.
#[data]
struct FieldOptions {
    /// The id or name.
    field_id: String,
    /// Has no effect: the project decides.
    #[schemars(extend("deprecated" = true))]
    context_id: Option<String>,
    /// Where the field is used.
    project_key: Option<String>,
    /// The type of issue.
    issue_type: Option<String>,
    /// Only values with this text.
    contains: Option<String>,
    /// At most this many.
    return_limit: Option<u64>,
    /// Has no effect: values are names.
    #[schemars(extend("deprecated" = true))]
    #[default(false)]
    values_only: bool,
}

/// Lists the values of a field, for a project and type of issue. Returns their names.
#[tool(read_only, title = "Values of a field")]
async fn jira_get_field_options(
    #[arguments] it: FieldOptions,
    jira: State<Jira>,
) -> Result<OptionsView, ToolError> {
    let fields = jira.fields().await?;
    let field = fields.meant(&it.field_id)?;
    let all = match &it.project_key {
        Some(project) => {
            let project = jira.project_key(project).await?;
            let types = match &it.issue_type {
                Some(kind) => vec![kind.clone()],
                None => jira
                    .issue_types(&project)
                    .await?
                    .iter()
                    .filter_map(|it| it["name"].as_str().map(ToOwned::to_owned))
                    .collect(),
            };
            let mut values: Vec<String> = Vec::new();
            for kind in types {
                let screen = jira.create_meta(&project, &kind).await?;
                for value in allowed::values(&screen[&field.id]) {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
            values
        }
        None => jira.options(&field.id).await?,
    };
    let wanted = it.contains.unwrap_or_default().to_lowercase();
    let most = usize::try_from(args::limit(it.return_limit, 200, 1_000)).unwrap_or(200);
    let options = all.into_iter().filter(|it| it.to_lowercase().contains(&wanted)).take(most).collect();
    Ok(OptionsView { field: field.name.clone(), options })
}
