//! Runs the behaviours and judges what they cost.

use std::fmt;
use std::net::SocketAddr;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::process::Child;

use crate::behaviours::{CLIENT, ClientBehaviour, Does, SERVER, ServerBehaviour, Then};
use crate::client::connections;
use crate::client::messages::{self, TRANSPORTS, Transport};
use crate::gauge::Reading;
use crate::{batches, faults, server};

/// The most memory that one hostile peer may cost, in KiB.
const MEMORY: usize = 64 << 10;

/// The longest time for which an honest caller may wait for an answer. The short form runs without
/// optimisation beside other programs, and only finds callers that wait for a hostile peer.
const DELAY: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(1_500)];

/// The longest time until descriptors and tasks are what they were.
const SETTLE: Duration = Duration::from_secs(10);

/// The behaviours to run, and how long.
pub(crate) struct Run {
    /// The number of batches of 500 calls.
    batches: usize,
    /// The number of calls through a proxy with faults, in each era.
    calls: usize,
    is_short: bool,
    /// The text that the names of the behaviours have.
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
                on_thread(scale, move |scale| as_server(behaviour, transport != Transport::Stdio, scale))
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

/// The cost of a behaviour.
#[derive(Default)]
struct Cost {
    /// In KiB.
    memory: usize,
    slowest: Duration,
    descriptors: usize,
    tasks: usize,
    /// What else went wrong.
    wrong: Option<String>,
    /// What became of the requests to a hostile server.
    ends: String,
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
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let at_a_time = if self.is_short { 4 } else { 1 };
        thread::scope(|scope| {
            for _ in 0..at_a_time {
                scope.spawn(|| {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let is_kept = self.is_kept(job, &job.run(self.scale()));
                        failed.fetch_add(usize::from(!is_kept), Ordering::Relaxed);
                    }
                });
            }
        });
        let (mut done, mut failed) = (jobs.len(), failed.into_inner());
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

    /// Makes calls through a proxy with faults. Returns whether each ended as it should.
    fn survives_faults(&self) -> bool {
        let calls = self.calls;
        let cost = on_thread(1, move |_| async move {
            let victim = Victim::start("http").await?;
            let server = victim.address.parse().map_err(std::io::Error::other)?;
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
            let answered = batches::send(&victim.address, batches).await?;
            Ok(Cost { ends: format!("{answered} answered"), ..Cost::default() })
        });
        let verdict = cost.wrong.as_ref().map_or_else(|| "ok".to_owned(), |wrong| format!("FAIL: {wrong}"));
        say(&format!("{batches} batches of 500 calls: {}: {verdict}", cost.ends));
        cost.wrong.is_none()
    }

    /// Returns the behaviours to run, each with its transports.
    fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for behaviour in CLIENT.iter().filter(|it| self.wants(it.name)) {
            match behaviour.does {
                Does::Says { .. } => jobs.extend(TRANSPORTS.map(|it| Job::Client(behaviour, it))),
                Does::Sends { .. } => jobs.push(Job::Client(behaviour, Transport::Modern)),
            }
        }
        for behaviour in SERVER.iter().filter(|it| self.wants(it.name)) {
            if !matches!(behaviour.then, Then::Sends(_)) {
                jobs.push(Job::Server(behaviour, Transport::Stdio));
            }
            jobs.push(Job::Server(behaviour, Transport::Session));
        }
        jobs
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }

    /// Returns by how much repetitions are divided.
    fn scale(&self) -> u32 {
        if self.is_short { 10 } else { 1 }
    }

    /// Prints what a behaviour cost. Returns whether it kept the bounds.
    fn is_kept(&self, job: &Job, cost: &Cost) -> bool {
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
            "{job} {:>4} MiB {:>4} ms {:>3} fds {:>3} tasks  {}{}: {verdict}",
            cost.memory >> 10,
            cost.slowest.as_millis(),
            cost.descriptors,
            cost.tasks,
            job.name(),
            cost.ends,
        ));
        wrong.is_empty()
    }
}

/// Runs a behaviour on a thread and a runtime of its own.
fn on_thread<F: Future<Output = std::io::Result<Cost>>>(
    scale: u32,
    behave: impl FnOnce(u32) -> F + Send + 'static,
) -> Cost {
    let thread = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(behave(scale))
    });
    let cost = thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the judge panicked")));
    cost.unwrap_or_else(|error| Cost { wrong: Some(format!("no run: {error}")), ..Cost::default() })
}

/// Gives this thread the lowest priority, so that an honest caller waits for the program under test and not for
/// the processor. Programs and threads that were started before keep theirs.
fn step_back() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(19);
}

/// A server under test, and the address of its numbers.
struct Victim {
    child: Child,
    numbers: SocketAddr,
    address: String,
}

impl Victim {
    async fn start(transport: &str) -> std::io::Result<Self> {
        let mut command = tokio::process::Command::new(std::env::current_exe()?);
        command.args(["victim-server", transport]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take().ok_or_else(|| std::io::Error::other("no stderr"))?;
        let line = BufReader::new(stderr).lines().next_line().await?.unwrap_or_default();
        let mut words = line.split(' ').skip(1);
        let numbers = words.next().unwrap_or_default().parse().map_err(std::io::Error::other)?;
        Ok(Self { child, numbers, address: words.next().unwrap_or_default().to_owned() })
    }

    fn read(&self) -> std::io::Result<Reading> {
        Reading::ask(self.numbers).ok_or_else(|| std::io::Error::other("the server tells no numbers"))
    }
}

/// Plays a hostile client against a server under test.
async fn as_client(
    behaviour: &'static ClientBehaviour,
    transport: Transport,
    scale: u32,
) -> std::io::Result<Cost> {
    if transport == Transport::Stdio {
        return over_stdio(behaviour, scale).await;
    }
    let victim = Victim::start("http").await?;
    // The sessions and the memory of the first requests are no cost of the behaviour.
    let session = messages::open_session(&victim.address, &[]).await.unwrap_or_default();
    let honest = Honest::start(&victim.address)?;
    tokio::time::sleep(Duration::from_millis(150)).await;
    let before = victim.read()?;
    honest.slowest.store(0, Ordering::Relaxed);
    step_back();
    match behaviour.does {
        Does::Says { messages, times, reads, stays } => {
            let (times, stays) = ((times / scale).max(messages.len() as u32), Duration::from_millis(stays));
            messages::over_http(transport, &victim.address, messages, times, reads, stays).await;
        }
        Does::Sends { connections, pieces } => {
            let connections = (connections / scale).max(2);
            connections::act(&victim.address, &session, connections, pieces, scale).await;
        }
    }
    let peak = victim.read()?.peak;
    let mut cost = settled(&victim, before).await?;
    cost.memory = peak.saturating_sub(before.memory);
    cost.slowest = Duration::from_micros(honest.slowest.load(Ordering::Relaxed));
    cost.wrong = honest.end();
    Ok(cost)
}

async fn over_stdio(behaviour: &'static ClientBehaviour, scale: u32) -> std::io::Result<Cost> {
    let Does::Says { messages, times, reads, stays } = behaviour.does else { return Ok(Cost::default()) };
    let mut victim = Victim::start("stdio").await?;
    let before = victim.read()?;
    step_back();
    let times = (times / scale).max(messages.len() as u32);
    messages::over_stdio(&mut victim.child, messages, times, reads).await;
    tokio::time::sleep(Duration::from_millis(stays)).await;
    let memory = victim.read()?.peak.saturating_sub(before.memory);
    drop((victim.child.stdin.take(), victim.child.stdout.take()));
    // The drain time of a server is 5 s.
    let ended = tokio::time::timeout(SETTLE, victim.child.wait()).await;
    let wrong = match ended {
        Ok(Ok(status)) if status.code().is_some() => None,
        Ok(status) => Some(format!("ended by {status:?}")),
        Err(_) => Some("runs on after its input has ended".to_owned()),
    };
    Ok(Cost { memory, wrong, ..Cost::default() })
}

/// Waits until descriptors and tasks are what they were, and returns what is left of them.
async fn settled(victim: &Victim, before: Reading) -> std::io::Result<Cost> {
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

/// An honest caller, from another address than the hostile one, which calls a tool every 5 ms.
struct Honest {
    ends: Arc<AtomicBool>,
    /// In microseconds.
    slowest: Arc<AtomicU64>,
    thread: thread::JoinHandle<std::io::Result<()>>,
}

impl Honest {
    fn start(server: &str) -> std::io::Result<Self> {
        let server: SocketAddr = server.parse().map_err(std::io::Error::other)?;
        let (ends, slowest) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let (until, longest) = (Arc::clone(&ends), Arc::clone(&slowest));
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let mut stream = open_from("127.0.0.2", server).await?;
                while !until.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    call(&mut stream).await?;
                    longest.fetch_max(began.elapsed().as_micros() as u64, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                Ok(())
            })
        });
        Ok(Self { ends, slowest, thread })
    }

    /// Ends the caller. Returns what went wrong in its calls.
    fn end(self) -> Option<String> {
        self.ends.store(true, Ordering::Relaxed);
        match self.thread.join() {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!("an honest caller: {error}")),
            Err(_) => Some("the honest caller panicked".to_owned()),
        }
    }
}

/// Connects from an address of this machine, so that the server counts another caller.
async fn open_from(address: &str, server: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(address.parse().map_err(std::io::Error::other)?, 0))?;
    let stream = socket.connect(server).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Calls the tool `echo` and reads the answer.
async fn call(stream: &mut TcpStream) -> std::io::Result<()> {
    let message = messages::modern(
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"honest"}}}"#,
    );
    let extra = messages::modern_headers(&message);
    let extra: String = extra.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    stream.write_all(messages::head("/mcp", &extra, message.len(), "keep-alive").as_bytes()).await?;
    stream.write_all(&message).await?;
    let mut response = Vec::new();
    loop {
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_buf(&mut response)).await??;
        let text = String::from_utf8_lossy(&response);
        if !text.is_empty() && !text.starts_with("HTTP/1.1 200") || read == 0 {
            return Err(std::io::Error::other(format!(
                "found {:?}",
                text.chars().take(200).collect::<String>()
            )));
        }
        if text.contains("honest") && text.ends_with('}') {
            return Ok(());
        }
    }
}

/// Plays a hostile server to a client under test, which also calls an honest server.
async fn as_server(behaviour: &'static ServerBehaviour, http: bool, scale: u32) -> std::io::Result<Cost> {
    let honest = Victim::start("http").await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["victim-client", &honest.address]);
    if http {
        command.args(["url", &url]);
    } else {
        command.args(["stdio", behaviour.name, &scale.to_string()]);
    }
    let mut command = tokio::process::Command::from(command);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    step_back();
    let playing = tokio::spawn(server::http::serve(listener, behaviour, scale));
    let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output()).await;
    playing.abort();
    let Ok(output) = output else {
        return Ok(Cost { wrong: Some("the client did not end".to_owned()), ..Cost::default() });
    };
    let report: serde_json::Value = serde_json::from_slice(&output?.stdout).map_err(std::io::Error::other)?;
    let number = |name: &str| report[name].as_u64().unwrap_or(u64::MAX) as usize;
    let wrong = if report["hung"] == true {
        Some("a request never ended".to_owned())
    } else if number("most_descriptors") > 100 {
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

#[expect(clippy::print_stdout, reason = "the report is the purpose of this program")]
fn say(line: &str) {
    println!("{line}");
}
