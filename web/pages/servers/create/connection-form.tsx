import { useId, useRef, type KeyboardEvent } from 'react'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { FormFailure } from '#web/documents/form/form.tsx'
import type { FormDescription } from '#web/documents/form/form-state.ts'
import { useForm } from '#web/documents/form/use-form.ts'
import { awsPolicy, vendorDocs } from '#web/features/servers/connection-help.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import { t } from './messages.ts'
import { storeConnection, testConnection, type ConnectionRow, type Vendor } from './use-connections.ts'

const { fields } = ConnectionDoctype
const described = { ...fields, label: { ...fields.label, label: t('create.label') } }

/** What each vendor's credentials are, and their name in the settings. */
const credentials = {
  Hetzner: { names: ['hcloud_token'], connection: 'hetzner', hint: 'create.connect_hint_hetzner' },
  DigitalOcean: { names: ['do_token'], connection: 'digitalocean', hint: 'create.connect_hint_digitalocean' },
  AWS: { names: ['aws_access_key', 'aws_secret_key'], connection: 'aws', hint: 'create.connect_hint_aws' },
} as const satisfies Record<Vendor, { names: readonly string[]; connection: ConnectionName; hint: string }>

function formOf(vendor: Vendor): FormDescription {
  const { names } = credentials[vendor]
  return {
    fields: { ...described, ...Object.fromEntries(names.map((name) => [name, { ...fields[name], reqd: true }])) },
    names: ['label', ...names],
  }
}

const forms = { Hetzner: formOf('Hetzner'), DigitalOcean: formOf('DigitalOcean'), AWS: formOf('AWS') }

async function copyPolicy(): Promise<void> {
  if (await copyText(awsPolicy)) showToast({ title: t('create.copied'), variant: 'success' })
}

/**
 * Credentials of a new account, or new ones of `connection`: stored, then tested. Credentials that the vendor rejects stay in
 * the fields to be corrected; they are never part of the page's draft. It lies inside the page's form, so it is none itself.
 */
export function ConnectionForm({
  vendor,
  connection,
  onStored,
  onConnected,
  onCancel,
}: {
  vendor: Vendor
  connection: ConnectionRow | null
  /** The account exists, whether or not its credentials work. */
  onStored: (name: string) => Promise<void>
  onConnected: (name: string) => void
  /** Absent if nothing else can be done. */
  onCancel?: (() => void) | undefined
}) {
  const { organization } = useSession()
  const titleId = useId()
  const group = useRef<HTMLDivElement>(null)
  const { names, connection: kind, hint } = credentials[vendor]
  const control = useForm(forms[vendor], {
    initial: { label: connection?.label ?? vendor },
    save: async (payload) => {
      const name = await storeConnection(connection?.name ?? null, {
        ...payload,
        ...(connection === null && { organization: organization?.name ?? '', kind: vendor }),
      })
      try {
        const { status, message } = await testConnection(name)
        if (status !== 'Connected') throw new ApiError(message ?? t('create.test_failed'))
      } finally {
        await onStored(name)
      }
      onConnected(name)
    },
  })
  const submit = async (): Promise<void> => {
    await control.submit()
    group.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const isButton = event.target instanceof HTMLElement && event.target.closest('button, a') !== null
    if (event.key !== 'Enter' || (isButton && !event.ctrlKey && !event.metaKey)) return
    event.preventDefault()
    event.stopPropagation()
    void submit()
  }
  return (
    // Enter in a field does what the button does, as in a form.
    <div ref={group} role="group" aria-labelledby={titleId} onKeyDown={onKeyDown} className="grid gap-3">
      <div>
        <h3 id={titleId} className="text-body font-semibold">
          {connection === null
            ? t('create.connect', { provider: vendor })
            : t('create.connect_again', { account: connection.label ?? vendor })}
        </h3>
        <p className="mt-0.5 text-table text-muted">
          {t(hint)}{' '}
          {vendor === 'AWS' ? (
            <>
              <button type="button" className="link" onClick={() => void copyPolicy()}>
                {t('create.copy_policy')}
              </button>
              {' · '}
            </>
          ) : null}
          <a href={vendorDocs[kind]} target="_blank" rel="noreferrer" className="link">
            {t('create.docs')}
          </a>
        </p>
      </div>
      <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
        <div className={names.length > 1 ? 'col-span-full' : ''}>
          <FormField control={control} name="label" />
        </div>
        {names.map((name) => (
          <FormField key={name} control={control} name={name} />
        ))}
      </div>
      <FormFailure control={control} />
      <div className="flex flex-wrap gap-2">
        <Button name="connection" size="md" busy={control.busy} onClick={() => void submit()}>
          {t('create.connect_submit')}
        </Button>
        {onCancel ? (
          <Button size="md" variant="ghost" onClick={onCancel}>
            {t('create.cancel')}
          </Button>
        ) : null}
      </div>
    </div>
  )
}
