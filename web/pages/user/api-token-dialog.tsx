import { useState } from 'react'
import { useController, useWatch, type Control } from 'react-hook-form'
import { roleLabel } from '#web/features/members/role-label.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { call } from '#web/lib/api/api.ts'
import { useSession } from '#web/lib/session/session.tsx'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyField } from '#web/ui/copy-button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { tSettings } from './settings-messages.ts'
import { chosenScopes, expiryIn, scopeAreas, tokenDays, tokenRoles, type ChosenAccess } from './token-form.ts'

const areas = scopeAreas()
const usualDays = 90

interface Values {
  title: string
  organization: string
  role: OrganizationRole
  /** Days until the token expires, or null for never; as text, like every select's value. */
  expires: string
  scopes: ChosenAccess
}

/** Creates a token. Its secret is shown until the dialog closes, and never again. */
export function ApiTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const { organization, organizations } = useSession()
  const { checked, dialog } = usePasswordCheck()
  const [token, setToken] = useState<string | null>(null)
  const roleOf = (name: string) => organizations.find((one) => one.name === name)?.role ?? 'Organization User'
  /** The chosen role; the user's own in an organization where they can't give it. */
  const roleIn = (name: string, role: OrganizationRole) =>
    tokenRoles(roleOf(name)).includes(role) ? role : roleOf(name)
  const form = useApiForm<Values>({
    defaultValues: {
      title: '',
      organization: organization?.name ?? '',
      role: roleOf(organization?.name ?? ''),
      expires: String(usualDays),
      scopes: { sites: 'read' },
    },
    send: async ({ title, organization, role, expires, scopes }) => {
      const made = await checked(() =>
        call<{ token: string }>('easydash.api.tokens.create', {
          title: title.trim(),
          organization,
          role: roleIn(organization, role),
          scopes: chosenScopes(scopes),
          expires: expiryIn(tokenDays.find((days) => String(days) === expires) ?? null),
        }),
      )
      if (!made) return
      setToken(made.token)
      onMade()
    },
  })
  const [name, wantedRole, days] = useWatch({ control: form.control, name: ['organization', 'role', 'expires'] })

  if (token !== null) return <MadeToken token={token} onClose={onClose} />
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={tSettings('token.title')}
      width="md:w-[560px]"
      footer={
        <>
          <Button onClick={onClose}>{tSettings('token.cancel')}</Button>
          <Button type="submit" form="api-token" variant="primary" busy={form.busy}>
            {tSettings('token.create')}
          </Button>
        </>
      }
    >
      <form {...form.props} id="api-token" className="grid gap-4">
        {form.failure ? <Notice tone="bad">{form.failure}</Notice> : null}
        <Field
          label={tSettings('token.name')}
          hint={tSettings('token.name_hint')}
          error={form.errorOf('title')}
          required
        >
          <Input
            {...form.register('title', { validate: (title) => title.trim() !== '' || tSettings('token.name_missing') })}
            maxLength={80}
            autoComplete="off"
          />
        </Field>
        <div className="grid gap-4 md:grid-cols-2">
          {organizations.length > 1 ? (
            <Field label={tSettings('token.organization')} error={form.errorOf('organization')}>
              <Select {...form.register('organization')} value={name}>
                {organizations.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.title}
                  </option>
                ))}
              </Select>
            </Field>
          ) : null}
          <Field label={tSettings('token.role')} hint={tSettings('token.role_hint')} error={form.errorOf('role')}>
            <Select {...form.register('role')} value={roleIn(name, wantedRole)}>
              {tokenRoles(roleOf(name)).map((one) => (
                <option key={one} value={one}>
                  {roleLabel(one)}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={tSettings('token.expires')} error={form.errorOf('expires')}>
            <Select {...form.register('expires')} value={days}>
              {tokenDays.map((one) => (
                <option key={one} value={String(one)}>
                  {one === null ? tSettings('token.never') : tSettings('token.days', { count: one })}
                </option>
              ))}
            </Select>
          </Field>
        </div>
        <Scopes control={form.control} />
      </form>
      {dialog}
    </Dialog>
  )
}

function Scopes({ control }: { control: Control<Values> }) {
  const { field, fieldState } = useController({
    control,
    name: 'scopes',
    rules: { validate: (scopes) => chosenScopes(scopes).length > 0 || tSettings('token.scopes_missing') },
  })
  const chosen = field.value
  const error = fieldState.error?.message
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1.5 text-table font-medium">{tSettings('token.scopes')}</legend>
      {error ? (
        <p role="alert" className="text-meta text-bad">
          {error}
        </p>
      ) : null}
      <div className="divide-y divide-hairline rounded-card border border-border">
        {areas.map(({ area, access }) => {
          const label = tSettings(`token.area.${area}`)
          const hint = access.find((one) => one.access === chosen[area])?.hint
          return (
            <div key={area} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
              <span className="min-w-0 flex-1 basis-40">
                <span className="block text-table font-medium">{label}</span>
                <span className="block text-meta text-muted">{translateText(hint ?? access[0]?.hint ?? '')}</span>
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
                  field.onChange(next ? { ...others, [area]: next } : others)
                }}
              >
                <option value="">{tSettings('token.none')}</option>
                {access.map((one) => (
                  <option key={one.access} value={one.access}>
                    {tSettings(`token.${one.access}`)}
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
      title={tSettings('token.made_title')}
      description={tSettings('token.made')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {tSettings('token.done')}
        </Button>
      }
    >
      <div className="grid gap-4">
        <div className="grid gap-1.5">
          <span className="text-table font-medium">{tSettings('token.secret')}</span>
          <CopyField value={token} label={`${tSettings('tokens.copy')} ${tSettings('token.secret')}`} />
        </div>
        <div className="grid gap-1.5">
          <span className="text-table font-medium">{tSettings('token.header')}</span>
          <CopyField
            value={`Authorization: token ${token}`}
            label={`${tSettings('tokens.copy')} ${tSettings('token.header')}`}
          />
        </div>
      </div>
    </Dialog>
  )
}
