/** What the page of the data shows; it is the page's address. */
export interface CatalogSearch {
  readonly source?: string;
  /** Part of a table's name. */
  readonly q?: string;
  /** The table that is open. */
  readonly table?: string;
}

/** Reads an address; what it does not know is left out. */
export function catalogSearchOf(search: Readonly<Record<string, unknown>>): CatalogSearch {
  const known = ["source", "q", "table"].flatMap((name) => {
    const value = search[name];
    // The router reads a name that looks like a number as a number.
    const isName = (typeof value === "string" && value !== "") || typeof value === "number";
    return isName ? [[name, String(value)]] : [];
  });
  return Object.fromEntries(known) as CatalogSearch;
}
