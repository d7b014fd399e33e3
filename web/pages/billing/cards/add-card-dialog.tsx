import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import type { PaymentProvider } from '#shared/responses/billing.ts'
import { countryOf } from '#shared/rules/countries.ts'
import { containsCardNumber } from '#shared/rules/card-numbers.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { formatCountry } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { useBillingProfile, useCountries } from '../use-billing-address.ts'
import { saveCard, verifyCard, type CardOwner } from './add-card.ts'
import { CardField, type EnteredCard } from './card-field.tsx'
import { tCard } from './messages.ts'
import { providerLabel } from './provider-label.ts'
import { loadPaymentScript, type PaymentScript } from './provider-script.ts'

/** Fields besides card and country, with their messages and what browsers fill in. */
const texts = [
  ['nameOnCard', 'add.name', 'add.name_missing', 'cc-name'],
  ['address', 'add.address', 'add.address_missing', 'billing street-address'],
  ['city', 'add.city', 'add.city_missing', 'billing address-level2'],
  ['state', 'add.state', 'add.state_missing', 'billing address-level1'],
  ['postalCode', 'add.postal_code', 'add.postal_code_missing', 'billing postal-code'],
] as const

/** What the form begins with while nobody knows where the organization is. */
const specifiedCountry = 'af'

/** Adds a card. Its details are entered in a frame of the provider, so that they never reach this page or our server. */
export function AddCardDialog({
  provider,
  onClose,
  onAdded,
}: {
  provider: PaymentProvider
  onClose: () => void
  /** The card was added; the dialog closes afterward. */
  onAdded: () => Promise<void>
}) {
  const { script, failed, retry } = usePaymentScript(provider)
  const [card, setCard] = useState<EnteredCard | null>(null)
  /** Verified already, if only adding it failed: verifying it again would make another card at the provider. */
  const verified = useRef<object | null>(null)
  const countries = useCountries()
  const profile = useBillingProfile()
  const form = useApiForm<CardOwner>({
    defaultValues: { nameOnCard: '', address: '', city: '', state: '', postalCode: '', country: specifiedCountry },
    send: async (owner) => {
      if (!script || !card) throw new ApiError(tCard('add.not_loaded'))
      if (card.isEmpty) throw new ApiError(tCard('add.no_card'))
      verified.current ??= await verifyCard(script, card.element, owner)
      await saveCard(verified.current)
      await onAdded()
      onClose()
    },
  })
  const ofProfile = countryOf(profile.data?.billing_info.primary_address.country ?? '')?.code
  const beginWith = useEffectEvent((code: string) => {
    if (form.getValues('country') === specifiedCountry) form.setValue('country', code)
  })
  useEffect(() => {
    if (ofProfile) beginWith(ofProfile)
  }, [ofProfile])
  const required = (missing: (typeof texts)[number][2] | 'add.country_missing') => ({
    validate: (value: string) =>
      value.trim() === '' ? tCard(missing) : containsCardNumber(value) ? tCard('add.number_here') : true,
  })
  const text = ([name, label, missing, autoComplete]: (typeof texts)[number]) => (
    <Field
      key={name}
      label={tCard(label)}
      error={form.errorOf(name)}
      required
      {...(name === 'nameOnCard' || name === 'address' ? { className: 'md:col-span-2' } : {})}
    >
      <Input {...form.register(name, required(missing))} autoComplete={autoComplete} maxLength={140} />
    </Field>
  )
  const country = useWatch({ control: form.control, name: 'country' })
  const [name, ...address] = texts
  const { failure } = form
  return (
    <Dialog
      open
      trapsFocus={false}
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={tCard('add.title')}
      width="md:w-[560px]"
      footer={
        <>
          {failure ? (
            <Notice tone="bad" className="basis-full">
              {failure}
            </Notice>
          ) : null}
          <Button onClick={onClose} disabled={form.busy}>
            {tCard('add.cancel')}
          </Button>
          <Button type="submit" form="add-card" variant="primary" busy={form.busy}>
            {tCard(form.busy ? 'add.busy' : 'add.submit')}
          </Button>
        </>
      }
    >
      {countries.error && !countries.data ? (
        <div className="mb-4">
          <ErrorPanel title={tCard('add.countries_title')} error={countries.error} onRetry={() => countries.reload()} />
        </div>
      ) : null}
      <form
        {...form.props}
        id="add-card"
        className="grid grid-cols-1 gap-4 md:grid-cols-2"
        onInput={() => {
          verified.current = null
        }}
      >
        <div className="grid grid-cols-1 gap-2 md:col-span-2">
          <CardField
            script={script}
            hint={tCard('add.card_hint', { provider: providerLabel(provider) })}
            onCard={(next) => {
              verified.current = null
              setCard(next)
            }}
          />
          {failed ? (
            <Notice tone="bad">
              <p>{tCard('add.load_failed', { provider: providerLabel(provider) })}</p>
              <Button size="md" className="mt-2" onClick={retry}>
                {tCard('add.retry')}
              </Button>
            </Notice>
          ) : null}
        </div>
        {text(name)}
        <Field label={tCard('add.country')} error={form.errorOf('country')} required className="md:col-span-2">
          <Select
            {...form.register('country', required('add.country_missing'))}
            value={country}
            autoComplete="billing country"
          >
            {(countries.data ?? []).map((country) => (
              <option key={country.code} value={country.code}>
                {formatCountry(country.code, country.name)}
              </option>
            ))}
          </Select>
        </Field>
        {address.map(text)}
      </form>
    </Dialog>
  )
}

/** The provider's script, loaded while a component that needs it is on screen. */
function usePaymentScript(provider: PaymentProvider): {
  /** Null until it is loaded. */
  readonly script: PaymentScript | null
  readonly failed: boolean
  readonly retry: () => void
} {
  const [script, setScript] = useState<PaymentScript | null>(null)
  const [failed, setFailed] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const { script_url, publishable_key, name } = provider
  useEffect(() => {
    let isCurrent = true
    loadPaymentScript({ name, script_url, publishable_key }).then(
      (loaded) => {
        if (isCurrent) setScript(loaded)
      },
      () => {
        if (isCurrent) setFailed(true)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [name, script_url, publishable_key, attempt])
  return {
    script,
    failed,
    retry: () => {
      setFailed(false)
      setAttempt((before) => before + 1)
    },
  }
}
