import { isIP } from "node:net";
import { CLASSES, OBJECTS } from "./published-classes.js";

type Members = Readonly<Record<string, unknown>>;

/** Where an event breaks the published schema, as sentences; empty: nowhere. */
export function violationsOf(event: Members): readonly string[] {
  const own = CLASSES[Number(event["class_uid"])];
  if (own === undefined) return [`class_uid ${String(event["class_uid"])} is not in the table`];
  const { category, profiles } = own;
  const told = (event["metadata"] as { readonly profiles?: readonly string[] }).profiles ?? [];
  return [
    ...violations(event, own, "event"),
    ...(event["category_uid"] === category ? [] : ["category_uid is not that of the class"]),
    ...(event["type_uid"] === Number(event["class_uid"]) * 100 + Number(event["activity_id"])
      ? []
      : ["type_uid is not class_uid * 100 + activity_id"]),
    // Siblings of an enumeration's value 99 must say what it is.
    ...["activity_id:activity_name", "status_id:status", "type_id:type"].flatMap((pair) => {
      const [id = "", name = ""] = pair.split(":");
      return event[id] === 99 && !event[name] ? [`${id} is 99, and ${name} is missing`] : [];
    }),
    ...Object.entries(profiles).flatMap(([attribute, profile]) =>
      event[attribute] !== undefined && !told.includes(profile)
        ? [`${attribute} needs the profile ${profile} in metadata.profiles`]
        : [],
    ),
  ];
}

function violations(
  value: Members,
  { attributes, atLeastOne }: (typeof OBJECTS)[string],
  path: string,
): readonly string[] {
  const required = Object.keys(attributes).filter((name) => name.endsWith("!"));
  return [
    ...required
      .filter((name) => value[name.slice(0, -1)] === undefined)
      .map((name) => `${path}.${name.slice(0, -1)} is required`),
    ...(atLeastOne?.every((name) => value[name] === undefined) === true
      ? [`${path} has none of ${atLeastOne.join(", ")}`]
      : []),
    ...Object.entries(value).flatMap(([name, member]) => {
      const type = attributes[name] ?? attributes[`${name}!`];
      if (type === undefined) return [`${path}.${name} is not in the table`];
      return typeViolations(member, type, `${path}.${name}`);
    }),
  ];
}

function typeViolations(
  value: unknown,
  type: string | readonly number[],
  path: string,
): readonly string[] {
  if (typeof type !== "string") {
    return type.includes(Number(value)) ? [] : [`${path}: ${String(value)} is not in its list`];
  }
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) return [`${path} is not a list`];
    return value.flatMap((item: unknown, index) =>
      typeViolations(item, type.slice(0, -2), `${path}.${String(index)}`),
    );
  }
  const object = OBJECTS[type];
  if (object !== undefined) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? violations(value as Members, object, path) : [`${path} is no ${type}`];
  }
  return isOfType(value, type) ? [] : [`${path}: ${JSON.stringify(value)} is no ${type}`];
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "any":
      return true;
    case "ip":
      return typeof value === "string" && isIP(value) > 0;
    case "integer":
      return Number.isInteger(value);
    case "timestamp":
      // Milliseconds: a time in seconds would be before 2001.
      return Number.isInteger(value) && Number(value) > 978_307_200_000;
    default:
      return typeof value === type;
  }
}
