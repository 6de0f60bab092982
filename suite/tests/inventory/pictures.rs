//! The pictures of the states in docs/inventory.md, made from the types. `UPDATE=1` writes them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use plainwire_inventory::states::{Machine, Manufacturing, Purchase, Sales, Transfer};

/// The width of a state, and the distance of two.
const WIDTH: i32 = 170;
const STEP: i32 = 230;

const STYLE: &str = "text{font:13px sans-serif;fill:#24292f}.name{font-size:12px;fill:#57606a}\
    rect{fill:#f6f8fa;stroke:#57606a;rx:6}path{fill:none;stroke:#57606a}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.name{fill:#9da7b3}rect{fill:#161b22;stroke:#9da7b3}path{stroke:#9da7b3}}";

/// Draws the states in a row: what leads forward above it, and what leads back or stays below.
fn picture(machine: &Machine, states: &[&str]) -> String {
    let at = |state: &str| states.iter().position(|it| *it == state).expect("a state") as i32;
    let mut arrows = String::new();
    let (mut above, mut below) = (0, 0);
    for (name, from, to) in machine.transitions {
        for from in *from {
            let (start, end) = (at(from), at(to));
            let is_forward = end > start;
            let level = if is_forward { &mut above } else { &mut below };
            *level += 1;
            let height = 26 * *level;
            let (x1, x2) = (
                start * STEP + WIDTH / 2 - 40 + (*level % 5) * 20,
                end * STEP + WIDTH / 2 - 40 + (*level % 5) * 20,
            );
            let x2 = if start == end { x2 + 30 } else { x2 };
            let (y, top) = if is_forward { (0, -height) } else { (40, 40 + height) };
            let tip = if is_forward { -6 } else { 6 };
            let _ = write!(
                arrows,
                r#"<path d="M{x1} {y}V{top}H{x2}V{y}m-4 {tip}l4 {}l4 {tip}"/><text class="name" x="{}" y="{}" text-anchor="middle">{name}</text>"#,
                -tip,
                (x1 + x2) / 2,
                top - 4
            );
        }
    }
    let (width, top) = (states.len() as i32 * STEP - STEP + WIDTH, 26 * above + 30);
    let height = top + 40 + 26 * below + 20;
    let mut boxes = String::new();
    for (n, state) in states.iter().enumerate() {
        let x = n as i32 * STEP;
        let _ = write!(
            boxes,
            r#"<rect x="{x}" y="0" width="{WIDTH}" height="40"/><text x="{}" y="25" text-anchor="middle">{state}</text>"#,
            x + WIDTH / 2
        );
    }
    let of = machine.of;
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -{top} {} {height}" width="{}" role="img"><title>The states of a {of}</title><style>{STYLE}</style>{arrows}{boxes}</svg>
"#,
        width + 20,
        width + 20
    )
}

#[test]
fn the_pictures_of_the_states_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
    for (machine, states) in [
        (Purchase::MACHINE, Purchase::ALL.iter().map(|it| it.name()).collect::<Vec<_>>()),
        (Sales::MACHINE, Sales::ALL.iter().map(|it| it.name()).collect()),
        (Manufacturing::MACHINE, Manufacturing::ALL.iter().map(|it| it.name()).collect()),
        (Transfer::MACHINE, Transfer::ALL.iter().map(|it| it.name()).collect()),
    ] {
        let path = folder.join(format!("inventory-{}.svg", machine.of.replace(' ', "-")));
        let picture = picture(&machine, &states);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &picture).expect("a picture");
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            found,
            picture,
            "{}: `UPDATE=1 cargo test -p plainwire-suite --test inventory pictures`",
            path.display()
        );
    }
}
