import { siteName } from '#shared/rules/display-name.ts'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { SharedWith } from '#shared/responses/sharing.ts'
import { suggest } from '#shared/rules/suggestions.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { CopyActionButton } from '#web/documents/actions/copy-action-button.tsx'
import { usePeople } from '#web/documents/people.ts'
import { bitsOf, levelOf, type ShareLevel } from '#web/features/sites/share-level.ts'
import { ShareLevelHints, ShareLevelName, ShareLevelSelect } from '#web/features/sites/share-level-select.tsx'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import { useAllRows } from '#web/lib/api/all-rows.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { SuggestInput } from '#web/ui/form/suggest-input.tsx'
import { tShare } from './share-messages.ts'
import { levelsOf, nameOf, useMembersWithFullAccess, useShares, type SharedType } from './use-shares.ts'

/** Who can view, edit and manage a site, among the organization's members. `onTransfer`: for what can be given to another owner. */
export function ShareDialog({
  type,
  site,
  onClose,
  onTransfer,
}: {
  type: SharedType
  site: Pick<Site, 'name' | 'domain' | 'owner'> & { readonly title?: string | null }
  onClose: () => void
  onTransfer?: (() => void) | undefined
}) {
  const shares = useShares(type, site)
  const levels = levelsOf(type)
  const owner = usePeople([site.owner])(site.owner)
  const rows = shares.data
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={tShare('share.title', { site: siteName(site) })}
      description={tShare(levels.length > 1 ? 'share.text' : 'share.text_view')}
      width="md:w-[560px]"
      footer={
        <>
          {/* Nobody is chosen yet, so the command has a placeholder for the user and read access only. */}
          <CopyActionButton
            type={type}
            name={site.name}
            action="share"
            args={() => ({
              user: 'EMAIL',
              ...Object.fromEntries(levels.map((level) => [level, level === 'read' ? 1 : 0])),
            })}
          />
          <Button variant="primary" onClick={onClose}>
            {tShare('share.done')}
          </Button>
        </>
      }
    >
      {/* Tall enough for the suggestions, which would otherwise be cut off. */}
      <div className="grid min-h-80 content-start gap-4 pt-1">
        <div className="flex items-center gap-3">
          <Avatar name={owner} />
          <span className="min-w-0 flex-1 text-table">
            <span className="block truncate font-medium">{owner}</span>
            <span className="block text-muted">{tShare('share.owner')}</span>
          </span>
          {onTransfer ? (
            <Button size="md" onClick={onTransfer}>
              {tShare('owner.button')}
            </Button>
          ) : null}
        </div>
        {shares.error && !rows ? (
          <ErrorPanel title={tShare('share.error_title')} error={shares.error} onRetry={() => shares.reload()} />
        ) : !rows ? (
          <Skeleton className="h-20 w-full" />
        ) : (
          <>
            <AddMember type={type} site={site} rows={rows} onAdd={shares.give} />
            {rows.length === 0 ? (
              <p className="text-table text-muted">{tShare('share.none')}</p>
            ) : (
              <ShareTable levels={levels} rows={rows} onGive={shares.give} />
            )}
            {levels.length > 1 ? <ShareLevelHints /> : null}
          </>
        )}
      </div>
    </Dialog>
  )
}

/** People change the access of others; their own is shown. */
function ShareTable({
  levels,
  rows,
  onGive,
}: {
  levels: readonly ShareLevel[]
  rows: readonly SharedWith[]
  onGive: (next: SharedWith) => Promise<void>
}) {
  const { user } = useSession()
  const isOwn = (row: SharedWith) => row.user === user
  return (
    <table aria-label={tShare('share.table')} className="w-full border-collapse text-left text-table">
      <thead>
        <tr className="border-b border-hairline text-meta text-muted">
          <th scope="col" className="py-1.5 font-medium">
            {tShare('share.person')}
          </th>
          <th scope="col" className="w-36 px-1 py-1.5 font-medium">
            {tShare('share.access')}
          </th>
          <th scope="col" className="w-9">
            <span className="sr-only">{tShare('share.end_head')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.user} className="border-b border-hairline last:border-b-0">
            <th scope="row" className="max-w-0 py-1.5 pr-2 font-normal">
              <span className="block truncate font-medium">
                {nameOf(row)}
                {isOwn(row) ? <span className="font-normal text-muted"> · {tShare('share.you')}</span> : null}
              </span>
              {row.full_name ? <span className="block truncate text-meta text-muted">{row.user}</span> : null}
            </th>
            <td className="px-1">
              {isOwn(row) || levels.length === 1 ? (
                <span className="text-muted">
                  <ShareLevelName value={levelOf(row) ?? 'read'} />
                </span>
              ) : (
                <ShareLevelSelect
                  label={tShare('share.access_of', { name: nameOf(row) })}
                  value={levelOf(row) ?? 'read'}
                  onChange={(level) => void onGive({ ...row, ...bitsOf(level) })}
                />
              )}
            </td>
            <td className="text-right">
              {isOwn(row) ? null : (
                <IconButton
                  size="md"
                  label={tShare('share.end', { name: nameOf(row) })}
                  onClick={() => void onGive({ ...row, ...bitsOf(null) })}
                >
                  <X size={16} strokeWidth={1.75} aria-hidden="true" />
                </IconButton>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The fields of a member that suggestions need. */
export type MemberRow = Pick<SharedWith, 'full_name'> & { name: string }

/** All members of the organization, by name. */
export function useMembers(): Loaded<MemberRow[]> {
  return useAllRows<MemberRow>('User', { fields: ['name', 'full_name'], order_by: 'full_name asc' })
}

/** Adds a member who benefits from a share; explains why for others. */
function AddMember({
  type,
  site,
  rows,
  onAdd,
}: {
  type: SharedType
  site: Pick<Site, 'name' | 'owner'>
  rows: readonly SharedWith[]
  onAdd: (share: SharedWith) => Promise<void>
}) {
  const { user } = useSession()
  const [text, setText] = useState('')
  const all = useMembers()
  const privileged = useMembersWithFullAccess(type, site)
  const known = all.data && privileged.data
  const ineligibleReason = ({ name, full_name }: MemberRow): string | null => {
    const values = { name: full_name ?? name }
    if (name === user) return tShare('share.is_you')
    if (name === site.owner) return tShare('share.is_owner', values)
    if (rows.some((row) => row.user === name)) return tShare('share.is_shared', values)
    return privileged.data?.includes(name) ? tShare('share.is_privileged', values) : null
  }
  const members = known ? (all.data ?? []) : []
  const typed = text.trim()
  const eligible = members.filter((member) => ineligibleReason(member) === null)
  const found = typed === '' ? [] : suggest(typed, eligible, memberLabel)
  const [ineligible] = typed === '' || found.length > 0 ? [] : suggest(typed, members, memberLabel)
  const error = all.error ?? privileged.error
  const status = (): string => {
    if (ineligible) return ineligibleReason(ineligible) ?? ''
    if (known) return tShare('share.no_match')
    return error ? tShare('share.members_failed', { reason: error.message }) : t('common.loading')
  }
  return (
    <Field label={tShare('share.add')}>
      <SuggestInput
        value={text}
        onValue={setText}
        placeholder={tShare('share.search')}
        listLabel={tShare('share.members')}
        suggestions={found.map((member) => ({ id: member.name, label: memberLabel(member) }))}
        status={typed === '' ? null : status()}
        onPick={({ id }) => {
          const member = found.find(({ name }) => name === id)
          setText('')
          if (member) void onAdd({ user: member.name, full_name: member.full_name, ...bitsOf('read') })
        }}
      />
    </Field>
  )
}

/** "Ann Berg (ann@acme.example)". */
export function memberLabel({ name, full_name }: MemberRow): string {
  return full_name ? `${full_name} (${name})` : name
}
