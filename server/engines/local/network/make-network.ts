import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript, type ScriptContext } from '../wordpress/run-script.ts'
import { networkAt, networkHost } from './network-host.ts'

/**
 * Makes a sub-directory network of an installed WordPress, without running the site's own code; its next start runs it as one. Can be
 * repeated. Throws EngineError `invalid` with the reason if it can't become one.
 */
export async function makeNetwork(
  context: ScriptContext & Pick<LocalBase, 'options'>,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<void> {
  const host = networkHost(context.options, record)
  const result = await runScript(context, record, { script: 'network', input: { host, safe: true }, signal })
  const { refused, why } = result
  if (refused !== undefined) throw refusal(String(refused), typeof why === 'string' ? why.slice(0, 300) : '')
  if (result['host'] !== host) {
    throw new EngineError('invalid', msg`Its wp-config.php makes it a network of another address.`, {
      nextAction: msg`Correct DOMAIN_CURRENT_SITE in wp-config.php.`,
    })
  }
  await context.store.change(record.id, (now) => ({ ...now, network: networkAt(context.options, record) }))
  await context.awake.sleep(record.id)
}

const reasons: Readonly<Record<string, { readonly why: LocalizedMessage; readonly next: LocalizedMessage }>> = {
  administrator: {
    why: msg`The site has no administrator with an email address, which a network needs.`,
    next: msg`Add an administrator to the site first.`,
  },
  config: {
    why: msg`The wp-config.php of the site is not of the usual kind: it has no line that loads wp-settings.php.`,
    next: msg`Restore that line in wp-config.php first.`,
  },
  kind: {
    why: msg`The site is a network already, but not one in subdirectories at the top of its address.`,
    next: msg`Change it in its wp-config.php.`,
  },
  leftover: {
    why: msg`The database has tables of a network with more sites than this one.`,
    next: msg`Turn the network on again in wp-config.php, or remove its tables.`,
  },
}

function refusal(code: string, why: string): EngineError {
  const known = Object.hasOwn(reasons, code) ? reasons[code] : undefined
  if (known !== undefined) return new EngineError('invalid', known.why, { nextAction: known.next })
  return new EngineError('unavailable', msg`WordPress could not make a network: ${why}`, {
    nextAction: msg`Look at the error log of the site.`,
  })
}
