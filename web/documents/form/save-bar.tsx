import { fieldLabel } from '#shared/doctype.ts'
import { Button } from '#web/ui/button.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { t } from './messages.ts'
import { t as valueText } from '../messages.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import type { EditControl } from './use-edit-form.ts'

/**
 * Save and discard buttons for unsaved changes, with the error. Sticks to the lower edge of the window while the form is
 * taller. Place it last in the form element.
 */
export function SaveBar({ control, saveLabel }: { control: EditControl; saveLabel?: string | undefined }) {
  const offline = useOfflineSince() !== null
  const { dirty, busy, failure, conflicts, changed, draftKept } = control
  if (!dirty && !failure) return null
  return (
    <div data-low className="sticky bottom-0 z-20 -mx-1 grid gap-2 px-1 pt-2 pb-3 max-md:-mx-4 max-md:px-0 max-md:pb-0">
      {failure ? <Notice tone="bad">{failure}</Notice> : null}
      {conflicts.length > 0 ? <ConflictNotice control={control} /> : null}
      {dirty ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-border bg-raised py-2 pr-2 pl-4 shadow-pop max-md:rounded-none max-md:border-x-0 max-md:border-b-0 max-md:px-4 max-md:pb-[calc(8px+env(safe-area-inset-bottom))]">
          <span role="status" className="min-w-0 flex-1 text-table text-muted">
            {t('edit.unsaved', { count: changed.length })}
            {offline ? <span> {t('edit.offline')}</span> : null}
            {draftKept ? <span className="max-md:hidden"> {t('edit.kept')}</span> : null}
          </span>
          <span className="flex items-center gap-2">
            <Button onClick={control.reset} aria-disabled={busy || undefined}>
              {t('edit.discard')}
            </Button>
            <Button type="submit" variant="primary" busy={busy} disabled={offline}>
              {busy ? t('edit.saving') : (saveLabel ?? t('edit.save'))}
            </Button>
          </span>
        </div>
      ) : null}
    </div>
  )
}

/** Someone else saved the same fields: shows both values and lets the user choose. */
export function ConflictNotice({ control }: { control: EditControl }) {
  const display = (value: string | number | null) =>
    value === null || value === '' ? valueText('value.nothing') : String(value)
  return (
    <div className="rounded-card shadow-pop">
      <Notice tone="bad" title={t('edit.conflict_title')}>
        <ul className="mt-1">
          {control.conflicts.map(({ name, mine, theirs }) => {
            const field = control.form.fields[name]
            return (
              <li key={name}>
                {t('edit.conflict', {
                  field: field ? translateText(fieldLabel(name, field)) : name,
                  theirs: display(theirs),
                  mine: display(mine),
                })}
              </li>
            )
          })}
        </ul>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="md" onClick={control.takeTheirs}>
            {t('edit.take_theirs')}
          </Button>
          <Button size="md" onClick={control.keepMine}>
            {t('edit.keep_mine')}
          </Button>
        </div>
      </Notice>
    </div>
  )
}
