//! The attempts for one request, until it has an answer or nothing is left to try.
//!
//! In: a request that is ready. Out: its answer. Tokens are renewed once after a 401; `retry` decides about
//! all other failures. Each attempt has its turn and its time limit; the waits between attempts take no turn.

use super::answer::Answer;
use super::credentials::Authorization;
use super::prepare::{Outgoing, Purpose};
use super::request::Effect;
use super::retry::Tries;
use super::site::Site;
use super::upstream::{Kind, Upstream};

impl Site {
    /// Sends a request until it has an answer, or may not be sent again.
    pub(super) async fn deliver(&self, out: &Outgoing) -> Result<Answer, Upstream> {
        let credentials = &self.user.credentials;
        let mut authorization = self.in_time(out, credentials.authorization()).await?;
        let (mut tries, mut is_renewed) = (Tries::new(&self.shared.settings), false);
        loop {
            let failed = match self.attempt(out, &authorization).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            let is_refused = (failed.kind(), failed.status()) == (Kind::Unauthorized, Some(401));
            if is_refused && !is_renewed && authorization.token.is_some() {
                is_renewed = true;
                authorization = self.in_time(out, credentials.renewed(&authorization)).await?;
                continue;
            }
            let Some(wait) = tries.next(&failed, fastrand::f64()) else { return Err(failed) };
            tracing::debug!("{} is sent again in {wait:?}: {:?}", failed.place(), failed.kind());
            tokio::time::sleep(wait).await;
        }
    }

    /// Waits for the authorization of a request, which may ask another server.
    async fn in_time(
        &self,
        out: &Outgoing,
        authorization: impl Future<Output = Result<Authorization, String>>,
    ) -> Result<Authorization, Upstream> {
        let made = tokio::time::timeout(self.shared.settings.timeout, authorization).await;
        let made = made.unwrap_or_else(|_| Err("there was no access token in time".to_owned()));
        made.map_err(|why| out.error(Kind::Unauthorized).because(why))
    }

    async fn attempt(&self, out: &Outgoing, authorization: &Authorization) -> Result<Answer, Upstream> {
        let _turn = self.shared.turns.acquire().await.expect("nobody closes the semaphore");
        let begun = tokio::time::Instant::now();
        let outcome = tokio::time::timeout(out.timeout, self.exchange(out, authorization)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(late(out)));
        let status = outcome.as_ref().map_or_else(Upstream::status, |it| Some(it.status()));
        let (subject, took) = (&out.subject, begun.elapsed());
        tracing::debug!("{} {}: status {status:?} after {took:?}", subject.method, subject.path);
        if let (Some(capture), Ok(answer)) = (&self.shared.settings.capture, &outcome)
            && out.purpose == Purpose::Api
        {
            let request = format!("{} {}", subject.method, subject.path);
            capture.see("out", &request, out.body.as_deref().unwrap_or_default());
            capture.see("in", &request, answer.bytes());
        }
        outcome
    }
}

/// Returns the error of an attempt that took too long.
fn late(out: &Outgoing) -> Upstream {
    let kind = match out.subject.effect {
        Effect::Read => Kind::Timeout,
        Effect::Write => Kind::OutcomeUnknown,
    };
    out.error(kind).because(format!("there was no whole answer within {:?}", out.timeout))
}
