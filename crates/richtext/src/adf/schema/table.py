#!/usr/bin/env python3
"""Writes table.rs and content.rs, next to this file, from Atlassian's JSON schema of ADF: python3 table.py full.json

The schema is `dist/json-schema/v1/full.json` of the npm package @atlaskit/adf-schema, Copyright Atlassian, Apache-2.0.
"""
import json
import pathlib
import re
import sys
import textwrap

PATTERNS = {
    "^#[0-9a-fA-F]{6}$": "Color",
    "^#[0-9a-fA-F]{8}$|^#[0-9a-fA-F]{6}$": "ColorWithAlpha",
    "^(neutral|purple|blue|red|yellow|green|#[0-9a-fA-F]{6})$": "StatusColor",
}
KNOWN = {"$ref", "type", "enum", "properties", "required", "additionalProperties", "pattern", "items", "minItems", "maxItems",
         "minLength", "minimum", "maximum", "anyOf", "allOf"}


def static(reference):
    name = reference.removeprefix("#/definitions/")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def camel(name):
    return name[0].upper() + name[1:]


def reference(rule):
    if "$ref" in rule:
        return "&" + static(rule["$ref"])
    return "&" + shown(rule)


def listed(rules):
    return "&[" + ", ".join(rules) + "]"


def quoted(text):
    return json.dumps(text)


def shown(rule):
    unknown = set(rule) - KNOWN
    assert not unknown, unknown
    fields = []
    if "type" in rule:
        fields.append(f"shape: Some(Shape::{camel(rule['type'])})")
    if "enum" in rule:
        if rule["enum"] == [1]:
            fields += ["shape: Some(Shape::Number)", "minimum: Some(1.0)", "maximum: Some(1.0)"]
        else:
            fields.append("one_of: " + listed(map(quoted, rule["enum"])))
    if "properties" in rule:
        fields.append("keys: " + listed(f"({quoted(k)}, {reference(v)})" for k, v in rule["properties"].items()))
    if "required" in rule:
        fields.append("required: " + listed(map(quoted, rule["required"])))
    if rule.get("additionalProperties") is False:
        fields.append("is_closed: true")
    if "pattern" in rule:
        fields.append(f"pattern: Some(Pattern::{PATTERNS[rule['pattern']]})")
    if "items" in rule:
        if isinstance(rule["items"], list):
            fields.append("first_items: " + listed(map(reference, rule["items"])))
        else:
            fields.append("items: Some(" + reference(rule["items"]) + ")")
    for key, field in (("minItems", "min_items"), ("minLength", "min_length")):
        if key in rule:
            fields.append(f"{field}: {rule[key]}")
    if "maxItems" in rule:
        fields.append(f"max_items: Some({rule['maxItems']})")
    for key in ("minimum", "maximum"):
        if key in rule:
            fields.append(f"{key}: Some({float(rule[key])})")
    if "anyOf" in rule:
        fields.append("any_of: " + listed(map(reference, rule["anyOf"])))
    if "allOf" in rule:
        fields.append("all_of: " + listed(map(reference, rule["allOf"])))
    return "Rule { " + ", ".join(fields + ["..ANY"]) + " }"


class Models:
    """Content models: the children of each kind and their marks, in the form that the writer needs."""

    def __init__(self, definitions):
        self.definitions = definitions

    def resolve(self, rule):
        return self.definitions[rule["$ref"].removeprefix("#/definitions/")] if "$ref" in rule else rule

    def alternatives(self, rule):
        rule = self.resolve(rule)
        if "anyOf" in rule:
            return [it for option in rule["anyOf"] for it in self.alternatives(option)]
        return [rule]

    def parts(self, rule):
        return [self.resolve(it) for it in rule["allOf"]] if "allOf" in rule else [rule]

    def kind(self, node):
        return next(it["properties"]["type"]["enum"][0] for it in self.parts(node) if "type" in it["properties"])

    def marks(self, node):
        found = [it["properties"]["marks"] for it in self.parts(node) if "marks" in it["properties"]]
        named = [it for it in found if "items" in it or it.get("maxItems") == 0]
        if not found:
            return ()
        if not named:
            return None
        if "items" not in named[0]:
            return ()
        return tuple(self.kind(it) for it in self.alternatives(named[0]["items"]))

    def content(self, node):
        for part in reversed(self.parts(node)):
            if "content" in part["properties"]:
                return self.resolve(part["properties"]["content"])
        return None

    def all(self):
        models = {}
        for name, rule in self.definitions.items():
            if not name.endswith("_node") or self.resolve(rule).get("anyOf"):
                continue
            content = self.content(rule)
            if content is None:
                continue
            least, children = models.get(self.kind(rule), (None, {}))
            least = content.get("minItems", 0) if least is None else min(least, content.get("minItems", 0))
            items = content["items"] if isinstance(content["items"], list) else [content["items"]]
            for child in [it for item in items for it in self.alternatives(item)]:
                marks = self.marks(child)
                entry = children.setdefault(self.kind(child), [])
                if marks is not None and marks not in entry:
                    entry.append(marks)
            models[self.kind(rule)] = (least, children)
        return models


def wrapped(line):
    """Returns one item, wrapped to the line width of the tables. No string of the schema has a space in it."""
    return "\n    ".join(textwrap.wrap(line, 126, break_long_words=False, break_on_hyphens=False))


SOURCE = """//!
//! Made by table.py from `full.json` of @atlaskit/adf-schema 57.7.22, Copyright Atlassian, Apache-2.0
//! (NOTICE).
"""


def rules(definitions):
    yield "//! Rules of Atlassian's JSON schema of ADF, as tables."
    yield SOURCE
    yield "use super::rule::{ANY, Pattern, Rule, Shape};\n"
    for name, rule in definitions.items():
        yield wrapped(f"pub(super) static {static(name)}: Rule = {shown(rule)};")


def content(definitions):
    yield "//! Children and marks that Atlassian's JSON schema of ADF allows in each node."
    yield SOURCE
    yield "use super::model::Model;"
    yield "use crate::tree::{Kind, MarkKind};\n"
    yield "/// The content model of each kind; `None` is the document, which is not a kind."
    yield "pub(super) static MODELS: &[(Option<Kind>, Model)] = &["
    for kind, (least, children) in Models(definitions).all().items():
        parent = "None" if kind == "doc" else f"Some(Kind::{camel(kind)})"
        rows = []
        for child, marks in children.items():
            sets = (listed(f"MarkKind::{camel(it)}" for it in one) for one in marks)
            rows.append(f"(Kind::{camel(child)}, {listed(sets)})")
        yield "    " + wrapped(f"({parent}, Model {{ least: {least}, children: {listed(rows)} }}),")
    yield "];"


def main():
    definitions = json.load(open(sys.argv[1]))["definitions"]
    folder = pathlib.Path(__file__).parent
    for name, lines in (("table.rs", rules(definitions)), ("content.rs", content(definitions))):
        (folder / name).write_text("\n".join(lines) + "\n")


main()
