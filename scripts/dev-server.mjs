/** What `npm run dev` starts and restarts; not meant to be run by hand. */
import { printFailure } from './terminal.mjs'

try {
  const { main } = await import('../server/main.ts')
  await main(process.argv.slice(2))
} catch (error) {
  printFailure(error)
  process.exitCode = 1
}
