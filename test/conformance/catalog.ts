/** What a scenario can do to the catalog, over whichever wire; answers in REST's words. */
export interface Catalog {
  list(): Promise<Listing>;
  search(query: string): Promise<readonly Match[]>;
  describe(table: string, tokenBudget: number): Promise<Description>;
}

export interface Listing {
  readonly data_sources: readonly { readonly name: string; readonly intents: readonly string[] }[];
}

export interface Match {
  readonly table: string;
  readonly columns: readonly { readonly name: string }[];
}

export interface Description {
  readonly text: string;
  readonly tokens: number;
  readonly left_out: readonly string[];
}
