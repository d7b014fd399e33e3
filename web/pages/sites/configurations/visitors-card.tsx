import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { ActionSwitch } from '#web/documents/actions/action-switch.tsx'
import { RevealableValue } from '#web/documents/actions/revealable-value.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { t } from './messages.ts'
import { PreviewLink } from './preview-link.tsx'

/** Who can see a site: maintenance mode, HTTP authentication and a link past both. They apply at once. */
export function VisitorsCard({ site }: { site: Site }) {
  const doc = { ...site, doctype: 'Site' }
  return (
    <Card aria-label={t('visitors.title')}>
      <CardHead title={t('visitors.title')} />
      <CardBody className="grid gap-4">
        <ActionSwitch
          type={SiteDoctype}
          doc={doc}
          name="maintenance"
          on={site.maintenance === 1}
          label={t('visitors.maintenance')}
          hint={t(site.site_type === 'wp' ? 'visitors.maintenance_hint_wp' : 'visitors.maintenance_hint')}
          done={(on) => t(on ? 'visitors.maintenance_on' : 'visitors.maintenance_off')}
        />
        <ActionSwitch
          type={SiteDoctype}
          doc={doc}
          name="set_http_auth"
          on={Boolean(site.http_auth_user)}
          label={t('visitors.auth')}
          hint={t('visitors.auth_hint')}
          done={(on) => t(on ? 'visitors.auth_on' : 'visitors.auth_off')}
        />
        {site.http_auth_user ? (
          <div className="grid gap-2">
            <CopyableDetail label={t('visitors.auth_user')} value={site.http_auth_user} />
            <RevealableValue type={SiteDoctype} doc={doc} field="http_auth_password" />
            <span>
              <ActionButton
                type={SiteDoctype}
                doc={doc}
                name="regenerate_http_auth"
                size="md"
                onDone={() => showToast({ title: t('visitors.auth_renewed'), variant: 'success' })}
              />
            </span>
          </div>
        ) : null}
        <PreviewLink site={site} />
      </CardBody>
    </Card>
  )
}
