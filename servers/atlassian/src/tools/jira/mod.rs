//! The tools of Jira, a file per toolset.

pub(crate) mod attachments;
pub(crate) mod boards;
pub(crate) mod comments;
pub(crate) mod desk;
pub(crate) mod development;
pub(crate) mod fields;
pub(crate) mod filters;
pub(crate) mod forms;
pub(crate) mod hierarchy;
pub(crate) mod issues;
pub(crate) mod links;
pub(crate) mod metrics;
pub(crate) mod mine;
pub(crate) mod moves;
pub(crate) mod projects;
pub(crate) mod reading;
pub(crate) mod screens;
pub(crate) mod sprints;
pub(crate) mod transitions;
pub(crate) mod users;
pub(crate) mod versions;
pub(crate) mod watchers;
pub(crate) mod worklogs;

use plainwire::Entries;

use crate::jira::text::Losses;

/// Returns all tools of Jira.
pub(crate) fn entries() -> Vec<Entries> {
    vec![
        reading::entries(),
        issues::entries(),
        moves::entries(),
        comments::entries(),
        transitions::entries(),
        fields::entries(),
        boards::entries(),
        sprints::entries(),
        filters::entries(),
        forms::entries(),
        desk::entries(),
        metrics::entries(),
        hierarchy::entries(),
        development::entries(),
        mine::entries(),
        screens::entries(),
        links::entries(),
        worklogs::entries(),
        watchers::entries(),
        projects::entries(),
        versions::entries(),
        users::entries(),
        attachments::entries(),
    ]
}

/// Returns the permission that an argument gives.
pub(crate) fn losses(accept_loss: bool) -> Losses {
    if accept_loss { Losses::Accept } else { Losses::Refuse }
}
