import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'

/**
 * Creates what payments need besides documents, if it is missing (part of the additive migration). `easydash_billing_event`:
 * events of the provider that arrived, each once; `intent`: the setup intent that has succeeded, of an event about one; `created`: when
 * that was, on the clock of the provider; `done`: since when it has had its effect. `easydash_billing_card`: setup intents whose cards
 * have had their turn. `easydash_billing_choice`: the card that was entered or chosen last, and when. `easydash_billing_ended`: customers
 * of deleted organizations, who must not go on paying.
 */
export async function paymentTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_billing_event (
    id text primary key,
    type text not null,
    customer text,
    received timestamptz not null default now(),
    done timestamptz)`.execute(trx)
  await sql`alter table easydash_billing_event add column if not exists intent text,
    add column if not exists created timestamptz`.execute(trx)
  await sql`create table if not exists easydash_billing_card (
    intent text primary key,
    taken timestamptz not null default now())`.execute(trx)
  await sql`create table if not exists easydash_billing_choice (
    customer text primary key,
    method text not null,
    chosen timestamptz not null,
    stored timestamptz not null default now())`.execute(trx)
  await sql`create index if not exists easydash_billing_event_open on easydash_billing_event (received)
    where done is null`.execute(trx)
  await sql`create table if not exists easydash_billing_ended (
    customer text primary key,
    organization text not null)`.execute(trx)
}
