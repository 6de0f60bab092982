//! A site for the tests of operations.
//!
//! In: a request as a program would send it. Out: the answer, with what the request changed. Each test has a
//! transaction of its own that is rolled back, so that the site is filled once.

use std::sync::{Mutex, OnceLock, PoisonError};

use axum::http::Method;
use serde_json::Value as Json;

use super::Table;
use crate::call::{Answer, Body, Call};
use crate::fault::{Fault, Result};
use crate::identity;
use crate::seed;
use crate::store::Store;
use crate::time;
use crate::view::View;
use crate::work::{Deployment, Work};

/// A site that is filled, for one test.
pub(crate) struct World<'a> {
    pub(crate) work: &'a Work<'a>,
    table: &'a Table,
}

/// Runs a test on both deployments.
pub(crate) fn on_both(test: impl Fn(&World<'_>)) {
    on(Deployment::Cloud, &test);
    on(Deployment::DataCenter, &test);
}

/// Runs a test on one deployment. Tests of the same deployment run in turn.
pub(crate) fn on(deployment: Deployment, test: impl Fn(&World<'_>)) {
    static CLOUD: OnceLock<(Mutex<()>, Store)> = OnceLock::new();
    static DATA_CENTER: OnceLock<(Mutex<()>, Store)> = OnceLock::new();
    let kept = if deployment == Deployment::Cloud { &CLOUD } else { &DATA_CENTER };
    let (turn, store) = kept.get_or_init(|| {
        let (store, _) = Store::open(None, deployment).expect("a site in memory opens");
        let today = "2026-11-27".parse().expect("a day");
        seed::fill(&store, 1, today, &mut |_, _| {}).expect("the site is filled");
        (Mutex::default(), store)
    });
    let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
    let now = time::read("2026-11-27T12:00:00Z").expect("a time");
    let table = Table::new(deployment);
    let done = store.run(now, |work| -> Result<()> {
        test(&World { work, table: &table });
        Err(Fault::new(418, "rolled back"))
    });
    assert_eq!(done.map_err(|it| it.status), Err(418));
}

impl World<'_> {
    /// Sends a request as one of the accounts of the seed, such as `demo` or `agent`. A body that is null is
    /// none.
    pub(crate) fn send(&self, account: &str, method: &str, address: &str, body: &Json) -> Result<Answer> {
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        self.send_bytes(account, method, address, &bytes)
    }

    pub(crate) fn send_bytes(
        &self,
        account: &str,
        method: &str,
        address: &str,
        bytes: &[u8],
    ) -> Result<Answer> {
        let sql = "SELECT person_id FROM token WHERE hash = ?1";
        let person = self.work.one(sql, [identity::hash(&format!("{account}-token"))], |row| row.get(0))?;
        self.call(person.unwrap_or_default(), None, method, address, bytes)
    }

    pub(crate) fn call(
        &self,
        person: i64,
        authorization: Option<&str>,
        method: &str,
        address: &str,
        bytes: &[u8],
    ) -> Result<Answer> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let (operation, params) = self.table.find(&method.parse::<Method>().expect("a method"), path)?;
        let view = View::new(self.work, "http://site.test".to_owned(), operation.version);
        let query = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let body = Body::Bytes(bytes);
        (operation.run)(&Call { work: self.work, view, person, authorization, params, query, body })
    }

    /// Returns the body of an answer with the status 200 or 201.
    pub(crate) fn json(&self, account: &str, method: &str, address: &str, body: &Json) -> Json {
        match self.send(account, method, address, body) {
            Ok(Answer::Json(200 | 201, value)) => value,
            other => panic!("{method} {address}: {other:?}"),
        }
    }

    pub(crate) fn get(&self, account: &str, address: &str) -> Json {
        self.json(account, "GET", address, &Json::Null)
    }

    /// Expects the status 204.
    pub(crate) fn done(&self, account: &str, method: &str, address: &str, body: &Json) {
        let answer = self.send(account, method, address, body);
        assert!(matches!(answer, Ok(Answer::Empty(204))), "{method} {address}: {answer:?}");
    }

    /// Expects an error, and returns its status and its sentences.
    pub(crate) fn fault(&self, account: &str, method: &str, address: &str, body: &Json) -> (u16, String) {
        let fault = self.send(account, method, address, body).expect_err("an error");
        let all: Vec<_> = fault.messages.into_iter().chain(fault.errors.into_values()).collect();
        (fault.status, all.join(" "))
    }
}

/// Returns the texts of a member of each element of a list.
pub(crate) fn texts(list: &Json, pointer: &str) -> Vec<String> {
    let all = list.as_array().expect("a list").iter();
    all.map(|it| match it.pointer(pointer) {
        Some(Json::String(text)) => text.clone(),
        other => other.map_or_else(String::new, ToString::to_string),
    })
    .collect()
}
