import { maxInputBytes } from '#server/platform/ssh/call.ts'
import { phpResult } from '#shared/responses/site-console.ts'
import { consoleLimits } from '#shared/rules/site-console.ts'
import { msg } from '#shared/localized-message.ts'
import { codeSeconds, codeStopped } from '../code-stopped.ts'
import { EngineError } from '../engine.ts'
import type { SiteConsole } from '../site-console.ts'
import { unreadable } from '../wordpress-scripts.ts'
import type { EeContext } from './ee-context.ts'
import { change, isPassing } from './remote.ts'
import { scriptText } from './remote-script.ts'
import { resultMark } from './php-program.ts'
import { managedSite, programOf, resultIn } from './scripts.ts'

/** Code does not wait longer for another change of the server: the person can run it again. */
const waitMs = 4_000
/** Bytes of the end of what is printed: more than a result can have. */
const maxTailBytes = 400_000

/** Runs PHP in the container of a site, where it can do what the site's code can do. It is never repeated. */
export function createEeConsole(context: EeContext): SiteConsole {
  return {
    async runPhp(site, code, { safe, signal }) {
      const managed = await managedSite(context, site, signal)
      const program = programOf(managed, 'console', { code, safe, limits: consoleLimits })
      if (Buffer.byteLength(scriptText('console', { program })) > maxInputBytes)
        throw new EngineError('invalid', msg`The code is too long for a site on a server.`, {
          nextAction: msg`Run it in parts.`,
        })
      const ended = await change(context, site.server, {
        script: 'console',
        args: [site.domain, managed.workdir, String(codeSeconds), String(maxTailBytes)],
        variables: { program },
        ...{ signal, waitMs, deadlineMs: (codeSeconds + 15) * 1_000 },
      }).catch((error: unknown) => {
        throw isPassing(error) ? unknownEnd(error) : error
      })
      const [end = '', status, seconds] = /\nended:(\d{1,3}) (\d{1,6})\n?$/.exec(`\n${ended.stdout}`) ?? []
      const hasResult = ended.stdout.split('\n').some((line) => line.startsWith(resultMark))
      if ((status === '124' || status === '137') && !hasResult)
        throw Number(seconds) >= codeSeconds ? codeStopped() : killed()
      const { data } = phpResult.safeParse(
        resultIn({
          ...ended,
          code: status === undefined ? ended.code : Number(status),
          stdout: ended.stdout.slice(0, ended.stdout.length - end.length + 1),
        }),
      )
      if (data === undefined) throw unreadable()
      return data
    },
  }
}

const killed = (): EngineError =>
  new EngineError('unavailable', msg`PHP was ended before the code was, for example because of its memory.`, {
    nextAction: msg`Do less at once. What it changed until then stays.`,
  })

const unknownEnd = (cause: unknown): EngineError =>
  new EngineError('unavailable', msg`The server did not answer to the end: the code may have run.`, {
    nextAction: msg`Look at what it changes before you run it again.`,
    cause,
  })
