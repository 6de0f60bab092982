//! The people of the company, their groups, and the tokens of some of them.
//!
//! In: nothing. Out: rows of `person`, `group`, `member` and `token`, the same for each seed: the tests of others name them.

use super::DEMO_EMAIL;
use crate::fault::Result;
use crate::identity::hash;
use crate::work::Work;

/// An account that a program or a person may use to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The e-mail address, for Basic authentication on Cloud.
    pub email: String,
    /// The user name, for Basic authentication on Data Center.
    pub name: String,
    /// The name for people.
    pub display_name: String,
    /// An API token on Cloud, and a personal access token on Data Center.
    pub token: String,
    /// The password for Basic authentication on Data Center, if the account has one.
    pub password: Option<String>,
}

/// Returns the accounts with tokens: the demo user first, then an administrator of the site, a developer, an agent of the service
/// desk, a customer of it, and one that was deactivated.
pub fn accounts() -> Vec<Account> {
    let with_token = PEOPLE.iter().filter(|it| !it.token.is_empty());
    with_token
        .map(|it| Account {
            email: it.email(),
            name: it.name.to_owned(),
            display_name: it.display_name.to_owned(),
            token: it.token.to_owned(),
            password: it.password().map(str::to_owned),
        })
        .collect()
}

/// A person of the company.
#[derive(Clone, Copy, Debug)]
pub(super) struct Person {
    pub(super) name: &'static str,
    pub(super) display_name: &'static str,
    zone: &'static str,
    /// The key, if it is one of the old ones that were user names.
    old_key: &'static str,
    token: &'static str,
    pub(super) kind: Kind,
}

/// A kind of person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    App,
    Customer,
    Former,
    Staff,
}

impl Person {
    pub(super) fn email(&self) -> String {
        if self.name == "demo" { DEMO_EMAIL.to_owned() } else { format!("{}@plainwire.example", self.name) }
    }

    /// The password is the user name: it is a demo.
    fn password(&self) -> Option<&'static str> {
        (!self.token.is_empty() && self.kind != Kind::App).then_some(self.name)
    }
}

/// The id of the first person. The others follow in the order of [`PEOPLE`].
pub(super) const FIRST: i64 = 10100;

/// Returns the id of a person by their place in [`PEOPLE`].
pub(super) const fn id(at: usize) -> i64 {
    FIRST + at as i64
}

/// Returns a person by their id.
pub(super) fn by_id(id: i64) -> Option<&'static Person> {
    PEOPLE.get(usize::try_from(id - FIRST).ok()?)
}

/// Returns what Cloud calls a person. Accounts are in the three forms that sites have: the oldest ones are 24 hexadecimal digits.
pub(super) fn account_id(at: usize) -> String {
    let hash = hash(PEOPLE[at].name);
    let uuid =
        || format!("{}-{}-4{}-a{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32]);
    match at % 3 {
        0 => format!("5{}", &hash[..23]),
        1 => format!("557058:{}", uuid()),
        _ => format!("712020:{}", uuid()),
    }
}

/// Adds the people, their groups and their tokens.
pub(super) fn add(work: &Work<'_>) -> Result<()> {
    for (at, person) in PEOPLE.iter().enumerate() {
        let key = match person.old_key {
            "" => format!("JIRAUSER{}", id(at)),
            key => key.to_owned(),
        };
        let account_type = match person.kind {
            Kind::App => "app",
            Kind::Customer => "customer",
            Kind::Former | Kind::Staff => "atlassian",
        };
        work.run(
            "INSERT INTO person (id, account_id, name, key, email, display_name, active, time_zone, account_type, password)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            (
                id(at),
                account_id(at),
                person.name,
                key,
                person.email(),
                person.display_name,
                person.kind != Kind::Former,
                person.zone,
                account_type,
                person.password().map(hash),
            ),
        )?;
        if !person.token.is_empty() {
            // The same token is an API token for Cloud and a personal access token for Data Center.
            let sql = "INSERT INTO token (hash, person_id, kind) VALUES (?1, ?2, 'any')";
            work.run(sql, (hash(person.token), id(at)))?;
        }
    }
    for (at, (name, members)) in GROUPS.iter().enumerate() {
        let group = at as i64 + 1;
        work.run("INSERT INTO \"group\" (id, name) VALUES (?1, ?2)", (group, name))?;
        for member in members.iter() {
            work.run("INSERT INTO member (group_id, person_id) VALUES (?1, ?2)", (group, id(*member)))?;
        }
    }
    Ok(())
}

/// Returns the id of a group.
pub(super) fn group(name: &str) -> Option<i64> {
    GROUPS.iter().position(|(it, _)| *it == name).map(|at| at as i64 + 1)
}

const fn staff(name: &'static str, display_name: &'static str, zone: &'static str) -> Person {
    Person { name, display_name, zone, old_key: "", token: "", kind: Kind::Staff }
}

const fn customer(name: &'static str, display_name: &'static str, zone: &'static str) -> Person {
    Person { kind: Kind::Customer, ..staff(name, display_name, zone) }
}

const fn former(name: &'static str, display_name: &'static str, zone: &'static str) -> Person {
    Person { kind: Kind::Former, ..staff(name, display_name, zone) }
}

/// The demo user.
pub(super) const DEMO: usize = 0;
/// The program that releases.
pub(super) const BOT: usize = 34;
/// The customers of the service desk.
pub(super) const CUSTOMERS: [usize; 5] = [35, 36, 37, 38, 39];
/// The agents of the service desk.
pub(super) const AGENTS: [usize; 5] = [6, 13, 24, 26, 27];

/// The people. Two pairs have the same name; some left.
pub(super) const PEOPLE: [Person; 40] = [
    Person { token: "demo-token", ..staff("demo", "Dana Moreau", "Europe/Berlin") },
    Person { token: "admin-token", old_key: "priya", ..staff("priya.nair", "Priya Nair", "Asia/Kolkata") },
    Person { old_key: "mkessler", ..staff("maren.kessler", "Maren Keßler", "Europe/Berlin") },
    Person { old_key: "sobrien", ..staff("sean.obrien", "Seán O'Brien", "Europe/Dublin") },
    Person { old_key: "yuki", ..staff("yuki.tanabe", "Yuki Tanabe", "Asia/Tokyo") },
    staff("amara.okafor", "Amara Okafor", "Africa/Lagos"),
    Person {
        token: "agent-token",
        old_key: "jmueller",
        ..staff("juergen.mueller", "Jürgen Müller", "Europe/Vienna")
    },
    Person { token: "developer-token", ..staff("lena.fischer", "Lena Fischer", "Europe/Berlin") },
    staff("tomasz.wojcik", "Tomasz Wójcik", "Europe/Warsaw"),
    staff("ines.carvalho", "Inês Carvalho", "Europe/Lisbon"),
    staff("noah.bergstrom", "Noah Bergström", "Europe/Stockholm"),
    staff("chloe.dubois", "Chloé Dubois", "Europe/Paris"),
    staff("alex.kim", "Alex Kim", "Asia/Seoul"),
    staff("alex.kim2", "Alex Kim", "America/Vancouver"),
    staff("ravi.menon", "Ravi Menon", "Asia/Kolkata"),
    staff("greta.lindqvist", "Greta Lindqvist", "Europe/Stockholm"),
    staff("oluwaseun.adeyemi", "Oluwaseun Adeyemi", "Africa/Lagos"),
    staff("mateo.herrera", "Mateo Herrera", "America/Mexico_City"),
    staff("sofia.rossi", "Sofia Rossi", "Europe/Rome"),
    staff("hamish.mcallister", "Hamish McAllister", "Europe/London"),
    staff("wei.zhang", "Wei Zhang", "Asia/Shanghai"),
    staff("fatima.haddad", "Fatima Haddad", "Africa/Casablanca"),
    staff("bjorn.aasen", "Bjørn Aasen", "Europe/Oslo"),
    staff("nora.dvorakova", "Nora Dvořáková", "Europe/Prague"),
    staff("maria.silva", "Maria Silva", "America/Sao_Paulo"),
    staff("maria.silva.pt", "Maria Silva", "Europe/Lisbon"),
    staff("kwame.mensah", "Kwame Mensah", "Africa/Accra"),
    staff("ellen.vandenberg", "Ellen van den Berg", "Europe/Amsterdam"),
    staff("desmond.clarke", "Desmond Clarke", "America/New_York"),
    staff("irina.petrova", "Irina Petrova", "Europe/Sofia"),
    staff("helen.price", "Helen Price", "Europe/London"),
    Person {
        token: "former-token",
        old_key: "vhala",
        ..former("viktor.hala", "Viktor Hála", "Europe/Prague")
    },
    former("joanna.dabrowska", "Joanna Dąbrowska", "Europe/Warsaw"),
    Person { old_key: "pquist", ..former("peter.quist", "Peter Quist", "America/Chicago") },
    Person { kind: Kind::App, ..staff("release-bot", "Release Bot", "UTC") },
    Person { token: "customer-token", ..customer("anne.whitlock", "Anne Whitlock", "Europe/London") },
    customer("carlos.ibanez", "Carlos Ibáñez", "Europe/Madrid"),
    customer("siobhan.darcy", "Siobhán D'Arcy", "Europe/Dublin"),
    customer("bjork.jonsdottir", "Björk Jónsdóttir", "Atlantic/Reykjavik"),
    customer("mohammed.alrashid", "Mohammed Al-Rashid", "Asia/Dubai"),
];

const GROUPS: [(&str, &[usize]); 9] = [
    (
        "jira-software-users",
        &[
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
            27, 28, 29, 30, 31, 32, 33, 34,
        ],
    ),
    ("developers", &[0, 2, 3, 4, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 29, 31, 32]),
    ("site-admins", &[1]),
    ("shop-admins", &[0, 2]),
    ("project-leads", &[2, 3, 4, 5, 6]),
    ("service-desk-agents", &[0, 6, 13, 24, 26, 27]),
    ("helpdesk-customers", &CUSTOMERS),
    ("security-council", &[28, 29]),
    ("people-team", &[25, 30]),
];
