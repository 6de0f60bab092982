//! The Secret Service of a desktop, by D-Bus: GNOME Keyring, KWallet, KeePassXC.
//!
//! In: names and texts. Out: items in the default collection, which are found by two attributes. Eight D-Bus
//! methods are enough, so this module calls them itself: the crates for this API bring 30 other crates, for
//! an encryption between program and bus that keeps no attacker out.
//!
//! Source: freedesktop.org Secret Service API 0.2.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::pin::pin;

use zbus::export::futures_core::Stream as _;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy};

use super::failed;

/// A session with the Secret Service.
#[derive(Debug)]
pub(super) struct Keychain {
    bus: Connection,
    name: String,
    session: OwnedObjectPath,
}

/// A secret as D-Bus carries it, the fields in this order: session, parameters of the encryption, bytes,
/// content type.
type Secret = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

impl Keychain {
    pub(super) async fn open(name: &str) -> io::Result<Self> {
        let bus = Connection::session().await.map_err(|error| failed(&error))?;
        let service = proxy(&bus, SERVICE_PATH, "Service").await?;
        let opened: Result<(OwnedValue, OwnedObjectPath), _> =
            service.call("OpenSession", &("plain", Value::from(""))).await;
        let (_, session) = opened.map_err(|error| failed(&error))?;
        Ok(Self { bus, name: name.to_owned(), session })
    }

    pub(super) async fn load(&self, account: &str) -> io::Result<Option<String>> {
        let Some(item) = self.find(account).await?.into_iter().next() else { return Ok(None) };
        let item = proxy(&self.bus, item.as_str(), "Item").await?;
        let secret: Secret =
            item.call("GetSecret", &(&self.session)).await.map_err(|error| failed(&error))?;
        String::from_utf8(secret.2).map(Some).map_err(|_| failed(&"a secret that is not UTF-8"))
    }

    pub(super) async fn save(&self, account: &str, text: &str) -> io::Result<()> {
        let service = proxy(&self.bus, SERVICE_PATH, "Service").await?;
        let collection: OwnedObjectPath =
            service.call("ReadAlias", &("default")).await.map_err(|error| failed(&error))?;
        if collection.as_str() == NO_OBJECT {
            return Err(failed(&"no default collection"));
        }
        self.unlock(std::slice::from_ref(&collection)).await?;
        let label = format!("{} {account}", self.name);
        let properties = HashMap::from([
            ("org.freedesktop.Secret.Item.Label", Value::from(label)),
            ("org.freedesktop.Secret.Item.Attributes", Value::from(self.attributes(account))),
        ]);
        let secret = (&self.session, Vec::<u8>::new(), text.as_bytes(), "text/plain; charset=utf8");
        let collection = proxy(&self.bus, collection.as_str(), "Collection").await?;
        let replaces = true;
        let created: Result<(OwnedObjectPath, OwnedObjectPath), _> =
            collection.call("CreateItem", &(properties, secret, replaces)).await;
        let (_, prompt) = created.map_err(|error| failed(&error))?;
        self.answer(&prompt).await
    }

    pub(super) async fn remove(&self, account: &str) -> io::Result<()> {
        for item in self.find(account).await? {
            let item = proxy(&self.bus, item.as_str(), "Item").await?;
            let prompt: OwnedObjectPath = item.call("Delete", &()).await.map_err(|error| failed(&error))?;
            self.answer(&prompt).await?;
        }
        Ok(())
    }

    /// Finds the items of `account`, the file name of a key, and unlocks them.
    async fn find(&self, account: &str) -> io::Result<Vec<OwnedObjectPath>> {
        let service = proxy(&self.bus, SERVICE_PATH, "Service").await?;
        let found: Result<(Vec<OwnedObjectPath>, Vec<OwnedObjectPath>), _> =
            service.call("SearchItems", &(self.attributes(account))).await;
        let (mut items, locked) = found.map_err(|error| failed(&error))?;
        self.unlock(&locked).await?;
        items.extend(locked);
        Ok(items)
    }

    async fn unlock(&self, objects: &[OwnedObjectPath]) -> io::Result<()> {
        if objects.is_empty() {
            return Ok(());
        }
        let service = proxy(&self.bus, SERVICE_PATH, "Service").await?;
        let unlocked: Result<(Vec<OwnedObjectPath>, OwnedObjectPath), _> =
            service.call("Unlock", &(objects)).await;
        let (_, prompt) = unlocked.map_err(|error| failed(&error))?;
        self.answer(&prompt).await
    }

    /// Shows the prompt of the service to the user and waits for the answer; does nothing if there is no
    /// prompt.
    async fn answer(&self, prompt: &ObjectPath<'_>) -> io::Result<()> {
        if prompt.as_str() == NO_OBJECT {
            return Ok(());
        }
        let prompt = proxy(&self.bus, prompt.as_str(), "Prompt").await?;
        // Before the prompt is shown: its answer may come before the next line runs.
        let mut answers = pin!(prompt.receive_signal("Completed").await.map_err(|error| failed(&error))?);
        let window = "";
        prompt.call::<_, _, ()>("Prompt", &(window)).await.map_err(|error| failed(&error))?;
        let answer = poll_fn(|cx| answers.as_mut().poll_next(cx)).await;
        let answer = answer.ok_or_else(|| failed(&"a closed session bus"))?;
        let read: Result<(bool, OwnedValue), _> = answer.body().deserialize();
        match read {
            Ok((false, _)) => Ok(()),
            Ok((true, _)) => Err(failed(&"that the user did not unlock it")),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Returns the attributes by which items are found. Keychains store attributes unencrypted, so they
    /// contain no URL.
    fn attributes(&self, account: &str) -> HashMap<String, String> {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        HashMap::from([pair("service", &self.name), pair("account", account)])
    }
}

async fn proxy<'p>(bus: &Connection, path: &'p str, interface: &str) -> io::Result<Proxy<'p>> {
    let interface = format!("org.freedesktop.Secret.{interface}");
    Proxy::new(bus, "org.freedesktop.secrets", path, interface).await.map_err(|error| failed(&error))
}

const SERVICE_PATH: &str = "/org/freedesktop/secrets";
/// The object path by which the service says that there is no object: no collection, no prompt.
const NO_OBJECT: &str = "/";
