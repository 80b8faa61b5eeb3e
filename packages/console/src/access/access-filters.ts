export const ACCESS_VIEWS = ["keys", "policies"] as const;

/** The filters of the page of access, which its address contains. */
export interface AccessFilters {
  readonly view?: (typeof ACCESS_VIEWS)[number];
}

/** Reads an address; unknown parameters are ignored. */
export function accessFiltersOf({ view }: Record<string, unknown>): AccessFilters {
  const known = ACCESS_VIEWS.find((each) => each === view);
  return known === undefined ? {} : { view: known };
}
