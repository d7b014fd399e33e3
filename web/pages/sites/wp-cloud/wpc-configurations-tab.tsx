import { useState, type ReactNode } from 'react'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { wpcOptions } from '#shared/responses/wpc-sites.ts'
import { wpcMemoryMb } from '#shared/rules/wp-cloud.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useActions } from '#web/documents/actions/use-actions.ts'
import type { FormFieldOptions } from '#web/documents/form/form-field.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Time } from '#web/ui/time.tsx'
import { AliasesDialog } from './aliases-dialog.tsx'
import { aliasesOf, gigabytes } from './site-texts.ts'
import { t } from './messages.ts'

type Choices = NonNullable<FormFieldOptions['choices']>

/** The settings of a site at WP Cloud, and its end. */
export function WpcConfigurationsTab({ site }: { site: WpcSite }) {
  const [editing, setEditing] = useState(false)
  const actions = new Set(useActions(WpcSiteDoctype, { ...site, doctype: 'WPC Site' }).map(({ name }) => name))
  const isEnded = ['suspend', 'resume', 'delete_permanently'].some((name) => actions.has(name))
  const size = (megabytes: number) => t('site.megabytes', { size: megabytes })
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_360px]">
      <div className="grid min-w-0 gap-4">
        <RowsCard title={t('domains.title')} hint={t('domains.hint')}>
          <Row label={t('site.domain')} value={site.domain}>
            <Change site={site} name="set_domain" />
          </Row>
          <Row label={t('site.aliases')} value={aliasesOf(site).join(', ') || t('site.no_aliases')}>
            <Change site={site} name="set_aliases" onStart={() => setEditing(true)} />
          </Row>
        </RowsCard>
        <RowsCard title={t('site.resources')}>
          <PhpRow site={site} isOffered={actions.has('set_php_version')} />
          <Row label={t('site.memory')} value={site.memory_mb === null ? null : size(site.memory_mb)}>
            <Change
              site={site}
              name="set_memory"
              value={site.memory_mb}
              choices={wpcMemoryMb.map((one) => ({ value: String(one), label: size(one) }))}
            />
          </Row>
          <Row label={t('site.workers')} value={site.workers === null ? null : String(site.workers)}>
            <Change site={site} name="set_workers" value={site.workers} />
          </Row>
          <Row label={t('site.burst')} value={t(site.burst === 1 ? 'site.on' : 'site.off')}>
            <Change site={site} name="set_burst" value={site.burst} />
          </Row>
          <Row label={t('site.storage')} value={gigabytes(site)}>
            <Change site={site} name="set_space" value={site.space_quota} />
          </Row>
        </RowsCard>
      </div>
      <div className="grid min-w-0 gap-4">
        <Card aria-label={t('cache.title')}>
          <CardHead title={t('cache.title')} />
          <CardBody className="grid gap-3 text-table">
            <p className="text-muted">{t('cache.hint')}</p>
            {site.defensive_until ? (
              <p>
                {t('site.defended')} <Time value={site.defensive_until} variant="detail" />
              </p>
            ) : null}
            <div className="flex flex-wrap gap-2">
              <Change site={site} name="purge_cache" />
              <Change site={site} name="set_defensive_mode" value={60} choices={defenses()} />
            </div>
          </CardBody>
        </Card>
        {isEnded ? (
          <Card aria-label={t('danger.title')}>
            <CardHead title={t('danger.title')} lined />
            <ul className="divide-y divide-hairline">
              {(['suspend', 'resume', 'delete_permanently'] as const).map((name) =>
                actions.has(name) ? (
                  <li key={name} className="grid justify-items-start gap-2 px-4 py-3 text-table">
                    <span className="text-muted">
                      {t(name === 'delete_permanently' ? 'danger.delete' : `danger.${name}`)}
                    </span>
                    <Change site={site} name={name} />
                  </li>
                ) : null,
              )}
            </ul>
          </Card>
        ) : null}
      </div>
      {editing ? <AliasesDialog site={site} onClose={() => setEditing(false)} /> : null}
    </div>
  )
}

/** Minutes that defensive mode can be turned on for. */
const defenses = (): Choices => [
  { value: '60', label: t('cache.hours', { count: 1 }) },
  { value: '360', label: t('cache.hours', { count: 6 }) },
  { value: '1440', label: t('cache.days', { count: 1 }) },
  { value: '10080', label: t('cache.days', { count: 7 }) },
  { value: '0', label: t('cache.end') },
]

function RowsCard({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <Card aria-label={title}>
      <CardHead title={title} subtitle={hint} lined />
      <ul className="divide-y divide-hairline">{children}</ul>
    </Card>
  )
}

/** A setting with what holds now, and what changes it. */
function Row({ label, value, children }: { label: string; value: string | null; children: ReactNode }) {
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2 text-table">
      <span className="min-w-0 flex-1 basis-56">
        <span className="block font-medium">{label}</span>
        <span className="text-muted wrap-anywhere">{value}</span>
      </span>
      {children}
    </li>
  )
}

/** The button of an action with one value, which the dialog starts with. */
function Change({
  site,
  name,
  value,
  choices,
  onStart,
}: {
  site: WpcSite
  name: string
  value?: string | number | null
  choices?: Choices
  onStart?: () => void
}) {
  return (
    <ActionButton
      type={WpcSiteDoctype}
      doc={{ ...site, doctype: 'WPC Site', value: value ?? null }}
      name={name}
      size="md"
      {...(choices && { fields: { value: { choices, verbatim: true } } })}
      {...(onStart && { onStart })}
    />
  )
}

/** The versions are those that WP Cloud has now. */
function PhpRow({ site, isOffered }: { site: WpcSite; isOffered: boolean }) {
  const options = useMethod(
    isOffered ? 'easydash.easydash.doctype.wpc_site.wpc_site.get_options' : null,
    site.connection ? { connection: site.connection } : {},
    { verb: 'POST', returns: wpcOptions },
  )
  const problem = options.error ? t('php.unknown', { reason: options.error.message }) : null
  return (
    <Row label={t('site.php')} value={[site.php_version, problem].filter(Boolean).join('. ')}>
      {options.data ? (
        <Change
          site={site}
          name="set_php_version"
          value={site.php_version}
          choices={phpChoices(options.data.php_versions)}
        />
      ) : null}
    </Row>
  )
}

/** Versions of PHP with what WP Cloud says about them. */
export const phpChoices = (
  versions: readonly { readonly version: string; readonly is_default: boolean; readonly until: string | null }[],
): Choices =>
  versions.map(({ version, is_default: isDefault, until }) => ({
    value: version,
    label: until !== null ? t('php.until', { version, until }) : isDefault ? t('php.default', { version }) : version,
  }))
