/** The parts of an OpenAPI 3.1 document that the reference page shows. */
export interface ApiDescription {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** One method of one path. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The answer with one status. */
export interface Response {
  readonly description: string;
  readonly content?: Media;
}

/** One parameter in the path, query or headers. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** A reference to a parameter that many operations share. */
export interface Reference {
  readonly $ref: string;
}

/** The referenced schemas, by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** A schema per content type. */
type Media = Readonly<Record<string, { readonly schema: Schema }>>;

/** The part of JSON Schema that the service's schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
}
