//! Charts: a line of stock over time, and bars of sales. One style, for all of them.
//!
//! In: dates and amounts. Out: an SVG, and the same picture as PNG. The picture has nothing that the value beside it lacks.

use plainwire::handler::embed;
use plainwire::model::{Content, ResourceContents};
use plainwire::prelude::*;
use plotters::prelude::*;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive as _, ToPrimitive as _};

use crate::amount::Amount;
use crate::time::Day;

/// The font of all texts, in the tree, so that each machine draws the same.
const FONT: &[u8] = include_bytes!("../../data/DejaVuSans-subset.ttf");
const FAMILY: &str = "DejaVu Sans";

/// The size in pixels.
const SIZE: (u32, u32) = (960, 420);

/// The largest number of bars.
pub const MAX_BARS: usize = 60;

const INK: RGBColor = RGBColor(36, 41, 47);
const GRID: RGBColor = RGBColor(222, 226, 230);
const MARK: RGBColor = RGBColor(9, 105, 218);

/// A chart, in two forms.
#[derive(Clone, Debug)]
pub struct Chart {
    pub svg: String,
    pub png: Vec<u8>,
}

impl Chart {
    fn new(svg: String) -> Result<Self, String> {
        let mut options = usvg::Options { font_family: FAMILY.to_owned(), ..usvg::Options::default() };
        options.fontdb_mut().load_font_data(FONT.to_vec());
        let tree = usvg::Tree::from_str(&svg, &options).map_err(|error| error.to_string())?;
        let mut pixels = Pixmap::new(SIZE.0, SIZE.1).ok_or("there is no memory for a picture")?;
        resvg::render(&tree, Transform::default(), &mut pixels.as_mut());
        let png = pixels.encode_png().map_err(|error| error.to_string())?;
        Ok(Self { svg, png })
    }

    /// Returns the blocks of a result: the picture, and the SVG as a resource.
    pub fn blocks(self, name: &str) -> [Content; 2] {
        let svg = ResourceContents::text(format!("inventory://charts/{name}.svg"), "image/svg+xml", self.svg);
        [Image { bytes: self.png, mime_type: "image/png".to_owned() }.into(), embed(svg)]
    }
}

/// Draws an amount that stays until it changes, from the first day to the last.
///
/// # Errors
/// A sentence that says why there is no picture.
pub fn over_time(title: &str, points: &[(Day, Amount)]) -> Result<Chart, String> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err("expected movements to draw, but found none".to_owned());
    };
    let at = |day: Day| first.0.days_until(day) as f64;
    let mut steps = Vec::new();
    let mut before = None;
    for (day, amount) in points {
        let (x, y) = (at(*day), number(*amount));
        steps.extend(before.map(|y| (x, y)));
        steps.push((x, y));
        before = Some(y);
    }
    let days = at(last.0).max(1.0);
    if let Some(y) = before {
        steps.push((days, y));
    }
    let label = |x: &f64| first.0.plus(x.round() as i64).to_string();
    draw(title, 0.0..days, points.iter().map(|it| it.1), &label, (days as usize + 1).min(8), |chart| {
        let line = LineSeries::new(steps.iter().copied(), MARK.stroke_width(2));
        chart.draw_series(line).map(|_| ())
    })
}

/// Draws a bar for each name.
///
/// # Errors
/// A sentence that says why there is no picture.
pub fn bars(title: &str, rows: &[(String, Amount)]) -> Result<Chart, String> {
    if rows.is_empty() || rows.len() > MAX_BARS {
        return Err(format!("expected 1 to {MAX_BARS} groups to draw, but found {}", rows.len()));
    }
    let label = |x: &f64| {
        // Labels are at the middles of bars only.
        let name = rows.get((x - 0.5).round().max(0.0) as usize).map_or("", |it| &it.0);
        name.chars().take(14).collect()
    };
    let width = rows.len() as f64;
    draw(title, 0.0..width, rows.iter().map(|it| it.1), &label, rows.len().min(10), |chart| {
        let bars = rows.iter().enumerate().map(|(n, (_, amount))| {
            let x = n as f64;
            Rectangle::new([(x + 0.15, 0.0), (x + 0.85, number(*amount))], MARK.filled())
        });
        chart.draw_series(bars).map(|_| ())
    })
}

/// Returns an amount for a picture, whose pixels are coarser than the rounding.
fn number(amount: Amount) -> f64 {
    amount.decimal().to_f64().unwrap_or_default()
}

type Drawing<'a> = ChartContext<
    'a,
    SVGBackend<'a>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// Draws the title, the axes and what `content` draws between them.
fn draw(
    title: &str,
    x: std::ops::Range<f64>,
    amounts: impl Iterator<Item = Amount>,
    label: &dyn Fn(&f64) -> String,
    labels: usize,
    content: impl FnOnce(&mut Drawing<'_>) -> Result<(), DrawingAreaErrorKind<std::io::Error>>,
) -> Result<Chart, String> {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for amount in amounts.map(number) {
        (low, high) = (low.min(amount), high.max(amount));
    }
    let high = if high > low { high * 1.05 } else { low + 1.0 };
    let mut svg = String::new();
    let drawn = (|| {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let text = |size: u32| (FAMILY, size).into_font().color(&INK);
        let title: String = title.chars().take(80).collect();
        let mut chart = ChartBuilder::on(&area)
            .caption(title, text(18))
            .margin(16)
            .x_label_area_size(36)
            .y_label_area_size(72)
            .build_cartesian_2d(x, low..high)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(INK)
            .label_style(text(12))
            .x_labels(labels)
            .x_label_formatter(label)
            .y_label_formatter(&|y| Amount::rounded(Decimal::from_f64(*y).unwrap_or_default()).to_string())
            .draw()?;
        content(&mut chart)?;
        area.present()
    })();
    drawn.map_err(|error| error.to_string())?;
    Chart::new(svg)
}
