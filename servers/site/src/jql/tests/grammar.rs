//! Trees and sentences of the grammar. The sentences are those of Jira's own tests.

use crate::jql::ast::{Clause, Direction, FieldName, Operand, Operator, PredicateKind, Query, Term};
use crate::jql::{parse, quote};

/// A tree as a text in which nothing is left to precedence.
fn shown(clause: &Clause) -> String {
    let joined = |all: &[Clause], word| format!("({})", all.iter().map(shown).collect::<Vec<_>>().join(word));
    match clause {
        Clause::And(all) => joined(all, " & "),
        Clause::Or(all) => joined(all, " | "),
        Clause::Not(inner) => format!("!{}", shown(inner)),
        Clause::Term(Term { field, operator, operand, predicates }) => {
            let mut text = format!("{field} {}", operator.text());
            if let Some(operand) = operand {
                text.push_str(&format!(" {operand}"));
            }
            for it in predicates {
                text.push_str(&format!(" {} {}", it.kind.text(), it.operand));
            }
            text
        }
    }
}

fn reads(jql: &str, expected: &str) {
    let query = parse(jql).unwrap_or_else(|error| panic!("{jql}: {error}"));
    let mut found = query.clause.as_ref().map(shown).unwrap_or_default();
    for sort in &query.order {
        let direction = match sort.direction {
            Some(Direction::Ascending) => "+",
            Some(Direction::Descending) => "-",
            None => "",
        };
        found.push_str(&format!(" #{direction}{}", sort.field));
    }
    assert_eq!(found.trim(), expected, "{jql}");
}

#[test]
fn a_query_is_read_as_a_tree() {
    for (jql, tree) in [
        ("", ""),
        ("  \n\t ", ""),
        ("a=b", r#"a = "b""#),
        ("a = 1 AND b = 2 OR c = 3", "((a = 1 & b = 2) | c = 3)"),
        ("a = 1 or b = 2 and c = 3", "(a = 1 | (b = 2 & c = 3))"),
        ("(a = 1 OR b = 2) AND c = 3", "((a = 1 | b = 2) & c = 3)"),
        ("a=1 && b=2 || !c=3 & d=4 | not e=5", "((a = 1 & b = 2) | (!c = 3 & d = 4) | !e = 5)"),
        ("NOT NOT a = 1", "!!a = 1"),
        ("not (a = 1 and b = 2)", "!(a = 1 & b = 2)"),
        ("a != b", r#"a != "b""#),
        ("a ~ b and c !~ d", r#"(a ~ "b" & c !~ "d")"#),
        ("a<1 and b<=2 and c>3 and d>=4", "(a < 1 & b <= 2 & c > 3 & d >= 4)"),
        ("a in (1, b, \"c d\", f(x), empty)", r#"a in (1, "b", "c d", f(x), EMPTY)"#),
        ("a NOT IN ((1), 2)", "a not in ((1), 2)"),
        ("a is EMPTY and b IS NOT null", "(a is EMPTY & b is not EMPTY)"),
        ("a was b", r#"a was "b""#),
        (
            "a WAS NOT b and c was in (d) and e was not in (f)",
            r#"(a was not "b" & c was in ("d") & e was not in ("f"))"#,
        ),
        (
            "status changed FROM a TO b BY c AFTER -1d BEFORE now() ON 1 DURING (1, 2)",
            r#"status changed from "a" to "b" by "c" after "-1d" before now() on 1 during (1, 2)"#,
        ),
        ("a changed and b = 1", "(a changed & b = 1)"),
        ("a was b by c during (d, e) or f = g", r#"(a was "b" by "c" during ("d", "e") | f = "g")"#),
        ("cf[10016] > -5", "cf[10016] > -5"),
        ("CF[1]=-5d", r#"cf[1] = "-5d""#),
        (r#""Story Points" = 'it''s'"#, ""),
        ("issue.property[a.b].c = 1 AND x[y] = 2", "(issue.property[a.b].c = 1 & x[y] = 2)"),
        ("order by a, b asc, \"c d\" DESC, cf[5]", "#a #+b #-c d #cf[5]"),
        ("a = b ORDER BY c", r#"a = "b" #c"#),
        ("a = f(1, -2, \"x y\", z)", "a = f(1, -2, x y, z)"),
        ("a = 1d()", "a = 1d()"),
        ("78foo = 1", "78foo = 1"),
        ("78 = 1", "78 = 1"),
        ("project = SHOP-1.2:x_ü", r#"project = "SHOP-1.2:x_ü""#),
        (r"a = b\ c\u0041\n", "a = \"b cA\n\""),
        (r#"a = "x\"y\\z\t" and b = 'p"q\'r'"#, "(a = \"x\"y\\z\t\" & b = \"p\"q'r\")"),
        (r"a = '\ud83d\ude00'", "a = \"😀\""),
        ("a = \"line\nbreak\"", "a = \"line\nbreak\""),
        ("a = 00012", "a = 12"),
    ] {
        if tree.is_empty() && !jql.trim().is_empty() {
            assert!(parse(jql).is_err(), "{jql}");
        } else {
            reads(jql, tree);
        }
    }
}

#[test]
fn numbers_and_texts_are_told_apart() {
    for (jql, operand) in [
        ("a = 5", Operand::Number(5)),
        ("a = -5", Operand::Number(-5)),
        ("a = '5'", Operand::Text("5".to_owned())),
        ("a = 5d", Operand::Text("5d".to_owned())),
        ("a = 1.5", Operand::Text("1.5".to_owned())),
        ("a = -", Operand::Text("-".to_owned())),
        ("a = NULL", Operand::Empty),
        ("a = 'NULL'", Operand::Text("NULL".to_owned())),
    ] {
        let Ok(Query { clause: Some(Clause::Term(term)), .. }) = parse(jql) else { panic!("{jql}") };
        assert_eq!(term.operand, Some(operand), "{jql}");
        assert_eq!((term.field, term.operator), (FieldName::Named("a".to_owned()), Operator::Equals));
    }
    assert_eq!(PredicateKind::During.text(), "during");
}

const OPERATORS: &str =
    "The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and 'IS NOT'.";
const ESCAPES: &str = r#"The valid escape sequences are \', \", \t, \n, \r, \\, '\ ' and \uXXXX."#;

#[test]
fn sentences_are_those_of_jira() {
    let quotes = |it: &str, end: &str| {
        format!("but got '{it}'. You must surround '{it}' in quotation marks to use it {end}")
    };
    let range = "is not a valid number. Numbers must be between -9,223,372,036,854,775,808 and 9,223,372,036,854,775,807.";
    let operand = "Expecting either a value, list or function";
    let id = "Expecting a custom field id (a positive number)";
    let table: &[(&str, String)] = &[
        ("comment ~ 'test", "The quoted string 'test' has not been completed. (line 1, character 11)".into()),
        ("comment ~ 'test\n", "The quoted string 'test ' has not been completed. (line 1, character 11)".into()),
        ("priority=\"test\nword", "The quoted string 'test word' has not been completed. (line 1, character 10)".into()),
        ("comment ~ '", "The quoted string has not been completed. (line 1, character 11)".into()),
        ("priority = \"\"\"", "The quoted string has not been completed. (line 1, character 14)".into()),
        ("what = a'b", "The quoted string 'b' has not been completed. (line 1, character 9)".into()),
        ("comme\\unt ~ 'test", format!("'\\un' is an illegal JQL escape sequence. {ESCAPES} (line 1, character 6)")),
        ("status =\n\n \\c", format!("'\\c' is an illegal JQL escape sequence. {ESCAPES} (line 3, character 2)")),
        ("status =\n\\", format!("The escape sequence has not been completed. {ESCAPES} (line 2, character 1)")),
        ("status =\\u", format!("'\\u' is an illegal JQL escape sequence. {ESCAPES} (line 1, character 9)")),
        ("status ='\\u'", format!("'\\u'' is an illegal JQL escape sequence. {ESCAPES} (line 1, character 10)")),
        ("test = case\\u27", format!("'\\u27' is an illegal JQL escape sequence. {ESCAPES} (line 1, character 12)")),
        ("mine{www = qwwr", "The character '{' is a reserved JQL character. You must enclose it in a string or use the escape '\\u007b' instead. (line 1, character 5)".into()),
        ("aa@b", "The character '@' is a reserved JQL character. You must enclose it in a string or use the escape '\\u0040' instead. (line 1, character 3)".into()),
        ("minewww = qwwr}", "The character '}' is a reserved JQL character. You must enclose it in a string or use the escape '\\u007d' instead. (line 1, character 15)".into()),
        ("minewww =\u{7f}qwwr", "The character 'U+007F' on line 1 at position 10 must be escaped. Use the escape '\\u007f' instead. (line 1, character 10)".into()),
        ("a = 'b\tc'", "The character 'TAB' on line 1 at position 7 must be escaped. Use the escape '\\u0009' instead. (line 1, character 7)".into()),
        ("aaaaa=-3482094382084092840932809482", format!("'-3482094382084092840932809482' {range} (line 1, character 7)")),
        ("cf[1002020202002020202020202020020202822]=a", format!("'1002020202002020202020202020020202822' {range} (line 1, character 4)")),
        ("a =b order", "Expecting 'by' before the end of the query.".into()),
        ("a =b order summary", "Expecting 'by' but got 'summary'. (line 1, character 12)".into()),
        ("a =b order by", "Expecting a field name at the end of the query.".into()),
        ("a =b order by asc", format!("Expecting a field name {} (line 1, character 15)", quotes("asc", "as a field name."))),
        ("a =b order by ajsks blah", "Expecting either 'ASC' or 'DESC' but got 'blah'. (line 1, character 21)".into()),
        ("order by a desc d", "Expecting ',' but got 'd'. (line 1, character 17)".into()),
        ("a =b order by \"\" desc", "A field name cannot be empty. (line 1, character 15)".into()),
        ("'' = c", "A field name cannot be empty. (line 1, character 1)".into()),
        ("a = ''()", "A function name cannot be empty. (line 1, character 5)".into()),
        ("a", format!("Expecting operator before the end of the query. {OPERATORS}")),
        ("a blah >", format!("Expecting operator but got 'blah'. {OPERATORS} (line 1, character 3)")),
        ("project x", format!("Expecting operator but got 'x'. {OPERATORS} (line 1, character 9)")),
        ("a =a and j not is empty", "Expecting 'IN' but got 'is'. (line 1, character 16)".into()),
        ("a =a and j is ! empty", "Expecting 'NOT' but got '!'. (line 1, character 15)".into()),
        ("cf", "Expecting '[' before the end of the query.".into()),
        ("a = b and not (cf = 6)", "Expecting '[' but got '='. (line 1, character 19)".into()),
        ("cf[", format!("{id} before the end of the query.")),
        ("cf[ = 9", format!("{id} but got '='. (line 1, character 5)")),
        ("cf[29829k] = ", format!("{id} but got '29829k'. (line 1, character 4)")),
        ("cf[-29829] = ", format!("{id} but got '-29829'. (line 1, character 4)")),
        ("cf[29829 = world", "Expecting ']' but got '='. (line 1, character 10)".into()),
        ("cf[29829", "Expecting ']' before the end of the query.".into()),
        ("a = func(", "Expecting ')' before the end of the query.".into()),
        ("a = func(, and not (a = x)", "Expecting ')' but got ','. (line 1, character 10)".into()),
        ("b=func(bad", "Expecting ')' before the end of the query.".into()),
        ("bas=func(bad,)", "Function argument must be specified. (line 1, character 14)".into()),
        ("bas=func(bad,", "Expecting a function argument at the end of the query.".into()),
        ("k = func(!", format!("Expecting a function argument {} (line 1, character 10)", quotes("!", "as an argument."))),
        ("k = func(abc, jk!)", "Expecting ')' or ',' but got '!'. (line 1, character 17)".into()),
        ("(a=b and c = d", "Expecting ')' before the end of the query.".into()),
        ("a=b or (c=d and not l ~ kate", "Expecting ')' before the end of the query.".into()),
        ("b in ((12, (288)", "Expecting ')' before the end of the query.".into()),
        ("abc IN ((foo) abc = a", "Expecting ')' but got 'abc'. (line 1, character 15)".into()),
        ("a=b c=d", "Expecting either 'OR' or 'AND' but got 'c'. (line 1, character 5)".into()),
        ("a=b !c=d", "Expecting either 'OR' or 'AND' but got '!'. (line 1, character 5)".into()),
        ("abc in (foo))", "Expecting either 'OR' or 'AND' but got ')'. (line 1, character 13)".into()),
        ("a = ((c,d), d) and", "Expecting a field name at the end of the query.".into()),
        (", a = b", format!("Expecting a field name {} (line 1, character 1)", quotes(",", "as a field name."))),
        ("and and", format!("Expecting a field name {} (line 1, character 1)", quotes("and", "as a field name."))),
        ("[brenden] = a", "Expecting a field name but got '['. Did you mean 'cf['? (line 1, character 1)".into()),
        ("a not was \"Open\"", "Expecting 'IN' but got 'was'. (line 1, character 7)".into()),
        ("status = \"Open\" by admin", "The EQUALS operator does not support the use of the by \"admin\" predicate.".into()),
        ("status was a from b", "The WAS operator does not support the use of the from \"b\" predicate.".into()),
        ("fixVersion changed 4 by x", "The CHANGED operator does not support the use of values without predicates. You must prefix the 4 value with a suitable predicate.".into()),
        ("pri notin (x)", "'notin' is a reserved JQL word. You must surround it in quotation marks to use it in a query. (line 1, character 5)".into()),
        ("project = DO", "'DO' is a reserved JQL word. You must surround it in quotation marks to use it in a query. (line 1, character 11)".into()),
    ];
    for (jql, sentence) in table {
        let found = parse(jql).map_err(|error| error.message);
        assert_eq!(found, Err(format!("Error in the JQL Query: {sentence}")), "{jql}");
    }
    // Those about operands begin otherwise.
    for (jql, sentence) in [
        ("a=", format!("{operand} before the end of the query.")),
        ("a=!", format!("{operand} {} (line 1, character 3)", quotes("!", "as a value."))),
        ("a=(a,", format!("{operand} before the end of the query.")),
        ("a=(a,(,bad))", format!("{operand} {} (line 1, character 7)", quotes(",", "as a value."))),
        ("project = OR", format!("{operand} {} (line 1, character 11)", quotes("OR", "as a value."))),
        ("issue in ()", format!("{operand} {} (line 1, character 11)", quotes(")", "as a value."))),
        ("a was", format!("{operand} before the end of the query.")),
        ("status was by x", format!("{operand} {} (line 1, character 12)", quotes("by", "as a value."))),
    ] {
        let found = parse(jql).map_err(|error| error.message);
        assert_eq!(found, Err(format!("Error in JQL Query: {sentence}")), "{jql}");
    }
}

#[test]
fn reserved_words_stand_in_quotes_only() {
    for word in ["order", "abort", "Date", "user", "WITH", "character", "isempty", "group"] {
        assert!(parse(&format!("a = {word}")).is_err(), "{word}");
        reads(&format!("a = '{word}'"), &format!("a = \"{word}\""));
    }
    for word in ["issue", "begins", "dated", "duration", "statuses"] {
        reads(&format!("a = {word}"), &format!("a = \"{word}\""));
    }
    // An escape does not make another word of it.
    assert!(parse("a = \\u0064ate").is_err());
}

#[test]
fn what_is_quoted_is_read_as_it_was() {
    for text in [
        "",
        "a b",
        "it's",
        "say \"hi\"",
        "back\\slash",
        "tab\tline\nend\r",
        "\0\u{1f}\u{7f}\u{9f}",
        "\u{fdd0}\u{ffff}",
        "ü😀",
        "order",
    ] {
        let jql = format!("a = {}", quote(text));
        let Ok(Query { clause: Some(Clause::Term(term)), .. }) = parse(&jql) else { panic!("{jql}") };
        assert_eq!(term.operand, Some(Operand::Text(text.to_owned())), "{jql}");
    }
}
