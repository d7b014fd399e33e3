import { useId, useState } from 'react'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import type { Doctype } from '#shared/doctype.ts'
import { runAction } from '#web/lib/api/api.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { confirmText } from '../actions/action-phrase.ts'
import { shownArgs } from '../actions/use-actions.ts'
import { detailOf, rowTitle, type BulkChoice, type BulkStart } from './bulk-choices.ts'
import { startBulk, startedJob } from './bulk-run.ts'
import { DocForm, FormFailure } from '../form/form.tsx'
import { FormField } from '../form/form-field.tsx'
import { t } from './messages.ts'
import type { ListRow } from '../values/cells.tsx'
import { t as formText } from '../form/messages.ts'
import { useForm } from '../form/use-form.ts'

/** Names shown before "+ N more". */
const namedRows = 5

/**
 * Confirmation of an action on multiple rows: what happens, to which rows, which are skipped and why, the shared arguments,
 * and for irreversible actions the typed number of rows.
 */
export function BulkDialog({
  type,
  choice,
  start,
  onClose,
  onStarted,
}: {
  type: Doctype
  choice: BulkChoice
  /** Does it instead of this tab, if it can. */
  start?: BulkStart | undefined
  onClose: () => void
  onStarted: () => void
}) {
  const { name, action, rows, skipped, withoutFirst } = choice
  const { first } = action
  const form = useId()
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | null>(null)
  const label = translateText(action.label)
  const noun = translateText(rows.length === 1 ? type.name : (type.plural ?? type.name)).toLowerCase()
  const n = formatNumber(rows.length)
  // An undo with the values of before differs for each row.
  const undoName = typeof action.undo === 'string' ? action.undo : undefined
  const undo = undoName === undefined ? undefined : type.actions?.[undoName]
  const back = undoName !== undefined && undo ? { action: undoName, label: translateText(undo.label) } : null
  const fields = action.args ?? {}
  const names = shownArgs(action)

  const control = useForm(
    { fields, names },
    {
      // Where not all can do it, whoever asks decides about the others.
      initial: first === undefined ? {} : { [first]: withoutFirst === 0 ? 1 : 0 },
      save: (payload) => {
        const elsewhere = start?.(
          name,
          payload,
          rows.map((row) => row.name),
        )
        if (elsewhere) return elsewhere.then(onStarted)
        const byName = new Map(rows.map((row) => [row.name, row]))
        startBulk(
          {
            doctype: type.name,
            label,
            noun,
            ...(back && { undo: back }),
            rows: rows.map((row) => ({ name: row.name, title: rowTitle(type, row), detail: detailOf(type, row) })),
          },
          async (row) => {
            // The user confirmed all rows by their number; each call still needs its document's name.
            const confirmed = action.confirm_field ? { confirm_name: byName.get(row.name)?.[action.confirm_field] } : {}
            return startedJob(await runAction(type.name, row.name, name, { ...payload, ...confirmed }))
          },
        )
        onStarted()
        return Promise.resolve()
      },
    },
  )
  const typeCount = action.danger === true && action.undo === undefined
  const matches = typed === n || typed === String(rows.length)

  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('bulk.title', { action: label, noun, count: rows.length })}
      description={confirmText(action, rows.length)}
      footer={
        <>
          <Button onClick={onClose}>{t('bulk.cancel')}</Button>
          <Button
            type="submit"
            form={form}
            variant={action.danger ? 'danger' : 'primary'}
            busy={control.busy}
            disabled={typeCount && !matches}
          >
            {t('bulk.start', { action: label, n })}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <ul className="grid gap-1 text-table wrap-anywhere">
          {rows.slice(0, namedRows).map((row) => (
            <li key={row.name}>
              <RowName type={type} row={row} />
            </li>
          ))}
          {rows.length > namedRows ? (
            <li className="text-muted">{formText('multi.more', { n: formatNumber(rows.length - namedRows) })}</li>
          ) : null}
        </ul>
        {skipped.length > 0 ? (
          <details className="text-table">
            <summary className="cursor-default py-1 text-muted">{t('bulk.skipped', { count: skipped.length })}</summary>
            <ul className="mt-1.5 grid max-h-40 gap-1 overflow-y-auto">
              {skipped.map(({ row, reason }) => (
                <li key={row.name} className="wrap-anywhere">
                  <RowName type={type} row={row} />
                  {reason ? <span className="text-muted">{` · ${reason}`}</span> : null}
                </li>
              ))}
            </ul>
          </details>
        ) : null}
        <DocForm id={form} control={control} className="grid gap-4">
          <FormFailure control={control} />
          {names.map((key) => (
            <FormField
              key={key}
              control={control}
              name={key}
              {...(key === first && withoutFirst === rows.length && { off: t('bulk.first_none') })}
              {...(key === first && withoutFirst > 0 && { hint: t('bulk.first_some', { count: withoutFirst }) })}
            />
          ))}
          {typeCount ? (
            <Field label={t('bulk.type_count', { n })} error={error}>
              <Input
                value={typed}
                inputMode="numeric"
                autoComplete="off"
                onChange={(event) => {
                  setTyped(event.target.value)
                  setError(null)
                }}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || matches) return
                  event.preventDefault()
                  setError(t('bulk.count_differs', { n }))
                }}
              />
            </Field>
          ) : null}
        </DocForm>
      </div>
    </Dialog>
  )
}

/** What people call a row, with its address beside it. */
function RowName({ type, row }: { type: Doctype; row: ListRow }) {
  const detail = detailOf(type, row)
  return (
    <>
      {rowTitle(type, row)}
      {detail === null ? null : (
        <>
          {' '}
          <span className="text-muted" translate="no">
            {detail}
          </span>
        </>
      )}
    </>
  )
}
