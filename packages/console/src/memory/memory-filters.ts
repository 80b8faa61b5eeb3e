/** The filters of the page of memory, which its address contains. */
export interface MemoryFilters {
  /** The query of the search; absent: the newest entries are listed. */
  readonly q?: string;
  readonly tool?: string;
  readonly session?: string;
  readonly explain?: true;
  /** Id of the entry that is shown. */
  readonly entry?: string;
}

/** Reads an address; unknown parameters are ignored. */
export function memoryFiltersOf(search: Record<string, unknown>): MemoryFilters {
  const text = (name: string) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? { [name]: value } : {};
  };
  return {
    ...text("q"),
    ...text("tool"),
    ...text("session"),
    ...(search["explain"] === true ? { explain: true } : {}),
    ...text("entry"),
  };
}
