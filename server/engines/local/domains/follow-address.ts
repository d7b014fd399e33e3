import { isObject } from '#shared/parse-json.ts'
import { localSiteUrl, type LocalBase } from '../local-base.ts'
import { renamedNetwork } from '../network/network-host.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { isChanging } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { isOrigin, namesOf } from './record-domains.ts'

type FollowContext = Pick<LocalBase, 'store' | 'options'>

/**
 * Replaces the address of a site before anybody uses it, if its database still has another one: Easydash got another port, scheme or
 * domain, or the site came from another machine. Can be repeated, also after it was cut off. A change of the name has steps of its own.
 */
export async function followAddress(
  context: FollowContext,
  id: string,
  process: SiteProcess,
  signal: AbortSignal,
): Promise<void> {
  const record = context.store.get(id)
  if (record === undefined || record.siteType !== 'wp' || record.move !== undefined) return
  if (record.network !== undefined) {
    // WordPress finds the sites of a network by what its database says: without the new address none of them works.
    await follow(context, record, record.network.origin, process, signal)
    return
  }
  if (record.state !== 'ready' || isChanging(record)) return
  try {
    const from = record.following ?? (await storedOrigin(record, process, signal))
    if (from !== null && isOwn(record, from)) await follow(context, record, from, process, signal)
  } catch (error) {
    signal.throwIfAborted()
    // A single site gets its address at each request, so it works; the next start tries again.
    context.options.log.warn('The addresses in the database of a site could not be replaced', { site: id, error })
  }
}

/** The origin of the address that the database has. */
async function storedOrigin(record: SiteRecord, process: SiteProcess, signal: AbortSignal): Promise<string | null> {
  const { value } = await process.call('address', { mysql: record.database === 'mysql' }, signal)
  const { home, problem } = isObject(value) ? value : {}
  if (typeof problem === 'string') throw new Error(problem)
  if (typeof home !== 'string' || !URL.canParse(home)) return null
  const { origin } = new URL(home)
  return isOrigin(origin) ? origin : null
}

/** Whether an address was one of the site here or on another machine. Others are what somebody imported, and theirs to replace. */
function isOwn(record: SiteRecord, origin: string): boolean {
  const { hostname } = new URL(origin)
  return [...namesOf(record), ...(record.former ?? [])].some((name) =>
    name.includes('.') ? hostname === name : hostname.startsWith(`${name}.`),
  )
}

async function follow(
  { store, options }: FollowContext,
  record: SiteRecord,
  before: string,
  process: SiteProcess,
  signal: AbortSignal,
): Promise<void> {
  const { id } = record
  const { origin } = new URL(localSiteUrl(options, record))
  if (before === origin) return
  const [from, to] = [new URL(before), new URL(origin)]
  // The options come before the posts: a start that is cut off between them must go on with the next one.
  if (record.network === undefined) await store.change(id, (now) => ({ ...now, following: before }))
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
    if (typeof result['problem'] === 'string') throw new Error(`The site has its old address: ${result['problem']}`)
    after = isObject(result['after']) ? result['after'] : null
    changed += Number(result['changed']) || 0
  } while (after !== null)
  await store.change(id, ({ following: _done, ...now }) => ({ ...now, ...renamedNetwork(options, now, record.domain) }))
  options.log.info('A site got its new address', { site: id, from: before, to: origin, rows: changed })
}
