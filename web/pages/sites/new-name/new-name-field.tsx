import type { ComponentProps } from 'react'
import { siteNameWhileTyping } from '#shared/rules/site-name.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { siteAddress, siteNameProblem, type SiteNames } from '../site-form.ts'
import { t } from './messages.ts'

/** URL of a new site of this name. */
export function addressOf(name: string, names: SiteNames): string {
  if (names === 'domain') return `http://${name === '' ? t('name.domain_example') : name}`
  return siteAddress(name, boot().local_sites_url, new URL(boot().url))
}

/** What a new site is named by: a name within its address on this machine, a full domain on a server. Says whether it is free. */
export function NewNameField({
  names,
  name,
  error,
  field,
  onName,
}: {
  names: SiteNames
  name: string
  error: string | null
  field: Pick<ComponentProps<'input'>, 'name' | 'onBlur' | 'ref'>
  /** Gets what the field shows for a text, and that text as it was typed. */
  onName: (text: string, typed: string) => void
}) {
  const isDomain = names === 'domain'
  // Split at the placeholder rather than the name: "host" also occurs in "localhost".
  const [prefix = '', suffix = ''] = addressOf('{slug}', 'label').split('{slug}')
  const problem = siteNameProblem(name, names)
  const preview = name === '' ? t('name.hint') : (problem ?? t('name.preview', { url: addressOf(name, names) }))
  return (
    <div className="grid gap-1.5">
      <Field
        required
        label={t(isDomain ? 'name.domain' : 'name.label')}
        error={error}
        hint={isDomain ? t('name.domain_hint') : preview}
      >
        <Input
          {...(isDomain ? {} : { prefix, suffix, suffixFollows: true })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder={t(isDomain ? 'name.domain_example' : 'name.example')}
          {...field}
          onChange={({ target: { value: typed } }) =>
            onName(isDomain ? typed.trim().toLowerCase() : siteNameWhileTyping(typed), typed)
          }
          value={name}
        />
      </Field>
      <NameState name={name} names={names} isFine={problem === null && !error} />
    </div>
  )
}

/** Whether this organization already uses the name. */
function NameState({ name, names, isFine }: { name: string; names: SiteNames; isFine: boolean }) {
  const settled = useDebounced(name)
  const isChecked = isFine && settled === name
  const used = useCount(isChecked ? 'Site' : null, {
    filters: [['domain', 'in', names === 'domain' ? [name] : [name, new URL(addressOf(name, names)).hostname]]],
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
