import { domainLookUp } from '#shared/responses/site-domains.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { t } from './messages.ts'

/** Whether the entered domain points at the chosen server already. Nothing while that is not known. */
export function DomainNote({ control, server }: { control: FormControl; server: string }) {
  const domain = String(control.values['domain'] ?? '')
  const settled = useDebounced(domain)
  const isFine =
    domain !== '' && domain === settled && control.form.checks?.['domain']?.(domain, control.values) === null
  const found = useMethod(
    isFine && server !== '' ? 'easydash.api.site.look_up_domain' : null,
    { server, domain: settled },
    { returns: domainLookUp },
  )
  const state = isFine ? found.data?.state : undefined
  return (
    <p role="status" className="flex min-h-4 items-center gap-1.5 text-meta text-muted">
      {state === 'here' ? (
        <>
          <StatusIcon tone="ok" size={14} /> {t('create.points_here')}
        </>
      ) : null}
      {state === 'not_here' ? (
        <>
          <StatusIcon tone="warn" size={14} /> <span className="text-warn">{t('create.points_elsewhere')}</span>
        </>
      ) : null}
    </p>
  )
}
