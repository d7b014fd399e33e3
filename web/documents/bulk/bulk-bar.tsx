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
import { useMedia } from '#web/lib/browser/use-media.ts'
import type { Selection } from './use-selection.ts'

/**
 * Number of actions with a button of their own; the others are in a menu. By the width of the window, beside the whole sidebar:
 * measuring the buttons would lay out the page once more with each selected row.
 */
function useInlineActions(): number {
  const small = useMedia('(min-width: 1024px)')
  const desktop = useMedia('(min-width: 1280px)')
  const wide = useMedia('(min-width: 1440px)')
  const widest = useMedia('(min-width: 1800px)')
  return widest ? 6 : wide ? 4 : desktop ? 3 : small ? 1 : 0
}

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
  const room = useInlineActions()
  const [selectedAction, setSelectedAction] = useState<BulkChoice | null>(null)
  const [reading, setReading] = useState(false)
  const { rows } = selection
  const accessOf = useRowAccess(type, rows)
  const choices =
    accessOf === null ? [] : bulkChoices(type, rows, viewer, accessOf).filter(({ name }) => !except.includes(name))
  // A menu of one action would be as wide as its button.
  const inline = room > 0 && choices.length <= room + 1 ? choices : choices.slice(0, room)
  const rest = choices.slice(inline.length)

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
  const button = (choice: BulkChoice) => (
    <Button
      key={choice.name}
      size="sm"
      variant="ghost"
      className={choice.action.danger ? 'text-bad' : ''}
      onClick={() => setSelectedAction(choice)}
    >
      {labelOf(choice)}
    </Button>
  )

  return (
    <div
      role="region"
      data-low
      aria-label={t('select.bar')}
      className="pop fixed right-0 bottom-0 left-(--sidebar,0px) z-30 mx-auto flex w-fit max-w-[calc(100%-var(--sidebar,0px))] flex-wrap items-center gap-x-2 gap-y-1 border border-border bg-raised py-2 pr-2 pl-4 text-table shadow-pop max-md:min-h-17 max-md:w-full max-md:border-x-0 max-md:border-b-0 max-md:pb-[calc(8px+env(safe-area-inset-bottom))] md:bottom-5 md:rounded-pop"
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
      {inline.filter(({ action }) => !action.danger).map(button)}
      {/* Its parts decide themselves whether the rows fit. */}
      <span className="peer contents">{extra}</span>
      {choices.length === 0 && accessOf !== null ? (
        <span className="px-1 text-muted peer-[:not(:empty)]:hidden">{t('select.none_fit')}</span>
      ) : null}
      {inline.filter(({ action }) => action.danger).map(button)}
      {rest.length > 0 ? <MoreActions choices={rest} onSelect={setSelectedAction} /> : null}
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

const labelOf = ({ action }: BulkChoice) => `${translateText(action.label)}${needsDialog(action) ? '…' : ''}`

/** The menu of the actions without a button of their own, with the number of rows that each is for. */
function MoreActions({
  choices,
  onSelect,
}: {
  choices: readonly BulkChoice[]
  onSelect: (choice: BulkChoice) => void
}) {
  return (
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
          onSelect={() => onSelect(choice)}
        >
          {labelOf(choice)}
        </MenuItem>
      ))}
    </Menu>
  )
}
