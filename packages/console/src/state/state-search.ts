/** What the page of the state shows; it is the page's address. */
export interface StateSearch {
  /** `heads/…` or `tags/…`; absent: `heads/main`, or the first there is. */
  readonly ref?: string;
  readonly view?: "triples";
  /** The commit that is open, and the one it is compared with. */
  readonly commit?: string;
  readonly with?: string;
  /** Terms in N-Triples syntax. */
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
  /** The term whose neighbourhood is open. */
  readonly around?: string;
}

const TEXTS = ["ref", "commit", "with", "subject", "predicate", "object", "around"] as const;

/** Reads an address; what it does not know is left out. */
export function stateSearchOf(search: Readonly<Record<string, unknown>>): StateSearch {
  const known = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return {
    ...(Object.fromEntries(known) as StateSearch),
    ...(search["view"] === "triples" ? { view: "triples" } : {}),
  };
}
