//! Tests that read each construct of wiki markup, and write it again.

use super::{BOTH, read, shown, survives};
use crate::format::Dialect;
use crate::tree::Span;

/// Checks that both dialects read `source` as `expected`.
fn check(source: &str, expected: &str) {
    for dialect in BOTH {
        check_in(dialect, source, expected);
    }
}

fn check_in(dialect: Dialect, source: &str, expected: &str) {
    assert_eq!(shown(&read(source, dialect)), expected, "{dialect:?} {source:?}");
    survives(source, dialect);
}

fn jira(source: &str, expected: &str) {
    check_in(Dialect::Jira, source, expected);
}

fn confluence(source: &str, expected: &str) {
    check_in(Dialect::Confluence, source, expected);
}

#[test]
fn a_mark_within_a_word_is_text_unless_it_stands_in_braces() {
    check("a *b*c", r#"paragraph["a *b*c"]"#);
    check("a*b* c", r#"paragraph["a*b* c"]"#);
    check("a{*}b{*}c", r#"paragraph["a" "b"^strong "c"]"#);
    check("2 * 3 * 4, a-b-c, *a\nb*", r#"paragraph["2 * 3 * 4, a-b-c, *a" hardBreak "b*"]"#);
    check(
        "-a- +b+ ^c^ ~d~ _e_",
        r#"paragraph["a"^strike " " "b"^underline " " "c"^subsup<type=sup> " " "d"^subsup<type=sub> " " "e"^em]"#,
    );
}

#[test]
fn a_mark_does_not_reach_over_another_sign_of_its_kind() {
    check("text *strong * text* text", r#"paragraph["text *strong * text* text"]"#);
    check("*a _b* c_", r#"paragraph["a _b"^strong " c_"]"#);
}

#[test]
fn nodes_under_one_mark_share_its_place() {
    let source = "x *a _b_ {{c}}* y";
    let blocks = read(source, Dialect::Jira);
    let whole: Vec<Span> = blocks[0].children[1..5].iter().map(|it| it.span).collect();
    assert!(whole.iter().all(|it| it.of(source) == "*a _b_ {{c}}*"), "{whole:?}");
    assert_eq!(blocks[0].children[2].inner.of(source), "b");
}

#[test]
fn colour_reaches_over_blocks() {
    let red = "^textColor<color=#ff0000,wiki:form=red>";
    check(
        "{color:red}a\n\n* b{color} c",
        &format!(r#"paragraph["a"{red}] bulletList[listItem[paragraph["b"{red} " c"]]]"#),
    );
    check("{color:nope}a{color}", r#"paragraph["{color:nope}a{color}"]"#);
    check("{color:red}a", r#"paragraph["{color:red}a"]"#);
}

#[test]
fn of_colours_within_each_other_the_innermost_applies() {
    let colour = |hex, name| format!("^textColor<color={hex},wiki:form={name}>");
    let (blue, red) = (colour("#0000ff", "blue"), colour("#ff0000", "red"));
    check(
        "{color:blue}a {color:red}b{color} c{color}",
        &format!(r#"paragraph["a "{blue} "b"{red} " c"{blue}]"#),
    );
    check(
        "{color:blue}a\n\n{color:red}b{color} c{color}",
        &format!(r#"paragraph["a"{blue}] paragraph["b"{red} " c"{blue}]"#),
    );
}

#[test]
fn lists_of_different_kinds_stand_in_each_other() {
    check(
        "# a\n#* b\nb2\n# c\n\n- d",
        r#"orderedList[listItem[paragraph["a"] bulletList[listItem[paragraph["b" hardBreak "b2"]]]] listItem[paragraph["c"]]] bulletList<wiki:form=->[listItem[paragraph["d"]]]"#,
    );
    check(
        "----\n-a-\n- b",
        r#"rule paragraph["a"^strike] bulletList<wiki:form=->[listItem[paragraph["b"]]]"#,
    );
    check(
        "** a\n* b",
        r#"bulletList[listItem[bulletList[listItem[paragraph["a"]]]] listItem[paragraph["b"]]]"#,
    );
}

#[test]
fn bars_in_links_macros_and_escapes_do_not_end_a_cell() {
    let link = r#""t"^link<href=http://x.y>"#;
    check(
        "|[t|http://x.y]|{code:a|b=c}|{code}|a\\|b|",
        &format!(
            "table[tableRow[tableCell[paragraph[{link}]] tableCell[codeBlock<wiki:lines=tight,language=a,param:b=c>[\"|\"]] tableCell[paragraph[\"a|b\"]]]]"
        ),
    );
    check(
        "||h|c\nd|\n|a| |",
        r#"table[tableRow[tableHeader[paragraph["h"]] tableCell[paragraph["c" hardBreak "d"]]] tableRow[tableCell[paragraph["a"]] tableCell[paragraph]]]"#,
    );
    check(
        "| (!) | a | (!) |",
        r#"table[tableRow[tableCell[paragraph[emoji<shortName=:warning:,id=atlassian-warning,text=:warning:>]] tableCell[paragraph["a"]] tableCell[paragraph[emoji<shortName=:warning:,id=atlassian-warning,text=:warning:>]]]]"#,
    );
}

#[test]
fn a_macro_that_is_not_closed_is_text() {
    check("a {code} b", r#"paragraph["a {code} b"]"#);
    jira("\\{panel}{panel}x{panel}", r#"paragraph["{panel}"] panel<panelType=info>[paragraph["x"]]"#);
}

#[test]
fn panels_are_told_apart_by_name_or_background() {
    for (name, kind) in
        [("info", "info"), ("tip", "success"), ("note", "warning"), ("warning", "error"), ("panel", "note")]
    {
        confluence(
            &format!("{{{name}:title=T}}\na\n{{{name}}}"),
            &format!(r#"panel<panelType={kind},param:title=T>[paragraph["a"]]"#),
        );
    }
    jira("{panel:bgColor=#ffebe6}a{panel}", r#"panel<panelType=error>[paragraph["a"]]"#);
    jira("{info}a{info}", r#"paragraph["{info}a{info}"]"#);
}

#[test]
fn macros_of_confluence_are_extensions_and_text_to_jira() {
    let macros = r#"<extensionType=com.atlassian.confluence.macro.core,extensionKey="#;
    confluence(
        "{toc:maxLevel=3}",
        &format!(r#"extension{macros}toc,parameters={{"macroParams":{{"maxLevel":{{"value":"3"}}}}}}>"#),
    );
    confluence(
        "{excerpt}a{excerpt}",
        &format!(r#"bodiedExtension{macros}excerpt,parameters={{"macroParams":{{}}}}>[paragraph["a"]]"#),
    );
    confluence("{status:colour=Green|title=OK}", r#"paragraph[status<text=OK,color=green>]"#);
    confluence("{expand:T}a{expand}", r#"expand<title=T>[paragraph["a"]]"#);
    confluence(
        "{section}{column:width=30%}a{column}{section}",
        r#"layoutSection[layoutColumn<width=30>[paragraph["a"]]]"#,
    );
    check(
        "a {anchor:x} b",
        &format!(
            r#"paragraph["a " inlineExtension{macros}anchor,parameters={{"macroParams":{{"":{{"value":"x"}}}}}}> " b"]"#
        ),
    );
    jira("{toc:maxLevel=3}", r#"paragraph["{toc:maxLevel=3}"]"#);
}

#[test]
fn links_lead_to_pages_files_persons_and_issues() {
    check(
        "[#a] [^f g.txt] [t|^f]",
        r##"paragraph["#a"^link<href=#a> " " "f g.txt"^link<href=attachment:f%20g.txt> " " "t"^link<href=attachment:f>]"##,
    );
    check("[~u] [~accountid:5:x]", r#"paragraph[mention<id=u,ri:username=u> " " mention<id=5:x>]"#);
    check(
        "[mailto:a@b.c] [t|http://x|tip]",
        r#"paragraph["mailto:a@b.c"^link<href=mailto:a@b.c> " " "t"^link<href=http://x,title=tip>]"#,
    );
    jira("[PROJ-1] [x]", r#"paragraph["PROJ-1"^link<href=jira:PROJ-1> " [x]"]"#);
    confluence(
        "[S:A b#c] [t|A/b]",
        r#"paragraph[inlineCard<url=confluence:S/A%20b#c> " " "t"^link<href=confluence:/A%2Fb>]"#,
    );
    check(
        "a [http://x|http://x|smart-link]\n\n[http://x|http://x|smart-card]",
        r#"paragraph["a " inlineCard<url=http://x>] blockCard<url=http://x>"#,
    );
}

#[test]
fn a_backslash_escapes_breaks_or_belongs_to_a_path() {
    check("\\*a\\* b\\\\c", r#"paragraph["*a* b" hardBreak<wiki:form=\\> "c"]"#);
    check("C:\\\\x\\\\y \\\\srv\\share\\f", "paragraph[\"C:\\\\\\\\x\\\\\\\\y \\\\\\\\srv\\\\share\\\\f\"]");
}

#[test]
fn dashes_references_and_emoticons_are_what_they_show() {
    check(
        "a -- b --- c a--b {{x -- y}} &amp;&#33;&nope;",
        "paragraph[\"a – b — c a--b \" \"x \"^code \"-- y\"^code \" &!&nope;\"]",
    );
    check(
        "see (*) and(n) :-)",
        r#"paragraph["see " emoji<shortName=:yellow_star:,id=atlassian-yellow_star,text=:yellow_star:> " and(n) " emoji<shortName=:slight_smile:,id=1f642,text=🙂,wiki:form=:-)>]"#,
    );
}

#[test]
fn a_quote_remembers_which_of_its_two_spellings_it_has() {
    check(
        "bq. a\n\n{quote}\nb\n{quote}",
        r#"blockquote<wiki:form=bq.>[paragraph["a"]] blockquote[paragraph["b"]]"#,
    );
}

#[test]
fn code_is_what_stands_between_its_tags() {
    check(
        "{code:java|title=x}\r\na *b*\r\n{code}\n\n{noformat}c{noformat}",
        r#"codeBlock<language=java,param:title=x>["a *b*"] codeBlock<wiki:lines=tight>["c"]"#,
    );
}

#[test]
fn code_that_names_no_language_is_in_the_products_own() {
    check("{code}\nx\n{code}", r#"codeBlock<language=java,wiki:form=code>["x"]"#);
    check("{code:title=t}\nx\n{code}", r#"codeBlock<param:title=t,language=java,wiki:form=code>["x"]"#);
}

#[test]
fn a_picture_alone_is_a_block_and_an_exclamation_is_none() {
    check(
        "!a b.png|width=30,thumbnail!",
        r#"mediaSingle<layout=center>[media<type=external,url=attachment:a%20b.png,width=30,wiki:params=width=30,thumbnail>]"#,
    );
    check("Oh! No! x !i.png!", r#"paragraph["Oh! No! x " Image<url=attachment:i.png>]"#);
}

#[test]
fn json_of_adf_is_the_node_it_is() {
    check("{adf:display=block}{\"type\":\"rule\"}{adf}", "rule");
    check("{adf}nothing{adf}", "RawBlock</format=wiki>\"{adf}nothing{adf}\"");
}

#[test]
fn lines_may_end_with_a_carriage_return_too() {
    check(
        "h1. a\r\nb\r\nc\r\n\r\n* d\r\n* e\r\n",
        r#"heading<level=1>["a"] paragraph["b" hardBreak "c"] bulletList[listItem[paragraph["d"]] listItem[paragraph["e"]]]"#,
    );
}
