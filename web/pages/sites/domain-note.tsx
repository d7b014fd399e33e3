import { domainLookUp, type DomainLookUp } from '#shared/responses/site-domains.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { dnsRows } from './dns-records.ts'
import { t } from './domain-note-messages.ts'

/**
 * Whether the entered domain points at a server already, otherwise the DNS records that it needs. Nothing while that is not known.
 * `isFine`: it can be a domain at all.
 */
export function DomainNote({ domain, isFine, server }: { domain: string; isFine: boolean; server: string }) {
  const settled = useDebounced(domain)
  const isAsked = isFine && domain !== '' && domain === settled
  const found = useMethod(
    isAsked && server !== '' ? 'easydash.api.site.look_up_domain' : null,
    { server, domain: settled },
    { returns: domainLookUp },
  )
  const known = isAsked ? found.data : undefined
  const needsRecords = known?.state === 'not_here' && known.expected.length > 0
  return (
    <div className="grid gap-1.5">
      <p role="status" className="flex min-h-4 items-center gap-1.5 text-meta text-muted">
        {known?.state === 'here' ? (
          <>
            <StatusIcon tone="ok" size={14} /> {t('dns.here')}
          </>
        ) : null}
        {known?.state === 'not_here' ? (
          <>
            <StatusIcon tone="warn" size={14} />{' '}
            <span className="text-warn">{t(needsRecords ? 'dns.records_wrong' : 'dns.not_here')}</span>
          </>
        ) : null}
      </p>
      {needsRecords ? <Records domain={domain} lookUp={known} /> : null}
    </div>
  )
}

/** Each record with its type, the address it has, and what to do with it. */
function Records({ domain, lookUp }: { domain: string; lookUp: DomainLookUp }) {
  return (
    <ul
      aria-label={t('dns.records', { domain })}
      className="divide-y divide-hairline rounded-ctl border border-border bg-surface text-table"
    >
      {dnsRows(lookUp).map(({ type, address, change, wanted }) => (
        <li key={`${type} ${address ?? ''}`} className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1">
          <StatusIcon tone={change === 'none' ? 'ok' : 'warn'} size={14} />
          <b className="w-10 font-mono text-meta font-semibold" translate="no">
            {type}
          </b>
          {address === null ? (
            <span className="text-muted">{t('dns.no_record')}</span>
          ) : (
            <span className="font-mono text-meta wrap-anywhere" translate="no">
              {address}
            </span>
          )}
          <span className="ml-auto flex min-w-0 flex-wrap items-center justify-end gap-x-2 gap-y-1 text-muted">
            {t(change === 'none' ? 'dns.here' : `dns.${change}`)}
            {wanted === null ? null : <CopyField value={wanted} label={t('dns.copy', { address: wanted })} />}
          </span>
        </li>
      ))}
    </ul>
  )
}
