import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Intent } from "./intent.js";

/** What one value of a parameter may be, by the name of its type in the tools file. */
const SCALARS = {
  text: { schema: { type: "string" }, accepts: (value) => typeof value === "string" },
  integer: { schema: { type: "integer" }, accepts: Number.isSafeInteger },
  number: { schema: { type: "number" }, accepts: (value) => typeof value === "number" },
  boolean: { schema: { type: "boolean" }, accepts: (value) => typeof value === "boolean" },
  date: { schema: { type: "string", format: "date" }, accepts: isDate },
  timestamp: { schema: { type: "string", format: "date-time" }, accepts: isTimestamp },
} as const satisfies Record<
  string,
  { schema: Readonly<Record<string, string>>; accepts: (value: unknown) => boolean }
>;

type ScalarType = keyof typeof SCALARS;

/** The type of a parameter: of one value, or of a list of such values. */
export type ParameterType = ScalarType | `${ScalarType}[]`;

/** All types of parameters, as the tools file names them. */
export const PARAMETER_TYPES: readonly ParameterType[] = (
  Object.keys(SCALARS) as readonly ScalarType[]
).flatMap((name) => [name, `${name}[]`] as const);

/** A parameter of a vetted statement. */
export interface ToolParameter {
  readonly name: string;
  readonly type: ParameterType;
  readonly description?: string;
  /** Absent: every call gives a value. */
  readonly default?: JsonValue;
}

/** A statement that an operator has written, of which a step gives only the parameters. */
export interface VettedStatement {
  /** For agents: what it answers or does. */
  readonly description: string;
  /** In the dialect of its data source; `{{name}}` stands for a parameter. */
  readonly statement: string;
  readonly intent: Intent;
  readonly parameters: readonly ToolParameter[];
  readonly tests: readonly ToolTest[];
  /** Ids of the organizations that may call it; absent: all that may use its data source. */
  readonly organizations?: readonly string[];
  /** A caller needs one of these roles; absent: none is needed. */
  readonly roles?: readonly string[];
}

/** A call of a vetted statement, and what it must give. */
export interface ToolTest {
  readonly arguments: Readonly<Record<string, JsonValue>>;
  /** The rows that a read returns; absent: they are not compared. */
  readonly rows?: readonly JsonValue[];
  /** How many rows a read returns or a write changes; absent: it is not compared. */
  readonly rowCount?: number;
}

export function isListType(type: ParameterType): boolean {
  return type.endsWith("[]");
}

/** Whether a value given in a call, or as a default, is of the type of its parameter. */
export function isOfType(value: unknown, type: ParameterType): boolean {
  const { accepts } = scalarOf(type);
  if (!isListType(type)) return accepts(value);
  return Array.isArray(value) && value.every(accepts);
}

/** The arguments of a vetted statement as JSON Schema. */
export function argumentsSchema(
  parameters: readonly ToolParameter[],
): Readonly<Record<string, JsonValue>> {
  const properties = parameters.map(({ name, type, description, default: usual }) => {
    const { schema } = scalarOf(type);
    return [
      name,
      {
        ...(isListType(type) ? { type: "array", items: schema } : schema),
        ...(description === undefined ? {} : { description }),
        ...(usual === undefined || usual === null ? {} : { default: usual }),
      },
    ] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: parameters
      .filter((parameter) => parameter.default === undefined)
      .map(({ name }) => name),
    additionalProperties: false,
  };
}

function scalarOf(type: ParameterType): (typeof SCALARS)[ScalarType] {
  // Without the brackets of a list, the name of a type is that of its values.
  return SCALARS[type.replace("[]", "") as ScalarType];
}

function isDate(value: unknown): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const day = new Date(`${value}T00:00:00Z`);
  // Date takes 30 February for 2 March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

function isTimestamp(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const form = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
  const day = form.exec(value)?.[1];
  return day !== undefined && isDate(day) && !Number.isNaN(Date.parse(value));
}
