import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { ShareBits } from '#shared/responses/sharing.ts'
import { likePattern } from '#web/documents/query/like-pattern.ts'
import { Link } from '#web/lib/routing/router.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { benefitsFromShares } from '#shared/rules/shares.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useRowsByName, useAllRows } from '#web/lib/api/all-rows.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { SuggestInput } from '#web/ui/form/suggest-input.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { t } from './messages.ts'
import { bitsOf, isLowered, levelOf } from '#web/features/sites/share-level.ts'
import { ShareLevelHints, ShareLevelSelect } from '#web/features/sites/share-level-select.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'

/** Maximum suggested sites (docs/contracts/screens.md, section 5). */
const maxSuggested = 5
/** Maximum names in a filter, limited by the URL length. */
const maxExcepted = 200
/** Sites loaded for suggestions if more than those are already shared. */
const maxLooked = 500

/** Sites rendered initially, and added with each "more": there may be thousands. */
const step = 100

interface Share extends ShareBits {
  name: string
  share_name: string
}

type SiteRow = Pick<Site, 'name' | 'domain' | 'title' | 'owner'>

/** Sites a member can see, with their permissions; other roles see all sites. */
export function SharedSites({ user, name, role }: { user: string; name: string; role: OrganizationRole }) {
  return (
    <Card>
      <CardHead title={t('shared.title')} />
      <CardBody>
        {benefitsFromShares(SiteDoctype, role) ? (
          <Matrix user={user} name={name} />
        ) : (
          <p className="text-table text-muted">
            {t(role === 'Organization Admin' ? 'shared.all_admin' : 'shared.all_manager')}
          </p>
        )}
      </CardBody>
    </Card>
  )
}

function Matrix({ user, name }: { user: string; name: string }) {
  const [shown, setShown] = useState(step)
  const shares = useAllRows<Share>('DocShare', {
    fields: ['name', 'share_name', 'read', 'write', 'share'],
    filters: [
      ['user', '=', user],
      ['share_doctype', '=', 'Site'],
    ],
  })
  const shared = shares.data?.map((share) => share.share_name) ?? []
  const present = ['status', '!=', 'Archived'] as const
  const own = useAllRows<SiteRow>('Site', {
    fields: ['name', 'domain', 'title', 'owner'],
    filters: [['owner', '=', user], present],
  })
  const others = useRowsByName<SiteRow>('Site', shared, {
    fields: ['name', 'domain', 'title', 'owner'],
    filters: [['owner', '!=', user], present],
  })
  const error = shares.error ?? own.error ?? others.error
  const waiting = shares.data === undefined || own.data === undefined || (shared.length > 0 && !others.data)

  const givenBits = new Map(
    shares.data?.map(({ share_name, read, write, share }) => [share_name, { read, write, share }]),
  )

  /** Shows the new bits optimistically; the server's response or denial decides. */
  const give = async (site: SiteRow, next: ShareBits, known: boolean) => {
    const before = shares.data ?? []
    const row = { name: site.name, share_name: site.name, ...next }
    await shares.reload(
      known ? before.map((share) => (share.share_name === site.name ? row : share)) : [...before, row],
    )
    try {
      await runAction('Site', site.name, 'share', { user, ...next })
      if (!known) showToast({ title: t('shared.given', { name, site: siteName(site) }), variant: 'success' })
      const had = givenBits.get(site.name)
      if (known && had && isLowered(had, next))
        showToast({
          title: t(next.read === 0 ? 'shared.taken' : 'shared.lowered', { name, site: siteName(site) }),
          action: undoButton({ undo: () => give(site, had, next.read > 0) }),
        })
      await shares.reload()
    } catch (thrown) {
      await shares.reload(before)
      showToast({ title: t('shared.failed'), description: fullMessage(toApiError(thrown)), variant: 'danger' })
    }
  }

  if (error && waiting)
    return (
      <ErrorPanel
        className="flex items-start gap-3"
        title={t('shared.error_title')}
        error={error}
        onRetry={() => Promise.all([shares.reload(), own.reload(), others.reload()])}
      />
    )
  if (waiting) return <Skeleton className="h-24 w-full" />
  const rows = [...(own.data ?? []), ...(shared.length > 0 ? (others.data ?? []) : [])].toSorted((a, b) =>
    siteName(a).localeCompare(siteName(b)),
  )
  return (
    <div className="grid gap-4">
      {rows.length > 0 ? (
        <Table label={t('shared.title')}>
          <thead>
            <tr>
              <HeadCell>{t('shared.site')}</HeadCell>
              <HeadCell>{t('shared.access')}</HeadCell>
              <HeadCell className="w-14">
                <span className="sr-only">{t('shared.end_head')}</span>
              </HeadCell>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((site) => (
              <SiteAccess
                key={site.name}
                site={site}
                own={site.owner === user}
                given={givenBits.get(site.name)}
                onGive={(next) => void give(site, next, true)}
              />
            ))}
          </tbody>
        </Table>
      ) : (
        <p className="text-table">{t('shared.none', { name })}</p>
      )}
      {rows.length > shown ? (
        <Button className="justify-self-start" onClick={() => setShown(shown + step)}>
          {t('shared.more', { count: rows.length - shown })}
        </Button>
      ) : null}
      <ShareLevelHints />
      <AddSite except={rows.map((site) => site.name)} onAdd={(site) => void give(site, bitsOf('read'), false)} />
    </div>
  )
}

function SiteAccess({
  site,
  own,
  given,
  onGive,
}: {
  site: SiteRow
  own: boolean
  given: ShareBits | undefined
  onGive: (next: ShareBits) => void
}) {
  const level = given ? levelOf(given) : null
  return (
    <Row>
      <NameCell>
        <Link to={`/site/${encodeURIComponent(site.name)}`} className="rounded-xs wrap-anywhere hover:underline">
          {siteName(site)}
        </Link>
        <span className="block text-meta font-normal text-muted wrap-anywhere empty:hidden">
          {addressBesideName(site)}
        </span>
      </NameCell>
      <Cell>
        {own ? (
          <span className="text-muted">{t('shared.own')}</span>
        ) : level === null ? null : (
          <ShareLevelSelect
            className="w-34"
            label={t('shared.access_to', { site: siteName(site) })}
            value={level}
            onChange={(next) => onGive(bitsOf(next))}
          />
        )}
      </Cell>
      <Cell right>
        {own || level === null ? null : (
          <IconButton size="md" label={t('shared.end', { site: siteName(site) })} onClick={() => onGive(bitsOf(null))}>
            <X size={16} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        )}
      </Cell>
    </Row>
  )
}

/** Finds a site by name on the server, because an organization may have thousands. */
function AddSite({ except, onAdd }: { except: readonly string[]; onAdd: (site: SiteRow) => void }) {
  const [text, setText] = useState('')
  const wanted = useDebounced(text.trim(), 300)
  const found = useList(wanted === '' ? null : 'Site', {
    fields: ['name', 'domain', 'title', 'owner'],
    or_filters: [
      ['domain', 'like', likePattern(wanted)],
      ['title', 'like', likePattern(wanted)],
    ],
    filters: [
      ['status', '!=', 'Archived'],
      // A filter fits only so many names; the others are filtered out below.
      ...(except.length > 0 ? [['name', 'not in', except.slice(0, maxExcepted)] as const] : []),
    ],
    order_by: 'domain asc',
    limit: except.length > maxExcepted ? maxLooked : maxSuggested,
  })
  const known = new Set(except)
  const sites = wanted === '' ? [] : (found.data ?? []).filter(({ name }) => !known.has(name)).slice(0, maxSuggested)
  return (
    <Field label={t('shared.add')} className="max-w-md">
      <SuggestInput
        value={text}
        onValue={setText}
        placeholder={t('shared.search')}
        listLabel={t('shared.add')}
        suggestions={sites.map(({ name, domain, title }) => ({
          id: name,
          label: siteName({ title, domain }),
          detail: addressBesideName({ title, domain }) ?? undefined,
        }))}
        status={
          text.trim() === ''
            ? null
            : t(found.isValidating || wanted !== text.trim() ? 'shared.searching' : 'shared.no_match')
        }
        onPick={({ id }) => {
          const site = sites.find((one) => one.name === id)
          setText('')
          if (site) onAdd(site)
        }}
      />
    </Field>
  )
}
