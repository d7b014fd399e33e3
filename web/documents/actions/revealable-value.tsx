import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fieldLabel, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { revealedValue } from './action-responses.ts'
import { t } from './messages.ts'
import { usePasswordCheck } from './password-check.tsx'
import { useActions } from './use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

/** How long a revealed value stays visible (docs/contracts/screens.md). */
const shownMs = 30_000

interface RevealableField {
  type: Doctype
  doc: AnyDoc
  field: string
}

/**
 * A `revealable()` field: its mask, and for authorized users a button that reveals it for 30 seconds after a password check.
 * Renders nothing if the field is empty or not readable.
 */
export function RevealableValue(props: RevealableField) {
  // A value never outlives its document, also where the page stays and shows the next one.
  return <DocumentValue key={`${props.doc.name} ${props.field}`} {...props} />
}

function DocumentValue({ type, doc, field: name }: RevealableField) {
  const [value, setValue] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const { checked, dialog } = usePasswordCheck()
  const gate = useActions(type, doc).find(({ action }) => action.reveals)
  useEffect(() => {
    if (value === null) return
    const timer = setTimeout(() => setValue(null), shownMs)
    return () => clearTimeout(timer)
  }, [value])
  const field = type.fields[name]
  if (!field || !doc[name]) return null
  const label = translateText(fieldLabel(name, field))

  const reveal = async () => {
    setBusy(true)
    try {
      const revealed = await checked(async () =>
        checkedResult(revealedValue, await runAction(type.name, doc.name, gate?.name ?? '', { fieldname: name })),
      )
      setValue(revealed?.value ?? null)
    } catch (error) {
      const description = fullMessage(toApiError(error))
      showToast({ title: t('reveal.failed', { field: label }), description, variant: 'danger' })
    } finally {
      setBusy(false)
    }
  }

  const shown = value !== null
  return (
    <div role="group" aria-label={label} className="grid gap-1 text-table">
      <span className="text-muted">{label}</span>
      <span className="flex min-h-8 min-w-0 items-center gap-2 rounded-ctl border border-border bg-sunken pr-1 pl-2.5 max-md:min-h-11">
        <span className="min-w-0 flex-1 font-mono text-meta [overflow-wrap:anywhere]" translate="no">
          {shown ? value : <span aria-label={t('reveal.hidden')}>••••••••</span>}
        </span>
        <span className="sr-only" role="status">
          {shown ? t('reveal.shown') : ''}
        </span>
        {shown ? <CopyButton value={value} label={t('reveal.copy', { field: label })} /> : null}
        {gate ? (
          <Button
            size="sm"
            variant="ghost"
            busy={busy}
            disabled={!gate.gate.enabled}
            title={gate.gate.enabled ? undefined : gate.gate.reason}
            aria-label={t(shown ? 'reveal.hide_of' : 'reveal.show_of', { field: label })}
            onClick={() => (shown ? setValue(null) : void reveal())}
          >
            {shown ? <EyeOff size={14} aria-hidden="true" /> : <Eye size={14} aria-hidden="true" />}
            {t(shown ? 'reveal.hide' : 'reveal.show')}
          </Button>
        ) : null}
      </span>
      {dialog}
    </div>
  )
}
