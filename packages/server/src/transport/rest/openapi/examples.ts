/** The part of JSON Schema that contains examples. */
export interface ExampleSchema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: ExampleSchema;
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
}

/** A body with one media type in OpenAPI. */
interface MediaType {
  readonly schema?: ExampleSchema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, MediaType>>;

/** The part of an operation that examples belong to. */
export interface ExemplifiedOperation {
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

/**
 * The operation with an example of its request body and of each successful answer, composed of the
 * examples of its schemas. Errors have no example, because one example for all of them would show
 * the wrong code.
 */
export function withExamples<Operation extends ExemplifiedOperation>(
  operation: Operation,
  schemas: Readonly<Record<string, ExampleSchema>>,
): Operation {
  const { requestBody, responses = {} } = operation;
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    status.startsWith("2") ? exemplified(response, schemas) : response,
  ]);
  return {
    ...operation,
    ...(requestBody === undefined ? {} : { requestBody: exemplified(requestBody, schemas) }),
    responses: Object.fromEntries(answers) as Operation["responses"],
  };
}

function exemplified<Body extends { readonly content?: Content }>(
  body: Body,
  schemas: Readonly<Record<string, ExampleSchema>>,
): Body {
  if (body.content === undefined) return body;
  const content = Object.entries(body.content).map(([type, media]) => {
    const example = media.example ?? exampleOf(media.schema ?? {}, schemas);
    return [type, example === undefined ? media : { ...media, example }];
  });
  return { ...body, content: Object.fromEntries(content) as Content };
}

function exampleOf(
  schema: ExampleSchema,
  schemas: Readonly<Record<string, ExampleSchema>>,
): unknown {
  const { $ref, examples, items, properties } = schema;
  if (examples?.[0] !== undefined) return examples[0];
  if (schema.const !== undefined) return schema.const;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf("/") + 1);
    return exampleOf(schemas[name] ?? {}, schemas);
  }
  if (items !== undefined) {
    const item = exampleOf(items, schemas);
    return item === undefined ? undefined : [item];
  }
  if (properties === undefined) return undefined;
  const members = Object.entries(properties).flatMap(([name, property]) => {
    const example = exampleOf(property, schemas);
    return example === undefined ? [] : [[name, example] as const];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
