//! The texts of the till.

use super::{ANY, Stock, Topic, bug, story, task};

/// The texts of the till.
pub(in super::super) static MOBILE: Stock = Stock {
    topics: TOPICS,
    epics: &[
        (
            "Sell for a whole day without a network",
            "Offline day",
            "Markets, cellars and trains: the till has to work there, and count right afterwards.",
        ),
        (
            "Tablets as tills",
            "Tablets",
            "The same till on a large screen, with the cart beside the products.",
        ),
        (
            "Kiosk mode",
            "Kiosk",
            "Customers serve themselves. They must not get out of the till, and the till must not get stuck.",
        ),
        (
            "Printers and scales of other makers",
            "Devices",
            "Three printers and one scale are enough to begin with.",
        ),
    ],
    places: &[
        ("Cart screen", 0),
        ("Quick keys", 0),
        ("Discount sheet", 0),
        ("Camera scanner", 1),
        ("Handheld scanner", 1),
        ("Day-end sync", 2),
        ("Offline journal", 2),
        ("Receipt", 3),
        ("Label printer", 3),
        ("Card reader", 4),
        ("Cash drawer", 4),
        ("Scale", 4),
    ],
    symptoms: &[
        (
            "freezes after the screen was locked",
            "The screen is there, but takes no tap. Only ending the app helps.",
        ),
        ("drains the battery in three hours", "The device is warm, and the network indicator never rests."),
        (
            "text is too small on 7-inch tablets",
            "They get the layout of the large ones, at two thirds of the size.",
        ),
        (
            "does not come back after a call",
            "After a call the screen is white until the cashier goes back to the start.",
        ),
        (
            "shows the cart of the last customer",
            "For about a second, and then it is empty. Long enough to be seen.",
        ),
        ("crashes when the language is changed", "From German to anything else. Not the other way round."),
        ("needs two taps after an update", "The first tap wakes it up, the second one counts."),
        ("beeps twice for one article", "Only one line is added, but the cashier takes one out again."),
        (
            "forgets its pairing over night",
            "In the morning it has to be paired again, by somebody who knows the code.",
        ),
    ],
    chores: &[
        (
            "{place}: try on the three oldest devices that we support",
            "They are on the shelf, in the lower row. Write down how long it takes.",
        ),
        ("{place}: replace the permission dialog", "The platform shows its own from the next version on."),
        (
            "{place}: write a test that runs without a device",
            "The nightly run has no devices, and so nobody notices until the morning after.",
        ),
        ("{place}: large type and dark mode", "At the largest type of the system nothing may be cut off."),
    ],
    parts: &[
        "Screen for phones",
        "Screen for tablets",
        "Storage on the device",
        "Messages to the server",
        "Test on the device shelf",
        "Permission dialog",
        "Text for the shops of the platforms",
        "Demo video",
        "Battery measurement",
    ],
    roles: &[
        "a cashier",
        "the owner of a market stall",
        "a shop assistant",
        "a customer at the kiosk",
        "the person who closes the day",
    ],
    steps: &[
        (0, &["Sell an article with a voucher.", "Take the sale back.", "Print the day-end report."]),
        (
            0,
            &[
                "Begin a sale with two articles.",
                "Lock the screen and wait for a minute.",
                "Unlock it, and tap on the first line.",
            ],
        ),
        (1, &["Pair the scanner.", "Put the phone into the pocket for ten minutes.", "Scan an article."]),
        (
            2,
            &[
                "Switch on flight mode.",
                "Sell three articles for cash.",
                "Close the till and open it again.",
                "Switch off flight mode.",
            ],
        ),
        (3, &["Turn the tablet while the receipt prints.", "Start the next sale."]),
        (4, &["Open the drawer by hand.", "Begin a sale.", "Choose **Cash**."]),
    ],
    criteria: &[
        "A sale takes no more than four taps.",
        "It works for eight hours without a network.",
        "It works with gloves.",
        "Nothing is lost if the battery dies in the middle.",
        "On phones the cart is never hidden.",
        "The receipt is right on paper of 58 mm and of 80 mm.",
        "It runs on devices that are five years old.",
        "The cashier can't open the settings.",
        "The battery lasts a working day.",
    ],
    snippets: &[
        (
            0,
            "",
            "Fatal: attempt to insert row 0 into section 1, but there are only 0 rows in it\n  at CartScreen.update (CartScreen.swift:204)\n  at Sync.apply (Sync.swift:88)",
        ),
        (1, "kotlin", "scanner.events\n    .debounce(150)\n    .collect { code -> cart.add(code) }"),
        (
            1,
            "",
            "W/Scanner: connection lost (status 8)\nI/Scanner: retry 1 of 5\nE/Scanner: device 00:1B:DC answers with another key",
        ),
        (
            2,
            "json",
            "{ \"sale\": \"t7-00412\", \"offline\": true, \"lines\": 3, \"cash\": 1850, \"clock\": \"drifted +42s\" }",
        ),
        (3, "", "1B 40        reset\n1B 61 01     centre\n1D 56 41 10  cut"),
        (4, "swift", "guard let sale = journal.last, !sale.isClosed else {\n    return reopenDrawer()\n}"),
    ],
    tables: &[
        (
            ANY,
            &[
                &["Device", "System", "Result"],
                &["Phone, 2021", "Android 12", "**wrong**"],
                &["Phone, 2024", "Android 15", "as expected"],
                &["Tablet, 2020", "iPadOS 17", "**wrong**"],
            ],
        ),
        (
            1,
            &[
                &["Hours", "Camera on", "Camera off"],
                &["1", "81 %", "96 %"],
                &["4", "22 %", "83 %"],
                &["8", "empty", "64 %"],
            ],
        ),
        (
            3,
            &[
                &["Printer", "58 mm", "80 mm"],
                &["Type A", "yes", "yes"],
                &["Type B", "no", "yes"],
                &["Type C", "cut too early", "yes"],
            ],
        ),
        (
            4,
            &[
                &["Weight", "Shown", "Sent"],
                &["1.250", "1.250", "01250"],
                &["9.999", "9.999", "09999"],
                &["12.000", "12.000", "*2000"],
            ],
        ),
    ],
    remarks: &[
        (0, "With gloves the row has to be 60 points high. I have asked for a new design."),
        (0, "It is the same crash as last month, but from another screen."),
        (0, "Cashiers look at the total and at nothing else. Let us make it larger."),
        (
            1,
            "The scanner sends the code twice when it is held too close. We can ignore the second one within 150 ms.",
        ),
        (1, "I filmed it: the beep comes before the line is in the cart."),
        (
            2,
            "The clock of the device was 42 seconds ahead, and so the sale was in the future for the server.",
        ),
        (
            2,
            "The market stall in Porto sold for nine hours without a network. One sale came twice, all others were right.",
        ),
        (2, "Let us keep the journal as a file. The database of the device was corrupt twice."),
        (
            3,
            "The printer answers //ready// while it is out of paper. There is another command that tells the truth.",
        ),
        (3, "On 58 mm we have 32 characters. The tax line needs a shorter text."),
        (4, "The drawer opens with 24 volts, the old ones need 12. That is not a bug of ours."),
        (4, "The scale sends five times a second. We look once, and sometimes at the wrong moment."),
        (ANY, "On my phone it is fine. On the shelf, two of nine devices show it."),
        (ANY, "The platform kills us after thirty seconds in the background. We have to save before that."),
        (ANY, "Review of the platform takes two days, so the build has to be ready on {day}."),
        (
            ANY,
            "The tablet gets warm, and then everything is slow. That is not our code, but our customers don't care.",
        ),
        (ANY, "With the build of today I can't repeat it. With that of Friday I can."),
    ],
    labels: &[
        "battery",
        "crash",
        "device-shelf",
        "kiosk",
        "offline",
        "printer",
        "scanner",
        "store-review",
        "tablet",
    ],
    environments: &[
        "Android 12, phone of 2021, till 2.2.0.",
        "iPadOS 17, tablet of 2020, till 2.3.0.",
        "iOS 18, handheld scanner with firmware 4.1.",
        "Web till, Chrome 141.",
    ],
};

const TOPICS: &[Topic] = &[
    bug(
        0,
        "Till shows the cart of the previous customer after unlocking",
        "The screen is drawn from a picture that was taken before the lock. Tapping on it sells the wrong articles.",
    ),
    bug(
        0,
        "Discount of 100 % ends the sale without a receipt",
        "There is nothing to pay, so the payment screen is left out, and with it the receipt.",
    ),
    bug(
        0,
        "Quick keys move after an update of the catalogue",
        "Cashiers know them by place. A new article in the category moves all others by one.",
    ),
    bug(
        0,
        "Tip is lost when the customer changes from card to cash",
        "The tip belongs to the payment and not to the sale.",
    ),
    bug(
        1,
        "Camera scanner reads codes upside down as other codes",
        "Two of the old formats have no direction. We should not read them with the camera.",
    ),
    bug(
        1,
        "Handheld scanner needs to be paired again each morning",
        "The key is kept in memory only. Over night the system ends the till, and the key is gone.",
    ),
    bug(
        1,
        "Scanning a crate adds the single bottle",
        "The code of the crate has the code of the bottle in it, and we look for the first match.",
    ),
    bug(
        2,
        "Sales made offline have the date of the sync",
        "The journal has the right time. The server replaces it by that of the request.",
    ),
    bug(
        2,
        "Sync stops at the first sale that the server refuses",
        "One sale with an article that was deleted in the meantime, and all later ones wait behind it.",
    ),
    bug(
        2,
        "Two tills give the same receipt number when both are offline",
        "Each till counts on from the number of the last sync.",
    ),
    bug(3, "Receipt on narrow paper cuts off the tax line", "58 mm are 32 characters. The tax line has 36."),
    bug(
        3,
        "Label printer prints the first label twice after a paper jam",
        "It repeats the label that got stuck, and we send it again, too.",
    ),
    bug(
        4,
        "Drawer opens again when the sale is taken back",
        "Taking back a card payment should leave the drawer closed.",
    ),
    bug(
        4,
        "Scale shows a weight of zero above ten kilos",
        "The five digits do not fit into the field that we read.",
    ),
    bug(
        4,
        "Card reader asks for the PIN of a contactless payment twice",
        "Only with cards that were used five times without a PIN.",
    ),
    bug(
        0,
        "Large type pushes the total off the screen",
        "At the largest setting of the system the total is below the edge, and can't be scrolled to.",
    ),
    story(
        0,
        "Park a sale and go on with the next customer",
        "Somebody forgot the milk. The others in the line should not wait.",
    ),
    story(
        0,
        "Sell by weight with a price per kilo",
        "Cheese, nails, sweets: the scale gives the weight, the till makes the price.",
    ),
    story(
        0,
        "Let the cashier see the change in large digits",
        "The customer reads it, too, from the other side of the counter.",
    ),
    story(
        0,
        "Ask for the postcode of customers at the kiosk",
        "Merchants want to know where people come from. One field, which can be left out.",
    ),
    story(
        1,
        "Scan several articles without leaving the camera",
        "Each one is a small banner below the picture. The cart fills in the background.",
    ),
    story(
        1,
        "Add unknown codes as new articles from the till",
        "A photo, a name, a price. The back office completes the rest in the evening.",
    ),
    story(
        2,
        "Sell for eight hours without a network",
        "All that a sale needs is on the device: prices, taxes, vouchers of today.",
    ),
    story(
        2,
        "Show which sales are not on the server yet",
        "A number in the corner. Tapping on it shows them, with the reason.",
    ),
    story(
        3,
        "Send the receipt by e-mail or as a code to scan",
        "Paper on request only. In one country that is the law, in the others it saves money.",
    ),
    story(
        3,
        "Print a receipt again from the day before",
        "Customers come back the next morning, and the till knows only today.",
    ),
    story(
        4,
        "Support a second drawer for the shift at noon",
        "Each cashier has one. The till asks who is there and opens the right one.",
    ),
    story(
        0,
        "Lock the till into kiosk mode with a code",
        "Five taps in the corner and a code lead out of it. Nothing else does.",
    ),
    task(
        1,
        "Measure the battery with the camera on and off",
        "Nine devices, eight hours, screen at half brightness.",
    ),
    task(
        2,
        "Simulate a network that comes and goes every minute",
        "A proxy on a small computer in the office. With a switch that anyone can turn.",
    ),
    task(
        3,
        "List the commands that all three printers understand",
        "Bold, cut, picture, code. What only one of them can do we don't use.",
    ),
    task(
        4,
        "Build the device shelf in the new office",
        "Twelve sockets, twelve devices, a camera that looks at all of them.",
    ),
    task(
        0,
        "New pictures for the shops of the platforms",
        "In five languages, with the new colours. The old ones still show the first edition.",
    ),
    task(
        2,
        "Decide how long a till may be offline",
        "A day, a week? Prices change, and taxes do on the first of January.",
    ),
];
