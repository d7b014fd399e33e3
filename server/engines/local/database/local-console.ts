import { msg } from '#shared/localized-message.ts'
import { phpResult } from '#shared/responses/site-console.ts'
import { consoleLimits } from '#shared/rules/site-console.ts'
import { EngineError } from '../../engine.ts'
import type { SiteConsole } from '../../site-console.ts'
import type { ScriptContext } from '../wordpress/run-script.ts'
import { checked, runBounded } from './run-bounded.ts'

/** PHP can't be interrupted: the site's process is ended. */
const deadlineMs = 30_000

/** Runs PHP in the site's own process, where it can do what the site's code can do. */
export function createLocalConsole(context: ScriptContext): SiteConsole {
  return {
    async runPhp(site, code, { safe, signal }) {
      const result = await runBounded(context, site, {
        script: 'console',
        input: { code, safe, limits: consoleLimits },
        deadlineMs,
        signal,
        late: () =>
          new EngineError(
            'unavailable',
            msg`The code ran for more than ${deadlineMs / 1000} seconds and was stopped.`,
            {
              nextAction: msg`Do less at once. What it changed until then stays.`,
            },
          ),
      })
      return checked(phpResult, result)
    },
  }
}
