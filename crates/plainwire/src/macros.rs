//! Attributes that turn functions and methods into entries of a server: `#[tool]`, `#[resource]`, `#[prompt]`
//! and `#[server]`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use plainwire::prelude::*;
//!
//! /// Returns the words of a text, longest first.
//! #[tool(read_only, idempotent)]
//! async fn words(
//!     /// What to look at.
//!     #[length(1..=1000)]
//!     text: String,
//!     /// How many words at most.
//!     #[default(10)]
//!     #[range(1..=100)]
//!     limit: usize,
//! ) -> Vec<String> {
//!     let mut words: Vec<String> = text.split_whitespace().map(ToOwned::to_owned).collect();
//!     words.sort_by_key(|word| std::cmp::Reverse(word.len()));
//!     words.truncate(limit);
//!     words
//! }
//!
//! struct Library {
//!     books: Vec<String>,
//! }
//!
//! #[server]
//! impl Library {
//!     /// Returns the titles that contain a word.
//!     #[tool(read_only)]
//!     async fn search(&self, word: String) -> Vec<String> {
//!         self.books.iter().filter(|book| book.contains(&word)).cloned().collect()
//!     }
//!
//!     /// One book.
//!     #[resource("book://{number}")]
//!     async fn book(&self, number: usize) -> Result<String, ToolError> {
//!         self.books.get(number).cloned().ok_or_else(|| ToolError::not_found("there is no such book"))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! assert_eq!(words("a bee".into(), 1).await, ["bee"]);
//!
//! let library = Library { books: vec!["Moss and stone".into()] };
//! let client = plainwire::testing::client(plainwire::server!("library").tool(words).with(library)).await?;
//! let found: Vec<String> = client.call("search", json!({ "word": "Moss" })).await?;
//! assert_eq!(found, ["Moss and stone"]);
//! # Ok(()) }
//! ```
//!
//! You can write by hand what an attribute generates. `words` above becomes a function whose result is the
//! same future together with a description of the tool. That description is
//!
//! ```
//! use plainwire::Tool;
//! use plainwire::schemars::{self, JsonSchema};
//! use plainwire::serde::{self, Deserialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(crate = "plainwire::serde")]
//! #[schemars(crate = "plainwire::schemars")]
//! struct Arguments {
//!     /// What to look at.
//!     #[schemars(length(min = 1, max = 1000))]
//!     text: String,
//!     /// How many words at most.
//!     #[serde(default = "default_of_limit")]
//!     #[schemars(range(min = 1, max = 100))]
//!     limit: usize,
//! }
//!
//! fn default_of_limit() -> usize {
//!     10
//! }
//!
//! # async fn words(text: String, limit: usize) -> Vec<String> { vec![] }
//! Tool::new("words", |arguments: Arguments| words(arguments.text, arguments.limit))
//!     .description("Returns the words of a text, longest first.")
//!     .read_only()
//!     .idempotent();
//! ```
//!
//! A parameter of the function is an argument, with two exceptions: a parameter whose type is called
//! `Context`, `State<T>`, `Principal` or `Option<Principal>`, and a parameter with `#[extract]` or
//! `#[arguments]`. The page of each attribute lists its options.
//!
//! `#[header("Region")]` on an argument makes HTTP clients repeat its value in the header `Mcp-Param-Region`,
//! for proxies and gateways on the way to the server. Without attributes, write
//! `#[schemars(extend("x-mcp-header" = "Region"))]` on the field. In both cases a header that no client would
//! accept is an error: of the compiler if it can see the mistake, otherwise when the server begins to serve.
//!
//! ```
//! use plainwire::prelude::*;
//!
//! /// Returns the weather.
//! #[tool(read_only)]
//! async fn weather(
//!     /// Where the data is.
//!     #[header("Region")]
//!     region: String,
//! ) -> String {
//!     format!("rain in {region}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let client = plainwire::testing::client(plainwire::server!("weather").tool(weather)).await?;
//! let tools = client.list_tools().await?;
//! assert!(tools[0].input_schema.get().contains(r#""x-mcp-header":"Region""#));
//! # Ok(()) }
//! ```
//!
//! `#[data]` is for your own types: it adds the three derives that arguments and results need.
//!
//! ```
//! use plainwire::prelude::*;
//!
//! /// Where to look.
//! #[data]
//! struct Place {
//!     city: String,
//!     /// In kilometres.
//!     #[default(10)]
//!     #[range(1..=100)]
//!     around: u32,
//! }
//!
//! /// Returns the place itself.
//! #[tool(read_only)]
//! async fn find(place: Place) -> Place {
//!     place
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let client = plainwire::testing::client(plainwire::server!("map").tool(find)).await?;
//! let found: Place = client.call("find", json!({ "place": { "city": "Ghent" } })).await?;
//! assert_eq!(found.around, 10);
//! # Ok(()) }
//! ```

pub use plainwire_macros::{data, prompt, resource, server, tool};
