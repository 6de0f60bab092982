//! Files: vaults that last, and files that are none.

use std::fs;

use plainwire_learning::Learning;
use plainwire_learning::ranking::{Question, rank};
use plainwire_learning::vault::{Filter, Vault, built_in};

#[test]
fn two_programs_use_a_vault_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vault.db");
    let (one, two) = (Vault::open(&path).expect("a vault"), Vault::open(&path).expect("the same vault"));
    let mut mine = built_in().remove(0);
    (mine.id, mine.url, mine.title) = ("mine".into(), "https://mine.example/".into(), "Quokka facts".into());
    one.add(&mine).expect("added");
    assert_eq!(two.get("mine").expect("an answer"), Some(mine.clone()));
    let found = rank(&two, Question::new("quokka"), &Filter::default()).expect("an answer");
    assert_eq!(found.matches[0].0.id, "mine");
    assert!(two.add(&mine).is_err_and(|it| it.to_string().contains("mine")));
    drop((one, two));
    assert_eq!(Vault::open(&path).expect("a vault").get("mine").expect("an answer"), Some(mine));
}

#[test]
fn a_file_that_is_no_vault_is_refused_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vault.db");
    drop(Vault::open(&path).expect("a vault"));
    let good = fs::read(&path).expect("bytes");
    let sqlite = |sql: &str| {
        let connection = rusqlite::Connection::open(&path).expect("a database");
        connection.execute_batch(sql).expect("done");
    };
    let refuses = |says: &str| {
        let before = fs::read(&path).expect("bytes");
        let error = Learning::new(&path).server().expect_err("no server").to_string();
        assert!(error.contains(says), "expected {says:?}, but found {error:?}");
        assert!(fs::read(&path).expect("bytes") == before, "the file is as it was: {says}");
    };
    fs::write(&path, "text, and much of it; no database at all".repeat(100)).expect("written");
    refuses("it is no SQLite database");
    fs::write(&path, &good).expect("written");
    sqlite("PRAGMA user_version = 2;");
    refuses("expected a vault of version 1, but found the newer version 2");
    fs::write(&path, &good).expect("written");
    sqlite("PRAGMA application_id = 1;");
    refuses("a database of another program");
    let mut damaged = good.clone();
    let middle = good.len() / 2 / 4096 * 4096;
    damaged[middle..middle + 4096].fill(0xaa);
    fs::write(&path, &damaged).expect("written");
    refuses("damaged");
    fs::write(&path, &good[..good.len() / 2]).expect("written");
    refuses("damaged");
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a folder");
    let error = Learning::new(&path).server().expect_err("no server").to_string();
    assert!(error.contains("it can't be read or written"), "{error}");
}

#[test]
fn a_record_that_was_changed_outside_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vault.db");
    let vault = Vault::open(&path).expect("a vault");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    connection
        .execute("UPDATE resources SET record = replace(record, 'Raft', 'Rift') WHERE id = 'raft-paper'", [])
        .expect("changed");
    let error = vault.get("raft-paper").expect_err("damage").to_string();
    assert_eq!(error, "it is damaged: the resource \"raft-paper\" is not what was written");
    assert!(vault.get("raft-site").is_ok_and(|it| it.is_some()), "the rest can be read");
}

#[test]
fn a_locked_file_is_waited_for_and_then_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vault.db");
    let vault = Vault::open(&path).expect("a vault");
    let connection = rusqlite::Connection::open(&path).expect("a database");
    connection.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let mut mine = built_in().remove(0);
    (mine.id, mine.url) = ("mine".into(), "https://mine.example/".into());
    assert!(vault.get("raft-paper").is_ok_and(|it| it.is_some()), "reading goes on");
    assert_eq!(vault.add(&mine).expect_err("locked").to_string(), "another program has it locked");
    connection.execute_batch("ROLLBACK").expect("unlocked");
    vault.add(&mine).expect("added");
}

#[test]
fn new_resources_of_the_program_leave_those_of_the_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vault.db");
    let vault = Vault::open(&path).expect("a vault");
    let mut mine = built_in().remove(0);
    (mine.id, mine.url) = ("mine".into(), "https://mine.example/".into());
    vault.add(&mine).expect("added");
    drop(vault);
    // As if an older program had made it: another digest, one resource less, and the user has the address of one.
    let connection = rusqlite::Connection::open(&path).expect("a database");
    let sql = "UPDATE built_in SET digest = 1; DELETE FROM resources WHERE id = 'raft-paper';
        UPDATE resources SET is_built_in = 0 WHERE id = 'raft-site';";
    connection.execute_batch(sql).expect("changed");
    drop(connection);
    let vault = Vault::open(&path).expect("a vault");
    assert!(
        vault.get("raft-paper").is_ok_and(|it| it.is_some())
            && vault.get("mine").is_ok_and(|it| it.is_some())
    );
    assert_eq!(vault.count().expect("a number"), built_in().len() + 1);
    let found = rank(&vault, Question::new("raft"), &Filter::default()).expect("an answer");
    let ids: Vec<&str> = found.matches.iter().map(|it| &*it.0.id).collect();
    assert_eq!(ids.iter().filter(|it| **it == "raft-site").count(), 1, "{ids:?}");
}

#[test]
fn a_name_that_sqlite_knows_is_a_file_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(":memory:");
    let mut mine = built_in().remove(0);
    (mine.id, mine.url) = ("mine".into(), "https://mine.example/".into());
    Vault::open(&path).expect("a vault").add(&mine).expect("added");
    assert!(path.is_file() && Vault::open(&path).is_ok_and(|it| it.get("mine").is_ok_and(|it| it.is_some())));
    let error = plainwire_sqlite::open_or_create(std::path::Path::new("")).expect_err("no file");
    assert!(error.to_string().contains("can't be"), "{error}");
}

#[test]
fn a_vault_without_a_table_is_told_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vault.db");
    drop(Vault::open(&path).expect("a vault"));
    rusqlite::Connection::open(&path)
        .expect("a database")
        .execute_batch("DROP TABLE vocabulary")
        .expect("done");
    let error = Vault::open(&path).expect_err("damage").to_string();
    assert_eq!(error, "it is damaged: the table `vocabulary` is missing");
}

#[test]
fn an_id_with_a_number_is_free_whatever_numbers_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let vault = Vault::open(&folder.path().join("vault.db")).expect("a vault");
    let mut it = built_in().remove(0);
    for (at, id) in ["note", "note-7", "note-9223372036854775807", "note-x"].into_iter().enumerate() {
        (it.id, it.url) = (id.into(), format!("https://mine.example/{at}"));
        vault.add(&it).expect("added");
    }
    assert_eq!(vault.free_id("note").expect("an id"), "note-8");
    assert_eq!(vault.free_id("other").expect("an id"), "other");
    let long = "x".repeat(60);
    (it.id, it.url) = (long.clone(), "https://mine.example/long".into());
    vault.add(&it).expect("added");
    assert_eq!(vault.free_id(&long).expect("an id").len(), 52);
}
