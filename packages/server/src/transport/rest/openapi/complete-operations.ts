import { withExamples, type ExampleSchema, type ExemplifiedOperation } from "./examples.js";
import { IDENTITY_PARAMETERS, withIdentityHeaders, type SecuredOperation } from "./identity.js";

/** The part of an OpenAPI document that is completed. */
interface DescribedDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, ExampleSchema>> };
}

type DescribedOperation = SecuredOperation & ExemplifiedOperation;

/**
 * Adds to the OpenAPI document the parts that many operations share: the identity headers, and
 * examples of requests and answers.
 */
export function withCompleteOperations<Document extends object>(document: Document): Document {
  // Only the parts in this module's own type are read.
  const { paths = {}, components = {} } = document as DescribedDocument;
  const { schemas = {} } = components;
  const completed = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        withExamples(withIdentityHeaders(operation), schemas),
      ]),
    ),
  ]);
  return {
    ...document,
    paths: Object.fromEntries(completed) as DescribedDocument["paths"],
    components: { ...components, parameters: IDENTITY_PARAMETERS },
  };
}
