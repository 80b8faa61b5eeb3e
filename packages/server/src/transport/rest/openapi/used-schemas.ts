const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** The suffix of request schemas: a schema is described once for answers and once for requests. */
const INPUT_SUFFIX = /Input$/;

/**
 * The OpenAPI document with only the referenced schemas, under their own names: a schema that only
 * requests use gets its name without the suffix.
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
  // The document with only the schemas that it uses, under shorter names.
  return JSON.parse(json) as Document;
}

/** The part of an OpenAPI document that is read here. */
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
