import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { engineCapabilities } from '#web/documents/actions/action-responses.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { RadioCard, RadioCards } from '#web/ui/form/radio-card.tsx'
import { t } from './messages.ts'

/** SQLite or MySQL for a new WordPress site on this machine; on other servers there is no choice. */
export function DatabaseChoice({
  server,
  chosen,
  error,
  onChange,
}: {
  server: string
  chosen: SiteDatabaseKind
  error: string | null
  onChange: (kind: SiteDatabaseKind) => void
}) {
  const engine = useMethod(
    server === '' ? null : 'easydash.api.engine.capabilities',
    { server },
    { returns: engineCapabilities },
  )
  const mysql = engine.data?.capabilities['mysql']
  if (mysql === undefined) return null
  const options = [
    { kind: 'sqlite', title: t('create.sqlite'), description: t('create.sqlite_hint'), reason: null },
    {
      kind: 'mysql',
      title: t('create.mysql'),
      description: t('create.mysql_hint'),
      reason: mysql.supported ? null : translateText(mysql.reason),
    },
  ] as const
  return (
    <RadioCards legend={t('create.database')} className="grid-cols-2 gap-2 max-md:grid-cols-1" error={error}>
      {options.map(({ kind, title, description, reason }) => (
        <RadioCard
          key={kind}
          name="database"
          value={kind}
          title={title}
          description={description}
          disabledReason={reason}
          checked={chosen === kind}
          onChange={() => onChange(kind)}
        />
      ))}
    </RadioCards>
  )
}
