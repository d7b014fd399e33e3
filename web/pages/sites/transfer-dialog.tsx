import { siteName } from '#shared/rules/display-name.ts'
import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { useMembers, memberLabel } from './share-dialog.tsx'
import { tShare } from './share-messages.ts'

const formId = 'transfer-site'

/** Transfers a site to another member. */
export function TransferDialog({
  site,
  onClose,
}: {
  site: Pick<Site, 'name' | 'domain' | 'title' | 'owner'>
  onClose: () => void
}) {
  const all = useMembers()
  const members = all.data?.filter(({ name }) => name !== site.owner)
  const [chosen, setChosen] = useState('')
  const { member } = sessionRoles(useSession())
  const { busy, failure, attempt } = useAttempt()
  const [isMissing, setMissing] = useState(false)
  const picked = members?.find(({ name }) => name === chosen)
  const transfer = () => {
    // Nobody is chosen beforehand: a site would be given away by one press.
    if (!picked) return setMissing(true)
    void attempt(async () => {
      const give = async (user: string) => {
        await runAction('Site', site.name, 'set_owner', { new_owner: user })
        await refetch(docKey('Site', site.name))
      }
      await give(picked.name)
      onClose()
      const { owner } = site
      showToast({
        title: tShare('owner.done', { name: picked.full_name ?? picked.name, site: siteName(site) }),
        variant: 'success',
        // What a member has given away, they can't take back.
        ...(!member && owner && { action: undoButton({ undo: () => give(owner), done: tShare('owner.back') }) }),
      })
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={tShare('owner.title', { site: siteName(site) })}
      description={tShare('owner.text')}
      footer={
        <>
          <Button onClick={onClose}>{tShare('owner.cancel')}</Button>
          {members?.length ? (
            <Button type="submit" form={formId} variant="primary" busy={busy}>
              {tShare('owner.confirm')}
            </Button>
          ) : null}
        </>
      }
    >
      {all.error && !members ? (
        <ErrorPanel title={tShare('owner.error_title')} error={all.error} onRetry={() => all.reload()} />
      ) : !members ? (
        <Skeleton className="h-16 w-full" />
      ) : members.length === 0 ? (
        <p className="text-table">{tShare('owner.none')}</p>
      ) : (
        <form
          id={formId}
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            transfer()
          }}
        >
          <Field required label={tShare('owner.new')} error={isMissing ? tShare('owner.missing') : failure}>
            <Select
              value={chosen}
              onChange={(event) => {
                setChosen(event.target.value)
                setMissing(false)
              }}
            >
              <option value="" disabled>
                {tShare('owner.choose')}
              </option>
              {members.map((member) => (
                <option key={member.name} value={member.name}>
                  {memberLabel(member)}
                </option>
              ))}
            </Select>
          </Field>
        </form>
      )}
    </Dialog>
  )
}
