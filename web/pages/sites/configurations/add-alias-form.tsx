import { useWatch } from 'react-hook-form'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { aliasChanged } from '#shared/responses/site-domains.ts'
import { aliasModes } from '#shared/rules/site-aliases.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { DomainNote } from '../domain-note.tsx'
import { DomainInput } from './domain-input.tsx'
import { domainProblem, domainRules } from './domain-rules.ts'
import { t } from './messages.ts'

/** WordPress on servers answers under its primary domain only. */
export const redirectsOnly = ({ engine, site_type: type }: Pick<Site, 'engine' | 'site_type'>): boolean =>
  engine === 'ee' && type === 'wp'

/** Adds an alias to a site. What is wrong with a name is said at the field, before and after it is sent. */
export function AddAliasForm({ site }: { site: Site }) {
  const { run, runOrToast } = useActionRunner(SiteDoctype)
  const form = useApiForm({
    defaultValues: { domain: '', mode: 'redirect' },
    fallbackField: 'domain',
    send: async ({ domain, mode }) => {
      const { domain: added } = checkedResult(aliasChanged, await run(site, 'add_alias', { domain, mode }))
      const undo = () => runOrToast(site, 'remove_alias', { domain: added })
      showToast({ title: t('domains.added', { domain: added }), variant: 'success', action: undoButton({ undo }) })
      // It takes seconds, in which the next name may have been entered.
      if (form.getValues('domain') === domain) form.reset({ domain: '', mode })
    },
  })
  const domain = useWatch({ control: form.control, name: 'domain' })
  const { sitesDomain } = domainRules(site)
  return (
    <form {...form.props} aria-label={t('domains.add_form')} className="grid gap-2">
      <div className="flex flex-wrap items-start gap-2">
        <Field
          label={t('domains.add_label')}
          error={form.errorOf('domain')}
          hint={t('domains.add_hint', { suffix: sitesDomain === null ? '.example.com' : `.${sitesDomain}` })}
          className="min-w-52 flex-1"
        >
          <DomainInput
            {...form.register('domain', {
              validate: (text) => domainProblem(text, site) ?? true,
              onChange: () => form.clearErrors('domain'),
            })}
          />
        </Field>
        <Field label={t('domains.mode')} className="w-40 max-w-full">
          <Select {...form.register('mode')}>
            {aliasModes.map((mode) => (
              <option key={mode} value={mode} disabled={mode === 'serve' && redirectsOnly(site)}>
                {t(`domains.${mode}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Button type="submit" busy={form.busy} className="mt-[26px]">
          {t('domains.add')}
        </Button>
      </div>
      {/* On this machine, names lead here by what is before it. */}
      {site.engine === 'ee' && site.server && domain !== '' ? (
        <DomainNote
          domain={domain.trim().toLowerCase()}
          isFine={domainProblem(domain, site) === null}
          server={site.server}
        />
      ) : null}
      <p className="text-meta text-muted">{t(redirectsOnly(site) ? 'domains.redirects_only' : 'domains.mode_hint')}</p>
    </form>
  )
}
