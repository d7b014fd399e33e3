import { parseJson } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import { scriptResult, unreadable, type RunWordPressScript, type WordPressScript } from '../wordpress-scripts.ts'
import type { EeContext } from './ee-context.ts'
import { phpProgram, resultMark } from './php-program.ts'
import type { EeRow } from './inventory.ts'
import { change, look, outputOf, type ScriptResult } from './remote.ts'
import { assertEnabled, existingSite, workdirOf } from './site-of.ts'
import { printed } from './wp.ts'

/** A WordPress on a server that can be managed. */
export interface ManagedSite {
  readonly context: EeContext
  readonly site: SiteRef
  readonly workdir: string
  readonly isSecure: boolean
  /** EasyEngine made it with a Redis. */
  readonly hasRedis: boolean
}

/** A WordPress that runs. Throws EngineError `unsupported` for a site without, `conflict` for one that does not run. */
export async function managedSite(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<ManagedSite> {
  const { row } = await existingSite(context, site, signal)
  if (row.site_type !== 'wp')
    throw new EngineError('unsupported', msg`Only a WordPress site has this.`, {
      nextAction: msg`Choose a WordPress site.`,
    })
  assertEnabled(row)
  return managedAs(context, site, row)
}

/** A site as it is managed, by its row. */
export const managedAs = (context: EeContext, site: SiteRef, row: EeRow): ManagedSite => ({
  ...{ context, site, workdir: workdirOf(row) },
  isSecure: (row.site_ssl ?? '') !== '',
  hasRedis: (row.cache_host ?? '') !== '',
})

/** Scripts that only read here: `statements.ts` runs SQL that may write. */
const reading: readonly string[] = [
  ...['inspect', 'links', 'plugins', 'people', 'health', 'login', 'checksum', 'content', 'browse', 'sql'],
]

/** Seconds that a script may take; the end of the connection then does not end it on the server. */
export const scriptSeconds = 170

/** Exit code of `php.sh` if Redis kept what it had. */
const notPurged = 6

/** Runs a script in the PHP of a site. Those that read do so beside whatever changes the server at the moment. */
export async function runPhp(
  managed: ManagedSite,
  script: WordPressScript | 'bring' | 'deleted' | 'content' | 'links',
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { context, site, workdir } = managed
  const isReading =
    reading.includes(script) ||
    (script === 'options' && input['changes'] === undefined) ||
    (script === 'core' && input['act'] === 'about')
  const call = {
    script: 'php',
    args: [site.domain, workdir, String(scriptSeconds), ...(!isReading && input['safe'] === true ? ['safe'] : [])],
    variables: { program: programOf(managed, script, input) },
    signal,
    deadlineMs: (scriptSeconds + 10) * 1000,
    maxBytes: 2_097_152,
    isLong: true,
  } as const
  if (!isReading) await hideKept(managed, signal)
  const ended = await (isReading ? look : change)(context, site.server, call)
  // The script has run, but visitors still get the state before.
  if (ended.code === notPurged) printed(ended)
  return resultIn(ended)
}

/** Has the web server serve nothing of what is kept of plugins, themes and WordPress; asked once for each site. */
export async function hideKept({ context, site }: ManagedSite, signal?: AbortSignal): Promise<void> {
  const key = `${site.id} ${site.domain}`
  if (context.hidden.has(key)) return
  outputOf(await change(context, site.server, { script: 'hide-kept', args: [site.domain], signal }))
  context.hidden.add(key)
}

/** A script as the PHP of a site runs it. */
export const programOf = (
  { site, workdir, isSecure }: ManagedSite,
  script: string,
  input: Readonly<Record<string, unknown>>,
): string => phpProgram({ script, input, workdir, isSecure, domain: site.domain })

/** What a script wrote that the PHP of a site ran. Throws EngineError if it did not come that far. */
export function resultIn(ended: ScriptResult): Readonly<Record<string, unknown>> {
  // PHP ends with an error after a fatal one, which is a result, too.
  const line = ended.stdout.split('\n').findLast((one) => one.startsWith(resultMark))
  if (line === undefined) {
    printed(ended)
    throw unreadable()
  }
  return scriptResult(parseJson(Buffer.from(line.slice(resultMark.length), 'base64').toString('utf8')))
}

/** Runs scripts in a site. */
export const scriptsOf =
  (managed: ManagedSite): RunWordPressScript =>
  (script, input, signal) =>
    runPhp(managed, script, input, signal)
