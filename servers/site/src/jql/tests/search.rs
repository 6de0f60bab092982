//! What each field and each operator finds.

use super::world::{ANN, BOB, EVE, World};

const ALL: &str = "SHOP-1 SHOP-2 SHOP-3 SHOP-4 DESK-1";

fn table(world: &World, cases: &[(&str, &str)]) {
    for (jql, keys) in cases {
        world.check(jql, keys);
    }
}

#[test]
fn projects_and_keys() {
    let world = World::cloud();
    table(
        &world,
        &[
            ("", ALL),
            ("project = SHOP", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("project = shop", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("project = 'web shop'", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("project = 2", "DESK-1"),
            ("project = '2'", "DESK-1"),
            ("project != SHOP", "DESK-1"),
            ("project in (SHOP, DESK)", ALL),
            ("project not in (SHOP, DESK)", ""),
            ("project is EMPTY", ""),
            ("project is not EMPTY", ALL),
            ("key = SHOP-2", "SHOP-2"),
            ("issuekey = shop-2", "SHOP-2"),
            ("issue in (SHOP-2, DESK-1)", "SHOP-2 DESK-1"),
            ("id = 10001", "SHOP-2"),
            ("key != SHOP-2", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("key not in (SHOP-1, SHOP-2)", "SHOP-3 SHOP-4 DESK-1"),
            ("key > SHOP-2", "SHOP-3 SHOP-4"),
            ("key >= SHOP-2", "SHOP-2 SHOP-3 SHOP-4"),
            ("key < SHOP-2", "SHOP-1"),
            ("key <= SHOP-2", "SHOP-1 SHOP-2"),
            ("key = EMPTY", ""),
            ("category = products", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("category != Products", ""),
            ("category is EMPTY", "DESK-1"),
            ("category not in (Products)", ""),
            ("projectType = software", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("projectType != software", "DESK-1"),
            ("projectType in (service_desk, business)", "DESK-1"),
        ],
    );
}

#[test]
fn an_issue_is_found_by_its_former_key() {
    let world = World::cloud();
    world.at("2026-11-21T10:00:00.000+0000", |work| crate::issue::move_to(work, 10_001, 2, ANN));
    world.check("key = SHOP-2", "DESK-2");
    world.check("key >= DESK-2", "DESK-2");
    world.refuses("key >= SHOP-2", "Operator '>=' cannot be applied to moved issue key 'SHOP-2'.");
}

#[test]
fn only_what_a_person_may_see_is_found() {
    let world = World::cloud();
    world.check_of(EVE, "", &format!("{ALL} HID-1"));
    world.check_of(EVE, "summary ~ login", "SHOP-2 SHOP-4 HID-1");
    world.check_of(EVE, "project = HID OR key = HID-1 OR fixVersion = '9.0' OR category = Secrets", "HID-1");
    world.check_of(BOB, "assignee = eve OR labels = hush", "");
    for (jql, sentence) in [
        ("project = HID", "The value 'HID' does not exist for the field 'project'."),
        ("project = 3", "A value with ID '3' does not exist for the field 'project'."),
        ("key = HID-1", "An issue with key 'HID-1' does not exist for field 'key'."),
        ("id = 10005", "A value with ID '10005' does not exist for the field 'id'."),
        ("fixVersion = '9.0'", "The value '9.0' does not exist for the field 'fixVersion'."),
        ("component = Vault", "The value 'Vault' does not exist for the field 'component'."),
        (
            "sprint = 'Sprint 9'",
            "Sprint with name 'Sprint 9' does not exist or you do not have permission to view it.",
        ),
        ("issue in linkedIssues(HID-1)", "Issue 'HID-1' could not be found in function 'linkedIssues'."),
        (
            "fixVersion in releasedVersions(HID)",
            "Could not resolve the project 'HID' provided to function 'releasedVersions'.",
        ),
    ] {
        world.refuses(jql, sentence);
    }
    // A link to it is no secret, but it is not found.
    world.check("issue in linkedIssues(SHOP-4)", "");
    world.check_of(EVE, "issue in linkedIssues(SHOP-4)", "HID-1");
}

#[test]
fn people() {
    let world = World::cloud();
    table(
        &world,
        &[
            ("assignee = bob", "SHOP-2"),
            ("assignee = '5b10:bob'", "SHOP-2"),
            ("assignee = JIRAUSER2", "SHOP-2"),
            ("assignee = 'BOB@example.com'", "SHOP-2"),
            ("assignee = 'bob birch'", "SHOP-2"),
            ("assignee != bob", "SHOP-4"),
            ("assignee in (ann, bob)", "SHOP-2 SHOP-4"),
            ("assignee not in (bob)", "SHOP-4"),
            ("assignee not in (bob, EMPTY)", "SHOP-4"),
            ("assignee in (bob, EMPTY)", "SHOP-1 SHOP-2 SHOP-3 DESK-1"),
            ("assignee = EMPTY", "SHOP-1 SHOP-3 DESK-1"),
            ("assignee != EMPTY", "SHOP-2 SHOP-4"),
            ("assignee is EMPTY", "SHOP-1 SHOP-3 DESK-1"),
            ("assignee is not null", "SHOP-2 SHOP-4"),
            ("NOT assignee = bob", "SHOP-4"),
            ("NOT (assignee = bob OR type = Bug)", "SHOP-4"),
            ("assignee = currentUser()", "SHOP-4"),
            ("assignee in (currentUser(), bob)", "SHOP-2 SHOP-4"),
            ("assignee in membersOf(developers)", "SHOP-2 SHOP-4"),
            ("assignee not in membersOf('DEVELOPERS')", ""),
            ("assignee in membersOf(nobody)", ""),
            ("reporter = dan", "DESK-1"),
            // Two people have the name, and one of them has it as the name of an account.
            ("reporter = 'Dan Dale'", "DESK-1"),
            ("creator = bob", "SHOP-3 DESK-1"),
            ("creator != bob", "SHOP-1 SHOP-2 SHOP-4"),
            ("watcher = currentUser()", "SHOP-1 SHOP-2 SHOP-4"),
            ("watcher != ann", "SHOP-3 DESK-1"),
            ("watcher is EMPTY", ""),
            ("voter = bob", "SHOP-3"),
            ("voter is EMPTY", "SHOP-1 SHOP-4 DESK-1"),
            ("voter not in (bob)", "SHOP-2"),
            ("issue in votedIssues()", "SHOP-2 SHOP-3"),
            ("issue in watchedIssues()", "SHOP-1 SHOP-2 SHOP-4"),
            ("votes = 2", "SHOP-3"),
            ("votes != 2", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("votes > 0", "SHOP-2 SHOP-3"),
            ("votes <= '1'", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("votes in (1, 2)", "SHOP-2 SHOP-3"),
            ("watchers >= 1", ALL),
            ("watchers < 1", ""),
            ("Reviewers = bob", "SHOP-2"),
            ("Reviewers != bob", ""),
            ("Reviewers in (dan, ann)", "SHOP-2"),
            ("Team = developers", "SHOP-2"),
            ("Team is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
        ],
    );
    world.check_of(BOB, "assignee = currentUser()", "SHOP-2");
}

#[test]
fn statuses_types_priorities_and_resolutions() {
    let world = World::cloud();
    table(
        &world,
        &[
            ("status = 'in progress'", "SHOP-2"),
            ("status = 22", "SHOP-2"),
            ("status = '22'", "SHOP-2"),
            ("status != 'To Do'", "SHOP-2 SHOP-3"),
            ("status in ('In Progress', Done)", "SHOP-2 SHOP-3"),
            ("status not in (Done)", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("status is EMPTY", ""),
            ("statusCategory = 'To Do'", "SHOP-1 SHOP-4 DESK-1"),
            ("statusCategory = new", "SHOP-1 SHOP-4 DESK-1"),
            ("statusCategory = indeterminate", "SHOP-2"),
            ("statusCategory = 3", "SHOP-3"),
            ("statusCategory != Done", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("statusCategory in (done, 'in progress')", "SHOP-2 SHOP-3"),
            ("statusCategory is EMPTY", ""),
            ("type = Bug", "SHOP-3 DESK-1"),
            ("issuetype != Bug", "SHOP-1 SHOP-2 SHOP-4"),
            ("'Issue Type' = Epic", "SHOP-1"),
            ("type in standardIssueTypes()", "SHOP-1 SHOP-2 SHOP-3 DESK-1"),
            ("type in subTaskIssueTypes()", "SHOP-4"),
            ("type not in subTaskIssueTypes()", "SHOP-1 SHOP-2 SHOP-3 DESK-1"),
            ("hierarchyLevel = 1", "SHOP-1"),
            ("hierarchyLevel < 0", "SHOP-4"),
            ("hierarchyLevel >= 0", "SHOP-1 SHOP-2 SHOP-3 DESK-1"),
            ("hierarchyLevel not in (0, 1)", "SHOP-4"),
            ("priority = High", "SHOP-2"),
            ("priority > Medium", "SHOP-2"),
            ("priority >= Medium", "SHOP-1 SHOP-2 SHOP-4"),
            ("priority < Medium", "SHOP-3"),
            ("priority <= Medium", "SHOP-1 SHOP-3 SHOP-4"),
            ("priority != Medium", "SHOP-2 SHOP-3"),
            ("priority is EMPTY", "DESK-1"),
            ("NOT priority > Medium", "SHOP-1 SHOP-3 SHOP-4"),
            ("resolution = Unresolved", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("resolution in (unresolved, \"Won't Do\")", ALL),
            ("resolution != Unresolved", "SHOP-3"),
            ("resolution is EMPTY", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("resolution = \"Won't Do\"", "SHOP-3"),
            ("resolution != Fixed", "SHOP-3"),
            ("resolution > Fixed", "SHOP-3"),
            ("resolution <= Fixed", ""),
        ],
    );
}

#[test]
fn labels_components_and_versions() {
    let world = World::cloud();
    table(
        &world,
        &[
            ("labels = backend", "SHOP-2"),
            ("labels = 'ÉTÉ'", "SHOP-2"),
            ("labels != backend", "SHOP-3"),
            ("labels in (backend, frontend)", "SHOP-2 SHOP-3"),
            ("labels not in (backend)", "SHOP-3"),
            ("labels = nothing", ""),
            ("labels != nothing", "SHOP-2 SHOP-3"),
            ("labels is EMPTY", "SHOP-1 SHOP-4 DESK-1"),
            ("labels in (EMPTY, frontend)", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("component = Cart", "SHOP-2 SHOP-3"),
            ("component = Search", "SHOP-3"),
            // It has other components too, but it has this one.
            ("component != Search", "SHOP-2"),
            ("component not in (Cart)", ""),
            ("component is not EMPTY", "SHOP-2 SHOP-3"),
            ("components = 1", "SHOP-2 SHOP-3"),
            ("component in componentsLeadByUser(bob)", "SHOP-2 SHOP-3"),
            ("component in componentsLeadByUser()", ""),
            ("fixVersion = '1.0'", "SHOP-2"),
            ("fixVersion = 103", "SHOP-3"),
            ("fixVersion != '1.0'", "SHOP-3"),
            ("fixVersion in ('1.0', '2.0')", "SHOP-2 SHOP-3"),
            ("fixVersion < '2.0'", "SHOP-2"),
            ("fixVersion <= '2.0'", "SHOP-2 SHOP-3"),
            ("fixVersion > '1.0'", "SHOP-3"),
            ("fixVersion >= '3.0'", ""),
            ("fixVersion is EMPTY", "SHOP-1 SHOP-4 DESK-1"),
            ("'Fix versions' = '1.0'", "SHOP-2"),
            ("fixVersion in releasedVersions()", "SHOP-2"),
            ("fixVersion in releasedVersions(SHOP)", "SHOP-2"),
            ("fixVersion in unreleasedVersions('web shop')", "SHOP-3"),
            ("fixVersion not in releasedVersions()", "SHOP-3"),
            ("fixVersion = latestReleasedVersion(SHOP)", ""),
            ("affectedVersion = latestReleasedVersion(SHOP)", "SHOP-2"),
            ("fixVersion = earliestUnreleasedVersion(1)", "SHOP-3"),
            ("fixVersion > latestReleasedVersion()", "SHOP-3"),
            ("affectedVersion = '1.1'", "SHOP-2"),
            ("affectedVersion is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("sprint = 'Sprint 2'", "SHOP-2"),
            ("sprint = 63", "SHOP-3"),
            ("sprint in openSprints()", "SHOP-2"),
            ("sprint in closedSprints()", "SHOP-2"),
            ("sprint in futureSprints()", "SHOP-3"),
            ("sprint not in openSprints()", "SHOP-3"),
            ("sprint is EMPTY", "SHOP-1 SHOP-4 DESK-1"),
        ],
    );
}

#[test]
fn parents_and_links_on_cloud() {
    table(
        &World::cloud(),
        &[
            ("parent = SHOP-1", "SHOP-2"),
            ("parent = SHOP-2", "SHOP-4"),
            ("parent = 10000", "SHOP-2"),
            ("parent in (SHOP-1, SHOP-2)", "SHOP-2 SHOP-4"),
            ("parent != SHOP-1", "SHOP-4"),
            ("parent is EMPTY", "SHOP-1 SHOP-3 DESK-1"),
            ("'Epic Link' = SHOP-1", "SHOP-2"),
            ("'epic link' is not EMPTY", "SHOP-2 SHOP-4"),
            ("cf[10014] = SHOP-1", "SHOP-2"),
            ("issue in linkedIssues(SHOP-2)", "SHOP-3"),
            ("issue in linkedIssues('SHOP-2', blocks)", "SHOP-3"),
            ("issue in linkedIssues('SHOP-2', 'is blocked by')", ""),
            ("issue in linkedIssues('SHOP-3', 'Is Blocked By', 'relates to')", "SHOP-2"),
            ("issue not in linkedIssues(SHOP-2)", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("issueLinkType = blocks", "SHOP-2 SHOP-3"),
            ("issueLinkType = 'is blocked by'", "SHOP-3"),
            ("issueLinkType = Relates", "SHOP-4"),
            ("issueLinkType != Relates", "SHOP-2 SHOP-3"),
            ("issueLinkType in (Blocks, Relates)", "SHOP-2 SHOP-3 SHOP-4"),
            ("issueLinkType is EMPTY", "SHOP-1 DESK-1"),
            ("issueLink = SHOP-2", "SHOP-3"),
            ("issueLink != SHOP-2", "SHOP-2 SHOP-4"),
            ("attachments is not EMPTY", "SHOP-2"),
            ("attachments is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
        ],
    );
}

#[test]
fn parents_and_epics_on_data_center() {
    let world = World::data_center();
    table(
        &world,
        &[
            ("parent = SHOP-2", "SHOP-4"),
            ("parent != SHOP-2", "SHOP-1 SHOP-2 SHOP-3 DESK-1"),
            ("'Epic Link' = SHOP-1", "SHOP-2"),
            ("'Epic Link' = Checkout", "SHOP-2"),
            ("'Epic Link' is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("'Epic Link' != SHOP-1", ""),
            ("'Epic Name' ~ checkout", "SHOP-1"),
        ],
    );
    world.refuses("parent is EMPTY", "The operator 'is' is not supported by the 'parent' field.");
    world.refuses("parent = EMPTY", "The field 'parent' does not support searching for EMPTY values.");
    world.refuses(
        "hierarchyLevel = 1",
        "Field 'hierarchyLevel' does not exist or you do not have permission to view it.",
    );
    world.refuses("'Epic Link' = nothing", "The issue key 'nothing' for field 'Epic Link' is invalid.");
}

#[test]
fn custom_fields() {
    let world = World::cloud();
    table(
        &world,
        &[
            ("'Story Points' = 5", "SHOP-2"),
            ("'story points' = 2.5", "SHOP-3"),
            ("cf[10016] = 5", "SHOP-2"),
            ("cf[10016] != 5", ""),
            ("cf[10060] != 5", "SHOP-3"),
            ("customfield_10016 > 4.5", "SHOP-2"),
            ("cf[10016] >= 5", "SHOP-2"),
            ("cf[10016] < 5", ""),
            ("cf[10016] in (4, 5)", "SHOP-2"),
            ("cf[10016] is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("Severity = major", "SHOP-2"),
            ("Severity = 31", "SHOP-3"),
            ("Severity != Major", "SHOP-3"),
            ("Severity in (Major, Minor)", "SHOP-2 SHOP-3"),
            ("'Severity[Dropdown]' = Major", "SHOP-2"),
            ("'Story Points[Number]' = 5", "SHOP-2"),
            ("Severity is EMPTY", "SHOP-1 SHOP-4 DESK-1"),
            ("Place = Berlin", "SHOP-2"),
            ("Place = Europe", "SHOP-2 SHOP-3"),
            ("Place != Berlin", "SHOP-3"),
            ("Place = Asia", ""),
            ("Place in cascadeOption(Europe)", "SHOP-2 SHOP-3"),
            ("Place in cascadeOption(Europe, Berlin)", "SHOP-2"),
            ("Place in cascadeOption(Europe, None)", "SHOP-3"),
            ("Place in cascadeOption(41, 42)", "SHOP-2"),
            ("Place not in cascadeOption(Europe, None)", "SHOP-2"),
            ("Place in cascadeOption(None)", "SHOP-1 SHOP-4 DESK-1"),
            ("Flagged = Impediment", "SHOP-2"),
            ("Flagged is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("'Request Type' = 'get help'", "DESK-1"),
            ("'customer request type' = 'Get help (DESK)'", "DESK-1"),
            ("'Request Type' is EMPTY", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("Site = 'https://example.com/a'", "SHOP-2"),
            ("Site = 'https://example.com'", ""),
            ("Site is not EMPTY", "SHOP-2"),
            ("originalEstimate = 1d", "SHOP-2"),
            ("originalEstimate = 480", "SHOP-2"),
            ("originalEstimate > 4h", "SHOP-2"),
            ("originalEstimate < 4h", ""),
            ("timeoriginalestimate is EMPTY", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("timespent > 30m", "SHOP-2"),
            ("timespent = '3h'", "SHOP-2"),
            ("timespent <= 30m", "SHOP-3"),
            ("timespent != 30m", "SHOP-2"),
            ("timespent is EMPTY", "SHOP-1 SHOP-4 DESK-1"),
        ],
    );
    // Either of two fields with one name counts, and an entry of somebody else, too.
    world.check_alone("'Story Points' is EMPTY", ALL);
    world.check_alone("'Story Points' is not EMPTY", "SHOP-2 SHOP-3");
    world.check_alone("worklogAuthor = bob", "SHOP-2");
    world.check_alone("worklogAuthor in (ann, bob)", "SHOP-2 SHOP-3");
    world.check_alone("worklogAuthor = dan", "");
    world.check_alone("worklogAuthor != bob", "SHOP-2 SHOP-3");
    world.check_alone("worklogAuthor != ann", "SHOP-2");
}

#[test]
fn filters() {
    let world = World::cloud();
    table(
        &world,
        &[
            ("filter = Bugs", "SHOP-3 DESK-1"),
            ("filter = 201", "SHOP-3 DESK-1"),
            ("savedFilter = '201' AND project = SHOP", "SHOP-3"),
            ("filter != Bugs", "SHOP-1 SHOP-2 SHOP-4"),
            ("filter in (Bugs, 'Bugs of bugs')", "SHOP-3 DESK-1"),
            ("filter = 'Bugs of bugs'", "SHOP-3"),
            ("NOT filter = 'Bugs of bugs'", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("filter = 'All'", ALL),
        ],
    );
    // A filter of somebody else is about the one who asks.
    world.check_of(BOB, "filter = Mine", "SHOP-2");
    world.refuses("filter = Mine", "The value 'Mine' does not exist for the field 'filter'.");
    world.refuses("filter = 999", "A value with ID '999' does not exist for the field 'filter'.");
    world.refuses("filter = Broken", "The value 'Nonsense' does not exist for the field 'type'.");
    let loops = "causes a cyclical reference, this query can not be executed and should be edited.";
    world.refuses(
        "filter = Loop",
        &format!("Field 'filter' with value 'Loop' matches filter 'Loop' and {loops}"),
    );
}

#[test]
fn functions_about_projects_and_updates() {
    let world = World::cloud();
    table(
        &world,
        &[
            ("project in projectsLeadByUser()", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("project in projectsLeadByUser(bob)", "DESK-1"),
            ("project in projectsLeadByUser(dan)", ""),
            ("project in projectsWhereUserHasPermission('edit issues')", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("project in projectsWhereUserHasPermission(BROWSE_PROJECTS)", ALL),
            ("project in projectsWhereUserHasPermission('Link Issues')", ""),
            ("issue in updatedBy(ann)", "SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
            ("issue in updatedBy(bob)", "SHOP-2 SHOP-3 DESK-1"),
            ("issue in updatedBy(bob, '2026-11-10')", "SHOP-2 SHOP-3 DESK-1"),
            ("issue in updatedBy(bob, '2026-11-10', '2026-11-13')", "SHOP-3 DESK-1"),
            ("issue in updatedBy(eve)", "SHOP-3"),
            ("issue not in updatedBy(ann)", "DESK-1"),
        ],
    );
}

#[test]
fn former_values() {
    table(
        &World::cloud(),
        &[
            ("status was 'To Do'", ALL),
            ("status was Done", "SHOP-2 SHOP-3"),
            ("status was not Done", "SHOP-1 SHOP-4 DESK-1"),
            ("status was in (Done, 'In Progress')", "SHOP-2 SHOP-3"),
            ("status was not in (Done, 'In Progress')", "SHOP-1 SHOP-4 DESK-1"),
            ("status was 'In Progress'", "SHOP-2"),
            ("status was Done by bob", "SHOP-2 SHOP-3"),
            ("status was Done by ann", ""),
            ("status was Done by (ann, bob)", "SHOP-2 SHOP-3"),
            // The first status is that of the one who made the issue.
            ("status was 'To Do' by bob", "SHOP-3 DESK-1"),
            ("status was Done on '2026-11-06'", "SHOP-2"),
            ("status was Done on '2026-11-08'", ""),
            ("status was Done on '2026-11-20'", "SHOP-3"),
            ("status was Done before '2026-11-09'", "SHOP-2"),
            ("status was Done after '2026-11-07'", "SHOP-3"),
            ("status was 'In Progress' during ('2026-11-05', '2026-11-05')", "SHOP-2"),
            ("status was 'In Progress' during ('2026-11-03', '2026-11-04')", ""),
            ("status was 'In Progress' during ('2026-11-06 11:00', '2026-11-06 12:00')", ""),
            ("status was Done by bob after '2026-11-07'", "SHOP-3"),
            ("status was Done after -1w", "SHOP-3"),
            ("status was not Done before '2026-11-09'", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("resolution was Fixed", "SHOP-2"),
            ("resolution was EMPTY", ALL),
            ("resolution was Unresolved on '2026-11-20'", "SHOP-1 SHOP-2 DESK-1"),
            ("resolution was not EMPTY", ""),
            ("assignee was bob", "SHOP-2 SHOP-3"),
            ("assignee was EMPTY", "SHOP-1 SHOP-3 DESK-1"),
            ("assignee was in (EMPTY, ann)", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
            ("assignee was currentUser()", "SHOP-4"),
            ("assignee was in membersOf(developers)", "SHOP-2 SHOP-3 SHOP-4"),
            ("fixVersion was '3.0'", "SHOP-3"),
            ("fixVersion was '3.0' on '2026-11-14'", ""),
            ("fixVersion was not '3.0'", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
            ("priority was Low", "SHOP-3"),
            ("reporter was dan", "DESK-1"),
        ],
    );
}

#[test]
fn changes() {
    table(
        &World::cloud(),
        &[
            ("status changed", "SHOP-2 SHOP-3"),
            ("NOT status changed", "SHOP-1 SHOP-4 DESK-1"),
            ("status changed from 'To Do' to Done", "SHOP-3"),
            ("status changed from 'To Do' to 'In Progress'", "SHOP-2"),
            ("status changed from Done", "SHOP-2"),
            ("status changed to 'To Do'", ""),
            ("status changed from ('To Do', Done) to 'In Progress'", "SHOP-2"),
            ("status changed to 'In Progress' by ann", "SHOP-2"),
            ("status changed to Done by ann", ""),
            ("status changed by currentUser()", "SHOP-2"),
            ("status changed on '2026-11-09'", "SHOP-3"),
            ("status changed after '2026-11-07'", "SHOP-3"),
            ("status changed before '2026-11-06'", "SHOP-2"),
            ("status changed during ('2026-11-06', '2026-11-07')", "SHOP-2"),
            ("status changed during ('2026-11-07', '2026-11-08') to Done", ""),
            ("status changed after -30d before startOfDay(-20d)", "SHOP-2"),
            ("priority changed", ""),
            ("assignee changed from EMPTY to bob", "SHOP-3"),
            ("assignee changed to EMPTY", "SHOP-3"),
            ("assignee changed from bob by ann", ""),
            ("resolution changed from Fixed to Unresolved", "SHOP-2"),
            ("fixVersion changed", "SHOP-3"),
            ("fixVersion changed to '3.0' by ann", "SHOP-3"),
            ("fixVersion changed to '2.0'", ""),
            // A version that went while another one stayed.
            ("fixVersion changed from '3.0'", "SHOP-3"),
            ("fixVersion changed from '3.0' by bob", "SHOP-3"),
            ("fixVersion changed from '3.0' by ann", ""),
            ("fixVersion changed on '2026-11-13'", "SHOP-3"),
            ("fixVersion changed on '2026-11-14'", ""),
        ],
    );
}

#[test]
fn issues_are_ordered() {
    let world = World::cloud();
    for (jql, keys) in [
        ("", "DESK-1 SHOP-4 SHOP-3 SHOP-2 SHOP-1"),
        ("order by key", "DESK-1 SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
        ("order by key DESC", "SHOP-4 SHOP-3 SHOP-2 SHOP-1 DESK-1"),
        ("order by created", "SHOP-4 DESK-1 SHOP-3 SHOP-2 SHOP-1"),
        ("order by created asc", "SHOP-1 SHOP-2 SHOP-3 DESK-1 SHOP-4"),
        ("order by updated desc", "SHOP-4 SHOP-3 DESK-1 SHOP-2 SHOP-1"),
        ("project = SHOP order by priority", "SHOP-2 SHOP-4 SHOP-1 SHOP-3"),
        ("project = SHOP order by priority asc, key", "SHOP-3 SHOP-1 SHOP-4 SHOP-2"),
        ("order by project, key", "DESK-1 SHOP-1 SHOP-2 SHOP-3 SHOP-4"),
        ("order by rank", "SHOP-1 SHOP-2 SHOP-3 SHOP-4 DESK-1"),
        ("order by rank desc", "DESK-1 SHOP-4 SHOP-3 SHOP-2 SHOP-1"),
        ("order by summary", "SHOP-1 SHOP-4 SHOP-2 DESK-1 SHOP-3"),
        ("order by assignee asc, key", "SHOP-4 SHOP-2 DESK-1 SHOP-1 SHOP-3"),
        ("order by duedate asc, key", "SHOP-2 SHOP-3 DESK-1 SHOP-1 SHOP-4"),
        ("due is not EMPTY order by due", "SHOP-3 SHOP-2"),
        ("order by 'Story Points' desc, key", "DESK-1 SHOP-1 SHOP-4 SHOP-3 SHOP-2"),
        ("order by votes, key", "SHOP-3 SHOP-2 DESK-1 SHOP-1 SHOP-4"),
        ("order by statusCategory asc, key desc", "SHOP-4 SHOP-1 DESK-1 SHOP-2 SHOP-3"),
        (
            "order by fixVersion asc, labels, component, parent, type, status, resolution, key",
            "SHOP-2 SHOP-3 SHOP-4 DESK-1 SHOP-1",
        ),
        (
            "order by Severity, Place, Flagged, Team, Reviewers, sprint, Site, watchers, hierarchyLevel, key",
            "SHOP-3 SHOP-2 SHOP-4 DESK-1 SHOP-1",
        ),
    ] {
        let found = world.find(ANN, jql).unwrap_or_else(|fault| panic!("{jql}: {fault}"));
        assert_eq!(found.join(" "), keys, "{jql}");
    }
}

#[test]
fn a_page_is_a_part_of_the_whole() {
    let world = World::cloud();
    let compiled = world.compile(ANN, "order by key").expect("the query is right");
    world.at(super::world::NOW, |work| {
        let whole = compiled.ids(work, 0, 10)?;
        assert_eq!(compiled.ids(work, 1, 2)?, whole[1..3]);
        assert_eq!(compiled.ids(work, 4, 10)?, whole[4..]);
        assert!(compiled.ids(work, u64::MAX, u64::MAX)?.is_empty());
        assert!(compiled.ids(work, 0, 0)?.is_empty());
        assert_eq!(compiled.count(work)?, 5);
        assert!(!compiled.matches(work, 999)?);
        Ok(())
    });
}

#[test]
fn a_query_says_whether_it_restricts_and_orders() {
    let world = World::cloud();
    for (jql, is_bounded, order_len) in [
        ("", false, 0),
        ("order by created, key", false, 2),
        ("project = SHOP", true, 0),
        ("project is not EMPTY order by 'Story Points'", true, 1),
    ] {
        let compiled = world.compile(ANN, jql).expect("the query is right");
        assert_eq!((compiled.is_bounded(), compiled.order_len()), (is_bounded, order_len), "{jql}");
    }
}
