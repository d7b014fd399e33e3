import { useState } from 'react'
import { Link } from '#web/lib/router.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { toApiError } from '#web/lib/api-error.ts'
import { runAction } from '#web/lib/api.ts'
import { useDebounced } from '#web/lib/debounce.ts'
import { fullMessage } from '#web/lib/form-errors.ts'
import { useList } from '#web/lib/frappe.tsx'
import { showToast } from '#web/lib/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { TickBox } from '#web/ui/checkbox.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/field.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { SuggestInput } from '#web/ui/suggest-input.tsx'
import { Cell, HeadCell, NameCell, Row, Table } from '#web/ui/table.tsx'
import { t } from './messages.ts'
import { bits, withBit, type Bit, type Bits } from '#web/documents/share-bits.ts'

/** Most sites suggested (specification section 5). */
const mostSuggested = 5

interface Share extends Bits {
  share_name: string
}

type SiteRow = Pick<Site, 'name' | 'domain' | 'owner'>

/** Which sites a plain member sees and what the member may do with each; others see all of them. */
export function SharedSites({ user, name, role }: { user: string; name: string; role: OrganizationRole }) {
  return (
    <Card>
      <CardHead title={t('shared.title')} />
      <CardBody>
        {role === 'Organization User' ? (
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
  const shares = useList<Share>('DocShare', {
    fields: ['share_name', 'read', 'write', 'share'],
    filters: [
      ['user', '=', user],
      ['share_doctype', '=', 'Site'],
    ],
    limit: 0,
  })
  const shared = shares.data?.map((share) => share.share_name) ?? []
  const present = ['status', '!=', 'Archived'] as const
  const own = useList<SiteRow>('Site', {
    fields: ['name', 'domain', 'owner'],
    filters: [['owner', '=', user], present],
    limit: 0,
  })
  const others = useList<SiteRow>(shared.length > 0 ? 'Site' : null, {
    fields: ['name', 'domain', 'owner'],
    filters: [['name', 'in', shared], ['owner', '!=', user], present],
    limit: 0,
  })
  const error = shares.error ?? own.error ?? others.error
  const waiting = shares.data === undefined || own.data === undefined || (shared.length > 0 && !others.data)

  const bitsOf = new Map(shares.data?.map(({ share_name, read, write, share }) => [share_name, { read, write, share }]))

  /** Shows the new bits at once; the server's answer or refusal decides. */
  const give = async (site: SiteRow, next: Bits, known: boolean) => {
    const before = shares.data ?? []
    const row = { share_name: site.name, ...next }
    await shares.reload(
      known ? before.map((share) => (share.share_name === site.name ? row : share)) : [...before, row],
    )
    try {
      await runAction('Site', site.name, 'share', { user, ...next })
      if (!known) showToast({ title: t('shared.given', { name, site: site.domain }), variant: 'success' })
      if (next.read === 0) {
        const taken = bitsOf.get(site.name)
        showToast({
          title: t('shared.taken', { name, site: site.domain }),
          ...(taken && { action: { label: t('shared.undo'), onClick: () => void give(site, taken, false) } }),
        })
      }
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
        onRetry={() => void Promise.all([shares.reload(), own.reload(), others.reload()])}
      />
    )
  if (waiting) return <Skeleton className="h-24 w-full" />
  const rows = [...(own.data ?? []), ...(shared.length > 0 ? (others.data ?? []) : [])]
  return (
    <div className="grid gap-4">
      <p className="-mt-1 text-table text-muted">{t('shared.read_hint')}</p>
      {rows.length > 0 ? (
        <Table label={t('shared.title')}>
          <thead>
            <tr>
              <HeadCell>{t('shared.site')}</HeadCell>
              <HeadCell className="max-md:hidden">{t('shared.how')}</HeadCell>
              {bits.map((bit) => (
                <HeadCell key={bit}>{t(`shared.${bit}`)}</HeadCell>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((site) => (
              <SiteBits
                key={site.name}
                site={site}
                own={site.owner === user}
                given={bitsOf.get(site.name)}
                onGive={(next) => void give(site, next, true)}
              />
            ))}
          </tbody>
        </Table>
      ) : (
        <p className="text-table">{t('shared.none', { name })}</p>
      )}
      <AddSite
        except={rows.map((site) => site.name)}
        onAdd={(site) => void give(site, { read: 1, write: 0, share: 0 }, false)}
      />
    </div>
  )
}

function SiteBits({
  site,
  own,
  given,
  onGive,
}: {
  site: SiteRow
  own: boolean
  given: Bits | undefined
  onGive: (next: Bits) => void
}) {
  const holds = (bit: Bit) => own || given?.[bit] === 1
  return (
    <Row>
      <NameCell>
        <Link to={`/site/${encodeURIComponent(site.name)}`} className="rounded-xs wrap-anywhere hover:underline">
          {site.domain}
        </Link>
      </NameCell>
      <Cell className="text-muted max-md:hidden">{t(own ? 'shared.own' : 'shared.shared')}</Cell>
      {bits.map((bit) => (
        <Cell key={bit}>
          <TickBox
            className="-ml-1.5"
            label={t('shared.bit', { bit: t(`shared.${bit}`), site: site.domain })}
            checked={holds(bit)}
            // Whoever owns a site has all of it.
            disabled={own}
            onChange={(event) => onGive(withBit(given ?? { read: 0, write: 0, share: 0 }, bit, event.target.checked))}
          />
        </Cell>
      ))}
    </Row>
  )
}

/** A site by its name, found on the server: an organization may have thousands. */
function AddSite({ except, onAdd }: { except: readonly string[]; onAdd: (site: SiteRow) => void }) {
  const [text, setText] = useState('')
  const wanted = useDebounced(text.trim(), 300)
  const found = useList<SiteRow>(wanted === '' ? null : 'Site', {
    fields: ['name', 'domain', 'owner'],
    filters: [
      ['status', '!=', 'Archived'],
      ['domain', 'like', `%${wanted}%`],
      ...(except.length > 0 ? [['name', 'not in', except] as const] : []),
    ],
    order_by: 'domain asc',
    limit: mostSuggested,
  })
  const sites = wanted === '' ? [] : (found.data ?? [])
  return (
    <Field label={t('shared.add')} className="max-w-md">
      <SuggestInput
        value={text}
        onValue={setText}
        placeholder={t('shared.search')}
        listLabel={t('shared.add')}
        suggestions={sites.map((site) => ({ id: site.name, label: site.domain }))}
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
