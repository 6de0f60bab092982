//! Sealed request state (`requestState`): data that a server gives to its client, and that the client sends
//! back unchanged.
//!
//! Sealing takes keys, a nonce, an expiry, a body, and the [`Binding`] to a request. It returns a text that
//! the client can neither read, change nor use for another request. Opening this text returns the body again,
//! or a [`Refusal`]. This module draws no randomness and reads no clock: nonce and time are arguments. It
//! stores nothing except in [`UsedStates`].
//!
//! A state is one version byte, 24 bytes of nonce, then expiry, binding and body, encrypted by
//! XChaCha20-Poly1305 with the version byte as associated data; all of it in base64 for URLs. The binding is
//! encrypted and not associated data, so that a genuine state of another request can be told from one that
//! was tampered with.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce, XChaCha20Poly1305, XNonce};

use crate::base64;
use crate::json::canonical::canonical;

/// Largest length of a sealed state, in bytes of text: it travels to the client and back, and clients hold it
/// in memory.
pub const MAX_BYTES: usize = 64 << 10;

/// Largest number of keys in [`SealingKeys`]: opening a forged state tries every key.
pub const MAX_KEYS: usize = 16;

/// The keys of a server for request state: the first key seals new states, and each key opens the states that
/// it sealed.
///
/// To rotate keys, first append the new key on every server, then move it to the front on every server, then
/// remove the old one once its states have expired.
#[derive(Clone)]
pub struct SealingKeys {
    /// The keys; the first key seals new states. Invariant: 1 to [`MAX_KEYS`] keys.
    keys: Vec<SealingKey>,
}

/// The request that a state is bound to: a request that differs in one of these fields cannot use the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding<'b> {
    /// The principal (the authenticated user or program) that makes the request; `None` if it is not known.
    /// `None` differs from an empty name.
    pub principal: Option<&'b str>,
    /// The method of the request.
    pub method: &'b str,
    /// The name or URI of the tool, prompt or resource.
    pub name: &'b str,
    /// The arguments as JSON text, or an empty text. Order of members, white space and escapes do not matter;
    /// numbers must be written identically. Text that is not JSON, or has more than 128 levels, is compared
    /// byte by byte.
    pub arguments: &'b str,
    /// The name of the server.
    pub server: &'b str,
    /// The version of the server.
    pub version: &'b str,
}

/// The content of a state that was opened.
#[derive(Clone, PartialEq, Eq)]
pub struct Opened {
    /// The body that was sealed.
    pub body: String,
    /// Unix time from which on the state is no longer valid.
    pub expires: Duration,
    /// The nonce of the state, which identifies it.
    pub id: [u8; 24],
}

/// The reason why a state is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The state has expired.
    Expired,
    /// The state is genuine, but belongs to another request: the field of [`Binding`] with this name differs.
    /// `server` also stands for `version`.
    Foreign(&'static str),
    /// [`UsedStates`] is full of states that have not expired yet; trying again later may help.
    Full,
    /// The text does not have the format of a state.
    Malformed,
    /// The state was used before, and may be used only once.
    Replayed,
    /// The state was changed, forged, or sealed with a key that is not accepted.
    Tampered,
    /// The state is longer than [`MAX_BYTES`].
    TooLong,
}

impl SealingKeys {
    /// Creates a set of keys, each of 32 random bytes, with the sealing key first; `None` unless there are 1
    /// to [`MAX_KEYS`] keys.
    pub fn new(keys: &[[u8; 32]]) -> Option<Self> {
        (1..=MAX_KEYS)
            .contains(&keys.len())
            .then(|| Self { keys: keys.iter().map(SealingKey::derive).collect() })
    }

    /// Seals `body` for requests that match `binding`. The state is valid until the Unix time `expires`.
    ///
    /// `nonce` must be random and used only once: a client that has two states with the same nonce can read
    /// and forge states. The body and all fields of `binding` except `arguments` add to the length of the
    /// state.
    ///
    /// # Errors
    /// [`Refusal::TooLong`] if the state would be longer than [`MAX_BYTES`].
    pub fn seal(
        &self,
        nonce: [u8; 24],
        binding: &Binding<'_>,
        expires: Duration,
        body: &str,
    ) -> Result<String, Refusal> {
        let key = &self.keys[0];
        let plain = Plain {
            expires,
            principal: binding.principal,
            method: binding.method,
            name: binding.name,
            arguments: key.arguments(&nonce, binding.arguments),
            server: binding.server,
            version: binding.version,
            body,
        }
        .to_bytes();
        if (HEAD + plain.len() + TAG).saturating_mul(4).div_ceil(3) > MAX_BYTES {
            return Err(Refusal::TooLong);
        }
        let payload = Payload { msg: &plain, aad: &[VERSION] };
        let sealed = key.state.encrypt(&XNonce::from(nonce), payload).expect(FITS);
        Ok(base64::encode_url(&[&[VERSION], nonce.as_slice(), &sealed].concat()))
    }

    /// Opens `state` for a request that `binding` describes, at the Unix time `now_unix`.
    ///
    /// A state is valid while `now_unix < expires`; at exactly `expires` it has expired.
    ///
    /// # Errors
    /// In the order of the checks: [`Refusal::TooLong`] and [`Refusal::Malformed`] for the text itself,
    /// [`Refusal::Tampered`] if no key opens it, [`Refusal::Malformed`] if the decrypted bytes have another
    /// format, [`Refusal::Expired`], and [`Refusal::Foreign`] with the first field of the binding that
    /// differs from the sealed one.
    pub fn open(&self, state: &str, binding: &Binding<'_>, now_unix: Duration) -> Result<Opened, Refusal> {
        if state.len() > MAX_BYTES {
            return Err(Refusal::TooLong);
        }
        let bytes = base64::decode_url(state).ok_or(Refusal::Malformed)?;
        let (head, sealed) = bytes.split_first_chunk::<HEAD>().ok_or(Refusal::Malformed)?;
        let [VERSION, id @ ..] = *head else { return Err(Refusal::Malformed) };
        let (key, plain) = self.decrypt(&id, sealed).ok_or(Refusal::Tampered)?;
        let plain = Plain::of(&plain).ok_or(Refusal::Malformed)?;
        if now_unix >= plain.expires {
            return Err(Refusal::Expired);
        }
        let same = [
            ("principal", plain.principal == binding.principal),
            ("method", plain.method == binding.method),
            ("name", plain.name == binding.name),
            ("arguments", plain.arguments == key.arguments(&id, binding.arguments)),
            ("server", plain.server == binding.server && plain.version == binding.version),
        ];
        match same.iter().find(|(_, same)| !same) {
            Some((part, _)) => Err(Refusal::Foreign(part)),
            None => Ok(Opened { body: plain.body.to_owned(), expires: plain.expires, id }),
        }
    }

    /// Returns the key with which `sealed` was encrypted, and the decrypted bytes; `None` if no key fits.
    fn decrypt(&self, nonce: &[u8; 24], sealed: &[u8]) -> Option<(&SealingKey, Vec<u8>)> {
        let nonce = XNonce::from(*nonce);
        self.keys.iter().find_map(|key| {
            let plain = key.state.decrypt(&nonce, Payload { msg: sealed, aad: &[VERSION] }).ok()?;
            Some((key, plain))
        })
    }
}

impl fmt::Debug for SealingKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKeys")
    }
}

impl fmt::Debug for Opened {
    /// Writes only the expiry: the body is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("expires", &self.expires).finish_non_exhaustive()
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected request state ")?;
        match self {
            Self::Expired => f.write_str("that is still good, but found that it has expired"),
            Self::Foreign(part) => write!(f, "of this request, but found a difference in its {part}"),
            Self::Full => f.write_str("that can be recorded as used, but found the record full"),
            Self::Malformed => f.write_str("of this server, but found text of another shape"),
            Self::Replayed => f.write_str("that is new, but found that it was used before"),
            Self::Tampered => f.write_str("of this server, but found that no key opens it"),
            Self::TooLong => write!(f, "of at most {MAX_BYTES} bytes, but found it to be longer"),
        }
    }
}

/// A record of used states, for states that may be used only once.
///
/// The record belongs to one process. A server of several replicas needs a record that the replicas share, or
/// must send all requests of a client to the same replica.
#[derive(Debug)]
pub struct UsedStates {
    /// Largest number of states in `used`.
    max: usize,
    /// The used states that have not expired: expiry as Unix time, and id. Ordered by expiry, so that the
    /// first is the next to remove. Invariant: at most `max`.
    used: BTreeSet<(Duration, [u8; 24])>,
    /// The latest expiry of the states removed so far. A state that expires at this time or earlier is
    /// refused, even if the clock was set back since.
    forgotten: Duration,
}

impl UsedStates {
    /// Creates an empty record for at most `max` states that have not expired; each takes about 80 bytes.
    pub fn new(max: usize) -> Self {
        Self { max, used: BTreeSet::new(), forgotten: Duration::ZERO }
    }

    /// Records that the state `opened` is used at the Unix time `now_unix`, and removes expired states from
    /// the record.
    ///
    /// # Errors
    /// [`Refusal::Expired`] if the state has expired since it was opened, [`Refusal::Replayed`] if it was
    /// used before, [`Refusal::Full`] if there is no room to record it.
    pub fn take(&mut self, opened: &Opened, now_unix: Duration) -> Result<(), Refusal> {
        while let Some(&first) = self.used.first().filter(|(expires, _)| *expires <= now_unix) {
            self.used.remove(&first);
            self.forgotten = first.0;
        }
        let entry = (opened.expires, opened.id);
        if opened.expires <= now_unix.max(self.forgotten) {
            return Err(Refusal::Expired);
        }
        if self.used.contains(&entry) {
            return Err(Refusal::Replayed);
        }
        if self.used.len() >= self.max {
            return Err(Refusal::Full);
        }
        self.used.insert(entry);
        Ok(())
    }
}

/// Returns a digest of `text` under `salt`, to detect that a text has changed.
///
/// The digest is the tag of ChaCha20-Poly1305 over `text` as associated data, with the salt as key and a
/// fixed nonce. This is a keyed digest, not a general one: an attacker who knows the salt, or sees digests
/// under it, can make two texts with the same digest. So the salt must be random, new for each call of a
/// tool, prompt or resource, and kept inside sealed state together with the digest. Then an attacker cannot
/// aim for a collision, and texts of a megabyte collide with a probability below 2^-86.
pub fn digest(salt: &[u8; 32], text: &str) -> [u8; 16] {
    let payload = Payload { msg: b"", aad: text.as_bytes() };
    let tag = ChaCha20Poly1305::new(&Key::from(*salt)).encrypt(&Nonce::from([0; 12]), payload);
    tag.expect(FITS).try_into().expect("sealing an empty message yields only the tag")
}

/// Two keys derived from one key of the server, so that no key serves two purposes.
#[derive(Clone)]
struct SealingKey {
    /// The cipher that encrypts states.
    state: XChaCha20Poly1305,
    /// The cipher whose keystream is the salt for the digest of the arguments.
    salts: XChaCha20Poly1305,
}

impl SealingKey {
    fn derive(key: &[u8; 32]) -> Self {
        let master = ChaCha20Poly1305::new(&Key::from(*key));
        let derived = |purpose: &[u8; 12]| {
            let stream = master.encrypt(&Nonce::from(*purpose), [0; 32].as_slice()).expect(FITS);
            XChaCha20Poly1305::new(&Key::from(
                *stream.first_chunk().expect("the output is never shorter than the input"),
            ))
        };
        Self { state: derived(b"pw state  v1"), salts: derived(b"pw salts  v1") }
    }

    /// Returns the digest of the arguments `json`. A state holds this digest in place of the arguments, which
    /// may be long.
    ///
    /// Its salt is the keystream of the key `salts` under the state's nonce: each state has its own salt,
    /// which is unknown without the key and need not be stored. (The keystream of the key `state` under that
    /// nonce cannot be the salt, because that keystream hides the plaintext.) The digest leaves this process only
    /// encrypted, so an attacker has to try other arguments blindly, with one request for each try.
    fn arguments(&self, nonce: &[u8; 24], json: &str) -> [u8; 16] {
        let salt = self.salts.encrypt(&XNonce::from(*nonce), [0; 32].as_slice()).expect(FITS);
        let salt = salt.first_chunk().expect("the output is never shorter than the input");
        // The canonical form is itself JSON, so it never equals a text that is not JSON.
        canonical(json).map_or_else(|| digest(salt, json), |json| digest(salt, &json))
    }
}

/// The plaintext of a state: the expiry, the [`Binding`] with a digest in place of the arguments, and the
/// body. As bytes, each text is preceded by its length, so that `a`, `bc` differs from `ab`, `c`.
struct Plain<'p> {
    expires: Duration,
    principal: Option<&'p str>,
    method: &'p str,
    name: &'p str,
    arguments: [u8; 16],
    server: &'p str,
    version: &'p str,
    body: &'p str,
}

impl<'p> Plain<'p> {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.expires.as_secs().to_le_bytes().to_vec();
        bytes.extend(self.expires.subsec_nanos().to_le_bytes());
        bytes.extend(self.arguments);
        bytes.push(self.principal.is_some().into());
        let texts =
            [self.principal.unwrap_or(""), self.method, self.name, self.server, self.version, self.body];
        for text in texts {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    fn of(mut bytes: &'p [u8]) -> Option<Self> {
        let rest = &mut bytes;
        let (seconds, nanos) = (u64::from_le_bytes(take(rest)?), u32::from_le_bytes(take(rest)?));
        let expires = Duration::from_secs(seconds).checked_add(Duration::from_nanos(nanos.into()))?;
        let (arguments, [known]) = (take(rest)?, take(rest)?);
        let plain = Self {
            expires,
            principal: Some(text(rest)?).filter(|_| known == 1),
            method: text(rest)?,
            name: text(rest)?,
            arguments,
            server: text(rest)?,
            version: text(rest)?,
            body: text(rest)?,
        };
        rest.is_empty().then_some(plain)
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*first)
}

fn text<'p>(rest: &mut &'p [u8]) -> Option<&'p str> {
    let length = usize::try_from(u64::from_le_bytes(take(rest)?)).ok()?;
    let (text, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    std::str::from_utf8(text).ok()
}

/// The first byte of a state: the version of its format.
const VERSION: u8 = 1;
/// Length in bytes of the unencrypted beginning of a state: version and nonce.
const HEAD: usize = 25;
/// Length of the authentication tag in bytes.
const TAG: usize = 16;
/// The reason why encryption cannot fail, as the message of `expect`.
const FITS: &str = "a text in memory is shorter than the cipher's limit of 2^38 bytes";

#[cfg(test)]
mod tests;
