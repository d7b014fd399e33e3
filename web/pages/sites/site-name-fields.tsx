import type { FormControl } from '#web/documents/form/use-form.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { StatusIcon } from '#web/ui/status.tsx'
import { DomainNote } from './domain-note.tsx'
import { t } from './messages.ts'
import { siteAddress, siteForm, withDomain, withName } from './site-form.ts'

/** URL of a site with this name. */
export const addressOf = (name: string): string => siteAddress(name, boot().local_sites_url, new URL(boot().url))

/** Whether this organization already has a site of one of these names; null while that is not known. */
function useTaken(control: FormControl, name: string, names: readonly string[]): boolean | null {
  const settled = useDebounced(name)
  const fine = name !== '' && control.form.checks?.['domain']?.(name, control.values) === null
  const isChecked = fine && settled === name
  const used = useCount(isChecked ? 'Site' : null, { filters: [['domain', 'in', [...names]]] })
  return isChecked && used.data !== undefined ? used.data > 0 : null
}

function TakenNote({ control, taken }: { control: FormControl; taken: boolean | null }) {
  const isShown = taken !== null && !control.errors['domain']
  return (
    <p role="status" className="flex min-h-4 items-center gap-1.5 text-meta text-muted">
      {isShown ? <StatusIcon tone={taken ? 'warn' : 'ok'} size={14} /> : null}
      {isShown && taken ? <span className="text-warn">{t('create.name_used')}</span> : null}
      {isShown && !taken ? t('create.name_free') : null}
    </p>
  )
}

/** The full domain of a site on a server. */
export function DomainField({ control, server }: { control: FormControl; server: string }) {
  const domain = String(control.values['domain'] ?? '')
  const taken = useTaken(control, domain, [domain])
  const typed = (value: string) => {
    const next = withDomain(control.values, value)
    control.preset('title', next.title)
    return next.domain
  }
  return (
    <div className="grid gap-1.5">
      <FormField
        control={control}
        name="domain"
        label={t('create.domain')}
        clean={typed}
        placeholder={t('create.domain_example')}
        hint={t('create.domain_hint')}
      />
      <TakenNote control={control} taken={taken} />
      <DomainNote control={control} server={server} />
    </div>
  )
}

/** The name with a live URL preview, and whether this organization already uses it. */
export function NameField({ control, address }: { control: FormControl; address: string }) {
  const name = String(control.values['domain'] ?? '')
  const fine = name !== '' && siteForm.checks?.['domain']?.(name, control.values) === null
  const taken = useTaken(control, name, [name, new URL(address).hostname])
  const typed = (value: string) => {
    const next = withName(control.values, value)
    control.preset('title', next.title)
    return next.domain
  }
  // Split at the placeholder rather than the name: "host" also occurs in "localhost".
  const [before = '', after = ''] = addressOf('{slug}').split('{slug}')
  return (
    <div className="grid gap-1.5">
      <FormField
        control={control}
        name="domain"
        label={t('create.name')}
        clean={typed}
        prefix={before}
        suffix={after}
        suffixFollows
        placeholder={t('create.name_example')}
        hint={
          name === ''
            ? t('create.name_hint')
            : fine
              ? t('create.preview', { url: address })
              : siteForm.checks?.['domain']?.(name, control.values)
        }
      />
      <TakenNote control={control} taken={taken} />
    </div>
  )
}
