//! The entities of the sample: locations, partners, items and bills of materials.

use rusqlite::{Connection, params};

use super::Random;
use crate::amount::Amount;
use crate::catalog::{
    NewCustomer, NewItem, NewVariant, add_customer, add_item, add_location, add_supplier, new_id,
};
use crate::fault::Fault;
use crate::kinds::ItemType;
use crate::time::Time;

const SUPPLIERS: [&str; 8] = [
    "Alder & Sons Timber",
    "Bergholz Furniere",
    "Cobalt Hardware",
    "Deltafoam",
    "Eichmann Lacke",
    "Fjord Textiles",
    "Granite State Tools",
    "Hobel und Span",
];

const MATERIALS: [(&str, &str, &str); 10] = [
    ("Oak board", "m", "wood"),
    ("Walnut board", "m", "wood"),
    ("Steel tube", "m", "metal"),
    ("Screw set", "pcs", "hardware"),
    ("Hinge", "pcs", "hardware"),
    ("Foam block", "pcs", "upholstery"),
    ("Linen fabric", "m", "upholstery"),
    ("Clear lacquer", "l", "finish"),
    ("Glass pane", "pcs", "glass"),
    ("Felt pad", "pcs", "hardware"),
];

const PRODUCTS: [(&str, &str); 10] = [
    ("Chair", "seating"),
    ("Bench", "seating"),
    ("Stool", "seating"),
    ("Dining table", "tables"),
    ("Side table", "tables"),
    ("Desk", "tables"),
    ("Shelf", "storage"),
    ("Cabinet", "storage"),
    ("Drawer unit", "storage"),
    ("Lamp", "lighting"),
];

const LINES: [&str; 4] = ["Alva", "Bryn", "Cove", "Dune"];

const FIRST: [&str; 10] = ["Ada", "Ben", "Carla", "David", "Elif", "Femi", "Grete", "Hugo", "Ines", "Jun"];

const LAST: [&str; 6] = ["Albrecht", "Baker", "Castillo", "Dubois", "Eriksen", "Fontana"];

/// What the history is made with.
pub(super) struct Catalog {
    pub(super) locations: [i64; 3],
    pub(super) suppliers: Vec<i64>,
    pub(super) customers: Vec<i64>,
    pub(super) materials: Vec<Material>,
    /// Those that are parts of others come first.
    pub(super) products: Vec<Product>,
}

pub(super) struct Material {
    pub(super) variant: i64,
    pub(super) supplier: i64,
    pub(super) price: i64,
}

pub(super) struct Product {
    pub(super) variant: i64,
    /// The variants and quantities that one unit needs.
    pub(super) parts: Vec<(i64, i64)>,
    pub(super) is_part: bool,
}

/// Makes the entities.
pub(super) fn make(db: &Connection, now: Time, random: &mut Random) -> Result<Catalog, Fault> {
    let main = crate::catalog::location(db, None)?;
    let locations = [main, add_location(db, "Showroom")?, add_location(db, "Outlet")?];
    let suppliers = SUPPLIERS
        .iter()
        .map(|name| {
            let mail = format!("orders@{}.example", slug(name));
            add_supplier(db, name, Some(&mail), "EUR")
        })
        .collect::<Result<Vec<_>, _>>()?;
    let customers = customers(db, now, random)?;
    let materials = materials(db, now, &suppliers, random)?;
    let products = products(db, now, &materials, random)?;
    // Two variants of one SKU, and three that are no longer in use.
    db.execute(
        "UPDATE variant SET sku = (SELECT sku FROM variant WHERE id = ?1) WHERE id = ?2",
        [materials[70].variant, materials[71].variant],
    )?;
    for material in &materials[77..] {
        db.execute("UPDATE variant SET archived_at = ?2 WHERE id = ?1", params![material.variant, now])?;
    }
    crate::ledger::projections::index_entity(db, materials[71].variant)?;
    Ok(Catalog { locations, suppliers, customers, materials, products })
}

fn slug(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_lowercase()
}

fn customers(db: &Connection, now: Time, random: &mut Random) -> Result<Vec<i64>, Fault> {
    let mut all = Vec::new();
    for n in 0..60 {
        let name = format!("{} {}", FIRST[n % 10], LAST[n / 10]);
        let mail = format!("{}@mail.example", slug(&name));
        let phone = format!("+49 30 {:07}", 1_000_000 + n * 7_919);
        let company = random.percent(30).then(|| format!("{} Interiors", LAST[n / 10]));
        let rate = if company.is_some() { 5 } else { 0 };
        let customer = NewCustomer {
            name: &name,
            email: Some(&mail),
            phone: Some(&phone),
            company: company.as_deref(),
            category: Some(if company.is_some() { "trade" } else { "private" }),
            currency: "EUR",
            discount_rate: Amount::from(rate),
        };
        all.push(add_customer(db, now, &customer)?);
    }
    Ok(all)
}

fn materials(
    db: &Connection,
    now: Time,
    suppliers: &[i64],
    random: &mut Random,
) -> Result<Vec<Material>, Fault> {
    let mut all = Vec::new();
    for n in 0..80 {
        let (name, uom, category) = MATERIALS[n % 10];
        let name = format!("{name} {}", n / 10 + 1);
        let (price, supplier) = (random.within(2..=40), suppliers[n % 8]);
        let is_boxed = uom == "pcs" && n % 3 == 0;
        let item = NewItem {
            item_type: ItemType::Material,
            name: &name,
            uom,
            category: Some(category),
            is_sellable: n % 4 == 0,
            supplier: Some(supplier),
            purchase_uom: is_boxed.then_some("box of 10"),
            purchase_uom_rate: Amount::from(if is_boxed { 10 } else { 1 }),
        };
        let sku = format!("MAT-{:03}", n + 1);
        let variant = NewVariant {
            sku: &sku,
            name: &name,
            sales_price: Amount::from(price * 2),
            purchase_price: Amount::from(price),
            barcode: None,
            lead_time_days: Some(random.within(3..=20)),
            minimum_order_quantity: Some(Amount::from(10)),
            safety_stock: Amount::from(random.within(0..=40)),
        };
        let ids = add_item(db, now, &item, &[variant])?;
        all.push(Material { variant: ids[0], supplier, price });
    }
    Ok(all)
}

fn products(
    db: &Connection,
    now: Time,
    materials: &[Material],
    random: &mut Random,
) -> Result<Vec<Product>, Fault> {
    let mut all: Vec<Product> = Vec::new();
    for n in 0..40 {
        let is_part = n < 8;
        let (name, category) = PRODUCTS[n % 10];
        let name = match is_part {
            true => format!("Frame {}", n + 1),
            false => format!("{name} {}", LINES[n / 10]),
        };
        let item = NewItem {
            item_type: ItemType::Product,
            name: &name,
            uom: "pcs",
            category: Some(if is_part { "parts" } else { category }),
            is_sellable: !is_part,
            supplier: None,
            purchase_uom: None,
            purchase_uom_rate: Amount::ONE,
        };
        let finishes: &[&str] = if n < 10 { &["natural"] } else { &["natural", "dark"] };
        let skus: Vec<String> = finishes
            .iter()
            .map(|finish| format!("PRD-{:03}-{}", n + 1, &finish[..1].to_uppercase()))
            .collect();
        let names: Vec<String> = finishes.iter().map(|finish| format!("{name}, {finish}")).collect();
        let price = random.within(120..=900);
        let variants: Vec<_> = skus
            .iter()
            .zip(&names)
            .map(|(sku, name)| NewVariant {
                sku,
                name,
                sales_price: Amount::from(price),
                purchase_price: Amount::ZERO,
                barcode: None,
                lead_time_days: None,
                minimum_order_quantity: None,
                safety_stock: Amount::from(3),
            })
            .collect();
        for variant in add_item(db, now, &item, &variants)? {
            let mut parts: Vec<(i64, i64)> = Vec::new();
            for _ in 0..random.within(2..=3) {
                let material = &materials[random.below(70)];
                if parts.iter().all(|it| it.0 != material.variant) {
                    parts.push((material.variant, random.within(1..=3)));
                }
            }
            if !is_part && random.percent(50) {
                parts.push((all[random.below(8)].variant, 1));
            }
            for (rank, (ingredient, quantity)) in parts.iter().enumerate() {
                db.prepare_cached(
                    "INSERT INTO bom_row (id, variant_id, ingredient_id, quantity, rank) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![
                    new_id(db, "bom_row")?,
                    variant,
                    ingredient,
                    Amount::from(*quantity),
                    rank as i64 + 1
                ])?;
            }
            all.push(Product { variant, parts, is_part });
        }
    }
    Ok(all)
}
