//! Plays one behaviour against a program under test, and measures what it costs.

use std::io::{Error, Result};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::Child;

use crate::behaviours::{ClientBehaviour, Does, ServerBehaviour};
use crate::client::connections::{self, Doors};
use crate::client::messages::{self, Script, Transport};
use crate::client::pipes::Pipes;
use crate::gauge::Reading;
use crate::honest::{self, Honest};
use crate::server;
use crate::text::Values;

/// The most descriptors that a client under test may open for one hostile server. A client sends 64 answers at a time,
/// and the connections of earlier answers take a moment to close.
const DESCRIPTORS: usize = 192;

/// The longest time until descriptors and tasks are what they were.
const SETTLE: Duration = Duration::from_secs(10);

/// The cost of a behaviour.
#[derive(Default)]
pub(crate) struct Cost {
    /// In KiB.
    pub(crate) memory: usize,
    pub(crate) slowest: Duration,
    pub(crate) descriptors: usize,
    pub(crate) tasks: usize,
    /// Another fault, such as a wrong answer; `None` if there was none.
    pub(crate) wrong: Option<String>,
    /// The ends of the requests to a hostile server, such as `ok` and `expected`.
    pub(crate) ends: String,
}

/// Runs a behaviour on a thread and a runtime of its own.
pub(crate) fn on_thread<F: Future<Output = Result<Cost>>>(
    scale: u32,
    behave: impl FnOnce(u32) -> F + Send + 'static,
) -> Cost {
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(behave(scale))
    });
    let cost = thread.join().unwrap_or_else(|_| Err(Error::other("the judge panicked")));
    cost.unwrap_or_else(|error| Cost { wrong: Some(format!("no run: {error}")), ..Cost::default() })
}

/// Gives this thread the lowest priority, so that an honest caller waits for the program under test and not for
/// the processor. Programs and threads that were started before keep theirs.
fn step_back() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(19);
}

/// A server under test, and the address of its numbers.
pub(crate) struct Victim {
    child: Child,
    numbers: SocketAddr,
    pub(crate) doors: Doors,
}

impl Victim {
    pub(crate) async fn start(transport: &str) -> Result<Self> {
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        command.args(["victim-server", transport]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take().ok_or_else(|| Error::other("no stderr"))?;
        let line = BufReader::new(stderr).lines().next_line().await?.unwrap_or_default();
        let mut words = line.split(' ').skip(1).map(str::to_owned);
        let numbers = words.next().unwrap_or_default().parse().map_err(Error::other)?;
        let (open, guarded) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        Ok(Self { child, numbers, doors: Doors { open, guarded } })
    }

    fn read(&self) -> Result<Reading> {
        Reading::ask(self.numbers).ok_or_else(|| Error::other("the server tells no numbers"))
    }
}

/// Plays a hostile client against a server under test.
pub(crate) async fn as_client(
    behaviour: &'static ClientBehaviour,
    transport: Transport,
    scale: u32,
) -> Result<Cost> {
    if transport == Transport::Stdio {
        return over_stdio(behaviour, scale).await;
    }
    let victim = Victim::start("http").await?;
    let server = &victim.doors.open;
    // The sessions and the memory of the first requests are no cost of the behaviour.
    let values = Values {
        session: messages::open_session(server, &[]).await.unwrap_or_default(),
        batches: messages::open_session(server, &["["]).await.unwrap_or_default(),
        ..Values::default()
    };
    let honest = Honest::start(server, honest::pause(scale))?;
    tokio::time::sleep(Duration::from_millis(150)).await;
    let before = victim.read()?;
    honest.begin();
    step_back();
    let mut wrong = None;
    match behaviour.does {
        Does::Says { messages, times, reads, stays } => {
            let (script, stays) = (Script::new(messages, times, scale), Duration::from_millis(stays));
            messages::over_http(transport, server, script, reads, stays).await;
        }
        Does::Sends { connections, pieces } => {
            let connections = (connections / scale).max(2);
            wrong = connections::act(&victim.doors, &values, connections, pieces, scale).await;
        }
    }
    let peak = victim.read()?.peak;
    let mut cost = settled(&victim, before).await?;
    cost.memory = peak.saturating_sub(before.memory);
    cost.slowest = honest.slowest();
    cost.wrong = honest.end().or(wrong);
    Ok(cost)
}

/// Plays a hostile client against a server on stdin and stdout, which has no other caller. The server has to go on:
/// it answers another request, and its tasks end before its input does.
async fn over_stdio(behaviour: &'static ClientBehaviour, scale: u32) -> Result<Cost> {
    let Does::Says { messages, times, reads, stays } = behaviour.does else { return Ok(Cost::default()) };
    let mut victim = Victim::start("stdio").await?;
    let mut pipes = Pipes::open(&mut victim.child, messages).await?;
    let before = victim.read()?;
    step_back();
    pipes.say(Script::new(messages, times, scale), reads).await;
    tokio::time::sleep(Duration::from_millis(stays)).await;
    let is_answered = tokio::time::timeout(SETTLE, pipes.is_answered()).await == Ok(true);
    let peak = victim.read()?.peak;
    let mut cost = settled(&victim, before).await?;
    cost.memory = peak.saturating_sub(before.memory);
    drop(pipes);
    // The drain time of a server is 5 s.
    let ended = tokio::time::timeout(SETTLE, victim.child.wait()).await;
    cost.wrong = match ended {
        _ if !is_answered => Some("a later request was not answered".to_owned()),
        Ok(Ok(status)) if status.code().is_some() => None,
        Ok(status) => Some(format!("ended by {status:?}")),
        Err(_) => Some("runs on after its input has ended".to_owned()),
    };
    Ok(cost)
}

/// Waits until descriptors and tasks are what they were, and returns what is left of them.
async fn settled(victim: &Victim, before: Reading) -> Result<Cost> {
    let began = Instant::now();
    loop {
        let now = victim.read()?;
        let cost = Cost {
            descriptors: now.descriptors.saturating_sub(before.descriptors),
            tasks: now.tasks.saturating_sub(before.tasks),
            ..Cost::default()
        };
        if cost.descriptors + cost.tasks == 0 || began.elapsed() > SETTLE {
            return Ok(cost);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Plays a hostile server to a client under test, which also calls an honest server.
pub(crate) async fn as_server(
    behaviour: &'static ServerBehaviour,
    transport: Transport,
    scale: u32,
) -> Result<Cost> {
    let friend = Victim::start("http").await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let path = if transport == Transport::Sse { "sse" } else { "mcp" };
    let url = format!("http://{}/{path}", listener.local_addr()?);
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["victim-client", &friend.doors.open, &scale.to_string()]);
    match transport {
        Transport::Stdio => command.args(["stdio", behaviour.name]),
        _ => command.args(["url", &url]),
    };
    let mut command = tokio::process::Command::from(command);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    step_back();
    let playing = tokio::spawn(server::http::serve(listener, behaviour, transport, scale));
    let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output()).await;
    playing.abort();
    let Ok(output) = output else {
        return Ok(Cost { wrong: Some("the client did not end".to_owned()), ..Cost::default() });
    };
    let report: serde_json::Value = serde_json::from_slice(&output?.stdout).map_err(Error::other)?;
    let number = |name: &str| report[name].as_u64().unwrap_or(u64::MAX) as usize;
    let wrong = if report["hung"] == true {
        Some("a request never ended".to_owned())
    } else if number("most_descriptors") > DESCRIPTORS {
        Some(format!("{} descriptors meanwhile", number("most_descriptors")))
    } else {
        None
    };
    let mut ends: Vec<&str> =
        report["ended"].as_array().into_iter().flatten().filter_map(|it| it.as_str()).collect();
    ends.dedup();
    Ok(Cost {
        memory: number("grew_kib"),
        slowest: Duration::from_millis(number("slowest_ms") as u64),
        descriptors: number("descriptors"),
        tasks: number("tasks"),
        wrong,
        ends: format!(" ({})", ends.join(", ")),
    })
}
