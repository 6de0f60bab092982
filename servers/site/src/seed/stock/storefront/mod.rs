//! The texts of the storefront.

mod topics;

use super::{ANY, Stock};
use topics::TOPICS;

/// The texts of the storefront.
pub(in crate::seed) static STOREFRONT: Stock = Stock {
    topics: TOPICS,
    epics: &[
        (
            "Gift cards that can be used in parts",
            "Gift cards",
            "A card keeps what is left of it, and the buyer can see how much that is.",
        ),
        (
            "Search that understands what people type",
            "Search",
            "Synonyms, misspelled words and suggestions, without an index per shop.",
        ),
        (
            "Net prices for trade customers",
            "Trade prices",
            "Whoever has signed in as a business sees prices without tax, from the list to the invoice.",
        ),
        (
            "Checkout in three steps",
            "Three steps",
            "Address, payment, overview: three pages in the place of seven.",
        ),
        (
            "A back office that works on a tablet",
            "Tablet office",
            "Merchants walk through their store with a tablet. The back office should come along.",
        ),
        (
            "Themes from other makers",
            "Themes",
            "A theme is a package with a manifest. What it may do is written there, and nowhere else.",
        ),
    ],
    places: &[
        ("Cart drawer", 0),
        ("Address form", 0),
        ("Order confirmation", 0),
        ("Shipping step", 0),
        ("Product page", 1),
        ("Category page", 1),
        ("Variant picker", 1),
        ("Price list import", 1),
        ("Search results", 2),
        ("Filter column", 2),
        ("Order history", 3),
        ("Sign-in page", 3),
        ("Address book", 3),
        ("Voucher form", 4),
        ("Campaign editor", 4),
        ("Stock overview", 5),
        ("Order list", 5),
        ("Theme editor", 5),
    ],
    symptoms: &[
        (
            "button is behind the footer on narrow screens",
            "Below 380 pixels the two overlap, and a tap opens the imprint.",
        ),
        (
            "spinner goes on for ever after a time-out",
            "After thirty seconds the request is given up. The spinner does not know.",
        ),
        (
            "dates are those of the server, not of the shop",
            "In the evening it is tomorrow already. Shops in Canada see it most.",
        ),
        (
            "umlauts are question marks after saving",
            "`Müller` becomes `M?ller`, but only if the text was pasted.",
        ),
        (
            "error message is cut off in Dutch",
            "Dutch needs a third more room than English, and the box does not grow.",
        ),
        ("second click sends the form twice", "On slow lines people click again. Both clicks count."),
        (
            "keyboard focus jumps back to the top",
            "Whoever works without a mouse begins again after each change.",
        ),
        (
            "prices lose their last digit when sorted",
            "19.90 is shown as 19.9 after a click on the head of the column.",
        ),
        (
            "page takes nine seconds with 5,000 entries",
            "All entries are drawn, though only forty of them can be seen.",
        ),
        ("back button leads to an empty page", "The address has a number in it that is valid once."),
        (
            "picture stays the old one until reload",
            "The browser keeps it for a day, since its address is the same.",
        ),
        (
            "screen reader says nothing about errors",
            "The message appears beside the field, but nothing announces it.",
        ),
    ],
    chores: &[
        (
            "{place}: measure how long it takes, and write it down",
            "A week of numbers by country and device, before we change anything.",
        ),
        (
            "{place}: replace the old component with the new one",
            "The old one is not maintained any more, and cannot be used with the keyboard.",
        ),
        (
            "{place}: translate into Czech and Danish",
            "The texts are in the sheet of the translators; they need pictures of the places.",
        ),
        (
            "{place}: tests for empty and very long values",
            "Names with one letter and with two hundred, and none at all.",
        ),
        ("{place}: remove the switch for the old layout", "It has been on for all shops since spring."),
        ("{place}: texts as the editors want them", "Shorter, without //please//, and the verb first."),
    ],
    parts: &[
        "Migration of the tables",
        "Endpoint for the storefront",
        "Form and its messages",
        "Unit tests for the edge cases",
        "Texts in all languages",
        "Switch to turn it on per shop",
        "Page in the handbook",
        "Check with a screen reader",
        "Numbers for the dashboard",
        "Remove the old code path",
        "Review of the design",
        "Load test with a copy of a large shop",
    ],
    roles: &[
        "a buyer",
        "a returning customer",
        "a merchant",
        "a trade customer",
        "an editor",
        "an agent of the help desk",
    ],
    steps: &[
        (
            0,
            &[
                "Put two different articles into the cart.",
                "Open the cart and choose another currency.",
                "Go on to the checkout.",
            ],
        ),
        (
            0,
            &[
                "Open the shop on a phone, in portrait.",
                "Add an article to the cart.",
                "Turn the phone to landscape.",
                "Tap **Checkout**.",
            ],
        ),
        (
            0,
            &[
                "Fill a cart as a guest.",
                "Go on to the address.",
                "Let the browser fill it in, and press Enter in the last field.",
            ],
        ),
        (
            1,
            &[
                "Open any product with variants.",
                "Choose a variant that is sold out.",
                "Choose one that is in stock again.",
            ],
        ),
        (
            1,
            &[
                "Open a category with more than a hundred products.",
                "Sort it by price.",
                "Open the last page.",
            ],
        ),
        (
            2,
            &[
                "Search for a word with an umlaut, such as `Bürste`.",
                "Open the third page of the results.",
                "Set any filter.",
            ],
        ),
        (
            3,
            &[
                "Sign in as a customer with more than one address.",
                "Change the one that is used for invoices.",
                "Sign out, and in again.",
            ],
        ),
        (
            4,
            &[
                "Create a voucher of 10 % for one category.",
                "Fill a cart with articles in and outside of that category.",
                "Redeem the voucher.",
            ],
        ),
        (
            5,
            &[
                "In the back office, open **Orders**.",
                "Filter by yesterday.",
                "Export the list as CSV.",
                "Open it in a spreadsheet.",
            ],
        ),
        (
            5,
            &[
                "Sign in to the back office, and leave the page open over night.",
                "Click **Save** the next morning.",
            ],
        ),
    ],
    criteria: &[
        "It works without JavaScript up to the payment step.",
        "The price is the same in the list, on the product page and in the cart.",
        "A shop can switch it off.",
        "Nothing changes for shops with the old theme.",
        "All texts can be translated.",
        "It is in the handbook, with a picture.",
        "The page has no new request that blocks it.",
        "With 10,000 articles it takes less than 300 ms.",
        "Errors say which field they are about.",
        "It can be used with the keyboard alone.",
        "An order keeps what it was made with, even if the setting changes later.",
        "The export has a column for it.",
        "Editors see it in the preview.",
        "There is an event for it in the shop's log.",
    ],
    snippets: &[
        (
            0,
            "json",
            "{\n  \"cart\": \"c-48213\",\n  \"currency\": \"DKK\",\n  \"lines\": [\n    { \"sku\": \"MUG-BLUE\", \"quantity\": 2, \"price\": 12900 }\n  ],\n  \"giftCards\": [\"GC-77\"]\n}",
        ),
        (
            0,
            "javascript",
            "const total = lines.reduce((sum, line) => sum + line.price * line.quantity, 0);\nif (total !== order.total) report(order.id, total);",
        ),
        (
            0,
            "",
            "2 errors in checkout/address.ts\n  41:7   postcode of IE may be empty\n  58:12  'region' is read before it is set",
        ),
        (
            0,
            "",
            "WARN  cart.Totals - rounding difference of 1 for order 2041877 (SEK)\nERROR cart.Totals - negative total -0.01, showing 0",
        ),
        (
            1,
            "xml",
            "<product sku=\"CH-204\">\n  <price currency=\"EUR\" net=\"true\">89.00</price>\n  <stock warehouse=\"north\">0</stock>\n</product>",
        ),
        (
            2,
            "json",
            "{\n  \"query\": \"t-shirt\",\n  \"terms\": [\"shirt\"],\n  \"hits\": 0,\n  \"took\": 4\n}",
        ),
        (
            3,
            "sql",
            "SELECT lower(email), count(*)\nFROM customer\nGROUP BY lower(email)\nHAVING count(*) > 1;",
        ),
        (
            4,
            "java",
            "if (voucher.isExpired(clock.today())) {\n    // The day itself still counts.\n    return Discount.none();\n}",
        ),
        (
            5,
            "sql",
            "SELECT o.id, o.total, sum(l.price * l.quantity) AS lines\nFROM orders o JOIN order_line l ON l.order_id = o.id\nGROUP BY o.id\nHAVING o.total <> sum(l.price * l.quantity);",
        ),
    ],
    tables: &[
        (
            ANY,
            &[
                &["Browser", "Version", "Result"],
                &["Firefox", "143", "as expected"],
                &["Chrome", "141", "**wrong**"],
                &["Safari", "19", "**wrong**"],
            ],
        ),
        (
            0,
            &[
                &["Country", "Postcode", "Region"],
                &["Ireland", "optional", "county"],
                &["Germany", "five digits", "none"],
                &["Brazil", "eight digits", "state"],
            ],
        ),
        (
            0,
            &[
                &["Setting", "Default", "Who may change it"],
                &["`checkout.steps`", "7", "support"],
                &["`checkout.guest`", "on", "merchant"],
            ],
        ),
        (
            1,
            &[
                &["Articles", "Before", "After"],
                &["100", "80 ms", "70 ms"],
                &["1,000", "410 ms", "95 ms"],
                &["10,000", "9.2 s", "240 ms"],
            ],
        ),
        (
            2,
            &[
                &["Query", "Hits before", "Hits after"],
                &["`t-shirt`", "0", "214"],
                &["`Bürste`", "31", "31"],
                &["`sofa`", "12", "40"],
            ],
        ),
        (
            4,
            &[
                &["Voucher", "Gift card", "Result"],
                &["10 %", "none", "90.00"],
                &["10 %", "30.00", "60.00"],
                &["none", "30.00", "70.00"],
            ],
        ),
    ],
    remarks: &[
        (
            0,
            "The total is computed in two places. I would take the one in the cart service and delete the other.",
        ),
        (0, "Let us not touch the old checkout. It goes away with 6.0 in any case."),
        (0, "For guests there is no address book, so the button should not be there at all."),
        (0, "Three of the five shops with the most orders have their own address form. We have to ask them."),
        (1, "The cache keeps the price for ten minutes. That explains why it goes away on its own."),
        (1, "I have measured again: 9.2 s before, 240 ms after. The rest is the network."),
        (1, "Variants without a picture take that of the first variant. It was meant as a help."),
        (2, "The index was built with the old analyser. After building it again the suggestions are right."),
        (2, "I have tried it with `Bürste`, `Burste` and `buerste`: all three find the brushes now."),
        (
            2,
            "The log of queries has 4,100 different words of last week. A third of them has a mistake in it.",
        ),
        (3, "An address can be changed while an order with it is on its way. We keep a copy with the order."),
        (3, "There are 312 customers with two accounts that differ only in the case of the e-mail."),
        (4, "Net and gross are mixed up in the e-mail only. The invoice is right."),
        (4, "The code is compared with its case. Nobody types `Spring` the way it is printed."),
        (
            4,
            "Campaigns are sorted by name, so the one that begins with //A// wins. That cannot be what we want.",
        ),
        (5, "The warehouse leaves the page open for the whole day. After eight hours it has 160 MB."),
        (5, "Merchants with more than one language see it, the others don't."),
        (ANY, "On the demo shop I can't see it, but with the copy of a large shop it is there at once."),
        (ANY, "It began with the new theme engine. The old templates are not affected."),
        (ANY, "The designer would like 8 pixels more above the button. I have put it on the list."),
        (ANY, "Two merchants wrote about this on the same day, so it is not only their theme."),
        (ANY, "Can we please have this behind a switch? Fennel & Fig have a campaign on Friday."),
        (ANY, "In Safari it looks right, but the text is not read aloud."),
        (ANY, "I asked three merchants. Two did not know that it exists."),
    ],
    labels: &[
        "accessibility",
        "campaign",
        "i18n",
        "merchant-wish",
        "performance",
        "quick-win",
        "regression",
        "theme",
        "ux",
        "tech-debt",
    ],
    environments: &[
        "Shop version 5.4, theme //Linen//, Firefox 143 on Windows 11.",
        "Chrome 141 on Android 15, screen of 360 × 780.",
        "Safari on iPadOS, back office, demo shop.",
        "All browsers. Copy of the shop `oak-lane`, 41,000 articles.",
    ],
};
