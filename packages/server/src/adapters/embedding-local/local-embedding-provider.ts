import { EmbeddingError, type BatchEmbeddingProvider } from "../../embedding/index.js";
import { assert } from "@steward/kernel/assert.js";

/** The optional package that runs ONNX models in this process. */
const PACKAGE = "@huggingface/transformers";

/** Texts per batch. Larger batches need more memory without being faster. */
const BATCH_SIZE_MAX = 16;

/** The part of the package's interface that is used: the feature-extraction pipeline. */
interface TransformersModule {
  pipeline(task: "feature-extraction", model: string): Promise<FeatureExtractor>;
}

type FeatureExtractor = (
  texts: readonly string[],
  options: { readonly pooling: "mean"; readonly normalize: true },
) => Promise<Tensor>;

/** A matrix in row-major order. */
interface Tensor {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
}

/** Runs an ONNX model in this process, so that no text leaves the machine. */
export class LocalEmbeddingProvider implements BatchEmbeddingProvider {
  readonly #extractor: FeatureExtractor;
  readonly #dimension: number;

  private constructor(extractor: FeatureExtractor, dimension: number) {
    this.#extractor = extractor;
    this.#dimension = dimension;
  }

  /**
   * Loads the package and the model.
   * @param load imports the package.
   * @throws EmbeddingError `model_not_configured` when the package or the model is missing.
   */
  static async open(
    options: { readonly model: string; readonly dimension: number },
    load: (name: string) => Promise<unknown> = (name) => import(name),
  ): Promise<LocalEmbeddingProvider> {
    const transformers = await transformersModule(load);
    try {
      const extractor = await transformers.pipeline("feature-extraction", options.model);
      return new LocalEmbeddingProvider(extractor, options.dimension);
    } catch (error) {
      throw new EmbeddingError(
        "model_not_configured",
        `the local model ${options.model} could not be loaded: check SERVICE_EMBEDDING_MODEL`,
        { cause: error },
      );
    }
  }

  async embed(text: string): Promise<Float32Array> {
    const [vector] = await this.embedMany([text]);
    assert(vector !== undefined, "a batch of one text has one vector");
    return vector;
  }

  async embedMany(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += BATCH_SIZE_MAX) {
      const batch = texts.slice(start, start + BATCH_SIZE_MAX);
      vectors.push(...rows(await this.#extractor(batch, { pooling: "mean", normalize: true })));
    }
    return vectors;
  }

  dimension(): number {
    return this.#dimension;
  }
}

async function transformersModule(
  load: (name: string) => Promise<unknown>,
): Promise<TransformersModule> {
  try {
    // The optional package is not installed at compile time, so its types are declared above.
    return (await load(PACKAGE)) as TransformersModule;
  } catch (error) {
    throw new EmbeddingError(
      "model_not_configured",
      `SERVICE_EMBEDDING_PROVIDER=local needs a package that is not installed: ` +
        `npm install ${PACKAGE}`,
      { cause: error },
    );
  }
}

function rows(tensor: Tensor): readonly Float32Array[] {
  const [count = 0, dimension = 0] = tensor.dims;
  const data = Float32Array.from(tensor.data);
  return Array.from({ length: count }, (_row, index) =>
    data.slice(index * dimension, (index + 1) * dimension),
  );
}
