//! Signed assertions: a client authenticates with a private key (`private_key_jwt`, RFC 7523).
//!
//! In: a key in PEM, the client's id, the audience and the time. Out: a JWT. This module verifies nothing.
//! Workload identities and proofs of possession (DPoP) will sign here too when they are supported.

use std::fmt;
use std::sync::Arc;

use plainwire::proto::base64::encode_url;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    RSA_PKCS1_SHA256, RsaKeyPair,
};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use serde_json::json;

use super::fault::Failure;

/// A private key that signs assertions.
#[derive(Clone)]
pub(super) struct SigningKey {
    pair: Arc<Pair>,
    id: Option<String>,
}

enum Pair {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// Reads a key in PEM: PKCS#8, or PKCS#1 for RSA. `id` is the `kid` of its public key.
    pub(super) fn from_pem(pem: &str, id: Option<String>) -> Result<Self, Failure> {
        let expected =
            "expected a private key in PEM: PKCS#8 of RSA, P-256, P-384 or Ed25519, or PKCS#1 of RSA";
        let pair = PrivateKeyDer::from_pem_slice(pem.as_bytes()).ok().and_then(|der| Pair::of(&der));
        let pair = pair.ok_or_else(|| Failure::settings(format!("{expected}, but found something else")))?;
        Ok(Self { pair: Arc::new(pair), id })
    }

    /// Returns the name of the algorithm in RFC 7518 and 8037.
    pub(super) fn algorithm(&self) -> &'static str {
        match *self.pair {
            Pair::Ed25519(_) => "EdDSA",
            Pair::P256(_) => "ES256",
            Pair::P384(_) => "ES384",
            Pair::Rsa(_) => "RS256",
        }
    }

    /// Returns the JWT with which `client_id` authenticates to `audience`. It is valid for [`LIFETIME`] from
    /// the Unix time `now`.
    pub(super) fn assertion(&self, client_id: &str, audience: &str, now: u64) -> Result<String, Failure> {
        let mut header = json!({ "alg": self.algorithm(), "typ": "JWT" });
        if let Some(id) = &self.id {
            header["kid"] = json!(id);
        }
        let claims = json!({
            "iss": client_id,
            "sub": client_id,
            "aud": audience,
            "iat": now,
            "exp": now + LIFETIME,
            "jti": encode_url(&crate::runtime::random_bytes::<16>()),
        });
        let part = |value: &serde_json::Value| encode_url(value.to_string().as_bytes());
        let text = format!("{}.{}", part(&header), part(&claims));
        let signature = self.pair.sign(text.as_bytes());
        let signature =
            signature.map_err(|_| Failure::settings("expected a private key that signs, but found none"))?;
        Ok(format!("{text}.{}", encode_url(&signature)))
    }
}

impl Pair {
    fn of(der: &PrivateKeyDer<'_>) -> Option<Self> {
        let random = SystemRandom::new();
        match der {
            PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der()).ok().map(Self::Rsa),
            PrivateKeyDer::Pkcs8(key) => {
                let bytes = key.secret_pkcs8_der();
                let ec = |curve| EcdsaKeyPair::from_pkcs8(curve, bytes, &random).ok();
                let p256 = ec(&ECDSA_P256_SHA256_FIXED_SIGNING).map(Self::P256);
                p256.or_else(|| ec(&ECDSA_P384_SHA384_FIXED_SIGNING).map(Self::P384))
                    .or_else(|| Ed25519KeyPair::from_pkcs8_maybe_unchecked(bytes).ok().map(Self::Ed25519))
                    .or_else(|| RsaKeyPair::from_pkcs8(bytes).ok().map(Self::Rsa))
            }
            _ => None,
        }
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, ring::error::Unspecified> {
        let random = SystemRandom::new();
        match self {
            Self::Ed25519(pair) => Ok(pair.sign(text).as_ref().to_vec()),
            Self::P256(pair) | Self::P384(pair) => Ok(pair.sign(&random, text)?.as_ref().to_vec()),
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, text, &mut signature)?;
                Ok(signature)
            }
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SigningKey").field(&self.algorithm()).finish()
    }
}

/// Seconds for which an assertion is valid: enough for one request and for clocks that differ.
const LIFETIME: u64 = 300;
