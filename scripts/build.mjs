/** `npm run build`: the web app into dist/web, if its sources changed. `npm start` does the same by itself. */
import { launch } from './launch.mjs'

await launch(import.meta.url, async () => {
  const { ensureWebBuilt } = await import('./web-build.ts')
  await ensureWebBuilt()
})
