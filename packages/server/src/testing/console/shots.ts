/** A picture of a page, for the documents. */
export interface Shot {
  /** Its file is `docs/screenshots/<name>.webp`. */
  readonly name: string;
  readonly theme: "light" | "dark";
  /** Whose page it is; an admin's by default. */
  readonly role?: "admin" | "operator" | "approver";
  /** The address; the name of a sample plan in braces stands for its id. */
  readonly path: string;
  /** A text that shows that the page is complete. */
  readonly text: string;
  /** A tab that is opened. */
  readonly tab?: string;
}

/** At least one picture of each page. */
export const SHOTS: readonly Shot[] = [
  { name: "plans", theme: "light", path: "/plans", text: "The best customer of the quarter" },
  {
    ...{ name: "plan", theme: "light", path: "/plans/{The best customer of the quarter}?step=who" },
    text: "Statement that runs",
  },
  { name: "new-plan", theme: "dark", path: "/plans/new", text: "Permitted" },
  {
    ...{ name: "approvals", theme: "light", path: "/approvals", role: "approver" },
    text: "DELETE FROM orders",
  },
  {
    ...{ name: "data", theme: "light", path: "/data?source=shop&table=orders" },
    ...{ text: "refers to customers", tab: "Relations" },
  },
  { name: "state-dark", theme: "dark", path: "/state", text: "The second order" },
  {
    ...{
      name: "triples",
      theme: "light",
      path: "/state?view=triples&around=%3Curn:shop:order:2%3E",
    },
    text: "status: paid",
  },
  {
    ...{ name: "migrations", theme: "light", path: "/migrations", tab: "Script up" },
    text: "Customers are found by their city",
  },
  {
    ...{ name: "memory-dark", theme: "dark", path: "/memory?q=best%20customer&explain=true" },
    text: "by words",
  },
  { name: "usage", theme: "light", path: "/usage", text: "Daily usage" },
  {
    ...{ name: "payment-methods", theme: "light", path: "/payment-methods" },
    text: "Add a payment method",
  },
  { name: "access", theme: "light", path: "/access", text: "Invoice agent" },
  { name: "audit", theme: "light", path: "/audit?record=1", text: "is in the tree of" },
  { name: "system", theme: "light", role: "operator", path: "/system", text: "SQLite 3." },
  { name: "connect", theme: "light", path: "/connect", text: "Waiting for a call" },
];
