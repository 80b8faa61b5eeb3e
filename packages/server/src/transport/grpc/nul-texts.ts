import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import {
  isReflectList,
  isReflectMessage,
  reflect,
  type ReflectMessage,
} from "@bufbuild/protobuf/reflect";

/**
 * Fields that name a plan or step. An id with a NUL does not exist, so the answer is that there is
 * no such plan or step.
 */
const LOOKED_UP: ReadonlySet<string> = new Set(["plan_id", "step_id"]);

/** The first field of a message whose text contains a NUL character, which no store can keep. */
export function fieldWithNul<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): string | undefined {
  return inMessage(reflect(schema, message), "");
}

function inMessage(message: ReflectMessage, path: string): string | undefined {
  for (const field of message.fields) {
    if (LOOKED_UP.has(field.name) || !message.isSet(field)) continue;
    const name = path === "" ? field.name : `${path}.${field.name}`;
    const found = inValue(message.get(field), name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inValue(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return value.includes("\0") ? path : undefined;
  if (isReflectMessage(value)) return inMessage(value, path);
  if (!isReflectList(value)) return undefined;
  for (const [index, item] of [...value].entries()) {
    const found = inValue(item, `${path}[${String(index)}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}
