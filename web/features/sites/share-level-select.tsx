import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { Select } from '#web/ui/form/select.tsx'
import { shareLevels, type ShareLevel } from './share-level.ts'

const t = createCatalog({
  read: 'Can view',
  write: 'Can edit',
  share: 'Can manage',
  read_hint: 'See the site, its server and its activity.',
  write_hint:
    'Also open admin as a WordPress administrator, change its WordPress, files and settings, see its logs and mail, clone it, restore it from the archive.',
  share_hint: 'Also share the site, transfer its ownership, archive it and delete it permanently.',
  levels: 'What each access allows',
})

/** Menu of the access that a share gives. */
export function ShareLevelSelect({
  label,
  value,
  onChange,
  className,
}: {
  label: string
  value: ShareLevel
  onChange: (level: ShareLevel) => void
  className?: string
}) {
  return (
    <Select
      small
      className={className}
      aria-label={label}
      value={value}
      onChange={({ target }) => {
        const level = shareLevels.find((one) => one === target.value)
        if (level) onChange(level)
      }}
    >
      {shareLevels.map((level) => (
        <option key={level} value={level}>
          {t(level)}
        </option>
      ))}
    </Select>
  )
}

/** The access that a share gives, where it can't be changed. */
export function ShareLevelName({ value }: { value: ShareLevel }) {
  return <>{t(value)}</>
}

/** What each access allows, as in the site's permissions and actions; each includes the previous ones. */
export function ShareLevelHints() {
  return (
    <ul aria-label={t('levels')} className="grid gap-0.5 text-meta text-muted">
      {shareLevels.map((level) => (
        <li key={level}>
          <span className="me-1 font-medium text-fg">{t(level)}</span> {t(`${level}_hint`)}
        </li>
      ))}
    </ul>
  )
}
