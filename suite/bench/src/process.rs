//! CPU time and memory of a server process, and CPU time of other processes, from `/proc`.

use std::process::Child;
use std::time::Instant;

/// Returns the CPU seconds of all threads so far.
pub fn cpu(child: &Child) -> Result<f64, String> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", child.id())).map_err(|error| error.to_string())?;
    let nanos = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    Ok(nanos.sum::<f64>() / 1e9)
}

/// Returns the resident memory, including that of mapped files.
pub fn resident_kib(child: &Child) -> Result<f64, String> {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).map_err(|e| e.to_string())?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.ok_or_else(|| "no VmRSS".into())
}

/// Measures the CPU time of other processes.
pub struct Others {
    began: Instant,
    so_far: f64,
}

impl Others {
    pub fn watch() -> Self {
        Self { began: Instant::now(), so_far: used_by_others() }
    }

    /// Returns the number of CPUs that other processes used on average. It excludes this program and the
    /// servers that have ended.
    pub fn cpus(&self) -> f64 {
        ((used_by_others() - self.so_far) / self.began.elapsed().as_secs_f64()).max(0.0)
    }
}

fn used_by_others() -> f64 {
    let fields = |path: &str, at: &[usize]| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let fields: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
        at.iter().filter_map(|at| fields.get(*at)?.parse::<f64>().ok()).sum::<f64>() / HERTZ
    };
    // All: user, nice, system, steal. Ours: user and system, and those of children that were waited for. Time
    // in interrupts is left out: on loopback it is ours.
    fields("/proc/stat", &[1, 2, 3, 8]) - fields("/proc/self/stat", &[13, 14, 15, 16])
}

/// Clock ticks per second in /proc, on every architecture.
const HERTZ: f64 = 100.0;
