import { maxInputBytes } from '#server/platform/ssh/call.ts'
import { phpResult } from '#shared/responses/site-console.ts'
import { consoleLimits } from '#shared/rules/site-console.ts'
import { msg } from '#shared/localized-message.ts'
import { codeSeconds, codeStopped } from '../code-stopped.ts'
import { EngineError } from '../engine.ts'
import type { SiteCommands, SiteConsole } from '../site-console.ts'
import { unreadable } from '../wordpress-scripts.ts'
import type { EeContext } from './ee-context.ts'
import { change, isPassing, outputOf, type ScriptResult } from './remote.ts'
import { scriptText } from './remote-script.ts'
import { resultMark } from './php-program.ts'
import { managedSite, programOf, resultIn, type ManagedSite } from './scripts.ts'

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
      const { text, status, isStopped, ended } = await runInside(managed, {
        words: ['php', '-d', 'memory_limit=512M'],
        program,
        signal,
      })
      const hasResult = text.split('\n').some((line) => line.startsWith(resultMark))
      if (isStopped !== null && !hasResult) throw isStopped === 'time' ? codeStopped() : killed()
      const { data } = phpResult.safeParse(resultIn({ ...ended, code: status ?? ended.code, stdout: text }))
      if (data === undefined) throw unreadable()
      return data
    },
  }
}

/** Runs WP-CLI there. */
export function createEeCommands(context: EeContext): SiteCommands {
  return {
    async runWp(site, words, { signal }) {
      const managed = await managedSite(context, site, signal)
      const begun = performance.now()
      const { text, status, isStopped, ended } = await runInside(managed, {
        words: ['wp', ...words, '--no-color'],
        program: '',
        signal,
      })
      if (isStopped !== null) throw isStopped === 'time' ? codeStopped() : killed()
      if (status === null) outputOf(ended)
      const ms = Math.round(performance.now() - begun)
      return {
        output: text.slice(-consoleLimits.output),
        code: status ?? 0,
        cut: text.length > consoleLimits.output,
        ms,
      }
    },
  }
}

/** What ran, without how it ended. `status`: null if the server did not say. */
interface Ended {
  readonly text: string
  readonly status: number | null
  /** Why it was ended, if it did not end by itself. */
  readonly isStopped: 'time' | 'killed' | null
  readonly ended: ScriptResult
}

async function runInside(
  { context, site, workdir }: ManagedSite,
  {
    words,
    program,
    signal,
  }: { readonly words: readonly string[]; readonly program: string; readonly signal: AbortSignal | undefined },
): Promise<Ended> {
  const ended = await change(context, site.server, {
    script: 'console',
    args: [site.domain, workdir, String(codeSeconds), String(maxTailBytes), ...words],
    variables: { program },
    ...{ signal, waitMs, deadlineMs: (codeSeconds + 15) * 1_000 },
  }).catch((error: unknown) => {
    throw isPassing(error) ? unknownEnd(error) : error
  })
  const [end = '', status, seconds] = /\nended:(\d{1,3}) (\d{1,6})\n?$/.exec(`\n${ended.stdout}`) ?? []
  const isStopped = status === '124' || status === '137'
  return {
    text: ended.stdout.slice(0, ended.stdout.length - end.length + 1),
    status: status === undefined ? null : Number(status),
    isStopped: !isStopped ? null : Number(seconds) >= codeSeconds ? 'time' : 'killed',
    ended,
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
