/** The part of rdf-canonize that is used here; the package comes without types. */
declare module "rdf-canonize" {
  const rdfCanonize: {
    /** @param options.canonicalIdMap takes the new label of every old one. */
    canonize(
      quads: readonly unknown[],
      options: {
        readonly algorithm: "RDFC-1.0";
        readonly canonicalIdMap: Map<string, string>;
        readonly maxWorkFactor: number;
        readonly signal: AbortSignal;
      },
    ): Promise<string>;
  };
  export default rdfCanonize;
}
