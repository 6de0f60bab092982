//! Resources as an HTML page in one file.

use super::facts;
use crate::resource::Resource;

pub(super) fn page(title: &str, resources: &[Resource]) -> String {
    let title = escape(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for it in resources {
        page += &format!(
            "<h2><a href=\"{}\">{}</a></h2>\n<p>{}</p>\n<p><em>{}</em></p>\n",
            escape(&it.url),
            escape(&it.title),
            escape(&it.description),
            escape(&facts(it))
        );
    }
    page + "</body>\n</html>\n"
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            it => out.push(it),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        assert_eq!(escape("<a b='&\">"), "&lt;a b=&#39;&amp;&quot;&gt;");
    }
}
