import type { ComponentProps } from 'react'
import { checkSiteName } from '#shared/rules/site-name.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { boot } from '#web/lib/session/boot.ts'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { siteAddress } from '../site-form.ts'
import { t } from './messages.ts'

const addressOf = (name: string): string => siteAddress(name, boot().local_sites_url, new URL(boot().url))

/** Reason why a name can't be used; null if it can. */
export function nameProblem(name: string): string | null {
  const problem = checkSiteName(name)
  return problem && messageText(problem)
}

/** The name of a new site, within its address, and whether it is free. */
export function NewNameField({
  name,
  error,
  field,
  onName,
}: {
  name: string
  error: string | null
  field: Pick<ComponentProps<'input'>, 'name' | 'onBlur' | 'ref'>
  onName: (text: string) => void
}) {
  // Split at the placeholder rather than the name: "host" also occurs in "localhost".
  const [before = '', after = ''] = addressOf('{slug}').split('{slug}')
  return (
    <div className="grid gap-1.5">
      <Field
        required
        label={t('name.label')}
        error={error}
        hint={name === '' ? t('name.hint') : t('name.preview', { url: addressOf(name) })}
      >
        <Input
          prefix={before}
          suffix={after}
          suffixFollows
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          {...field}
          onChange={(event) => onName(event.target.value)}
          value={name}
        />
      </Field>
      <NameState name={name} />
    </div>
  )
}

/** Whether this organization already uses the name. */
function NameState({ name }: { name: string }) {
  const settled = useDebounced(name)
  const isChecked = settled === name && nameProblem(name) === null
  const used = useCount(isChecked ? 'Site' : null, {
    filters: [['domain', 'in', [name, new URL(addressOf(name)).hostname]]],
  })
  const isTaken = isChecked && (used.data ?? 0) > 0
  return (
    <p role="status" className="flex min-h-4 items-center gap-1.5 text-meta text-muted">
      {isTaken ? (
        <>
          <StatusIcon tone="warn" size={14} />
          <span className="text-warn">{t('name.used')}</span>
        </>
      ) : isChecked && used.data === 0 ? (
        <>
          <StatusIcon tone="ok" size={14} />
          {t('name.free')}
        </>
      ) : null}
    </p>
  )
}
