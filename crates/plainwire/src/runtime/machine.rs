//! The memory of the machine.
//!
//! In: the files in which Linux describes itself. Out: a number of bytes.

use std::fs::read_to_string;

/// The memory that a machine is assumed to have if no file names it, in bytes: 1 GiB, the memory of the smallest
/// machines on which servers commonly run.
const ASSUMED: usize = 1 << 30;

/// Returns how much memory this process may use, in bytes: the limit of its control group, as of a container,
/// or the memory of the machine if that is less.
pub(crate) fn memory() -> usize {
    let machine = read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let files = limit_files(&read_to_string("/proc/self/cgroup").unwrap_or_default());
    let limits = files.iter().filter_map(|path| read_to_string(path).ok()?.trim().parse().ok());
    machine.into_iter().chain(limits).min().unwrap_or(ASSUMED)
}

/// Returns the files that may limit the memory of the process: those of its control group and of the groups around
/// it. `groups` is the text of `/proc/self/cgroup`, with a line such as `0::/system.slice/a.service` (version 2) or
/// `4:memory:/a` (version 1). In a container, the paths in `groups` may be valid only outside of the container, but the
/// root folders (such as `/sys/fs/cgroup`) are the container's own. So the files of the root folders are included.
fn limit_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for (controllers, folder, file) in
        [("", "/sys/fs/cgroup", "memory.max"), ("memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes")]
    {
        files.push(format!("{folder}/{file}"));
        let path = groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let is_meant = parts.next()?.split(',').any(|it| it == controllers);
            parts.next().filter(|_| is_meant)
        });
        let mut group = String::new();
        for part in path.unwrap_or_default().split('/').filter(|part| !part.is_empty()) {
            group = format!("{group}/{part}");
            files.push(format!("{folder}{group}/{file}"));
        }
    }
    files
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

    #[test]
    fn the_limits_of_all_groups_around_the_process_count() {
        let (two, one) = ("/sys/fs/cgroup", "/sys/fs/cgroup/memory");
        let roots = [format!("{two}/memory.max"), format!("{one}/memory.limit_in_bytes")];
        assert_eq!(limit_files(""), roots);
        assert_eq!(limit_files("0::/\n"), roots);
        let found = limit_files("1:cpu:/x\n0::/system.slice/a.service\n");
        let expected = [
            &roots[0],
            &format!("{two}/system.slice/memory.max"),
            &format!("{two}/system.slice/a.service/memory.max"),
            &roots[1],
        ];
        assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        let found = limit_files("9:name=systemd:/\n4:cpu,memory:/a\n");
        assert_eq!(found, [roots[0].clone(), roots[1].clone(), format!("{one}/a/memory.limit_in_bytes")]);
    }
}
