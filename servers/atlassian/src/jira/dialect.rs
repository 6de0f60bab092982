//! The differences of Cloud and Data Center, in one table.
//!
//! In: the deployment of a site. Out: a [`Dialect`]. No other file of the crate asks which deployment it is: it reads a member of the
//! dialect, or calls a method of it.

use plainwire_richtext::{Dialect as WikiDialect, Format};
use serde_json::{Value, json};

use crate::rest::Deployment;

/// The form of a deployment's API.
#[derive(Debug)]
pub struct Dialect {
    /// The name of the deployment, for people.
    pub name: &'static str,
    /// The version of the platform's API.
    pub version: &'static str,
    /// The format of rich text in requests and answers.
    pub rich: Format,
    /// How issues are searched.
    pub search: Search,
    /// The member that names a person in the body of a request.
    pub person: &'static str,
    /// The parameter that names a person in a query.
    pub person_parameter: &'static str,
    /// The parameter for the text that people are searched by.
    pub people_query: &'static str,
    /// The member of pages of `createmeta` with the issue types, and that with the fields.
    pub create_types: &'static str,
    /// See [`Self::create_types`].
    pub create_fields: &'static str,
    /// How issues belong to an epic.
    pub epic: Epic,
    /// Where the options of custom fields are.
    pub options: Options,
    /// Whether the changelog has pages of its own, or comes with the issue.
    pub changelog: Changelog,
    /// How projects are listed.
    pub projects: Projects,
    /// Where the bytes of attachments are.
    pub files: Files,
    /// The member of a new component that names its lead.
    pub component_lead: &'static str,
    /// How filters are listed.
    pub filters: Filters,
    /// The way in which a filter becomes a favourite of the account, or none.
    pub favourite: Favourite,
    /// Whether requests of customers can have ADF.
    pub has_adf_requests: bool,
    /// Whether the tools work that need what only Cloud has.
    pub has_cloud_tools: bool,
}

/// A way to search issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// `search` with `startAt` and `total`.
    Numbers,
    /// `search/jql` with `nextPageToken`; the count is a request of its own.
    Tokens,
}

/// A way in which issues belong to an epic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Epic {
    /// The custom field of this type.
    Field(&'static str),
    /// The field `parent`.
    Parent,
}

/// A place of the options of custom fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Options {
    /// `field/{id}/context/{context}/option`
    Contexts,
    /// `customFields/{id}/options`
    Fields,
}

/// A place of the changelog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changelog {
    /// `expand=changelog` of the issue.
    Expand,
    /// `issue/{key}/changelog`
    Pages,
}

/// A place of the bytes of attachments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// The address in the attachment's `content`.
    Address,
    /// `attachment/content/{id}`, also behind the gateway.
    Content,
}

/// A list of projects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projects {
    /// `project`, all at once.
    All,
    /// `project/search`
    Pages,
}

/// A list of filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filters {
    /// `filter/favourite`: those that the account has marked. There is no other list.
    Favourites,
    /// `filter/search`
    Search,
}

/// A way to make a filter a favourite of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Favourite {
    /// The member `favourite` of the filter.
    Member,
    /// `filter/{id}/favourite`, with `PUT` and `DELETE`. The member is ignored there.
    Path,
}

const CLOUD: Dialect = Dialect {
    name: "Jira Cloud",
    version: "3",
    rich: Format::Adf,
    search: Search::Tokens,
    person: "accountId",
    person_parameter: "accountId",
    people_query: "query",
    create_types: "issueTypes",
    create_fields: "fields",
    epic: Epic::Parent,
    options: Options::Contexts,
    changelog: Changelog::Pages,
    projects: Projects::Pages,
    files: Files::Content,
    component_lead: "leadAccountId",
    filters: Filters::Search,
    favourite: Favourite::Path,
    has_adf_requests: true,
    has_cloud_tools: true,
};

const DATA_CENTER: Dialect = Dialect {
    name: "Jira Data Center",
    version: "2",
    rich: Format::Wiki(WikiDialect::Jira),
    search: Search::Numbers,
    person: "name",
    person_parameter: "username",
    people_query: "username",
    create_types: "values",
    create_fields: "values",
    epic: Epic::Field("com.pyxis.greenhopper.jira:gh-epic-link"),
    options: Options::Fields,
    changelog: Changelog::Expand,
    projects: Projects::All,
    files: Files::Address,
    component_lead: "leadUserName",
    filters: Filters::Favourites,
    favourite: Favourite::Member,
    has_adf_requests: false,
    has_cloud_tools: false,
};

impl Dialect {
    /// Returns the dialect of a deployment.
    pub fn of(deployment: Deployment) -> &'static Self {
        match deployment {
            Deployment::Cloud => &CLOUD,
            Deployment::DataCenter => &DATA_CENTER,
        }
    }

    /// Returns the body that names a person; `None` is no one.
    pub fn person_body(&self, id: Option<&str>) -> Value {
        json!({ self.person: id })
    }
}
