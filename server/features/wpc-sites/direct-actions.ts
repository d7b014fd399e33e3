import { ExternalCall, type ActionEntry, type ActionResult, type Behavior } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { WpCloud } from '#server/providers/wpcloud/wpcloud.ts'
import type { WpCloudLogLine } from '#server/providers/wpcloud/wpcloud-logs.ts'
import type { WpcSite, WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import type { WpcLog, WpcMetrics } from '#shared/responses/wpc-sites.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { isWpcSshUser } from '#shared/rules/wp-cloud.ts'
import type { WpcContext } from './wpc-context.ts'

/** Where people connect to, with the name of their user there. */
const sshHost = 'ssh.atomicsites.net'

/** Actions that ask WP Cloud at once: what they show or change is kept there only. */
export function directActions(context: WpcContext) {
  const call = (site: WpcSite, tx: Tx, run: Call, entry: ActionEntry | null = null) =>
    atWpCloud(context, { site, tx, run, entry })
  return {
    list_backups: (site, _args, { tx }) =>
      call(site, tx, async (cloud, id, signal) => ({
        backups: (await cloud.backups(id, signal)).map((one) => ({
          backup: one.id,
          kind: one.kind,
          on_demand: one.isOnDemand,
          creation: formatTimestamp(one.at),
        })),
      })),
    list_ssh_users: (site, _args, { tx }) =>
      call(site, tx, async (cloud, id, signal) => ({ host: sshHost, logins: [...(await cloud.sshUsers(id, signal))] })),
    async add_ssh_user(site, { user, public_key: key }, { tx }) {
      if (!isWpcSshUser(user))
        throw new AppError('invalid', msg`A user has at least five letters and digits, and begins with a letter.`, {
          field: 'user',
        })
      const parsed = parseSshPublicKey(key)
      if ('problem' in parsed) throw new AppError('invalid', parsed.problem, { field: 'public_key' })
      const add: Call = (cloud, id, signal) => cloud.addSshUser(id, { name: user, publicKey: key.trim() }, signal)
      return call(site, tx, add, { detail: untranslated(user) })
    },
    remove_ssh_user: (site, { user }, { tx }) =>
      call(site, tx, (cloud, id, signal) => cloud.removeSshUser(id, user, signal), { detail: untranslated(user) }),
    set_ssh_access: (site, { value }, { tx }) =>
      call(site, tx, (cloud, id, signal) => cloud.setSshAccess(id, value, signal), { detail: msg`to ${value}` }),
    read_log: (site, { log, cursor }, { tx }) =>
      call(site, tx, async (cloud, id, signal): Promise<WpcLog> => {
        const end = Math.floor(context.clock.now() / 1000)
        const part = await cloud.log(id, log, { start: end - logSeconds, end, cursor }, signal)
        return { lines: part.lines.map(log === 'php' ? errorLine : accessLine), cursor: part.next }
      }),
    get_metrics: (site, { range }, { tx }) =>
      call(site, tx, async (cloud, id, signal): Promise<WpcMetrics> => {
        const end = Math.floor(context.clock.now() / 1000)
        const { resolution, samples } = await cloud.metrics(id, { start: end - seconds[range ?? '24h'], end }, signal)
        return {
          interval: resolution,
          samples: samples.map(({ timestamp, values }) => ({
            timestamp,
            requests: values.requests ?? null,
            response_seconds: values.response_time_average ?? null,
            cache_percent: values.edge_cache_hit_percentage ?? null,
          })),
        }
      }),
  } satisfies Behavior<typeof WpcSiteDoctype>['actions']
}

type Call = (cloud: WpCloud, id: string, signal: AbortSignal) => Promise<ActionResult | void>

async function atWpCloud(
  { deps }: WpcContext,
  { site, tx, run, entry }: { site: WpcSite; tx: Tx; run: Call; entry: ActionEntry | null },
): Promise<ExternalCall> {
  const id = site.atomic_site_id
  if (id === null) throw new AppError('conflict', msg`WP Cloud has not made this site yet.`)
  const cloud = await deps.wpCloudOf(tx, site)
  return new ExternalCall(async (signal) => (await run(cloud, id, signal)) ?? {}, entry, 60_000)
}

/** How far back logs are read. */
const logSeconds = 7 * 86_400
const seconds = { '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800 } as const

/** A value of a log in one line; what a site wrote there is not to be trusted. */
function part(line: WpCloudLogLine, name: string): string {
  const value = line[name]
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  return String(value)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 2000)
}

function timeOf(line: WpCloudLogLine): string | null {
  const stamp = line['timestamp'] ?? line['date']
  const at = /^\d{9,11}(?:\.\d+)?$/.test(String(stamp)) ? Number(stamp) * 1000 : Date.parse(String(stamp))
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? formatTimestamp(at) : null
}

function errorLine(line: WpCloudLogLine): WpcLog['lines'][number] {
  const severity = part(line, 'severity')
  const [file, number] = [part(line, 'file'), part(line, 'line')]
  const where = file === '' ? '' : ` in ${file}${number === '' ? '' : `:${number}`}`
  const level = /fatal|parse|error/i.test(severity) ? 'error' : /warning/i.test(severity) ? 'warning' : 'notice'
  return { at: timeOf(line), level, text: [severity, part(line, 'message')].filter(Boolean).join(': ') + where }
}

function accessLine(line: WpCloudLogLine): WpcLog['lines'][number] {
  const status = part(line, 'status')
  const words = [part(line, 'request_type'), part(line, 'request_url'), status, part(line, 'user_ip')]
  const time = part(line, 'request_time')
  const level = status.startsWith('5') ? 'error' : status.startsWith('4') ? 'warning' : 'info'
  return { at: timeOf(line), level, text: [...words, time === '' ? '' : `${time} s`].filter(Boolean).join(' ') }
}
