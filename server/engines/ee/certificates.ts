import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { isOneOf } from '#shared/is-one-of.ts'
import { labelMessage, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import {
  certificateKindLabels,
  certificateKinds,
  certificateState,
  type CertificateFacts,
  type IssuedKind,
} from '#shared/rules/site-certificates.ts'
import { EngineError } from '../engine.ts'
import type { CertificateChange, CertificatePair, EngineCertificate, SiteCertificates } from '../site-certificates.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { aliasesOf, isOn, readInventory, type EeRow } from './inventory.ts'
import { lacksCertificates } from './lacks.ts'
import { look, mutate, outputOf, settle } from './remote.ts'
import { assertEnabled, existingSite } from './site-of.ts'
import { jsonIn } from './wp.ts'

/** Certificates of EasyEngine, and others that are put in the place of a self-signed one. */
export function createEeCertificates(context: EeContext): SiteCertificates {
  return {
    read: async (site, signal) => (await readNow(context, site, signal)).now,
    change: (site, to, options = {}) => changeCertificate({ context, site, ...options }, to),
    install: (site, pair, options = {}) => installCertificate({ context, site, ...options }, pair),
  }
}

interface Change extends CertificateChange {
  readonly context: EeContext
  readonly site: SiteRef
}

const word = z.string().check(z.maxLength(1_000))

/** Source: `ee site ssl-info` of EasyEngine/site-command, src/helper/class-ee-site.php. Without a certificate, only the kind is there. */
const infoSchema = z.array(
  z.object({
    ssl_type: word,
    cert_file: z.nullish(word),
    issued_by_CN: z.nullish(word),
    valid_from: z.nullish(word),
    valid_till: z.nullish(word),
    SANs: z.nullish(z.string().check(z.maxLength(30_000))),
  }),
)

type Info = z.infer<typeof infoSchema>[number]

/** A time of EasyEngine, in UTC. NaN if it is none. */
const timeOf = (text: string | null | undefined): number =>
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text ?? '') ? Date.parse(`${text?.replace(' ', 'T')}Z`) : Number.NaN

function factsOf({ cert_file: file, issued_by_CN: issuer, ...info }: Info): CertificateFacts | null {
  const [from, until] = [timeOf(info.valid_from), timeOf(info.valid_till)]
  if (!file || !Number.isFinite(from) || !Number.isFinite(until)) return null
  const names = (info.SANs ?? '')
    .split(',')
    .map((name) => name.trim().replace(/^DNS:/, '').toLowerCase())
    .filter((name) => /^(?:\*\.)?[a-z0-9.-]{1,253}$/.test(name))
  return { issuer: (issuer ?? '').replaceAll(/\p{C}/gu, '').slice(0, 200), names: names.slice(0, 100), from, until }
}

/** Reads what `ssl-info.sh` printed; null if it is none. */
export function parseSslInfo(
  output: string,
): (Pick<EngineCertificate, 'kind' | 'certificate'> & { readonly sha256: string | null }) | null {
  const at = output.lastIndexOf('\n--own\n')
  const info = infoSchema.safeParse(at < 0 ? null : jsonIn(output.slice(0, at))).data?.[0]
  if (info === undefined) return null
  const [sha256] = /^[0-9a-f]{64}/.exec(output.slice(at + '\n--own\n'.length)) ?? [null]
  if (info.ssl_type === 'off') return { kind: null, certificate: null, sha256: null }
  if (!isOneOf(certificateKinds, info.ssl_type)) return null
  const certificate = factsOf(info)
  return { kind: certificate !== null && sha256 !== null ? 'custom' : info.ssl_type, certificate, sha256 }
}

const wildcard = msg`EasyEngine stores this certificate as one for all subdomains, and cannot change such a certificate.`

async function readNow(context: EeContext, site: SiteRef, signal?: AbortSignal) {
  const lacking = lacksCertificates(site.server)
  if (lacking !== null)
    throw new EngineError('unsupported', labelMessage(lacking), { nextAction: msg`Upgrade EasyEngine, then retry.` })
  const { row } = await existingSite(context, site, signal)
  const output = outputOf(await look(context, site.server, { script: 'ssl-info', args: [site.domain], signal }))
  const info = parseSslInfo(output)
  if (info === null)
    throw new EngineError('unavailable', msg`What EasyEngine says of the certificate cannot be read.`, {
      retryable: true,
      nextAction: msg`Retry. If it goes wrong again, run “ee site ssl-info ${site.domain}” on the server.`,
    })
  const { sha256, ...certificate } = info
  const fixed = info.kind !== null && isOn(row.site_ssl_wildcard) ? wildcard : null
  return { row, sha256, now: { ...certificate, fixed } satisfies EngineCertificate }
}

const stateOf = (certificate: EngineCertificate, { domain }: SiteRef) =>
  certificateState(certificate, domain, Date.now())

const isServed = (certificate: EngineCertificate, site: SiteRef): boolean =>
  ['valid', 'ends_soon'].includes(stateOf(certificate, site))

/** Works of a server on the certificate of a site. */
const works = ['ssl', 'certificate'] as const

const workOf = ({ id }: SiteRef, work: (typeof works)[number]): string => `ee-${id}-${work}`

/** What a job began that nobody follows any more would change the certificate after it was looked at. */
async function settleWorks({ context, site, signal }: Change): Promise<void> {
  for (const work of works) await settle({ context, server: site.server, id: workOf(site, work), signal })
}

async function changeCertificate(change: Change, to: IssuedKind | null): Promise<void> {
  const { context, site, signal } = change
  await settleWorks(change)
  const { now, row } = await readNow(context, site, signal)
  if (now.kind === to && (to === null || isServed(now, site))) return
  assertEnabled(row)
  if (now.fixed !== null)
    throw new EngineError('conflict', now.fixed, { nextAction: msg`Install a custom certificate instead.` })
  if (to === 'inherit') await assertParent(context, site, signal)
  if (to === 'le' && isOn(row.site_ssl_wildcard))
    throw new EngineError('unsupported', msg`A network with subdomains needs a certificate for all of them.`, {
      nextAction: msg`Install a custom certificate for ${site.domain} and *.${site.domain}.`,
    })
  if (to !== null && now.kind === to) return issueAgain(change, to, now)
  if (now.kind !== null) await run(change, null, ['off', now.kind])
  if (to === null) return
  try {
    await turnOn(change, to, row)
  } catch (error) {
    await putBack(change, now.kind, row, error)
    throw notIssued(site, to, error)
  }
}

/** A kind that the site is set to already, without a certificate that browsers accept. */
async function issueAgain(change: Change, kind: IssuedKind, now: EngineCertificate): Promise<void> {
  try {
    if (kind === 'le') return await run(change, kind, [now.certificate === null ? 'verify' : 'renew'])
    await run(change, null, ['off', '-'])
    await run(change, kind, [kind])
  } catch (error) {
    throw notIssued(change.site, kind, error)
  }
}

/** EasyEngine wants the flag as it stored it, which for networks with subdomains it did. */
const turnOn = (change: Change, kind: IssuedKind, row: EeRow): Promise<void> =>
  run(change, kind, [kind, ...(kind === 'self' && isOn(row.site_ssl_wildcard) ? ['--wildcard'] : [])])

/** Serves the site as it was, after EasyEngine said that it has a certificate that it has not. */
async function putBack(change: Change, before: EngineCertificate['kind'], row: EeRow, cause: unknown): Promise<void> {
  const { signal: _over, ...detached } = change
  try {
    await run(detached, null, ['off', '-'])
    if (before === 'le' || before === 'self' || before === 'inherit') await turnOn(detached, before, row)
  } catch (error) {
    throw new EngineError(
      'unavailable',
      msg`There is no certificate, and EasyEngine did not set the site back: ${reasonOf(error)}`,
      { nextAction: msg`Run “ee site update ${change.site.domain} --ssl=off” on the server.`, cause },
    )
  }
}

const reasonOf = (error: unknown): LocalizedMessage =>
  error instanceof EngineError ? error.localized : msg`The server did not answer.`

/** Keeps errors of the connection, which say nothing about the certificate. */
function notIssued({ domain }: SiteRef, kind: IssuedKind, error: unknown): unknown {
  if (!(error instanceof EngineError)) return error
  return new EngineError(
    'unavailable',
    msg`No certificate (${labelMessage(certificateKindLabels[kind])}). ${error.localized}`,
    {
      nextAction:
        kind === 'le'
          ? msg`Let the domain ${domain} and its aliases point at this server, with ports 80 and 443 open, then retry.`
          : msg`Look at the log of this job, then retry.`,
      cause: error,
    },
  )
}

/** One change of the certificate. It counts only once `ssl-info` has seen it: EasyEngine says that it succeeded, too, when it did not. */
async function run(
  { context, site, signal, log }: Change,
  to: IssuedKind | null,
  [kind = '', ...options]: readonly string[],
): Promise<void> {
  await mutate(context, site.server, {
    id: workOf(site, 'ssl'),
    script: 'ssl',
    args: [site.domain, kind, ...options],
    signal,
    ...(log === undefined ? {} : { onLine: log }),
    async isDone() {
      const { now } = await readNow(context, site, signal)
      return now.kind === to && (to === null || isServed(now, site))
    },
  })
  context.certificates.delete(site.id)
}

/** EasyEngine stops with an error of PHP if the parent has no certificate. */
async function assertParent(context: EeContext, { server, domain }: SiteRef, signal?: AbortSignal): Promise<void> {
  const parent = domain.slice(domain.indexOf('.') + 1)
  const { rows } = await readInventory(context, server, signal)
  // With aliases, the proxy is told to look for a certificate of the site's own.
  if (rows.some((one) => one.site_url === domain && aliasesOf(one).length > 0))
    throw new EngineError('conflict', msg`A site with aliases cannot inherit a certificate.`, {
      nextAction: msg`Remove its aliases, or choose another kind of certificate.`,
    })
  const found = rows.find(({ site_url: one }) => one === parent)
  if (found?.site_ssl && isOn(found.site_ssl_wildcard)) return
  throw new EngineError('conflict', msg`No site “${parent}” on this server has a certificate for its subdomains.`, {
    nextAction: msg`Choose another kind of certificate.`,
  })
}

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex')

/** EasyEngine takes a custom certificate only when it creates a site, so this takes the place of a self-signed one. */
async function installCertificate(change: Change, pair: CertificatePair): Promise<void> {
  const { context, site, signal } = change
  const [certificate, key] = [pair.certificate.trim(), pair.key.trim()]
  await settleWorks(change)
  const { now, row } = await readNow(context, site, signal)
  const isSelf = row.site_ssl === 'self'
  if (!isSelf) {
    assertEnabled(row)
    if (now.fixed !== null) throw new EngineError('conflict', now.fixed, { nextAction: msg`Change it on the server.` })
    await changeToSelf(change, now, row)
  }
  try {
    await mutate(context, site.server, {
      id: workOf(site, 'certificate'),
      script: 'install-certificate',
      args: [site.domain],
      variables: { certificate, key },
      signal,
      isDone: async () => (await readNow(context, site, signal)).sha256 === sha256Of(`${certificate}\n`),
    })
  } catch (error) {
    if (isSelf) throw error
    // A self-signed one that EasyEngine stored as wildcard cannot be turned off any more.
    if ((await readNow(context, site)).now.fixed === null) await putBack(change, now.kind, row, error)
    else throw stuck(error)
    throw error
  } finally {
    context.certificates.delete(site.id)
  }
}

const stuck = (cause: unknown): EngineError =>
  new EngineError('unavailable', msg`${reasonOf(cause)} The site has a self-signed certificate meanwhile.`, {
    nextAction: msg`Install another certificate.`,
    cause,
  })

async function changeToSelf(change: Change, now: EngineCertificate, row: EeRow): Promise<void> {
  if (now.kind !== null) await run(change, null, ['off', now.kind])
  try {
    await turnOn(change, 'self', row)
  } catch (error) {
    await putBack(change, now.kind, row, error)
    throw error
  }
}
