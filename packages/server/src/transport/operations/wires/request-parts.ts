import { placesOf, type AnyObject, type Operation } from "@steward/operations/operation";
import * as z from "zod";
import { storableText } from "../../rest/path-text.js";
import { zodValidation } from "../../rest/validation/validation.js";

/** The schemas of the path, the query and the body, in fastify's terms; those without members are left out. */
export function requestPartsOf(operation: Operation): Readonly<Record<string, AnyObject>> {
  const { input, rest } = operation;
  const { path, query, body } = placesOf(operation);
  const params = Object.entries(part(input, path).shape).map(([name, schema]) => [
    name,
    rest?.impossibleIds === "unknown" ? schema : schema.check(storableText),
  ]);
  return {
    ...(path.length > 0 && { params: z.object(Object.fromEntries(params)) }),
    ...(query.length > 0 && { querystring: part(input, query) }),
    ...(body.length > 0 && { body: part(input, body, rest?.body) }),
  };
}

/** Checks the bodies, queries and paths of an operation. */
export function validationOf({ rest }: Operation): ReturnType<typeof zodValidation> {
  return zodValidation(rest?.invalidBody ?? "INVALID_ARGUMENT");
}

/**
 * The check of an input that has come on another wire than REST, which checks as REST does.
 * @returns the input as its schemas make it. The check throws an AppError for an invalid one.
 */
export function inputCheckOf(operation: Operation): (given: object) => object {
  const { params = NO_MEMBERS, querystring, body } = requestPartsOf(operation);
  const others =
    operation.rest === undefined ? operation.input : (body ?? querystring ?? NO_MEMBERS);
  const validate = validationOf(operation);
  const checkPath = validate({ schema: params, httpPart: "params" });
  const httpPart = querystring === undefined ? "body" : "querystring";
  const checkOthers = validate({ schema: others, httpPart });
  const isInPath = ([name]: readonly [string, unknown]): boolean => name in params.shape;
  return (given) => {
    const members = Object.entries(given);
    const path = checkPath(Object.fromEntries(members.filter(isInPath)));
    const left = checkOthers(Object.fromEntries(members.filter((each) => !isInPath(each))));
    if ("error" in path) throw path.error;
    if ("error" in left) throw left.error;
    return Object.assign({}, path.value, left.value);
  };
}

const NO_MEMBERS: AnyObject = z.strictObject({});

/** The members of an input that one part of the request carries. @param id The part's name in the API's description, or its schema. */
function part(input: AnyObject, members: readonly string[], id?: string | AnyObject): AnyObject {
  if (typeof id === "object") return id;
  if (members.length === Object.keys(input.shape).length) return input;
  const shape = Object.entries(input.shape).filter(([member]) => members.includes(member));
  const schema = z.strictObject(Object.fromEntries(shape));
  if (id === undefined) return schema;
  const { description, examples = [] } = input.meta() ?? {};
  const shown = (examples as readonly object[]).map((example) =>
    Object.fromEntries(Object.entries(example).filter(([member]) => members.includes(member))),
  );
  return schema.meta({ id, ...(description !== undefined && { description }), examples: shown });
}
