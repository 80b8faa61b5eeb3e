/** The part of jsonld that is used here; the package comes without types. */
declare module "jsonld" {
  interface JsonLdTerm {
    readonly termType: "NamedNode" | "BlankNode" | "Literal" | "DefaultGraph";
    readonly value: string;
    readonly language?: string;
    readonly datatype?: { readonly value: string };
  }

  interface JsonLdQuad {
    readonly subject: JsonLdTerm;
    readonly predicate: JsonLdTerm;
    readonly object: JsonLdTerm;
    readonly graph: JsonLdTerm;
  }

  interface JsonLdOptions {
    /** Refuses what would be dropped. */
    readonly safe: boolean;
    readonly documentLoader: (url: string) => Promise<never>;
  }

  const jsonld: {
    expand(document: unknown, options: JsonLdOptions): Promise<unknown>;
    /** @param options.skipExpansion says that the document is expanded already. */
    toRDF(
      document: unknown,
      options: JsonLdOptions & { readonly skipExpansion: boolean },
    ): Promise<readonly JsonLdQuad[]>;
  };
  export default jsonld;
  export type { JsonLdQuad, JsonLdTerm };
}
