/** `npm run easydash -- COMMAND`: the operator's commands; `--help` lists them. */
import { launch } from './launch.mjs'

await launch(import.meta.url, async (args) => {
  const { main } = await import('../server/cli/run-command.ts')
  await main(args)
})
