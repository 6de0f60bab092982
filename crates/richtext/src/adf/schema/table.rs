//! Rules of Atlassian's JSON schema of ADF, as tables.
//!
//! Made by table.py from `full.json` of @atlaskit/adf-schema 57.7.22, Copyright Atlassian, Apache-2.0
//! (NOTICE).

use super::rule::{ANY, Pattern, Rule, Shape};

pub(super) static ALIGNMENT_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["alignment"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("align", &Rule { one_of: &["center", "end"], ..ANY })],
    required: &["align"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static ANNOTATION_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["annotation"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("id", &Rule { shape: Some(Shape::String), ..ANY }),
    ("annotationType", &Rule { one_of: &["inlineComment"], ..ANY })], required: &["id", "annotationType"], is_closed: true, ..ANY
    })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static BACKGROUND_COLOR_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["backgroundColor"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("color", &Rule { shape:
    Some(Shape::String), pattern: Some(Pattern::Color), ..ANY })], required: &["color"], is_closed: true, ..ANY })], required:
    &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static BLOCK_CONTENT: Rule = Rule { any_of: &[&BLOCK_CARD_NODE, &PARAGRAPH_WITH_NO_MARKS_NODE,
    &PARAGRAPH_WITH_ALIGNMENT_NODE, &PARAGRAPH_WITH_INDENTATION_NODE, &MEDIA_SINGLE_CAPTION_NODE, &MEDIA_SINGLE_FULL_NODE,
    &CODE_BLOCK_NODE, &TASK_LIST_NODE, &BULLET_LIST_NODE, &ORDERED_LIST_NODE, &HEADING_WITH_NO_MARKS_NODE,
    &HEADING_WITH_ALIGNMENT_NODE, &HEADING_WITH_INDENTATION_NODE, &MEDIA_GROUP_NODE, &DECISION_LIST_NODE, &RULE_NODE, &PANEL_NODE,
    &BLOCKQUOTE_NODE, &EXTENSION_WITH_MARKS_NODE, &EMBED_CARD_NODE, &TABLE_NODE, &EXPAND_NODE, &BODIED_EXTENSION_WITH_MARKS_NODE],
    ..ANY };
pub(super) static BLOCK_CARD_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["blockCard"],
    ..ANY }), ("attrs", &Rule { any_of: &[&Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape:
    Some(Shape::String), ..ANY }), ("url", &Rule { shape: Some(Shape::String), ..ANY }), ("datasource", &Rule { shape:
    Some(Shape::Object), keys: &[("id", &Rule { shape: Some(Shape::String), ..ANY }), ("parameters", &Rule { ..ANY }), ("views",
    &Rule { shape: Some(Shape::Array), items: Some(&Rule { shape: Some(Shape::Object), keys: &[("properties", &Rule { ..ANY }),
    ("type", &Rule { shape: Some(Shape::String), ..ANY })], required: &["type"], is_closed: true, ..ANY }), min_items: 1, ..ANY
    })], required: &["id", "parameters", "views"], is_closed: true, ..ANY }), ("width", &Rule { shape: Some(Shape::Number), ..ANY
    }), ("layout", &Rule { one_of: &["wide", "full-width", "center", "wrap-right", "wrap-left", "align-end", "align-start"], ..ANY
    })], required: &["datasource"], is_closed: true, ..ANY }, &Rule { shape: Some(Shape::Object), keys: &[("url", &Rule { shape:
    Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })], required: &["url"], is_closed: true,
    ..ANY }, &Rule { shape: Some(Shape::Object), keys: &[("data", &Rule { ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], required: &["data"], is_closed: true, ..ANY }], ..ANY })], required: &["type", "attrs"],
    is_closed: true, ..ANY };
pub(super) static BLOCKQUOTE_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["blockquote"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY })],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of:
    &[&PARAGRAPH_WITH_NO_MARKS_NODE, &ORDERED_LIST_NODE, &BULLET_LIST_NODE, &CODE_BLOCK_NODE, &MEDIA_SINGLE_CAPTION_NODE,
    &MEDIA_SINGLE_FULL_NODE, &MEDIA_GROUP_NODE, &EXTENSION_WITH_MARKS_NODE], ..ANY }), min_items: 1, ..ANY })], required:
    &["type", "content"], is_closed: true, ..ANY };
pub(super) static BLOCK_TASK_ITEM_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["blockTaskItem"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape:
    Some(Shape::String), ..ANY }), ("state", &Rule { one_of: &["TODO", "DONE"], ..ANY })], required: &["localId", "state"],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), first_items: &[&Rule { any_of:
    &[&PARAGRAPH_WITH_NO_MARKS_NODE, &PARAGRAPH_WITH_FONT_SIZE_NODE, &EXTENSION_WITH_MARKS_NODE], ..ANY }, &Rule { any_of:
    &[&PARAGRAPH_WITH_NO_MARKS_NODE, &PARAGRAPH_WITH_FONT_SIZE_NODE, &EXTENSION_WITH_MARKS_NODE], ..ANY }], min_items: 1, ..ANY
    })], required: &["type", "attrs", "content"], is_closed: true, ..ANY };
pub(super) static BODIED_EXTENSION_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["bodiedExtension"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), ..ANY }), ("attrs", &Rule { shape:
    Some(Shape::Object), keys: &[("extensionKey", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY }), ("extensionType",
    &Rule { shape: Some(Shape::String), min_length: 1, ..ANY }), ("parameters", &Rule { ..ANY }), ("text", &Rule { shape:
    Some(Shape::String), ..ANY }), ("layout", &Rule { one_of: &["wide", "full-width", "default"], ..ANY }), ("localId", &Rule {
    shape: Some(Shape::String), min_length: 1, ..ANY })], required: &["extensionKey", "extensionType"], is_closed: true, ..ANY }),
    ("content", &Rule { shape: Some(Shape::Array), items: Some(&NON_NESTABLE_BLOCK_CONTENT), min_items: 1, ..ANY })], required:
    &["type", "attrs", "content"], is_closed: true, ..ANY };
pub(super) static BODIED_EXTENSION_WITH_MARKS_NODE: Rule = Rule { all_of: &[&BODIED_EXTENSION_NODE, &Rule { shape:
    Some(Shape::Object), keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&DATA_CONSUMER_MARK,
    &FRAGMENT_MARK], ..ANY }), ..ANY })], ..ANY }], ..ANY };
pub(super) static BODIED_SYNC_BLOCK_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["bodiedSyncBlock"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), items: Some(&BREAKOUT_MARK), ..ANY }), ("attrs",
    &Rule { shape: Some(Shape::Object), keys: &[("resourceId", &Rule { shape: Some(Shape::String), ..ANY }), ("localId", &Rule {
    shape: Some(Shape::String), ..ANY })], required: &["resourceId", "localId"], is_closed: true, ..ANY }), ("content", &Rule {
    shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&PARAGRAPH_NODE, &PARAGRAPH_WITH_ALIGNMENT_NODE,
    &PARAGRAPH_WITH_INDENTATION_NODE, &PARAGRAPH_WITH_NO_MARKS_NODE, &BLOCK_CARD_NODE, &BLOCKQUOTE_NODE, &BULLET_LIST_NODE,
    &CODE_BLOCK_NODE, &DECISION_LIST_NODE, &EMBED_CARD_NODE, &EXPAND_NODE, &HEADING_NODE, &HEADING_WITH_ALIGNMENT_NODE,
    &HEADING_WITH_INDENTATION_NODE, &HEADING_WITH_NO_MARKS_NODE, &LAYOUT_SECTION_NODE, &LAYOUT_SECTION_FULL_NODE,
    &MEDIA_GROUP_NODE, &MEDIA_SINGLE_NODE, &MEDIA_SINGLE_CAPTION_NODE, &MEDIA_SINGLE_FULL_NODE, &ORDERED_LIST_NODE, &PANEL_NODE,
    &RULE_NODE, &TABLE_NODE, &TASK_LIST_NODE], ..ANY }), min_items: 1, ..ANY })], required: &["type", "attrs", "content"],
    is_closed: true, ..ANY };
pub(super) static BORDER_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["border"], ..ANY
    }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("size", &Rule { shape: Some(Shape::Number), minimum: Some(1.0),
    maximum: Some(3.0), ..ANY }), ("color", &Rule { shape: Some(Shape::String), pattern: Some(Pattern::ColorWithAlpha), ..ANY })],
    required: &["size", "color"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static BREAKOUT_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["breakout"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("mode", &Rule { one_of: &["wide", "full-width"], ..ANY }),
    ("width", &Rule { shape: Some(Shape::Number), ..ANY })], required: &["mode"], is_closed: true, ..ANY })], required: &["type",
    "attrs"], is_closed: true, ..ANY };
pub(super) static BULLET_LIST_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["bulletList"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items:
    Some(&LIST_ITEM_NODE), min_items: 1, ..ANY })], required: &["type", "content"], is_closed: true, ..ANY };
pub(super) static CAPTION_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["caption"], ..ANY
    }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY })],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&HARD_BREAK_NODE,
    &MENTION_NODE, &EMOJI_NODE, &DATE_NODE, &PLACEHOLDER_NODE, &INLINE_CARD_NODE, &STATUS_NODE, &FORMATTED_TEXT_INLINE_NODE,
    &CODE_INLINE_NODE], ..ANY }), ..ANY })], required: &["type"], is_closed: true, ..ANY };
pub(super) static CODE_INLINE_NODE: Rule = Rule { all_of: &[&TEXT_NODE, &Rule { shape: Some(Shape::Object), keys: &[("marks",
    &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&CODE_MARK, &LINK_MARK, &ANNOTATION_MARK], ..ANY }), ..ANY
    })], ..ANY }], ..ANY };
pub(super) static CODE_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["code"], ..ANY })],
    required: &["type"], is_closed: true, ..ANY };
pub(super) static CODE_BLOCK_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["codeBlock"],
    ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), max_items: Some(0), ..ANY }), ("attrs", &Rule { shape:
    Some(Shape::Object), keys: &[("language", &Rule { shape: Some(Shape::String), ..ANY }), ("uniqueId", &Rule { shape:
    Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY }), ("wrap", &Rule { shape:
    Some(Shape::Boolean), ..ANY }), ("hideLineNumbers", &Rule { shape: Some(Shape::Boolean), ..ANY })], is_closed: true, ..ANY }),
    ("content", &Rule { shape: Some(Shape::Array), items: Some(&TEXT_WITH_NO_MARKS_NODE), ..ANY })], required: &["type"],
    is_closed: true, ..ANY };
pub(super) static CODE_BLOCK_ROOT_ONLY_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["codeBlock"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), items: Some(&BREAKOUT_MARK), ..ANY }), ("attrs", &Rule
    { shape: Some(Shape::Object), keys: &[("language", &Rule { shape: Some(Shape::String), ..ANY }), ("uniqueId", &Rule { shape:
    Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY }), ("wrap", &Rule { shape:
    Some(Shape::Boolean), ..ANY }), ("hideLineNumbers", &Rule { shape: Some(Shape::Boolean), ..ANY })], is_closed: true, ..ANY }),
    ("content", &Rule { shape: Some(Shape::Array), items: Some(&TEXT_WITH_NO_MARKS_NODE), ..ANY })], required: &["type"],
    is_closed: true, ..ANY };
pub(super) static DATA_CONSUMER_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["dataConsumer"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("sources", &Rule { shape:
    Some(Shape::Array), items: Some(&Rule { shape: Some(Shape::String), ..ANY }), min_items: 1, ..ANY })], required: &["sources"],
    is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static DATE_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["date"], ..ANY }),
    ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("timestamp", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY
    }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })], required: &["timestamp"], is_closed: true, ..ANY })], required:
    &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static DECISION_ITEM_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["decisionItem"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape:
    Some(Shape::String), ..ANY }), ("state", &Rule { shape: Some(Shape::String), ..ANY })], required: &["localId", "state"],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&INLINE_NODE), ..ANY })], required:
    &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static DECISION_LIST_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["decisionList"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], required: &["localId"], is_closed: true, ..ANY }), ("content", &Rule { shape:
    Some(Shape::Array), items: Some(&DECISION_ITEM_NODE), min_items: 1, ..ANY })], required: &["type", "attrs", "content"],
    is_closed: true, ..ANY };
pub(super) static DOC_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["doc"], ..ANY }),
    ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&BLOCK_CARD_NODE, &CODE_BLOCK_NODE,
    &MEDIA_SINGLE_CAPTION_NODE, &MEDIA_SINGLE_FULL_NODE, &PARAGRAPH_WITH_ALIGNMENT_NODE, &PARAGRAPH_WITH_INDENTATION_NODE,
    &PARAGRAPH_WITH_NO_MARKS_NODE, &TASK_LIST_NODE, &ORDERED_LIST_NODE, &BULLET_LIST_NODE, &BLOCKQUOTE_NODE, &DECISION_LIST_NODE,
    &EMBED_CARD_NODE, &EXTENSION_WITH_MARKS_NODE, &HEADING_WITH_INDENTATION_NODE, &HEADING_WITH_NO_MARKS_NODE,
    &HEADING_WITH_ALIGNMENT_NODE, &MEDIA_GROUP_NODE, &RULE_NODE, &PANEL_NODE, &TABLE_NODE, &BODIED_EXTENSION_WITH_MARKS_NODE,
    &EXPAND_NODE, &CODE_BLOCK_ROOT_ONLY_NODE, &LAYOUT_SECTION_FULL_NODE, &EXPAND_ROOT_ONLY_NODE, &SYNC_BLOCK_NODE,
    &BODIED_SYNC_BLOCK_NODE], ..ANY }), ..ANY }), ("version", &Rule { shape: Some(Shape::Number), minimum: Some(1.0), maximum:
    Some(1.0), ..ANY })], required: &["version", "type", "content"], is_closed: true, ..ANY };
pub(super) static EM_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["em"], ..ANY })],
    required: &["type"], is_closed: true, ..ANY };
pub(super) static EMBED_CARD_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["embedCard"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("url", &Rule { shape: Some(Shape::String), ..ANY }),
    ("layout", &Rule { one_of: &["wide", "full-width", "center", "wrap-right", "wrap-left", "align-end", "align-start"], ..ANY }),
    ("width", &Rule { shape: Some(Shape::Number), minimum: Some(0.0), maximum: Some(100.0), ..ANY }), ("originalHeight", &Rule {
    shape: Some(Shape::Number), ..ANY }), ("originalWidth", &Rule { shape: Some(Shape::Number), ..ANY }), ("localId", &Rule {
    shape: Some(Shape::String), ..ANY })], required: &["url", "layout"], is_closed: true, ..ANY })], required: &["type", "attrs"],
    is_closed: true, ..ANY };
pub(super) static EMOJI_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["emoji"], ..ANY }),
    ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("shortName", &Rule { shape: Some(Shape::String), ..ANY }), ("id", &Rule
    { shape: Some(Shape::String), ..ANY }), ("text", &Rule { shape: Some(Shape::String), ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], required: &["shortName"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed:
    true, ..ANY };
pub(super) static EXPAND_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["expand"], ..ANY
    }), ("marks", &Rule { shape: Some(Shape::Array), max_items: Some(0), ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object),
    keys: &[("title", &Rule { shape: Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of:
    &[&NON_NESTABLE_BLOCK_CONTENT, &NESTED_EXPAND_WITH_NO_MARKS_NODE], ..ANY }), min_items: 1, ..ANY })], required: &["type",
    "content"], is_closed: true, ..ANY };
pub(super) static EXPAND_ROOT_ONLY_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["expand"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), items: Some(&BREAKOUT_MARK), ..ANY }), ("attrs", &Rule {
    shape: Some(Shape::Object), keys: &[("title", &Rule { shape: Some(Shape::String), ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule {
    any_of: &[&NON_NESTABLE_BLOCK_CONTENT, &NESTED_EXPAND_WITH_NO_MARKS_NODE], ..ANY }), min_items: 1, ..ANY })], required:
    &["type", "content"], is_closed: true, ..ANY };
pub(super) static EXTENSION_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["extension"],
    ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys:
    &[("extensionKey", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY }), ("extensionType", &Rule { shape:
    Some(Shape::String), min_length: 1, ..ANY }), ("parameters", &Rule { ..ANY }), ("text", &Rule { shape: Some(Shape::String),
    ..ANY }), ("layout", &Rule { one_of: &["wide", "full-width", "default"], ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), min_length: 1, ..ANY })], required: &["extensionKey", "extensionType"], is_closed: true, ..ANY })],
    required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static EXTENSION_WITH_MARKS_NODE: Rule = Rule { all_of: &[&EXTENSION_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&DATA_CONSUMER_MARK, &FRAGMENT_MARK], ..ANY
    }), ..ANY })], ..ANY }], ..ANY };
pub(super) static FONT_SIZE_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["fontSize"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("fontSize", &Rule { one_of: &["small"], ..ANY })], required:
    &["fontSize"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static FORMATTED_TEXT_INLINE_NODE: Rule = Rule { all_of: &[&TEXT_NODE, &Rule { shape: Some(Shape::Object), keys:
    &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&LINK_MARK, &EM_MARK, &STRONG_MARK, &STRIKE_MARK,
    &SUBSUP_MARK, &UNDERLINE_MARK, &TEXT_COLOR_MARK, &ANNOTATION_MARK, &BACKGROUND_COLOR_MARK], ..ANY }), ..ANY })], ..ANY }],
    ..ANY };
pub(super) static FRAGMENT_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["fragment"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), min_length: 1,
    ..ANY }), ("name", &Rule { shape: Some(Shape::String), ..ANY })], required: &["localId"], is_closed: true, ..ANY })],
    required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static HARD_BREAK_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["hardBreak"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("text", &Rule { one_of: &["\n"], ..ANY }), ("localId", &Rule
    { shape: Some(Shape::String), ..ANY })], is_closed: true, ..ANY })], required: &["type"], is_closed: true, ..ANY };
pub(super) static HEADING_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["heading"], ..ANY
    }), ("marks", &Rule { shape: Some(Shape::Array), ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("level",
    &Rule { shape: Some(Shape::Number), minimum: Some(1.0), maximum: Some(6.0), ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], required: &["level"], is_closed: true, ..ANY }), ("content", &Rule { shape:
    Some(Shape::Array), items: Some(&INLINE_NODE), ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static HEADING_WITH_ALIGNMENT_NODE: Rule = Rule { all_of: &[&HEADING_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&ALIGNMENT_MARK), ..ANY })], ..ANY }], ..ANY };
pub(super) static HEADING_WITH_INDENTATION_NODE: Rule = Rule { all_of: &[&HEADING_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&INDENTATION_MARK), ..ANY })], ..ANY }], ..ANY };
pub(super) static HEADING_WITH_NO_MARKS_NODE: Rule = Rule { all_of: &[&HEADING_NODE, &Rule { shape: Some(Shape::Object), keys:
    &[("marks", &Rule { shape: Some(Shape::Array), max_items: Some(0), ..ANY })], ..ANY }], ..ANY };
pub(super) static INDENTATION_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["indentation"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("level", &Rule { shape:
    Some(Shape::Number), minimum: Some(1.0), maximum: Some(6.0), ..ANY })], required: &["level"], is_closed: true, ..ANY })],
    required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static INLINE_NODE: Rule = Rule { any_of: &[&FORMATTED_TEXT_INLINE_NODE, &CODE_INLINE_NODE, &DATE_NODE,
    &EMOJI_NODE, &HARD_BREAK_NODE, &INLINE_CARD_NODE, &MENTION_NODE, &PLACEHOLDER_NODE, &STATUS_NODE,
    &INLINE_EXTENSION_WITH_MARKS_NODE, &MEDIA_INLINE_NODE], ..ANY };
pub(super) static INLINE_CARD_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["inlineCard"], ..ANY }), ("attrs", &Rule { any_of: &[&Rule { shape: Some(Shape::Object), keys: &[("url", &Rule { shape:
    Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })], required: &["url"], is_closed: true,
    ..ANY }, &Rule { shape: Some(Shape::Object), keys: &[("data", &Rule { ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], required: &["data"], is_closed: true, ..ANY }], ..ANY })], required: &["type", "attrs"],
    is_closed: true, ..ANY };
pub(super) static INLINE_EXTENSION_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["inlineExtension"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), ..ANY }), ("attrs", &Rule { shape:
    Some(Shape::Object), keys: &[("extensionKey", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY }), ("extensionType",
    &Rule { shape: Some(Shape::String), min_length: 1, ..ANY }), ("parameters", &Rule { ..ANY }), ("text", &Rule { shape:
    Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY })], required:
    &["extensionKey", "extensionType"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static INLINE_EXTENSION_WITH_MARKS_NODE: Rule = Rule { all_of: &[&INLINE_EXTENSION_NODE, &Rule { shape:
    Some(Shape::Object), keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&DATA_CONSUMER_MARK,
    &FRAGMENT_MARK], ..ANY }), ..ANY })], ..ANY }], ..ANY };
pub(super) static LAYOUT_COLUMN_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["layoutColumn"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("width", &Rule { shape:
    Some(Shape::Number), minimum: Some(0.0), maximum: Some(100.0), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY
    }), ("valign", &Rule { one_of: &["top", "middle", "bottom"], ..ANY })], required: &["width"], is_closed: true, ..ANY }),
    ("content", &Rule { shape: Some(Shape::Array), items: Some(&BLOCK_CONTENT), min_items: 1, ..ANY })], required: &["type",
    "attrs", "content"], is_closed: true, ..ANY };
pub(super) static LAYOUT_SECTION_FULL_NODE: Rule = Rule { all_of: &[&LAYOUT_SECTION_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&BREAKOUT_MARK), ..ANY }), ("content", &Rule { shape:
    Some(Shape::Array), items: Some(&LAYOUT_COLUMN_NODE), min_items: 2, max_items: Some(3), ..ANY })], required: &["content"],
    ..ANY }], ..ANY };
pub(super) static LAYOUT_SECTION_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["layoutSection"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), items: Some(&BREAKOUT_MARK), ..ANY }), ("attrs",
    &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY })], is_closed: true, ..ANY
    }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&LAYOUT_COLUMN_NODE), ..ANY })], required: &["type",
    "content"], is_closed: true, ..ANY };
pub(super) static LINK_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["link"], ..ANY }),
    ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("href", &Rule { shape: Some(Shape::String), ..ANY }), ("title", &Rule {
    shape: Some(Shape::String), ..ANY }), ("id", &Rule { shape: Some(Shape::String), ..ANY }), ("collection", &Rule { shape:
    Some(Shape::String), ..ANY }), ("occurrenceKey", &Rule { shape: Some(Shape::String), ..ANY })], required: &["href"],
    is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static LIST_ITEM_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["listItem"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY })],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of:
    &[&PARAGRAPH_WITH_FONT_SIZE_NODE, &PARAGRAPH_WITH_NO_MARKS_NODE, &BULLET_LIST_NODE, &ORDERED_LIST_NODE, &TASK_LIST_NODE,
    &MEDIA_SINGLE_CAPTION_NODE, &MEDIA_SINGLE_FULL_NODE, &CODE_BLOCK_NODE, &EXTENSION_WITH_MARKS_NODE], ..ANY }), min_items: 1,
    ..ANY })], required: &["type", "content"], is_closed: true, ..ANY };
pub(super) static MEDIA_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["media"], ..ANY }),
    ("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&DATA_CONSUMER_MARK, &LINK_MARK, &ANNOTATION_MARK,
    &BORDER_MARK], ..ANY }), ..ANY }), ("attrs", &Rule { any_of: &[&Rule { shape: Some(Shape::Object), keys: &[("type", &Rule {
    one_of: &["link", "file"], ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY }), ("id", &Rule { shape:
    Some(Shape::String), min_length: 1, ..ANY }), ("alt", &Rule { shape: Some(Shape::String), ..ANY }), ("collection", &Rule {
    shape: Some(Shape::String), ..ANY }), ("height", &Rule { shape: Some(Shape::Number), ..ANY }), ("occurrenceKey", &Rule {
    shape: Some(Shape::String), min_length: 1, ..ANY }), ("width", &Rule { shape: Some(Shape::Number), ..ANY })], required:
    &["type", "id", "collection"], is_closed: true, ..ANY }, &Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["external"], ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY }), ("alt", &Rule { shape: Some(Shape::String),
    ..ANY }), ("height", &Rule { shape: Some(Shape::Number), ..ANY }), ("width", &Rule { shape: Some(Shape::Number), ..ANY }),
    ("url", &Rule { shape: Some(Shape::String), ..ANY })], required: &["type", "url"], is_closed: true, ..ANY }], ..ANY })],
    required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static MEDIA_GROUP_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["mediaGroup"], ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&MEDIA_NODE), min_items: 1, ..ANY })],
    required: &["type", "content"], is_closed: true, ..ANY };
pub(super) static MEDIA_INLINE_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["mediaInline"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&DATA_CONSUMER_MARK,
    &LINK_MARK, &ANNOTATION_MARK, &BORDER_MARK], ..ANY }), ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys:
    &[("type", &Rule { one_of: &["link", "file", "image"], ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY }),
    ("id", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY }), ("alt", &Rule { shape: Some(Shape::String), ..ANY }),
    ("collection", &Rule { shape: Some(Shape::String), ..ANY }), ("occurrenceKey", &Rule { shape: Some(Shape::String), min_length:
    1, ..ANY }), ("width", &Rule { shape: Some(Shape::Number), ..ANY }), ("height", &Rule { shape: Some(Shape::Number), ..ANY }),
    ("data", &Rule { ..ANY })], required: &["id", "collection"], is_closed: true, ..ANY })], required: &["type", "attrs"],
    is_closed: true, ..ANY };
pub(super) static MEDIA_SINGLE_CAPTION_NODE: Rule = Rule { all_of: &[&MEDIA_SINGLE_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("content", &Rule { shape: Some(Shape::Array), first_items: &[&MEDIA_NODE, &CAPTION_NODE], min_items: 1, max_items:
    Some(2), ..ANY })], required: &["content"], ..ANY }], ..ANY };
pub(super) static MEDIA_SINGLE_FULL_NODE: Rule = Rule { all_of: &[&MEDIA_SINGLE_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("content", &Rule { shape: Some(Shape::Array), items: Some(&MEDIA_NODE), min_items: 1, max_items: Some(1), ..ANY })],
    required: &["content"], ..ANY }], ..ANY };
pub(super) static MEDIA_SINGLE_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["mediaSingle"], ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), items: Some(&LINK_MARK), ..ANY }), ("attrs", &Rule {
    any_of: &[&Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY }), ("width",
    &Rule { shape: Some(Shape::Number), minimum: Some(0.0), maximum: Some(100.0), ..ANY }), ("layout", &Rule { one_of: &["wide",
    "full-width", "center", "wrap-right", "wrap-left", "align-end", "align-start"], ..ANY }), ("widthType", &Rule { one_of:
    &["percentage"], ..ANY })], required: &["layout"], is_closed: true, ..ANY }, &Rule { shape: Some(Shape::Object), keys:
    &[("localId", &Rule { shape: Some(Shape::String), ..ANY }), ("width", &Rule { shape: Some(Shape::Number), minimum: Some(0.0),
    ..ANY }), ("widthType", &Rule { one_of: &["pixel"], ..ANY }), ("layout", &Rule { one_of: &["wide", "full-width", "center",
    "wrap-right", "wrap-left", "align-end", "align-start"], ..ANY })], required: &["width", "widthType", "layout"], is_closed:
    true, ..ANY }], ..ANY })], required: &["type"], ..ANY };
pub(super) static MENTION_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["mention"], ..ANY
    }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("id", &Rule { shape: Some(Shape::String), ..ANY }), ("localId",
    &Rule { shape: Some(Shape::String), ..ANY }), ("text", &Rule { shape: Some(Shape::String), ..ANY }), ("accessLevel", &Rule {
    shape: Some(Shape::String), ..ANY }), ("userType", &Rule { one_of: &["DEFAULT", "SPECIAL", "APP"], ..ANY })], required:
    &["id"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static NESTED_EXPAND_CONTENT: Rule = Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of:
    &[&PARAGRAPH_WITH_NO_MARKS_NODE, &PARAGRAPH_WITH_FONT_SIZE_NODE, &HEADING_WITH_NO_MARKS_NODE, &MEDIA_SINGLE_CAPTION_NODE,
    &MEDIA_SINGLE_FULL_NODE, &MEDIA_GROUP_NODE, &CODE_BLOCK_NODE, &BULLET_LIST_NODE, &ORDERED_LIST_NODE, &TASK_LIST_NODE,
    &DECISION_LIST_NODE, &RULE_NODE, &PANEL_NODE, &BLOCKQUOTE_NODE, &EXTENSION_WITH_MARKS_NODE], ..ANY }), min_items: 1, ..ANY };
pub(super) static NESTED_EXPAND_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["nestedExpand"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("title", &Rule { shape:
    Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })], is_closed: true, ..ANY }),
    ("content", &NESTED_EXPAND_CONTENT)], required: &["type", "content", "attrs"], is_closed: true, ..ANY };
pub(super) static NESTED_EXPAND_WITH_NO_MARKS_NODE: Rule = Rule { all_of: &[&NESTED_EXPAND_NODE, &Rule { shape:
    Some(Shape::Object), keys: &[("marks", &Rule { shape: Some(Shape::Array), max_items: Some(0), ..ANY })], ..ANY }], ..ANY };
pub(super) static NON_NESTABLE_BLOCK_CONTENT: Rule = Rule { any_of: &[&PARAGRAPH_WITH_NO_MARKS_NODE,
    &PARAGRAPH_WITH_FONT_SIZE_NODE, &PANEL_NODE, &BLOCKQUOTE_NODE, &ORDERED_LIST_NODE, &BULLET_LIST_NODE, &RULE_NODE,
    &HEADING_WITH_NO_MARKS_NODE, &CODE_BLOCK_NODE, &MEDIA_GROUP_NODE, &MEDIA_SINGLE_CAPTION_NODE, &MEDIA_SINGLE_FULL_NODE,
    &DECISION_LIST_NODE, &TASK_LIST_NODE, &TABLE_NODE, &BLOCK_CARD_NODE, &EMBED_CARD_NODE, &EXTENSION_WITH_MARKS_NODE], ..ANY };
pub(super) static ORDERED_LIST_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["orderedList"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("order", &Rule { shape:
    Some(Shape::Number), minimum: Some(0.0), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })], is_closed: true,
    ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&LIST_ITEM_NODE), min_items: 1, ..ANY })], required:
    &["type", "content"], is_closed: true, ..ANY };
pub(super) static PANEL_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["panel"], ..ANY }),
    ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("panelType", &Rule { one_of: &["info", "note", "tip", "warning",
    "error", "success", "custom"], ..ANY }), ("panelIcon", &Rule { shape: Some(Shape::String), ..ANY }), ("panelIconId", &Rule {
    shape: Some(Shape::String), ..ANY }), ("panelIconText", &Rule { shape: Some(Shape::String), ..ANY }), ("panelColor", &Rule {
    shape: Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })], required: &["panelType"],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of:
    &[&PARAGRAPH_WITH_NO_MARKS_NODE, &PARAGRAPH_WITH_FONT_SIZE_NODE, &HEADING_WITH_NO_MARKS_NODE, &BULLET_LIST_NODE,
    &ORDERED_LIST_NODE, &BLOCK_CARD_NODE, &MEDIA_GROUP_NODE, &MEDIA_SINGLE_CAPTION_NODE, &MEDIA_SINGLE_FULL_NODE,
    &CODE_BLOCK_NODE, &TASK_LIST_NODE, &RULE_NODE, &DECISION_LIST_NODE, &EXTENSION_WITH_MARKS_NODE], ..ANY }), min_items: 1, ..ANY
    })], required: &["type", "attrs", "content"], is_closed: true, ..ANY };
pub(super) static PARAGRAPH_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["paragraph"],
    ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys:
    &[("localId", &Rule { shape: Some(Shape::String), ..ANY })], is_closed: true, ..ANY }), ("content", &Rule { shape:
    Some(Shape::Array), items: Some(&INLINE_NODE), ..ANY })], required: &["type"], is_closed: true, ..ANY };
pub(super) static PARAGRAPH_WITH_ALIGNMENT_NODE: Rule = Rule { all_of: &[&PARAGRAPH_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&FONT_SIZE_MARK, &ALIGNMENT_MARK], ..ANY
    }), ..ANY })], ..ANY }], ..ANY };
pub(super) static PARAGRAPH_WITH_FONT_SIZE_NODE: Rule = Rule { all_of: &[&PARAGRAPH_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&FONT_SIZE_MARK), ..ANY })], ..ANY }], ..ANY };
pub(super) static PARAGRAPH_WITH_INDENTATION_NODE: Rule = Rule { all_of: &[&PARAGRAPH_NODE, &Rule { shape:
    Some(Shape::Object), keys: &[("marks", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&FONT_SIZE_MARK,
    &INDENTATION_MARK], ..ANY }), ..ANY })], ..ANY }], ..ANY };
pub(super) static PARAGRAPH_WITH_NO_MARKS_NODE: Rule = Rule { all_of: &[&PARAGRAPH_NODE, &Rule { shape: Some(Shape::Object),
    keys: &[("marks", &Rule { shape: Some(Shape::Array), max_items: Some(0), ..ANY })], ..ANY }], ..ANY };
pub(super) static PLACEHOLDER_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["placeholder"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("text", &Rule { shape: Some(Shape::String),
    ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY })], required: &["text"], is_closed: true, ..ANY })],
    required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static RULE_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["rule"], ..ANY }),
    ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY })], is_closed:
    true, ..ANY })], required: &["type"], is_closed: true, ..ANY };
pub(super) static STATUS_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["status"], ..ANY
    }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("text", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY
    }), ("color", &Rule { shape: Some(Shape::String), pattern: Some(Pattern::StatusColor), ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), ..ANY }), ("style", &Rule { shape: Some(Shape::String), ..ANY })], required: &["text", "color"],
    is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static STRIKE_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["strike"], ..ANY
    })], required: &["type"], is_closed: true, ..ANY };
pub(super) static STRONG_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["strong"], ..ANY
    })], required: &["type"], is_closed: true, ..ANY };
pub(super) static SUBSUP_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["subsup"], ..ANY
    }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["sub", "sup"], ..ANY })], required:
    &["type"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed: true, ..ANY };
pub(super) static SYNC_BLOCK_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["syncBlock"],
    ..ANY }), ("marks", &Rule { shape: Some(Shape::Array), items: Some(&BREAKOUT_MARK), ..ANY }), ("attrs", &Rule { shape:
    Some(Shape::Object), keys: &[("resourceId", &Rule { shape: Some(Shape::String), ..ANY }), ("localId", &Rule { shape:
    Some(Shape::String), ..ANY })], required: &["resourceId", "localId"], is_closed: true, ..ANY })], required: &["type",
    "attrs"], is_closed: true, ..ANY };
pub(super) static TABLE_CELL_CONTENT: Rule = Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of:
    &[&PARAGRAPH_WITH_NO_MARKS_NODE, &PARAGRAPH_WITH_ALIGNMENT_NODE, &PANEL_NODE, &BLOCKQUOTE_NODE, &ORDERED_LIST_NODE,
    &BULLET_LIST_NODE, &RULE_NODE, &HEADING_WITH_NO_MARKS_NODE, &HEADING_WITH_ALIGNMENT_NODE, &HEADING_WITH_INDENTATION_NODE,
    &CODE_BLOCK_NODE, &MEDIA_SINGLE_CAPTION_NODE, &MEDIA_SINGLE_FULL_NODE, &MEDIA_GROUP_NODE, &DECISION_LIST_NODE,
    &TASK_LIST_NODE, &BLOCK_CARD_NODE, &EMBED_CARD_NODE, &EXTENSION_WITH_MARKS_NODE, &NESTED_EXPAND_WITH_NO_MARKS_NODE], ..ANY }),
    min_items: 1, ..ANY };
pub(super) static TABLE_CELL_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["tableCell"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("colspan", &Rule { shape: Some(Shape::Number), ..ANY }),
    ("rowspan", &Rule { shape: Some(Shape::Number), ..ANY }), ("colwidth", &Rule { shape: Some(Shape::Array), items: Some(&Rule {
    shape: Some(Shape::Number), ..ANY }), ..ANY }), ("background", &Rule { shape: Some(Shape::String), ..ANY }), ("localId", &Rule
    { shape: Some(Shape::String), ..ANY }), ("valign", &Rule { one_of: &["top", "middle", "bottom"], ..ANY })], is_closed: true,
    ..ANY }), ("content", &TABLE_CELL_CONTENT)], required: &["type", "content"], is_closed: true, ..ANY };
pub(super) static TABLE_HEADER_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of:
    &["tableHeader"], ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("colspan", &Rule { shape:
    Some(Shape::Number), ..ANY }), ("rowspan", &Rule { shape: Some(Shape::Number), ..ANY }), ("colwidth", &Rule { shape:
    Some(Shape::Array), items: Some(&Rule { shape: Some(Shape::Number), ..ANY }), ..ANY }), ("background", &Rule { shape:
    Some(Shape::String), ..ANY }), ("localId", &Rule { shape: Some(Shape::String), ..ANY }), ("valign", &Rule { one_of: &["top",
    "middle", "bottom"], ..ANY })], is_closed: true, ..ANY }), ("content", &TABLE_CELL_CONTENT)], required: &["type", "content"],
    is_closed: true, ..ANY };
pub(super) static TABLE_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["table"], ..ANY }),
    ("marks", &Rule { shape: Some(Shape::Array), items: Some(&FRAGMENT_MARK), ..ANY }), ("attrs", &Rule { shape:
    Some(Shape::Object), keys: &[("displayMode", &Rule { one_of: &["default", "fixed"], ..ANY }), ("isNumberColumnEnabled", &Rule
    { shape: Some(Shape::Boolean), ..ANY }), ("layout", &Rule { one_of: &["wide", "full-width", "center", "align-end",
    "align-start", "default"], ..ANY }), ("localId", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY }), ("width", &Rule
    { shape: Some(Shape::Number), ..ANY })], is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items:
    Some(&TABLE_ROW_NODE), min_items: 1, ..ANY })], required: &["type", "content"], is_closed: true, ..ANY };
pub(super) static TABLE_ROW_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["tableRow"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY })],
    is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of: &[&TABLE_CELL_NODE,
    &TABLE_HEADER_NODE], ..ANY }), ..ANY })], required: &["type", "content"], is_closed: true, ..ANY };
pub(super) static TASK_ITEM_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["taskItem"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY }),
    ("state", &Rule { one_of: &["TODO", "DONE"], ..ANY })], required: &["localId", "state"], is_closed: true, ..ANY }),
    ("content", &Rule { shape: Some(Shape::Array), items: Some(&INLINE_NODE), ..ANY })], required: &["type", "attrs"], is_closed:
    true, ..ANY };
pub(super) static TASK_LIST_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["taskList"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("localId", &Rule { shape: Some(Shape::String), ..ANY })],
    required: &["localId"], is_closed: true, ..ANY }), ("content", &Rule { shape: Some(Shape::Array), items: Some(&Rule { any_of:
    &[&TASK_ITEM_NODE, &TASK_LIST_NODE, &BLOCK_TASK_ITEM_NODE], ..ANY }), min_items: 1, ..ANY })], required: &["type", "attrs",
    "content"], is_closed: true, ..ANY };
pub(super) static TEXT_NODE: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["text"], ..ANY }),
    ("marks", &Rule { shape: Some(Shape::Array), ..ANY }), ("text", &Rule { shape: Some(Shape::String), min_length: 1, ..ANY })],
    required: &["type", "text"], is_closed: true, ..ANY };
pub(super) static TEXT_WITH_NO_MARKS_NODE: Rule = Rule { all_of: &[&TEXT_NODE, &Rule { shape: Some(Shape::Object), keys:
    &[("marks", &Rule { shape: Some(Shape::Array), max_items: Some(0), ..ANY })], ..ANY }], ..ANY };
pub(super) static TEXT_COLOR_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["textColor"],
    ..ANY }), ("attrs", &Rule { shape: Some(Shape::Object), keys: &[("color", &Rule { shape: Some(Shape::String), pattern:
    Some(Pattern::Color), ..ANY })], required: &["color"], is_closed: true, ..ANY })], required: &["type", "attrs"], is_closed:
    true, ..ANY };
pub(super) static UNDERLINE_MARK: Rule = Rule { shape: Some(Shape::Object), keys: &[("type", &Rule { one_of: &["underline"],
    ..ANY })], required: &["type"], is_closed: true, ..ANY };
