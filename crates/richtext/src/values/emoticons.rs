//! Emoticons of Confluence's old editor and of wiki markup, with their emoji in ADF.

/// An emoticon: its spelling in wiki markup, its name in storage format, and `shortName`, `id` and `text` of
/// the `emoji` node in ADF.
pub(crate) struct Emoticon {
    pub(crate) spelling: &'static str,
    /// The emoticon's `ac:name` in storage format; empty if storage format has no name for it.
    pub(crate) name: &'static str,
    pub(crate) short: &'static str,
    pub(crate) id: &'static str,
    pub(crate) text: &'static str,
}

const fn emoticon(
    spelling: &'static str,
    name: &'static str,
    short: &'static str,
    id: &'static str,
    text: &'static str,
) -> Emoticon {
    Emoticon { spelling, name, short, id, text }
}

/// All emoticons. If one spelling is a prefix of another, the longer is first. Of the spellings of one emoji
/// the usual one is first.
pub(crate) const EMOTICONS: [Emoticon; 34] = [
    emoticon(":)", "smile", ":slight_smile:", "1f642", "🙂"),
    emoticon(":-)", "smile", ":slight_smile:", "1f642", "🙂"),
    emoticon(":(", "sad", ":disappointed:", "1f61e", "😞"),
    emoticon(":-(", "sad", ":disappointed:", "1f61e", "😞"),
    emoticon(":P", "cheeky", ":stuck_out_tongue:", "1f61b", "😛"),
    emoticon(":-P", "cheeky", ":stuck_out_tongue:", "1f61b", "😛"),
    emoticon(":p", "cheeky", ":stuck_out_tongue:", "1f61b", "😛"),
    emoticon(":-p", "cheeky", ":stuck_out_tongue:", "1f61b", "😛"),
    emoticon(":D", "laugh", ":smiley:", "1f603", "😃"),
    emoticon(":-D", "laugh", ":smiley:", "1f603", "😃"),
    emoticon(";)", "wink", ":wink:", "1f609", "😉"),
    emoticon(";-)", "wink", ":wink:", "1f609", "😉"),
    emoticon("(y)", "thumbs-up", ":thumbsup:", "1f44d", "👍"),
    emoticon("(n)", "thumbs-down", ":thumbsdown:", "1f44e", "👎"),
    emoticon("(i)", "information", ":info:", "atlassian-info", ":info:"),
    emoticon("(/)", "tick", ":check_mark:", "atlassian-check_mark", ":check_mark:"),
    emoticon("(x)", "cross", ":cross_mark:", "atlassian-cross_mark", ":cross_mark:"),
    emoticon("(!)", "warning", ":warning:", "atlassian-warning", ":warning:"),
    emoticon("(+)", "plus", ":plus:", "atlassian-plus", ":plus:"),
    emoticon("(-)", "minus", ":minus:", "atlassian-minus", ":minus:"),
    emoticon("(?)", "question", ":question_mark:", "atlassian-question_mark", ":question_mark:"),
    emoticon("(on)", "light-on", ":light_bulb_on:", "atlassian-light_bulb_on", ":light_bulb_on:"),
    emoticon("(off)", "light-off", ":light_bulb_off:", "atlassian-light_bulb_off", ":light_bulb_off:"),
    emoticon("(*)", "yellow-star", ":yellow_star:", "atlassian-yellow_star", ":yellow_star:"),
    emoticon("(*y)", "yellow-star", ":yellow_star:", "atlassian-yellow_star", ":yellow_star:"),
    emoticon("(*r)", "red-star", ":red_star:", "atlassian-red_star", ":red_star:"),
    emoticon("(*g)", "green-star", ":green_star:", "atlassian-green_star", ":green_star:"),
    emoticon("(*b)", "blue-star", ":blue_star:", "atlassian-blue_star", ":blue_star:"),
    emoticon("(flagoff)", "", ":flag_off:", "atlassian-flag_off", ":flag_off:"),
    emoticon("(flag)", "", ":flag_on:", "atlassian-flag_on", ":flag_on:"),
    emoticon("(heart)", "heart", ":heart:", "2764", "❤️"),
    emoticon("<3", "heart", ":heart:", "2764", "❤️"),
    emoticon("</3", "broken-heart", ":broken_heart:", "1f494", "💔"),
    emoticon("(broken_heart)", "broken-heart", ":broken_heart:", "1f494", "💔"),
];

/// Returns the emoticon whose `ac:name` in storage format is `name`, in its usual spelling; `None` if there
/// is none.
pub(crate) fn named(name: &str) -> Option<&'static Emoticon> {
    EMOTICONS.iter().find(|it| it.name == name && !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_that_of_one_emoji() {
        for one in EMOTICONS.iter().filter(|it| !it.name.is_empty()) {
            let found = named(one.name).expect("it has this name");
            assert_eq!((found.short, found.id, found.text), (one.short, one.id, one.text));
        }
        assert!(named("").is_none());
    }

    #[test]
    fn of_spellings_that_begin_alike_the_longer_is_found() {
        for (index, one) in EMOTICONS.iter().enumerate() {
            let hidden = EMOTICONS[..index].iter().find(|it| one.spelling.starts_with(it.spelling));
            assert!(hidden.is_none(), "{}", one.spelling);
        }
    }
}
