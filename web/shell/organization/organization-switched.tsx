import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { discardUnsavedWork } from '#web/lib/routing/navigation-blockers.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { chooseOrganization } from '#web/lib/session/organizations.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'

const tSwitched = createCatalog({
  title: 'You work in {organization} now',
  text: 'You switched in another tab or browser. What is not saved on this page belongs to {organization} and would be lost.',
  go_on: 'Go on in {organization}',
  back: 'Back to {organization}',
})

/**
 * Asks which organization to continue with after the user switched elsewhere while this tab has unsaved work. Includes the
 * dialog's code, because a dialog that fails to load counts as closed, and closing is a choice here.
 */
export function OrganizationSwitched({ to }: { to: string }) {
  const { organization, organizations } = useSession()
  const [failure, setFailure] = useState<string | null>(null)
  const titleOf = (slug: string): string => organizations.find(({ name }) => name === slug)?.title ?? slug
  if (!organization) return null
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open)
          chooseOrganization(organization.name).catch((error: unknown) =>
            setFailure(`${t('switch.failed')}: ${toApiError(error).message}`),
          )
      }}
      title={tSwitched('title', { organization: titleOf(to) })}
      confirmLabel={tSwitched('go_on', { organization: titleOf(to) })}
      cancelLabel={tSwitched('back', { organization: organization.title })}
      error={failure}
      onConfirm={() => {
        discardUnsavedWork()
        location.assign('/web/')
      }}
    >
      {tSwitched('text', { organization: organization.title })}
    </AlertDialog>
  )
}
