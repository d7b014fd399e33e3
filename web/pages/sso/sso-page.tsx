import { useState } from 'react'
import { useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import { Link, useSearchParams } from '#web/lib/routing/router.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { boot } from '#web/lib/session/boot.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { tSso } from './messages.ts'
import { keepPendingLogin, loginPath, rememberedLoginKey } from './pending-login.ts'

const passwordLink = (
  <Link to="/login" className="link">
    {tSso('sso.password')}
  </Link>
)

/** Asks for the login address of one's organization: its name would tell strangers which organizations exist. */
export function SsoPage() {
  const navigate = useNavigate()
  const next = useSearchParams()[0].get('next')
  const [known] = useState(rememberedLoginKey)
  const form = useApiForm({
    defaultValues: { address: known === null ? '' : `${boot().url}/web/sso/${known}` },
    send: async ({ address }) =>
      navigate({
        pathname: loginPath(address) ?? '/sso',
        search: next === null ? '' : `?${new URLSearchParams({ next }).toString()}`,
      }),
  })
  return (
    <PublicLayout title={tSso('sso.title')} lead={tSso('sso.lead')} foot={passwordLink}>
      <form {...form.props} className="grid gap-4">
        <Field
          label={tSso('sso.address')}
          hint={tSso('sso.address_hint')}
          error={form.errorOf('address') ?? undefined}
          required
        >
          <Input
            large
            autoFocus
            autoComplete="url"
            autoCapitalize="off"
            spellCheck={false}
            {...form.register('address', {
              validate: (typed) => loginPath(typed) !== null || tSso('sso.address_missing'),
            })}
          />
        </Field>
        <Button type="submit" variant="primary" size="xl" block>
          {tSso('sso.next')}
        </Button>
      </form>
    </PublicLayout>
  )
}

const provider = z.object({ host: z.string() })
const begun = z.object({ url: z.url({ protocol: /^https$/ }), attempt: z.string() })

/** The login address of an organization: says where it leads, and goes there when the person says so. */
export function SsoStartPage() {
  const key = usePathParams()['key'] ?? ''
  const next = useSearchParams()[0].get('next')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const { data, error } = useMethod('easydash.api.login_provider.show', { key }, { returns: provider })

  const go = async (): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      const { url, attempt } = checkedResult(begun, await call('easydash.api.login_provider.start', { key }))
      keepPendingLogin({ attempt, key, next })
      location.assign(url)
    } catch (thrown) {
      setBusy(false)
      setFailure(fullMessage(toApiError(thrown)))
    }
  }
  if (error)
    return (
      <PublicLayout title={tSso('sso.unknown')} lead={fullMessage(error)} foot={passwordLink}>
        <ButtonLink to="/sso" variant="primary" size="xl" block>
          {tSso('sso.other')}
        </ButtonLink>
      </PublicLayout>
    )
  return (
    <PublicLayout title={tSso('sso.title')} lead={tSso('sso.go_lead')} foot={passwordLink}>
      {data ? (
        <div className="grid gap-4">
          {failure ? <Notice tone="bad">{failure}</Notice> : null}
          <Button variant="primary" size="xl" block busy={busy} onClick={() => void go()}>
            <span className="truncate" translate="no">
              {tSso(busy ? 'sso.going' : 'sso.go', { host: data.host })}
            </span>
          </Button>
        </div>
      ) : (
        <Spinner className="size-5 text-muted" />
      )}
    </PublicLayout>
  )
}
