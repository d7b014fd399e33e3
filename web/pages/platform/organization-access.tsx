import { useState } from 'react'
import type { PlatformOrganization } from '#shared/responses/platform.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { CopyMethodButton } from './copy-method-button.tsx'
import { t } from './messages.ts'
import { Section } from './organization-section.tsx'
import type { PlatformMethodRunner } from './use-platform-method.ts'

/** Turns an organization off and on. */
export function AccessSection({
  organization,
  runner,
}: {
  organization: PlatformOrganization
  runner: PlatformMethodRunner
}) {
  const { name, title, enabled, members, usage } = organization
  const [dialogOpen, setDialogOpen] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const change = { organization: name, enabled: enabled === 0 ? 1 : 0 }
  if (enabled === 0)
    return (
      <Section title={t('access.title')} hint={t('access.disabled_hint')}>
        <div className="flex items-center gap-1">
          <Button
            busy={runner.busy === 'set_organization_enabled'}
            onClick={() => void runner.run('set_organization_enabled', change, t('access.enabled', { title }))}
          >
            {t('access.enable')}
          </Button>
          <CopyMethodButton action={t('access.enable')} method="set_organization_enabled" params={change} />
        </div>
      </Section>
    )
  return (
    <Section title={t('access.title')} hint={t('access.hint')}>
      <div className="flex items-center gap-1">
        <Button variant="danger" onClick={() => setDialogOpen(true)}>
          {t('access.disable')}
        </Button>
        <CopyMethodButton action={t('access.disable')} method="set_organization_enabled" params={change} />
      </div>
      <AlertDialog
        open={dialogOpen}
        onOpenChange={(open) => {
          setDialogOpen(open)
          setFailure(null)
        }}
        title={t('access.disable_title', { title })}
        confirmLabel={t('access.disable')}
        confirmName={name}
        error={failure}
        onConfirm={async () => {
          const localized = await runner.run('set_organization_enabled', change, t('access.disabled', { title }), true)
          setFailure(localized)
          if (localized === null) setDialogOpen(false)
        }}
      >
        {t('access.disable_text', {
          members: t('access.members', { count: members }),
          sites: t('access.sites', { count: usage.site }),
          servers: t('access.servers', { count: usage.server }),
        })}
      </AlertDialog>
    </Section>
  )
}
