//! Parses and evaluates arithmetic: numbers, `+ - * / % ^`, signs and parentheses. The depth of an expression
//! is limited.

use std::{iter::Peekable, str::Chars};

/// Returns the value of `text`, such as 14 for `2 + 3 * 4`, or a sentence that says what is wrong with it.
pub(crate) fn evaluate(text: &str) -> Result<f64, String> {
    if text.trim().is_empty() {
        return Err("expression is required".into());
    }
    if text.contains(|c: char| !(c.is_ascii_digit() || c.is_whitespace() || "+-*/%^().".contains(c))) {
        return Err("expression contains invalid characters".into());
    }
    let mut parser = Parser { chars: text.chars().peekable(), depth: 0 };
    let value = parser.sum()?;
    match parser.peek() {
        Some(c) => Err(format!("expected an operator, but found `{c}`")),
        None if value.is_finite() => Ok(value),
        None => Err("expected a finite result, but found one too large or undefined".into()),
    }
}

struct Parser<'t> {
    chars: Peekable<Chars<'t>>,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.take("+-") {
            let right = self.product()?;
            value += if sign == '+' { right } else { -right };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.power()?;
        while let Some(operator) = self.take("*/%") {
            match (operator, self.power()?) {
                ('*', right) => value *= right,
                (_, 0.0) => return Err("division by zero".into()),
                ('/', right) => value /= right,
                (_, right) => value %= right,
            }
        }
        Ok(value)
    }

    /// Parses a power. `^` is right-associative and binds tighter than a sign: `-2^2` is -4.
    fn power(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("expected at most 100 levels of nesting".into());
        }
        let value = match self.take("+-(") {
            Some('+') => self.power()?,
            Some('-') => -self.power()?,
            parenthesis => {
                let base = if parenthesis.is_some() { self.inside()? } else { self.number()? };
                if self.take("^").is_some() { base.powf(self.power()?) } else { base }
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn inside(&mut self) -> Result<f64, String> {
        let value = self.sum()?;
        self.take(")").map(|_| value).ok_or_else(|| "expected `)`".into())
    }

    fn number(&mut self) -> Result<f64, String> {
        let mut text: String = self.peek().map_or("the end", |_| "").into();
        while let Some(c) = self.chars.next_if(|c| c.is_ascii_digit() || *c == '.') {
            text.push(c);
        }
        if text.is_empty() {
            text.extend(self.chars.peek());
        }
        text.parse().map_err(|_| format!("expected a number, but found `{text}`"))
    }

    fn take(&mut self, wanted: &str) -> Option<char> {
        self.peek().filter(|c| wanted.contains(*c)).and_then(|_| self.chars.next())
    }

    fn peek(&mut self) -> Option<char> {
        while self.chars.next_if(|c| c.is_whitespace()).is_some() {}
        self.chars.peek().copied()
    }
}
