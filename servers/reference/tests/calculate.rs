//! Tests of `calculate`: results of expressions and errors of wrong ones.

use plainwire::prelude::json;

#[tokio::test]
async fn evaluates_and_explains_mistakes() {
    let client = plainwire::testing::client(plainwire_reference::server()).await.expect("a connection");
    let deep = "(".repeat(1000);
    for (expression, expected) in [
        ("2 + 3 * 4", "14"),
        ("(2+3)*4", "20"),
        ("-2^2", "-4"),
        ("2^3^2", "512"),
        ("2^-1", "0.5"),
        ("10 % 4 - -1", "3"),
        ("7/2", "3.5"),
        (" .5 + 1. ", "1.5"),
        ("", "expression is required"),
        ("  ", "expression is required"),
        ("2 + x", "expression contains invalid characters"),
        ("1/0", "division by zero"),
        ("1 2", "expected an operator, but found `2`"),
        ("(1", "expected `)`"),
        ("1+", "expected a number, but found `the end`"),
        ("1+*2", "expected a number, but found `*`"),
        ("1..2", "expected a number, but found `1..2`"),
        ("10^400", "expected a finite result, but found one too large or undefined"),
        (&deep, "expected at most 100 levels of nesting"),
    ] {
        let result =
            client.call_tool("calculate", json!({ "expression": expression })).await.expect("a result");
        assert_eq!(result.content[0].as_text(), Some(expected), "{expression}");
        assert_eq!(result.is_error, expected.parse::<f64>().is_err(), "{expression}");
    }
}
