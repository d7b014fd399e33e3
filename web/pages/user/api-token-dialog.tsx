import { useRef, useState, type FormEvent } from 'react'
import { roleLabel } from '#web/features/members/member-roles.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { described } from '#web/lib/i18n/catalogue.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { focusFirstError, serverErrors, type FormErrors } from '#web/lib/api/form-errors.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useSession, type OrganizationRole } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { words } from './settings-messages.ts'
import { chosenScopes, expiryIn, scopeAreas, tokenDays, tokenRoles, type ChosenAccess } from './token-form.ts'

const areas = scopeAreas()
const usualDays = 90

/** Creates a token. Its secret is shown until the dialog closes, and never again. */
export function ApiTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const { organization, organizations } = useSession()
  const { checked, dialog } = usePasswordCheck()
  const form = useRef<HTMLFormElement>(null)
  const [title, setTitle] = useState('')
  const [slug, setSlug] = useState(organization?.name ?? '')
  const own = organizations.find((one) => one.name === slug)?.role ?? 'Organization User'
  const [wantedRole, setRole] = useState<OrganizationRole>(own)
  const roles = tokenRoles(own)
  const role = roles.includes(wantedRole) ? wantedRole : own
  const [chosen, setChosen] = useState<ChosenAccess>({ sites: 'read' })
  const [days, setDays] = useState<number | null>(usualDays)
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<FormErrors>({})
  const [token, setToken] = useState<string | null>(null)

  const fail = (found: FormErrors) => {
    setErrors(found)
    if (form.current) focusFirstError(form.current)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    const scopes = chosenScopes(chosen)
    const found = {
      ...(title.trim() === '' && { title: words('token.name_missing') }),
      ...(scopes.length === 0 && { scopes: words('token.scopes_missing') }),
    }
    if (Object.keys(found).length > 0) return fail(found)
    setErrors({})
    setBusy(true)
    try {
      const made = await checked(() =>
        call<{ token: string }>('easydash.api.tokens.create', {
          title: title.trim(),
          organization: slug,
          role,
          scopes,
          expires: expiryIn(days),
        }),
      )
      if (!made) return
      setToken(made.token)
      onMade()
    } catch (error) {
      fail(serverErrors(toApiError(error), ['title', 'organization', 'role', 'scopes', 'expires']))
    } finally {
      setBusy(false)
    }
  }

  if (token !== null) return <MadeToken token={token} onClose={onClose} />
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={words('token.title')}
      width="md:w-[560px]"
      footer={
        <>
          <Button onClick={onClose}>{words('token.cancel')}</Button>
          <Button type="submit" form="api-token" variant="primary" busy={busy}>
            {words('token.create')}
          </Button>
        </>
      }
    >
      <form ref={form} id="api-token" noValidate className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {errors[''] ? <Notice tone="bad">{errors['']}</Notice> : null}
        <Field label={words('token.name')} hint={words('token.name_hint')} error={errors['title']} required>
          <Input
            name="title"
            maxLength={80}
            autoComplete="off"
            autoFocus
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </Field>
        <div className="grid gap-4 md:grid-cols-2">
          {organizations.length > 1 ? (
            <Field label={words('token.organization')} error={errors['organization']}>
              <Select name="organization" value={slug} onChange={(event) => setSlug(event.target.value)}>
                {organizations.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.title}
                  </option>
                ))}
              </Select>
            </Field>
          ) : null}
          <Field label={words('token.role')} hint={words('token.role_hint')} error={errors['role']}>
            <Select
              name="role"
              value={role}
              onChange={(event) => setRole(roles.find((one) => one === event.target.value) ?? own)}
            >
              {roles.map((one) => (
                <option key={one} value={one}>
                  {roleLabel(one)}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={words('token.expires')} error={errors['expires']}>
            <Select
              name="expires"
              value={String(days)}
              onChange={(event) => setDays(tokenDays.find((one) => String(one) === event.target.value) ?? null)}
            >
              {tokenDays.map((one) => (
                <option key={one} value={String(one)}>
                  {one === null ? words('token.never') : words('token.days', { count: one, n: formatNumber(one) })}
                </option>
              ))}
            </Select>
          </Field>
        </div>
        <Scopes chosen={chosen} onChange={setChosen} error={errors['scopes'] ?? null} />
      </form>
      {dialog}
    </Dialog>
  )
}

function Scopes({
  chosen,
  onChange,
  error,
}: {
  chosen: ChosenAccess
  onChange: (chosen: ChosenAccess) => void
  error: string | null
}) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1.5 text-table font-medium">{words('token.scopes')}</legend>
      {error ? (
        <p role="alert" className="text-meta text-bad">
          {error}
        </p>
      ) : null}
      <div className="divide-y divide-hairline rounded-card border border-border">
        {areas.map(({ area, access }) => {
          const label = words(`token.area.${area}`)
          const hint = access.find((one) => one.access === chosen[area])?.hint
          return (
            <div key={area} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
              <span className="min-w-0 flex-1 basis-40">
                <span className="block text-table font-medium">{label}</span>
                <span className="block text-meta text-muted">{described(hint ?? access[0]?.hint ?? '')}</span>
              </span>
              <Select
                small
                className="w-40 flex-none"
                aria-label={label}
                aria-invalid={error ? true : undefined}
                value={chosen[area] ?? ''}
                onChange={(event) => {
                  const { [area]: _before, ...others } = chosen
                  const next = access.find((one) => one.access === event.target.value)?.access
                  onChange(next ? { ...others, [area]: next } : others)
                }}
              >
                <option value="">{words('token.none')}</option>
                {access.map((one) => (
                  <option key={one.access} value={one.access}>
                    {words(`token.${one.access}`)}
                  </option>
                ))}
              </Select>
            </div>
          )
        })}
      </div>
    </fieldset>
  )
}

function MadeToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={words('token.made_title')}
      description={words('token.made')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {words('token.done')}
        </Button>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-1.5">
          <span className="text-table font-medium">{words('token.secret')}</span>
          <CopyField value={token} label={`${words('tokens.copy')} ${words('token.secret')}`} />
        </div>
        <div className="grid gap-1.5">
          <span className="text-table font-medium">{words('token.header')}</span>
          <CopyField
            value={`Authorization: token ${token}`}
            label={`${words('tokens.copy')} ${words('token.header')}`}
          />
        </div>
      </div>
    </Dialog>
  )
}
