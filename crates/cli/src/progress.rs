//! Progress on stderr, and the order of all output: nothing gets between a question of the server and the user's
//! answer.
//!
//! In: progress notifications, the beginning and end of each question, and of each piece of work; text to print.
//! Out: on a terminal one line, a bar, which appears once the work has taken a second and goes when it ends;
//! elsewhere a line for each notification. While a question is open there is no bar, only the newest notification
//! is kept, and other text waits.

use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plainwire::client::Progress;

use crate::held::{Held, Stream};
use crate::output::{to_stderr, write};
use crate::visible;

/// The time after which work is shown.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// The time between two redraws of a bar that gets no news.
const TICK: Duration = Duration::from_millis(200);

/// The length of a bar, which stands for the total of each progress.
const LENGTH: u64 = 1_000;

/// The maximal number of characters of a message.
const MAX_MESSAGE: usize = 200;

/// Whether stderr is a terminal.
static IS_TERMINAL: LazyLock<bool> = LazyLock::new(|| io::stderr().is_terminal());

/// The bar of running work, and the state of the dialogue with the user, which the bar must not disturb.
static SHOWN: Mutex<Shown> =
    Mutex::new(Shown { bar: None, held: Held::new(), newest: None, questions: 0, works: 0 });

struct Shown {
    bar: Option<ProgressBar>,
    /// The output that waits for the end of the open questions.
    held: Held,
    /// The newest progress of the work. Where there is no terminal, it waits here for the end of the questions.
    newest: Option<Line>,
    /// The number of open questions of a server to the user.
    questions: usize,
    /// The number of pieces of work, one within another.
    works: usize,
}

/// The text of a progress notification, and how much of the total is done.
#[derive(Clone)]
struct Line {
    permille: Option<u64>,
    text: String,
}

fn shown() -> MutexGuard<'static, Shown> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work. If the work takes longer than a second, a line on a terminal shows `what` and the time since the line
/// appeared.
pub(crate) async fn with_bar<T>(what: &str, work: impl Future<Output = T>) -> T {
    if !*IS_TERMINAL {
        return work.await;
    }
    let _work = Work::begin();
    let mut work = pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        () = tokio::time::sleep(SHOWN_AFTER) => {}
    }
    shown().open_bar(what);
    work.await
}

/// A guard of a piece of work. The last one takes the bar away.
struct Work(());

impl Work {
    fn begin() -> Self {
        shown().works += 1;
        Self(())
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let mut shown = shown();
        shown.works -= 1;
        if shown.works == 0 {
            shown.newest = None;
            if let Some(bar) = shown.bar.take() {
                bar.finish_and_clear();
            }
        }
    }
}

impl Shown {
    fn open_bar(&mut self, what: &str) {
        if self.bar.is_some() {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(LENGTH), ProgressDrawTarget::hidden());
        // The line appears when the work has taken this time already.
        let bar = bar.with_elapsed(SHOWN_AFTER);
        bar.set_style(style("{spinner} {elapsed} {wide_msg}"));
        bar.set_message(what.to_owned());
        if let Some(newest) = &self.newest {
            newest.on(&bar);
        }
        if self.questions == 0 {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        bar.enable_steady_tick(TICK);
        self.bar = Some(bar);
    }

    fn without_bar<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

impl Line {
    fn new(it: Progress) -> Self {
        let total = it.total.map(|total| format!("/{total}")).unwrap_or_default();
        let message = visible::short_line(&it.message.unwrap_or_default(), MAX_MESSAGE);
        let permille = it.total.filter(|total| *total > 0.0).map(|total| (it.done / total).clamp(0.0, 1.0));
        Self {
            // The bar is a drawing: a lost fraction of a thousandth does no harm.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1,000")]
            permille: permille.map(|part| (part * 1_000.0) as u64),
            text: format!("{}{total} {message}", it.done),
        }
    }

    fn on(&self, bar: &ProgressBar) {
        if let Some(permille) = self.permille {
            bar.set_style(style("{spinner} {elapsed} [{bar:20}] {wide_msg}"));
            bar.set_position(permille);
        }
        bar.set_message(self.text.clone());
    }
}

/// Prints `text`, without the bar in between. While a question is open, the text waits.
pub(crate) fn print(to: Stream, text: &str) -> io::Result<()> {
    let mut shown = shown();
    if shown.questions > 0 {
        shown.held.keep(to, text.to_owned());
        return Ok(());
    }
    // The lock is held meanwhile, so that no question begins first.
    shown.without_bar(|| write(to, text))
}

/// Prints a part of the dialogue with the user on stderr, at once.
pub(crate) fn print_dialogue(text: &str) {
    // If stderr is closed, there is nowhere to report it.
    let _ = shown().without_bar(|| write(Stream::Stderr, text));
}

/// A guard of an open question. While there is one, nothing but the dialogue is printed; what was to be printed
/// meanwhile, and the newest progress, follow when the last guard is dropped.
#[derive(Debug)]
pub(crate) struct OpenQuestion(());

impl OpenQuestion {
    pub(crate) fn new() -> Self {
        let mut shown = shown();
        shown.questions += 1;
        if let Some(bar) = &shown.bar {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self(())
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let mut shown = shown();
        shown.questions -= 1;
        if shown.questions > 0 {
            return;
        }
        for (to, text) in shown.held.take() {
            let _ = shown.without_bar(|| write(to, &text));
        }
        match &shown.bar {
            Some(bar) => bar.set_draw_target(ProgressDrawTarget::stderr()),
            None if shown.works == 0 => {
                let newest = shown.newest.take();
                drop(shown);
                newest.iter().for_each(|line| to_stderr(&format!("{}\n", line.text)));
            }
            None => {}
        }
    }
}

/// Shows a progress notification: on the bar, or where there is no terminal, on a line.
pub(crate) fn show(it: Progress) {
    let line = Line::new(it);
    let mut shown = shown();
    if let Some(bar) = &shown.bar {
        line.on(bar);
    }
    if shown.works > 0 || shown.questions > 0 {
        shown.newest = Some(line);
    } else {
        drop(shown);
        to_stderr(&format!("{}\n", line.text));
    }
}
