//! The texts of the projects that few may see.

use super::{ANY, Stock, Topic, bug, task};

/// The texts of security.
pub(in super::super) static SECURITY: Stock = Stock {
    topics: &[
        bug(
            0,
            "Session token of the back office is in the log of the proxy",
            "The proxy logs whole addresses, and one old page still has the token in its address.",
        ),
        bug(
            0,
            "Upload of themes accepts archives with paths to the parent",
            "A theme could overwrite files of another shop on the same host.",
        ),
        bug(
            0,
            "Password reset tells whether an address is known",
            "The answer for unknown addresses is faster, by 80 ms.",
        ),
        bug(
            0,
            "Till shows the drawer code in its crash report",
            "Crash reports go to a partner, so the code has left the house.",
        ),
        task(
            1,
            "Yearly audit: list of everybody with access to card data",
            "The auditor comes on the first Monday of the month.",
        ),
        task(
            1,
            "Rotate the keys that sign invoices",
            "Every two years. The last time it took down the invoices for an hour.",
        ),
        task(
            0,
            "Answer the researcher who found the voucher loop",
            "Polite, in English, within five days. With a gift card.",
        ),
        task(1, "Drill with a lost laptop", "Who is called, what is locked, and how long does it take?"),
        bug(
            0,
            "Support can see the answers to security questions",
            "They need to check them, not to read them.",
        ),
    ],
    chores: &[
        ("Look at the log of {place} for the last week", "A second look, by somebody who did not write it."),
        ("Threat model of {place}", "Who could want what, and what stops them?"),
    ],
    places: &[("the sign-in page", 0), ("the theme upload", 0), ("the bank callback", 1)],
    remarks: &[
        (ANY, "Not a word about this outside of this project until the fix is out."),
        (ANY, "I could repeat it with two accounts on the demo host. With the fix I can't."),
        (ANY, "Nobody has used it, as far as the logs of ninety days tell."),
        (ANY, "The auditor was satisfied, but for the list of visitors."),
    ],
    criteria: &["The fix is out before anything is said.", "There is a test that fails without it."],
    labels: &["audit", "disclosure", "finding"],
    ..EMPTY
};

/// The texts of the people team.
pub(in super::super) static PEOPLE_TEAM: Stock = Stock {
    topics: HR_TOPICS,
    chores: &[
        ("Yearly talk with {place}", ""),
        ("New contract for {place}", "The old one ends in three months."),
    ],
    places: &[("the till team", 0), ("the night shift", 0), ("two interns", 0)],
    remarks: &[
        (ANY, "The offer is signed."),
        (ANY, "She would like to begin a month later. That is fine with the team."),
        (ANY, "Salary band agreed with {who}."),
    ],
    criteria: &["Both sides have signed."],
    labels: &["hiring", "contract"],
    ..EMPTY
};

const HR_TOPICS: &[Topic] = &[
    task(
        0,
        "Hire a second accountant for the ledger team",
        "Somebody who has closed a month before, and liked it.",
    ),
    task(
        0,
        "Parental leave in the storefront team from spring",
        "Six months. We need somebody for the time in between.",
    ),
    task(
        0,
        "Salaries of the help desk compared with the market",
        "Two have left in a year, both for more money.",
    ),
    task(0, "Contract for the designer who works from Lisbon", "Tax and insurance are different there."),
    task(
        0,
        "Complaint about the tone in code reviews",
        "Talk to both of them, one by one, before the end of the week.",
    ),
    task(
        0,
        "Plan the yearly reviews",
        "Two hours per person, in three weeks, without the weeks of the sale.",
    ),
];

const EMPTY: Stock = Stock {
    topics: &[],
    epics: &[],
    places: &[],
    symptoms: &[],
    chores: &[],
    parts: &["Talk to the people concerned", "Write it down"],
    roles: &["a colleague"],
    steps: &[],
    criteria: &[],
    snippets: &[],
    tables: &[],
    remarks: &[],
    labels: &[],
    environments: &[],
};
