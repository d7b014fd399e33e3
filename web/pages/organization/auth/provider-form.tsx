import { useRef, useState } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { loginProviderTest, type LoginProviderTest } from '#shared/responses/login-provider.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { NavigationBlocker } from '#web/documents/form/unsaved-changes-blocker.tsx'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { boot } from '#web/lib/session/boot.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input, Textarea } from '#web/ui/form/input.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { tAuth } from './messages.ts'

/** The owner's form: the same values are tested or saved, after the password was confirmed. */
export function ProviderForm({ organization }: { organization: Organization }) {
  const { checked, dialog } = usePasswordCheck()
  const [tested, setTested] = useState<LoginProviderTest | null>(null)
  // A ref: the form is submitted in the event that chooses.
  const wanted = useRef<'test' | 'save'>('save')
  const [testing, setTesting] = useState(false)
  const isStored = Boolean(organization.login_key)
  const form = useApiForm({
    defaultValues: {
      issuer: organization.login_issuer ?? '',
      client_id: organization.client_id ?? '',
      client_secret: '',
      domains: organization.login_domains ?? '',
    },
    async send({ domains, client_secret, ...values }) {
      setTested(null)
      const secret = client_secret === '' ? {} : { client_secret }
      const act = (action: string, more = {}) =>
        checked(() => runAction('Organization', organization.name, action, { ...values, ...secret, ...more }))
      if (wanted.current === 'test') {
        const result = await act('test_login_provider')
        return setTested(result && checkedResult(loginProviderTest, result))
      }
      if ((await act('set_login_provider', { domains })) === null) return
      form.reset({ ...values, domains, client_secret: '' })
      showToast({ title: tAuth('provider.saved'), variant: 'success' })
      await refetch(docKey('Organization', organization.name))
    },
  })
  const choose = (what: 'test' | 'save') => {
    wanted.current = what
    setTesting(what === 'test')
  }
  const required = { required: tAuth('provider.missing') }
  const error = (name: Parameters<typeof form.errorOf>[0]) => form.errorOf(name) ?? undefined
  const { isDirty, dirtyFields } = form.formState
  return (
    <form {...form.props} className="grid gap-4" aria-label={tAuth('provider.form')}>
      <Field label={tAuth('provider.redirect')} hint={tAuth('provider.redirect_hint')}>
        <CopyField value={`${boot().url}/web/sso/callback`} label={tAuth('provider.copy_redirect')} />
      </Field>
      <Field label={tAuth('provider.issuer')} hint={tAuth('provider.issuer_hint')} error={error('issuer')} required>
        <Input type="url" autoComplete="off" spellCheck={false} {...form.register('issuer', required)} />
      </Field>
      {isStored && dirtyFields.issuer ? <Notice tone="warn">{tAuth('provider.issuer_ends')}</Notice> : null}
      <div className="grid gap-4 md:grid-cols-2">
        <Field label={tAuth('provider.client_id')} error={error('client_id')} required>
          <Input autoComplete="off" spellCheck={false} {...form.register('client_id', required)} />
        </Field>
        <Field
          label={tAuth('provider.client_secret')}
          hint={isStored ? tAuth('provider.secret_stored') : undefined}
          error={error('client_secret')}
          required={!isStored}
        >
          <PasswordInput autoComplete="off" {...form.register('client_secret', isStored ? {} : required)} />
        </Field>
      </div>
      <Field label={tAuth('provider.domains')} hint={tAuth('provider.domains_hint')} error={error('domains')} required>
        <Textarea rows={2} spellCheck={false} {...form.register('domains', required)} />
      </Field>
      {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="min-w-0 flex-1 basis-48 text-table text-muted">
          {tested ? tAuth(`provider.${tested.client}`, { issuer: tested.issuer }) : null}
        </span>
        <Button type="submit" busy={form.busy && testing} onClick={() => choose('test')}>
          {tAuth('provider.test')}
        </Button>
        <Button type="submit" variant="primary" busy={form.busy && !testing} onClick={() => choose('save')}>
          {tAuth('provider.save')}
        </Button>
      </div>
      <NavigationBlocker when={isDirty} onLeave={() => form.reset()} />
      {dialog}
    </form>
  )
}
