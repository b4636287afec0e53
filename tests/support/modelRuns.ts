/** The number of random histories per model test; PACKBENCH_MODEL_RUNS=10000 for the long run. */
export const modelRuns = Number(process.env.PACKBENCH_MODEL_RUNS ?? 300)
