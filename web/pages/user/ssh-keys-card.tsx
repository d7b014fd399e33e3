import { KeyRound } from 'lucide-react'
import { useRef, useState } from 'react'
import { SshKeyDoctype, type SshKey } from '#shared/doctypes/ssh-key.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { doctypeForm } from '#web/documents/form/form-state.ts'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { createDoc, deleteDoc } from '#web/lib/api/api.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { tSettings } from './settings-messages.ts'

type KeyRow = Pick<SshKey, 'name' | 'title' | 'public_key' | 'fingerprint' | 'added'>

const form = doctypeForm(SshKeyDoctype, ['public_key', 'title'], {
  checks: {
    public_key: (line) => {
      const key = parseSshPublicKey(line)
      return 'problem' in key ? messageText(key.problem) : null
    },
  },
})

/** The user's public keys: add, and remove with undo. */
export function SshKeysCard({ user }: { user: string }) {
  const keys = useList('SSH Key', {
    fields: ['name', 'title', 'public_key', 'fingerprint', 'added'],
    filters: [['parent', '=', user]],
    order_by: 'added desc',
    limit: 0,
  })
  const [adding, setAdding] = useState(false)
  const add = useRef<HTMLButtonElement>(null)

  const putBack = async (key: KeyRow) => {
    try {
      await createDoc('SSH Key', { parent: user, title: key.title, public_key: key.public_key })
    } finally {
      await keys.reload()
    }
  }
  const remove = async (key: KeyRow) => {
    const before = keys.data ?? []
    await keys.reload(before.filter((one) => one.name !== key.name))
    // The clicked button is gone, so move the focus.
    add.current?.focus()
    try {
      await deleteDoc('SSH Key', key.name)
      showToast({
        title: tSettings('keys.removed', { title: key.title ?? key.name }),
        action: undoButton({ undo: () => putBack(key), failed: tSettings('keys.undo_failed') }, { lasting: true }),
      })
    } catch (error) {
      await keys.reload(before)
      showToast({ title: tSettings('keys.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    }
  }

  return (
    <Card>
      <CardHead title={tSettings('keys.title')} subtitle={tSettings('keys.hint')}>
        <Button ref={add} size="md" onClick={() => setAdding(true)}>
          {tSettings('keys.add')}
        </Button>
      </CardHead>
      {keys.error && !keys.data ? (
        <CardBody>
          <ErrorPanel
            className="flex items-start gap-3"
            title={tSettings('keys.error')}
            error={keys.error}
            onRetry={() => keys.reload()}
          />
        </CardBody>
      ) : keys.data === undefined ? (
        <CardBody>
          <Skeleton className="h-4 w-64" />
        </CardBody>
      ) : keys.data.length === 0 ? (
        <CardBody>
          <p className="text-table text-muted">{tSettings('keys.none')}</p>
        </CardBody>
      ) : (
        <ul aria-label={tSettings('keys.title')} className="divide-y divide-hairline border-t border-hairline">
          {keys.data.map((key) => (
            <KeyLine key={key.name} row={key} onRemove={() => void remove(key)} />
          ))}
        </ul>
      )}
      {adding ? (
        <AddKey
          user={user}
          onClose={() => setAdding(false)}
          onAdded={() => {
            setAdding(false)
            showToast({ title: tSettings('keys.added_toast'), variant: 'success' })
            void keys.reload()
          }}
        />
      ) : null}
    </Card>
  )
}

function KeyLine({ row, onRemove }: { row: KeyRow; onRemove: () => void }) {
  const title = row.title ?? row.name
  return (
    <li className="flex min-h-16 items-center gap-3 px-4 py-2">
      <KeyRound size={20} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{title}</p>
        <p className="flex flex-wrap items-center gap-x-3 text-table text-muted">
          <span className="inline-flex min-w-0 items-center gap-1">
            <span className="font-mono text-meta wrap-anywhere">{row.fingerprint}</span>
            <CopyButton value={row.fingerprint ?? ''} label={tSettings('keys.fingerprint')} />
          </span>
          <span>
            {tSettings('keys.added')} <Time variant="standalone" value={row.added} />
          </span>
        </p>
      </div>
      <Button size="md" aria-label={tSettings('keys.remove_of', { title })} onClick={onRemove}>
        {tSettings('keys.remove')}
      </Button>
    </li>
  )
}

function AddKey({ user, onClose, onAdded }: { user: string; onClose: () => void; onAdded: () => void }) {
  const control = useForm(form, {
    save: async (payload) => {
      await createDoc('SSH Key', { parent: user, ...payload })
      onAdded()
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !control.busy) onClose()
      }}
      title={tSettings('keys.add')}
      footer={
        <>
          <Button onClick={onClose}>{tSettings('keys.cancel')}</Button>
          <Button type="submit" form="add-ssh-key" variant="primary" busy={control.busy}>
            {tSettings('keys.add')}
          </Button>
        </>
      }
    >
      <DocForm id="add-ssh-key" control={control} className="grid gap-4">
        <FormField
          control={control}
          name="public_key"
          label={tSettings('keys.key')}
          hint={tSettings('keys.key_hint')}
          placeholder="ssh-ed25519 AAAA…"
        />
        <FormField control={control} name="title" label={tSettings('keys.name')} hint={tSettings('keys.name_hint')} />
        <FormFailure control={control} />
      </DocForm>
    </Dialog>
  )
}
