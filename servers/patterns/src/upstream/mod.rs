//! An upstream: the REST API of another pattern library.
//!
//! In: the address of the API, and requests. Out: patterns, skills and rules, or the error that the API means. Paths and
//! shapes are those of the Effect Patterns API: `GET /api/patterns`, `/api/patterns/{id}`, `/api/skills`, `/api/skills/{slug}`
//! and `POST /api/list-rules`.

use std::sync::Arc;
use std::time::Duration;

use plainwire::prelude::*;
use reqwest::{Method, RequestBuilder, Url};
use serde::de::DeserializeOwned;

use crate::library::{Difficulty, Example, Pattern, Skill};

mod failure;

use failure::Failure;

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The largest answer, in bytes.
const MAX_ANSWER: usize = 8 << 20;

/// The largest number of patterns that the API returns at once.
pub(crate) const MAX_PATTERNS: usize = 100;

/// A client of the API.
pub(crate) struct Upstream {
    base: Url,
    client: reqwest::Client,
    key: Option<String>,
}

/// An answer of the API, and its size in bytes.
pub(crate) struct Answer<T> {
    pub(crate) value: T,
    pub(crate) bytes: usize,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `patterns`")]
struct PatternsAnswer {
    patterns: Vec<ApiPattern>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `pattern`")]
struct PatternAnswer {
    pattern: ApiPattern,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a pattern")]
struct ApiPattern {
    id: String,
    title: String,
    #[serde(default)]
    description: String,
    category: String,
    difficulty: Difficulty,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    examples: Vec<ApiExample>,
    #[serde(default)]
    use_cases: Vec<String>,
    #[serde(default)]
    related_patterns: Vec<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an example")]
struct ApiExample {
    code: String,
    language: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `skills`")]
struct SkillsAnswer {
    skills: Vec<Skill>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `skill`")]
struct SkillAnswer {
    skill: Skill,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `rules`")]
struct RulesAnswer {
    rules: Vec<ApiRule>,
}

/// A rule of the API.
#[derive(Deserialize)]
#[serde(expecting = "a rule")]
pub(crate) struct ApiRule {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) severity: String,
    #[serde(default)]
    pub(crate) category: String,
    #[serde(default)]
    pub(crate) message: String,
}

impl Upstream {
    /// Creates a client for the API at `base`, such as `https://patterns.example`, with a key for `x-api-key`.
    ///
    /// # Errors
    /// A sentence about an address that is none.
    pub(crate) fn new(base: &str, key: Option<String>) -> Result<Self, String> {
        let shown = || base.chars().filter(|it| !it.is_control()).take(80).collect::<String>();
        let url =
            Url::parse(base).map_err(|error| format!("expected a URL, but found {:?}: {error}", shown()))?;
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some()
        {
            return Err("expected a URL of http or https, without a user or a password".to_owned());
        }
        let is_here =
            url.host_str().is_some_and(|it| it == "localhost" || it.starts_with("127.") || it == "[::1]");
        if key.is_some() && url.scheme() == "http" && !is_here {
            return Err("expected a URL of https, since a key is sent, but found one of http".to_owned());
        }
        // A process may have a provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            // The key is for this host only.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| format!("there is no HTTP client: {error}"))?;
        Ok(Self { base: url, client, key })
    }

    /// Returns the address, for people.
    pub(crate) fn base(&self) -> &str {
        self.base.as_str()
    }

    pub(crate) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    pub(crate) async fn search(
        &self,
        text: &str,
        category: Option<&str>,
        difficulty: Option<Difficulty>,
    ) -> Result<Answer<Vec<Arc<Pattern>>>, ToolError> {
        let limit = MAX_PATTERNS.to_string();
        let mut query = vec![("q", text), ("limit", &limit)];
        query.extend(category.map(|it| ("category", it)));
        query.extend(difficulty.map(|it| ("difficulty", it.as_str())));
        let answer = self.get::<PatternsAnswer>(&["patterns"], &query).await?;
        let patterns = answer.value.patterns.into_iter().map(|it| Arc::new(it.into())).collect();
        Ok(Answer { value: patterns, bytes: answer.bytes })
    }

    /// Returns the pattern of an id; `None` if there is none.
    pub(crate) async fn pattern(&self, id: &str) -> Result<Option<Answer<Arc<Pattern>>>, ToolError> {
        let answer = found(self.get::<PatternAnswer>(&["patterns", id], &[]).await)?;
        Ok(answer.map(|it| Answer { value: Arc::new(it.value.pattern.into()), bytes: it.bytes }))
    }

    pub(crate) async fn skills(
        &self,
        text: Option<&str>,
        category: Option<&str>,
    ) -> Result<Vec<Skill>, ToolError> {
        let query: Vec<_> =
            text.map(|it| ("q", it)).into_iter().chain(category.map(|it| ("category", it))).collect();
        let answer = self.get::<SkillsAnswer>(&["skills"], &query).await?;
        Ok(answer.value.skills)
    }

    pub(crate) async fn skill(&self, slug: &str) -> Result<Option<Skill>, ToolError> {
        let answer = found(self.get::<SkillAnswer>(&["skills", slug], &[]).await)?;
        Ok(answer.map(|it| it.value.skill))
    }

    pub(crate) async fn rules(&self) -> Result<Vec<ApiRule>, ToolError> {
        let request = self.request(Method::POST, &["list-rules"]).json(&json!({}));
        Ok(self.send::<RulesAnswer>(request).await.map_err(|it| it.into_error(self))?.value.rules)
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Answer<T>, ToolError> {
        let request = self.request(Method::GET, path).query(query);
        self.send(request).await.map_err(|it| it.into_error(self))
    }

    /// Begins a request. Each part of the path is escaped, so that it stays one part.
    fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        let mut url = self.base.clone();
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().push("api").extend(path);
        }
        let request = self.client.request(method, url);
        match &self.key {
            Some(key) => request.header("x-api-key", key),
            None => request,
        }
    }

    async fn send<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<Answer<T>, Failure> {
        let mut response = request.send().await.map_err(|error| Failure::network(&error))?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| Failure::network(&error))? {
            if body.len() + chunk.len() > MAX_ANSWER {
                return Err(Failure::answer(format!("expected at most {MAX_ANSWER} bytes, but found more")));
            }
            body.extend_from_slice(&chunk);
        }
        if !status.is_success() {
            return Err(Failure::status(status, &body));
        }
        let value = serde_json::from_slice(&body).map_err(|error| Failure::answer(error.to_string()))?;
        Ok(Answer { value, bytes: body.len() })
    }
}

/// Returns `None` for an error that means that there is no such thing.
fn found<T>(outcome: Result<T, ToolError>) -> Result<Option<T>, ToolError> {
    match outcome {
        Err(error) if error.code() == "not_found" => Ok(None),
        other => other.map(Some),
    }
}

impl From<ApiPattern> for Pattern {
    fn from(it: ApiPattern) -> Self {
        let example = |it: ApiExample| Example {
            language: it.language.unwrap_or_else(|| "typescript".to_owned()),
            section: it.description,
            code: it.code,
        };
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            id: it.id,
            title: one_line(&it.title),
            category: it.category,
            difficulty: it.difficulty,
            summary: it.description,
            tags: it.tags.iter().map(|it| one_line(it)).collect(),
            sections: Vec::new(),
            examples: it.examples.into_iter().map(example).collect(),
            anti_examples: Vec::new(),
            use_cases: it.use_cases.iter().map(|it| one_line(it)).collect(),
            related: it.related_patterns,
        }
    }
}
