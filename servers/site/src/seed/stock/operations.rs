//! The texts of operations.

use super::{ANY, Stock, Topic, task};

/// The texts of operations.
pub(in super::super) static OPERATIONS: Stock = Stock {
    topics: TOPICS,
    epics: &[],
    places: &[
        ("web-01", 0),
        ("web-02", 0),
        ("pay-batch-2", 0),
        ("search-north", 0),
        ("Alarm rules", 1),
        ("Log storage", 1),
        ("Status page", 1),
        ("Backup of the ledger", 2),
        ("Backup of the pictures", 2),
        ("Meeting room Kiel", 3),
        ("Laptop pool", 3),
        ("Access cards", 3),
    ],
    symptoms: &[],
    chores: &[
        ("{place}: updates of the month", "As always: the spare first, then a coffee, then the rest."),
        ("{place}: check who still has access", "Compare the list with that of the people team."),
        ("{place}: replace before the warranty ends", "Delivery takes six weeks, so ask for an offer now."),
        (
            "{place}: write down who to call at night",
            "With a second name, for when the first one sleeps well.",
        ),
        (
            "{place}: yearly inspection",
            "The form is in the wiki. Last year it found a fan that did not turn.",
        ),
        (
            "{place}: move to the new subnet",
            "New addresses are in the sheet. Mind the rules of the firewall.",
        ),
    ],
    parts: &[
        "Announce it to everyone",
        "Do it on the spare first",
        "Take the old one away",
        "Update the runbook",
        "Ask for an offer",
    ],
    roles: &["somebody who is on call"],
    steps: &[],
    criteria: &[
        "The runbook says how.",
        "Somebody else than the author has tried it.",
        "The old one is gone, not only switched off.",
        "An alarm tells us when it stops.",
        "The costs are in the sheet of this year.",
    ],
    snippets: &[
        (
            0,
            "bash",
            "df -h /var/lib/index | tail -1\nsystemctl restart indexer\njournalctl -u indexer --since -10min | grep -c ERROR",
        ),
        (
            1,
            "yaml",
            "alert: DiskAlmostFull\nexpr: disk_used_percent > 85\nfor: 15m\nlabels:\n  page: daytime",
        ),
        (
            2,
            "bash",
            "restore --from ledger-2.dump --to /tmp/trial\npsql trial -c 'SELECT count(*), sum(amount) FROM entry'",
        ),
        (
            0,
            "",
            "Nov 03 02:11:40 pay-batch-2 kernel: Out of memory: Killed process 2211 (ledger)\nNov 03 02:11:41 pay-batch-2 systemd[1]: ledger.service: Scheduled restart job",
        ),
    ],
    tables: &[
        (
            0,
            &[
                &["Host", "Disk", "Age"],
                &["web-01", "61 %", "2 years"],
                &["web-02", "58 %", "2 years"],
                &["search-north", "**91 %**", "5 years"],
            ],
        ),
        (
            1,
            &[
                &["Alarm", "Rang", "Was real"],
                &["disk", "21", "2"],
                &["memory", "14", "1"],
                &["certificate", "1", "1"],
            ],
        ),
        (
            3,
            &[
                &["Item", "Number", "Price"],
                &["laptop", "5", "1,240.00"],
                &["screen", "2", "310.00"],
                &["keyboard", "1", "89.00"],
            ],
        ),
    ],
    remarks: &[
        (0, "Done on the spare. No surprises but one: the clock was wrong."),
        (0, "The disk has room for six more weeks."),
        (0, "The old host goes off on {day}. If nobody misses it within two weeks, it is thrown away."),
        (1, "The alarm came at 02:11, and I was there at 02:19. The runbook has a page for it now."),
        (1, "Eleven alarms tonight, all of them from the same cable."),
        (2, "I have tried to bring it back from the backup: 48 minutes, and all rows were there."),
        (2, "Please not on Friday. Nobody wants to restore a database on Saturday."),
        (3, "{who} has the second key now."),
        (3, "The company comes on {day} between nine and twelve. Somebody has to be there."),
        (ANY, "The offer is here, 12 % more than last year. I have asked a second company."),
        (ANY, "I have put it into the calendar of next year, too."),
    ],
    labels: &["backup", "certificate", "contract", "hardware", "hosting", "office", "on-call"],
    environments: &[],
};

const TOPICS: &[Topic] = &[
    task(
        0,
        "Move the search of the northern shops to new hosts",
        "The old ones are five years old, and the disks are almost full. Two new ones are in the rack already.",
    ),
    task(
        0,
        "Renew the certificate of the status page before it ends",
        "It is the only one that is not renewed by itself, since it is with another company.",
    ),
    task(
        0,
        "Close the second data centre's contract",
        "We have used it for backups only, and those are elsewhere now. The period of notice is three months.",
    ),
    task(
        0,
        "Separate the networks of test and production",
        "A test of the checkout must not be able to reach the ledger.",
    ),
    task(
        0,
        "Plan for the busiest week of the year",
        "Twice the web hosts from Monday, no releases from Wednesday, two people on call.",
    ),
    task(
        1,
        "Halve the number of alarms at night",
        "Forty a week, of which three were real. Nobody reads the fortieth.",
    ),
    task(
        1,
        "Alarm when a certificate ends within three weeks",
        "Two ended this year without anyone noticing.",
    ),
    task(
        1,
        "Keep logs for ninety days instead of thirty",
        "Payments need it for disputes. The storage costs about as much as one laptop.",
    ),
    task(
        1,
        "Make the status page tell the truth about the till",
        "It asks whether the server is there, not whether tills can sync.",
    ),
    task(
        2,
        "Bring back the ledger from a backup, with a stopwatch",
        "We make backups every night. The last time that somebody brought one back was two years ago.",
    ),
    task(2, "Backups of pictures to a second country", "The contract with two large customers asks for it."),
    task(
        2,
        "Delete backups that are older than the law wants",
        "Seven years for the ledger, thirty days for all that has addresses in it.",
    ),
    task(3, "Access cards for the new floor", "Forty-two cards, three of them with the server room."),
    task(
        3,
        "New coffee machine for the kitchen on the second floor",
        "The old one has been repaired four times. An offer for two smaller ones is attached.",
    ),
    task(
        3,
        "Laptops for the five people who begin in spring",
        "Two of them want a large screen, one a keyboard with Korean letters.",
    ),
    task(3, "Fix the door of meeting room Kiel", "It opens by itself in the middle of meetings."),
    task(
        0,
        "Raise the limit of open files on the web hosts",
        "We were at 98 % of it during the last campaign.",
    ),
    task(
        1,
        "Graph of payments per minute, on the large screen",
        "If the line goes down, everybody sees it before the alarm.",
    ),
    task(2, "Encrypt the disks of the backup hosts", "They leave the building when they are replaced."),
    task(
        0,
        "Find out why web-02 is slower than web-01",
        "Same machine, same load, 30 % slower since the update.",
    ),
    task(3, "Insurance list of all devices", "Until the end of the month, with serial numbers."),
    task(
        1,
        "On-call handbook for people who have never done it",
        "What to do in the first ten minutes, whom to wake, and when to go back to bed.",
    ),
];
