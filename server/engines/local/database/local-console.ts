import { phpResult } from '#shared/responses/site-console.ts'
import { consoleLimits } from '#shared/rules/site-console.ts'
import { codeSeconds, codeStopped } from '../../code-stopped.ts'
import type { SiteConsole } from '../../site-console.ts'
import type { ScriptContext } from '../wordpress/run-script.ts'
import { checked, runBounded } from './run-bounded.ts'

/** Runs PHP in the site's own process, where it can do what the site's code can do. */
export function createLocalConsole(context: ScriptContext): SiteConsole {
  return {
    async runPhp(site, code, { safe, signal }) {
      const result = await runBounded(context, site, {
        script: 'console',
        input: { code, safe, limits: consoleLimits },
        // PHP can't be interrupted: the site's process is ended.
        deadlineMs: codeSeconds * 1_000,
        signal,
        late: codeStopped,
      })
      return checked(phpResult, result)
    },
  }
}
