import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { deserializeMessage } from '#shared/localized-message.ts'
import { siteCertificate, type SiteCertificate } from '#shared/responses/site-certificates.ts'
import { certificateKindLabels, issuedKinds, type CertificateState } from '#shared/rules/site-certificates.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { useDocEvents } from '#web/lib/events/use-events.ts'
import { messageText, translateText } from '#web/lib/i18n/catalog.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusPill, type Tone } from '#web/ui/status.tsx'
import { CustomCertificateDialog } from './custom-certificate-dialog.tsx'
import { ServerPartCard } from './server-part-card.tsx'
import { t } from './ssl-messages.ts'

/** How a site is served over TLS, as its server says it now. */
export function SslCard({ site }: { site: Site }) {
  return (
    <ServerPartCard site={site} reads="read_certificate" title={t('ssl.title')}>
      <Certificate site={site} />
    </ServerPartCard>
  )
}

function Certificate({ site }: { site: Site }) {
  const [adding, setAdding] = useState(false)
  const read = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'read_certificate' },
    { verb: 'POST', returns: siteCertificate },
  )
  useDocEvents('Site', site.name, () => void read.reload())
  const doc = { ...site, doctype: 'Site' }
  if (read.error && !read.data)
    return (
      <ErrorPanel
        className="flex items-start gap-3"
        title={t('ssl.error')}
        error={read.error}
        onRetry={() => read.reload()}
      />
    )
  if (!read.data) return <Skeleton className="h-14 w-full" />
  const found = read.data
  const { kind, fixed } = found
  const isBroken = isOneOf(brokenStates, found.state)
  return (
    <>
      <DetailList details={detailsOf(found)} />
      <Problem site={site} found={found} />
      {fixed === null ? null : <p className="text-meta text-muted">{translateText(fixed)}</p>}
      <div className="flex flex-wrap gap-2">
        {fixed === null
          ? issuedKinds
              .filter((one) => one !== kind || isBroken)
              .map((one) => (
                <ActionButton
                  key={one}
                  type={SiteDoctype}
                  doc={doc}
                  name="set_ssl"
                  label={one === kind ? t('ssl.again') : t(`ssl.use_${one}`)}
                  args={{ ssl: one }}
                  size="md"
                />
              ))
          : null}
        <ActionButton
          type={SiteDoctype}
          doc={doc}
          name="set_certificate"
          label={t('ssl.use_custom')}
          onStart={() => setAdding(true)}
          size="md"
        />
        {kind !== null && fixed === null ? (
          <ActionButton
            type={SiteDoctype}
            doc={doc}
            name="set_ssl"
            label={t('ssl.turn_off')}
            args={{ ssl: 'off' }}
            size="md"
          />
        ) : null}
      </div>
      {adding ? <CustomCertificateDialog site={site} onClose={() => setAdding(false)} /> : null}
    </>
  )
}

/** States that keep browsers from showing the site. */
const brokenStates = ['missing', 'expired', 'not_yet_valid', 'other_name'] as const

/** What is wrong, and what to do about it. */
function Problem({ site, found: { kind, state } }: { site: Site; found: SiteCertificate }) {
  if (isOneOf(brokenStates, state)) return <Notice tone="bad">{t(`ssl.problem_${state}`)}</Notice>
  if (state === 'ends_soon')
    return (
      <Notice tone="warn">
        {t(kind === 'le' ? 'ssl.not_renewed' : kind === 'inherit' ? 'ssl.parent_ends_soon' : 'ssl.ends_soon')}
      </Notice>
    )
  if (site.ssl_problem)
    return (
      <Notice tone="bad">
        {t('ssl.failed', { reason: messageText(deserializeMessage(site.ssl_problem, site.ssl_problem_i18n)) })}
      </Notice>
    )
  return null
}

const tones: Readonly<Record<CertificateState, Tone>> = {
  off: 'off',
  valid: 'ok',
  ends_soon: 'warn',
  missing: 'bad',
  expired: 'bad',
  not_yet_valid: 'bad',
  other_name: 'bad',
}

function detailsOf({ kind, state, issuer, names, until, renews }: SiteCertificate): Detail[] {
  return [
    { label: t('ssl.state'), value: <StatusPill tone={tones[state]}>{t(`ssl.state_${state}`)}</StatusPill> },
    ...(kind === null ? [] : [{ label: t('ssl.kind'), value: translateText(certificateKindLabels[kind]) }]),
    ...(issuer === null ? [] : [{ label: t('ssl.issuer'), value: issuer }]),
    ...(names.length === 0 ? [] : [{ label: t('ssl.names'), value: names.join(', ') }]),
    ...(until === null ? [] : [{ label: t('ssl.until'), value: formatDay(until) }]),
    ...(renews === null ? [] : [{ label: t('ssl.renews'), value: formatDay(renews) }]),
  ]
}
