/**
 * The loaded dataset: every resource has ten properties, and each value of a property has 200
 * resources.
 */
export interface Dataset {
  readonly triples: number;
  readonly resources: number;
  /** Different values of each property. */
  readonly values: number;
}

const PROPERTIES = 10;
/** Number of rows with a given property and value. */
export const MATCH_ROWS = 200;

/** A dataset of about this many triples. */
export function datasetOf(triples: number): Dataset {
  const values = Math.max(1, Math.floor(triples / PROPERTIES / MATCH_ROWS));
  const resources = values * MATCH_ROWS;
  return { triples: resources * PROPERTIES, resources, values };
}

export function propertyIri(index: number): string {
  return `http://example.org/vocabulary/property-${index}`;
}

export function resourceIri(index: number): string {
  return `http://example.org/resource/${index}`;
}

/** The value of a property: half of them have IRIs, the others text and numbers, in N-Triples. */
export function valueText(property: number, value: number): string {
  if (property % 2 === 0) return `<http://example.org/value/${property}/${value}>`;
  if (property % 4 === 1) return `"value ${value} of property ${property}"`;
  return `"${value}"^^<http://www.w3.org/2001/XMLSchema#integer>`;
}

/** N-Triples in pieces, shuffled like an export of another store. */
export function* nTriples({ resources, values }: Dataset): Generator<string> {
  for (let place = 0; place < resources; place++) {
    // 7919 is a prime that does not divide the number of resources, so every resource occurs once.
    const resource = (place * 7919) % resources;
    let lines = "";
    for (let property = 0; property < PROPERTIES; property++) {
      const value = valueText(property, resource % values);
      lines += `<${resourceIri(resource)}> <${propertyIri(property)}> ${value} .\n`;
    }
    yield lines;
  }
}
