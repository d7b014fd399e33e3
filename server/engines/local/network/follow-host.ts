import { isObject } from '#shared/parse-json.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { networkAt, renamedNetwork } from './network-host.ts'

/**
 * Replaces the address of a network before anybody uses it, if its database still has another one: Easydash got another port or scheme, or
 * the site is the copy of another. A single site gets its address at each request instead. Can be repeated.
 */
export async function followHost(
  { store, options }: Pick<LocalBase, 'store' | 'options'>,
  id: string,
  process: SiteProcess,
  signal: AbortSignal,
): Promise<void> {
  const record = store.get(id)
  // During a change of the domain, its own steps do that.
  if (record?.network === undefined || record.move !== undefined) return
  const { origin } = networkAt(options, record)
  if (record.network.origin === origin) return
  const [from, to] = [new URL(record.network.origin), new URL(origin)]
  const replacement = {
    from: from.host,
    to: to.host,
    ...(from.protocol === to.protocol ? {} : { scheme: to.protocol.slice(0, -1) }),
    salts: {},
    without_port: false,
    mysql: record.database === 'mysql',
  }
  let after: unknown = null
  let changed = 0
  do {
    signal.throwIfAborted()
    const { value } = await process.call('relocate', { ...replacement, after }, signal)
    const result = isObject(value) ? value : {}
    if (typeof result['problem'] === 'string') throw new Error(`The network has its old address: ${result['problem']}`)
    after = isObject(result['after']) ? result['after'] : null
    changed += Number(result['changed']) || 0
  } while (after !== null)
  await store.change(id, (now) => ({ ...now, ...renamedNetwork(options, now, record.domain) }))
  options.log.info('A network of sites got its new address', { site: id, from: from.host, to: to.host, rows: changed })
}
