import type { Server } from '#shared/doctypes/server.ts'
import { hourlyPrice, monthlyPrice } from './create/machines.ts'

/** What the machine of a server costs at its provider, in its own currency; null where the provider did not tell it. */
export function serverPrice(server: Partial<Server>): { monthly: string | null; hourly: string | null } {
  const { price_monthly: monthly, price_hourly: hourly, price_currency: currency = null } = server
  return {
    monthly: monthlyPrice({ price_monthly: monthly ? Number(monthly) : null, currency }),
    hourly: hourlyPrice({ price_hourly: hourly ? Number(hourly) : null, currency }),
  }
}
