//! Writes links, mentions, cards and pictures.

use super::super::{escape, style};
use super::Writer;
use super::block::holds_only;
use super::tag::Tag;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Value};
use crate::values::hrefs::{self, Target};

impl Writer {
    /// Writes the start tag of an `ac:link`, a link to content of Confluence, and the resource element in it.
    pub(super) fn open_link(&mut self, mark: &Mark<'_>) {
        let href = mark.text("href").unwrap_or_default();
        let used = resource_attrs(&mark.attrs, &["href"]);
        let anchor = anchor_of(href, mark.text("storage:form"));
        let native: Vec<_> = anchor.as_deref().map(|it| ("ac:anchor", it)).into_iter().collect();
        self.tag(Tag::of_mark("ac:link", mark).but(&used), &native);
        self.resource(href, &mark.attrs);
    }

    /// Writes the resource element (`ri:…`) for the target `href`. Writes nothing for an anchor on the page
    /// that contains the link.
    fn resource(&mut self, href: &str, attrs: &[Attr<'_>]) {
        let said = |name: &str| attrs.iter().find(|it| it.name == name).map(|it| it.value.shown());
        let form = said("storage:form").filter(|it| it.starts_with("ri:"));
        let target = if form == Some("ri:url") { None } else { hrefs::exact(href) };
        let (element, native) = match &target {
            None => ("ri:url", vec![("ri:value", href)]),
            Some(Target::Anchor { .. }) => return,
            Some(Target::Attachment { name, .. }) => ("ri:attachment", vec![("ri:filename", &**name)]),
            Some(Target::Shortcut { key, parameter }) => {
                ("ri:shortcut", vec![("ri:key", &**key), ("ri:parameter", &**parameter)])
            }
            Some(Target::Page { space, title, .. }) => {
                let usual = if title.is_empty() && !space.is_empty() { "ri:space" } else { "ri:page" };
                let native = [("ri:content-title", &**title), ("ri:space-key", &**space)];
                (form.unwrap_or(usual), native.into_iter().filter(|it| !it.1.is_empty()).collect())
            }
        };
        self.out.push('<');
        self.out.push_str(element);
        let others =
            attrs.iter().filter(|it| it.name.starts_with("ri:")).map(|it| (&*it.name, it.value.shown()));
        for (name, value) in
            native.iter().copied().chain(others.filter(|it| native.iter().all(|one| one.0 != it.0)))
        {
            self.attribute(name, value);
        }
        match said("storage:container") {
            Some(container) if element == "ri:attachment" => {
                self.out.push('>');
                self.out.push_str(container);
                self.close(element);
            }
            _ => self.out.push_str(" />"),
        }
    }

    pub(super) fn mention(&mut self, node: &Node<'_>) {
        let id = node.text_of("id").unwrap_or_default();
        let body = node
            .text_of("storage:body")
            .filter(|it| matches!(*it, "ac:plain-text-link-body" | "ac:link-body"));
        let body = body.and_then(|it| Some((it, node.text_of("text")?)));
        // Without a body the text is left out: Confluence shows the name that belongs to the id.
        let mut used = resource_attrs(&node.attrs, &["id", "text"]);
        used.extend(node.attrs.iter().filter(|it| it.is_default()).map(|it| &*it.name));
        self.tag(Tag::of("ac:link", node).but(&used), &[]);
        let by_other = node.text_of("ri:userkey") == Some(id) || node.text_of("ri:username") == Some(id);
        self.out.push_str("<ri:user");
        if !by_other {
            self.attribute("ri:account-id", id);
        }
        for attr in node.attrs.iter().filter(|it| it.name.starts_with("ri:")) {
            self.attribute(&attr.name, attr.value.shown());
        }
        self.out.push_str(" />");
        if let Some((name, text)) = body {
            self.out.push_str(&format!("<{name}>"));
            escape::encode(&mut self.out, text);
            self.close(name);
        }
        self.close("ac:link");
    }

    pub(super) fn inline_card(&mut self, node: &Node<'_>) {
        let url = node.text_of("url").unwrap_or_default();
        let form = node.text_of("storage:form");
        if form == Some("a") || form != Some("ri:url") && hrefs::exact(url).is_none() {
            return self.html_card(node, "inline", &["url"]);
        }
        let used = resource_attrs(&node.attrs, &["url"]);
        let anchor = anchor_of(url, form);
        let native: Vec<_> = anchor.as_deref().map(|it| ("ac:anchor", it)).into_iter().collect();
        self.tag(Tag::of("ac:link", node).but(&used), &native);
        self.resource(url, &node.attrs);
        self.close("ac:link");
    }

    /// Writes a card between blocks as an `a` element.
    pub(super) fn card(&mut self, node: &Node<'_>) {
        if node.text_of("url").is_none() {
            return self.raw_adf(node);
        }
        let appearance = if node.kind == Kind::BlockCard { "block" } else { "embed" };
        let mut used = vec!["url"];
        used.extend(node.text_of("layout").map(|_| "layout"));
        used.extend(json_number(node, "width").map(|_| "width"));
        self.html_card(node, appearance, &used);
    }

    fn html_card(&mut self, node: &Node<'_>, appearance: &str, used: &[&str]) {
        let url = node.text_of("url").unwrap_or_default();
        let mut native = vec![("href", url), ("data-card-appearance", appearance)];
        native.extend(
            node.text_of("layout").filter(|_| used.contains(&"layout")).map(|it| ("data-layout", it)),
        );
        native.extend(
            json_number(node, "width").filter(|_| used.contains(&"width")).map(|it| ("data-width", it)),
        );
        self.tag(Tag::of("a", node).but(used), &native);
        escape::encode(&mut self.out, node.text_of("storage:text").unwrap_or(url));
        self.close("a");
    }

    /// Writes a picture within text as an `ac:image`, or as an `img` if it was read from one.
    pub(super) fn image(&mut self, node: &Node<'_>) {
        let url = node.text_of("url").unwrap_or_default();
        let html = node.text_of("storage:form") == Some("img");
        let names = if html {
            ["alt", "title", "width", "height"]
        } else {
            ["ac:alt", "ac:title", "ac:width", "ac:height"]
        };
        let mut native: Vec<(&str, &str)> = Vec::new();
        let mut used = if html { vec!["url"] } else { resource_attrs(&node.attrs, &["url"]) };
        for (name, written) in ["alt", "title", "width", "height"].into_iter().zip(names) {
            let Some(value) = node.get(name) else { continue };
            let numeric = matches!(name, "width" | "height") && style::is_number(value.shown());
            if matches!(value, Value::Json(_)) == numeric {
                native.push((written, value.shown()));
                used.push(name);
            }
        }
        if html {
            native.insert(0, ("src", url));
            return self.lone_tag(Tag::of("img", node).but(&used), &native);
        }
        self.tag(Tag::of("ac:image", node).but(&used), &native);
        self.resource(url, &node.attrs);
        self.close("ac:image");
    }

    /// Writes a `mediaSingle`, a picture that is a block.
    pub(super) fn media_single(&mut self, node: &Node<'_>) {
        let media = node.children.iter().find(|it| it.kind == Kind::Media);
        let Some(media) = media.filter(|it| fits(node, it)) else { return self.raw_adf(node) };
        let in_paragraph = node.text_of("storage:form") == Some("p");
        if in_paragraph {
            self.out.push_str("<p");
            for attr in node.attrs.iter().filter(|it| it.name.starts_with("html:")) {
                self.attribute(&attr.name["html:".len()..], attr.value.shown());
            }
            self.out.push('>');
        }
        self.picture(node, media, in_paragraph);
        if in_paragraph {
            self.close("p");
        }
    }

    fn picture(&mut self, node: &Node<'_>, media: &Node<'_>, in_paragraph: bool) {
        let mut native = Vec::new();
        let mut used = vec!["layout"];
        used.extend(
            node.attrs.iter().map(|it| &*it.name).filter(|it| in_paragraph && it.starts_with("html:")),
        );
        // A picture in a paragraph needs no layout if it stands where it stands without one.
        let aligned = match node.text_of("ac:align") {
            Some("center") => "center",
            Some("right") => "align-end",
            _ => "align-start",
        };
        let is_usual = in_paragraph && node.text_of("layout") == Some(aligned);
        if node.text_of("ac:layout").is_none() && !is_usual {
            native.extend(node.text_of("layout").map(|it| ("ac:layout", it)));
        }
        if node.text_of("widthType") == Some("pixel")
            && let Some(width) = json_number(node, "width")
        {
            native.push(("ac:width", width));
            used.extend(["width", "widthType", "ac:custom-width"]);
            let custom = node.text_of("ac:custom-width").unwrap_or("true");
            native.extend(Some(("ac:custom-width", custom)).filter(|it| !it.1.is_empty()));
        }
        native.extend(media.text_of("alt").map(|it| ("ac:alt", it)));
        let sizes = [("ac:original-width", "width"), ("ac:original-height", "height")];
        native.extend(sizes.iter().filter_map(|it| Some((it.0, json_number(media, it.1)?))));
        let link = media.marks.iter().find(|it| it.kind == MarkKind::Link);
        native.extend(link.and_then(|it| Some(("ac:href", it.text("href")?))));
        self.tag(Tag::of("ac:image", node).but(&used), &native);
        self.media_parts(&node.children);
        self.close("ac:image");
    }

    /// Writes the children of a `mediaSingle`: the picture's resource with its borders, and its caption.
    pub(super) fn media_parts(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            if node.kind == Kind::Caption {
                let is_bare = node.text_of("storage:form") == Some("bare");
                self.tag(Tag::of("ac:caption", node), &[]);
                self.out.push_str(if is_bare { "" } else { "<p>" });
                self.inlines(&node.children);
                self.out.push_str(if is_bare { "" } else { "</p>" });
                self.close("ac:caption");
                continue;
            }
            self.resource(node.text_of("url").unwrap_or_default(), &node.attrs);
            for border in node.marks.iter().filter(|it| it.kind == MarkKind::Border) {
                self.out.push_str("<ac:adf-mark key=\"border\"");
                for attr in &border.attrs {
                    self.attribute(&attr.name, attr.value.shown());
                }
                self.out.push_str(" />");
            }
        }
    }
}

/// Returns whether an `ac:image` can express all of `node`, a `mediaSingle`, with its picture `media`.
fn fits(node: &Node<'_>, media: &Node<'_>) -> bool {
    let kinds = holds_only(node, &[Kind::Media, Kind::Caption]) && node.children.len() <= 2;
    let one = node.children.iter().filter(|it| it.kind == Kind::Media).count() == 1;
    let layout = node.text_of("layout").is_some_and(|it| {
        matches!(
            it,
            "center" | "wrap-left" | "wrap-right" | "wide" | "full-width" | "align-start" | "align-end"
        )
    });
    let said = media.attrs.iter().all(|it| match &*it.name {
        "type" => it.value.as_str() == Some("external"),
        "url" | "alt" => it.value.as_str().is_some(),
        "width" | "height" => json_number(media, &it.name).is_some(),
        name => name.contains(':'),
    });
    let marks = media.marks.iter().all(|it| match it.kind {
        MarkKind::Link => it.attrs.len() == 1 && it.text("href").is_some(),
        MarkKind::Border => is_border(it),
        _ => false,
    });
    let once = media.marks.iter().filter(|it| it.kind == MarkKind::Link).count() <= 1;
    let has_url = media.text_of("type").is_some() && media.text_of("url").is_some_and(reads_back);
    kinds && one && layout && said && marks && once && has_url
}

/// Returns whether a picture with this address reads back with the same address. The address of an attached
/// file with an anchor, for example, does not.
fn reads_back(url: &str) -> bool {
    matches!(hrefs::exact(url), None | Some(Target::Attachment { anchor: None, .. }))
}

fn is_border(mark: &Mark<'_>) -> bool {
    let size = matches!(mark.get("size"), Some(Value::Json(size)) if style::is_number(size));
    size && mark.text("color").is_some() && mark.attrs.len() == 2
}

/// Returns the JSON of the attribute `name`, if it is a non-negative number.
pub(super) fn json_number<'n>(node: &'n Node<'_>, name: &str) -> Option<&'n str> {
    match node.get(name) {
        Some(Value::Json(number)) if style::is_number(number) => Some(number),
        _ => None,
    }
}

/// Returns the names of the attributes that are written on the resource element (those with `ri:`), followed
/// by `others`.
fn resource_attrs<'n>(attrs: &'n [Attr<'_>], others: &[&'n str]) -> Vec<&'n str> {
    let mut used: Vec<_> = attrs.iter().map(|it| &*it.name).filter(|it| it.starts_with("ri:")).collect();
    used.extend(others);
    used
}

fn anchor_of(href: &str, form: Option<&str>) -> Option<String> {
    match hrefs::exact(href).filter(|_| form != Some("ri:url"))? {
        Target::Page { anchor, .. } | Target::Attachment { anchor, .. } => anchor.map(String::from),
        Target::Anchor { anchor } => Some(anchor.into_owned()),
        Target::Shortcut { .. } => None,
    }
}
