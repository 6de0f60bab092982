//! Runs the behaviours and judges what they cost.

use std::fmt;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::behaviours::{self, ClientBehaviour, Does, ServerBehaviour};
use crate::client::messages::{TRANSPORTS, Transport};
use crate::trials::{Cost, Victim, as_client, as_server, on_thread};
use crate::{batches, faults};

/// The most memory that one hostile peer may cost, in KiB.
const MEMORY: usize = 64 << 10;

/// The longest time for which an honest caller may wait for an answer. The short form runs without
/// optimisation beside other programs, and only finds callers that wait for a hostile peer.
const DELAY: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(1_500)];

/// The behaviours to run, and how long.
pub(crate) struct Run {
    /// The number of batches of 500 calls.
    batches: usize,
    /// The number of calls through a proxy with faults, in each era.
    calls: usize,
    is_short: bool,
    /// The text that the lines of the behaviours have, such as `server Sse` or a part of the name.
    only: Option<String>,
}

/// A behaviour over one transport, by the side that is hostile.
enum Job {
    Client(&'static ClientBehaviour, Transport),
    Server(&'static ServerBehaviour, Transport),
}

impl Job {
    fn name(&self) -> &'static str {
        match self {
            Self::Client(behaviour, _) => behaviour.name,
            Self::Server(behaviour, _) => behaviour.name,
        }
    }

    fn run(&self, scale: u32) -> Cost {
        match *self {
            Self::Client(behaviour, transport) => {
                on_thread(scale, move |scale| as_client(behaviour, transport, scale))
            }
            Self::Server(behaviour, transport) => {
                on_thread(scale, move |scale| as_server(behaviour, transport, scale))
            }
        }
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(_, transport) => write!(f, "client {:8}", format!("{transport:?}")),
            Self::Server(_, transport) => write!(f, "server {:8}", format!("{transport:?}")),
        }
    }
}

impl Run {
    /// Reads the words of the command line.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        let all = |is_short| Self {
            batches: if is_short { 30 } else { 10_000 },
            calls: if is_short { 1_000 } else { 10_000 },
            is_short,
            only: None,
        };
        let one = |is_short, only: &str| Self { batches: 0, calls: 0, is_short, only: Some(only.to_owned()) };
        // No behaviour has this in its name.
        let none = "\0";
        match *words {
            [] => Some(all(false)),
            ["--short"] => Some(all(true)),
            ["--only", only] => Some(one(false, only)),
            ["--short", "--only", only] => Some(one(true, only)),
            ["--faults"] => Some(Self { calls: 10_000, ..one(false, none) }),
            ["--batches"] => Some(Self { batches: 10_000, ..one(false, none) }),
            _ => None,
        }
    }

    /// Runs all behaviours over all transports; in the short form, several at a time.
    pub(crate) fn all(self) -> ExitCode {
        let (began, jobs) = (Instant::now(), self.jobs());
        let (next, again) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        // Most behaviours wait for most of their time.
        let at_a_time = if self.is_short { 8 } else { 1 };
        thread::scope(|scope| {
            for _ in 0..at_a_time {
                scope.spawn(|| {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if !self.judge(job) {
                            again.lock().unwrap_or_else(PoisonError::into_inner).push(job);
                        }
                    }
                });
            }
        });
        let again = again.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Beside seven others, a behaviour may lack time. Alone, it has the same bounds.
        let failed = again.into_iter().filter(|job| !self.is_short || !self.judge(job)).count();
        let (mut done, mut failed) = (jobs.len(), failed);
        let mut note = |is_kept: bool| {
            done += 1;
            failed += usize::from(!is_kept);
        };
        if self.calls > 0 {
            note(self.survives_faults());
        }
        if self.batches > 0 {
            note(self.answers_batches());
        }
        say(&format!("{} s", began.elapsed().as_secs()));
        say(&format!("{} passed, {failed} failed", done - failed));
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Runs a behaviour. Returns whether it kept the bounds.
    fn judge(&self, job: &Job) -> bool {
        let began = Instant::now();
        let cost = job.run(self.scale());
        self.is_kept(job, &cost, began.elapsed())
    }

    /// Makes calls through a proxy with faults. Returns whether each ended as it should.
    fn survives_faults(&self) -> bool {
        let calls = self.calls;
        let cost = on_thread(1, move |_| async move {
            let victim = Victim::start("http").await?;
            let server = victim.doors.open.parse().map_err(std::io::Error::other)?;
            let (good, bad) = faults::call(server, calls).await.map_err(std::io::Error::other)?;
            let wrong = (!bad.is_empty()).then(|| format!("{bad:?}"));
            Ok(Cost { wrong, ends: format!("{good:?}"), ..Cost::default() })
        });
        let verdict = cost.wrong.as_ref().map_or_else(|| "ok".to_owned(), |wrong| format!("FAIL: {wrong}"));
        say(&format!("{calls} calls through a proxy with faults, in each era {}: {verdict}", cost.ends));
        cost.wrong.is_none()
    }

    /// Sends batches. Returns whether each was answered.
    fn answers_batches(&self) -> bool {
        let batches = self.batches;
        let cost = on_thread(1, move |_| async move {
            let victim = Victim::start("http").await?;
            let answered = batches::send(&victim.doors.open, batches).await?;
            Ok(Cost { ends: format!("{answered} answered"), ..Cost::default() })
        });
        let verdict = cost.wrong.as_ref().map_or_else(|| "ok".to_owned(), |wrong| format!("FAIL: {wrong}"));
        say(&format!("{batches} batches of 500 calls: {}: {verdict}", cost.ends));
        cost.wrong.is_none()
    }

    /// Returns the behaviours to run, each with its transports.
    fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for behaviour in behaviours::of_clients() {
            match behaviour.does {
                Does::Says { .. } => jobs.extend(TRANSPORTS.map(|it| Job::Client(behaviour, it))),
                Does::Sends { .. } => jobs.push(Job::Client(behaviour, Transport::Modern)),
            }
        }
        for behaviour in behaviours::of_servers() {
            jobs.extend(behaviour.over.iter().map(|it| Job::Server(behaviour, *it)));
        }
        jobs.retain(|job| self.wants(job));
        jobs
    }

    fn wants(&self, job: &Job) -> bool {
        self.only.as_ref().is_none_or(|only| format!("{job} {}", job.name()).contains(only))
    }

    /// Returns by how much repetitions are divided.
    fn scale(&self) -> u32 {
        if self.is_short { 10 } else { 1 }
    }

    /// Prints what a behaviour cost. Returns whether it kept the bounds.
    fn is_kept(&self, job: &Job, cost: &Cost, took: Duration) -> bool {
        let mut wrong = Vec::new();
        if cost.memory > MEMORY {
            wrong.push("memory".to_owned());
        }
        if cost.slowest > DELAY[usize::from(self.is_short)] {
            wrong.push("delay".to_owned());
        }
        if cost.descriptors > 0 {
            wrong.push("descriptors".to_owned());
        }
        if cost.tasks > 0 {
            wrong.push("tasks".to_owned());
        }
        wrong.extend(cost.wrong.clone());
        let verdict = if wrong.is_empty() { "ok".to_owned() } else { format!("FAIL: {}", wrong.join(", ")) };
        say(&format!(
            "{job} {:>4} MiB {:>4} ms {:>3} fds {:>3} tasks {:>4.1} s  {}{}: {verdict}",
            cost.memory >> 10,
            cost.slowest.as_millis(),
            cost.descriptors,
            cost.tasks,
            took.as_secs_f32(),
            job.name(),
            cost.ends,
        ));
        wrong.is_empty()
    }
}

#[expect(clippy::print_stdout, reason = "the report is the purpose of this program")]
fn say(line: &str) {
    println!("{line}");
}
