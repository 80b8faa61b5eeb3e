import { DatabaseSync } from "@photostructure/sqlite";

const CITIES = ["Turin", "Oslo", "Lisbon", "Porto", "Ghent", "Graz", "Nantes"];
const NAMES = ["Ada Lovelace", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Alan Kay"];
const STATES = ["open", "paid", "shipped", "returned"];

/** Creates a database with the table `orders` of 14 columns and 120 rows, as a shop has it. */
export function createWideTable(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE orders (
      id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id),
      ordered_at TEXT NOT NULL, shipped_on TEXT, status TEXT NOT NULL, currency TEXT NOT NULL,
      total_cents INTEGER NOT NULL, discount_percent REAL, contact_name TEXT NOT NULL,
      contact_email TEXT NOT NULL, shipping_city TEXT NOT NULL, postal_code TEXT NOT NULL,
      item_count INTEGER NOT NULL, note TEXT)`);
  const customer = database.prepare("INSERT INTO customers VALUES (?, ?)");
  for (let id = 1; id <= 40; id += 1) customer.run(id, NAMES[id % NAMES.length] ?? "");
  const order = database.prepare(`INSERT INTO orders VALUES (${"?, ".repeat(13)}?)`);
  for (let id = 1; id <= 120; id += 1) order.run(...orderOf(id));
  database.close();
}

function orderOf(id: number): readonly (string | number | null)[] {
  const day = new Date(Date.UTC(2025, 0, 1 + id, id % 24, (id * 7) % 60)).toISOString();
  const name = NAMES[id % NAMES.length] ?? "";
  return [
    ...[id, (id * 3) % 40 || 40, `${day.slice(0, 10)} ${day.slice(11, 19)}`],
    id % 3 === 0 ? null : new Date(Date.UTC(2025, 0, 3 + id)).toISOString().slice(0, 10),
    ...[STATES[id % STATES.length] ?? "", "EUR", 1_000 + id * 137, (id % 8) * 2.5, name],
    `${name.toLowerCase().replace(" ", ".")}${String(id)}@example.com`,
    ...[CITIES[id % CITIES.length] ?? "", String(10_000 + id * 91), 1 + (id % 6)],
    id % 5 === 0 ? "Leave the parcel with the neighbour" : null,
  ];
}
