//! The functions of JQL.
//!
//! In: a call. Out: what it means now, for this person. Their names are found in any case, and Jira's sentences repeat them as they were
//! written.
//!
//! Source: <https://support.atlassian.com/jira-software-cloud/docs/jql-functions/>.

use super::ast::Function;
use super::context::Context;
use super::names::{self, Names};
use super::sql::Sql;
use super::target::Target;
use super::value::Literal;
use crate::fault::{Fault, Result};
use crate::{issue, permission};

/// How many values a function has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    List,
    One,
}

/// Functions that Jira has and this site has not, in small letters.
const LACKING: &str = "\
    approved approver breached childissuesof choiceoption completed currentlogin customerdetail elapsed \
    entitlementdetail entitlementproduct everbreached issuehistory issueswithremotelinksbyglobalid \
    lastlogin myapproval mypending organizationdetail organizationmembers paused pending pendingby \
    portfoliochildissuesof portfolioparentissuesof projectswhereuserhasrole remaining running \
    watchedworkitems withincalendarhours workitemhistory";

/// Returns whether the values of a function are a list; nothing if there is no such function.
pub(super) fn form(name: &str) -> Option<Form> {
    Some(match name.to_lowercase().as_str() {
        "currentuser"
        | "earliestunreleasedversion"
        | "endofday"
        | "endofmonth"
        | "endofweek"
        | "endofyear"
        | "latestreleasedversion"
        | "now"
        | "startofday"
        | "startofmonth"
        | "startofweek"
        | "startofyear" => Form::One,
        "cascadeoption"
        | "closedsprints"
        | "componentsleadbyuser"
        | "futuresprints"
        | "linkedissues"
        | "membersof"
        | "opensprints"
        | "projectsleadbyuser"
        | "projectswhereuserhaspermission"
        | "releasedversions"
        | "standardissuetypes"
        | "subtaskissuetypes"
        | "unreleasedversions"
        | "updatedby"
        | "votedissues"
        | "watchedissues" => Form::List,
        _ => return None,
    })
}

/// The error for a function that this site does not have.
pub(super) fn unknown(call: &Function) -> Fault {
    if LACKING.split(' ').any(|it| it.eq_ignore_ascii_case(&call.name)) {
        return Fault::lacking(format_args!("the JQL function '{}'", call.name));
    }
    Fault::bad(format!("Unable to find JQL function '{call}'."))
}

/// Computes a function. `target` is the field that it is compared with.
pub(super) fn evaluate(
    context: &mut Context<'_>,
    call: &Function,
    target: Option<&Target>,
    field: &str,
) -> Result<Literal> {
    let name = call.name.to_lowercase();
    let argument = call.arguments.first().map(String::as_str);
    match name.as_str() {
        "now" => {
            arguments(call, 0, 0)?;
            return Ok(Literal::Instant { function: call.name.clone(), at: context.clock.now });
        }
        "startofday" | "startofweek" | "startofmonth" | "startofyear" | "endofday" | "endofweek"
        | "endofmonth" | "endofyear" => {
            arguments(call, 0, 1)?;
            let computed = context.clock.function(&name, argument).and_then(std::result::Result::ok);
            let at = computed.ok_or_else(|| {
                let format = "should have the format (+/-)n(yMwdm), e.g -1M for 1 month earlier.";
                Fault::bad(format!("Duration for function '{}' {format}", call.name))
            })?;
            return Ok(Literal::Instant { function: call.name.clone(), at });
        }
        _ => {}
    }
    let is_none = |it: &str| it.eq_ignore_ascii_case("none");
    if name == "cascadeoption" && call.arguments.len() == 1 && argument.is_some_and(is_none) {
        return Ok(Literal::Empty);
    }
    let (names, ids) = match name.as_str() {
        "cascadeoption" => (Names::Option, cascade(context, call, target, field)?),
        "closedsprints" => (Names::Sprint, sprints(context, call, "closed")?),
        "componentsleadbyuser" => (Names::Component, led(context, call, Names::Component)?),
        "currentuser" => {
            arguments(call, 0, 0)?;
            (Names::Person, vec![context.person])
        }
        "earliestunreleasedversion" | "latestreleasedversion" | "releasedversions" | "unreleasedversions" => {
            (Names::Version, versions(context, call, &name)?)
        }
        "futuresprints" => (Names::Sprint, sprints(context, call, "future")?),
        "linkedissues" => (Names::Issue, linked(context, call)?),
        "membersof" => (Names::Person, members(context, call)?),
        "opensprints" => (Names::Sprint, sprints(context, call, "active")?),
        "projectsleadbyuser" => (Names::Project, led(context, call, Names::Project)?),
        "projectswhereuserhaspermission" => (Names::Project, permitted(context, call)?),
        "standardissuetypes" => (Names::IssueType, types(context, call, Sql::new("level >= 0"))?),
        "subtaskissuetypes" => (Names::IssueType, types(context, call, Sql::new("level < 0"))?),
        "updatedby" => (Names::Issue, updated(context, call)?),
        "votedissues" => {
            arguments(call, 0, 0)?;
            (
                Names::Issue,
                ids(context, Sql::new("SELECT issue_id FROM vote WHERE person_id = ").value(context.person))?,
            )
        }
        "watchedissues" => {
            arguments(call, 0, 0)?;
            let sql = Sql::new("SELECT issue_id FROM watcher WHERE person_id = ").value(context.person);
            (Names::Issue, ids(context, sql)?)
        }
        _ => return Err(unknown(call)),
    };
    Ok(Literal::Ids { function: call.name.clone(), names, ids })
}

fn arguments(call: &Function, least: usize, most: usize) -> Result<()> {
    let found = call.arguments.len();
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let expected = match least == most {
        true => format!("expected '{least}' arguments"),
        false => format!("expected between '{least}' and '{most}' arguments"),
    };
    Err(Fault::bad(format!("Function '{}' {expected} but received '{found}'.", call.name)))
}

fn ids(context: &Context<'_>, sql: Sql) -> Result<Vec<i64>> {
    context.work.all(&sql.text, rusqlite::params_from_iter(sql.values), |row| row.get(0))
}

fn people(context: &Context<'_>, call: &Function, name: &str) -> Result<Vec<i64>> {
    let found = names::named(&names::things(context, Names::Person, "")?, name);
    if found.is_empty() {
        let sentence =
            format!("The user '{name}' does not exist and cannot be used in the function '{}'.", call.name);
        return Err(Fault::bad(sentence));
    }
    Ok(found)
}

fn sprints(context: &Context<'_>, call: &Function, state: &str) -> Result<Vec<i64>> {
    arguments(call, 0, 0)?;
    ids(context, Sql::new("SELECT id FROM sprint WHERE state = ").value(state.to_owned()))
}

fn types(context: &Context<'_>, call: &Function, condition: Sql) -> Result<Vec<i64>> {
    arguments(call, 0, 0)?;
    ids(context, Sql::new("SELECT id FROM issue_type WHERE ").sql(condition))
}

fn members(context: &Context<'_>, call: &Function) -> Result<Vec<i64>> {
    arguments(call, 1, 1)?;
    let name = call.arguments.first().map_or("", String::as_str);
    let groups = names::named(&names::things(context, Names::Group, "")?, name);
    if groups.is_empty() {
        return Err(Fault::bad(format!(
            "Function '{}' can not generate a list of usernames for group '{name}'; the group does not exist.",
            call.name
        )));
    }
    ids(context, Sql::new("SELECT person_id FROM member WHERE group_id IN (").list(&groups).text(")"))
}

fn led(context: &Context<'_>, call: &Function, names: Names) -> Result<Vec<i64>> {
    arguments(call, 0, 1)?;
    let people = match call.arguments.first() {
        Some(name) => people(context, call, name)?,
        None => vec![context.person],
    };
    let sql = match names {
        Names::Component => "SELECT id FROM component WHERE lead_id IN (",
        _ => "SELECT id FROM project WHERE lead_id IN (",
    };
    ids(context, Sql::new(sql).list(&people).text(")"))
}

fn permitted(context: &Context<'_>, call: &Function) -> Result<Vec<i64>> {
    arguments(call, 1, 1)?;
    let name = call.arguments.first().map_or("", String::as_str);
    let found = permission::ALL
        .iter()
        .find(|(key, shown)| key.eq_ignore_ascii_case(name) || shown.eq_ignore_ascii_case(name));
    let Some((key, _)) = found else {
        let sentence = format!("Function '{}' can not find the permission '{name}'.", call.name);
        return Err(Fault::bad(sentence));
    };
    let mut all = Vec::new();
    for project in &context.projects {
        if permission::can(&context.work, context.person, *project, key)? {
            all.push(*project);
        }
    }
    Ok(all)
}

fn versions(context: &Context<'_>, call: &Function, name: &str) -> Result<Vec<i64>> {
    let things = names::things(context, Names::Project, "")?;
    let mut projects = Vec::new();
    for argument in &call.arguments {
        let found = Names::Project.find(&things, &Literal::Text(argument.clone()));
        if found.is_empty() {
            let sentence =
                format!("Could not resolve the project '{argument}' provided to function '{}'.", call.name);
            return Err(Fault::bad(sentence));
        }
        projects.extend(found);
    }
    if call.arguments.is_empty() {
        projects.clone_from(&context.projects);
    }
    let released = i64::from(matches!(name, "latestreleasedversion" | "releasedversions"));
    let sql = Sql::new("SELECT v.id FROM version v WHERE v.archived = 0 AND v.released = ").value(released);
    let sql = sql.text(" AND v.project_id IN (").list(&projects).text(")");
    let sql = match name {
        "latestreleasedversion" => sql.text(
            " AND NOT EXISTS (SELECT 1 FROM version w WHERE w.project_id = v.project_id AND w.archived = 0
              AND w.released = v.released AND w.position > v.position)",
        ),
        "earliestunreleasedversion" => sql.text(
            " AND NOT EXISTS (SELECT 1 FROM version w WHERE w.project_id = v.project_id AND w.archived = 0
              AND w.released = v.released AND w.position < v.position)",
        ),
        _ => sql,
    };
    ids(context, sql)
}

/// The issue that an argument names, if the person may see it.
fn visible_issue(context: &Context<'_>, name: &str) -> Result<Option<i64>> {
    let Some(id) = issue::find(&context.work, name.trim())? else { return Ok(None) };
    let sql = Sql::new("SELECT id FROM issue WHERE id = ").value(id).text(" AND project_id IN (");
    Ok(ids(context, sql.list(&context.projects).text(")"))?.pop())
}

fn linked(context: &Context<'_>, call: &Function) -> Result<Vec<i64>> {
    let Some((key, kinds)) = call.arguments.split_first() else {
        return Err(Fault::bad(format!(
            "Incorrect number of arguments for function '{0}'. Usage: '{0} ( issuekey [, linkDescription ]* )'.",
            call.name
        )));
    };
    let Some(issue) = visible_issue(context, key)? else {
        return Err(Fault::bad(format!("Issue '{key}' could not be found in function '{}'.", call.name)));
    };
    let read =
        |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?));
    let types: Vec<(i64, String, String)> =
        context.work.all("SELECT id, outward, inward FROM link_type", [], read)?;
    let (mut outward, mut inward) = (Vec::new(), Vec::new());
    for kind in kinds {
        let wanted = kind.to_lowercase();
        let before = outward.len() + inward.len();
        outward.extend(types.iter().filter(|it| it.1.to_lowercase() == wanted).map(|it| it.0));
        inward.extend(types.iter().filter(|it| it.2.to_lowercase() == wanted).map(|it| it.0));
        if outward.len() + inward.len() == before {
            let sentence =
                format!("Issue link type '{kind}' could not be found in function '{}'.", call.name);
            return Err(Fault::bad(sentence));
        }
    }
    if kinds.is_empty() {
        outward.extend(types.iter().map(|it| it.0));
        inward.clone_from(&outward);
    }
    let sql = Sql::new("SELECT destination_id FROM link WHERE source_id = ").value(issue);
    let sql = sql.text(" AND link_type_id IN (").list(&outward).text(") UNION ");
    let sql = sql.text("SELECT source_id FROM link WHERE destination_id = ").value(issue);
    ids(context, sql.text(" AND link_type_id IN (").list(&inward).text(")"))
}

fn updated(context: &Context<'_>, call: &Function) -> Result<Vec<i64>> {
    arguments(call, 1, 3)?;
    let mut all = call.arguments.iter();
    let people = people(context, call, all.next().map_or("", String::as_str))?;
    let mut date = |which: &str| match all.next() {
        None => Ok(None),
        Some(text) => context.clock.read(text).map(Some).ok_or_else(|| {
            Fault::bad(format!("The date '{text}' is not a valid {which} of the function '{}'.", call.name))
        }),
    };
    let (from, to) = (date("dateFrom")?, date("dateTo")?);
    let from = from.map_or(i64::MIN, |it| it.from);
    let to = to.map_or(i64::MAX, |it| it.to);
    if from > to {
        let sentence = format!("The dates of the function '{}' are in the wrong order.", call.name);
        return Err(Fault::bad(sentence));
    }
    // Making an issue, changing it, and writing or changing a comment.
    let sources = [
        "SELECT i.id FROM issue i JOIN value v ON v.issue_id = i.id AND v.field_id = 'creator'
         WHERE v.ref = p.id AND i.created BETWEEN ",
        "SELECT issue_id FROM change_group WHERE author_id = p.id AND created BETWEEN ",
        "SELECT issue_id FROM comment WHERE author_id = p.id AND created BETWEEN ",
        "SELECT issue_id FROM comment WHERE update_author_id = p.id AND updated BETWEEN ",
    ];
    let mut sql = Sql::new("SELECT i.id FROM issue i WHERE EXISTS (SELECT 1 FROM person p WHERE p.id IN (");
    sql = sql.list(&people).text(") AND (0");
    for source in sources {
        sql = sql.text(" OR i.id IN (").text(source).value(from).text(" AND ").value(to).text(")");
    }
    ids(context, sql.text("))"))
}

/// The options of `cascadeOption(parent[, child])`.
fn cascade(context: &Context<'_>, call: &Function, target: Option<&Target>, field: &str) -> Result<Vec<i64>> {
    let Some(Target::ReferenceTree(id)) = target else {
        let sentence = format!("The field '{field}' is not supported by the function '{}'.", call.name);
        return Err(Fault::bad(sentence));
    };
    let (parent, child) = match call.arguments.as_slice() {
        [parent] => (parent, None),
        [parent, child] => (parent, Some(child)),
        _ => {
            let name = &call.name;
            return Err(Fault::bad(format!(
                "Incorrect number of arguments specified for the function '{name}'. Usages: {name}(parentOption), \
                 {name}(parentOption, childOption), {name}(parentOption, \"None\")."
            )));
        }
    };
    let things = names::things(context, Names::Option, id)?;
    let below = |parents: &[i64]| {
        ids(context, Sql::new("SELECT id FROM option WHERE parent_id IN (").list(parents).text(")"))
    };
    let top = ids(context, Sql::new("SELECT id FROM option WHERE parent_id IS NULL"))?;
    let find = |name: &str| {
        // `none` in quotes of its own is the name of an option.
        let inner = name.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let found = Names::Option.find(&things, &Literal::Text(name.to_owned()));
        let inner = inner.filter(|_| found.is_empty());
        inner.map_or(found, |it| Names::Option.find(&things, &Literal::Text(it.to_owned())))
    };
    let mut parents = find(parent);
    parents.retain(|it| top.contains(it));
    if parents.is_empty() {
        return Err(Fault::bad(format!(
            "The option '{parent}' specified in function '{}' is not a valid parent option.",
            call.name
        )));
    }
    let children = below(&parents)?;
    match child {
        None => Ok(parents.into_iter().chain(children).collect()),
        Some(none) if none.eq_ignore_ascii_case("none") => Ok(parents),
        Some(child) => {
            let mut found = find(child);
            found.retain(|it| children.contains(it));
            if found.is_empty() {
                return Err(Fault::bad(format!(
                    "The option '{child}' is not a child of option '{parent}' in function '{}'.",
                    call.name
                )));
            }
            Ok(found)
        }
    }
}
