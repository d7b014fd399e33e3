import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { RevealableValue } from '#web/documents/actions/revealable-value.tsx'
import { useActionRunner, useActions } from '#web/documents/actions/use-actions.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { Switch } from '#web/ui/form/switch.tsx'
import { t } from './messages.ts'
import { PreviewLink } from './preview-link.tsx'

/** Who can see a site: maintenance mode, HTTP authentication and a link past both. They apply at once. */
export function VisitorsCard({ site }: { site: Site }) {
  const doc = { ...site, doctype: 'Site' }
  return (
    <Card aria-label={t('visitors.title')}>
      <CardHead title={t('visitors.title')} />
      <CardBody className="grid gap-4">
        <ToggledAction
          site={site}
          action="set_maintenance"
          on={site.maintenance === 1}
          label={t('visitors.maintenance')}
          hint={t(site.site_type === 'wp' ? 'visitors.maintenance_hint_wp' : 'visitors.maintenance_hint')}
          done={(on) => t(on ? 'visitors.maintenance_on' : 'visitors.maintenance_off')}
        />
        <ToggledAction
          site={site}
          action="set_http_auth"
          on={Boolean(site.http_auth_user)}
          label={t('visitors.auth')}
          hint={t('visitors.auth_hint')}
          done={(on) => t(on ? 'visitors.auth_on' : 'visitors.auth_off')}
        />
        {site.http_auth_user ? (
          <div className="grid gap-2">
            <CopyableDetail label={t('visitors.auth_user')} value={site.http_auth_user} />
            <RevealableValue type={SiteDoctype} doc={doc} field="randomised_http_auth" />
            <span>
              <ActionButton type={SiteDoctype} doc={doc} name="regenerate_http_auth" size="md" />
            </span>
          </div>
        ) : null}
        <PreviewLink site={site} />
      </CardBody>
    </Card>
  )
}

/** A switch whose action takes `enabled`. */
function ToggledAction({
  site,
  action,
  on,
  label,
  hint,
  done,
}: {
  site: Site
  action: 'set_maintenance' | 'set_http_auth'
  on: boolean
  label: string
  hint: string
  done: (on: boolean) => string
}) {
  const { runOrToast } = useActionRunner(SiteDoctype)
  const gate = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === action)?.gate
  const [busy, setBusy] = useState(false)
  if (!gate) return null
  const change = async (next: boolean): Promise<void> => {
    setBusy(true)
    await runOrToast({ ...site }, action, { enabled: next ? 1 : 0 }, { done: done(next) })
    setBusy(false)
  }
  return (
    <div className="grid gap-0.5">
      <div className="flex items-center justify-between gap-2">
        <span className="text-table font-medium" aria-hidden="true">
          {label}
        </span>
        <Switch
          label={label}
          hideLabel
          checked={on}
          disabled={busy || !gate.enabled}
          onChange={(next) => void change(next)}
        />
      </div>
      <p className="text-meta text-muted">{gate.enabled ? hint : gate.reason}</p>
    </div>
  )
}
