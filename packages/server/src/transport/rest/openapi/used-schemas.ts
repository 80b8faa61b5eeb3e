const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** What the schemas of requests are called: each schema is described once as sent, once as taken. */
const INPUT_SUFFIX = /Input$/;

/**
 * The OpenAPI document with the schemas that it refers to and no others, under their own names: a
 * schema that only requests use does without the suffix that tells it from its twin.
 */
export function withoutUnusedSchemas<Document extends OpenApiDocument>(
  document: Document,
): Document {
  const schemas = document.components?.schemas ?? {};
  const used = reachable(JSON.stringify(document.paths), schemas);
  const nameOf = (name: string): string => {
    const plain = name.replace(INPUT_SUFFIX, "");
    return used.has(plain) ? name : plain;
  };
  const kept = Object.fromEntries([...used].sort().map((name) => [nameOf(name), schemas[name]]));
  const trimmed = { ...document, components: { ...document.components, schemas: kept } };
  const json = JSON.stringify(trimmed).replace(
    REFERENCE,
    (_all, name: string) => `"#/components/schemas/${nameOf(name)}"`,
  );
  // The same document, with fewer schemas and other names for them.
  return JSON.parse(json) as Document;
}

/** The part of an OpenAPI document that is looked at. */
interface OpenApiDocument {
  readonly paths?: unknown;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

function reachable(json: string, schemas: Readonly<Record<string, unknown>>): Set<string> {
  const found = new Set<string>();
  const visit = (text: string): void => {
    for (const [, name = ""] of text.matchAll(REFERENCE)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(JSON.stringify(schemas[name]));
    }
  };
  visit(json);
  return found;
}
