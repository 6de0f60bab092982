//! What a server says without being asked.

use plainwire_proto::cursor::List;
use plainwire_proto::model::{LogLevel, LogMessage, RawJson};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Something that the server says on its own.
#[derive(Debug)]
#[non_exhaustive]
pub enum Notice {
    /// What happened at a URL that the server had asked a person to open has ended. Comes once, for pages that nobody
    /// has refused to open; the last 64 are known.
    ElicitationComplete {
        /// The id of the elicitation.
        id: String,
    },
    /// A list has changed and is worth another look.
    ListChanged(List),
    /// Something for the log.
    Log(LogMessage),
    /// A resource has changed that somebody here subscribed to.
    ResourceUpdated {
        /// Which.
        uri: String,
    },
    /// Anything else.
    Other {
        /// The method.
        method: String,
        /// The parameters.
        params: Option<RawJson>,
    },
}

impl Notice {
    /// Reads a notification; what can't be read is [`Self::Other`], as it was sent.
    pub(crate) fn read(method: &str, params: Option<&str>) -> Self {
        known(method, params.unwrap_or("{}")).unwrap_or_else(|| Self::Other {
            method: method.to_owned(),
            params: params.and_then(|params| RawValue::from_string(params.to_owned()).ok()),
        })
    }
}

fn known(method: &str, params: &str) -> Option<Notice> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Complete {
        elicitation_id: String,
    }
    #[derive(Deserialize)]
    struct Updated {
        uri: String,
    }
    #[derive(Deserialize)]
    struct Message {
        data: RawJson,
        level: String,
        logger: Option<String>,
    }
    match method {
        "notifications/elicitation/complete" => {
            let it: Complete = serde_json::from_str(params).ok()?;
            Some(Notice::ElicitationComplete { id: it.elicitation_id })
        }
        "notifications/message" => {
            let it: Message = serde_json::from_str(params).ok()?;
            let level = LogLevel::parse(&it.level)?;
            Some(Notice::Log(LogMessage { data: it.data, level, logger: it.logger }))
        }
        "notifications/resources/updated" => {
            let it: Updated = serde_json::from_str(params).ok()?;
            Some(Notice::ResourceUpdated { uri: it.uri })
        }
        _ => None,
    }
}

/// How far a request is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How far it is, in a unit of the server's choice.
    pub done: f64,
    /// What it is doing.
    pub message: Option<String>,
    /// How far it has to go.
    pub total: Option<f64>,
}
