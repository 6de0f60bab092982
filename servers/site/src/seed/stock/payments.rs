//! The texts of the payments.

use super::{ANY, Stock, Topic, bug, story, task};

/// The texts of the payments.
pub(in super::super) static PAYMENTS: Stock = Stock {
    topics: TOPICS,
    epics: &[
        (
            "Refunds in parts",
            "Part refunds",
            "One article of five comes back, and only that one is paid back.",
        ),
        (
            "Close the month in one day",
            "Month end",
            "Accounting waits five days for our numbers. Four of them are spent on looking for differences.",
        ),
        (
            "Second bank for card payments",
            "Second bank",
            "When one bank is down, payments go through the other one, and nobody notices.",
        ),
        ("Pay by instalments", "Instalments", "Offered by a partner, shown by us, and never our risk."),
    ],
    places: &[
        ("Card form", 0),
        ("Bank callback", 0),
        ("Token vault", 0),
        ("Refund dialog", 1),
        ("Payout report", 1),
        ("Invoice PDF", 2),
        ("Credit note", 2),
        ("Tax table", 2),
        ("Journal export", 3),
        ("Balance check", 3),
        ("Review queue", 4),
        ("Velocity rule", 4),
    ],
    symptoms: &[
        (
            "amount is off by one cent in yen",
            "Yen has no cents. We divide by a hundred, and multiply again later.",
        ),
        (
            "reference number is cut at 16 characters",
            "The bank allows 35. Ours have 18 since the new region.",
        ),
        (
            "answers twice to the same message",
            "The second answer is refused, and ends in the list of errors of the bank.",
        ),
        ("fails for amounts over 9,999.99", "The comma for thousands is in the field."),
        (
            "time-out is taken for a refusal",
            "The buyer is told //refused//, though nobody has refused anything.",
        ),
        (
            "file has no end-of-line at the end",
            "The bank's program reads line by line, and never sees the last one.",
        ),
        ("rounds before adding up, not after", "With forty lines this is up to twenty cents."),
        (
            "sends the name in the wrong encoding",
            "`Ibáñez` arrives as `IbÃ¡Ã±ez`, and the bank does not know him.",
        ),
        ("ignores the bank holiday", "What is due on a holiday should be due on the day after."),
        ("retries without a limit", "Last night: 41,000 times the same message."),
    ],
    chores: &[
        ("{place}: keep the raw messages for ninety days", "In a dispute we have to show what was sent."),
        (
            "{place}: alarm when nothing happens for an hour",
            "Silence is the first sign. Not at night, and not on holidays.",
        ),
        (
            "{place}: certificate for the new environment",
            "Ask for it four weeks before; the form needs a stamp.",
        ),
        (
            "{place}: run against the sandbox of the second bank",
            "All of last month's cases, with the amounts changed.",
        ),
        (
            "{place}: amounts as integers, not as decimals",
            "In the smallest unit of the currency. Decimals are for people.",
        ),
    ],
    parts: &[
        "Entries in the ledger",
        "Message to the bank",
        "Callback from the bank",
        "Tests with the sandbox",
        "Report for accounting",
        "Masking of card numbers in the log",
        "Migration of open transactions",
        "Approval of the risk team",
        "Text for the receipt",
    ],
    roles: &["a buyer", "an accountant", "a merchant", "an auditor", "an agent of the help desk"],
    steps: &[
        (
            0,
            &[
                "Start a payment with a card that needs a second factor.",
                "Close the window of the bank.",
                "Start it again within a minute.",
            ],
        ),
        (
            0,
            &[
                "Send the same callback twice, with the same `event-id`.",
                "Look at the balance of the merchant.",
            ],
        ),
        (
            1,
            &[
                "Pay an order of 100.00 with a card.",
                "Refund 30.00.",
                "Refund 70.00 before the first refund is confirmed.",
            ],
        ),
        (
            1,
            &[
                "Set the currency of the shop to yen.",
                "Pay 1,001.",
                "Compare the payout report with the bank's file.",
            ],
        ),
        (
            2,
            &[
                "Create an invoice on the last day of a month.",
                "Cancel it on the first day of the next one.",
                "Print both.",
            ],
        ),
        (
            3,
            &[
                "Book an entry on the last day of a month.",
                "Take it back on the first day of the next one.",
                "Open the journal of both months.",
            ],
        ),
        (
            4,
            &[
                "Place three orders with the same card within a minute.",
                "Cancel the second one.",
                "Open the review queue.",
            ],
        ),
    ],
    criteria: &[
        "The sum of all entries is zero, always.",
        "A message that arrives twice changes nothing the second time.",
        "No card number is in any log.",
        "Accounting can follow each cent to its order.",
        "It works in currencies without decimals.",
        "Times in reports are those of the merchant's country.",
        "If the bank does not answer within ten seconds, the buyer is told so.",
        "There is a test for the last day of the month.",
        "A second person has to agree before it is on in production.",
        "Old invoices look the same as before.",
    ],
    snippets: &[
        (
            0,
            "",
            "09:14:02 -> AUTH 4*********** 89.90 EUR\n09:14:12 !! no answer within 10000 ms\n09:14:12 -> REVERSAL ref 7719002\n09:14:13 <- REVERSAL 00 ok\n09:14:31 <- AUTH 00 approved (late)",
        ),
        (
            1,
            "json",
            "{\n  \"event-id\": \"ev_8841\",\n  \"type\": \"refund.settled\",\n  \"amount\": { \"value\": 3000, \"currency\": \"EUR\" },\n  \"attempt\": 2\n}",
        ),
        (
            1,
            "xml",
            "<CdtTrfTxInf>\n  <Amt><InstdAmt Ccy=\"EUR\">12.34</InstdAmt></Amt>\n  <RmtInf><Ustrd>Refund 2210-7</Ustrd></RmtInf>\n</CdtTrfTxInf>",
        ),
        (
            2,
            "python",
            "numbers = sorted(int(i.number) for i in invoices)\nassert numbers == list(range(numbers[0], numbers[-1] + 1))",
        ),
        (
            3,
            "sql",
            "SELECT account, sum(amount) FROM entry\nWHERE booked BETWEEN :first AND :last\nGROUP BY account\nHAVING sum(amount) <> 0;",
        ),
        (3, "rust", "let fee = amount.checked_mul(rate)?.div_round(10_000);\nassert_eq!(net + fee, amount);"),
        (4, "yaml", "rule: velocity\nwindow: 10m\nmore-than: 3\nthen: review"),
    ],
    tables: &[
        (
            0,
            &[
                &["Answer", "Means", "We do"],
                &["`00`", "approved", "book it"],
                &["`05`", "refused", "tell the buyer"],
                &["`91`", "bank is down", "try the other bank"],
            ],
        ),
        (
            1,
            &[
                &["Currency", "Decimals", "Smallest payout"],
                &["EUR", "2", "1.00"],
                &["JPY", "0", "100"],
                &["KWD", "3", "0.500"],
            ],
        ),
        (
            2,
            &[
                &["Country", "Rate until June", "Rate from July"],
                &["A", "19 %", "16 %"],
                &["B", "21 %", "21 %"],
                &["C", "25 %", "24 %"],
            ],
        ),
        (
            3,
            &[
                &["Month", "Entries", "Differences"],
                &["January", "18,204", "3"],
                &["February", "17,911", "0"],
                &["March", "21,040", "11"],
            ],
        ),
        (
            4,
            &[
                &["Rule", "Stopped", "Of those fraud"],
                &["velocity", "1,204", "31"],
                &["country", "88", "52"],
                &["amount", "310", "4"],
            ],
        ),
    ],
    remarks: &[
        (0, "The late approval comes after our reversal, so the buyer is charged and we think they are not."),
        (
            0,
            "The bank says that they changed the field in their summer release. It is in their notes, on page 31.",
        ),
        (0, "The certificate of the sandbox ends on {day}. I have asked for a new one."),
        (0, "In the sandbox the callback comes at once. In production it takes up to four minutes."),
        (1, "I would rather refuse the second refund than book it and look for it later."),
        (1, "All 214 transactions of that night are booked by hand now. The sum is right."),
        (1, "Refunds to cards that have ended go to the bank account. The bank does that, not we."),
        (
            2,
            "The number of the credit note has to follow that of the invoice without a gap. The tax office checks it.",
        ),
        (2, "The template breaks the page after 37 lines. That is where the last one gets lost."),
        (2, "Invoices in three languages look fine. In Japanese the address is in the wrong order."),
        (3, "Accounting has the difference on its list for last month, too. It is always the same merchant."),
        (
            3,
            "I compared three months of journals: with the change all differences are gone but one, and that one is ours.",
        ),
        (3, "Amounts are integers now, in the smallest unit. The decimal type is only in the report."),
        (
            4,
            "A rule that refuses 4 % of all orders is not a rule, it is a wall. I have set it to //review//.",
        ),
        (4, "Of the forty orders in the queue, thirty-eight were fine. The other two were the same person."),
        (ANY, "Please no hot fix without {who}: we had that last year."),
        (ANY, "Production has it, the sandbox does not. The two differ in one setting."),
        (ANY, "The auditors asked about exactly this in spring. It would be good to have an answer."),
        (ANY, "I have taken the messages of Tuesday and sent them again: same result."),
        (ANY, "It happens once in ten thousand payments. We have sixty thousand a day."),
    ],
    labels: &["audit", "bank", "compliance", "ledger", "month-end", "rounding", "sandbox", "tax"],
    environments: &[
        "Production, gateway 14, region north.",
        "Sandbox of the second bank.",
        "Shop in yen, gateway 13.",
        "Nightly job of the ledger, host `pay-batch-2`.",
    ],
};

const TOPICS: &[Topic] = &[
    bug(
        0,
        "Approval that arrives after the reversal is booked as income",
        "We reverse a payment after ten seconds without an answer. If the approval comes later, it wins, and the buyer has paid for an order that does not exist.",
    ),
    bug(
        0,
        "Card form accepts an expiry date in the past on the first of a month",
        "The comparison uses the first day of the month, and cards end with the last one.",
    ),
    bug(
        0,
        "Second factor fails for buyers with two cards of the same bank",
        "The bank's page returns a session of the first card, whichever of the two was chosen.",
    ),
    bug(
        0,
        "Retry after a time-out charges the buyer twice",
        "The retry has a new reference, so the bank can't know that it is the same payment.",
    ),
    bug(
        1,
        "Refund of a split payment goes entirely to the gift card",
        "An order was paid half by card and half by gift card. The refund should go back the way it came.",
    ),
    bug(
        1,
        "Refund dialog allows more than was paid",
        "Two people who refund the same order at the same time can pay back more than its total.",
    ),
    bug(
        1,
        "Payout report lists refunds of the following day",
        "The report ends at midnight in UTC, and the bank's day ends at six in the evening.",
    ),
    bug(
        2,
        "Invoice number jumps after a failed print",
        "The number is taken before the document is made. If that fails, the number is gone, and the tax office asks.",
    ),
    bug(
        2,
        "Credit note shows the tax rate of today",
        "The rate changed in July. Credit notes for invoices from June have to use the old one.",
    ),
    bug(
        2,
        "Invoice PDF leaves out the last line of long orders",
        "With 38 lines the last one would be alone on page two, and is lost instead.",
    ),
    bug(
        2,
        "Reverse charge note is missing for customers in Northern Ireland",
        "Their VAT numbers begin with XI, which the check does not know.",
    ),
    bug(
        3,
        "Balance check adds test merchants to the total",
        "Their entries have a flag, which the sum does not look at.",
    ),
    bug(
        3,
        "Ledger export has a comma as decimal sign on one of three hosts",
        "The locale of that host is another one. The other two are right by luck.",
    ),
    bug(3, "Closing a month twice books the difference twice", "The button stays active while the job runs."),
    bug(
        4,
        "Velocity rule counts refused payments as orders",
        "Who mistypes the security code three times is taken for a fraudster.",
    ),
    bug(
        4,
        "Review queue shows orders that were cancelled",
        "Reviewers spend an hour a day on orders that nobody wants any more.",
    ),
    story(
        0,
        "Send card payments through the second bank when the first is down",
        "Three answers `91` within a minute are enough to switch. Going back is by hand.",
    ),
    story(
        0,
        "Let buyers save a card for later without a password",
        "The token stays with the bank; we keep four digits and the expiry date.",
    ),
    story(
        0,
        "Show the name of the shop on the card statement",
        "Buyers don't know us, they know the shop. Half of all disputes are about //unknown charge//.",
    ),
    story(
        1,
        "Refund single lines of an order",
        "The merchant ticks what came back, and the amount follows: with tax, with the share of the voucher, without the delivery unless ticked.",
    ),
    story(
        1,
        "Tell the buyer when the refund is on its way",
        "Banks take three to five days. An e-mail on the first of them saves a call on the third.",
    ),
    story(
        1,
        "Approve large refunds with two people",
        "From an amount that each merchant sets. The second person has to be another one.",
    ),
    story(
        2,
        "Invoices in the language of the buyer",
        "The law wants the language of the seller as well. Both fit on one page.",
    ),
    story(
        2,
        "Collect a month of orders in one invoice",
        "Trade customers order every day, and pay once a month.",
    ),
    story(
        2,
        "Electronic invoices for public authorities",
        "From next year they take nothing else. The format is fixed, the way of sending is not.",
    ),
    story(
        3,
        "Close the month without stopping the bookings",
        "Entries of the old month that arrive late are booked into the new one, and marked.",
    ),
    story(
        3,
        "Daily balance by merchant and currency",
        "One line per merchant, ready at seven in the morning.",
    ),
    story(
        4,
        "Explain to merchants why an order waits for review",
        "A sentence per rule, without telling fraudsters how to get around it.",
    ),
    task(
        0,
        "Renew the certificate for the card scheme's test environment",
        "It ends in autumn. The form is on paper, and takes four weeks.",
    ),
    task(
        0,
        "Replace the library for signing messages",
        "The maker has stopped working on it. The new one wants keys in another format.",
    ),
    task(
        1,
        "Compare six months of refunds with the bank's files",
        "Before refunds in parts are on for all, we should know how many differences there are today.",
    ),
    task(
        2,
        "Collect all tax rates with the day from which they count",
        "They are in four files and two people's heads.",
    ),
    task(
        3,
        "Move the journal of old years to the archive",
        "Seven years have to be kept. They need not be in the same tables as today's.",
    ),
    task(
        3,
        "Write the test that books a random month and closes it",
        "A thousand random months, and the sum is zero in each of them.",
    ),
    task(
        4,
        "Review of all risk rules with the numbers of the last quarter",
        "Which rule stopped fraud, and which stopped customers?",
    ),
    task(
        0,
        "Drill: switch off the first bank on a Tuesday morning",
        "Announced, with everybody in the room. The last drill took eleven minutes until the first payment.",
    ),
];
