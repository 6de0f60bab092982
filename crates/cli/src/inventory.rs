//! `plainwire inventory`: a file of the inventory, without a server.
//!
//! In: the command line and CSV files. Out: what was imported, exported, copied or found.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use plainwire_inventory::fault::Fault;
use plainwire_inventory::import::{self, MAX_BYTES, What};
use plainwire_inventory::ledger::check::check;
use plainwire_inventory::store::{Clock, Store, backup};

use crate::exit::{Exit, Failure};
use crate::serve::inventory::own_file;
use crate::{output, visible};

#[derive(Debug, Args)]
pub(crate) struct InventoryCommand {
    /// The inventory; by default that of the user.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    data: Option<PathBuf>,
    #[command(subcommand)]
    command: InventoryDo,
}

#[derive(Debug, Subcommand)]
enum InventoryDo {
    /// Prove that all rules hold in the inventory, or print what does not.
    Check,
    /// Copy the inventory into a new file, while servers use it.
    Backup {
        /// The new file.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Add what a CSV file has: all of it, or nothing.
    Import {
        what: WhatName,
        /// The CSV file.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Only print what would be added, or each mistake.
        #[arg(long)]
        dry_run: bool,
    },
    /// Print what the inventory has as CSV.
    Export { what: WhatName },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WhatName {
    Items,
    Customers,
    Stock,
}

impl WhatName {
    fn what(self) -> What {
        match self {
            Self::Items => What::Items,
            Self::Customers => What::Customers,
            Self::Stock => What::Stock,
        }
    }
}

/// Runs `plainwire inventory`.
pub(crate) fn run(it: InventoryCommand) -> Result<Exit, Failure> {
    let data = it.data.map_or_else(own_file, Ok)?;
    match it.command {
        InventoryDo::Check => run_check(&data),
        InventoryDo::Backup { file } => {
            backup::backup(&data, &file).map_err(|error| failed(&data, &error.to_string()))?;
            output::to_stdout(&format!("copied to {}\n", visible::line(&file.display().to_string())))?;
            Ok(Exit::Done)
        }
        InventoryDo::Import { what, file, dry_run } => {
            let bytes = read(&file)?;
            run_import(&open(&data)?, &data, what.what(), &bytes, dry_run)
        }
        InventoryDo::Export { what } => {
            let csv = import::export(&existing(&data)?, what.what());
            let csv = csv.map_err(|fault| failed(&data, &fault.text()))?;
            output::to_stdout(&String::from_utf8_lossy(&csv))?;
            Ok(Exit::Done)
        }
    }
}

fn failed(data: &Path, why: &str) -> Failure {
    Failure::usage(format!("the inventory {}: {why}", data.display()))
}

fn open(data: &Path) -> Result<Store, Failure> {
    Store::open(data, Clock::default()).map_err(|error| failed(data, &error.to_string()))
}

/// Opens an inventory that must exist.
fn existing(data: &Path) -> Result<Store, Failure> {
    match data.exists() {
        true => open(data),
        false => Err(failed(data, "there is no such file")),
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    use std::io::Read as _;
    let failed = |error: std::io::Error| Failure::usage(format!("{}: {error}", file.display()));
    let opened = std::fs::File::open(file).map_err(failed)?;
    let mut bytes = Vec::new();
    // One byte more than allowed says that there are too many.
    opened.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn run_check(data: &Path) -> Result<Exit, Failure> {
    let found = existing(data)?.read(|db| {
        let movements: i64 = db.query_row("SELECT count(*) FROM movement", [], |row| row.get(0))?;
        Ok((movements, check(db)?))
    });
    let (movements, findings) = found.map_err(|fault: Fault| failed(data, &fault.text()))?;
    if findings.is_empty() {
        output::to_stdout(&format!("{movements} movements, all rules hold\n"))?;
        return Ok(Exit::Done);
    }
    let lines: String = findings.iter().map(|it| visible::line(it) + "\n").collect();
    output::to_stdout(&lines)?;
    Ok(Exit::CheckFailed)
}

fn run_import(store: &Store, data: &Path, what: What, bytes: &[u8], is_dry: bool) -> Result<Exit, Failure> {
    let report = import::run(store, what, bytes, !is_dry).map_err(|fault| match fault {
        Fault::Input(why) => Failure::usage(why),
        fault => failed(data, &fault.text()),
    })?;
    match report {
        Ok(imported) => {
            let made: String =
                imported.made.iter().map(|it| format!("makes {}\n", visible::line(it))).collect();
            let done = if is_dry { "would be added" } else { "added" };
            let rows = if imported.rows == 1 { "row" } else { "rows" };
            output::to_stdout(&format!("{made}{} {rows} of {} {done}\n", imported.rows, what.name()))?;
            Ok(Exit::Done)
        }
        Err(mistakes) => {
            let lines: String = mistakes.iter().map(|it| visible::line(&it.to_string()) + "\n").collect();
            output::to_stdout(&format!("{lines}nothing was added\n"))?;
            Ok(Exit::CheckFailed)
        }
    }
}
