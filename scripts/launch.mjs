/** The start of every npm script: install what is missing, go on under Node 24, then do the work. */
import module from 'node:module'
import { ensureInstalled } from './install.mjs'
import { compileCache, continueOnNode24 } from './node24.mjs'
import { printFailure } from './terminal.mjs'

/**
 * @param {string} script the calling script's `import.meta.url`; it runs a second time when Node 24 is a child
 * @param {(args: string[]) => Promise<void>} work runs on Node 24 with all packages installed
 */
export async function launch(script, work) {
  try {
    await ensureInstalled()
    await continueOnNode24(script)
    module.enableCompileCache?.(compileCache)
    await work(process.argv.slice(2))
  } catch (error) {
    printFailure(error)
    process.exit(1)
  }
}
