//! The operation that a path means.
//!
//! In: path templates, and the path of a request. Out: the most specific template that fits, with the values
//! of its parameters. As in the servers, the path decides first and the method second: if the most specific
//! template does not have the method, no operation fits.

use super::document::Operation;

/// The operations of a document, the most specific templates first.
pub(super) struct Routes(Vec<Route>);

struct Route {
    operation: Operation,
    segments: Vec<Segment>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Segment {
    Literal(String),
    Parameter(String),
}

/// An operation, and the values of the parameters in the path.
pub(super) struct Target<'a> {
    pub(super) operation: &'a Operation,
    /// Names and values, without percent-encoding.
    pub(super) values: Vec<(&'a str, String)>,
}

impl Routes {
    pub(super) fn new(operations: Vec<Operation>) -> Self {
        let route = |operation: Operation| Route { segments: segments(&operation.template), operation };
        let mut routes: Vec<Route> = operations.into_iter().map(route).collect();
        // A literal sorts before a parameter, so the first template that fits is the most specific.
        routes.sort_by(|a, b| a.segments.cmp(&b.segments));
        Self(routes)
    }

    pub(super) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.0.iter().map(|it| &it.operation)
    }

    pub(super) fn find(&self, method: &str, path: &str) -> Option<Target<'_>> {
        let parts: Vec<String> = path.split('/').map(|it| decoded(it, false)).collect();
        let fitting = self.0.iter().filter_map(|route| Some((route, values(&route.segments, &parts)?)));
        let fitting: Vec<_> = fitting.collect();
        let shape = |route: &Route| -> Vec<bool> {
            route.segments.iter().map(|it| matches!(it, Segment::Literal(_))).collect()
        };
        let best = shape(fitting.first()?.0);
        let mut best = fitting.into_iter().filter(|(route, _)| shape(route) == best);
        let (route, values) = best.find(|(route, _)| route.operation.method == method)?;
        Some(Target { operation: &route.operation, values })
    }
}

fn segments(template: &str) -> Vec<Segment> {
    let segment = |part: &str| match part.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
        Some(name) => Segment::Parameter(name.to_owned()),
        None => Segment::Literal(part.to_owned()),
    };
    template.split('/').map(segment).collect()
}

/// Returns the values of the parameters, if the path fits. An empty part of the path is no value.
fn values<'a>(segments: &'a [Segment], parts: &[String]) -> Option<Vec<(&'a str, String)>> {
    if segments.len() != parts.len() {
        return None;
    }
    let mut values = Vec::new();
    for (segment, part) in segments.iter().zip(parts) {
        match segment {
            Segment::Literal(literal) if literal == part => {}
            Segment::Parameter(name) if !part.is_empty() => values.push((name.as_str(), part.clone())),
            _ => return None,
        }
    }
    Some(values)
}

/// Returns the names and values of a query.
pub(super) fn pairs(query: &str) -> Vec<(String, String)> {
    let parts = query.split('&').filter(|it| !it.is_empty());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decoded(name, true), decoded(value, true))
    };
    parts.map(pair).collect()
}

/// Decodes percent-encoding, and in a query also `+` for a space. What is not encoded correctly stays as it
/// is.
fn decoded(text: &str, in_query: bool) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| first == b'%').and_then(|it| std::str::from_utf8(it).ok());
        let byte = hex.and_then(|it| u8::from_str_radix(it, 16).ok());
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(if first == b'+' && in_query { b' ' } else { first });
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
