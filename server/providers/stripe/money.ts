/** Decimal places of a currency's smallest unit, which amounts at payment providers are counted in. */
function decimalsOf(currency: string): number {
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() }).resolvedOptions()
      .maximumFractionDigits ?? 2
  )
}

/** Amount in units of the currency, of one in its smallest unit. */
export function inUnits(amount: number, currency: string): number {
  return amount / 10 ** decimalsOf(currency)
}

/** Amount in the smallest unit of the currency. */
export function inSmallest(amount: number, currency: string): number {
  return Math.round(amount * 10 ** decimalsOf(currency))
}
