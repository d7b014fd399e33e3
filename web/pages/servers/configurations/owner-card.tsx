import { useState } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { possibleOwners } from '#shared/responses/members.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { FormField } from '#web/documents/form/form-field.tsx'
import { usePeople } from '#web/documents/people.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { useLoaded } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'
import { OperationDialog } from './operation-dialog.tsx'

/** Whose a server is; admins can pass it on. */
export function OwnerCard({ server }: { server: Server }) {
  const person = usePeople([server._owner])
  const [choosing, setChoosing] = useState(false)
  return (
    <Card aria-label={t('owner.title')}>
      <CardHead title={t('owner.title')} />
      <CardBody className="grid justify-items-start gap-3 text-table">
        <div>
          <p className="font-medium">{server._owner ? person(server._owner) : t('owner.nobody')}</p>
          <p className="text-muted">{t('owner.text')}</p>
        </div>
        <ActionButton
          type={ServerDoctype}
          doc={{ ...server, doctype: 'Server' }}
          name="change_owner"
          size="md"
          onStart={() => setChoosing(true)}
        />
      </CardBody>
      {choosing ? <OwnerDialog server={server} onClose={() => setChoosing(false)} /> : null}
    </Card>
  )
}

function OwnerDialog({ server, onClose }: { server: Server; onClose: () => void }) {
  const { data, error, reload } = useLoaded(['possible owners', server.name], async () =>
    checkedResult(possibleOwners, await runAction('Server', server.name, 'candidates_for_change_owner')),
  )
  return (
    <OperationDialog
      server={server}
      name="change_owner"
      onDone={() => showToast({ title: t('owner.done'), variant: 'success' })}
      onClose={onClose}
    >
      {(control) =>
        error && !data ? (
          <ErrorPanel title={t('owner.error')} error={error} onRetry={() => reload()} />
        ) : !data ? (
          <Skeleton className="h-16 w-full" />
        ) : data.length === 0 ? (
          <p className="text-table">{t('owner.none')}</p>
        ) : (
          <FormField
            control={control}
            name="new_owner"
            choices={data.map(({ user, full_name: name }) => ({
              value: user,
              label: name ? `${name} (${user})` : user,
            }))}
            verbatim
          />
        )
      }
    </OperationDialog>
  )
}
