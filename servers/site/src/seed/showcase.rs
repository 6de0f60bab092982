//! Documents that were written by hand, with all that an editor can do.
//!
//! In: the summary of an issue. Out: its description.

use super::calendar::{Calendar, DAY};
use super::files::{self, File, SIZE};
use super::people;
use super::random::Random;
use super::rich::{Block, Cell, Doc, Emoji, Item, Line, Span, Table, items, line, para};

/// Returns the description of an issue that has a special one, and the files in it.
pub(super) fn of(summary: &str, calendar: &Calendar, random: &mut Random) -> Option<(Doc, Vec<File>)> {
    Some(match summary {
        "Checkout in three steps" => (three_steps(calendar), vec![files::picture("three-steps.png", random)]),
        "Checkout total ignores the gift card when the currency changes" => {
            let log = "10:02:11 INFO  cart c-48213 currency EUR -> DKK\n10:02:11 WARN  gift card GC-77: no rate, left out\n";
            (gift_card(), vec![files::picture("cart-total.png", random), files::text("cart.log", log)])
        }
        "Refund single lines of an order" => (refund_lines(), Vec::new()),
        "Sell for eight hours without a network" => (offline_day(calendar), Vec::new()),
        "On-call handbook for people who have never done it" => (on_call(), Vec::new()),
        "Card payments fail for one buyer in nine since the gateway moved to the new region" => {
            let csv = "minute,payments,refused\n17:50,212,0\n17:51,208,0\n17:52,220,21\n17:53,199,24\n";
            let all =
                vec![files::picture("refusals-per-minute.png", random), files::text("refusals.csv", csv)];
            (incident(), all)
        }
        _ => return None,
    })
}

fn text(text: &str) -> Span {
    Span::Text(text.to_owned())
}

fn table<const N: usize>(rows: &[[Cell; N]], heads_rows: bool) -> Block {
    Block::Table(Table { rows: rows.iter().map(|row| row.to_vec()).collect(), heads_rows })
}

fn cells<const N: usize>(texts: [&str; N]) -> [Cell; N] {
    texts.map(Cell::of)
}

fn lozenge(text: &'static str, color: &'static str) -> Cell {
    Cell::with(vec![Span::Status(text, color)])
}

fn three_steps(calendar: &Calendar) -> Doc {
    let mention = |at| Span::Mention(people::id(at));
    vec![
        Block::Panel(
            "info",
            vec![
                para("**In short:** seven pages become three. The old checkout stays for shops with the old theme."),
                Block::Bullets(items(["nobody has to do anything", "it can be switched off per shop"])),
            ],
        ),
        Block::Head(1, "Why".into()),
        Block::Para(vec![
            text("Of 100 buyers who begin, "),
            Span::Strong("61".into()),
            text(" arrive. The survey of "),
            Span::Day(calendar.end - 190 * DAY),
            text(" says where the others leave: "),
            Span::Card("https://wiki.plainwire.example/checkout/survey".into()),
        ]),
        table(
            &[
                cells(["Step", "Today", "Then"]),
                cells(["Sign in or guest", "1", "in step 1"]),
                cells(["Address", "2", "in step 1"]),
                cells(["Delivery", "3 and 4", "in step 1"]),
                cells(["Payment", "5 and 6", "step 2"]),
                cells(["Overview", "7", "step 3"]),
            ],
            true,
        ),
        Block::Head(1, "Who does what".into()),
        Block::Table(Table {
            rows: vec![
                cells(["Part", "Who", "State"]).to_vec(),
                vec![
                    Cell { span: (1, 2), ..Cell::of("Pages") },
                    Cell::with(vec![mention(9)]),
                    lozenge("in progress", "blue"),
                ],
                vec![Cell::with(vec![mention(7), text(" and "), mention(8)]), lozenge("not begun", "neutral")],
                vec![Cell::of("Texts"), Cell::with(vec![mention(2)]), lozenge("done", "green")],
                vec![
                    Cell {
                        span: (3, 1),
                        background: Some("#fffae6"),
                        ..Cell::of("The load test is not planned yet.")
                    },
                ],
            ],
            heads_rows: false,
        }),
        Block::Picture("three-steps.png".into(), SIZE.0, SIZE.1),
        Block::Head(2, "Open questions".into()),
        Block::Tasks(vec![
            (true, line("May step 1 be left without a telephone number?")),
            (false, vec![text("Does the express payment skip step 3? "), mention(3)]),
            (false, line("What do screen readers say when a step opens?")),
        ]),
        Block::Decisions(vec![line("The overview is never left out: the law wants it.")]),
        Block::Expand(
            "How the switch works".into(),
            vec![
                para("The setting `checkout.steps` is read once per cart, so nobody changes in the middle."),
                Block::Code(
                    "javascript",
                    "export function steps(shop) {\n  if (shop.theme.isOld) return 7;\n  return shop.settings['checkout.steps'] ?? 3;\n}".into(),
                ),
            ],
        ),
        Block::Quote(vec![para("I only want to buy a lamp. — //a buyer, at step four//")]),
        Block::Rule,
        Block::Para(vec![
            Span::Strike("First shop in spring.".into()),
            text(" First shop: Fennel & Fig, "),
            Span::Under("as soon as their campaign is over".into()),
            text(". "),
            Span::Emoji(Emoji::Party),
        ]),
    ]
}

fn gift_card() -> Doc {
    vec![
        para(
            "The gift card is taken off in //its own// currency. When the buyer changes the currency of the cart, it is left out without a word.",
        ),
        Block::Head(3, "Steps to reproduce".into()),
        Block::Numbers(vec![
            Item(line("Put an article of `100.00 EUR` into the cart."), Vec::new()),
            Item(
                line("Redeem the gift card `GC-77` with 30.00 EUR."),
                vec![line("the total is **70.00 EUR**, as it should")],
            ),
            Item(line("Change the currency to DKK."), Vec::new()),
        ]),
        Block::Para(vec![
            Span::Strong("Expected:".into()),
            text(" about 522 DKK"),
            Span::Break,
            Span::Strong("Seen:".into()),
            text(" "),
            Span::Color("#de350b", "746 DKK".into()),
            text(", and the card is still in the list of what was redeemed."),
        ]),
        Block::Picture("cart-total.png".into(), SIZE.0, SIZE.1),
        Block::Code(
            "json",
            "{\n  \"currency\": \"DKK\",\n  \"giftCards\": [{ \"code\": \"GC-77\", \"value\": null }]\n}"
                .into(),
        ),
        Block::Panel(
            "warning",
            vec![para("Buyers pay too much. The help desk pays back by hand until this is fixed.")],
        ),
        Block::Files(vec!["cart.log".into()]),
    ]
}

fn refund_lines() -> Doc {
    vec![
        para("The merchant ticks what came back, and the amount follows. Today they use a calculator, and one refund in fifteen is wrong."),
        Block::Head(2, "What is paid back".into()),
        Block::Table(Table {
            rows: vec![
                cells(["Part of the order", "Whole order back", "One of three lines back"]).to_vec(),
                vec![
                    Cell::of("Price of the lines"),
                    Cell { span: (2, 1), background: Some("#e3fcef"), ..Cell::of("always") },
                ],
                cells(["Voucher", "all of it", "the share of the line"]).to_vec(),
                cells(["Delivery", "all of it", "only if ticked"]).to_vec(),
                cells(["Gift wrap", "nothing", "nothing"]).to_vec(),
            ],
            heads_rows: true,
        }),
        Block::Head(2, "Rules".into()),
        Block::Numbers(vec![
            Item(line("Shares are rounded **down**; the last line gets what is left."), Vec::new()),
            Item(
                line("The way back is the way that the money came:"),
                vec![line("first to the card"), line("then to the gift card"), line("never in cash")],
            ),
            Item(line("Two refunds of the same line are refused with `409`."), Vec::new()),
        ]),
        Block::Code(
            "rust",
            "fn share(line: Cents, lines: Cents, voucher: Cents) -> Cents {\n    voucher * line / lines // rounds down\n}".into(),
        ),
        Block::Decisions(vec![
            vec![text("Accounting wants one credit note per refund. "), Span::Mention(people::id(15)), text(" agrees.")],
            line("No refund of gift wrap: it has been used."),
        ]),
        Block::Para(vec![text("Questions to "), Span::Mention(people::id(14)), text(" "), Span::Emoji(Emoji::Smile)]),
    ]
}

fn offline_day(calendar: &Calendar) -> Doc {
    let release: Line =
        vec![text("In the hands of the first market stall by "), Span::Day(calendar.end + 26 * DAY)];
    vec![
        para("All that a sale needs is on the device. The network is for telling others."),
        Block::Head(2, "On the device".into()),
        Block::Bullets(vec![
            Item(
                line("prices and taxes"),
                vec![line("of today"), line("of tomorrow, if they change at midnight")],
            ),
            Item(line("vouchers that count today"), Vec::new()),
            Item(line("the journal, as a file that only grows"), Vec::new()),
        ]),
        Block::Head(2, "To do".into()),
        Block::Tasks(vec![
            (true, line("journal in a file")),
            (true, line("receipt numbers per till")),
            (false, line("vouchers: what if one is used twice?")),
            (false, release),
        ]),
        table(
            &[
                cells(["After", "Sales on the device", "Battery"]),
                cells(["1 hour", "40", "94 %"]),
                cells(["4 hours", "170", "71 %"]),
                cells(["8 hours", "355", "**38 %**"]),
            ],
            false,
        ),
        Block::Expand(
            "Measured with".into(),
            vec![
                Block::Bullets(items(["phone of 2021, Android 12", "tablet of 2020, iPadOS 17"])),
                Block::Panel("note", vec![para("With the camera on it is half of that.")]),
            ],
        ),
        Block::Panel(
            "error",
            vec![Block::Para(vec![
                Span::Emoji(Emoji::Warning),
                text(" Card payments are not part of this: no bank takes them a day later."),
            ])],
        ),
    ]
}

fn on_call() -> Doc {
    vec![
        Block::Panel(
            "tip",
            vec![para(
                "Nobody expects you to know everything. You are there to **look**, to **call**, and to write down.",
            )],
        ),
        Block::Head(2, "The first ten minutes".into()),
        Block::Numbers(vec![
            Item(line("Say in the channel that you are there."), Vec::new()),
            Item(
                line("Look at the graph of payments per minute."),
                vec![
                    line("flat: call hosting"),
                    line("falling: call payments"),
                    line("as always: take your time"),
                ],
            ),
            Item(line("Write down what you see, with the time."), Vec::new()),
        ]),
        Block::Code("bash", "ssh web-01 uptime\njournalctl -u shop --since -10min | grep -c ERROR".into()),
        Block::Head(2, "Whom to wake".into()),
        table(
            &[
                cells(["What", "Who", "When"]),
                [
                    Cell::of("Hosting"),
                    Cell::with(vec![Span::Mention(people::id(22))]),
                    lozenge("always", "green"),
                ],
                [
                    Cell::of("Payments"),
                    Cell::with(vec![Span::Mention(people::id(16))]),
                    lozenge("always", "green"),
                ],
                [
                    Cell::of("Pictures"),
                    Cell::with(vec![Span::Mention(people::id(21))]),
                    lozenge("after 7:00", "yellow"),
                ],
                [Cell::of("Coffee machine"), Cell::of("nobody"), lozenge("never", "red")],
            ],
            true,
        ),
        Block::Rule,
        Block::Para(vec![
            text("More: "),
            Span::Link("the page of the pager".into(), "https://wiki.plainwire.example/on-call".into()),
            text(" and "),
            Span::Card("https://status.plainwire.example".into()),
        ]),
    ]
}

fn incident() -> Doc {
    vec![
        Block::Panel("error", vec![para("**Money is lost.** Merchants have been told on the status page.")]),
        Block::Para(vec![
            text("Since 17:52 one card payment in nine ends with "),
            Span::Code("91".into()),
            text(": "),
            Span::Status("open", "red"),
        ]),
        table(
            &[
                cells(["Minute", "Payments", "Refused"]),
                cells(["17:50", "212", "0"]),
                cells(["17:51", "208", "0"]),
                cells(["17:52", "220", "**21**"]),
                cells(["17:53", "199", "**24**"]),
            ],
            false,
        ),
        Block::Picture("refusals-per-minute.png".into(), SIZE.0, SIZE.1),
        Block::Code("", "17:52:08 -> AUTH 4*********** 54.00 EUR\n17:52:38 !! connection closed by peer\n17:52:38 <- 91 issuer unavailable".into()),
        Block::Files(vec!["refusals.csv".into()]),
    ]
}
