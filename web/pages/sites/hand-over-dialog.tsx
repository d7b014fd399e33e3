import { useState } from 'react'
import { useSWRConfig } from 'frappe-react-sdk'
import type { Site } from '#shared/doctypes/site.ts'
import { toApiError } from '#web/lib/api-error.ts'
import { runAction } from '#web/lib/api.ts'
import { fullMessage } from '#web/lib/form-errors.ts'
import { docKey } from '#web/lib/frappe.tsx'
import { showToast } from '#web/lib/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { Select } from '#web/ui/select.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { useMembers, wordsOf } from './share-dialog.tsx'
import { st } from './share-messages.ts'

/** Makes another member the owner of a site. */
export function HandOverDialog({
  site,
  onClose,
}: {
  site: Pick<Site, 'name' | 'domain' | 'owner'>
  onClose: () => void
}) {
  const { mutate } = useSWRConfig()
  const members = useMembers()?.filter(({ name }) => name !== site.owner)
  const [chosen, setChosen] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const picked = members?.find(({ name }) => name === (chosen || members[0]?.name))
  const handOver = async () => {
    if (!picked) return
    setBusy(true)
    setFailure(null)
    try {
      await runAction('Site', site.name, 'set_owner', { new_owner: picked.name })
      showToast({
        title: st('owner.done', { name: picked.full_name ?? picked.name, site: site.domain }),
        variant: 'success',
      })
      onClose()
      await mutate(docKey('Site', site.name))
    } catch (error) {
      setFailure(fullMessage(toApiError(error)))
      setBusy(false)
    }
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={st('owner.title', { site: site.domain })}
      description={st('owner.text')}
      footer={
        <>
          <Button onClick={onClose}>{st('owner.cancel')}</Button>
          <Button variant="primary" busy={busy} disabled={!picked} onClick={() => void handOver()}>
            {st('owner.confirm')}
          </Button>
        </>
      }
    >
      {!members ? (
        <Skeleton className="h-16 w-full" />
      ) : members.length === 0 ? (
        <p className="text-table">{st('owner.none')}</p>
      ) : (
        <Field label={st('owner.new')} error={failure}>
          <Select value={picked?.name} onChange={(event) => setChosen(event.target.value)}>
            {members.map((member) => (
              <option key={member.name} value={member.name}>
                {wordsOf(member)}
              </option>
            ))}
          </Select>
        </Field>
      )}
    </Dialog>
  )
}
