/** `npm test` (the gate), `npm run check` (`--check`), `npm run test:full` (`--full`) and `npm run test:long` (`--long`). */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { runTests, suites } = await import('./test-chain.ts')
  const suite = suites.find((name) => args.includes(`--${name}`)) ?? 'gate'
  if (!(await runTests(suite))) process.exitCode = 1
})
