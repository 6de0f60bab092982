//! A CSV file as rows with named columns.

use std::str::FromStr;

use csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};

use super::Mistake;
use crate::amount::Amount;
use crate::fault::Fault;

/// The largest file, in bytes.
pub const MAX_BYTES: usize = 16 << 20;

/// The largest number of rows.
pub const MAX_ROWS: usize = 100_000;

/// The largest number of mistakes that are told.
const MAX_MISTAKES: usize = 100;

/// The largest number of characters of a cell.
const MAX_CELL: usize = 500;

/// A file that was read.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Each row with the number of its line.
    pub(super) rows: Vec<(u64, Vec<String>)>,
    pub(super) mistakes: Vec<Mistake>,
    columns: Vec<&'static str>,
}

impl Table {
    pub(super) fn mistake(&mut self, line: u64, column: Option<&str>, why: impl Into<String>) {
        if self.mistakes.len() < MAX_MISTAKES {
            self.mistakes.push(Mistake { line, column: column.map(str::to_owned), why: why.into() });
        }
    }

    /// Returns the text of a cell; `None` if it is empty.
    pub(super) fn text(&self, row: usize, column: &str) -> Option<&str> {
        let at = self.columns.iter().position(|it| *it == column)?;
        self.rows[row].1.get(at).map(String::as_str).filter(|it| !it.is_empty())
    }

    /// Returns the value of a cell; `None` if it is empty, or no such value, which is a mistake.
    pub(super) fn value<T: FromStr>(&mut self, row: usize, column: &str) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.text(row, column)?.to_owned();
        match text.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.mistake(self.rows[row].0, Some(column), error.to_string());
                None
            }
        }
    }

    /// Returns an amount that is not below zero.
    pub(super) fn amount(&mut self, row: usize, column: &str) -> Option<Amount> {
        let amount: Amount = self.value(row, column)?;
        if amount.is_negative() {
            let why = format!("expected at least 0, but found {amount}");
            self.mistake(self.rows[row].0, Some(column), why);
            return None;
        }
        Some(amount)
    }
}

/// Reads a file: the first line names the columns, in any order; the separator is a comma, a semicolon or a tab.
pub(super) fn read(
    bytes: &[u8],
    expected: &'static [(&'static str, bool)],
) -> Result<Result<Table, Vec<Mistake>>, Fault> {
    if bytes.len() > MAX_BYTES {
        let found = bytes.len();
        return Err(Fault::input(format!("expected a file of at most {MAX_BYTES} bytes, but found {found}")));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|it| **it == b'\n').count() as u64 + 1;
            let why = "expected UTF-8: save the file as `CSV UTF-8`".to_owned();
            return Ok(Err(vec![Mistake { line, column: None, why }]));
        }
    };
    let first = text.lines().next().unwrap_or_default();
    let separator =
        [b';', b'\t'].into_iter().find(|it| first.as_bytes().contains(it) && !first.contains(','));
    let mut reader = ReaderBuilder::new()
        .delimiter(separator.unwrap_or(b','))
        .trim(Trim::All)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut table = Table { columns: expected.iter().map(|it| it.0).collect(), ..Table::default() };
    let places = places(&mut reader, expected, &mut table);
    if !table.mistakes.is_empty() {
        return Ok(Err(table.mistakes));
    }
    let mut record = StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {}
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                table.mistake(line, None, error.to_string());
                break;
            }
        }
        let line = record.position().map_or(0, csv::Position::line);
        if table.rows.len() >= MAX_ROWS {
            table.mistake(line, None, format!("expected at most {MAX_ROWS} rows"));
            break;
        }
        row(&mut table, &record, line, &places, expected);
    }
    if table.rows.is_empty() && table.mistakes.is_empty() {
        table.mistake(1, None, "expected rows, but found none");
    }
    Ok(Ok(table))
}

/// Returns where each column of the file belongs.
fn places(
    reader: &mut csv::Reader<&[u8]>,
    expected: &[(&'static str, bool)],
    table: &mut Table,
) -> Vec<Option<usize>> {
    let header = reader.headers().cloned().unwrap_or_default();
    let mut places = Vec::new();
    for name in &header {
        let name = name.to_lowercase().replace([' ', '-'], "_");
        let place = expected.iter().position(|it| it.0 == name);
        if place.is_none() {
            let known = expected.iter().map(|it| it.0).collect::<Vec<_>>().join(", ");
            let shown: String = name.chars().take(40).collect();
            table.mistake(1, None, format!("expected the columns {known}, but found {shown:?}"));
        } else if places.contains(&place) {
            table.mistake(1, Some(&name), "this column is there twice");
        }
        places.push(place);
    }
    for (at, (name, is_needed)) in expected.iter().enumerate() {
        if *is_needed && !places.contains(&Some(at)) {
            table.mistake(1, Some(name), "expected this column, but it is missing");
        }
    }
    places
}

fn row(
    table: &mut Table,
    record: &StringRecord,
    line: u64,
    places: &[Option<usize>],
    expected: &'static [(&'static str, bool)],
) {
    if record.iter().all(str::is_empty) {
        return;
    }
    if record.len() > places.len() {
        let (expected, found) = (places.len(), record.len());
        table.mistake(line, None, format!("expected {expected} cells, but found {found}"));
    }
    let mut cells = vec![String::new(); expected.len()];
    for (place, cell) in places.iter().zip(record) {
        let Some(place) = *place else { continue };
        let name = expected[place].0;
        if cell.chars().count() > MAX_CELL {
            table.mistake(line, Some(name), format!("expected at most {MAX_CELL} characters"));
        } else if cell.chars().any(char::is_control) {
            table.mistake(line, Some(name), "expected one line of text");
        }
        cell.clone_into(&mut cells[place]);
    }
    let missing = expected.iter().zip(&cells).filter(|((_, is_needed), cell)| *is_needed && cell.is_empty());
    let missing: Vec<_> = missing.map(|((name, _), _)| *name).collect();
    for name in &missing {
        table.mistake(line, Some(name), "expected a value, but found none");
    }
    if missing.is_empty() {
        table.rows.push((line, cells));
    }
}

/// Writes rows, with the names of the columns in the first line.
pub(super) fn write(columns: &[(&str, bool)], rows: &[Vec<String>]) -> Vec<u8> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    // Writing into memory does not fail.
    let _ = writer.write_record(columns.iter().map(|it| it.0));
    for row in rows {
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}
