//! The topics of the storefront: what its issues are about.

use crate::seed::stock::{Topic, bug, story, task};

pub(super) const TOPICS: &[Topic] = &[
    bug(
        0,
        "Checkout total ignores the gift card when the currency changes",
        "The gift card is taken off in the currency of the card. When the buyer changes the currency of the cart, it is not converted but left out.",
    ),
    bug(
        0,
        "Address form asks Irish buyers for a region that does not exist",
        "Buyers in Ireland choose a county, and the form then wants a region of that county, too. The list is empty.",
    ),
    bug(
        0,
        "Order confirmation shows the price before the voucher",
        "The amount that we charge is right. Only the page after the payment, and the e-mail, have the price without the voucher.",
    ),
    bug(
        0,
        "Two clicks on \"Pay now\" create two orders",
        "If the payment page is slow to load, buyers click again. The second click finds no order number in the session and makes a new one.",
    ),
    bug(
        0,
        "Cart is empty after signing in from the checkout",
        "The cart of the guest is merged into that of the customer. If the customer's cart was never used, the merge drops both.",
    ),
    bug(
        0,
        "Shipping costs are free for a cart of exactly the limit",
        "The limit says //from 50 euros//. A cart of 50.00 pays nothing, as it should, but so does one of 49.995 after rounding.",
    ),
    bug(
        1,
        "Variant picker keeps the size of the previous product",
        "Going from one product to the next with the arrow keys leaves the size of the first one selected, even if the second one has no such size.",
    ),
    bug(
        1,
        "Category with an ampersand in its name cannot be opened",
        "`Knives & Forks` leads to a page that says that the category `Knives ` is empty.",
    ),
    bug(
        1,
        "Price list import drops lines after an empty one",
        "Spreadsheets often end a section with an empty line. The import takes it for the end of the file and says that all is well.",
    ),
    bug(
        1,
        "Sold-out products appear first when sorting by price",
        "They have no price any more, and no price is sorted as zero.",
    ),
    bug(
        2,
        "Search finds nothing for words with a hyphen",
        "`t-shirt` is split at the hyphen, and single letters are not in the index.",
    ),
    bug(
        2,
        "Filter by colour forgets the second colour on page two",
        "The link to the next page has only the last value of each filter.",
    ),
    bug(
        2,
        "Suggestions show products of another shop",
        "Two shops on the same server share an index. The suggestions do not ask for the shop, the results do.",
    ),
    bug(
        3,
        "Order history is empty for customers who changed their e-mail",
        "Orders are looked up by the address with which they were made.",
    ),
    bug(
        3,
        "Password reset link works a second time",
        "The link is marked as used when the new password is saved. Opening it in two tabs gives two forms, and both save.",
    ),
    bug(
        3,
        "Customers with an apostrophe in their name can't save the address",
        "`O'Brien` is refused with //invalid characters//. We sell to Ireland, so this matters.",
    ),
    bug(
        4,
        "Voucher for first orders can be used by guests again and again",
        "A guest has no orders, and so each order is the first one.",
    ),
    bug(
        4,
        "Gift card of zero can be bought and is sent by e-mail",
        "The amount is checked in the form only. Who sends the form without it gets a card with nothing on it.",
    ),
    bug(
        4,
        "Campaign ends an hour early in summer",
        "The end is stored in winter time and compared with the clock of the shop.",
    ),
    bug(
        5,
        "Order list export has the columns of the last user",
        "The columns are kept by the process, not by the person. Two merchants at the same time get each other's.",
    ),
    bug(
        5,
        "Stock overview counts returns twice",
        "A return adds to the stock when it is announced, and again when it arrives.",
    ),
    bug(
        5,
        "Theme editor loses changes when the session ends",
        "After an hour the editor says //saved//, but the request was answered with the sign-in page.",
    ),
    story(
        0,
        "Show the delivery day before the address is complete",
        "Postcode and country are enough to say on which day a parcel arrives. Buyers ask for it before they give us their street.",
    ),
    story(
        0,
        "Let guests create an account after the order",
        "All that is missing is a password. One field on the confirmation page is enough.",
    ),
    story(
        0,
        "Keep the cart for thirty days across devices",
        "Who signs in on the phone finds what they put into the cart on the laptop.",
    ),
    story(
        0,
        "Offer pick-up in the store as a way of delivery",
        "Merchants with a store want buyers to come by. The till has to know about it, too.",
    ),
    story(
        0,
        "Merge address and delivery into one step",
        "Seven steps are four too many. Address and delivery belong together: one depends on the other.",
    ),
    story(
        1,
        "Show how many pieces are left when it is fewer than five",
        "A number, not a bar. Merchants can set the limit for each category.",
    ),
    story(
        1,
        "Bundles that are sold as one product and shipped as several",
        "A bundle has its own price and no stock of its own: it is sold out when one of its parts is.",
    ),
    story(
        1,
        "Prices that begin on a day",
        "Merchants prepare the new price list a week before it counts. Today they get up at midnight to publish it.",
    ),
    story(
        2,
        "Suggest categories beside products",
        "If somebody types `gard`, the category //Garden// is more useful than the first ten garden hoses.",
    ),
    story(
        2,
        "Synonyms that merchants can edit",
        "What one calls a sofa another one calls a couch. Merchants know best what their customers say.",
    ),
    story(
        2,
        "Remember filters when going back to the results",
        "Back from a product, all filters are gone, and people begin again.",
    ),
    story(
        3,
        "Let customers download all their data",
        "One file with orders, addresses and reviews, ready within a day. The law wants it, and customers ask for it.",
    ),
    story(
        3,
        "Several delivery addresses for trade customers",
        "A company with twelve branches orders for all of them. Each order goes to one of the twelve, and the invoice always to the first.",
    ),
    story(
        4,
        "Spend a gift card over several orders",
        "The card keeps what is left. The buyer sees the rest on the confirmation page and in the account.",
    ),
    story(
        4,
        "Voucher codes that count only for a customer group",
        "Trade customers get their own codes. A code in the wrong hands says that it is for others, not that it does not exist.",
    ),
    story(
        4,
        "Plan campaigns in a calendar",
        "Editors want to see which campaigns overlap. A list sorted by name does not show that.",
    ),
    story(
        5,
        "Print picking lists in the order of the shelves",
        "Whoever fills the boxes walks through the store once, not once per article.",
    ),
    story(
        5,
        "Bulk edit of products with undo",
        "Merchants raise the prices of a whole category. When it goes wrong, they want the old ones back.",
    ),
    story(
        5,
        "Roles for merchants with more than one employee",
        "Somebody may change prices, somebody may only pack. Today everybody may do everything.",
    ),
    task(
        0,
        "Count how many buyers leave at which step of the checkout",
        "Before we change the order of the steps we need numbers of the old one, by country and device.",
    ),
    task(
        1,
        "Move pictures of products to the new storage",
        "1.4 million files. The old addresses have to go on working, since they are in feeds and newsletters.",
    ),
    task(
        1,
        "Delete the templates of the old theme engine",
        "No shop has used them since 5.2. They are a third of the code that we translate.",
    ),
    task(
        2,
        "Build the index of a shop without taking the old one away",
        "While the index is built, the search of that shop is empty: up to twenty minutes for the large ones.",
    ),
    task(
        2,
        "Compare two analysers for compound words",
        "German and Danish shops lose the most. An afternoon with the queries of last month should show which one is better.",
    ),
    task(
        3,
        "Hash passwords with the new algorithm at the next sign-in",
        "We can't change them all at once, so each one is changed when its owner comes by.",
    ),
    task(
        4,
        "Write down how vouchers and gift cards combine",
        "Four people gave four answers. The handbook should have one.",
    ),
    task(
        5,
        "Update the table component to the version without the leak",
        "The order list grows by 20 MB an hour when it is left open, and warehouses leave it open all day.",
    ),
    task(
        5,
        "Remove tracking from the back office",
        "We promised it, and the legal department has asked twice.",
    ),
    task(
        5,
        "Prepare the demo shop for the trade fair",
        "Two languages, three currencies, and products that look good on a large screen. No real customers in it.",
    ),
    task(
        0,
        "Load test of the checkout with the traffic of the last sale",
        "Replay the requests of the busiest hour at double speed, against a copy.",
    ),
    bug(
        0,
        "Express payment skips the check of the delivery country",
        "Buyers can have a parcel sent to where the shop does not deliver. The merchant notices when printing the label.",
    ),
    story(
        2,
        "Search by a photo of the barcode",
        "In the store, customers want to know whether another branch has the same thing. The till can do it already.",
    ),
];
