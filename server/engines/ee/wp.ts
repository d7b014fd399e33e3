import { parseJson } from '#shared/parse-json.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { change, look, type ScriptResult } from './remote.ts'

/** A command of WP-CLI. */
export interface WpCall {
  readonly workdir: string
  /** Each is quoted; texts that somebody entered go through `input`, where WP-CLI allows that. */
  readonly args: readonly string[]
  /** Standard input. */
  readonly input?: string
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number
}

const wpMs = 60_000

/** Runs WP-CLI inside of a site, with the rights of the site, and returns what it printed. Throws EngineError with its words. */
export async function runWp(context: EeContext, site: SiteRef, call: WpCall): Promise<string> {
  return printed(await change(context, site.server, scriptOf(site, call)))
}

/** Likewise, for a command that changes nothing. Its standard input is no secret. */
export async function askWp(context: EeContext, site: SiteRef, call: WpCall): Promise<string> {
  return printed(await look(context, site.server, { ...scriptOf(site, call), maxBytes: 4_194_304 }))
}

const scriptOf = ({ domain }: SiteRef, { workdir, args, input, signal, deadlineMs = wpMs }: WpCall) =>
  ({
    script: 'wp',
    args: [domain, workdir, ...args],
    ...(input === undefined ? {} : { variables: { input } }),
    signal,
    deadlineMs,
  }) as const

/** The prefix of the tables that the configuration of a site names. Throws EngineError `unavailable` if that is none. */
export async function tablePrefixOf(
  context: EeContext,
  site: SiteRef,
  workdir: string,
  signal: AbortSignal,
): Promise<string> {
  const output = await askWp(context, site, { workdir, args: ['config', 'get', 'table_prefix'], signal })
  // PHP's own words can precede it.
  const prefix = output.trim().split('\n').at(-1)?.trim() ?? ''
  if (/^\w{1,40}$/.test(prefix)) return prefix
  throw new EngineError('unavailable', msg`The prefix of the site’s tables cannot be read.`, {
    nextAction: msg`Look at wp-config.php of the site.`,
  })
}

/** Exit code of `wp.sh` without a container. */
const notRunning = 4

/** What a command inside of a site printed. Throws EngineError with its last words if it failed. */
export function printed(ended: ScriptResult): string {
  const { code, stdout, stderr } = ended
  if (code === 0) return stdout
  if (code === notRunning)
    throw new EngineError('conflict', msg`The site does not run at the moment.`, {
      nextAction: msg`Resume the site first.`,
    })
  const words = wordsOf(stderr) ?? wordsOf(stdout)
  throw new EngineError('unavailable', words === null ? silentEnd(ended) : saidAtEnd(ended, words), {
    nextAction: msg`Look at the error log of the site.`,
  })
}

/** Exit codes of what `timeout` ended; 137 also of what Docker or the kernel killed, as when memory runs out. */
const isKilled = (code: number | null): boolean => code === 124 || code === 137

/** What there is to say of a program that said nothing. */
function silentEnd({ code, signal }: ScriptResult): LocalizedMessage {
  if (isKilled(code))
    return msg`WordPress was stopped (code ${String(code)}): it took too long, or the server had no memory left for it.`
  return code === null
    ? msg`WordPress was ended by the signal ${signal ?? 'KILL'}, without a message.`
    : msg`WordPress ended with code ${String(code)}, without a message.`
}

/** The last words of what was stopped are none of an error. */
const saidAtEnd = (ended: ScriptResult, words: string): LocalizedMessage =>
  isKilled(ended.code) || ended.code === null
    ? msg`${silentEnd(ended)} Its last words: “${words}”`
    : msg`WordPress says: “${words}”`

const wordsOf = (text: string): string | null => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const line = lines.findLast((one) => one.startsWith('Error: ')) ?? lines.at(-1)
  return line?.replace(/^Error: /, '').slice(0, 300) ?? null
}

/** JSON that WP-CLI printed, perhaps after notices of PHP. Undefined if there is none. */
export function jsonIn(output: string): unknown {
  const line = output
    .split('\n')
    .map((one) => one.trim())
    .findLast((one) => one.startsWith('[') || one.startsWith('{'))
  return line === undefined ? undefined : parseJson(line)
}
