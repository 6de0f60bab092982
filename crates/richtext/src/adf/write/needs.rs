//! Attributes that the schema requires, and their defaults.

use super::super::schema::Model;
use crate::tree::{Kind, Node, Value};

/// The attributes that the schema requires of a node.
pub(super) struct Needs {
    /// The names of the attributes, with their defaults. A default `None` stands for an identifier generated
    /// from the position of the node.
    rows: &'static [(&'static str, Option<Usual>)],
    /// True if the node must have the key `attrs`, even for an empty object.
    pub(super) object: bool,
    /// The kind of the node.
    kind: Kind,
    /// The number of columns in the layout section around the node, if the node is a column.
    columns: usize,
}

/// The default value of a required attribute.
#[derive(Clone, Copy)]
enum Usual {
    Text(&'static str),
    Number(u32),
    /// The width of a layout column, in percent: an equal part of its section.
    Share,
}
use self::Usual::{Number, Share, Text};

impl Needs {
    /// Returns the required attributes of `node`. If `node` is a column of a layout section, `columns` is the
    /// number of columns in that section.
    pub(super) fn of(node: &Node<'_>, columns: usize) -> Self {
        let rows: &'static [_] = match node.kind {
            Kind::Panel => &[("panelType", Some(Text("info")))],
            Kind::Heading => &[("level", Some(Number(1)))],
            Kind::TaskList | Kind::DecisionList => &[("localId", None)],
            Kind::TaskItem | Kind::BlockTaskItem => &[("localId", None), ("state", Some(Text("TODO")))],
            Kind::DecisionItem => &[("localId", None), ("state", Some(Text("DECIDED")))],
            Kind::LayoutColumn => &[("width", Some(Share))],
            Kind::EmbedCard => &[("layout", Some(Text("center")))],
            Kind::SyncBlock | Kind::BodiedSyncBlock => &[("resourceId", Some(Text(""))), ("localId", None)],
            Kind::Extension | Kind::BodiedExtension | Kind::InlineExtension => {
                &[("extensionType", Some(Text("unknown"))), ("extensionKey", Some(Text("unknown")))]
            }
            Kind::Status => &[("text", Some(Text(" "))), ("color", Some(Text("neutral")))],
            Kind::Placeholder => &[("text", Some(Text("")))],
            Kind::Emoji => &[("shortName", Some(Text("")))],
            Kind::Media if node.get("url").is_some() => &[("type", Some(Text("external")))],
            Kind::Media => &[("type", Some(Text("file"))), ("collection", Some(Text("")))],
            Kind::MediaInline => &[("collection", Some(Text("")))],
            // Required only beside other attributes: a `mediaSingle` may have none.
            Kind::MediaSingle => &[("layout", Some(Text("center")))],
            _ => &[],
        };
        Self { rows, object: node.kind == Kind::NestedExpand, kind: node.kind, columns }
    }

    /// Calls `take` with the name and the default of each required attribute that `node` lacks; the default
    /// is `None` if an identifier has to be generated. `has_some` says whether any attribute was written:
    /// without one, nothing is required of a `mediaSingle`.
    pub(super) fn missing(
        &self,
        node: &Node<'_>,
        has_some: bool,
        mut take: impl FnMut(&'static str, Option<Value<'static>>),
    ) {
        if self.kind == Kind::MediaSingle && !has_some {
            return;
        }
        for (name, default) in self.rows.iter().filter(|it| node.get(it.0).is_none()) {
            take(
                name,
                default.map(|it| match it {
                    Text(text) => Value::Str(text.into()),
                    Number(number) => Value::Json(number.to_string().into()),
                    Share => Value::Json(share(self.columns).into()),
                }),
            );
        }
    }

    /// Returns whether the schema forbids an empty string in this attribute. If so, the writer writes a space
    /// in place of an empty string.
    pub(super) fn is_never_empty(&self, name: &str) -> bool {
        match self.kind {
            Kind::Status => name == "text",
            Kind::Extension | Kind::BodiedExtension | Kind::InlineExtension => {
                name == "extensionKey" || name == "extensionType"
            }
            _ => false,
        }
    }
}

/// Returns whether a node of this kind must have the key `content`, even for an empty array.
pub(super) fn content(kind: Kind) -> bool {
    matches!(kind, Kind::TableRow | Kind::LayoutSection)
        || Model::of(Some(kind)).is_some_and(|it| it.least > 0)
}

/// Returns one of `columns` equal parts of 100, rounded down to two decimals: `33.33`.
fn share(columns: usize) -> String {
    let hundredths = 10_000 / columns.max(1);
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:02}") }
}

/// Returns an identifier for `node`. `path` has the indices of the nodes around it and of `node` itself.
/// Equal documents get equal identifiers; nodes at different paths almost surely get different identifiers.
pub(super) fn local_id(path: &[usize], node: &Node<'_>) -> String {
    let place = path.iter().copied().chain([node.span.start as usize, node.kind as usize]);
    let hash = |basis: u64| {
        place
            .clone()
            .flat_map(usize::to_le_bytes)
            .fold(basis, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    let (high, low) = (hash(0xcbf2_9ce4_8422_2325), hash(0x6c62_272e_07bb_0142));
    let (first, second, third) = (high >> 32, (high >> 16) & 0xffff, high & 0x0fff);
    let (fourth, fifth) = ((low >> 48) & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    format!("{first:08x}-{second:04x}-8{third:03x}-{fourth:04x}-{fifth:012x}")
}
