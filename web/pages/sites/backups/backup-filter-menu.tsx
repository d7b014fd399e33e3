import { Archive } from 'lucide-react'
import type { FilterTriple } from '#shared/doctype.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { Button } from '#web/ui/button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { t } from '../messages.ts'

const choices = [
  ['sites.backup_never', ['backup_at', 'is', 'not set']],
  ['sites.backup_old', ['backup_at', 'timespan', 'older than 1 day']],
  ['sites.backup_unproven', ['backup_proof', 'in', ['Not Tested', 'Inconclusive']]],
  ['sites.backup_failed', ['backup_proof', '=', 'Failed']],
  ['sites.backup_attempt_failed', ['backup_failed_at', 'is', 'set']],
] as const satisfies readonly (readonly [Parameters<typeof t>[0], FilterTriple])[]

/** What is usually asked of the backups of many sites, as filters of their list besides the page's own. */
export function BackupFilterMenu({ listed }: { listed: readonly FilterTriple[] }) {
  return (
    <Menu
      trigger={
        <Button size="md">
          <Archive size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
          {/* Phones have room for it beside the filter. */}
          <span className="max-md:sr-only">{t('sites.by_backup')}</span>
        </Button>
      }
    >
      {choices.map(([label, filter]) => (
        <MenuItem key={label} href={listHref('/site', [...listed, filter])}>
          {t(label)}
        </MenuItem>
      ))}
    </Menu>
  )
}
