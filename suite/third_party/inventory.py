"""Checks all tools of the inventory server with the official Python client, PyPI `mcp` 2.3.0.

    python inventory.py <path to the plainwire binary>

In each era, in both profiles, over stdio and Streamable HTTP, each tool is called, and its value is held against the output
schema by `jsonschema`. Each change is previewed, applied, and applied again, which is refused. The data is a copy of the
sample, which is sound at the end. Prints one line per check that failed, and at the end `N passed, M failed`. Exit code 1 if anything
failed.
"""

import json
import re
import subprocess
import sys
import tempfile
import warnings
from contextlib import asynccontextmanager
from types import SimpleNamespace

import anyio
import jsonschema
from mcp import Client, MCPDeprecationWarning, MCPError, StdioServerParameters, stdio_client
from mcp_types.version import LATEST_MODERN_VERSION

DEADLINE = 600
TODAY = "2026-06-30"
COUNTS = {True: 0, False: 0}
SERVE = ["serve", "inventory", "--today", TODAY]
TOOLS = 45
NAMES = """
rebuild_cache search_customers get_customer search_items get_item get_variant_details check_inventory
list_low_stock_items list_manufacturing_orders get_manufacturing_order modify_manufacturing_order
get_manufacturing_order_recipe list_purchase_orders get_purchase_order modify_purchase_order receive_purchase_order
list_sales_orders get_sales_order modify_sales_order list_stock_transfers get_stock_transfer modify_stock_transfer
top_selling_variants sales_summary inventory_velocity
""".split()
ORDERS = ["purchase_order", "sales_order", "manufacturing_order", "stock_transfer"]
GROUPS = ["day", "week", "month", "variant", "customer", "category"]


def check(name, found, expected):
    COUNTS[found == expected] += 1
    if found != expected:
        print(f"not ok {name}: expected {expected!r}, but found {found!r}")


@asynccontextmanager
async def connected(binary, words, transport, mode, note):
    if transport == "stdio":
        local = stdio_client(StdioServerParameters(command=binary, args=words))
        async with Client(local, mode=mode, message_handler=note) as client:
            yield client
        return
    server = subprocess.Popen([binary, *words, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", server.stderr.readline()).group(0)
        async with Client(url, mode=mode, message_handler=note) as client:
            yield client
    finally:
        server.kill()
        server.wait()


async def caller(client, name, is_gated):
    """Returns functions that call tools and check what all calls have in common."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    schemas = {tool: jsonschema.Draft202012Validator(it.output_schema) for tool, it in tools.items()}
    called = set()

    def described(tool, arguments):
        told = {key: value for key, value in arguments.items() if key != "preview_token"}
        return f"{name}: {tool} {json.dumps(told)}"

    async def answer(tool, arguments):
        about = described(tool, arguments)
        result = await client.call_tool(tool, arguments)
        errors = [it.message for it in schemas[tool].iter_errors(result.structured_content)]
        check(f"{about}: the value fits the schema", errors, [])
        return about, result, [block.text for block in result.content]

    async def call(tool, **arguments):
        """Calls a tool that succeeds, and returns its value."""
        about, result, texts = await answer(tool, arguments)
        value = result.structured_content
        check(f"{about}: success", (result.is_error, value["kind"].split(":")[0][:9]), (False, "inventory"))
        if is_gated and arguments.get("format") != "json":
            check(f"{about}: the text is for people", [text[:1] in "#-*" for text in texts], [True])
        else:
            exact = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
            check(f"{about}: the text is the value", texts, [exact])
        if not result.is_error:
            called.add(tool)
        return value

    async def read(tool, **arguments):
        """Calls a tool that changes nothing, in each form."""
        value = await call(tool, **arguments)
        if is_gated:
            check(f"{name}: {tool}: the same value as JSON", await call(tool, **arguments, format="json"), value)
        return value

    async def refused(tool, **arguments):
        """Calls a tool that fails, and returns the message."""
        about, result, texts = await answer(tool, arguments)
        value = result.structured_content
        check(f"{about}: refused", (result.is_error, value["kind"]), (True, "toolError:v1"))
        check(f"{about}: the text says why", value["message"] in texts[0], True)
        return value["message"]

    async def change(tool, **arguments):
        """Previews a change, applies it, and tries to apply it again."""
        about = described(tool, arguments)
        preview = await call(tool, **arguments, **({"format": "json"} if is_gated else {}))
        check(f"{about}: a preview", (preview["is_preview"], preview.get("state")), (True, None))
        apply = {**arguments, "preview": False, "preview_token": preview.get("preview_token")}
        applied = await call(tool, **apply)
        check(f"{about}: applied", (applied["is_preview"], applied["changes"]), (False, preview["changes"]))
        check(f"{about}: something changed", applied["changes"] != [], True)
        check(f"{about}: applied once", "that was not applied yet" in await refused(tool, **apply), True)
        return applied

    async def blocked(tool, **arguments):
        """Tries to make a change that is blocked, and returns why it is."""
        about = described(tool, arguments)
        preview = await call(tool, **arguments)
        check(f"{about}: no token", preview.get("preview_token"), None)
        found = await call(tool, **arguments, preview=False)
        check(f"{about}: still a preview", (found["is_preview"], found["warnings"]), (True, preview["warnings"]))
        return "; ".join(it for it in found["warnings"] if it.startswith("BLOCK: "))

    async def stock(variant, location):
        """Returns what is in stock and expected of a variant at a location."""
        item = (await call("check_inventory", skus_or_variant_ids=[variant], location_id=location))["items"][0]
        return item["in_stock"], item["expected"]

    functions = {"call": call, "read": read, "refused": refused, "change": change, "blocked": blocked, "stock": stock}
    return SimpleNamespace(name=name, tools=tools, called=called, **functions)


def listed(it, is_gated):
    check(f"{it.name}: the number of tools", len(it.tools), TOOLS)
    check(f"{it.name}: the names of tools", [name for name in NAMES if name not in it.tools], [])
    with_format = sum("format" in tool.input_schema["properties"] for tool in it.tools.values())
    check(f"{it.name}: tools with a format", with_format, TOOLS if is_gated else 0)
    for tool in it.tools.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)


async def reading(it):
    """Calls the tools that change nothing, and returns the ids that the stories need."""
    places = (await it.read("list_locations"))["locations"]
    check(f"{it.name}: the primary location", [place["name"] for place in places if place["is_primary"]], ["Main"])
    suppliers = (await it.read("list_suppliers"))["suppliers"]
    materials = (await it.read("search_items", query="board", type="material"))["variants"]
    board, walnut = (next(one for one in materials if one["name"].startswith(wood)) for wood in ["Oak", "Walnut"])
    check(f"{it.name}: materials", {(found["type"], found["category"]) for found in materials}, {("material", "wood")})
    fuzzy = await it.read("search_items", query="waalnut", limit=3)
    check(f"{it.name}: a fuzzy search", (fuzzy["is_fuzzy"], "Walnut" in fuzzy["variants"][0]["name"]), (True, True))
    item = await it.read("get_item", id=board["item_id"])
    check(f"{it.name}: an item", board in item["variants"], True)
    wanted = [walnut["sku"], board["variant_id"], "no such SKU"]
    found = await it.read("get_variant_details", skus_or_variant_ids=wanted)
    check(f"{it.name}: variants", (found["variants"], found["not_found"]), ([walnut, board], ["no such SKU"]))
    products = (await it.read("search_items", query="stool", type="product"))["variants"]
    stool = products[0]
    bom = await it.read("get_product_bom", sku_or_variant_id=stool["sku"], quantity=2)
    check(f"{it.name}: a bill of materials", [row["level"] for row in bom["rows"]][0], 1)
    customers = (await it.read("search_customers", query="ada alb"))["customers"]
    customer = await it.read("get_customer", id=customers[0]["id"])
    check(f"{it.name}: a customer", customer, customers[0])
    check(f"{it.name}: no customer", "nothing has the id 0" in await it.refused("get_customer", id=0), True)

    stock = await it.read("check_inventory", skus_or_variant_ids=[board["sku"], stool["sku"]])
    check(f"{it.name}: stock", [found["sku"] for found in stock["items"]], [board["sku"], stool["sku"]])
    then = await it.read("inventory_at", skus_or_variant_ids=[board["sku"], stool["sku"]], as_of=TODAY)
    now = [found["in_stock"] for found in stock["items"]]
    check(f"{it.name}: stock at a time", [found["in_stock"] for found in then["items"]], now)
    moved = await it.read("get_inventory_movements", sku_or_variant_id=board["sku"], cause="purchase", limit=5)
    check(f"{it.name}: movements", {found["cause"] for found in moved["movements"]}, {"purchase"})
    low = await it.read("list_low_stock_items", threshold=5, limit=3)
    short = [found["shortage"] for found in low["items"]]
    check(f"{it.name}: low stock", (len(short) <= 3, short), (True, sorted(short, reverse=True)))

    top = await it.read("top_selling_variants", start_date="2026-01-01", end_date=TODAY, order_by="revenue", limit=5)
    revenue = [row["revenue"] for row in top["rows"]]
    check(f"{it.name}: top selling", (len(revenue), revenue), (5, sorted(revenue, reverse=True)))
    sums = set()
    for group in GROUPS:
        summary = await it.read("sales_summary", start_date="2026-01-01", end_date=TODAY, group_by=group)
        sums.add(round(sum(row["revenue"] for row in summary["rows"]), 2))
    check(f"{it.name}: each summary has the same sum", len(sums), 1)
    speed = await it.read("inventory_velocity", sku_or_variant_ids=[board["sku"], stool["variant_id"]], period_days=180)
    check(f"{it.name}: velocity", [found["sku"] for found in speed["items"]], [board["sku"], stool["sku"]])

    for kind in ORDERS:
        orders = await it.read(f"list_{kind}s", limit=3)
        ids = [order["id"] for order in orders["orders"]]
        check(f"{it.name}: {kind}s", (len(ids), orders["total"] > 3), (3, True))
        some = await it.read(f"list_{kind}s", ids=[ids[2], ids[0]])
        check(f"{it.name}: {kind}s by ids", [order["id"] for order in some["orders"]], [ids[2], ids[0]])
        order = await it.read(f"get_{kind}", id=ids[0])
        same = await it.read(f"get_{kind}", order_no=order["number"])
        check(f"{it.name}: {kind} by its number", same, order)
    ids = {"main": places[0]["id"], "other": places[1]["id"], "supplier": suppliers[0]["id"], "customer": customer["id"]}
    return SimpleNamespace(**ids, board=board, walnut=walnut, stool=stool)


async def adjusts(it, ids):
    """Adds to stock what the stories need: materials, and the parts of the product."""
    bom = await it.call("get_product_bom", sku_or_variant_id=ids.stool["sku"])
    needed = {row["variant_id"] for row in bom["rows"] if row["level"] == 1}
    needed |= {ids.board["variant_id"], ids.walnut["variant_id"]}
    before = await it.stock(ids.board["sku"], ids.main)
    rows = [{"sku_or_variant_id": variant, "quantity": 500, "cost_per_unit": 5} for variant in sorted(needed)]
    added = await it.change("create_stock_adjustment", reason="found", rows=rows, location_id=ids.main)
    check(f"{it.name}: an adjustment", (added["entity_type"], added["operation"]), ("stock_adjustment", "create"))
    away = [{"sku_or_variant_id": ids.board["sku"], "quantity": -0.5}]
    await it.change("create_stock_adjustment", reason="spoiled", rows=away, location_id=ids.main)
    after = await it.stock(ids.board["sku"], ids.main)
    check(f"{it.name}: adjusted stock", round(after[0] - before[0], 6), 499.5)
    away = [{"sku_or_variant_id": ids.board["sku"], "quantity": -1_000_000}]
    why = await it.blocked("create_stock_adjustment", reason="lost", rows=away)
    check(f"{it.name}: no stock below zero", "in stock" in why, True)


async def buys(it, ids):
    before = await it.stock(ids.board["sku"], ids.main)
    rows = [
        {"sku_or_variant_id": ids.board["sku"], "quantity": 10, "price_per_unit": 8},
        {"sku_or_variant_id": ids.walnut["variant_id"], "quantity": 4, "price_per_unit": 5},
    ]
    order = {"supplier_id": ids.supplier, "rows": rows, "location_id": ids.main, "additional_cost": 20}
    draft = await it.change("create_purchase_order", **order)
    id, state = draft["entity_id"], draft["state"]
    check(f"{it.name}: a draft", (state["status"], state["total"]), ("DRAFT", 120))
    why = await it.blocked("receive_purchase_order", order_id=id)
    check(f"{it.name}: a draft is not received", "the status is DRAFT" in why, True)
    board, walnut = (row["id"] for row in state["rows"])
    changed = await it.change(
        "modify_purchase_order",
        id=id,
        update_header={"expected_arrival_date": "2026-07-10", "notes": "by truck"},
        add_rows=[{"sku_or_variant_id": ids.walnut["sku"], "quantity": 2, "price_per_unit": 6}],
        update_rows=[{"row_id": board, "quantity": 12}],
        delete_row_ids=[walnut],
    )
    steps = [(action["operation"], action["succeeded"]) for action in changed["actions"]]
    check(f"{it.name}: steps", steps, [(step, True) for step in ["update_header", "add_row", "update_row", "delete_row"]])
    placed = await it.change("modify_purchase_order", id=id, update_header={"status": "NOT_RECEIVED"})
    check(f"{it.name}: placed", placed["state"]["status"], "NOT_RECEIVED")
    rate = next(row["purchase_uom_rate"] for row in placed["state"]["rows"] if row["id"] == board)
    check(f"{it.name}: expected", await it.stock(ids.board["sku"], ids.main), (before[0], before[1] + 12 * rate))
    document = [{"sku": ids.board["sku"], "quantity": 12, "unit_price": 8}, {"sku": ids.walnut["sku"], "quantity": 2}]
    same = await it.read("verify_order_document", order_id=id, document_items=document)
    check(f"{it.name}: a document that matches", (same["match"], same["discrepancies"]), ("match", []))
    document[0]["unit_price"] = 9
    other = await it.read("verify_order_document", order_id=id, document_items=document)
    check(f"{it.name}: a document that differs", other["discrepancies"][0]["type"], "price_mismatch")
    part = await it.change("receive_purchase_order", order_id=id, rows=[{"row_id": board, "quantity": 5}])
    check(f"{it.name}: received in part", part["state"]["status"], "PARTIALLY_RECEIVED")
    rest = await it.change("receive_purchase_order", order_id=id)
    check(f"{it.name}: received", rest["state"]["status"], "RECEIVED")
    wrong = [{"row_id": board, "quantity": 11, "price_per_unit": 7.5}]
    fixed = await it.change("correct_purchase_order", id=id, update_rows=wrong, additional_cost=0)
    check(f"{it.name}: corrected", (fixed["state"]["status"], fixed["state"]["total"]), ("RECEIVED", 94.5))
    check(f"{it.name}: received stock", await it.stock(ids.board["sku"], ids.main), (before[0] + 11 * rate, before[1]))
    check(f"{it.name}: what is read", await it.read("get_purchase_order", id=id), fixed["state"])
    check(f"{it.name}: not deleted", "movements of stock" in await it.blocked("delete_purchase_order", id=id), True)
    return id


async def makes(it, ids):
    before = await it.stock(ids.stool["sku"], ids.main)
    order = {"sku_or_variant_id": ids.stool["sku"], "planned_quantity": 10, "location_id": ids.main}
    made = await it.change("create_manufacturing_order", **order, production_deadline_date="2026-07-20")
    id = made["entity_id"]
    check(f"{it.name}: an order to make", made["state"]["status"], "NOT_STARTED")
    recipe = await it.read("get_manufacturing_order_recipe", id=id)
    check(f"{it.name}: a recipe", (recipe["rows"], recipe["ingredient_availability"]), (made["state"]["rows"], "IN_STOCK"))
    started = await it.change("modify_manufacturing_order", id=id, update_header={"status": "IN_PROGRESS"})
    check(f"{it.name}: started", started["state"]["status"], "IN_PROGRESS")
    row = {"sku_or_variant_id": ids.board["sku"], "planned_quantity_per_unit": 0.5}
    changed = await it.change("modify_manufacturing_order", id=id, add_rows=[row], update_header={"planned_quantity": 8})
    added = changed["state"]["rows"][-1]
    check(f"{it.name}: an ingredient", (added["sku"], added["quantity"]), (ids.board["sku"], 4))
    produce = {"order_id": id, "order_type": "manufacturing"}
    part = await it.change("fulfill_order", **produce, quantity=3)
    state = part["state"]
    check(f"{it.name}: produced in part", (state["status"], state["remaining_quantity"]), ("PARTIALLY_COMPLETED", 5))
    check(f"{it.name}: not too much", "remain" in await it.blocked("fulfill_order", **produce, quantity=6), True)
    rest = await it.change("fulfill_order", **produce)
    check(f"{it.name}: produced", (rest["state"]["status"], len(rest["state"]["productions"])), ("DONE", 2))
    used = [{"row_id": added["id"], "consumed_quantity": 6}]
    fixed = await it.change("correct_manufacturing_order", id=id, completed_quantity=7, update_rows=used)
    check(f"{it.name}: corrected", (fixed["state"]["status"], fixed["state"]["completed_quantity"]), ("DONE", 7))
    check(f"{it.name}: produced stock", await it.stock(ids.stool["sku"], ids.main), (before[0] + 7, before[1]))
    check(f"{it.name}: what is read", await it.read("get_manufacturing_order", id=id), fixed["state"])
    few = await it.read("get_manufacturing_order", id=id, include_rows="none", include_productions=False)
    check(f"{it.name}: without rows", (few.get("rows", []), few.get("productions", [])), ([], []))
    check(f"{it.name}: not deleted", "movements of stock" in await it.blocked("delete_manufacturing_order", id=id), True)


async def sells(it, ids, hears):
    before = await it.stock(ids.stool["sku"], ids.main)
    rows = [
        {"sku_or_variant_id": ids.stool["sku"], "quantity": 4, "price_per_unit": 100, "total_discount": 0},
        {"sku_or_variant_id": ids.board["sku"], "quantity": 2},
    ]
    order = {"customer_id": ids.customer, "rows": rows, "location_id": ids.main, "delivery_date": "2026-07-05"}
    order = await it.change("create_sales_order", **order)
    id, row = order["entity_id"], order["state"]["rows"][0]["id"]
    check(f"{it.name}: an order to deliver", order["state"]["status"], "NOT_SHIPPED")
    linked = await it.change("create_manufacturing_order", sales_order_row_id=row)
    state = linked["state"]
    check(f"{it.name}: made to order", (state["sales_order_row_id"], state["planned_quantity"]), (row, 4))
    await it.change("delete_manufacturing_order", id=linked["entity_id"])
    changed = await it.change("modify_sales_order", id=id, update_rows=[{"row_id": row, "quantity": 5}])
    check(f"{it.name}: changed", changed["state"]["rows"][0]["total"], 500)
    packed = await it.change("modify_sales_order", id=id, update_header={"status": "PACKED"})
    check(f"{it.name}: packed", packed["state"]["status"], "PACKED")
    deliver = {"order_id": id, "order_type": "sales"}
    async with hears(id):
        part = await it.change("fulfill_order", **deliver, rows=[{"row_id": row, "quantity": 2}])
    check(f"{it.name}: delivered in part", part["state"]["status"], "PARTIALLY_DELIVERED")
    rest = await it.change("fulfill_order", **deliver)
    check(f"{it.name}: delivered", rest["state"]["status"], "DELIVERED")
    fixed = await it.change("correct_sales_order", id=id, update_rows=[{"row_id": row, "quantity": 3, "price_per_unit": 90}])
    check(f"{it.name}: corrected", (fixed["state"]["status"], fixed["state"]["rows"][0]["total"]), ("DELIVERED", 270))
    check(f"{it.name}: delivered stock", await it.stock(ids.stool["sku"], ids.main), (before[0] - 3, before[1]))
    check(f"{it.name}: what is read", await it.read("get_sales_order", id=id), fixed["state"])
    check(f"{it.name}: not deleted", "movements of stock" in await it.blocked("delete_sales_order", id=id), True)
    return id


async def moves(it, ids):
    source, target = await it.stock(ids.board["sku"], ids.main), await it.stock(ids.board["sku"], ids.other)
    order = {
        "source_location_id": ids.main,
        "target_location_id": ids.other,
        "rows": [{"sku_or_variant_id": ids.board["sku"], "quantity": 40}],
    }
    draft = await it.change("create_stock_transfer", **order, expected_arrival_date="2026-07-02")
    id = draft["entity_id"]
    check(f"{it.name}: a draft of a transfer", draft["state"]["status"], "draft")
    sent = await it.change("modify_stock_transfer", id=id, update_header={"status": "inTransit"})
    check(f"{it.name}: sent", sent["state"]["status"], "inTransit")
    check(f"{it.name}: gone", await it.stock(ids.board["sku"], ids.main), (source[0] - 40, source[1]))
    check(f"{it.name}: on the way", await it.stock(ids.board["sku"], ids.other), (target[0], target[1] + 40))
    check(f"{it.name}: not deleted", "movements of stock" in await it.blocked("delete_stock_transfer", id=id), True)
    received = await it.change("modify_stock_transfer", id=id, update_header={"status": "received", "notes": "all there"})
    check(f"{it.name}: arrived", await it.stock(ids.board["sku"], ids.other), (target[0] + 40, target[1]))
    check(f"{it.name}: what is read", await it.read("get_stock_transfer", id=id), received["state"])


async def deletes(it, ids):
    """Makes an order of each type twice with the same key, which makes one, and deletes it."""
    row = {"sku_or_variant_id": ids.board["sku"], "quantity": 1}
    new = {
        "purchase_order": {"supplier_id": ids.supplier, "rows": [row], "status": "NOT_RECEIVED"},
        "sales_order": {"customer_id": ids.customer, "rows": [row]},
        "manufacturing_order": {"sku_or_variant_id": ids.stool["sku"], "planned_quantity": 1},
        "stock_transfer": {"source_location_id": ids.main, "target_location_id": ids.other, "rows": [row]},
    }
    before = await it.call("check_inventory", skus_or_variant_ids=[ids.board["sku"], ids.stool["sku"]])
    for kind, arguments in new.items():
        once = {**arguments, "preview": False, "idempotency_key": f"a new {kind}"}
        made = await it.call(f"create_{kind}", **once)
        again = await it.call(f"create_{kind}", **once)
        check(f"{it.name}: one {kind}", (again["entity_id"], len(again["warnings"])), (made["entity_id"], 1))
        id = made["entity_id"]
        deleted = await it.change(f"delete_{kind}", id=id)
        check(f"{it.name}: {kind} deleted", deleted["operation"], "delete")
        check(f"{it.name}: no {kind}", "was deleted" in await it.refused(f"get_{kind}", id=id), True)
        kept = await it.read(f"get_{kind}", id=id, include_deleted=True)
        check(f"{it.name}: {kind} kept", (kept["is_deleted"], kept["number"]), (True, made["state"]["number"]))
    after = await it.call("check_inventory", skus_or_variant_ids=[ids.board["sku"], ids.stool["sku"]])
    check(f"{it.name}: stock as before", after, before)


async def manages_bom(it, ids):
    product = {"sku_or_variant_id": ids.stool["sku"]}
    before = await it.call("get_product_bom", **product)
    row = {"ingredient": ids.walnut["sku"], "quantity": 0.25, "notes": "for the edges"}
    added = await it.change("manage_product_bom", **product, add_rows=[row])
    new = next(row for row in added["state"]["rows"] if row["variant_id"] == ids.walnut["variant_id"] and row["level"] == 1)
    check(f"{it.name}: a new ingredient", (new["quantity_per_unit"], new["notes"]), (0.25, "for the edges"))
    changed = await it.change("manage_product_bom", **product, update_rows=[{"row_id": new["id"], "quantity": 0.75}])
    more = [row["quantity_per_unit"] for row in changed["state"]["rows"] if row["id"] == new["id"]]
    check(f"{it.name}: more of it", more, [0.75])
    itself = [{"ingredient": ids.stool["sku"], "quantity": 1}]
    why = await it.blocked("manage_product_bom", **product, add_rows=itself)
    check(f"{it.name}: no circle", "would contain itself" in why, True)
    await it.change("manage_product_bom", **product, delete_row_ids=[new["id"]])
    check(f"{it.name}: the bill of materials as before", await it.call("get_product_bom", **product), before)


async def resources(it, client, ids, purchase, sale):
    def only(result):
        return result.contents[0].mime_type, result.contents[0].text

    listed = {str(found.uri) for found in (await client.list_resources()).resources}
    check(f"{it.name}: resources", "inventory://items" in listed, True)
    templates = {found.uri_template for found in (await client.list_resource_templates()).resource_templates}
    check(f"{it.name}: templates", templates, {"inventory://help/{topic}", "inventory://orders/{id}"})
    mime, text = only(await client.read_resource("inventory://items"))
    check(f"{it.name}: items", (mime, ids.board in json.loads(text)["variants"]), ("application/json", True))
    for topic in ["workflows", "tools", "resources"]:
        mime, text = only(await client.read_resource(f"inventory://help/{topic}"))
        check(f"{it.name}: help on {topic}", (mime, text.startswith("# ")), ("text/markdown", True))
        if topic == "tools":
            check(f"{it.name}: help on rebuild_cache", "rebuild_cache" in text, True)
    for tool, id in [("get_purchase_order", purchase), ("get_sales_order", sale)]:
        mime, text = only(await client.read_resource(f"inventory://orders/{id}"))
        order = await it.call(tool, id=id)
        check(f"{it.name}: {tool} as a resource", (mime, json.loads(text)), ("application/json", order))
    for uri in ["inventory://orders/0", "inventory://help/nothing"]:
        try:
            await client.read_resource(uri)
            code = None
        except MCPError as error:
            code = error.code
        check(f"{it.name}: no {uri}", code in [-32002, -32602], True)

    prompts = sorted(found.name for found in (await client.list_prompts()).prompts)
    check(f"{it.name}: prompts", prompts, ["fulfill_sales_order", "receive_delivery", "reorder_low_stock"])
    for prompt, arguments, word in [
        ("reorder_low_stock", {"threshold": "5"}, "create_purchase_order"),
        ("receive_delivery", {"order_id": str(purchase)}, "receive_purchase_order"),
        ("fulfill_sales_order", {"order_id": str(sale)}, "fulfill_order"),
    ]:
        found = (await client.get_prompt(prompt, arguments)).messages
        told = [(message.role, word in message.content.text) for message in found]
        check(f"{it.name}: {prompt}", told, [("user", True)])


async def all_tools(client, name, mode, is_gated, notes):
    it = await caller(client, name, is_gated)

    @asynccontextmanager
    async def hears(order):
        """Subscribes to an order, and checks that a change of it is told."""
        uri = f"inventory://orders/{order}"
        if mode == "legacy":
            await client.subscribe_resource(uri)
            yield
            with anyio.move_on_after(10):
                while uri not in notes:
                    await anyio.sleep(0.01)
            check(f"{name}: heard of a change", uri in notes, True)
            await client.unsubscribe_resource(uri)
            return
        async with client.listen(resource_subscriptions=[uri]) as changes:
            yield
            heard = None
            with anyio.move_on_after(10):
                heard = (await anext(changes)).uri
            check(f"{name}: heard of a change", heard, uri)

    listed(it, is_gated)
    ids = await reading(it)
    await adjusts(it, ids)
    purchase = await buys(it, ids)
    await makes(it, ids)
    sale = await sells(it, ids, hears)
    await moves(it, ids)
    await deletes(it, ids)
    await manages_bom(it, ids)
    await resources(it, client, ids, purchase, sale)
    for preview in [True, False]:
        rebuilt = await it.call("rebuild_cache", preview=preview)
        check(f"{name}: sound", (rebuilt["is_preview"], rebuilt["drift"]), (preview, []))
    check(f"{name}: each tool was called", sorted(set(it.tools) - it.called), [])


async def run(binary, folder, transport, mode, profile):
    name, data, notes = f"{transport} {mode} {profile}", f"{folder}/{transport}-{mode}-{profile}.db", []
    copy = [binary, "inventory", "backup", "--data", f"{folder}/sample.db", data]
    subprocess.run(copy, check=True, stdout=subprocess.DEVNULL)

    async def note(message):
        if getattr(message, "method", None) == "notifications/resources/updated":
            notes.append(str(message.params.uri))

    words = [*SERVE, "--data", data, "--profile", profile]
    async with connected(binary, words, transport, mode, note) as client:
        await all_tools(client, name, mode, profile == "gated", notes)
    proof = subprocess.run([binary, "inventory", "check", "--data", data], capture_output=True, text=True)
    check(f"{name}: plainwire inventory check: {proof.stdout.strip()}", proof.returncode, 0)


async def main(binary):
    # Only the legacy era has a request to subscribe.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    with tempfile.TemporaryDirectory() as folder, anyio.fail_after(DEADLINE):
        # The server has made the sample when it answers.
        words = [*SERVE, "--data", f"{folder}/sample.db", "--sample"]
        async with Client(stdio_client(StdioServerParameters(command=binary, args=words)), mode="legacy"):
            pass
        for transport in ["stdio", "http"]:
            for mode in ["legacy", LATEST_MODERN_VERSION]:
                for profile in ["gated", "data"]:
                    await run(binary, folder, transport, mode, profile)
    print(f"{COUNTS[True]} passed, {COUNTS[False]} failed")
    return 1 if COUNTS[False] else 0


sys.exit(anyio.run(main, sys.argv[1]))
