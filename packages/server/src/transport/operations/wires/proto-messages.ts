import {
  fromJson,
  type DescField,
  type DescMessage,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  isReflectList,
  isReflectMessage,
  reflect,
  type ReflectMessage,
} from "@bufbuild/protobuf/reflect";
import { invalidField } from "@steward/kernel/errors.js";
import * as z from "zod";

/**
 * A request in the words of REST. A field at its default counts as absent where the schema lets it be absent, because
 * proto3 does not tell the two apart; else it has its default.
 */
export function inputOf<Desc extends DescMessage>(
  schema: z.ZodType,
  desc: Desc,
  request: MessageShape<Desc>,
): Record<string, unknown> {
  return membersOf(schema, reflect(desc, request), "");
}

/** @param path of the message in the request, with a dot behind it. */
function membersOf(schema: z.ZodType | undefined, message: ReflectMessage, path: string) {
  const shape = shapeOf(schema);
  const members: Record<string, unknown> = {};
  for (const field of message.fields) {
    const name = memberOf(field, shape);
    const member = shape[name];
    const isSet = message.isSet(field);
    const mayBeAbsent = member?._zod.optin === "optional" || field.fieldKind === "message";
    if (!isSet && mayBeAbsent) continue;
    const place = `${path}${field.name}`;
    // A field of a oneof has no default.
    const isNull = !isSet && field.oneof !== undefined;
    const value = isNull ? null : valueOf(member, message.get(field), place);
    members[name] = holdsJson(field, name) ? jsonOf(value, place) : value;
  }
  return members;
}

/**
 * The member that a field is: `equals_json` holds the JSON text of `equals`, and the `step_id` of a step's definition is
 * its `id` (Contract §2.2).
 */
export function memberOf({ name }: DescField, shape: Readonly<Record<string, unknown>>): string {
  if (name in shape) return name;
  const others = [name.replace(/_json$/, ""), ...(name === "step_id" ? ["id"] : [])];
  return others.find((member) => member in shape) ?? name;
}

function holdsJson({ name }: DescField, member: string): boolean {
  return name === `${member}_json`;
}

/** @throws AppError `INVALID_ARGUMENT`. */
function jsonOf(text: unknown, path: string): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    throw invalidField(path, "must be the text of a JSON value");
  }
}

function valueOf(schema: z.ZodType | undefined, value: unknown, path: string): unknown {
  if (isReflectMessage(value)) {
    const only = valueFieldOf(value.desc);
    if (only !== undefined) return valueOf(schema, value.get(only), path);
    return membersOf(schema, value, `${path}.`);
  }
  if (isReflectList(value)) {
    return Array.from(value, (item, index) => valueOf(schema, item, `${path}[${String(index)}]`));
  }
  // An integer of 64 bits that a double cannot hold is refused by the schema.
  return typeof value === "bigint" ? Number(value) : value;
}

/** The field of a message that only tells an absent value from an empty one, such as `OptionalString`. */
export function valueFieldOf({ fields }: DescMessage): DescField | undefined {
  const [field] = fields;
  return fields.length === 1 && /^values?$/.test(field?.name ?? "") ? field : undefined;
}

/** The members of an object, of one that may be absent, or of the items of a list. */
export function shapeOf(schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  if (schema instanceof z.ZodObject) return schema.shape;
  const inner = schema === undefined ? undefined : innerOf(schema);
  return inner === undefined ? {} : shapeOf(inner);
}

/** The schema within one that only wraps it; `undefined` for every other. */
export function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const { def } = schema;
  const inner = "innerType" in def ? def.innerType : "element" in def ? def.element : undefined;
  return inner instanceof z.ZodType ? inner : undefined;
}

/**
 * A payload as a response. Members that the message lacks are left out.
 * @param field The response's field that holds the payload; absent: the payload is the response.
 */
export function responseOf<Desc extends DescMessage>(
  desc: Desc,
  payload: unknown,
  field: string | undefined,
): MessageShape<Desc> {
  // A payload is what its schema describes, which is JSON.
  const json = (field === undefined ? payload : { [field]: payload }) as JsonValue;
  return fromJson(desc, json, { ignoreUnknownFields: true });
}
