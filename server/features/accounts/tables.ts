import { sql } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'

/**
 * Creates the tables for sessions, passwords, second factors and one-time tokens if they are missing. Part of the additive
 * schema step.
 */
export async function accountTables(trx: Trx): Promise<void> {
  // `rotate_at`: the next session created for this user from the same client continues this one. Continued sessions share
  // `lineage`: they end together, and sockets opened under an earlier one close as well.
  await sql`create table if not exists easydash_session (
    id text primary key,
    lineage text not null,
    sid_hash text not null unique,
    "user" text not null,
    csrf_token text not null,
    created timestamptz not null default now(),
    last_used timestamptz not null default now(),
    expires timestamptz not null,
    ip text,
    user_agent text,
    reauth_at timestamptz,
    rotate_at timestamptz,
    ended timestamptz)`.execute(trx)
  await sql`alter table easydash_session add column if not exists provider_link text`.execute(trx)
  await sql`create index if not exists easydash_session_user on easydash_session ("user")`.execute(trx)
  await sql`create index if not exists easydash_session_lineage on easydash_session (lineage)`.execute(trx)
  // `subject`: the server or webhook endpoint that a machine's token is for.
  await sql`create table if not exists easydash_machine_token (
    id text primary key,
    hash text not null unique,
    kind text not null,
    subject text not null,
    organization text,
    created timestamptz not null default now(),
    revoked timestamptz)`.execute(trx)
  await sql`create index if not exists easydash_machine_token_subject on easydash_machine_token (kind, subject)`.execute(
    trx,
  )
  await sql`create table if not exists easydash_credential (
    "user" text primary key,
    password_hash text not null,
    changed timestamptz not null default now())`.execute(trx)
  // The organization whose people gave the link by which the password was chosen, or confirmed the account; unset for one of a
  // mailbox or a sign-up that was verified by mail.
  await sql`alter table easydash_credential add column if not exists given_by text`.execute(trx)
  await sql`create table if not exists easydash_token (
    hash text primary key,
    kind text not null,
    "user" text,
    data jsonb not null default '{}',
    created timestamptz not null default now(),
    expires timestamptz not null,
    used timestamptz)`.execute(trx)
  await sql`create index if not exists easydash_token_user on easydash_token ("user", kind)`.execute(trx)
  // `recovery` holds hashes; `last_step` is the newest time step whose code was used.
  await sql`create table if not exists easydash_second_factor (
    "user" text primary key,
    secret text not null,
    enabled_at timestamptz,
    last_step bigint not null default 0,
    recovery text[] not null default '{}')`.execute(trx)
  await sql`create table if not exists easydash_login_step (
    hash text primary key,
    "user" text not null,
    created timestamptz not null default now(),
    expires timestamptz not null)`.execute(trx)
  await sql`alter table easydash_login_step add column if not exists provider_link text`.execute(trx)
  await providerTables(trx)
  // Devices and addresses an account signed in from; `hash` of the cookie value or of the address's network.
  await sql`create table if not exists easydash_known_device (
    "user" text not null,
    kind text not null,
    hash text not null,
    created timestamptz not null default now(),
    last_used timestamptz not null default now(),
    primary key ("user", kind, hash))`.execute(trx)
  // Where an account was used from: device name and country code.
  await sql`create table if not exists easydash_known_place (
    "user" text not null,
    device text not null,
    country text not null,
    first_used timestamptz not null default now(),
    last_used timestamptz not null default now(),
    primary key ("user", device, country))`.execute(trx)
}

/** Identities at login providers of organizations, and logins that a browser is away for. */
async function providerTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_provider_link (
    id text primary key,
    organization text not null,
    issuer text not null,
    subject text not null,
    "user" text not null,
    created timestamptz not null default now(),
    last_used timestamptz,
    unique (organization, issuer, subject),
    unique (organization, "user"))`.execute(trx)
  await sql`create index if not exists easydash_provider_link_user on easydash_provider_link ("user")`.execute(trx)
  await sql`create table if not exists easydash_provider_attempt (
    state_hash text primary key,
    browser_hash text not null,
    organization text not null,
    issuer text not null,
    client_id text not null,
    sealed text not null,
    expires timestamptz not null)`.execute(trx)
}
