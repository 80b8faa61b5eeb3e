import * as z from "zod";

/**
 * The type of the values that an object of these zod schemas produces, read-only throughout. An
 * interface extends it, so that editors and error messages name the message instead of listing its
 * fields. Editors show the comment above a field; the API reference shows the text that `describe`
 * is given. `z.output` of the whole object has the same type and loses the comments.
 */
export type Message<Shape extends z.ZodRawShape> = {
  readonly [Key in keyof Fields<Shape>]: ReadonlyDeep<z.output<Shape[Key & keyof Shape]>>;
};

/** An object type in which the optional fields of the schema are optional properties. */
type Fields<Shape> = Pick<Shape, Exclude<keyof Shape, OptionalKey<Shape>>> &
  Partial<Pick<Shape, OptionalKey<Shape>>>;

type OptionalKey<Shape> = {
  [Key in keyof Shape]: Shape[Key] extends { _zod: { optout: "optional" } } ? Key : never;
}[keyof Shape];

/** Returns a type that is already read-only unchanged, so that a nested message keeps its name. */
type ReadonlyDeep<T> = T extends readonly (infer Element)[]
  ? readonly ReadonlyDeep<Element>[]
  : T extends object
    ? IsReadonly<T> extends true
      ? T
      : { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

type IsReadonly<T> =
  (<X>() => X extends T ? 1 : 2) extends <X>() => X extends Readonly<T> ? 1 : 2 ? true : false;

/**
 * The body of every successful REST response: the payload under the single key `data` (Contract
 * §4).
 */
export interface Data<Payload> {
  readonly data: Payload;
}

/** The schema of a body with this payload. */
export function dataOf<Payload>(payload: z.ZodType<Payload>): z.ZodType<Data<Payload>> {
  return z.object({ data: payload.describe("The payload") });
}
