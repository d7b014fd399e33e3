import { countryList, userProfile, type UserProfile } from '#shared/responses/billing.ts'
import { controller, type Controller } from '#server/contracts/controller.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { validationError as valueProblem } from '#server/documents/documents.ts'
import { sameValue } from '#shared/same-value.ts'
import { isObject } from '#shared/parse-json.ts'
import { BillingProfileDoctype } from '#shared/doctypes/billing-profile.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { data, json } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { countries, countryOf } from '#shared/rules/countries.ts'
import { msg, type LocalizedMessage, labelMessage } from '#shared/localized-message.ts'
import { isPaid, type BillingDeps } from './deps.ts'
import { payerChanged } from './payments/customer.ts'
import { admitOwner, organizationOf } from './subscription-status.ts'
import { fieldNames } from '#shared/doctype.ts'

/** Logs which fields of a billing profile changed and by whom, but not their values: those are the owner's. `wake`: of `PaymentWork.payers`. */
export const profileController = (deps: BillingDeps, wake: () => void): Controller =>
  controller(BillingProfileDoctype, {
    async on_update(doc, before, { tx }) {
      const changed = fieldNames(BillingProfileDoctype).filter((field) => !sameValue(doc[field], before[field]))
      if (changed.length === 0) return
      if (isPaid(deps)) await payerChanged(tx, doc.organization, wake)
      await tx.activity({
        action: 'Billing Profile.update',
        organization: doc.organization,
        reference_doctype: 'Billing Profile',
        reference_name: doc.name,
        reference_title: doc.name,
        after: { changed },
      })
    },
  })

/** Methods of the billing profile, with the names in docs/operating.md. */
export function profileMethods(): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.payment_subscription.get_countries_list',
      access: 'guest',
      tokens: 'any',
      verbs: ['GET', 'POST'],
      description: 'Every country with its English name and its two-letter code in lower case, by name.',
      returns: countryList,
      run: () => Promise.resolve(countries),
    }),
    defineMethod({
      name: 'easydash.easydash.doctype.subscription_organization.subscription_organization.get_user_profile',
      access: 'verified',
      verbs: ['GET', 'POST'],
      description:
        "The caller's name and the billing profile of the chosen organization (a platform admin can name another one). For the owner.",
      returns: userProfile,
      params: { organization: data({ length: 64 }) },
      run: getProfile,
    }),
    defineMethod({
      name: 'easydash.api.payment_subscription.set_customer_details',
      access: 'verified',
      verbs: ['POST'],
      description:
        'Writes the billing profile of the chosen organization. `customer_data`: address_line_1, address_line_2, billing_name, company_city, company_state, company_country (name or code), company_pincode and, if it is to change, tax_id. For the owner.',
      returns: z.object({ status: z.literal(true) }),
      admit: admitOwner,
      params: { customer_data: json<Record<string, unknown>>({ description: 'Required.' }) },
      run: setDetails,
    }),
  ]
}

async function getProfile(params: Record<string, unknown>, context: MethodContext): Promise<UserProfile> {
  const { documents, session } = context
  const profile = await profileOf(organizationOf(params, context), context)
  const user = await documents.get(session, UserDoctype, session.user)
  return {
    user_info: { first_name: user.first_name ?? '', last_name: user.last_name ?? '' },
    billing_info: {
      billing_name: profile.billing_name ?? '',
      tax_id: profile.tax_id ?? '',
      is_tax_id_refused: profile.is_tax_id_refused === 1,
      primary_address: {
        address_line1: profile.address_line1 ?? '',
        address_line2: profile.address_line2 ?? '',
        city: profile.city ?? '',
        state: profile.state ?? '',
        pincode: profile.pincode ?? '',
        country: countryOf(profile.country ?? '')?.name ?? '',
      },
    },
  }
}

function profileOf(organization: string, { documents, session }: MethodContext) {
  return documents.get(session, BillingProfileDoctype, organization)
}

/** Parameter names: profile field, label, whether it is required (docs/contracts/screens.md, section 5). */
const customerFields = {
  billing_name: { field: 'billing_name', label: 'Company name', reqd: false },
  address_line_1: { field: 'address_line1', label: 'Address line 1', reqd: true },
  address_line_2: { field: 'address_line2', label: 'Address line 2', reqd: false },
  company_city: { field: 'city', label: 'City', reqd: true },
  company_state: { field: 'state', label: 'State', reqd: true },
  company_country: { field: 'country', label: 'Country', reqd: true },
  company_pincode: { field: 'pincode', label: 'Postal code', reqd: true },
  tax_id: { field: 'tax_id', label: 'Tax number', reqd: false },
} as const

async function setDetails(params: Record<string, unknown>, context: MethodContext): Promise<{ status: true }> {
  const organization = organizationOf({}, context)
  // Callers without access get that error before any validation of their values.
  await profileOf(organization, context)
  await context.documents.save(context.session, 'Billing Profile', organization, valuesOf(params.customer_data))
  return { status: true }
}

/** Maps the sent values to profile fields; throws one error with a message per invalid value. */
function valuesOf(sent: unknown): Record<string, string | null> {
  if (!isObject(sent))
    throw new AppError('invalid', msg`customer_data must be an object.`, {
      field: 'customer_data',
      excType: 'FrappeTypeError',
    })
  const values: Record<string, string | null> = {}
  const messages: { field: string; message: LocalizedMessage }[] = []
  for (const [name, { field, label, reqd }] of Object.entries(customerFields)) {
    // It came later: who does not know it does not remove it.
    if (name === 'tax_id' && !Object.hasOwn(sent, name)) continue
    const given: unknown = Object.hasOwn(sent, name) ? sent[name] : null
    const text = typeof given === 'string' ? given.trim() : given === null ? '' : null
    const problem = problemOf(name, field, text, label, reqd)
    if (problem) messages.push({ field: name, message: problem })
    else values[field] = (name === 'company_country' ? countryOf(text ?? '')?.code : text) || null
  }
  const [first] = messages
  if (first) throw new AppError('invalid', first.message, { field: first.field, messages, excType: 'ValidationError' })
  return values
}

function problemOf(
  name: string,
  field: keyof typeof BillingProfileDoctype.fields,
  text: string | null,
  label: string,
  reqd: boolean,
): LocalizedMessage | null {
  if (text === null) return msg`${labelMessage(label)} must be text.`
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) || !text.isWellFormed())
    return msg`${labelMessage(label)} must be one line of text.`
  if (reqd && text === '') return msg`${labelMessage(label)} is required.`
  if (name === 'company_country') return countryOf(text) === null ? msg`Choose a country of the list.` : null
  return valueProblem(name, { ...BillingProfileDoctype.fields[field], label }, text)?.message ?? null
}
