/** What the page of the system shows, as its address contains it. */
export interface SystemFilters {
  /** A text in a setting. */
  readonly q?: string;
  /** Only settings that differ from their defaults. */
  readonly settings?: "changed";
}

/** Reads an address; unknown parameters are ignored. */
export function systemFiltersOf({ q, settings }: Record<string, unknown>): SystemFilters {
  return {
    ...(typeof q === "string" && q !== "" ? { q } : {}),
    // The router reads a text that looks like a number as a number.
    ...(typeof q === "number" ? { q: String(q) } : {}),
    ...(settings === "changed" ? { settings } : {}),
  };
}
