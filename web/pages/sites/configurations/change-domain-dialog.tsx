import { useEffect, useRef, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { DomainInput } from './domain-input.tsx'
import { domainProblem } from './domain-rules.ts'
import { findAddresses, type FoundAddresses } from './find-addresses.ts'
import { FoundAddressesView, placesOf } from './found-addresses-view.tsx'
import { t } from './messages.ts'

const formId = 'change-domain'
const oldChoices = ['redirect', 'serve', 'remove'] as const

/** Changes the primary domain of a site: first shows what that replaces, then starts the job. */
export function ChangeDomainDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const { run } = useActionRunner(SiteDoctype)
  const [found, setFound] = useState<FoundAddresses | null>(null)
  /** Addresses found while the database is being read. */
  const [soFar, setSoFar] = useState(0)
  const reading = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    reading.current = controller
    return () => controller.abort()
  }, [])
  const form = useApiForm({
    defaultValues: { domain: '', old_domain: 'redirect' },
    send: async ({ domain, old_domain }) => {
      if (found === null) {
        setSoFar(0)
        const { signal } = reading.current
        const all = await findAddresses(site.name, domain, (part) => setSoFar(placesOf(part)), signal)
        if (!signal.aborted) setFound(all)
        return
      }
      try {
        await run(site, 'change_domain', { domain: found.domain, old_domain })
      } catch (error) {
        // The error is shown at the fields of the first step.
        setFound(null)
        throw error
      }
      onClose()
    },
  })
  const isWordPress = site.site_type === 'wp'
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      width="md:w-[560px]"
      title={t('change.title')}
      description={t(isWordPress ? 'change.hint' : 'change.hint_files')}
      footer={
        <>
          {found === null ? (
            <Button onClick={onClose}>{t('change.cancel')}</Button>
          ) : (
            <Button disabled={form.busy} onClick={() => setFound(null)}>
              {t('change.back')}
            </Button>
          )}
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {t(found === null ? 'change.look' : 'change.confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        {found === null ? (
          <>
            <Field
              required
              label={t('change.domain')}
              error={form.errorOf('domain')}
              hint={t('change.now', { url: site.url ?? site.domain })}
            >
              <DomainInput
                readOnly={form.busy}
                {...form.register('domain', {
                  validate: (text) => domainProblem(text, site) ?? true,
                  onChange: () => form.clearErrors('domain'),
                })}
              />
            </Field>
            <Field label={t('change.old')} error={form.errorOf('old_domain')}>
              <Select {...form.register('old_domain')}>
                {oldChoices.map((choice) => (
                  <option key={choice} value={choice}>
                    {t(`change.old_${choice}`)}
                  </option>
                ))}
              </Select>
            </Field>
            <p role="status" className="min-h-4 text-meta text-muted">
              {form.busy && isWordPress ? t('change.looking', { count: soFar }) : null}
            </p>
          </>
        ) : (
          <FoundAddressesView found={found} isWordPress={isWordPress} />
        )}
      </form>
    </Dialog>
  )
}
