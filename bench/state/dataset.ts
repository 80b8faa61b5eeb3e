/** What is loaded: every resource has ten properties, and each value of a property has 200 resources. */
export interface Dataset {
  readonly triples: number;
  readonly resources: number;
  /** Different values of each property. */
  readonly values: number;
}

const PROPERTIES = 10;
/** Rows that a match of property and value has. */
export const MATCH_ROWS = 200;

/** A dataset of this many triples, or a few less. */
export function datasetOf(triples: number): Dataset {
  const values = Math.max(1, Math.floor(triples / PROPERTIES / MATCH_ROWS));
  const resources = values * MATCH_ROWS;
  return { triples: resources * PROPERTIES, resources, values };
}

/** The IRI of a property. */
export function propertyIri(index: number): string {
  return `http://example.org/vocabulary/property-${index}`;
}

/** The IRI of a resource. */
export function resourceIri(index: number): string {
  return `http://example.org/resource/${index}`;
}

/** The value of a property: half of them have IRIs, the others text and numbers, in N-Triples. */
export function valueText(property: number, value: number): string {
  if (property % 2 === 0) return `<http://example.org/value/${property}/${value}>`;
  if (property % 4 === 1) return `"value ${value} of property ${property}"`;
  return `"${value}"^^<http://www.w3.org/2001/XMLSchema#integer>`;
}

/** Pieces of N-Triples, shuffled as an export of another store would be. */
export function* nTriples({ resources, values }: Dataset): Generator<string> {
  for (let place = 0; place < resources; place++) {
    // 7919 is a prime that divides no number of resources here: every resource comes once.
    const resource = (place * 7919) % resources;
    let lines = "";
    for (let property = 0; property < PROPERTIES; property++) {
      const value = valueText(property, resource % values);
      lines += `<${resourceIri(resource)}> <${propertyIri(property)}> ${value} .\n`;
    }
    yield lines;
  }
}
