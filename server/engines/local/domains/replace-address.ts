import { isObject } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { unwritten } from '../../database-problems.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'

/** What is replaced in the database of a WordPress site. */
interface Replacement {
  /** Names of sites. */
  readonly from: string
  readonly to: string
  /** Keys for `wp-config.php`. */
  readonly salts: Readonly<Record<string, string>>
  /** Also addresses that leave out the port. */
  readonly withoutPort: boolean
}

/** Replaces an address in the database of a site and in its configuration, without running its code. Can be repeated. */
export async function replaceAddress(
  context: LocalContext,
  record: SiteRecord,
  { from, to, salts, withoutPort }: Replacement,
  step: StepContext,
): Promise<void> {
  const hostOf = (domain: string) => new URL(localSiteUrl(context.options, { domain })).host
  await replaceHost(context, record, { from: hostOf(from), to: hostOf(to), salts, without_port: withoutPort }, step)
}

/** What is replaced, as `relocate.php` gets it. */
interface HostReplacement {
  /** Host with its port, if it has one, and a path, if the site was below one. */
  readonly from: string
  readonly to: string
  readonly salts: Readonly<Record<string, string>>
  readonly without_port: boolean
  /** Of the new addresses; default: that of each old one. */
  readonly scheme?: 'http' | 'https'
}

/** The same for addresses of any site. */
export async function replaceHost(
  context: LocalContext,
  record: SiteRecord,
  call: HostReplacement,
  step: StepContext,
): Promise<void> {
  const { signal } = step
  let [changed, skipped, runs] = [0, 0, 0]
  let after: unknown = null
  do {
    // Its rows come in one order, so it ends; the deadline of the step ends a site that says otherwise.
    signal.throwIfAborted()
    const result = await relocate(context, record, { ...call, mysql: record.database === 'mysql', after }, signal)
    after = isObject(result['after']) ? result['after'] : null
    changed += Number(result['changed']) || 0
    skipped += Number(result['skipped']) || 0
    runs += 1
    step.progress(1 - 1 / (runs + 1))
  } while (after !== null)
  step.log(`Replaced ${call.from} with ${call.to} in ${changed} rows`)
  if (skipped > 0)
    step.log(`${skipped} values or tables were left as they are: they are damaged or not of the usual kind`)
}

/** Runs a part of `relocate.php`. Throws EngineError `unavailable` with the problem it reports. */
export async function relocate(
  context: LocalContext,
  record: SiteRecord,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const result = await runScript(context, record, { script: 'relocate', input, signal })
  const { problem } = result
  if (typeof problem !== 'string') return result
  if (problem === 'no room') throw unwritten()
  throw new EngineError('unavailable', msg`The addresses in the database could not be read: ${problem.slice(0, 300)}`, {
    nextAction: msg`Correct that, then try again.`,
  })
}
