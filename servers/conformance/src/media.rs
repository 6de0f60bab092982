//! A picture and a sound, each as small as its format allows.

use plainwire::prelude::*;

/// Returns a picture of one red pixel, as PNG.
pub(crate) fn pixel() -> Image {
    Image { bytes: PIXEL.to_vec(), mime_type: "image/png".to_owned() }
}

/// Returns a sound: a millisecond of noise, as WAV with one channel, 8 kHz and 8 bits.
pub(crate) fn noise() -> Audio {
    Audio { bytes: NOISE.to_vec(), mime_type: "audio/wav".to_owned() }
}

const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\
    \x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\
    \x00\x00\x00\x0cIDATx\xdac\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xf7\x03AC\
    \x00\x00\x00\x00IEND\xaeB`\x82";

const NOISE: &[u8] = b"RIFF,\x00\x00\x00WAVE\
    fmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00\
    data\x08\x00\x00\x00\x80\xff\x80\x00\x80\xff\x80\x00";
