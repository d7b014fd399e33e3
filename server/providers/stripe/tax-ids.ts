import { askStripe, everything, isUnknown, type StripeApi } from './stripe-client.ts'
import { ProviderError } from '../provider-error.ts'

/** A tax number as the provider takes it. */
export interface TaxId {
  readonly type: TaxIdType
  readonly value: string
}

/** The kind of number that businesses of a country have on their invoices (https://docs.stripe.com/billing/customer/tax-ids). */
export const taxIdTypes = [
  ...['eu_vat', 'ad_nrt', 'ae_trn', 'al_tin', 'am_tin', 'ao_tin', 'ar_cuit', 'au_abn', 'aw_tin', 'az_tin', 'ba_tin'],
  ...['bb_tin', 'bd_bin', 'bf_ifu', 'bh_vat', 'bj_ifu', 'bo_tin', 'br_cnpj', 'bs_tin', 'bw_vat', 'by_tin', 'ca_bn'],
  ...['cd_nif', 'ch_vat', 'ci_vat', 'cl_tin', 'cm_niu', 'cn_tin', 'co_nit', 'cr_tin', 'cv_nif', 'do_rcn', 'ec_ruc'],
  ...['eg_tin', 'et_tin', 'fo_vat', 'gb_vat', 'ge_vat', 'gh_tin', 'gi_tin', 'gn_nif', 'hk_br', 'id_npwp', 'il_vat'],
  ...['in_gst', 'is_vat', 'jp_trn', 'ke_pin', 'kg_tin', 'kh_tin', 'kr_brn', 'kz_bin', 'la_tin', 'li_vat', 'lk_vat'],
  ...['ma_vat', 'md_vat', 'me_pib', 'mk_vat', 'mr_nif', 'mu_vat', 'mx_rfc', 'my_sst', 'mz_nuit', 'ng_tin', 'no_vat'],
  ...['np_pan', 'nz_gst', 'om_vat', 'pe_ruc', 'ph_tin', 'py_ruc', 'rs_pib', 'ru_inn', 'sa_vat', 'sg_gst', 'sm_coe'],
  ...['sn_ninea', 'sr_fin', 'sv_nit', 'th_vat', 'tj_tin', 'tr_tin', 'tt_vat', 'tw_vat', 'tz_vat', 'ua_vat', 'ug_tin'],
  ...['us_ein', 'uy_ruc', 'uz_vat', 've_rif', 'vn_tin', 'za_vat', 'zm_tin', 'zw_tin'],
] as const
type TaxIdType = (typeof taxIdTypes)[number]

const union = 'at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk'.split(' ')

/**
 * A number as the provider takes it, of a country (lower case); null where it has no kind of number for that. In the European
 * Union the country stands before it, whether it was written or not.
 */
export function taxIdOf(country: string, written: string): TaxId | null {
  const value = written.replaceAll(/[\s.-]/g, '').toUpperCase()
  if (value === '') return null
  if (union.includes(country)) {
    const prefix = country === 'gr' ? 'EL' : country.toUpperCase()
    return { type: 'eu_vat', value: value.startsWith(prefix) ? value : prefix + value }
  }
  const type = taxIdTypes.find((one) => one.startsWith(`${country}_`))
  return type === undefined ? null : { type, value: written.trim() }
}

/**
 * Makes the number on invoices the wanted one. `made`: the id of the last one that this returned; others, which the operator added,
 * stay. One that is there already is the present one from then on: the operator may have added it, or the answer to making it was
 * lost. Returns the id of the present one, and whether the provider does not take the number.
 */
export async function writeTaxId(
  api: StripeApi,
  customer: string,
  wanted: TaxId | null,
  made: string | null,
): Promise<{ id: string | null; isRefused: boolean }> {
  if (wanted === null && made === null) return { id: null, isRefused: false }
  const all = await askStripe(api, (stripe) => everything(stripe.customers.listTaxIds(customer, { limit: 100 })))
  const same = wanted && all.find(({ type, value }) => type === wanted.type && value === wanted.value)
  const old = all.find(({ id }) => id === made)
  if (old && old !== same) await removeTaxId(api, customer, old.id)
  if (same || wanted === null) return { id: same?.id ?? null, isRefused: false }
  try {
    const { id } = await askStripe(api, (stripe) => stripe.customers.createTaxId(customer, { ...wanted }))
    return { id, isRefused: false }
  } catch (error) {
    if (!(error instanceof ProviderError && error.vendorCode === 'tax_id_invalid')) throw error
    return { id: null, isRefused: true }
  }
}

async function removeTaxId(api: StripeApi, customer: string, id: string): Promise<void> {
  try {
    await askStripe(api, (stripe) => stripe.customers.deleteTaxId(customer, id))
  } catch (error) {
    if (!isUnknown(error)) throw error
  }
}
