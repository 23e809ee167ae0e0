//! What processes use, as the kernel counts it.

use std::{collections::BTreeMap, fs, time::Duration};

/// One hundred ticks a second, on every machine that Linux runs on today.
const TICK: Duration = Duration::from_millis(10);

/// What some processes have used so far.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Use {
    pub(crate) cpu: Duration,
    pub(crate) resident_kib: u64,
    pub(crate) threads: u64,
}

/// What the processes below one, and it, have used: the servers of the benchmark apart.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tree {
    pub(crate) own: Use,
    pub(crate) servers: Use,
}

pub(crate) fn tree(root: u32) -> Tree {
    let mut tree = Tree::default();
    for pid in below(root) {
        let kind = if is_server(pid) { &mut tree.servers } else { &mut tree.own };
        let (cpu, _) = stat(pid).unwrap_or_default();
        kind.cpu += cpu;
        kind.resident_kib += status(pid, "VmRSS:");
        kind.threads += status(pid, "Threads:");
    }
    tree
}

/// What this process has used.
pub(crate) fn own_cpu() -> Duration {
    stat(std::process::id()).unwrap_or_default().0
}

/// The most memory that this process has had.
pub(crate) fn own_peak_kib() -> u64 {
    status(std::process::id(), "VmHWM:")
}

/// What the whole machine has used.
pub(crate) fn machine_cpu() -> Duration {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let figures: Vec<u32> = line.split(' ').filter_map(|it| it.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal
    let busy = [0usize, 1, 2, 5, 6, 7].into_iter().filter_map(|it| figures.get(it)).sum::<u32>();
    TICK * busy
}

fn is_server(pid: u32) -> bool {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.split(|it| *it == 0).skip(1).take(2).eq([&b"part"[..], b"upstream"])
}

/// A process and all that it has started and that they have.
fn below(root: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        if let Ok(pid) = entry.file_name().to_string_lossy().parse()
            && let Some((_, parent)) = stat(pid)
        {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        found.extend(children.remove(pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// The time that a process has used, and its parent.
fn stat(pid: u32) -> Option<(Duration, u32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u32>().ok();
    Some((TICK * (number(11)? + number(12)?), number(1)?))
}

fn status(pid: u32, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|it| it.strip_prefix(name)).unwrap_or_default();
    line.split_ascii_whitespace().next().and_then(|it| it.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{machine_cpu, own_cpu, tree};

    #[test]
    fn a_process_is_found_with_what_it_uses() {
        let tree = tree(std::process::id());
        assert!(tree.own.resident_kib > 0 && tree.own.threads > 0);
        assert_eq!(tree.servers.threads, 0);
        assert!(machine_cpu() >= own_cpu());
    }
}
