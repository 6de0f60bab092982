//! Queries that are refused: those that are wrong with Jira's sentences, those that this site cannot answer with 501.

use super::world::World;
use crate::Fault;

#[test]
fn sentences_are_those_of_jira() {
    let world = World::cloud();
    let formats = "Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.";
    let days = "Valid formats include: 'YYYY/MM/DD', 'YYYY-MM-DD', or a period format e.g. '-5d', '4w 2d'.";
    let duration = "Please specify a positive duration format; for example: '1h 30m', '2d'.";
    let increment = "should have the format (+/-)n(yMwdm), e.g -1M for 1 month earlier.";
    let table: &[(&str, String)] = &[
        ("foo = 1", "Field 'foo' does not exist or you do not have permission to view it.".into()),
        ("cf[99] = 1", "Field 'cf[99]' does not exist or you do not have permission to view it.".into()),
        ("'Severity[Checkboxes]' = Major", "Field 'Severity[Checkboxes]' does not exist or you do not have permission to view it.".into()),
        ("subtasks is EMPTY", "Field 'subtasks' does not exist or you do not have permission to view it.".into()),
        ("remainingEstimate > 1h", "Field 'remainingEstimate' does not exist or you do not have permission to view it.".into()),
        ("project = x", "The value 'x' does not exist for the field 'project'.".into()),
        ("Status = Blocked", "The value 'Blocked' does not exist for the field 'Status'.".into()),
        ("status = 666", "A value with ID '666' does not exist for the field 'status'.".into()),
        ("assignee = nobody", "The value 'nobody' does not exist for the field 'assignee'.".into()),
        ("assignee = 5", "The value '5' does not exist for the field 'assignee'.".into()),
        ("priority = ''", "The value '' does not exist for the field 'priority'.".into()),
        ("category = x", "The value 'x' does not exist for the field 'category'.".into()),
        ("statusCategory = x", "The value 'x' does not exist for the field 'statusCategory'.".into()),
        ("Severity = x", "The option 'x' for field 'Severity' does not exist.".into()),
        ("Team = x", "The group 'x' for field 'Team' does not exist.".into()),
        ("sprint = 5", "Sprint with ID '5' does not exist or you do not have permission to view it.".into()),
        ("issue = '10000'", "The issue key '10000' for field 'issue' is invalid.".into()),
        ("key = x", "The issue key 'x' for field 'key' is invalid.".into()),
        ("key = SHOP-99", "An issue with key 'SHOP-99' does not exist for field 'key'.".into()),
        ("id = 666", "A value with ID '666' does not exist for the field 'id'.".into()),
        ("parent = SHOP-99", "An issue with key 'SHOP-99' does not exist for field 'parent'.".into()),
        ("issueLinkType = x", "The value 'x' does not exist for the field 'issueLinkType'.".into()),
        ("status ~ x", "The operator '~' is not supported by the 'status' field.".into()),
        ("status > Done", "The operator '>' is not supported by the 'status' field.".into()),
        ("summary = x", "The operator '=' is not supported by the 'summary' field.".into()),
        ("summary in (x)", "The operator 'in' is not supported by the 'summary' field.".into()),
        ("text !~ x", "The operator '!~' is not supported by the 'text' field.".into()),
        ("text is EMPTY", "The operator 'is' is not supported by the 'text' field.".into()),
        ("key is not EMPTY", "The operator 'is not' is not supported by the 'key' field.".into()),
        ("votes is EMPTY", "The operator 'is' is not supported by the 'votes' field.".into()),
        ("attachments = x", "The operator '=' is not supported by the 'attachments' field.".into()),
        ("rank = x", "The operator '=' is not supported by the 'rank' field.".into()),
        ("filter is EMPTY", "The operator 'is' is not supported by the 'filter' field.".into()),
        ("labels > x", "The operator '>' is not supported by the 'labels' field.".into()),
        ("cf[10016] ~ 5", "The operator '~' is not supported by the 'cf[10016]' field.".into()),
        ("comment is EMPTY", "The field 'comment' does not support searching for EMPTY values.".into()),
        ("comment ~ EMPTY", "The field 'comment' does not support searching for EMPTY values.".into()),
        ("text ~ EMPTY", "The field 'text' does not support searching for EMPTY values.".into()),
        ("filter = EMPTY", "The field 'filter' does not support searching for EMPTY values.".into()),
        ("text ~ ''", "The field 'text' does not support searching for an empty string.".into()),
        ("text ~ AND", "Error in JQL Query: Expecting either a value, list or function but got 'AND'. You must surround 'AND' in quotation marks to use it as a value. (line 1, character 8)".into()),
        ("text ~ 'AND'", "Unable to parse the text 'AND' for field 'text'.".into()),
        ("summary ~ 'BAD +'", "Unable to parse the text 'BAD +' for field 'summary'.".into()),
        ("summary ~ currentUser()", "The field 'summary' is unable to parse the text given to it by the function 'currentUser'.".into()),
        ("votes = EMPTY", "Value 'EMPTY' is invalid for the 'votes' field. Votes must be a positive whole number.".into()),
        ("votes = -3", "Value '-3' is invalid for the 'votes' field. Votes must be a positive whole number.".into()),
        ("votes = currentUser()", "A value provided by the function 'currentUser' is invalid for the field 'votes'. Votes must be a positive whole number.".into()),
        ("originalEstimate = hh", format!("The value 'hh' for field 'originalEstimate' is invalid. {duration}")),
        ("originalEstimate = '-240'", format!("The value '-240' for field 'originalEstimate' is invalid. {duration}")),
        ("timespent = currentUser()", "A value provided by the function 'currentUser' for the field 'timespent' is not a positive duration.".into()),
        ("cf[10016] = BLAH", "Value 'BLAH' for the 'cf[10016]' field is not a valid number.".into()),
        ("'Story Points' = nan", "Value 'nan' for the 'Story Points' field is not a valid number.".into()),
        ("cf[10016] = currentUser()", "A value provided by the function 'currentUser' for the field 'cf[10016]' is not a valid number.".into()),
        ("created > yesterday", format!("Date value 'yesterday' for field 'created' is invalid. {formats}")),
        ("created = ''", format!("Date value '' for field 'created' is invalid. {formats}")),
        ("due = '2010/02/35'", format!("Date value '2010/02/35' for field 'due' is invalid. {days}")),
        ("created < currentUser()", "A date for the field 'created' provided by the function 'currentUser' is not valid.".into()),
        ("status = currentUser()", "A value provided by the function 'currentUser' is invalid for the field 'status'.".into()),
        ("assignee = NOW()", "A value provided by the function 'NOW' is invalid for the field 'assignee'.".into()),
        ("parent = currentuser()", "A value provided by the function 'currentuser' for the field 'parent' is not a valid issue key.".into()),
        ("Severity = currentUser()", "An option provided by the function 'currentUser' for the field 'Severity' does not exist.".into()),
        ("Team = now()", "A group provided by the function 'now' for the field 'Team' does not exist.".into()),
        ("project = x()", "Unable to find JQL function 'x()'.".into()),
        ("project in (dontExist(HSP))", "Unable to find JQL function 'dontExist(HSP)'.".into()),
        ("created > now(1)", "Function 'now' expected '0' arguments but received '1'.".into()),
        ("assignee = currentuser(x)", "Function 'currentuser' expected '0' arguments but received '1'.".into()),
        ("assignee in membersOf(a, b)", "Function 'membersOf' expected '1' arguments but received '2'.".into()),
        ("project in projectsLeadByUser(a, b)", "Function 'projectsLeadByUser' expected between '0' and '1' arguments but received '2'.".into()),
        ("assignee in membersof(x)", "Function 'membersof' can not generate a list of usernames for group 'x'; the group does not exist.".into()),
        ("created > startOfDay(invalid)", format!("Duration for function 'startOfDay' {increment}")),
        ("created > endOfWeek(1, 2)", "Function 'endOfWeek' expected between '0' and '1' arguments but received '2'.".into()),
        ("issue in linkedIssues()", "Incorrect number of arguments for function 'linkedIssues'. Usage: 'linkedIssues ( issuekey [, linkDescription ]* )'.".into()),
        ("issue in linkedIssues(SHOP-99)", "Issue 'SHOP-99' could not be found in function 'linkedIssues'.".into()),
        ("issue in linkedIssues(SHOP-2, fred)", "Issue link type 'fred' could not be found in function 'linkedIssues'.".into()),
        ("fixVersion = latestReleasedVersion(x)", "Could not resolve the project 'x' provided to function 'latestReleasedVersion'.".into()),
        ("Place in cascadeOption(x)", "The option 'x' specified in function 'cascadeOption' is not a valid parent option.".into()),
        ("Place in cascadeOption(Berlin)", "The option 'Berlin' specified in function 'cascadeOption' is not a valid parent option.".into()),
        ("Place in cascadeOption(Europe, Asia)", "The option 'Asia' is not a child of option 'Europe' in function 'cascadeOption'.".into()),
        ("Place in cascadeOption(None, Asia)", "The option 'None' specified in function 'cascadeOption' is not a valid parent option.".into()),
        ("issue in cascadeOption(a)", "The field 'issue' is not supported by the function 'cascadeOption'.".into()),
        ("status in Open", "Operator 'in' does not support the non-list value '\"Open\"' for field 'status'.".into()),
        ("assignee not in currentUser()", "Operator 'not in' does not support the non-list value 'currentUser()' for field 'assignee'.".into()),
        ("status = (Done)", "Operator '=' does not support the list value '(\"Done\")' for field 'status'.".into()),
        ("sprint = openSprints()", "Operator '=' does not support the list value 'openSprints()' for field 'sprint'.".into()),
        ("status was (Done)", "Operator 'was' does not support the list value '(\"Done\")' for field 'status'.".into()),
        ("assignee is bob", "Operator 'is' does not support searching for non-empty values for field 'assignee'.".into()),
        ("due is not '2026-01-01'", "Operator 'is not' does not support searching for non-empty values for field 'due'.".into()),
        ("priority > EMPTY", "Operator '>' does not support the empty value representation 'EMPTY' for field 'priority'.".into()),
        ("priority in EMPTY", "Operator 'in' does not support the empty value representation 'EMPTY' for field 'priority'.".into()),
        ("summary was x", "History searches do not support the 'summary' field.".into()),
        ("labels changed", "History searches do not support the 'labels' field.".into()),
        ("status was nonexistent", "The value 'nonexistent' does not exist for the field 'status'.".into()),
        ("status changed from fred", "The value 'fred' does not exist for the field 'status'.".into()),
        ("status changed after '20/12/10'", format!("Date value '20/12/10' for predicate 'after' is invalid. {formats}")),
        ("status changed after currentUser()", "A date for the predicate 'after' provided by the function 'currentUser' is not valid.".into()),
        ("status changed before (11, 12)", "The BEFORE predicate must be supplied with only 1 date value.".into()),
        ("status changed during 11", "The DURING predicate must be supplied with exactly 2 date values.".into()),
        ("status changed by nobody", "The user 'nobody' does not exist and cannot be used in the 'by' predicate.".into()),
        ("assignee changed by bogus()", "Unable to find JQL function 'bogus()'.".into()),
        ("assignee was bogus()", "Unable to find JQL function 'bogus()'.".into()),
        ("status was Done AFTER startOfDay('invalid')", format!("Duration for function 'startOfDay' {increment}")),
        ("order by bogus", "Not able to sort using field 'bogus'.".into()),
        ("order by text", "Field 'text' does not support sorting.".into()),
        ("order by watcher", "Field 'watcher' does not support sorting.".into()),
    ];
    for (jql, sentence) in table {
        world.refuses(jql, sentence);
    }
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let world = World::cloud();
    let fault = world.fault("project in (SHOP, x, 666) AND foo = 1 OR NOT status = Blocked ORDER BY bogus");
    assert_eq!(
        fault,
        Fault {
            messages: vec![
                "The value 'x' does not exist for the field 'project'.".into(),
                "A value with ID '666' does not exist for the field 'project'.".into(),
                "Field 'foo' does not exist or you do not have permission to view it.".into(),
                "The value 'Blocked' does not exist for the field 'status'.".into(),
                "Not able to sort using field 'bogus'.".into(),
            ],
            ..Fault::bad("")
        }
    );
}

#[test]
fn what_this_site_lacks_gives_501() {
    let world = World::cloud();
    for jql in [
        "lastViewed > -1d",
        "workRatio > 50",
        "level = x",
        "level is EMPTY",
        "worklogComment ~ x",
        "parentEpic = SHOP-1",
        "Score = 5",
        "issue.property[x].y = 1",
        "created > currentLogin()",
        "created > lastLogin()",
        "issue in issueHistory()",
        "assignee = approver()",
        "project in projectsWhereUserHasRole(Developers)",
        "project = SHOP AND lastViewed > -1d",
        "summary ~ '*slow'",
        "summary ~ 'sl?w'",
        "summary ~ 'slow~'",
        "summary ~ 'a b OR c AND d'",
        "order by lastViewed",
        "order by subtasks",
        "order by issue.property[x]",
    ] {
        world.lacks(jql);
    }
    // What is wrong comes before what is missing.
    world.refuses(
        "lastViewed > -1d AND foo = 1",
        "Field 'foo' does not exist or you do not have permission to view it.",
    );
}
