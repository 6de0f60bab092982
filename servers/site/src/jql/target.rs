//! What a field of JQL is: where its values are, and which operators it has.
//!
//! In: the name in a query. Out: a [`Target`], or several: custom fields can share a name, and a clause is then about any of them.

use std::borrow::Cow;

use super::ast::{FieldName, Operator};
use super::context::Context;
use super::names::Names;
use crate::fault::{Fault, Result};
use crate::field::{Field, Kind, custom};

/// The id of a field in the tables.
pub(super) type Id = Cow<'static, str>;

/// A field of JQL.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// Summary, description, environment, comments and all text fields at once.
    AllText,
    Attachments,
    /// The category of the project.
    Category,
    Comment,
    /// The number of rows that a table has for an issue.
    Count(Crowd),
    Day(Id),
    Duration(Id),
    /// A text that is compared as a whole.
    Exact(Id),
    Filter,
    /// The level of the issue type.
    Hierarchy,
    Instant(Time),
    Issue,
    Labels(Id),
    /// A field that Jira searches and this site does not.
    Lacking(&'static str),
    /// The issues that an issue is linked to.
    Link,
    LinkType,
    Number(Id),
    /// The people in a table.
    People(Crowd),
    Project,
    ProjectType,
    Rank,
    Reference(Id, Names),
    /// An option, or one below it.
    ReferenceTree(Id),
    /// The parent of an issue, or its epic.
    Relation(Id, Relation),
    StatusCategory,
    Text(Id),
    /// A field that has a column but no name in JQL.
    Unsearchable,
    WorkAuthor,
    WorkDate,
}

/// A table of people and issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowd {
    Voters,
    Watchers,
}

/// A time of an issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Time {
    Created,
    Updated,
    Value(Id),
}

/// What an issue is to another one that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Of Data Center: an issue and its epic, which can be named by its short name.
    Epic,
    /// Of Cloud: the parent of a sub-task, or the epic.
    Parent,
    /// Of Data Center: the parent of a sub-task. It has no empty values, and `!=` finds issues without a parent.
    Subtask,
}

/// Returns the fields of a name.
///
/// # Errors
/// 400 if there are none.
pub(super) fn find(context: &Context<'_>, name: &FieldName) -> Result<Vec<Target>> {
    let mut found = search(context, name)?;
    found.retain(|it| *it != Target::Unsearchable);
    if found.is_empty() {
        let sentence = format!("Field '{name}' does not exist or you do not have permission to view it.");
        return Err(Fault::bad(sentence));
    }
    Ok(found)
}

/// Returns the fields of a name, perhaps none.
pub(super) fn search(context: &Context<'_>, name: &FieldName) -> Result<Vec<Target>> {
    let fields = &context.fields;
    let name = match name {
        FieldName::Custom(number) => {
            let found = fields.iter().filter(|it| it.number() == Some(*number));
            return Ok(found.map(|it| of_field(context, it)).collect());
        }
        FieldName::Property(_) => return Err(Fault::lacking("searches for properties of entities")),
        FieldName::Named(name) => name.trim().to_lowercase(),
    };
    if let Some(system) = system(context.work.is_cloud(), &name) {
        // Some fields are of one deployment only.
        let exists = system.id().is_none_or(|id| fields.iter().any(|it| it.id == id));
        return Ok(if exists { vec![system] } else { Vec::new() });
    }
    let is_clause = |it: &&Field| it.clause.as_ref().is_some_and(|it| it.to_lowercase() == name);
    if let Some(one) = fields.iter().find(|it| it.id.to_lowercase() == name || is_clause(it)) {
        return Ok(vec![of_field(context, one)]);
    }
    let named = fields.iter().filter(|it| it.name.to_lowercase() == name || has_suffix(it, &name));
    Ok(named.map(|it| of_field(context, it)).collect())
}

/// Whether a name is that of a custom field and its type, such as `severity[dropdown]`.
fn has_suffix(field: &Field, name: &str) -> bool {
    let Some((name, suffix)) = name.strip_suffix(']').and_then(|it| it.rsplit_once('[')) else {
        return false;
    };
    let suffixes: &[&str] = match field.kind {
        Kind::Cascade => &["select list (cascading)", "dropdown"],
        Kind::Date => &["date", "date picker"],
        Kind::Group => &["group picker (single group)", "group picker"],
        Kind::Labels => &["labels"],
        Kind::Number => &["number", "number field"],
        Kind::Option => &["dropdown", "select list (single choice)", "radio buttons"],
        Kind::Options => &["dropdown", "checkboxes", "select list (multiple choices)"],
        Kind::Rich => &["paragraph", "text field (multi-line)"],
        Kind::Text => &["short text", "text field (single line)"],
        Kind::Time => &["time stamp", "date time picker"],
        Kind::Url => &["url", "url field"],
        Kind::User => &["people", "user picker (single user)"],
        Kind::Users => &["people", "user picker (multiple users)"],
        Kind::Version => &["version picker (single version)"],
        Kind::Versions => &["version picker (multiple versions)"],
        _ => &[],
    };
    field.is_custom() && field.name.to_lowercase() == name.trim_end() && suffixes.contains(&suffix)
}

/// A field that each site has, by a name that JQL has for it.
fn system(is_cloud: bool, name: &str) -> Option<Target> {
    let reference = |id: &'static str, names| Target::Reference(id.into(), names);
    Some(match name {
        "affectedversion" | "versions" => reference("versions", Names::Version),
        "assignee" => reference("assignee", Names::Person),
        "attachments" | "attachment" => Target::Attachments,
        "category" => Target::Category,
        "comment" => Target::Comment,
        "component" | "components" => reference("components", Names::Component),
        "created" | "createddate" => Target::Instant(Time::Created),
        "creator" => reference("creator", Names::Person),
        "customer request type" => reference(custom::REQUEST_TYPE, Names::RequestType),
        "description" => Target::Text("description".into()),
        "due" | "duedate" => Target::Day("duedate".into()),
        "environment" => Target::Text("environment".into()),
        "epic link" if is_cloud => Target::Relation("parent".into(), Relation::Parent),
        "epic link" => Target::Relation(custom::EPIC_LINK.into(), Relation::Epic),
        "filter" | "request" | "savedfilter" | "searchrequest" => Target::Filter,
        "fixversion" | "fixversions" => reference("fixVersions", Names::Version),
        "hierarchylevel" if is_cloud => Target::Hierarchy,
        "id" | "issue" | "issuekey" | "key" => Target::Issue,
        "issuelink" if is_cloud => Target::Link,
        "issuelinktype" => Target::LinkType,
        "issuetype" | "type" => reference("issuetype", Names::IssueType),
        "labels" => Target::Labels("labels".into()),
        "lastviewed" => Target::Lacking("a record of who has seen which issue"),
        "level" => Target::Lacking("issue security levels"),
        "originalestimate" | "timeoriginalestimate" => Target::Duration("timeoriginalestimate".into()),
        "parent" if is_cloud => Target::Relation("parent".into(), Relation::Parent),
        "parent" => Target::Relation("parent".into(), Relation::Subtask),
        "parentepic" if is_cloud => Target::Lacking("searches by the epic of a parent"),
        "priority" => reference("priority", Names::Priority),
        "project" => Target::Project,
        "projecttype" => Target::ProjectType,
        "rank" => Target::Rank,
        "remainingestimate" | "timeestimate" => Target::Duration("timeestimate".into()),
        "reporter" => reference("reporter", Names::Person),
        "resolution" => reference("resolution", Names::Resolution),
        "resolutiondate" | "resolved" => Target::Instant(Time::Value("resolutiondate".into())),
        "sprint" => reference(custom::SPRINT, Names::Sprint),
        "status" => reference("status", Names::Status),
        "statuscategory" => Target::StatusCategory,
        "statuscategorychangeddate" | "statuscategorychangedate" => {
            Target::Instant(Time::Value("statuscategorychangedate".into()))
        }
        "summary" => Target::Text("summary".into()),
        "text" => Target::AllText,
        "timespent" => Target::Duration("timespent".into()),
        "updated" | "updateddate" => Target::Instant(Time::Updated),
        "voter" => Target::People(Crowd::Voters),
        "votes" => Target::Count(Crowd::Voters),
        "watcher" => Target::People(Crowd::Watchers),
        "watchers" | "watches" => Target::Count(Crowd::Watchers),
        "workratio" => Target::Lacking("work ratios"),
        "worklogauthor" => Target::WorkAuthor,
        "worklogcomment" => Target::Lacking("searches for comments of work logs"),
        "worklogdate" => Target::WorkDate,
        _ => return None,
    })
}

/// A field by its definition: a custom one, or one of the system by its name for people, such as "Fix versions".
fn of_field(context: &Context<'_>, field: &Field) -> Target {
    let is_cloud = context.work.is_cloud();
    let known = match field.id.as_str() {
        custom::EPIC_LINK => system(is_cloud, "epic link"),
        custom::RANK => Some(Target::Rank),
        _ if field.is_custom() => None,
        id => system(is_cloud, &id.to_lowercase()),
    };
    if let Some(known) = known {
        return known;
    }
    let id: Id = field.id.clone().into();
    match field.kind {
        Kind::Cascade => Target::ReferenceTree(id),
        Kind::Components => Target::Reference(id, Names::Component),
        Kind::Computed if !field.is_custom() => Target::Unsearchable,
        Kind::Computed => Target::Lacking("searches for values that are computed"),
        Kind::Date => Target::Day(id),
        Kind::Duration => Target::Duration(id),
        Kind::Group => Target::Reference(id, Names::Group),
        Kind::Issue => Target::Relation(id, Relation::Parent),
        Kind::IssueType => Target::Reference(id, Names::IssueType),
        Kind::Labels => Target::Labels(id),
        Kind::Number => Target::Number(id),
        Kind::Option | Kind::Options => Target::Reference(id, Names::Option),
        Kind::Priority => Target::Reference(id, Names::Priority),
        Kind::RequestType => Target::Reference(id, Names::RequestType),
        Kind::Resolution => Target::Reference(id, Names::Resolution),
        Kind::Rich | Kind::Text => Target::Text(id),
        Kind::Sprints => Target::Reference(id, Names::Sprint),
        Kind::Status => Target::Reference(id, Names::Status),
        Kind::Time => Target::Instant(Time::Value(id)),
        Kind::Url => Target::Exact(id),
        Kind::User | Kind::Users => Target::Reference(id, Names::Person),
        Kind::Version | Kind::Versions => Target::Reference(id, Names::Version),
    }
}

impl Target {
    /// Returns the id of the field that has the values.
    fn id(&self) -> Option<&str> {
        match self {
            Self::Day(id)
            | Self::Duration(id)
            | Self::Exact(id)
            | Self::Instant(Time::Value(id))
            | Self::Labels(id)
            | Self::Number(id)
            | Self::Reference(id, _)
            | Self::ReferenceTree(id)
            | Self::Relation(id, _)
            | Self::Text(id) => Some(id),
            _ => None,
        }
    }

    /// Returns whether the field has an operator. Those of the history are another matter.
    pub(super) fn supports(&self, operator: Operator, is_cloud: bool) -> bool {
        use Operator as Op;
        let equality = matches!(operator, Op::Equals | Op::NotEquals | Op::In | Op::NotIn);
        let emptiness = matches!(operator, Op::Is | Op::IsNot);
        let order = matches!(operator, Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual);
        let likeness = matches!(operator, Op::Like | Op::NotLike);
        match self {
            Self::AllText => operator == Op::Like,
            Self::Attachments => emptiness,
            Self::Comment | Self::Text(_) => likeness || emptiness,
            Self::Count(_) | Self::Hierarchy | Self::Issue | Self::WorkDate => equality || order,
            Self::Day(_) | Self::Duration(_) | Self::Instant(_) | Self::Number(_) => {
                equality || emptiness || order
            }
            Self::Filter | Self::ProjectType | Self::WorkAuthor | Self::Relation(_, Relation::Subtask) => {
                equality
            }
            Self::Lacking(_) => true,
            Self::Rank | Self::Unsearchable => false,
            Self::Reference(_, Names::Priority | Names::Resolution) => equality || emptiness || order,
            Self::Reference(_, Names::Version) => equality || emptiness || order || likeness && !is_cloud,
            Self::Reference(_, Names::Component | Names::Option) => {
                equality || emptiness || likeness && !is_cloud
            }
            _ => equality || emptiness,
        }
    }
}
