/** The rows of one table; each row's keys are the columns. */
export interface SampleTable {
  readonly table: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

const CUSTOMERS = [
  "Ada Lindqvist",
  "Bruno Okafor",
  "Chiara Moretti",
  "Daniel Haddad",
  "Elif Yildiz",
  "Farid Karimi",
  "Grace Mbeki",
  "Hana Novak",
  "Ivan Petrov",
  "Julia Schneider",
  "Kenji Watanabe",
  "Lucia Fernandez",
  "Mateo Silva",
  "Nora Jensen",
  "Omar Benali",
  "Priya Nair",
  "Quentin Dubois",
  "Rosa Almeida",
  "Samuel Osei",
  "Tomasz Kowalski",
];
const CITIES = ["Lisbon", "Nairobi", "Osaka", "Oslo", "Porto", "Vienna"];
const PRODUCTS = [
  { name: "Espresso beans 1 kg", category: "coffee", price_cents: 1890 },
  { name: "Filter beans 500 g", category: "coffee", price_cents: 1150 },
  { name: "Decaf beans 500 g", category: "coffee", price_cents: 1250 },
  { name: "Cold brew bottle", category: "coffee", price_cents: 450 },
  { name: "Green tea 100 g", category: "tea", price_cents: 790 },
  { name: "Earl Grey 100 g", category: "tea", price_cents: 690 },
  { name: "Chamomile 50 g", category: "tea", price_cents: 490 },
  { name: "Hand grinder", category: "equipment", price_cents: 5900 },
  { name: "Gooseneck kettle", category: "equipment", price_cents: 7400 },
  { name: "French press", category: "equipment", price_cents: 3200 },
  { name: "Paper filters, 100", category: "equipment", price_cents: 390 },
  { name: "Stoneware mug", category: "equipment", price_cents: 1450 },
];
const STATUSES = ["paid", "shipped", "shipped", "shipped", "open", "cancelled"];
const EVENT_KINDS = ["page_view", "search", "add_to_cart", "support_request"];

const ORDER_COUNT = 120;
const EVENT_COUNT = 160;
/** Start of the half year in which all events of the sample lie. */
const FIRST_DAY_MS = Date.parse("2026-01-01T08:00:00Z");
const DAYS = 181;

/** The rows of all tables, referenced tables first; the same at every call. */
export function sampleRows(): readonly SampleTable[] {
  const draw = numberSource();
  return [
    { table: "customers", rows: CUSTOMERS.map((name, index) => customer(name, index, draw)) },
    { table: "products", rows: PRODUCTS.map((product, index) => productRow(product, index, draw)) },
    { table: "orders", rows: times(ORDER_COUNT, (index) => order(index, draw)) },
    { table: "order_items", rows: times(ORDER_COUNT, (index) => orderItems(index, draw)).flat() },
    { table: "events", rows: times(EVENT_COUNT, (index) => event(index, draw)) },
  ];
}

type Row = SampleTable["rows"][number];
/** Returns the next pseudo-random number below the limit. */
type NumberSource = (limit: number) => number;

function customer(name: string, index: number, draw: NumberSource): Row {
  const email = `${name.toLowerCase().replace(" ", ".")}@example.com`;
  return { id: index + 1, name, email, city: pick(CITIES, draw), created_at: timestamp(index, 20) };
}

function productRow(product: (typeof PRODUCTS)[number], index: number, draw: NumberSource): Row {
  return { id: index + 1, sku: `SHOP-${1001 + index}`, ...product, stock: draw(80) };
}

function order(index: number, draw: NumberSource): Row {
  return {
    id: index + 1,
    customer_id: 1 + draw(CUSTOMERS.length),
    status: pick(STATUSES, draw),
    ordered_at: timestamp(index, ORDER_COUNT),
  };
}

function orderItems(orderIndex: number, draw: NumberSource): readonly Row[] {
  const first = draw(PRODUCTS.length);
  return times(1 + draw(3), (index) => {
    const product = (first + index * 5) % PRODUCTS.length;
    return {
      order_id: orderIndex + 1,
      product_id: product + 1,
      quantity: 1 + draw(4),
      unit_price_cents: PRODUCTS[product]?.price_cents ?? 0,
    };
  });
}

function event(index: number, draw: NumberSource): Row {
  return {
    id: index + 1,
    customer_id: 1 + draw(CUSTOMERS.length),
    kind: pick(EVENT_KINDS, draw),
    payload: JSON.stringify({ product_id: 1 + draw(PRODUCTS.length) }),
    created_at: timestamp(index, EVENT_COUNT),
  };
}

/** The time of the index-th of `count` events, evenly spread. */
function timestamp(index: number, count: number): string {
  const day = Math.floor((index * DAYS) / count);
  const minutes = (index * 37) % 600;
  return new Date(FIRST_DAY_MS + (day * 1440 + minutes) * 60_000).toISOString();
}

function pick(values: readonly string[], draw: NumberSource): string {
  return values[draw(values.length)] ?? "";
}

function times<Value>(count: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A linear congruential generator (Numerical Recipes); sample data need no secure random numbers. */
function numberSource(): NumberSource {
  let state = 20260101;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    // Dividing uses the high bits: in a linear congruential generator the low bits repeat after a few
    // numbers.
    return Math.floor((state / 2 ** 32) * limit);
  };
}
