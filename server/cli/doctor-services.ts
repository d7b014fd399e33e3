/** Checks of `doctor` for what Easydash gets from elsewhere: mail, WordPress releases, the time. */
import { newestRelease, wordpressOrg, type WordPressOrg } from '#server/engines/local/core/wordpress-org.ts'
import { cachedCores } from '#server/engines/local/core/core-cache.ts'
import { operatorsServer } from '#server/engines/local/mysql/admin-login.ts'
import { mysqlCapability } from '#server/engines/local/mysql/local-mysql.ts'
import type { Config } from '#server/platform/config/config.ts'
import { checkSmtp } from '#server/platform/mail/mail-delivery.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { runSql } from '#server/platform/mysql/mysql-client.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { unreadable } from '#server/providers/stripe/charges.ts'
import { readPrices } from '#server/providers/stripe/prices.ts'
import { stripeOf } from '#server/stripe-of.ts'
import type { Finding } from './doctor-database.ts'

/** Whether emails leave this machine. Nothing is sent. */
export async function mailFinding({ smtpUrl }: Pick<Config, 'smtpUrl'>): Promise<Finding> {
  if (smtpUrl === null)
    return {
      ok: true,
      isWarning: true,
      text: 'Mail: no server is set (SMTP_URL), so emails are kept in the outbox and printed in the terminal',
    }
  const { hostname } = new URL(smtpUrl)
  const problem = await checkSmtp(smtpUrl)
  return problem === null
    ? { ok: true, text: `Mail: ${hostname} accepts connections and the login` }
    : { ok: false, text: `Mail: ${hostname} cannot be used (${problem}). Check SMTP_URL` }
}

/** Where new local sites get WordPress from. */
export async function wordpressFinding({
  wordpressOrgUrl,
  cacheDir,
}: Pick<Config, 'wordpressOrgUrl' | 'cacheDir'>): Promise<Finding> {
  const org = wordpressOrg(wordpressOrgUrl)
  const { host } = new URL(org.api)
  const [newest, [cached]] = await Promise.all([newestRelease(org, AbortSignal.timeout(10_000)), cachedCores(cacheDir)])
  if (newest)
    return {
      ok: true,
      text: `WordPress: ${host} offers ${newest.version}${cached ? `, ${cached.version} is cached` : ''}`,
    }
  const instead = cached ? `with ${cached.version} from the cache` : 'with the release of the package registry'
  return { ok: true, isWarning: true, text: `WordPress: ${host} does not respond, so new sites start ${instead}` }
}

/** Whether local sites can be on MySQL. Optional: SQLite needs nothing. Our own server is not started. */
export async function mysqlFinding({ localMysqlUrl }: Pick<Config, 'localMysqlUrl'>): Promise<Finding> {
  const programs = await findMysql()
  const capability = mysqlCapability(programs, localMysqlUrl)
  if (programs === null || !capability.supported)
    return {
      ok: true,
      isWarning: localMysqlUrl !== null,
      text: `MySQL: local sites use SQLite only. ${capability.supported ? '' : capability.reason}`,
    }
  if (localMysqlUrl === null)
    return {
      ok: true,
      text: `MySQL: ${programs.server?.product ?? ''} ${programs.server?.version ?? ''} is installed; it starts with the first local site that uses it`,
    }
  const { host } = new URL(localMysqlUrl)
  try {
    const signal = AbortSignal.timeout(10_000)
    const [row] = await runSql(operatorsServer(localMysqlUrl, programs).login(), 'SELECT VERSION();\n', signal)
    return { ok: true, text: `MySQL: ${host} accepts the login (${row?.[0] ?? ''})` }
  } catch (error) {
    const problem = error instanceof Error ? error.message.slice(0, 200) : ''
    return { ok: false, text: `MySQL: ${host} cannot be used (${problem}). Check EASYDASH_LOCAL_MYSQL_URL` }
  }
}

/** Difference in seconds from which codes for logging in stop working and times of sites look wrong. */
const maxClockSeconds = 20

/** This machine's clock, compared with the one of the server that offers WordPress; none if that does not respond. */
export async function clockFinding({ wordpressOrgUrl }: Pick<Config, 'wordpressOrgUrl'>): Promise<Finding[]> {
  const theirs = await timeOf(wordpressOrg(wordpressOrgUrl))
  if (theirs === null) return [{ ok: true, isWarning: true, text: 'Clock: there was nothing to compare it with' }]
  const seconds = Math.round((Date.now() - theirs) / 1000)
  if (Math.abs(seconds) <= maxClockSeconds) return [{ ok: true, text: 'Clock: right' }]
  const direction = seconds > 0 ? 'ahead' : 'behind'
  return [
    {
      ok: false,
      text: `Clock: ${Math.abs(seconds)} seconds ${direction}, so codes for logging in are not accepted. Turn on time synchronization`,
    },
  ]
}

async function timeOf(org: WordPressOrg): Promise<number | null> {
  try {
    const { headers } = await safeFetch(`${org.api}/core/version-check/1.7/`, { profile: org.profile, timeoutMs: 4000 })
    const time = Date.parse(String(headers['date']))
    return Number.isNaN(time) ? null : time
  } catch {
    // Offline or blocked; the finding about WordPress says so.
    return null
  }
}

/** Whether plans can be paid for. Nothing is changed at the provider. */
export async function paymentFinding(config: Pick<Config, 'stripe'>): Promise<Finding[]> {
  const api = stripeOf(config)
  if (api === null) return []
  try {
    const [prices, denied] = await Promise.all([readPrices(api), unreadable(api)])
    const missing = prices.size === 0
    const text = missing
      ? 'Payments: Stripe knows the key, but no plan has a price there. Run npm run easydash -- billing sync'
      : `Payments: Stripe knows the key and the prices of ${[...prices.keys()].join(', ')}`
    const rights = `Payments: the key has no right to read ${denied.join(' and ')}, so invoices lack what came back of them. Give it that right at Stripe`
    return [
      { ok: true, isWarning: missing, text },
      ...(denied.length > 0 ? [{ ok: true, isWarning: true, text: rights }] : []),
    ]
  } catch (error) {
    const problem = error instanceof Error ? error.message : ''
    return [{ ok: false, text: `Payments: ${problem} Check STRIPE_SECRET_KEY and the way to Stripe` }]
  }
}
