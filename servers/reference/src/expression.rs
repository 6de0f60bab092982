//! Arithmetic without `eval`: numbers, `+ - * / % ^`, signs and parentheses.
//!
//! In: text. Out: a number, or a sentence. Recursion is bounded, so that no text can exhaust the stack.

use std::iter::Peekable;
use std::str::Chars;

const MAX_DEPTH: usize = 100;

/// Returns the value of `text`, such as 14 for `2 + 3 * 4`.
pub(crate) fn evaluate(text: &str) -> Result<f64, String> {
    if text.trim().is_empty() {
        return Err("expression is required".into());
    }
    if text.contains(|c: char| !(c.is_ascii_digit() || c.is_whitespace() || "+-*/%^().".contains(c))) {
        return Err("expression contains invalid characters".into());
    }
    let mut parser = Parser { chars: text.chars().peekable(), depth: 0 };
    let value = parser.sum()?;
    match parser.next() {
        None if value.is_finite() => Ok(value),
        None => Err("the result is not a finite number".into()),
        Some(c) => Err(format!("expected an operator, but found `{c}`")),
    }
}

struct Parser<'t> {
    chars: Peekable<Chars<'t>>,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let right = self.product()?;
            value = if operator == '+' { value + right } else { value - right };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.power()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            let right = self.power()?;
            match operator {
                '*' => value *= right,
                _ if right == 0.0 => return Err("division by zero".into()),
                '/' => value /= right,
                _ => value %= right,
            }
        }
        Ok(value)
    }

    /// `^` binds to the right and before a sign: `-2^2` is -4.
    fn power(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("expected at most {MAX_DEPTH} levels of nesting"));
        }
        let value = match self.take(&['+', '-', '(']) {
            Some('+') => self.power()?,
            Some('-') => -self.power()?,
            Some(_) => {
                let inner = self.sum()?;
                self.take(&[')']).ok_or("expected `)`")?;
                self.raised(inner)?
            }
            None => {
                let number = self.number()?;
                self.raised(number)?
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn raised(&mut self, base: f64) -> Result<f64, String> {
        if self.take(&['^']).is_some() { Ok(base.powf(self.power()?)) } else { Ok(base) }
    }

    fn number(&mut self) -> Result<f64, String> {
        let mut text = String::new();
        while let Some(c) = self.chars.next_if(|c| c.is_ascii_digit() || *c == '.') {
            text.push(c);
        }
        match text.parse() {
            Ok(number) => Ok(number),
            Err(_) => Err(match self.next() {
                Some(c) if text.is_empty() => format!("expected a number, but found `{c}`"),
                None if text.is_empty() => "expected a number, but found the end".into(),
                _ => format!("expected a number, but found `{text}`"),
            }),
        }
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
        self.chars.next_if(|c| wanted.contains(c))
    }

    fn next(&mut self) -> Option<char> {
        self.chars.find(|c| !c.is_whitespace())
    }
}
