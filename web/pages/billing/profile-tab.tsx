import { useState, type ReactNode } from 'react'
import type { UserProfile } from '#shared/responses/billing.ts'
import type { Country } from '#shared/rules/countries.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { NavigationBlocker } from '#web/documents/form/unsaved-changes-blocker.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { callFull } from '#web/lib/api/api.ts'
import { formatCountry } from '#web/lib/i18n/format.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { customerData, isChanged, profileForm, profileValues } from './profile-form.ts'
import { t } from './messages.ts'
import { useBillingProfile, useCountries, useSuggestedCountry } from './use-billing-address.ts'

const saveMethod = 'easydash.api.payment_subscription.set_customer_details'

/** The billing profile: who invoices are addressed to, where there are some. */
export function ProfileTab({ hasInvoices }: { hasInvoices: boolean }) {
  const profile = useBillingProfile()
  const countries = useCountries()
  const failed = profile.data ? (countries.data ? null : countries) : profile
  if (failed?.error)
    return (
      <ErrorPanel
        title={t(failed === profile ? 'profile.error_title' : 'profile.countries_title')}
        error={failed.error}
        onRetry={() => failed.reload()}
      />
    )
  if (!profile.data || !countries.data) return <ProfileSkeleton />
  return (
    <ProfileForm
      profile={profile.data}
      countries={countries.data}
      hasInvoices={hasInvoices}
      onSaved={() => profile.reload()}
    />
  )
}

function ProfileForm({
  profile,
  countries,
  hasInvoices,
  onSaved,
}: {
  profile: UserProfile
  countries: readonly Country[]
  hasInvoices: boolean
  onSaved: () => Promise<void>
}) {
  const { email, organization } = useSession()
  const stored = profileValues(profile)
  const control = useForm(profileForm, {
    initial: stored,
    draftKey: `billing-profile ${organization?.name ?? ''}`,
    save: async (_payload, values) => {
      try {
        // Rule of docs/contracts/screens.md, section 5. The name is edited on the user's own page.
        if (profile.user_info.first_name.trim() === '') throw new Error(t('profile.no_name'))
        const { message } = await callFull(saveMethod, { customer_data: customerData(values) })
        if ((message as { status?: unknown } | undefined)?.status !== true) throw new Error(t('profile.failed'))
      } catch (error) {
        const description = toApiError(error).message || t('profile.failed')
        showToast({ title: t('profile.failed_title'), description, variant: 'danger' })
        throw error
      }
      showToast({ title: t('profile.saved_title'), description: t('profile.saved'), variant: 'success' })
      await onSaved()
    },
  })
  const hasCountry = stored['company_country'] !== ''
  // A suggestion is an initial value, not a change by the user.
  const [suggested, setSuggested] = useState('')
  const begin = hasCountry ? stored : { ...stored, company_country: suggested }
  useSuggestedCountry(!hasCountry, countries, (code) => {
    if (control.values['company_country'] !== '') return
    setSuggested(code)
    control.preset('company_country', code)
  })
  const discard = () => {
    control.reset()
    if (!hasCountry) control.preset('company_country', suggested)
  }

  const changed = isChanged(control.values, begin)
  const name = [profile.user_info.first_name, profile.user_info.last_name].filter(Boolean).join(' ')
  return (
    <DocForm control={control} label={t('profile.form')} className="grid max-w-3xl gap-4">
      <Part title={t('profile.account')} hint={t('profile.account_hint')}>
        <ReadOnly label={t('profile.name')} value={name} />
        <ReadOnly label={t('profile.email')} value={email} />
        <ReadOnly label={t('profile.organization')} value={organization?.title ?? ''} />
      </Part>
      <Part title={t('profile.address')} hint={t(hasInvoices ? 'profile.address_hint' : 'profile.owner_only')}>
        <FormField control={control} name="billing_name" autoComplete="organization" hint={t('profile.optional')} />
        <FormField control={control} name="address_line_1" autoComplete="address-line1" />
        <FormField control={control} name="address_line_2" autoComplete="address-line2" hint={t('profile.optional')} />
        <Field label={t('profile.country')} error={control.errors['company_country']} required>
          <Select
            name="company_country"
            autoComplete="country"
            value={String(control.values['company_country'] ?? '')}
            onBlur={() => control.blur('company_country')}
            onChange={(event) => control.set('company_country', event.target.value)}
          >
            <option value="">{t('profile.country_choose')}</option>
            {countries.map((country) => (
              <option key={country.code} value={country.code}>
                {formatCountry(country.code, country.name)}
              </option>
            ))}
          </Select>
        </Field>
        <FormField control={control} name="company_state" autoComplete="address-level1" />
        <FormField control={control} name="company_city" autoComplete="address-level2" />
        <FormField control={control} name="company_pincode" autoComplete="postal-code" />
        <FormField control={control} name="tax_id" hint={t(taxIdHint(profile, hasInvoices))} />
      </Part>
      <FormFailure control={control} />
      <NavigationBlocker when={changed && !control.busy} onLeave={discard} />
      <div
        data-low
        className="sticky bottom-0 z-10 -mx-1 flex flex-wrap gap-2 bg-[color-mix(in_oklab,var(--bg)_94%,transparent)] px-1 py-3 backdrop-blur-sm max-md:[&>*]:flex-1"
      >
        <Button type="submit" variant="primary" busy={control.busy} disabled={!changed || control.busy}>
          {t(control.busy ? 'profile.saving' : 'profile.save')}
        </Button>
        {changed ? <Button onClick={discard}>{t('profile.discard')}</Button> : null}
      </div>
    </DocForm>
  )
}

function taxIdHint({ billing_info }: UserProfile, hasInvoices: boolean) {
  if (!hasInvoices) return 'profile.tax_id_example'
  return billing_info.is_tax_id_refused ? 'profile.tax_id_refused' : 'profile.tax_id_hint'
}

function Part({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <Card>
      <CardHead title={title} subtitle={hint} />
      <CardBody className="grid gap-4 max-md:pt-2 md:grid-cols-2">{children}</CardBody>
    </Card>
  )
}

function ReadOnly({ label, value }: { label: string; value: string }) {
  return (
    <Field label={label}>
      <Input readOnly value={value} className="bg-sunken text-muted" />
    </Field>
  )
}

/** Skeleton with the form's layout: three fields, then eight, two per row. */
function ProfileSkeleton() {
  return (
    <div className="grid max-w-3xl gap-4" aria-hidden="true">
      {[3, 8].map((fields) => (
        <Card key={fields}>
          <div className="flex min-h-12 items-center px-4">
            <Skeleton className="h-4 w-56" />
          </div>
          <CardBody className="grid gap-4 md:grid-cols-2">
            {Array.from({ length: fields }, (_, index) => (
              <div key={index} className="grid gap-1.5">
                <Skeleton className="my-1 h-3 w-24" />
                <Skeleton className="h-9 w-full max-md:h-11" />
              </div>
            ))}
          </CardBody>
        </Card>
      ))}
    </div>
  )
}
