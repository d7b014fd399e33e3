import { useState } from 'react'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { startBulk } from '#web/documents/bulk/bulk-run.ts'
import { bitsOf, type ShareLevel } from '#web/features/sites/share-level.ts'
import { ShareLevelHints, ShareLevelSelect } from '#web/features/sites/share-level-select.tsx'
import { runAction } from '#web/lib/api/api.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { memberLabel, useMembers } from '../share-dialog.tsx'
import { useMembersWithFullAccess } from '../use-shares.ts'
import { t } from './messages.ts'

/** Chooses a member and what they may do with all of the given sites. */
export function ShareSitesDialog({
  sites,
  onClose,
  onStarted,
}: {
  sites: readonly { readonly name: string; readonly title: string; readonly detail: string | null }[]
  onClose: () => void
  onStarted: () => void
}) {
  const members = useMembers()
  // Who needs no share is the same for all of them, but for their owners.
  const privileged = useMembersWithFullAccess(SiteDoctype, { name: sites[0]?.name ?? '' })
  const error = members.error ?? privileged.error
  const { user } = useSession()
  const people =
    members.data &&
    privileged.data &&
    members.data.filter(({ name }) => name !== user && !privileged.data?.includes(name))
  const [member, setMember] = useState('')
  const [level, setLevel] = useState<ShareLevel>('read')
  const [problem, setProblem] = useState<string | null>(null)
  const start = (): void => {
    const person = people?.find(({ name }) => name === member)
    if (!person) return setProblem(t('share.member_missing'))
    const isStarted = startBulk(
      {
        doctype: 'Site',
        label: t('share.label', { member: person.full_name ?? person.name }),
        noun: t(sites.length === 1 ? 'share.noun_one' : 'share.noun'),
        rows: sites,
      },
      async ({ name }) => {
        await runAction('Site', name, 'share', { user: person.name, ...bitsOf(level) })
        return { job: null }
      },
    )
    if (isStarted) onStarted()
    else setProblem(t('share.busy'))
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('share.title', { count: sites.length })}
      description={t('share.intro')}
      footer={
        <>
          <Button onClick={onClose}>{t('share.cancel')}</Button>
          {people?.length === 0 ? null : (
            <Button variant="primary" onClick={start}>
              {t('share.start', { n: formatNumber(sites.length) })}
            </Button>
          )}
        </>
      }
    >
      {error && !people ? (
        <ErrorPanel
          title={t('share.error')}
          error={error}
          onRetry={() => Promise.all([members.reload(), privileged.reload()])}
        />
      ) : !people ? (
        <Skeleton className="h-16 w-full" />
      ) : people.length === 0 ? (
        <EmptyState title={t('share.none')}>{t('share.none_hint')}</EmptyState>
      ) : (
        <div className="grid gap-3">
          <Field label={t('share.member')} error={problem}>
            <Select
              value={member}
              onChange={(event) => {
                setMember(event.target.value)
                setProblem(null)
              }}
            >
              <option value="">{t('share.choose')}</option>
              {people.map((one) => (
                <option key={one.name} value={one.name}>
                  {memberLabel(one)}
                </option>
              ))}
            </Select>
          </Field>
          <div className="grid gap-1">
            <span aria-hidden="true" className="text-table font-medium">
              {t('share.access')}
            </span>
            <ShareLevelSelect label={t('share.access')} value={level} onChange={setLevel} />
          </div>
          <ShareLevelHints />
        </div>
      )}
    </Dialog>
  )
}
