//! Names of people, pages and files: a document lists the names that it needs, the caller fills them in, and
//! an edit is restored just as if no names had been filled in.

use plainwire_richtext::{
    Attachment, Dialect, Document, Flavor, Format, LossKind, Names, Page, Resolver, Section, Sidecar, User,
    convert,
};

const JIRA: Format = Format::Wiki(Dialect::Jira);
const CONFLUENCE: Format = Format::Wiki(Dialect::Confluence);
const EXTENDED: Format = Format::Markdown(Flavor::Extended);
const PLAIN: Format = Format::Markdown(Flavor::Plain);

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn names() -> Names {
    let plan = Page { space: some("DOC"), title: some("The plan"), url: some("https://x.example/wiki/7") };
    Names {
        users: vec![
            User { account_id: some("5b10"), name: some("Jane Doe"), ..User::default() },
            User { account_id: some("77"), username: some("jdoe"), name: some("Joe Doe"), ..User::default() },
        ],
        pages: vec![plan.clone()],
        attachments: vec![
            Attachment {
                name: some("a b.png"),
                media_id: some("e0-1"),
                collection: some("contentId-7"),
                url: some("https://x.example/a"),
                page: None,
            },
            Attachment {
                name: some("a b.png"),
                media_id: some("e0-2"),
                page: Some(plan),
                ..Attachment::default()
            },
        ],
    }
}

/// Converts `source` to the format `to`, with all names filled in.
fn named(from: Format, to: Format, source: &str) -> String {
    let mut document = Document::read(from, source);
    document.resolve(&names(), to);
    document.write(to).trim_end_matches('\n').to_owned()
}

#[test]
fn a_mention_gets_the_name_it_does_not_have() {
    let storage = r#"<p>Ask <ac:link><ri:user ri:account-id="5b10" /></ac:link>.</p>"#;
    assert_eq!(named(Format::Storage, EXTENDED, storage), "Ask :mention[@Jane Doe]{id=5b10}.");
    assert_eq!(named(Format::Storage, PLAIN, storage), "Ask @Jane Doe.");
    let adf = named(Format::Storage, Format::Adf, storage);
    assert!(adf.contains(r#""attrs":{"id":"5b10","text":"@Jane Doe"}"#), "{adf}");
}

#[test]
fn a_name_that_is_there_stays_even_if_it_is_old() {
    let old = "Ask :mention[@Jane Smith]{id=5b10}.";
    assert_eq!(named(EXTENDED, EXTENDED, old), old);
}

#[test]
fn a_login_name_becomes_an_account_id_where_one_is_known() {
    assert_eq!(named(JIRA, CONFLUENCE, "[~jdoe] and [~other]"), "[~accountid:77] and [~other]");
    assert_eq!(
        named(JIRA, EXTENDED, "[~jdoe]"),
        ":mention[@Joe Doe]{id=jdoe ri:username=jdoe}",
        "it may go back"
    );
}

#[test]
fn a_mention_with_only_a_name_is_of_whom_that_name_is() {
    assert_eq!(named(EXTENDED, CONFLUENCE, ":mention[@Jane Doe]"), "[~accountid:5b10]");
    let two = Names {
        users: vec![names().users[0].clone(), User { name: some("Jane Doe"), ..User::default() }],
        ..names()
    };
    assert_eq!(two.user(&User { name: some("Jane Doe"), ..User::default() }), None, "nobody knows which");
}

#[test]
fn titles_become_addresses_where_a_format_has_only_these_and_come_back() {
    let storage = r#"<p><ac:link ac:anchor="top"><ri:page ri:content-title="The plan" ri:space-key="DOC" /><ac:plain-text-link-body><![CDATA[see]]></ac:plain-text-link-body></ac:link></p>"#;
    let adf = named(Format::Storage, Format::Adf, storage);
    assert!(adf.contains(r#"{"href":"https://x.example/wiki/7#top"}"#), "{adf}");
    assert_eq!(named(Format::Adf, Format::Storage, &adf), storage);
    assert_eq!(named(Format::Adf, CONFLUENCE, &adf), "[see|DOC:The plan#top]");
    assert_eq!(named(Format::Adf, EXTENDED, &adf), "[see](https://x.example/wiki/7#top)");
}

#[test]
fn a_card_shows_the_title_to_who_only_reads() {
    let card = ":card[https://x.example/wiki/7] :card[https://other.example/]";
    assert_eq!(
        named(EXTENDED, PLAIN, card),
        "[The plan](https://x.example/wiki/7) [https://other.example/](https://other.example/)"
    );
    assert_eq!(named(EXTENDED, EXTENDED, card), card);
}

#[test]
fn a_link_that_shows_the_title_is_a_card_with_the_address() {
    let storage = r#"<p><ac:link><ri:page ri:content-title="The plan" ri:space-key="DOC" /></ac:link></p>"#;
    let adf = named(Format::Storage, Format::Adf, storage);
    assert!(adf.contains(r#""inlineCard","attrs":{"url":"https://x.example/wiki/7"}"#), "{adf}");
    assert_eq!(named(Format::Adf, Format::Storage, &adf), storage);
}

#[test]
fn a_page_of_another_space_is_another_page() {
    let source = "[OTHER:The plan]";
    assert_eq!(named(CONFLUENCE, Format::Adf, source), Document::read(CONFLUENCE, source).write(Format::Adf));
    assert!(named(CONFLUENCE, Format::Adf, "[The plan]").contains("https://x.example/wiki/7"));
}

#[test]
fn a_file_has_its_media_id_in_adf_and_its_name_elsewhere() {
    let storage = r#"<ac:image><ri:attachment ri:filename="a b.png" /></ac:image>"#;
    let adf = named(Format::Storage, Format::Adf, storage);
    assert!(adf.contains(r#"{"type":"file","id":"e0-1","collection":"contentId-7"}"#), "{adf}");
    assert!(plainwire_richtext::adf::check(&adf).is_empty());
    assert_eq!(named(Format::Adf, PLAIN, &adf), "![](attachment:a%20b.png)");
    let among = named(JIRA, Format::Adf, "see !a b.png! there");
    assert!(among.contains(r#""mediaInline","attrs":{"type":"file","id":"e0-1""#), "{among}");
    assert_eq!(named(Format::Adf, JIRA, &among), "see !a b.png! there");
    let link = named(JIRA, Format::Adf, "[^a b.png]");
    assert!(link.contains(r#""href":"https://x.example/a""#), "{link}");
}

#[test]
fn a_file_of_another_page_is_another_file() {
    let other = r#"<ac:image><ri:attachment ri:filename="a b.png"><ri:page ri:space-key="DOC" ri:content-title="The plan" /></ri:attachment></ac:image>"#;
    let adf = named(Format::Storage, Format::Adf, other);
    assert!(adf.contains(r#""id":"e0-2""#), "{adf}");
}

#[test]
fn what_nobody_knows_stays_as_it_is() {
    let source = r#"<p><ac:link><ri:user ri:userkey="k" /></ac:link> <ac:link><ri:page ri:content-title="Other" /></ac:link> <ac:image><ri:attachment ri:filename="c.png" /></ac:image></p>"#;
    for to in [Format::Storage, Format::Adf, EXTENDED, PLAIN, CONFLUENCE] {
        assert_eq!(
            named(Format::Storage, to, source),
            Document::read(Format::Storage, source).write(to).trim_end_matches('\n'),
            "{to}"
        );
    }
}

#[test]
fn a_document_tells_what_there_is_to_ask_each_once() {
    let source = "[~jdoe] [~accountid:5b10] [~jdoe] [DOC:The plan] [x|https://x.example/wiki/7#a] !a b.png!";
    let asked = Document::read(CONFLUENCE, source).references();
    assert_eq!(
        asked.users,
        [
            User { username: some("jdoe"), ..User::default() },
            User { account_id: some("5b10"), ..User::default() }
        ]
    );
    assert_eq!(
        asked.pages,
        [
            Page { space: some("DOC"), title: some("The plan"), url: None },
            Page { url: some("https://x.example/wiki/7"), ..Page::default() }
        ]
    );
    assert_eq!(asked.attachments, [Attachment { name: some("a b.png"), ..Attachment::default() }]);
}

#[test]
fn names_in_the_markdown_change_no_byte_of_the_source() {
    let storage = r#"<p>Ask <ac:link><ri:user ri:account-id="5b10"/></ac:link> or <ac:link><ri:user ri:account-id="9"/></ac:link>.</p><p>b</p>"#;
    let jira = "Ask [~jdoe] *now*.\n\nb";
    let adf = r#"{"version":1, "type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Ask "},{"type":"mention","attrs":{"id":"5b10"}},{"type":"text","text":" now."}]}]}"#;
    for (format, source) in [(Format::Storage, storage), (JIRA, jira), (Format::Adf, adf)] {
        let mut document = Document::read(format, source);
        document.resolve(&names(), EXTENDED);
        let (markdown, sidecar) = Sidecar::split(&document);
        assert!(markdown.contains("Doe]"), "{markdown}");
        assert_eq!(sidecar.restore(&markdown).expect("its own").text, source);
        let restored = sidecar.restore(&markdown.replace("Ask", "Call")).expect("its own");
        assert_eq!(restored.text, source.replace("Ask", "Call"));
        assert!(restored.conflicts.is_empty() && restored.losses.is_empty(), "{restored:?}");
        let section = document.section(&"[0]".parse().expect("an address")).expect("there is one");
        let edited = Section::markdown(&section).replace("Ask", "Call");
        let patched = section.patch(&edited);
        assert_eq!(patched.text, source.replace("Ask", "Call"));
        let only_names = patched.losses.iter().all(|it| it.kind == LossKind::Identity);
        assert!(patched.conflicts.is_empty() && only_names, "{patched:?}");
    }
}

#[test]
fn a_name_that_an_edit_gives_to_an_id_is_told_where_the_format_has_only_the_id() {
    let storage = r#"<p>Ask <ac:link><ri:user ri:account-id="5b10"/></ac:link>.</p>"#;
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"mention","attrs":{"id":"5b10"}}]}]}"#;
    for (format, source, count) in
        [(Format::Storage, storage, 1), (JIRA, "Ask [~accountid:5b10].", 1), (Format::Adf, adf, 0)]
    {
        let document = Document::read(format, source);
        let (markdown, sidecar) = Sidecar::split(&document);
        let named = markdown.replace(":mention{", ":mention[@Jane]{");
        assert_ne!(named, markdown);
        let section = document.section(&"[0]".parse().expect("an address")).expect("there is one");
        for restored in [sidecar.restore(&named).expect("its own"), section.patch(&named)] {
            assert_eq!(restored.text.contains("@Jane"), count == 0, "{}", restored.text);
            let only_names = restored.losses.iter().all(|it| it.kind == LossKind::Identity);
            assert!(only_names && restored.losses.len() == count, "{restored:?}");
            assert!(restored.invalid.is_empty() && restored.conflicts.is_empty(), "{restored:?}");
        }
    }
}

#[test]
fn a_table_of_names_is_json_that_says_what_is_wrong_with_it() {
    let json = serde_json::to_string(&names()).expect("it is");
    assert_eq!(serde_json::from_str::<Names>(&json).expect("it is"), names());
    let wrong = serde_json::from_str::<Names>(r#"{"users":[{"acountId":"1"}]}"#).expect_err("misspelled");
    assert!(wrong.to_string().contains("unknown field `acountId`, expected one of `accountId`"), "{wrong}");
}

#[test]
fn somebody_an_edit_mentions_by_name_gets_the_id_and_nobody_else_changes() {
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Ask "},{"type":"mention","attrs":{"id":"77"}}]},{"type":"paragraph","content":[{"type":"text","text":"b"}]}]}"#;
    let document = Document::read(Format::Adf, adf);
    let (markdown, sidecar) = Sidecar::split(&document);
    let edited = markdown.replace("Ask", "Call :mention[@Jane Doe] or");
    let expected = adf.replace(
        r#""Ask "}"#,
        r#""Call "},{"type":"mention","attrs":{"id":"5b10","text":"@Jane Doe"}},{"type":"text","text":" or "}"#,
    );
    let same = |one: &str, other: &str| {
        let value = |text| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(value(one), value(other));
    };
    same(&sidecar.restore_with(&edited, &names()).expect("its own").text, &expected);
    let section = document.section(&"[0]".parse().expect("an address")).expect("there is one");
    let markdown = section.markdown().replace("Ask", "Call :mention[@Jane Doe] or");
    same(&section.patch_with(&markdown, &names()).text, &expected);
    assert!(!sidecar.restore(&edited).expect("its own").losses.is_empty(), "nobody knows the id");
}

#[test]
fn a_name_beside_an_id_and_what_holds_anyway_are_no_more_than_identity() {
    let adf = r#"{"version":1,"type":"doc","content":[{"type":"paragraph","content":[{"type":"mention","attrs":{"id":"5b10","text":"@Ann","accessLevel":""}}]},{"type":"orderedList","attrs":{"order":1},"content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"a"}]}]}]}]}"#;
    let converted = convert(Format::Adf, JIRA, adf);
    assert_eq!(converted.text, "[~accountid:5b10]\n\n# a");
    assert!(converted.is_lossless() && converted.losses.len() == 3, "{:?}", converted.losses);
    let storage = convert(Format::Adf, Format::Storage, adf).text;
    assert!(
        storage.starts_with(r#"<p><ac:link><ri:user ri:account-id="5b10" /></ac:link></p>"#),
        "{storage}"
    );
    let other = convert(EXTENDED, JIRA, "{order=2}\n\n1. a");
    assert!(!other.is_lossless() || other.text.contains("{adf"), "{other:?}");
}

#[test]
fn the_same_entry_twice_is_one_and_a_server_knows_people_by_login_name() {
    let joe = User { username: some("jdoe"), name: some("Jo"), ..User::default() };
    let names = Names { users: vec![joe.clone(), joe], ..Names::default() };
    let mut document = Document::read(EXTENDED, ":mention[@Jo]");
    document.resolve(&names, JIRA);
    assert_eq!(document.write(JIRA), "[~jdoe]");
}
