//! The values with which issues are made.
//!
//! In: an outline. Out: values that the form for new issues of its project and type has.

use super::calendar::{Calendar, DAY, HOUR};
use super::event::Act;
use super::fields::{
    APPROVERS, CUSTOMER_NAME, EFFORT, FIX_TARGET, OUTAGE_START, OWNING_GROUP, PLATFORMS, REGION,
    RELEASE_NOTES, RISK, RUNBOOK, SERVED_REGIONS, SEVERITY, TARGET_DATE, TEAMS, options,
};
use super::life::Life;
use super::outline::Special;
use super::people;
use super::projects::Project;
use super::rich::{Doc, para};
use super::scheme::kind;
use crate::field::{Value, Values, custom};

/// Makes the event that makes an issue.
pub(super) fn create(
    values: Values,
    rich: Vec<(&'static str, Doc)>,
    parent: Option<usize>,
    epic: Option<usize>,
) -> Act {
    Act::Create { values, rich, parent, epic }
}

/// Returns the values of an issue, and those that are rich text.
pub(super) fn values(life: &mut Life<'_>) -> (Values, Vec<(&'static str, Doc)>) {
    let outline = life.outline();
    let mut values = Values::new();
    let mut put = |field: &str, value: Value| values.insert(field.to_owned(), value);
    put("summary", Value::Text(outline.summary.clone()));
    put("issuetype", Value::Ref(outline.kind));
    put("reporter", Value::Ref(outline.reporter));
    let priority = match outline.special {
        Special::Incident => 1,
        _ => *life.random.pick(&[1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5]),
    };
    put("priority", Value::Ref(priority));
    if outline.kind == kind::EPIC && life.has(custom::EPIC_NAME) {
        put(custom::EPIC_NAME, Value::Text(outline.short.to_owned()));
    }
    // An issue that moves on has nothing that its new project would not know.
    let settles = outline.special != Special::Moves;
    if let Some(component) = outline.project.component(outline.part).filter(|_| settles)
        && outline.kind != kind::EPIC
        && life.random.percent(85)
    {
        put("components", Value::Refs(vec![component]));
    }
    let count = *life.random.pick(&[0, 0, 1, 1, 2]);
    let labels = life.random.some(outline.stock.labels, count);
    if !labels.is_empty() {
        put("labels", Value::Texts(labels.into_iter().map(str::to_owned).collect()));
    }
    if life.has("versions")
        && settles
        && let Some(version) = last_version(outline.project, outline.created, life.setting.calendar)
        && life.random.percent(70)
    {
        put("versions", Value::Refs(vec![version]));
    }
    if life.random.percent(30) && settles {
        let to = life.member(outline.created);
        life.assignee = Some(to);
        put("assignee", Value::Ref(to));
    }
    if life.has("timetracking") && outline.kind != kind::EPIC && life.random.percent(40) {
        let estimate = (*life.random.pick(&[2_i64, 4, 4, 8, 8, 16, 24, 40]) * 3_600) as f64;
        put("timeoriginalestimate", Value::Number(estimate));
        put("timeestimate", Value::Number(estimate));
    }
    if settles {
        customs(life, &mut values);
    }
    (values, rich(life))
}

/// Adds values of custom fields.
fn customs(life: &mut Life<'_>, values: &mut Values) {
    let outline = life.outline();
    let project = outline.project.id;
    let mut put = |field: &str, value: Value| values.insert(field.to_owned(), value);
    for (field, percent) in [(SEVERITY, 100), (RISK, 50), (REGION, 45)] {
        if life.has(field) && life.random.percent(percent) {
            let chosen = *life.random.pick(&options(field, project));
            let first = options(field, project).first().copied().unwrap_or(chosen);
            put(field, Value::Ref(if outline.special == Special::Incident { first } else { chosen }));
        }
    }
    for (field, percent) in [(PLATFORMS, 75), (SERVED_REGIONS, 60)] {
        if life.has(field) && life.random.percent(percent) {
            let count = 1 + life.random.below(3);
            put(field, Value::Refs(life.random.some(&options(field, project), count)));
        }
    }
    if life.has(CUSTOMER_NAME) && life.random.percent(30) {
        let names = [
            "fennel and fig",
            "Oak Lane Books",
            "Harbour Cycles Ltd.",
            "Nordlys",
            "several",
            "Pepe's (Madrid)",
        ];
        put(CUSTOMER_NAME, Value::Text((*life.random.pick(&names)).to_owned()));
    }
    if life.has(APPROVERS) && life.random.percent(45) {
        let leads = [people::id(2), people::id(3), people::id(5), people::id(16)];
        let count = 1 + life.random.below(2);
        put(APPROVERS, Value::Refs(life.random.some(&leads, count)));
    }
    if life.has(TARGET_DATE) && life.random.percent(60) {
        let day = crate::time::day(outline.created + life.random.within(30..=200) * DAY);
        put(TARGET_DATE, Value::Text(day.to_string()));
    }
    if life.has(OUTAGE_START) && life.random.percent(15) {
        let start = outline.created - life.random.within(1..=9) * HOUR;
        put(OUTAGE_START, Value::Number((start - start.rem_euclid(60_000)) as f64));
    }
    if life.has(EFFORT) && life.random.percent(60) {
        put(EFFORT, Value::Number(*life.random.pick(&[0.5, 1.0, 2.5, 4.0, 7.5, 12.0, 20.0])));
    }
    if life.has(RUNBOOK) && life.random.percent(30) {
        let page = life.random.within(1..=80);
        put(RUNBOOK, Value::Text(format!("https://wiki.plainwire.example/runbooks/{page}")));
    }
    if life.has(TEAMS) && life.random.percent(35) {
        let count = 1 + life.random.below(2);
        let teams = life.random.some(&["design", "help-desk", "hosting", "legal", "storefront"], count);
        put(TEAMS, Value::Texts(teams.into_iter().map(str::to_owned).collect()));
    }
    if life.has(OWNING_GROUP)
        && let Some(group) = people::group("site-admins").filter(|_| life.random.percent(40))
    {
        put(OWNING_GROUP, Value::Ref(group));
    }
    if life.has(FIX_TARGET)
        && let Some(version) = next_version(outline.project, outline.created, life.setting.calendar)
        && life.random.percent(45)
    {
        put(FIX_TARGET, Value::Ref(version));
    }
}

fn rich(life: &mut Life<'_>) -> Vec<(&'static str, Doc)> {
    let outline = life.outline();
    let mut rich = Vec::new();
    if let Some(doc) = life.writer.description() {
        rich.push(("description", doc));
    }
    if life.has("environment") && !outline.stock.environments.is_empty() && life.random.percent(55) {
        let place = *life.random.pick(outline.stock.environments);
        rich.push(("environment", vec![para(place)]));
    }
    if life.has(RELEASE_NOTES) && life.random.percent(40) {
        let sentence = outline.detail.split_inclusive(". ").next().unwrap_or_default().trim();
        if !sentence.is_empty() {
            rich.push((RELEASE_NOTES, vec![para(&format!("**New:** {sentence}"))]));
        }
    }
    rich
}

/// Returns the version that has what is done at a time.
pub(super) fn next_version(project: &Project, at: i64, calendar: &Calendar) -> Option<i64> {
    let open = project.versions.iter().filter(|it| !it.is_archived);
    let time = |days: Option<i64>| days.map_or(i64::MAX, |it| calendar.end - it * DAY);
    let late = |it: &&super::projects::Version| !it.is_released || time(it.release) >= at;
    open.filter(late).map(|it| it.id).next()
}

/// Returns the version that customers had at a time.
fn last_version(project: &Project, at: i64, calendar: &Calendar) -> Option<i64> {
    let released = project.versions.iter().filter(|it| it.is_released);
    let out = released.filter(|it| it.release.is_some_and(|days| calendar.end - days * DAY < at));
    out.map(|it| it.id).next_back()
}
