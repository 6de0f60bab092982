//! Saved searches, and dashboards.

use plainwire::Entries;
use plainwire::prelude::*;

use crate::jira::Jira;
use crate::jira::agile::Slice;
use crate::jira::filters::{FilterFields, shown_filter};
use crate::jira::shown::Cast;
use crate::tools::args::limit as clamped;
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_filters)
        .tool(jira_create_filter)
        .tool(jira_update_filter)
        .tool(jira_delete_filter)
        .tool(jira_list_dashboards)
        .tool(jira_get_dashboard_gadgets)
}

/// The largest number of elements of a page.
const MAX_PAGE: u64 = 100;

/// Saved searches.
#[data(kind = "jiraFilters:v1")]
struct FiltersView {
    filters: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

// The filters to find.
#[data]
struct GetFilters {
    /// Only this one.
    filter_id: Option<String>,
    /// A part of the name.
    filter_name: Option<String>,
    /// How many to skip.
    #[default(0)]
    start_at: u64,
    /// The largest number, at most 100.
    #[default(25)]
    limit: u64,
    /// From `next_page_token`.
    page_token: Option<String>,
}

/// Lists saved searches by name, or one by its id; Data Center lists favourites only. Returns ids, names and JQL.
#[tool(read_only, title = "Saved searches")]
async fn jira_get_filters(#[arguments] it: GetFilters, jira: State<Jira>) -> Result<FiltersView, ToolError> {
    let mut cast = Cast::default();
    if let Some(id) = &it.filter_id {
        let filter = jira.filter(id).await?;
        return Ok(FiltersView { filters: vec![shown_filter(&filter, &mut cast)], next_page_token: None });
    }
    let slice = Slice {
        start: it.start_at,
        limit: clamped(Some(it.limit), 25, MAX_PAGE),
        token: it.page_token.as_deref(),
    };
    let found = jira.filters(it.filter_name.as_deref(), slice, &mut cast).await?;
    Ok(FiltersView { filters: found.items, next_page_token: found.next })
}

// A saved search to make.
#[data]
struct CreateFilter {
    name: String,
    jql: String,
    description: Option<String>,
    /// Whether it is a favourite of this account.
    #[default(false)]
    favourite: bool,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Saves a search, for this account alone unless its settings share. Returns the id and an undo handle.
#[tool(additive, title = "Save a search")]
async fn jira_create_filter(
    #[arguments] it: CreateFilter,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let fields = FilterFields {
        name: Some(&it.name),
        jql: Some(&it.jql),
        description: it.description.as_deref(),
        favourite: it.favourite.then_some(true),
    };
    let plan = jira.plan_create_filter(fields);
    let mut change = write(&jira, &journal, &context, plan, it.preview).await?;
    if let Some(id) = change.result.pointer("/filter/id").cloned() {
        change.key = id.as_str().map(ToOwned::to_owned);
        change.url = change.result.pointer("/filter/viewUrl").and_then(Value::as_str).map(ToOwned::to_owned);
        change.result = json!({ "filter_id": id });
    }
    Ok(change)
}

// A change of a saved search.
#[data]
struct UpdateFilter {
    /// From jira_get_filters.
    filter_id: String,
    name: Option<String>,
    jql: Option<String>,
    description: Option<String>,
    /// Whether it is a favourite of this account.
    favourite: Option<bool>,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Changes a saved search; what is not given stays. Returns what changed and an undo handle.
#[tool(destructive, title = "Change a saved search")]
async fn jira_update_filter(
    #[arguments] it: UpdateFilter,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let filter = jira.filter(&it.filter_id).await?;
    let fields = FilterFields {
        name: it.name.as_deref(),
        jql: it.jql.as_deref(),
        description: it.description.as_deref(),
        favourite: it.favourite,
    };
    let plan = jira.plan_update_filter(&filter, fields);
    write(&jira, &journal, &context, plan, it.preview).await
}

/// Deletes a saved search. Returns its JQL and an undo handle, which saves it again under a new id.
#[tool(destructive, title = "Delete a saved search")]
async fn jira_delete_filter(
    #[argument("From jira_get_filters.")] filter_id: String,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let filter = jira.filter(&filter_id).await?;
    write(&jira, &journal, &context, jira.plan_delete_filter(&filter), preview).await
}

/// Dashboards.
#[data(kind = "jiraDashboards:v1")]
struct DashboardsView {
    dashboards: Vec<Value>,
    /// For `page_token` of the next call; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_page_token: Option<String>,
}

/// Lists the dashboards that this account may see. Returns ids, names and addresses.
#[tool(read_only, title = "Dashboards")]
async fn jira_list_dashboards(
    #[argument("How many to skip.", default = 0)] start_at: u64,
    #[argument("The largest number, at most 100.", default = 20)] limit: u64,
    #[argument("From `next_page_token`.")] page_token: Option<String>,
    jira: State<Jira>,
) -> Result<DashboardsView, ToolError> {
    let slice =
        Slice { start: start_at, limit: clamped(Some(limit), 20, MAX_PAGE), token: page_token.as_deref() };
    let found = jira.dashboards(slice, &mut Cast::default()).await?;
    Ok(DashboardsView { dashboards: found.items, next_page_token: found.next })
}

/// The gadgets of a dashboard.
#[data(kind = "jiraGadgets:v1")]
struct GadgetsView {
    gadgets: Vec<Value>,
}

/// Lists the gadgets of a dashboard. Returns their titles, kinds and places.
#[tool(read_only, title = "Gadgets of a dashboard")]
async fn jira_get_dashboard_gadgets(
    #[argument("From jira_list_dashboards.")] dashboard_id: String,
    jira: State<Jira>,
) -> Result<GadgetsView, ToolError> {
    Ok(GadgetsView { gadgets: jira.gadgets(&dashboard_id).await? })
}
