import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { REQUEST_LIST_MAX, REQUEST_VALUES_MAX } from "../limits.js";

/** Number of further fields that are allowed. */
interface Budget {
  left: number;
}

/**
 * Whether a message has so many fields, or one field so often, that decoding and checking it would
 * block the event loop. It scans long messages once before anything is decoded.
 * @throws the decoder's error when the bytes of a long message are malformed. Short messages are not scanned.
 */
export function hasTooManyFields(schema: DescMessage, bytes: Uint8Array): boolean {
  // Each field takes at least a byte, so most requests need no scan.
  if (bytes.length <= REQUEST_LIST_MAX) return false;
  return !isModest(schema, bytes, { left: REQUEST_VALUES_MAX });
}

function isModest(schema: DescMessage, bytes: Uint8Array, budget: Budget): boolean {
  const reader = new BinaryReader(bytes);
  const counts = new Map<number, number>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    budget.left -= 1;
    if (budget.left < 0 || count > REQUEST_LIST_MAX) return false;
    const inner = wireType === WireType.LengthDelimited ? messageOf(schema, number) : undefined;
    if (inner === undefined) reader.skip(wireType, number);
    else if (!isModest(inner, reader.bytes(), budget)) return false;
  }
  return true;
}

/** The message type of a field; `undefined` for other and unknown fields. */
function messageOf(schema: DescMessage, number: number): DescMessage | undefined {
  const field: DescField | undefined = schema.fields.find((other) => other.number === number);
  if (field?.fieldKind === "message") return field.message;
  return field?.fieldKind === "list" ? field.message : undefined;
}
