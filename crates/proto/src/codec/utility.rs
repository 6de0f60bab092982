//! Writes two kinds of parameters that have no file of their own: filters of subscriptions, and the
//! parameters of completion requests.

use crate::json::write::{self, Object};
use crate::model::{CompleteRequest, CompletionReference, SubscriptionFilter};

/// Writes a filter of `subscriptions/listen`, as requested by the client or as accepted by the server.
///
/// Spec: 2026-07-28 `subscriptions` "Notification Filter": a client does not subscribe to changes whose
/// member is absent.
pub fn subscription_filter(out: &mut Vec<u8>, filter: &SubscriptionFilter) {
    let mut object = Object::open(out);
    for (name, wanted) in [
        ("promptsListChanged", filter.prompts_list_changed),
        ("resourcesListChanged", filter.resources_list_changed),
        ("toolsListChanged", filter.tools_list_changed),
    ] {
        if wanted {
            object.bool(name, true);
        }
    }
    if !filter.resource_subscriptions.is_empty() {
        object.array("resourceSubscriptions", &filter.resource_subscriptions, |out, uri| {
            write::string(out, uri);
        });
    }
    object.close();
}

/// Writes the parameters of `completion/complete`.
pub fn complete_params(out: &mut Vec<u8>, it: &CompleteRequest) {
    let mut object = Object::open(out);
    let mut reference = Object::open(object.name("ref"));
    match &it.reference {
        CompletionReference::Prompt(name) => {
            reference.string("type", "ref/prompt");
            reference.string("name", name);
        }
        CompletionReference::Resource(uri) => {
            reference.string("type", "ref/resource");
            reference.string("uri", uri);
        }
    }
    reference.close();
    let mut argument = Object::open(object.name("argument"));
    argument.string("name", &it.argument);
    argument.string("value", &it.value);
    argument.close();
    if !it.arguments.is_empty() {
        let mut context = Object::open(object.name("context"));
        let mut arguments = Object::open(context.name("arguments"));
        for (name, value) in &it.arguments {
            arguments.string(name, value);
        }
        arguments.close();
        context.close();
    }
    object.close();
}
