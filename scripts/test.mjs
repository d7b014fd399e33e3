/** `npm test`, `npm run check` (`--check`: without wire, contracts, e2e) and `npm run test:long` (`--long`). */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { runTests } = await import('./test-chain.ts')
  const { failed } = await runTests({ check: args.includes('--check'), long: args.includes('--long') })
  process.exitCode = failed > 0 ? 1 : 0
})
