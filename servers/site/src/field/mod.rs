//! Fields of issues: their kinds, and the form in which the database has their values.
//!
//! In: the id of a field. Out: its definition. `view` has the JSON of values; `screen` says which fields a write
//! may name, and makes values of what requests have.

use std::collections::BTreeMap;

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};

use crate::fault::Result;
use crate::work::{Deployment, Work};

/// The ids of the custom fields that the site itself knows.
pub mod custom {
    /// The epic of an issue, on Data Center.
    pub const EPIC_LINK: &str = "customfield_10014";
    /// The short name of an epic, on Data Center.
    pub const EPIC_NAME: &str = "customfield_10011";
    /// The story points.
    pub const STORY_POINTS: &str = "customfield_10016";
    /// The rank in the backlog.
    pub const RANK: &str = "customfield_10019";
    /// The sprints of an issue, the newest last.
    pub const SPRINT: &str = "customfield_10020";
    /// Checked for an issue that is flagged as impeded.
    pub const FLAGGED: &str = "customfield_10021";
    /// The request type of a request of a service desk.
    pub const REQUEST_TYPE: &str = "customfield_10050";
}

/// A kind of field: which column of `value` it uses, and its form in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Several options in two levels; the value is the lower one, or the upper one if no lower one is chosen.
    Cascade,
    /// Components of the project.
    Components,
    /// A field whose value is not stored: it is counted, or read from other tables.
    Computed,
    /// A day, `YYYY-MM-DD`.
    Date,
    /// A number of seconds.
    Duration,
    /// A group of people.
    Group,
    /// Another issue: the parent, or the epic of Data Center.
    Issue,
    /// The type of the issue.
    IssueType,
    /// Words without blanks.
    Labels,
    /// A number.
    Number,
    /// One of several options.
    Option,
    /// Any of several options.
    Options,
    /// A priority.
    Priority,
    /// A request type of a service desk.
    RequestType,
    /// A resolution.
    Resolution,
    /// Rich text, in the form that the deployment stores.
    Rich,
    /// Sprints.
    Sprints,
    /// A status.
    Status,
    /// One line of text.
    Text,
    /// A point in time, in milliseconds.
    Time,
    /// The address of a page.
    Url,
    /// A person.
    User,
    /// People.
    Users,
    /// A version of the project.
    Version,
    /// Versions of the project.
    Versions,
}

/// A column of the table `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// `number`
    Number,
    /// `ref`
    Ref,
    /// `text`
    Text,
}

/// A value of a field, as it is stored. An empty field has none.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, a duration or a time.
    Number(f64),
    /// The id of what the value names.
    Ref(i64),
    /// The ids of what the value names.
    Refs(Vec<i64>),
    /// A text, a date or an address.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
}

/// The values of an issue, by the id of the field.
pub type Values = BTreeMap<String, Value>;

const KINDS: [(&str, Kind); 25] = [
    ("cascade", Kind::Cascade),
    ("components", Kind::Components),
    ("computed", Kind::Computed),
    ("date", Kind::Date),
    ("duration", Kind::Duration),
    ("group", Kind::Group),
    ("issue", Kind::Issue),
    ("issuetype", Kind::IssueType),
    ("labels", Kind::Labels),
    ("number", Kind::Number),
    ("option", Kind::Option),
    ("options", Kind::Options),
    ("priority", Kind::Priority),
    ("requesttype", Kind::RequestType),
    ("resolution", Kind::Resolution),
    ("rich", Kind::Rich),
    ("sprints", Kind::Sprints),
    ("status", Kind::Status),
    ("text", Kind::Text),
    ("time", Kind::Time),
    ("url", Kind::Url),
    ("user", Kind::User),
    ("users", Kind::Users),
    ("version", Kind::Version),
    ("versions", Kind::Versions),
];

impl Kind {
    /// Returns the name in the table `field`.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("computed", |(name, _)| name)
    }

    /// Returns the column of a value.
    pub fn column(self) -> Column {
        match self {
            Self::Duration | Self::Number | Self::Time => Column::Number,
            Self::Computed | Self::Date | Self::Labels | Self::Rich | Self::Text | Self::Url => Column::Text,
            _ => Column::Ref,
        }
    }

    /// Returns whether a value has several rows.
    pub fn is_list(self) -> bool {
        matches!(
            self,
            Self::Components | Self::Labels | Self::Options | Self::Sprints | Self::Users | Self::Versions
        )
    }
}

impl FromSql for Kind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = value.as_str()?;
        let found = KINDS.iter().find(|(it, _)| *it == name);
        found.map(|(_, kind)| *kind).ok_or(FromSqlError::InvalidType)
    }
}

/// The definition of a field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Such as `summary` or `customfield_10016`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The kind of its values.
    pub kind: Kind,
    /// The type of a custom field, such as `com.atlassian.jira.plugin.system.customfieldtypes:select`.
    pub custom: Option<String>,
    /// What it is for.
    pub description: String,
    /// Its name in JQL, if that is not the id.
    pub clause: Option<String>,
}

impl Field {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            kind: row.get("kind")?,
            custom: row.get("custom")?,
            description: row.get("description")?,
            clause: row.get("clause")?,
        })
    }

    /// Returns whether it is a custom field.
    pub fn is_custom(&self) -> bool {
        self.custom.is_some()
    }

    /// Returns the number of a custom field: 10016 of `customfield_10016`.
    pub fn number(&self) -> Option<i64> {
        self.id.strip_prefix("customfield_")?.parse().ok()
    }
}

/// Returns all fields of the deployment, in the order of their ids.
///
/// # Errors
/// Those of SQLite.
pub fn all(work: &Work<'_>) -> Result<Vec<Field>> {
    let sql = "SELECT * FROM field WHERE deployment IN ('', ?1) ORDER BY id";
    work.all(sql, [work.deployment.name()], Field::read)
}

/// Returns a field by its id.
///
/// # Errors
/// Those of SQLite.
pub fn by_id(work: &Work<'_>, id: &str) -> Result<Option<Field>> {
    let sql = "SELECT * FROM field WHERE id = ?1 AND deployment IN ('', ?2)";
    work.one(sql, (id, work.deployment.name()), Field::read)
}

/// Returns the field that has the parent of an issue that is no sub-task.
pub fn epic_field(deployment: Deployment) -> &'static str {
    match deployment {
        Deployment::Cloud => "parent",
        Deployment::DataCenter => custom::EPIC_LINK,
    }
}

/// Returns the type of a kind of field in the schemas of the API, and that of the elements of a list.
pub fn schema_type(kind: Kind) -> (&'static str, Option<&'static str>) {
    match kind {
        Kind::Cascade => ("option-with-child", None),
        Kind::Components => ("array", Some("component")),
        Kind::Computed => ("any", None),
        Kind::Date => ("date", None),
        Kind::Duration | Kind::Number => ("number", None),
        Kind::Group => ("group", None),
        Kind::Issue => ("issuelink", None),
        Kind::IssueType => ("issuetype", None),
        Kind::Labels => ("array", Some("string")),
        Kind::Option => ("option", None),
        Kind::Options => ("array", Some("option")),
        Kind::Priority => ("priority", None),
        Kind::RequestType => ("sd-customerrequesttype", None),
        Kind::Resolution => ("resolution", None),
        Kind::Rich | Kind::Text | Kind::Url => ("string", None),
        Kind::Sprints => ("array", Some("json")),
        Kind::Status => ("status", None),
        Kind::Time => ("datetime", None),
        Kind::User => ("user", None),
        Kind::Users => ("array", Some("user")),
        Kind::Version => ("version", None),
        Kind::Versions => ("array", Some("version")),
    }
}
