//! Rounds and their table: each round measures every target once and starts with another one; at the end it
//! prints medians.

use std::collections::BTreeMap;

use crate::process::Others;

/// A server or client to measure.
pub struct Target {
    pub name: String,
    pub path: String,
}

/// One measurement: names of rows and values; NaN for a row that the server does not have.
pub type Measures = Vec<(&'static str, f64)>;

/// A title, and the function that measures the rows below it.
pub type Section = (&'static str, fn(&Target) -> Result<Measures, String>);

/// Measures all targets and prints the table. Ratios refer to the first target.
pub fn run(targets: &[Target], rounds: usize, sections: &[Section]) -> Result<(), String> {
    for (title, measure) in sections {
        let others = Others::watch();
        let mut all: BTreeMap<(usize, &str), Vec<f64>> = BTreeMap::new();
        let mut names = Vec::new();
        for round in 0..rounds {
            for turn in 0..targets.len() {
                let at = (turn + round) % targets.len();
                let name = &targets[at].name;
                let measures = measure(&targets[at]).map_err(|error| format!("{name}: {error}"))?;
                names = measures.iter().map(|(name, _)| *name).collect();
                for (name, value) in measures {
                    all.entry((at, name)).or_default().push(value);
                }
                eprintln!("{title}: round {} of {rounds}: {name}", round + 1);
            }
        }
        print(title, targets, &names, &all);
        println!("meanwhile everybody else used {:.2} CPUs\n", others.cpus());
    }
    Ok(())
}

fn print(title: &str, targets: &[Target], names: &[&str], all: &BTreeMap<(usize, &str), Vec<f64>>) {
    print!("{title:<42}");
    targets.iter().for_each(|target| print!("{:>20}", target.name));
    println!();
    for name in names {
        print!("{name:<42}");
        let first = median(&all[&(0, *name)]);
        for at in 0..targets.len() {
            let value = median(&all[&(at, *name)]);
            let ratio = Some(value / first).filter(|ratio| !ratio.is_nan() && first > 0.0);
            let ratio = ratio.map(|ratio| format!("({ratio:.2})")).unwrap_or_default();
            print!("{:>10}{ratio:>10}", show(value));
        }
        println!();
    }
}

/// Returns the median; NaN if there are no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Returns the quantile at `share`; NaN if there are no values.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len() as f64 * share) as usize;
    sorted.get(at.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

fn show(value: f64) -> String {
    match value {
        _ if value.is_nan() => "-".into(),
        _ if value.is_infinite() => "never".into(),
        _ if value >= 100.0 => format!("{value:.0}"),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
