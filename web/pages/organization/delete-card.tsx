import { useState } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

/** Deletes the organization, and shows what is deleted with it. */
export function DeleteCard({ organization }: { organization: Organization }) {
  const [dialogOpen, setDialogOpen] = useState(false)
  return (
    <Card>
      <CardHead title={t('delete.title')} />
      <CardBody className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-64 text-table text-muted">{t('delete.text')}</p>
        <Button onClick={() => setDialogOpen(true)}>{t('delete.start')}</Button>
      </CardBody>
      {dialogOpen ? <DeleteDialog organization={organization} onClose={() => setDialogOpen(false)} /> : null}
    </Card>
  )
}

function DeleteDialog({ organization, onClose }: { organization: Organization; onClose: () => void }) {
  const { checked, dialog } = usePasswordCheck()
  const { failure, attempt } = useAttempt()
  const sites = useCount('Site').data
  const counts = {
    'delete.members': useCount('Organization Member').data,
    'delete.invitations': useCount('Member Invite', { filters: [['status', '=', 'pending']] }).data,
    'delete.servers': useCount('Server', { filters: [['status', '!=', 'Decommissioned']] }).data,
  }
  const known = sites !== undefined && Object.values(counts).every((count) => count !== undefined)
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('delete.question', { organization: organization.title })}
      confirmLabel={t('delete.confirm')}
      confirmName={organization.slug}
      error={failure}
      onConfirm={(typed) =>
        attempt(async () => {
          const done = await checked(async () => {
            await runAction('Organization', organization.name, 'delete_organization', { confirm_name: typed })
            return true
          })
          // Everything on screen belonged to it, so reload the app.
          if (done) location.assign('/web/')
        })
      }
    >
      <p>{t('delete.text')}</p>
      {!known ? (
        <p className="mt-2">{t('delete.counting')}</p>
      ) : (
        <>
          <ul className="mt-2 list-disc pl-5">
            {Object.entries(counts).map(([key, count]) =>
              count ? <li key={key}>{t(key as keyof typeof counts, { count })}</li> : null,
            )}
          </ul>
          {sites > 0 ? (
            <Notice tone="warn" className="mt-3">
              {t('delete.sites_block', { count: sites })}{' '}
              <Link to="/site?filter=none" className="link">
                {t('delete.see_sites')}
              </Link>
            </Notice>
          ) : null}
        </>
      )}
      {dialog}
    </AlertDialog>
  )
}
