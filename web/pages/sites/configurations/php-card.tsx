import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { phpVersions } from '#shared/responses/engine.ts'
import { defaultPhpLimits, memoryLimitsMb, uploadLimitsOf } from '#shared/rules/php-limits.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { t } from './messages.ts'

/** PHP version and limits of a site. */
export function PhpCard({ site }: { site: Site }) {
  const limits = defaultPhpLimits(site.engine)
  const memory = site.memory_mb ?? limits.memoryMb
  const upload = site.upload_mb ?? limits.uploadMb
  // The dialogs start with the values that apply.
  const doc = { ...site, memory_mb: memory, upload_mb: upload, doctype: 'Site' }
  // Until they are known, all are offered: the server judges.
  const versions = useMethod(
    'easydash.api.site.php.get_versions',
    { server: site.server },
    {
      verb: 'POST',
      returns: phpVersions,
    },
  )
  const choices = versions.data?.map((version) => ({ value: version, label: version }))
  const mb = (value: number) => t('php.mb', { mb: formatNumber(value) })
  // Limits that people set on a server may be none that are offered. They stay, unless another one is chosen.
  const limit = (offered: readonly string[], now: number) => ({
    choices: offered.map((value) => ({ value, label: value })),
    ...(!offered.includes(String(now)) && { none: t('php.keep', { limit: mb(now) }) }),
  })
  return (
    <Card aria-label={t('php.title')}>
      <CardHead title={t('php.title')} />
      <CardBody className="grid gap-3">
        <DetailList
          details={[
            { label: t('php.version'), value: site.php_version },
            { label: t('php.memory'), value: mb(memory) },
            { label: t('php.upload'), value: mb(upload) },
          ]}
        />
        <div className="flex flex-wrap gap-2">
          <ActionButton
            {...{ type: SiteDoctype, doc, name: 'set_php_version', label: t('php.change_version'), size: 'md' }}
            {...(choices && { fields: { php_version: { choices, verbatim: true } } })}
          />
          <ActionButton
            {...{ type: SiteDoctype, doc, name: 'set_limits', label: t('php.change_limits'), size: 'md' }}
            fields={{
              memory_mb: limit(memoryLimitsMb, memory),
              upload_mb: limit(uploadLimitsOf(site.engine), upload),
            }}
          />
        </div>
      </CardBody>
    </Card>
  )
}
