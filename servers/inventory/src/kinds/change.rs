//! Changes and rebuilds.

use std::collections::BTreeMap;

use plainwire::prelude::*;

use super::is_false;
use super::{Bom, Order};

/// A change that was made, or the preview of one.
#[data(kind = "inventoryChange:v1")]
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub entity_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_id: Option<i64>,
    /// Whether nothing was written.
    pub is_preview: bool,
    pub operation: String,
    pub message: String,
    pub changes: Vec<FieldChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_state: Option<State>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Those that begin with `BLOCK:` forbid the change.
    pub warnings: Vec<String>,
    pub next_actions: Vec<String>,
    /// For `preview_token` of the apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview_token: Option<String>,
}

/// The state of what is changed.
#[data]
#[derive(Clone, Debug)]
#[serde(untagged)]
pub enum State {
    Order(Box<Order>),
    Bom(Box<Bom>),
}

impl From<Order> for State {
    fn from(order: Order) -> Self {
        Self::Order(Box::new(order))
    }
}

impl From<Bom> for State {
    fn from(bom: Bom) -> Self {
        Self::Bom(Box::new(bom))
    }
}

/// The change of one field.
#[data]
#[derive(Clone, Debug)]
pub struct FieldChange {
    pub field: String,
    pub old: Value,
    pub new: Value,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_added: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_unchanged: bool,
}

/// One step of a change.
#[data]
#[derive(Clone, Debug, Default)]
pub struct Action {
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<i64>,
    pub succeeded: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub changes: Vec<FieldChange>,
}

/// The state of the file, compared with its ledger.
#[data(kind = "inventoryRebuild:v1")]
pub struct Rebuild {
    pub is_preview: bool,
    /// The number of rows that were made anew, by table.
    pub rebuilt: BTreeMap<String, i64>,
    /// Differences from the ledger and the orders. Empty in a sound file.
    pub drift: Vec<String>,
    pub message: String,
}
