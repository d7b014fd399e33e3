import { useState } from 'react'
import { ownLoginLinks, unlinked, type OwnLoginLink } from '#shared/responses/login-provider.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { call } from '#web/lib/api/api.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Time } from '#web/ui/time.tsx'
import { tSettings } from './settings-messages.ts'

/** The login provider that the user is linked to, if there is one. */
export function LoginLinksCard({ onUnlinked }: { onUnlinked: () => void }) {
  const { data, error, reload } = useMethod('easydash.api.login_provider.links', {}, { returns: ownLoginLinks })
  const [asked, setAsked] = useState<OwnLoginLink | null>(null)
  const { failure, attempt, clearFailure } = useAttempt()
  if (error && !data) return <ErrorPanel title={tSettings('links.error')} error={error} onRetry={() => void reload()} />
  if (!data || data.length === 0) return null
  const close = (): void => {
    setAsked(null)
    clearFailure()
  }
  const unlink = ({ organization }: OwnLoginLink) =>
    attempt(async () => {
      const { logged_out } = unlinked.parse(await call('easydash.api.login_provider.unlink', { organization }))
      if (logged_out) return location.assign('/web/login')
      close()
      showToast({ title: tSettings('links.unlinked'), variant: 'success' })
      onUnlinked()
      await reload()
    })
  return (
    <Card>
      <CardHead title={tSettings('links.title')} subtitle={tSettings('links.hint')} />
      <CardBody>
        <ul className="grid gap-2">
          {data.map((link) => (
            <li key={link.organization} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 flex-1 basis-48 text-table">
                <span className="block truncate font-medium" translate="no">
                  {link.host}
                </span>
                <span className="text-muted">
                  <span translate="no">{link.title}</span>,{' '}
                  <Time
                    variant="standalone"
                    value={link.last_used ?? link.linked}
                    format={(when) => tSettings('links.used', { when })}
                  />
                </span>
              </span>
              <Button
                size="md"
                aria-label={tSettings('links.unlink_of', { host: link.host })}
                onClick={() => setAsked(link)}
              >
                {tSettings('links.unlink')}
              </Button>
            </li>
          ))}
        </ul>
        {asked ? (
          <AlertDialog
            open
            danger={false}
            onOpenChange={(open) => {
              if (!open) close()
            }}
            title={tSettings('links.unlink_title', { host: asked.host })}
            confirmLabel={tSettings('links.unlink_confirm')}
            error={failure}
            onConfirm={() => unlink(asked)}
          >
            {tSettings('links.unlink_text')}
          </AlertDialog>
        ) : null}
      </CardBody>
    </Card>
  )
}
