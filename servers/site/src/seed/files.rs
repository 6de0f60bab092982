//! Files to attach: small pictures and texts.
//!
//! In: a source of numbers. Out: the bytes of PNG images and of texts.

use super::random::Random;

/// A file.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) media_type: &'static str,
    pub(super) content: Vec<u8>,
}

/// The width and height of pictures.
pub(super) const SIZE: (u32, u32) = (96, 60);

/// Makes a picture that looks like a window: a bar, a column beside the page, and lines or boxes in it.
pub(super) fn picture(name: &str, random: &mut Random) -> File {
    const WHITE: u8 = 0;
    const BAR: u8 = 1;
    const SIDE: u8 = 2;
    const LINE: u8 = 3;
    const ACCENT: u8 = 4;
    let accents: [[u8; 3]; 5] =
        [[0xde, 0x35, 0x0b], [0x00, 0x87, 0x5a], [0x00, 0x52, 0xcc], [0xff, 0x99, 0x1f], [0x65, 0x54, 0xc0]];
    let accent = *random.pick(&accents);
    let palette = [[0xff, 0xff, 0xff], [0x17, 0x2b, 0x4d], [0xeb, 0xec, 0xf0], [0xc1, 0xc7, 0xd0], accent];
    let (width, height) = (SIZE.0 as usize, SIZE.1 as usize);
    let mut pixels = vec![WHITE; width * height];
    let mut fill = |left: usize, top: usize, right: usize, bottom: usize, color: u8| {
        for y in top..bottom.min(height) {
            for x in left..right.min(width) {
                pixels[y * width + x] = color;
            }
        }
    };
    fill(0, 0, width, 8, BAR);
    fill(0, 8, 18, height, SIDE);
    for row in 0..6 {
        fill(24, 13 + row * 7, 34 + random.below(58), 16 + row * 7, LINE);
    }
    let (left, top) = (22 + random.below(40), 11 + random.below(30));
    fill(left, top, left + 14 + random.below(18), top + 9, ACCENT);
    File { name: name.to_owned(), media_type: "image/png", content: png(SIZE, &palette, &pixels) }
}

/// Makes a file of text.
pub(super) fn text(name: &str, text: &str) -> File {
    let media_type = match name.rsplit_once('.') {
        Some((_, "csv")) => "text/csv",
        Some((_, "json")) => "application/json",
        _ => "text/plain",
    };
    File { name: name.to_owned(), media_type, content: text.as_bytes().to_vec() }
}

/// Makes a PNG image with a palette. Spec: PNG (third edition) §11; the pixels are in stored blocks of RFC 1951 §3.2.4.
fn png((width, height): (u32, u32), palette: &[[u8; 3]], pixels: &[u8]) -> Vec<u8> {
    let mut rows = Vec::with_capacity(pixels.len() + height as usize);
    for row in pixels.chunks(width as usize) {
        rows.push(0);
        rows.extend_from_slice(row);
    }
    let mut data = vec![0x78, 0x01];
    let blocks: Vec<_> = rows.chunks(0xffff).collect();
    for (at, block) in blocks.iter().enumerate() {
        let length = block.len() as u16;
        data.push(u8::from(at + 1 == blocks.len()));
        data.extend(length.to_le_bytes());
        data.extend((!length).to_le_bytes());
        data.extend_from_slice(block);
    }
    data.extend(adler(&rows).to_be_bytes());
    let mut header = Vec::with_capacity(13);
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 3, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"PLTE", palette.as_flattened());
    chunk(&mut out, b"IDAT", &data);
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend_from_slice(kind);
    out.extend_from_slice(data);
    let sum = crc(&out[start..]);
    out.extend(sum.to_be_bytes());
}

fn crc(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
        }
    }
    !sum
}

fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    (b << 16) | a
}
