/** The part of rdf-canonize that the tests use; the package has no types. */
declare module "rdf-canonize" {
  const rdfCanonize: {
    canonize(
      dataset: string,
      options: {
        readonly algorithm: "RDFC-1.0";
        readonly inputFormat: "application/n-quads";
        readonly maxWorkFactor: number;
        readonly messageDigestAlgorithm: "SHA-256" | "SHA-384";
      },
    ): Promise<string>;
  };
  export default rdfCanonize;
}
