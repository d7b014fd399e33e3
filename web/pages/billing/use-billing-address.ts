import { useEffect, useEffectEvent } from 'react'
import { countryList, userProfile } from '#shared/responses/billing.ts'
import type { Country } from '#shared/rules/countries.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { suggestedCountry } from '#web/lib/i18n/country-lookup.ts'

const methods = {
  profile: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_user_profile',
  countries: 'easydash.api.payment_subscription.get_countries_list',
} as const

/** Who invoices of the organization are addressed to. */
export const useBillingProfile = () =>
  useMethod(methods.profile, {}, { revalidateOnFocus: false, returns: userProfile })

/** The countries that can be chosen. */
export const useCountries = () => useMethod(methods.countries, {}, { revalidateOnFocus: false, returns: countryList })

/** Calls `suggest` with the country that the user is probably in, if it is one that can be chosen. */
export function useSuggestedCountry(
  isWanted: boolean,
  countries: readonly Country[],
  suggest: (code: string) => void,
): void {
  const found = useEffectEvent((code: string) => {
    if (countries.some((country) => country.code === code)) suggest(code)
  })
  useEffect(() => {
    if (!isWanted) return
    let isCurrent = true
    void suggestedCountry().then((code) => {
      if (isCurrent) found(code)
    })
    return () => {
      isCurrent = false
    }
  }, [isWanted])
}
