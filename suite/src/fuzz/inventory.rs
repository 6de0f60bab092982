//! Fuzz target for the inventory: no text is more than words to a search, an import adds nothing that breaks a rule, and amounts
//! and times are the same when they are written and read again.

use std::path::Path;

use plainwire_inventory::amount::Amount;
use plainwire_inventory::catalog::search::search;
use plainwire_inventory::import::{What, export, run};
use plainwire_inventory::ledger::check::check;
use plainwire_inventory::store::{Clock, MEMORY, Store};
use plainwire_inventory::time::Time;

/// Searches for the text, imports it into an empty inventory, and reads it as an amount and as a time.
pub fn inventory(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    if let Ok(amount) = text.parse::<Amount>() {
        let json = serde_json::to_string(&amount).expect("an amount has JSON");
        assert_eq!(serde_json::from_str::<Amount>(&json).ok(), Some(amount), "{json}");
        assert_eq!(amount.to_string().parse(), Ok(amount));
    }
    if let Ok(time) = text.parse::<Time>() {
        assert_eq!(time.to_string().parse(), Ok(time));
    }
    let store = Store::open(Path::new(MEMORY), Clock::default()).expect("an inventory");
    let query = text;
    let found = store.read(move |db| {
        ["variant", "customer", "sales_order"]
            .iter()
            .try_for_each(|kind| search(db, kind, &query, 5, "1").map(drop))?;
        Ok(())
    });
    assert!(found.is_ok(), "{found:?}");
    for what in What::ALL {
        let report = run(&store, what, data, true).map_err(|fault| fault.text());
        if let Ok(Ok(imported)) = report {
            let written = export(&store, what).expect("CSV");
            assert!(imported.rows > 0 && written.len() > what.name().len());
            let findings = store.read(|db| Ok(check(db)?)).expect("a check");
            assert!(findings.is_empty(), "{findings:?}");
        }
    }
}
