//! Dates, periods and functions of time.

use jiff::tz::TimeZone;

use super::world::{BOB, EVE, NOW, World};
use crate::jql::date::{Clock, work_time};
use crate::time;

fn clock(zone: &str) -> Clock {
    Clock {
        zone: TimeZone::get(zone).expect("the zone exists"),
        now: time::read(NOW).expect("the test has a time"),
    }
}

#[test]
fn dates_and_periods_have_a_beginning_and_an_end() {
    for (zone, text, at, from, to) in [
        (
            "UTC",
            "2026-11-27",
            "2026-11-27T00:00:00.000",
            "2026-11-27T00:00:00.000",
            "2026-11-27T23:59:59.999",
        ),
        ("UTC", "2026/1/5", "2026-01-05T00:00:00.000", "2026-01-05T00:00:00.000", "2026-01-05T23:59:59.999"),
        (
            "UTC",
            " 2026-11-27 9:05 ",
            "2026-11-27T09:05:00.000",
            "2026-11-27T09:05:00.000",
            "2026-11-27T09:05:59.999",
        ),
        (
            "Europe/Berlin",
            "2026/11/27 09:05",
            "2026-11-27T08:05:00.000",
            "2026-11-27T08:05:00.000",
            "2026-11-27T08:05:59.999",
        ),
        // A day of 25 hours.
        (
            "Europe/Berlin",
            "2026-10-25",
            "2026-10-24T22:00:00.000",
            "2026-10-24T22:00:00.000",
            "2026-10-25T22:59:59.999",
        ),
        ("UTC", "-5d", "2026-11-22T12:00:00.000", "2026-11-22T00:00:00.000", "2026-11-22T23:59:59.999"),
        ("UTC", "4w 2d", "2026-12-27T12:00:00.000", "2026-12-27T00:00:00.000", "2026-12-27T23:59:59.999"),
        ("UTC", "-1w 2d", "2026-11-18T12:00:00.000", "2026-11-18T00:00:00.000", "2026-11-18T23:59:59.999"),
        ("UTC", "-1.5h", "2026-11-27T10:30:00.000", "2026-11-27T10:00:00.000", "2026-11-27T10:59:59.999"),
        ("UTC", "+30m", "2026-11-27T12:30:00.000", "2026-11-27T12:30:00.000", "2026-11-27T12:30:59.999"),
        (
            "UTC",
            "-100minutes",
            "2026-11-27T10:20:00.000",
            "2026-11-27T10:20:00.000",
            "2026-11-27T10:20:59.999",
        ),
        ("UTC", "-1d 2h", "2026-11-26T10:00:00.000", "2026-11-26T10:00:00.000", "2026-11-26T10:59:59.999"),
    ] {
        let found = clock(zone).read(text).unwrap_or_else(|| panic!("{text}"));
        let shown = [found.at, found.from, found.to].map(time::of);
        assert_eq!(shown, [at, from, to].map(|it| format!("{it}+0000")), "{text}");
    }
    for text in [
        "",
        "dd",
        "2026-02-30",
        "2026-13-01",
        "2026-11-27 24:00",
        "2026-11-27 10",
        "2026/11-27",
        "26-01-01",
        "09/1/1",
        "2026-11-27T10:00",
        "2026-11-27 10:00:00",
        "14/May/09",
        "-5x",
        "-100milestone",
        "1y",
        "-",
        "- 5d x",
        "999999999999999999w",
    ] {
        assert_eq!(clock("UTC").read(text), None, "{text}");
    }
}

#[test]
fn functions_of_time_are_those_of_the_persons_day() {
    for (zone, name, argument, expected) in [
        ("UTC", "startofday", None, "2026-11-27T00:00:00.000"),
        ("Europe/Berlin", "startofday", None, "2026-11-26T23:00:00.000"),
        ("UTC", "startofday", Some("-1"), "2026-11-26T00:00:00.000"),
        ("UTC", "startofday", Some("+2w"), "2026-12-11T00:00:00.000"),
        ("UTC", "startofday", Some("9h"), "2026-11-27T09:00:00.000"),
        ("UTC", "endofday", None, "2026-11-27T23:59:59.999"),
        ("UTC", "endofday", Some("-1d"), "2026-11-26T23:59:59.999"),
        ("UTC", "startofweek", None, "2026-11-22T00:00:00.000"),
        ("UTC", "startofweek", Some("1d"), "2026-11-23T00:00:00.000"),
        ("UTC", "startofweek", Some("-1"), "2026-11-15T00:00:00.000"),
        ("UTC", "endofweek", None, "2026-11-28T23:59:59.999"),
        ("UTC", "startofmonth", None, "2026-11-01T00:00:00.000"),
        ("UTC", "startofmonth", Some("+14d"), "2026-11-15T00:00:00.000"),
        ("UTC", "startofmonth", Some("-1"), "2026-10-01T00:00:00.000"),
        ("UTC", "endofmonth", None, "2026-11-30T23:59:59.999"),
        ("UTC", "endofmonth", Some("-1M"), "2026-10-31T23:59:59.999"),
        ("UTC", "endofmonth", Some("+15d"), "2026-12-15T23:59:59.999"),
        ("UTC", "startofyear", None, "2026-01-01T00:00:00.000"),
        ("UTC", "startofyear", Some("-1y"), "2025-01-01T00:00:00.000"),
        ("UTC", "startofyear", Some("+1M"), "2026-02-01T00:00:00.000"),
        ("UTC", "endofyear", None, "2026-12-31T23:59:59.999"),
    ] {
        let found = clock(zone).function(name, argument).and_then(Result::ok).map(time::of);
        assert_eq!(found, Some(format!("{expected}+0000")), "{name} {argument:?}");
    }
    for argument in ["-6q", "", "1d 2h", "d", "1.5d", "99999999999999999999d", "9999999y"] {
        assert_eq!(clock("UTC").function("startofday", Some(argument)), Some(Err(())), "{argument}");
    }
    assert_eq!(clock("UTC").function("startofhour", None), None);
}

#[test]
fn a_day_of_work_has_eight_hours() {
    for (text, seconds) in [
        ("60", 3_600),
        ("2h", 7_200),
        ("1d", 28_800),
        ("1w", 144_000),
        ("1h 30m", 5_400),
        ("0h", 0),
        ("1.5h", 5_400),
        (".5h", 1_800),
    ] {
        assert_eq!(work_time(text), Some(seconds), "{text}");
    }
    for text in ["", "hh", "-240", "2x", "h"] {
        assert_eq!(work_time(text), None, "{text}");
    }
}

#[test]
fn issues_are_found_by_their_times() {
    let world = World::cloud();
    for (jql, keys) in [
        ("created >= '2026-11-03'", "SHOP-3 SHOP-4 DESK-1"),
        ("created < '2026-11-03'", "SHOP-1 SHOP-2"),
        ("created <= '2026-11-03'", "SHOP-1 SHOP-2"),
        ("created > '2026-11-03 10:00'", "SHOP-3 SHOP-4 DESK-1"),
        // A date is a point in time, to the second: Jira finds nothing of the rest of that day.
        ("created = '2026-11-02'", ""),
        ("created = '2026-11-02 10:00'", "SHOP-2"),
        ("created != '2026-11-02 10:00'", "SHOP-1 SHOP-3 SHOP-4 DESK-1"),
        ("created in ('2026-11-02 10:00', '2026-11-10 08:00')", "SHOP-2 DESK-1"),
        ("created not in ('2026-11-02 10:00', '2026-11-10 08:00')", "SHOP-1 SHOP-3 SHOP-4"),
        ("created = 1793700030999", "SHOP-3"),
        ("created = '2026-11-03 10:00'", ""),
        ("created is EMPTY", ""),
        ("created is not EMPTY", "SHOP-1 SHOP-2 SHOP-3 SHOP-4 DESK-1"),
        ("created >= -1d", "SHOP-4"),
        ("created > -13h", "SHOP-4"),
        ("created > '-12h'", ""),
        ("created < now()", "SHOP-1 SHOP-2 SHOP-3 SHOP-4 DESK-1"),
        ("created >= startOfDay()", ""),
        ("created >= startOfDay(-1)", "SHOP-4"),
        ("createdDate >= startOfMonth(\"+8d\") AND created <= endOfWeek('-2w')", "DESK-1"),
        ("updated >= '2026-11-13'", "SHOP-3 SHOP-4"),
        ("updatedDate < '2026-11-07 10:00'", "SHOP-1"),
        ("resolved >= '2026-11-09'", "SHOP-3"),
        ("resolved < '2026-11-09'", ""),
        ("resolved is EMPTY", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
        ("resolutiondate != '2026-11-09'", "SHOP-3"),
        ("statusCategoryChangedDate >= '2026-11-07 10:00' AND project = SHOP", "SHOP-2 SHOP-3 SHOP-4"),
        ("Seen < '2026-11-19'", "SHOP-2"),
        ("Seen >= '2026-11-19'", ""),
        ("due = '2026-11-27'", "SHOP-2"),
        ("duedate = startOfDay()", "SHOP-2"),
        ("due != '2026-11-27'", "SHOP-3"),
        ("due <= now()", "SHOP-2"),
        ("due < now()", ""),
        ("due > 1d", "SHOP-3"),
        ("due in ('2026-11-27', '2026/12/24')", "SHOP-2 SHOP-3"),
        ("due is not EMPTY", "SHOP-2 SHOP-3"),
        ("due in ('2026-11-27', EMPTY)", "SHOP-1 SHOP-2 SHOP-4 DESK-1"),
        ("due not in ('2026-11-27')", "SHOP-3"),
    ] {
        world.check(jql, keys);
    }
    for (jql, keys) in [
        ("worklogDate = '2026-11-18'", "SHOP-2 SHOP-3"),
        ("worklogDate > '2026-11-18'", "SHOP-2"),
        ("worklogDate != '2026-11-18'", "SHOP-2"),
        ("worklogDate < '2026-11-18'", ""),
        ("worklogDate <= '2026-11-18'", "SHOP-2 SHOP-3"),
        ("worklogDate >= '2026-11-20'", ""),
    ] {
        world.check_alone(jql, keys);
    }
}

#[test]
fn a_day_is_that_of_the_person() {
    let world = World::cloud();
    // SHOP-4 is of 23:30 in UTC, and of half past midnight in Berlin.
    world.check_of(EVE, "created >= '2026-11-27' AND project = SHOP", "SHOP-4");
    world.check_of(BOB, "created >= '2026-11-27' AND project = SHOP", "");
    world.check_of(EVE, "created >= startOfDay() AND project = SHOP", "SHOP-4");
    let found = world.find(EVE, "worklogDate = '2026-11-19' ORDER BY key").unwrap_or_default();
    assert_eq!(found, ["SHOP-2", "SHOP-3"]);
}
