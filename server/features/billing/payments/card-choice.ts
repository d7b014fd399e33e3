import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { setDefaultCard } from '#server/providers/stripe/cards.ts'
import { isUnknown } from '#server/providers/stripe/stripe-client.ts'
import { inSystem, type PaidDeps } from '../deps.ts'

/** A card that its owner wants to pay with. */
export interface CardChoice {
  readonly customer: string
  readonly method: string
  /** When they entered or chose it, in seconds since 1970. */
  readonly at: number
}

/**
 * Stores a choice, unless the owner has made another one since. Returns whether it is theirs.
 * @param isNow whether they are making it right now, whatever the clocks say
 */
export async function storeChoice({ trx }: Tx, { customer, method, at }: CardChoice, isNow: boolean): Promise<boolean> {
  const { rows } = await sql`insert into easydash_billing_choice as last (customer, method, chosen)
    values (${customer}, ${method}, to_timestamp(${at}))
    on conflict (customer) do update set method = excluded.method, stored = now(),
      chosen = greatest(last.chosen, excluded.chosen)
    where ${isNow} or last.chosen <= excluded.chosen or last.method = excluded.method
    returning customer`.execute(trx)
  return rows.length > 0
}

/** The card that was chosen last; null if that was long ago. */
export async function lastChoice(deps: PaidDeps, customer: string): Promise<string | null> {
  return inSystem(deps, async ({ trx }) => {
    const { rows } = await sql<{ method: string }>`select method from easydash_billing_choice
      where customer = ${customer}`.execute(trx)
    return rows[0]?.method ?? null
  })
}

/**
 * Writes the stored choice at the provider. Several may be written at the same time and arrive there in any order, so each looks
 * afterward whether the choice is still the same: the last one to write finds the last choice.
 * @param intent as in `setDefaultCard`
 */
export async function writeChoice(
  deps: PaidDeps,
  { customer, method }: Pick<CardChoice, 'customer' | 'method'>,
  intent: string | null,
): Promise<void> {
  const { api } = deps.payments
  await setDefaultCard(api, customer, method, intent)
  for (let written = method; ;) {
    const last = await lastChoice(deps, customer)
    if (last === null || last === written) return
    written = last
    try {
      await setDefaultCard(api, customer, last)
    } catch (error) {
      // It was removed since.
      if (!isUnknown(error)) throw error
    }
  }
}
