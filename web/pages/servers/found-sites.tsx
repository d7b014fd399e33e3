import { useState } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { useAllRows } from '#web/lib/api/all-rows.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { RowCheckbox } from '#web/ui/form/checkbox.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

const fields = ['name', 'domain', 'title', 'site_type', 'php_version', 'status', 'usr_alias_domains'] as const
type FoundSite = Pick<Site, (typeof fields)[number]>

/** Sites that are shown, and that each "more" adds. */
const step = 50

/** Sites that a server had before it was added, with what EasyEngine knows of them, as long as nobody owns them. */
export function FoundSites({ server }: { server: Server }) {
  const doc = { ...server, doctype: 'Server' }
  const sites = useAllRows<FoundSite>(server.is_imported_with_ee === 1 ? 'Site' : null, {
    fields: [...fields],
    filters: [
      ['server', '=', server.name],
      ['createdby_email', 'is', 'not set'],
    ],
    order_by: 'domain asc',
  })
  const members = useAllRows<{ name: string; full_name: string | null }>(sites.data?.length ? 'User' : null, {
    fields: ['name', 'full_name'],
    order_by: 'full_name asc',
  })
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState(step)
  const mayChoose = useActions(ServerDoctype, doc).some(({ name }) => name === 'set_sites_owner')
  if (sites.error)
    return <ErrorPanel title={t('server.found_failed')} error={sites.error} onRetry={() => void sites.reload()} />
  const all = sites.data ?? []
  const leftOut = server.left_out_sites ?? []
  if (all.length === 0) return leftOut.length === 0 ? null : <LeftOutSites names={leftOut} />
  const chosen = all.filter(({ name }) => !left.has(name)).map(({ name }) => name)
  const isAll = chosen.length === all.length
  const toggle = (name: string) => {
    const next = new Set(left)
    if (!next.delete(name)) next.add(name)
    setLeft(next)
  }
  const choices = (members.data ?? []).map(({ name, full_name }) => ({
    value: name,
    label: full_name === null || full_name === '' ? name : `${full_name} (${name})`,
  }))
  return (
    <>
      {leftOut.length > 0 && <LeftOutSites names={leftOut} />}
      <Notice tone="info" title={t('server.found')} className="mb-4">
        <p className="mt-0.5">{t('server.found_text', { count: all.length })}</p>
        {mayChoose && (
          <div className="mt-2 flex items-center">
            <RowCheckbox
              label={t('server.found_all')}
              checked={isAll}
              some={chosen.length > 0}
              onChange={() => setLeft(new Set(isAll ? all.map(({ name }) => name) : []))}
            />
            <span aria-hidden="true">{t('server.found_all')}</span>
          </div>
        )}
        <ul aria-label={t('server.found_sites')} className="max-h-80 overflow-y-auto">
          {all.slice(0, shown).map((site) => (
            <FoundSiteRow
              key={site.name}
              site={site}
              isChosen={!left.has(site.name)}
              onToggle={mayChoose ? () => toggle(site.name) : null}
            />
          ))}
        </ul>
        <div className="mt-3 flex flex-wrap items-center gap-2 empty:hidden">
          {chosen.length > 0 ? (
            <ActionButton
              type={ServerDoctype}
              doc={doc}
              name="set_sites_owner"
              size="md"
              label={isAll ? t('server.found_owner_all') : t('server.found_owner', { count: chosen.length })}
              {...(isAll ? {} : { args: { sites: chosen } })}
              fields={{ new_owner: { choices } }}
              onDone={() => void sites.reload()}
            />
          ) : (
            <p className="text-meta text-muted">{t('server.found_none')}</p>
          )}
          {all.length > shown && (
            <Button size="md" onClick={() => setShown(shown + step)}>
              {t('server.found_more', { count: Math.min(step, all.length - shown) })}
            </Button>
          )}
        </div>
      </Notice>
    </>
  )
}

/** Sites of EasyEngine that the import could not take over. */
function LeftOutSites({ names }: { names: readonly string[] }) {
  return (
    <Notice tone="warn" title={t('server.left_out')} className="mb-4">
      <p className="mt-0.5">{t('server.left_out_text')}</p>
      <ul aria-label={t('server.left_out')} className="max-h-40 overflow-y-auto" translate="no">
        {names.map((name, index) => (
          <li key={index} className="break-all">
            {name}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function FoundSiteRow({
  site,
  isChosen,
  onToggle,
}: {
  site: FoundSite
  isChosen: boolean
  /** Null: it can't be chosen. */
  onToggle: (() => void) | null
}) {
  const { name, site_type: type, php_version: php, usr_alias_domains: aliases } = site
  return (
    <li className="flex items-center gap-1">
      {onToggle && (
        <RowCheckbox label={t('server.found_one', { site: siteName(site) })} checked={isChosen} onChange={onToggle} />
      )}
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 py-1">
        <Link to={`/site/${encodeURIComponent(name)}`} className="link min-w-0 break-all" translate="no">
          {siteName(site)}
        </Link>
        <span className="min-w-0 break-all text-meta text-muted empty:hidden" translate="no">
          {addressBesideName(site)}
        </span>
        <DocStatus doctype="Site" value={site.status ?? ''} />
        <span className="text-meta text-muted">
          {valueLabel(SiteDoctype, 'site_type', type)}
          {php && ` · ${t('server.found_php', { version: php })}`}
          {aliases && (
            <>
              {' · '}
              <span translate="no">{t('server.found_aliases', { aliases })}</span>
            </>
          )}
        </span>
      </div>
    </li>
  )
}
