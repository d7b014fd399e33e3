/** `npm run demo -- [--port N] [--sites N --servers N --members N]`: the product with the demo data, made anew. */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { prepareDemo } = await import('./demo-data.ts')
  const rest = await prepareDemo(args)
  const { ensureWebBuilt } = await import('./web-build.ts')
  await ensureWebBuilt()
  const { main } = await import('../server/main.ts')
  await main(rest)
})
