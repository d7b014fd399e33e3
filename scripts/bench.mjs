/** `npm run bench`: every benchmark of tests/bench, one after the other. */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { runBenchmarks } = await import('./bench-run.ts')
  process.exitCode = (await runBenchmarks(args)) ? 0 : 1
})
