import { AppError } from "@steward/kernel/errors.js";
import {
  REQUEST_DEPTH_MAX,
  REQUEST_FIELDS_MAX,
  REQUEST_LIST_MAX,
  REQUEST_VALUES_MAX,
} from "../limits.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Refuses a body with so many values that parsing and checking them would block the event loop. It
 * scans the bytes once before they are parsed, and does not check whether they are JSON.
 * @throws AppError `LIMIT_EXCEEDED`.
 */
export function requireModestJson(bytes: Uint8Array): void {
  /** Number of values in the open object or list of each depth. */
  const counts = new Int32Array(REQUEST_DEPTH_MAX + 1);
  let [depth, values, fields] = [0, 1, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        values += 1;
        if (depth > REQUEST_DEPTH_MAX) throw tooDeep();
        counts[depth] = 1;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth = Math.max(0, depth - 1);
        break;
      case COMMA: {
        const count = (counts[depth] ?? 0) + 1;
        counts[depth] = count;
        values += 1;
        if (count > REQUEST_LIST_MAX) throw tooLong();
        break;
      }
      case COLON:
        fields += 1;
        if (fields > REQUEST_FIELDS_MAX) throw tooManyFields();
        break;
      default:
        break;
    }
    if (values > REQUEST_VALUES_MAX) throw tooMany();
  }
}

/** The position of the closing quote of this string, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) at += 1;
  }
  return bytes.length;
}

function tooDeep(): AppError {
  return exceeded(`nests more than ${String(REQUEST_DEPTH_MAX)} objects and lists`);
}

function tooLong(): AppError {
  return exceeded(`has a list or an object of more than ${String(REQUEST_LIST_MAX)} values`);
}

function tooMany(): AppError {
  return exceeded(`has more than ${String(REQUEST_VALUES_MAX)} values`);
}

function tooManyFields(): AppError {
  return exceeded(`has more than ${String(REQUEST_FIELDS_MAX)} fields`);
}

function exceeded(what: string): AppError {
  return new AppError("LIMIT_EXCEEDED", `The body ${what}: send several smaller requests`);
}
