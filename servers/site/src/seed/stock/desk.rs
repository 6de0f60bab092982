//! The texts of the help desk: what merchants ask, and what they hear.

use super::super::desk::{ACCESS, BILLING, BROKEN, QUESTION, TILL, WISH};

/// A request: its type, the place of its component, its summary, and what the customer writes.
pub(in super::super) type Request = (i64, usize, &'static str, &'static str);

/// Requests that were written by hand.
pub(in super::super) const REQUESTS: &[Request] = &[
    (
        BROKEN,
        0,
        "Nobody can pay in our shop since this morning",
        "Since about 8:40 each payment ends on a white page. We have had no order for an hour, on a Monday. Please hurry.",
    ),
    (
        BROKEN,
        0,
        "Customers see prices without tax after signing in",
        "A private customer has sent us a picture: 89.00 in place of 105.91. In the cart it is right again.",
    ),
    (
        BROKEN,
        1,
        "Refund of order 2041877 has not arrived after two weeks",
        "The customer calls every other day. Our overview says //refunded//, her bank says that there is nothing.",
    ),
    (
        TILL,
        2,
        "Till does not see the scanner any more",
        "We have switched both off and on. The scanner beeps, but nothing happens on the tablet.",
    ),
    (
        TILL,
        2,
        "Receipt printer prints only half of the line",
        "Since the update the right half is missing. It is the narrow paper.",
    ),
    (
        QUESTION,
        0,
        "How do I hide products that are sold out?",
        "We sell plants. In winter half of the list can't be bought, and people complain.",
    ),
    (
        QUESTION,
        0,
        "Can a voucher count for two categories?",
        "We would like 10 % on books and on games, but not on the rest.",
    ),
    (
        QUESTION,
        1,
        "When are payouts made before a bank holiday?",
        "Thursday is a holiday here. Do we get the money on Wednesday or on Friday?",
    ),
    (
        ACCESS,
        0,
        "New colleague needs access to the orders, not to the prices",
        "Her name is Paula, she begins on the first. She packs parcels and prints labels.",
    ),
    (
        ACCESS,
        0,
        "I lost my phone and can't sign in",
        "The second factor was on it. I have the codes on paper, but it takes only five of them.",
    ),
    (
        ACCESS,
        2,
        "Code for the settings of the till",
        "The colleague who knew it has left. We need to change the printer.",
    ),
    (
        BILLING,
        1,
        "Invoice for March has the old address",
        "We moved in February and told you so. Our accountant can't use it like this.",
    ),
    (
        BILLING,
        1,
        "Charged for two tills, but we have one",
        "The second one was a test device that you lent us in autumn.",
    ),
    (BILLING, 1, "VAT number is missing on the invoice", "It is in our account, but not on the paper."),
    (
        WISH,
        0,
        "Please let us sort orders by delivery day",
        "We pack in the morning what leaves at noon. Today we look for it by hand.",
    ),
    (
        WISH,
        2,
        "A sound when the payment went through",
        "It is loud here on Saturdays, and my eyes are on the customer.",
    ),
    (
        BROKEN,
        0,
        "Search finds no product with a number in its name",
        "`Lamp 40` gives nothing, `Lamp` gives all lamps. It worked last week.",
    ),
    (
        BROKEN,
        0,
        "Newsletter links lead to the start page",
        "All links of the newsletter of today, 14,000 recipients. Can you still change where they lead?",
    ),
    (
        TILL,
        2,
        "Drawer opens by itself at closing time",
        "Not dangerous, but our customers laugh. It is at six sharp, every day.",
    ),
    (
        QUESTION,
        0,
        "What happens to open carts when we change a price?",
        "We raise prices on Monday. Do people pay the old one if the article is in their cart?",
    ),
    (
        QUESTION,
        0,
        "Is there a way to copy a category with its products?",
        "We open a second shop in Cork and do not want to type it all again.",
    ),
    (
        BROKEN,
        1,
        "Two payments for one order",
        "Order 2050112. The customer has both on his statement, with a minute between them.",
    ),
    (
        BROKEN,
        0,
        "Order e-mails arrive six hours late",
        "Customers order again, since they think that it did not work.",
    ),
    (
        ACCESS,
        0,
        "Remove a former employee today",
        "He left in anger. Please remove him at once, and tell me what he did last.",
    ),
    (
        BILLING,
        1,
        "Payout is 0.01 lower than the report",
        "We know that it is only a cent. Our accountant does not.",
    ),
    (WISH, 0, "Pictures in the order list", "With a small picture we would see at once which box to take."),
    (
        TILL,
        2,
        "Tablet shows //offline//, but the internet works",
        "Everything else in the shop is online. We sell on, but the number in the corner grows.",
    ),
    (
        QUESTION,
        2,
        "Which printers work with the new version?",
        "Ours is dying, and we would like to buy the right one this time.",
    ),
    (
        BROKEN,
        0,
        "Shop is in Danish for all customers",
        "Nobody here speaks Danish. We have not changed anything, I promise.",
    ),
    (
        QUESTION,
        1,
        "How long is a gift card valid?",
        "A customer has one from three years ago, and it is refused.",
    ),
    (
        BROKEN,
        0,
        "Import of our price list stops at line 212",
        "The file is attached. Line 212 is empty, that is all.",
    ),
    (
        WISH,
        0,
        "Let us pause the shop for our holidays",
        "Two weeks in August. People may look, but not order.",
    ),
    (
        ACCESS,
        0,
        "Our agency needs to change the theme",
        "Only the theme, please, and only until the end of the month.",
    ),
    (TILL, 2, "Scale says 0.000 for heavy things", "Potatoes in large sacks. Up to ten kilos it is right."),
];

/// What else is asked, about one of [`THINGS`].
pub(in super::super) const PATTERNS: &[(i64, &str, &str)] = &[
    (
        QUESTION,
        "Where do we find {thing} in the new version?",
        "It was on the left before. Or do we need another role for it?",
    ),
    (
        QUESTION,
        "Does {thing} work with several languages?",
        "We are about to add French, and want to know what it means for us.",
    ),
    (
        BROKEN,
        "{Thing}: nothing happens after saving",
        "We click, it says //saved//, and after loading the page again all is as before.",
    ),
    (
        BROKEN,
        "{Thing}: very slow since the weekend",
        "More than a minute until we see something. With two colleagues at the same time it is worse.",
    ),
    (
        ACCESS,
        "Access to {thing} for our branch manager",
        "He should be able to look, and to change it in an emergency.",
    ),
    (
        WISH,
        "Export of {thing} as a spreadsheet",
        "Our accountant asks for it every month, and every month we type it.",
    ),
    (BILLING, "Which plan has {thing} in it?", "The page with the prices does not say so."),
];

/// What requests are about.
pub(in super::super) const THINGS: &[&str] = &[
    "the stock overview",
    "the address book",
    "the voucher list",
    "the day-end report",
    "the campaign calendar",
    "the newsletter",
    "the list of returns",
    "the delivery calendar",
    "the tax settings",
];

/// How agents begin.
pub(in super::super) const GREETINGS: &[&str] =
    &["Hello {first},", "Good morning {first},", "Dear {first},", "Hi {first},"];

/// What agents answer, and to which request types; none for all of them.
pub(in super::super) const ANSWERS: &[(&[i64], &str)] = &[
    (
        &[BROKEN],
        "Thank you for writing. I have looked at your shop and can see what you mean. A developer is looking at it now.",
    ),
    (
        &[BROKEN],
        "We found the cause: a job on our side had stopped. It runs again, and what was waiting has been done.",
    ),
    (&[BROKEN], "Could you send us an order number and the time? Then I can find it in the log."),
    (&[BROKEN], "In my browser it is right. Which one do you use, and on what kind of device?"),
    (
        &[QUESTION],
        "This is in **Settings**, then **Sales**, in the second section. A picture is in the handbook.",
    ),
    (
        &[QUESTION],
        "Yes, it does. It counts from the next day on, and nothing that was ordered before is changed.",
    ),
    (&[QUESTION], "It depends on your plan. You have the large one, so the answer is yes."),
    (&[ACCESS], "The invitation is on its way. It is valid for three days."),
    (
        &[ACCESS],
        "For this we need a short note of the owner of the shop. An answer to this message is enough.",
    ),
    (&[ACCESS], "I have changed the roles. It takes about ten minutes until it counts everywhere."),
    (
        &[BILLING],
        "The new invoice is in your account. The old one has been cancelled, so please use the new one only.",
    ),
    (
        &[BILLING],
        "The payment was made once and shown twice. The second line on the statement disappears within five days.",
    ),
    (&[BILLING], "I have asked accounting. They answer within two working days."),
    (
        &[TILL],
        "Please switch the till off, wait for ten seconds, and hold the button of the scanner until it is blue. Did that help?",
    ),
    (
        &[TILL],
        "Could you send us the log? It is in **Settings**, **About**, and then tap seven times on the version.",
    ),
    (
        &[TILL],
        "This is a fault of the last version. The next one comes on {day}; until then, please print on the wide paper.",
    ),
    (&[WISH], "That is not possible today. I have added your shop to the list of those who wish for it."),
    (&[WISH], "A good idea, and you are not the first. I have passed it on to the team of the product."),
    (&[], "I have passed this on to the team. I can't promise a day, but I will write when there is one."),
    (
        &[],
        "I have changed the setting for you. Please reload the page once and tell us whether it is right now.",
    ),
    (&[], "May I call you about this tomorrow morning? It is quicker than writing."),
];

/// What customers answer.
pub(in super::super) const REPLIES: &[&str] = &[
    "Thank you, that was quick. It works again.",
    "I have tried it, and it is still the same. A picture is attached.",
    "It was order 2041877, at about ten past nine.",
    "Perfect, thank you!",
    "Any news? We have a campaign on Friday.",
    "The first half works now. The second does not.",
    "My colleague says that it was like this before the weekend, too.",
    "That is good to know. You can close this.",
    "We would rather talk about it. Can somebody call us between two and four?",
];

/// What agents say among themselves.
pub(in super::super) const INTERNAL: &[&str] = &[
    "Same as last week's case. I would link it to the bug and wait.",
    "The log of this shop has 412 errors since 08:40, all of them from the payment page.",
    "{who}, can you take this one? They are in your time zone.",
    "Careful with this customer: they have been promised a call already.",
    "Their theme is from an agency, and it overwrites our template. Not our bug, but let us help.",
    "I have looked into their account: the role is there, it is only not assigned.",
    "Escalated to the developers. If they do not answer by four, I call them.",
];

/// What is written when a request is resolved, and to which request types; none for all of them.
pub(in super::super) const FAREWELLS: &[(&[i64], &str)] = &[
    (&[], "I am glad that it works. I close this now; write again if it comes back."),
    (&[], "Since we have not heard from you, I take it that all is well."),
    (&[BROKEN, TILL], "The fix is in since this morning. Sorry for the trouble."),
    (&[BROKEN], "The cause was on our side, and it is gone. You can see the details on the status page."),
    (&[ACCESS], "Done. Everybody who needs it is in, and nobody else."),
    (&[BILLING], "The amount is right now, and the new document is in your account."),
    (&[WISH], "We keep it on the list. I will write to you when it is built."),
    (&[QUESTION], "I hope that answers it. If not, an answer to this message opens it again."),
];
