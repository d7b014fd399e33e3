import { ChevronUp, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { maxSelected } from '#shared/rules/max-selected.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { needsDialog, useViewer } from '../actions/use-actions.ts'
import { BulkDialog } from '../later-forms.tsx'
import { bulkChoices, type BulkChoice, type BulkStart } from './bulk-choices.ts'
import { useRowAccess } from './row-access.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import type { ListRow } from '../values/cells.tsx'
import { t as actionText } from '../actions/messages.ts'
import { t } from './messages.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import type { Selection } from './use-selection.ts'

/** Maximum actions shown as buttons; the rest are in a menu. */
const inlineActions = 4

/** Bar at the lower edge while rows are selected: the count, select all, and actions. `extra` is content of the page. */
export function BulkBar<R extends ListRow>({
  type,
  selection,
  total,
  except,
  start,
  extra,
  readAll,
}: {
  type: Doctype
  selection: Selection<R>
  /** Rows that match the filters, on all pages. */
  total: number
  /** Actions not offered for multiple rows. */
  except: readonly string[]
  start?: BulkStart | undefined
  extra?: ReactNode
  readAll: () => Promise<R[]>
}) {
  const viewer = useViewer()
  const breakpoint = useBreakpoint()
  const [selectedAction, setSelectedAction] = useState<BulkChoice | null>(null)
  const [reading, setReading] = useState(false)
  const { rows } = selection
  const accessOf = useRowAccess(type, rows)
  const choices =
    accessOf === null ? [] : bulkChoices(type, rows, viewer, accessOf).filter(({ name }) => !except.includes(name))
  const inline = breakpoint === 'desktop' && choices.length <= inlineActions

  const selectAll = async () => {
    setReading(true)
    try {
      selection.add(await readAll())
    } catch (error) {
      showToast({ title: t('select.failed'), description: toApiError(error).message, variant: 'danger' })
    } finally {
      setReading(false)
    }
  }
  const labelOf = ({ action }: BulkChoice) => `${translateText(action.label)}${needsDialog(action) ? '…' : ''}`

  return (
    <div
      role="region"
      data-low
      aria-label={t('select.bar')}
      className="pop fixed inset-x-0 bottom-0 z-30 mx-auto flex w-fit max-w-full flex-wrap items-center gap-x-2 gap-y-1 border border-border bg-raised py-2 pr-2 pl-4 text-table shadow-pop max-md:min-h-17 max-md:w-full max-md:border-x-0 max-md:border-b-0 max-md:pb-[calc(8px+env(safe-area-inset-bottom))] md:bottom-5 md:rounded-pop"
    >
      <span role="status" className="font-medium">
        {t('select.count', { count: rows.length })}
      </span>
      {total > rows.length && rows.length < maxSelected ? (
        <Button size="sm" variant="ghost" className="text-brand-text" busy={reading} onClick={() => void selectAll()}>
          {total > maxSelected
            ? t('select.first', { n: formatNumber(maxSelected) })
            : t('select.all', { n: formatNumber(total) })}
        </Button>
      ) : null}
      <span aria-hidden="true" className="h-5 w-px flex-none bg-border max-md:hidden" />
      {/* Its parts decide themselves whether the rows fit. */}
      <span className="peer contents">{extra}</span>
      {choices.length === 0 ? (
        accessOf === null ? null : (
          <span className="px-1 text-muted peer-[:not(:empty)]:hidden">{t('select.none_fit')}</span>
        )
      ) : inline ? (
        choices.map((choice) => (
          <Button
            key={choice.name}
            size="sm"
            variant="ghost"
            className={choice.action.danger ? 'text-bad' : ''}
            onClick={() => setSelectedAction(choice)}
          >
            {labelOf(choice)}
          </Button>
        ))
      ) : (
        <Menu
          trigger={
            <Button size="sm">
              {actionText('action.more')}
              <ChevronUp size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />
            </Button>
          }
        >
          {choices.map((choice) => (
            <MenuItem
              key={choice.name}
              danger={choice.action.danger ?? false}
              aside={<span className="text-muted">{formatNumber(choice.rows.length)}</span>}
              onSelect={() => setSelectedAction(choice)}
            >
              {labelOf(choice)}
            </MenuItem>
          ))}
        </Menu>
      )}
      <IconButton
        size="md"
        label={t('select.clear')}
        className="max-md:ml-auto"
        onClick={() => {
          selection.clear()
          // The bar disappears with the selection, so keep the focus in the list.
          document.querySelector<HTMLElement>('[data-row-link]')?.focus({ preventScroll: true })
        }}
      >
        <X size={16} strokeWidth={1.75} aria-hidden="true" />
      </IconButton>
      {selectedAction ? (
        <BulkDialog
          key={selectedAction.name}
          type={type}
          choice={selectedAction}
          start={start}
          onClose={() => setSelectedAction(null)}
          onStarted={() => {
            setSelectedAction(null)
            selection.clear()
          }}
        />
      ) : null}
    </div>
  )
}
