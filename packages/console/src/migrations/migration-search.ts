/** What the page of migrations shows; it is the page's address. */
export interface MigrationSearch {
  readonly migration?: string;
}

/** Reads an address; what it does not know is left out. */
export function migrationSearchOf({
  migration,
}: Readonly<Record<string, unknown>>): MigrationSearch {
  return typeof migration === "string" ? { migration } : {};
}
