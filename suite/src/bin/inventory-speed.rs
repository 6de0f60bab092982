//! The speed and the memory of the inventory, beside a loop of bare SQLite and the reference server, in one run:
//! `cargo build --release && cargo run --release -p plainwire-suite --bin inventory-speed target/release/plainwire`.
//!
//! In: the path of the command. Out: a table on stdout. The inventories are files of 10,000 and of 1,000,000 movements; servers
//! are processes on pipes. The floor of a change is a loop that runs the statements of a delivery with the same `synchronous`; the
//! library makes the same change in this process, with its checks, its record and its answer as JSON; a call adds the protocol and
//! two processes.

#![allow(clippy::print_stdout, reason = "the table is for people")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use plainwire_inventory::import::{What, run};
use plainwire_inventory::orders::sales;
use plainwire_inventory::sample;
use plainwire_inventory::store::{Clock, Store, backup};
use plainwire_suite::program::call;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// The number of calls of which the median is shown, and of starts.
const CALLS: usize = 101;
const STARTS: usize = 11;

/// The number of deliveries whose rate is shown.
const DELIVERIES: usize = 400;

/// The number of calls that are under way at once, as from many agents.
const AGENTS: usize = 64;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"speed","version":"1"}}}"#;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn start(command: &str, path: &Path) -> Outcome<Self> {
        let words = ["serve", "inventory", "--today", "2026-06-30", "--data"];
        let mut command = Command::new(command);
        command.args(words).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let mut server = Self { child, stdin, stdout: BufReader::new(stdout) };
        server.send(INITIALIZE)?;
        server.hear()?;
        Ok(server)
    }

    fn send(&mut self, line: &str) -> Outcome<()> {
        Ok(writeln!(self.stdin, "{line}")?)
    }

    fn hear(&mut self) -> Outcome<String> {
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        Ok(answer)
    }

    /// Makes calls, one after the other, and returns the time of each.
    fn one_by_one(&mut self, lines: &[String]) -> Outcome<Vec<Duration>> {
        lines.iter().map(|line| self.calls(std::slice::from_ref(line), 1)).collect()
    }

    /// Makes calls, so many of them at once, and returns how long each took on average.
    fn calls(&mut self, lines: &[String], at_once: usize) -> Outcome<Duration> {
        let began = Instant::now();
        let mut sent = 0;
        for heard in 0..lines.len() {
            while sent < lines.len() && sent < heard + at_once {
                self.send(&lines[sent])?;
                sent += 1;
            }
            let answer = self.hear()?;
            assert!(!answer.contains("\"isError\":true") && !answer.contains("BLOCK:"), "{answer}");
        }
        Ok(began.elapsed() / u32::try_from(lines.len())?)
    }

    /// Returns the median time of a call.
    fn time(&mut self, tool: &str, arguments: &Value) -> Outcome<Duration> {
        let line = call(2, tool, arguments.clone());
        Ok(median(self.one_by_one(&vec![line; CALLS])?))
    }

    /// Returns the largest resident memory so far, in MiB.
    fn resident(&self) -> Outcome<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:")).unwrap_or_default();
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Adds movements until there are so many: stock that is imported.
fn grow(store: &Store, to: usize) -> Outcome<()> {
    let count = |store: &Store| {
        store.read(|db| Ok(db.query_row("SELECT count(*) FROM movement", [], |row| row.get::<_, i64>(0))?))
    };
    loop {
        let missing = to.saturating_sub(usize::try_from(count(store).map_err(|it| it.text())?)?).min(100_000);
        if missing == 0 {
            return Ok(());
        }
        let rows = (0..missing).map(|n| format!("MAT-{:03},{}", n % 70 + 1, n % 7 + 1));
        let text = format!("sku,quantity\n{}\n", rows.collect::<Vec<_>>().join("\n"));
        run(store, What::Stock, text.as_bytes(), true)
            .map_err(|it| it.text())?
            .map_err(|it| format!("{it:?}"))?;
    }
}

/// Makes sales orders of one row, and returns their ids.
fn orders(server: &mut Server, path: &Path, count: usize) -> Outcome<Vec<i64>> {
    let db = Connection::open(path)?;
    let customer: i64 = db.query_row("SELECT min(id) FROM customer", [], |row| row.get(0))?;
    let rows = json!([{ "sku_or_variant_id": "MAT-005", "quantity": 1 }]);
    let order = json!({ "customer_id": customer, "rows": rows, "preview": false });
    let lines: Vec<_> = (0..count).map(|n| call(n as u64 + 2, "create_sales_order", order.clone())).collect();
    server.calls(&lines, AGENTS)?;
    let mut ids = db.prepare("SELECT id FROM orders ORDER BY id DESC LIMIT ?1")?;
    Ok(ids.query_map([count as i64], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn deliveries(ids: &[i64]) -> Vec<String> {
    let delivery = |id: &i64| json!({ "order_id": id, "order_type": "sales", "preview": false });
    ids.iter().enumerate().map(|(n, id)| call(n as u64 + 2, "fulfill_order", delivery(id))).collect()
}

/// Delivers orders by the library, in a loop, and returns the time of each.
fn by_library(path: &Path, clock: Clock, ids: &[i64]) -> Outcome<Vec<Duration>> {
    let store = Store::open(path, clock)?;
    let mut times = Vec::new();
    for &id in ids {
        let began = Instant::now();
        let done = store.change_now(true, move |work| sales::deliver(work, id, &[], None, false));
        let change = done.map_err(|it| it.text())?.change;
        let answer = serde_json::to_string(&change)?;
        times.push(began.elapsed());
        assert!(answer.contains("\"DELIVERED\"") && !change.is_preview, "{answer}");
    }
    Ok(times)
}

/// Runs the statements of a delivery, in a loop, and returns the time of each: those that read the order for the answer, before and
/// after, and those that change it.
fn bare(path: &Path, ids: &[i64]) -> Outcome<Vec<Duration>> {
    let mut db = Connection::open(path)?;
    db.pragma_update(None, "synchronous", "full")?;
    db.set_prepared_statement_cache_capacity(64);
    db.create_scalar_function(
        "product",
        2,
        rusqlite::functions::FunctionFlags::SQLITE_DETERMINISTIC,
        |it| Ok(it.get::<i64>(0)? / 1_000_000 * it.get::<i64>(1)?),
    )?;
    let mut times = Vec::new();
    for id in ids {
        let began = Instant::now();
        let work = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let (location, created): (i64, String) = work
            .prepare_cached(
                "SELECT location_id, created_at FROM orders WHERE id = ?1 AND status = 'NOT_SHIPPED'",
            )?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        read_order(&work, *id)?;
        let (line, variant, quantity): (i64, i64, i64) = work
            .prepare_cached("SELECT id, variant_id, quantity - done FROM line WHERE order_id = ?1")?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let (stock, average): (i64, i64) = work
            .prepare_cached(
                "SELECT in_stock, average_cost FROM stock WHERE variant_id = ?1 AND location_id = ?2",
            )?
            .query_row([variant, location], |row| Ok((row.get(0)?, row.get(1)?)))?;
        work.prepare_cached(
            "INSERT INTO movement (variant_id, location_id, at, cause, order_id, line_id, quantity, value_per_unit,
                 balance_after, average_cost_after) VALUES (?1, ?2, ?3, 'sale', ?4, ?5, ?6, ?7, ?8, ?7)",
        )?
        .execute(params![variant, location, created, id, line, -quantity, average, stock - quantity])?;
        work.prepare_cached("UPDATE stock SET in_stock = ?3 WHERE variant_id = ?1 AND location_id = ?2")?
            .execute([variant, location, stock - quantity])?;
        work.prepare_cached("UPDATE line SET done = quantity WHERE id = ?1")?.execute([line])?;
        work.prepare_cached("UPDATE line SET cost = ?2 WHERE id = ?1")?.execute([line, average])?;
        work.prepare_cached("UPDATE orders SET status = 'DELIVERED', done_at = ?2 WHERE id = ?1")?
            .execute(params![id, created])?;
        work.prepare_cached("DELETE FROM promise WHERE order_id = ?1")?.execute([id])?;
        work.prepare_cached("INSERT INTO promise SELECT * FROM open_promise WHERE order_id = ?1")?
            .execute([id])?;
        read_order(&work, *id)?;
        work.commit()?;
        times.push(began.elapsed());
    }
    Ok(times)
}

/// Reads an order with its rows, as the answer of a change has it.
fn read_order(db: &Connection, id: i64) -> Outcome<()> {
    let location: i64 = db
        .prepare_cached(
            "SELECT o.location_id, o.number, l.name, c.name FROM orders o JOIN location l ON l.id = o.location_id
             LEFT JOIN customer c ON c.id = o.customer_id WHERE o.id = ?1",
        )?
        .query_row([id], |row| row.get(0))?;
    let mut rows =
        db.prepare_cached("SELECT id, variant_id, quantity, done, price FROM line WHERE order_id = ?1")?;
    let mut rows = rows.query([id])?;
    while let Some(row) = rows.next()? {
        let (line, variant): (i64, i64) = (row.get(0)?, row.get(1)?);
        let name: String = db
            .prepare_cached("SELECT sku || name FROM variant WHERE id = ?1")?
            .query_row([variant], |row| row.get(0))?;
        let linked = db.prepare_cached("SELECT id FROM orders WHERE sales_line_id = ?1")?.exists([line])?;
        let levels = "SELECT in_stock, committed FROM stock WHERE variant_id = ?1 AND location_id = ?2";
        let is_known = db.prepare_cached(levels)?.exists([variant, location])?;
        std::hint::black_box((name, linked, is_known));
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn started(command: &str, path: &Path) -> Outcome<Duration> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let server = Server::start(command, path)?;
        times.push(began.elapsed());
        drop(server);
    }
    Ok(median(times))
}

fn main() -> Outcome<()> {
    let command = std::env::args().nth(1).unwrap_or_else(|| "target/release/plainwire".to_owned());
    let folder = tempfile::tempdir_in(".")?;
    let clock = Clock { today: "2026-06-30".parse().ok() };
    let small: PathBuf = folder.path().join("small.db");
    let store = Store::open(&small, clock)?;
    let began = Instant::now();
    sample::fill(&store).map_err(|it| it.text())?;
    println!("sample data made in {:.2?}", began.elapsed());
    grow(&store, 10_000)?;
    drop(store);
    let large = folder.path().join("large.db");
    backup::backup(&small, &large)?;
    let store = Store::open(&large, clock)?;
    let began = Instant::now();
    grow(&store, 1_000_000)?;
    println!("grown to 1,000,000 movements in {:.2?}", began.elapsed());
    drop(store);
    let skus: Vec<_> = (0..100).map(|n| format!("MAT-{:03}", n % 70 + 1)).collect();
    println!("| | 10,000 movements | 1,000,000 movements |\n|---|---|---|");
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for path in [&small, &large] {
        let mut cells =
            vec![("start, with the first answer".to_owned(), format!("{:.2?}", started(&command, path)?))];
        let mut server = Server::start(&command, path)?;
        for (tool, of, arguments) in [
            ("check_inventory", " of 100 SKUs", json!({ "skus_or_variant_ids": skus })),
            ("search_items", "", json!({ "query": "oak bo" })),
            ("search_items", ", by similarity", json!({ "query": "oka bord" })),
            ("list_low_stock_items", "", json!({})),
            ("get_inventory_movements", "", json!({ "sku_or_variant_id": "MAT-001" })),
            ("inventory_at", "", json!({ "skus_or_variant_ids": ["MAT-001"], "as_of": "2026-01-01" })),
            (
                "sales_summary",
                "",
                json!({ "start_date": "2025-01-01", "end_date": "2026-06-30", "group_by": "week" }),
            ),
        ] {
            let time = server.time(tool, &arguments)?;
            cells.push((format!("`{tool}`{of}"), format!("{time:.2?}")));
        }
        let ids = orders(&mut server, path, DELIVERIES * 4)?;
        // In turns, so that a slow moment of the disk meets all.
        let (mut one, mut library, mut floor) = (Vec::new(), Vec::new(), Vec::new());
        for part in ids[..DELIVERIES * 3].chunks(60) {
            let third = part.len() / 3;
            one.extend(server.one_by_one(&deliveries(&part[..third]))?);
            library.extend(by_library(path, clock, &part[third..third * 2])?);
            floor.extend(bare(path, &part[third * 2..])?);
        }
        let (one, library, floor) = (median(one), median(library), median(floor));
        let many = server.calls(&deliveries(&ids[DELIVERIES * 3..]), AGENTS)?;
        let ratio = |a: Duration, b: Duration| format!("{:.2}", a.as_secs_f64() / b.as_secs_f64());
        cells.push(("a delivery, the same statements, bare".to_owned(), format!("{floor:.2?}")));
        cells.push(("a delivery by the library".to_owned(), format!("{library:.2?}")));
        cells.push(("rate, of the bare loop's".to_owned(), ratio(floor, library)));
        cells.push(("a delivery by a call over stdio, one after the other".to_owned(), format!("{one:.2?}")));
        cells.push(("rate, of the bare loop's".to_owned(), ratio(floor, one)));
        cells.push((format!("rate of {AGENTS} at once, of one's"), ratio(one, many)));
        cells.push(("resident memory".to_owned(), format!("{:.1} MiB", server.resident()?)));
        for (at, (name, cell)) in cells.into_iter().enumerate() {
            match rows.get_mut(at) {
                Some(row) => row.1.push(cell),
                None => rows.push((name, vec![cell])),
            }
        }
    }
    for (name, cells) in rows {
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}
