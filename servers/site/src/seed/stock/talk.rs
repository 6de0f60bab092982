//! What people say about any work: in reviews, in tests, in meetings, and beside the clock.

/// What is said in which phase.
#[derive(Debug)]
pub(in super::super) struct Talk {
    pub(in super::super) planning: &'static [&'static str],
    pub(in super::super) progress: &'static [&'static str],
    pub(in super::super) review: &'static [&'static str],
    pub(in super::super) done: &'static [&'static str],
    pub(in super::super) again: &'static [&'static str],
    pub(in super::super) declined: &'static [&'static str],
}

/// The talk of those who make the products.
pub(in super::super) static PRODUCT: Talk = Talk {
    planning: &[
        "Moved to the next sprint, as agreed on Monday.",
        "Is this still needed? Nobody has asked for it since spring.",
        "The merchant would like to have it before {day}.",
        "Let us talk about it in the planning.",
        "Same cause as {key}, I think.",
        "+1 from the help desk: three requests this week.",
        "We said that we do this after {key}.",
        "Estimate: three days, of which two are for the tests.",
        "I have asked {who} for a decision.",
        "Lower priority: there is a way around it.",
        "Can somebody who knows the code say how large this is?",
        "I would take this one. Not before {day}, though.",
    ],
    progress: &[
        "I begin with this one today.",
        "Halfway there. The rest is tests.",
        "The first version is on the test host. Please have a look, {who}.",
        "This turns out to be larger than we thought. I would split it.",
        "Blocked by {key}, so I take something else in the meantime.",
        "I talked to {who}: we do the simple thing first.",
        "Draft of the change is up. It is not pretty, but it shows the idea.",
        "Paused until {day}, since the others need me for the release.",
        "I found the place. Three lines, and a test of ninety.",
        "Rebased, and all tests are green again.",
        "Could not finish it this week. {who} takes over while I am away.",
        "It depends on what we decide in {key}.",
        "The numbers are better than before, but not as good as I hoped.",
        "I wrote down what I know so far, so that somebody else can go on.",
    ],
    review: &[
        "Looks good. One name is misleading, see my note in the review.",
        "Please add a test for the empty list.",
        "Why twice? If there is a reason, it should be in a comment.",
        "I could not break it. Approved.",
        "Tested on the test host: steps one to three are fine, step four is not.",
        "Works for me now. I tried it with the data of last month.",
        "One more thing: what happens if the answer never comes?",
        "The message for the user could be friendlier.",
        "Nice. That is less code than before.",
        "It fails in the nightly run, but not here. Time zones, I guess.",
        "{who} and I looked at it together. We would keep the old name in the export.",
        "Still there in the version of today. Back to you.",
    ],
    done: &[
        "Released this morning. No errors in the log so far.",
        "Done. The handbook has a page about it.",
        "In the next version. Thanks to {who} for the tests.",
        "Closing this. What is left is in {key}.",
        "On for all shops since noon.",
        "Merged.",
    ],
    again: &[
        "I am sorry, but it is back: the same merchant, the same page.",
        "Reopened. The fix helps in one case of two.",
        "We forgot the shops with the old theme.",
    ],
    declined: &[
        "We do not do this. The effort is large, and two merchants would use it.",
        "Nobody could repeat it, and the log has nothing. Please reopen it if it comes back.",
        "The page goes away with the next version, and this with it.",
    ],
};

/// The talk of those who keep the company running.
pub(in super::super) static OFFICE: Talk = Talk {
    planning: &[
        "Who has time for this? It is about two hours.",
        "Let us wait for the new budget.",
        "I have asked {who} for a decision.",
        "First {key}, then this.",
        "Not in the week of the sale, please.",
        "It is not urgent, but it should not be forgotten either.",
    ],
    progress: &[
        "I begin with this one today.",
        "Half of it is done. The rest on {day}.",
        "I have called them. They call back.",
        "{who} takes over while I am away.",
        "Waiting for an answer since last week.",
        "Stuck: nobody knows the password. {who}, do you?",
        "I wrote down what I know so far, so that somebody else can go on.",
        "More work than it seemed. I need another day.",
    ],
    review: &["{who} has looked at it and agrees.", "Fine for me."],
    done: &[
        "Done.",
        "Done, and written down.",
        "Finished. {who} has checked it.",
        "That is it. I have told everybody whom it concerns.",
        "Done. Next time it takes ten minutes: see the notes.",
    ],
    again: &["Not quite: one was left out.", "I have to open this again. See {key}."],
    declined: &["We have decided against it.", "Nobody needs it any more."],
};

/// Short sentences of people who agree.
pub(in super::super) const SHORT: &[&str] = &[
    "Agreed.",
    "Thanks!",
    "On it.",
    "Me too.",
    "Will do.",
    "Nice find.",
    "Can confirm.",
    "See {key}.",
    "Any news?",
    "Done, please check.",
    "That was me, sorry.",
    "Not today, tomorrow.",
];

/// What is written beside logged work.
pub(in super::super) const WORK: &[&str] = &[
    "looking for the cause",
    "tests",
    "review with {who}",
    "first version",
    "talk with the help desk",
    "migration",
    "measuring",
    "clean-up",
    "pairing",
    "release",
    "second attempt",
    "meeting about it",
    "documentation",
    "reading the log",
];

/// Names of files, and what is in those that are texts.
pub(in super::super) const FILES: &[(&str, &str)] = &[
    ("screenshot.png", ""),
    ("before-after.png", ""),
    ("cart-total.png", ""),
    ("mockup-v2.png", ""),
    (
        "server.log",
        "08:41:07 INFO  request 7f3 POST /checkout/pay\n08:41:17 WARN  request 7f3 no answer within 10000 ms\n08:41:17 ERROR request 7f3 500\n",
    ),
    ("orders.csv", "order,total,currency\n2041877,105.91,EUR\n2041902,89.00,EUR\n2050112,1290,JPY\n"),
    (
        "notes.txt",
        "Measured on Tuesday, three times each.\nBefore: 9.2 s, 9.4 s, 9.1 s\nAfter: 0.24 s, 0.25 s, 0.24 s\n",
    ),
    ("settings.json", "{\n  \"checkout.steps\": 3,\n  \"checkout.guest\": true\n}\n"),
];

/// The night in which one card payment in nine failed, comment by comment: who of the team speaks, after how many minutes, and what.
pub(in super::super) const INCIDENT: &[(usize, i64, &str)] = &[
    (3, 4, "One card payment in nine fails since the gateway moved to the new region. First one at 17:52."),
    (12, 3, "I see it, too. All of them end with `91`, //issuer unavailable//."),
    (14, 6, "Not all banks: only those that we reach through the second line."),
    (3, 2, "{who} can you look at the routing? I write to the bank."),
    (
        12,
        11,
        "The routing is right. The connection is closed after exactly 30 seconds, in the middle of the message.",
    ),
    (15, 5, "30 seconds is the idle limit of the new load balancer. In the old region it was 300."),
    (14, 2, "But it is not idle."),
    (
        15,
        7,
        "It is for the load balancer: the bank keeps one connection open and says nothing until there is a payment. The first payment after 30 quiet seconds is lost.",
    ),
    (12, 4, "That would fit: at night nothing would work at all, and during the day we would hardly see it."),
    (3, 3, "It is 18:40, so it gets worse with each minute. What can we do within ten?"),
    (15, 2, "Raise the limit to 300. That is one line, but it needs operations."),
    (16, 6, "I have called Bjørn. He is on a train, but has a laptop."),
    (5, 9, "Amara here for operations. I can change it. Does it drop the open connections?"),
    (15, 1, "Yes, for about two seconds."),
    (3, 1, "Do it."),
    (5, 8, "Done at 19:07. Limit is 300 now in both zones."),
    (12, 10, "No `91` for ten minutes. 212 payments went through."),
    (
        14,
        5,
        "I have a list of all that failed: 1,184 payments, 97 of them by buyers who tried again and were charged once. Nobody was charged twice.",
    ),
    (16, 6, "The ledger agrees: no entry without a payment."),
    (3, 2, "Thank you. We keep watching until ten. {who}, please tell the help desk that it is over."),
    (6, 12, "Help desk: 31 merchants wrote. All have an answer now."),
    (12, 71, "22:00, still quiet. I close my laptop."),
    (
        15,
        640,
        "Morning. For the record: the bank's side sends a heartbeat only if we ask for it in the first message. We never did, because 300 seconds were enough.",
    ),
    (3, 15, "So the real fix is the heartbeat, and the limit is only the bandage. I make an issue for it."),
    (14, 34, "And a test: a connection that is quiet for ten minutes, then one payment."),
    (
        16,
        22,
        "Could the alarm have told us? It counts refusals per minute, and one in nine is below its limit.",
    ),
    (5, 48, "I have added one for the share of `91`. It would have rung at 17:58."),
    (3, 95, "Review of the incident is on {day}. No blame, only notes. Cake is mine."),
];
