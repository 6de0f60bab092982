//! The memory of the machine.
//!
//! In: the files in which Linux describes itself. Out: a number of bytes.

use std::fs::read_to_string;

/// The memory that a machine is assumed to have if it does not tell, in bytes: 1 GiB, the smallest that servers
/// are commonly run on.
const ASSUMED: usize = 1 << 30;

/// Returns how much memory this process may use, in bytes: the limit of its control group, as of a container,
/// or the memory of the machine if that is less.
pub(crate) fn memory() -> usize {
    let machine = read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let groups = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = groups.iter().filter_map(|path| read_to_string(path).ok()?.trim().parse().ok());
    machine.into_iter().chain(limits).min().unwrap_or(ASSUMED)
}

/// Returns the total memory that the text of `/proc/meminfo` names, in bytes.
fn total(meminfo: &str) -> Option<usize> {
    let rest = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: usize = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_total_and_nothing_else() {
        assert_eq!(total("MemTotal:       16303368 kB\nMemFree:  1 kB\n"), Some(16_303_368 << 10));
        for text in ["", "MemFree: 1 kB", "MemTotal: many kB", "MemTotal: 1 MB"] {
            assert_eq!(total(text), None, "{text:?}");
        }
        assert!(memory() > 1 << 20);
    }
}
