/** `npm start`: installs, builds the web app if its sources changed, runs the server in this process. */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { ensureWebBuilt } = await import('./web-build.ts')
  await ensureWebBuilt()
  const { main } = await import('../server/main.ts')
  await main(args)
})
