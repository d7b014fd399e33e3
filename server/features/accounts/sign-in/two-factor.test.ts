import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createAccountsFixture,
  goodPassword,
  type AccountsFixture,
  type SettingOptions,
  type Visitor,
} from '#tests/support/accounts.ts'
import { totpCode } from '#tests/support/totp.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let s: AccountsFixture
let seconds: number
let ann: Visitor
let secret: string
let codes: string[]

const email = 'ann@example.com'
const code = (shift = 0) => totpCode(secret, Math.floor(seconds / 30) + shift)
const later = () => void (seconds += 30)

async function open(options: SettingOptions = {}): Promise<void> {
  seconds = 1_700_000_000
  s = await createAccountsFixture({ now: () => seconds * 1000, ...options })
  await s.person(email)
  ann = await s.loggedIn(email)
}

async function switchOn(): Promise<void> {
  secret = (await ann.call<{ secret: string }>('two_factor.begin')).secret
  codes = (await ann.call<{ recovery_codes: string[] }>('two_factor.confirm', { otp: code() })).recovery_codes
  later()
}

/** The first step of a login; returns the id of the attempt. */
async function firstStep(visitor: Visitor): Promise<string> {
  expect(await visitor.call('login', { usr: email, pwd: goodPassword })).toBeUndefined()
  return String(visitor.extras['tmp_id'])
}

beforeEach(() => open())
afterEach(() => s.close())

describe('switching on and off', () => {
  test('begins with a secret, an address and a QR code, and counts from the first right code on', async () => {
    const begun = await ann.call<{ secret: string; otpauth_url: string; qr: { size: number; path: string } }>(
      'two_factor.begin',
    )
    secret = begun.secret
    expect(begun.otpauth_url).toContain(`secret=${secret}`)
    expect(begun.otpauth_url).toContain('ann%40example.com')
    expect(begun.qr.path).toMatch(/^(?:M\d+ \d+h1v1h-1z)+$/)
    expect(begun.qr.size).toBeGreaterThan(25)
    expect(await ann.call('two_factor.status')).toEqual({ enabled: false, since: null, recovery_codes_left: 0 })
    expect(await s.visitor().call('login', { usr: email, pwd: goodPassword })).toBe('Logged In')

    await expect(ann.call('two_factor.confirm', { otp: '000000' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'otp',
    })
    const { sid, csrfToken } = ann
    const response = await ann.call<{ recovery_codes: string[] }>('two_factor.confirm', { otp: code() })
    expect(response.recovery_codes).toHaveLength(10)
    expect(new Set(response.recovery_codes).size).toBe(10)
    expect(ann.sid).not.toBe(sid)
    expect(ann.csrfToken).toBe(csrfToken)
    expect(await ann.call('two_factor.status')).toMatchObject({
      enabled: true,
      since: expect.stringMatching(/^\d{4}-/) as string,
      recovery_codes_left: 10,
    })
    expect(s.mails.filter(({ kind }) => kind === 'second_factor')).toHaveLength(1)
  })

  test('the other sessions end when it is switched on', async () => {
    const other = await s.loggedIn(email, '198.51.100.1')
    await switchOn()
    expect(await other.session()).toBeNull()
    expect(await ann.session()).not.toBeNull()
  })

  test('a login that was begun without it ends when it is switched on', async () => {
    // As if the password had been checked just before 2FA was turned on.
    const { rows } = await s.database.pool.query<{ version: string }>(
      `select changed::text as version from easydash_credential where "user" = $1`,
      [email],
    )
    await switchOn()
    const client = { ip: '203.0.113.9', userAgent: 'test browser', provenWith: rows[0]?.version }
    await expect(s.accounts.sessions.create(email, client)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  test('neither secret nor recovery codes are stored in clear, logged or mailed', async () => {
    await switchOn()
    const tables = ['easydash_second_factor', 'tab_activity', 'easydash_login_step']
    const rows = await Promise.all(tables.map((table) => s.database.pool.query(`select * from ${table}`)))
    const all = JSON.stringify([rows.map((one) => one.rows as unknown), s.mails])
    for (const one of [secret, ...codes, ...codes.map((text) => text.replaceAll('-', '').toUpperCase())])
      expect(all).not.toContain(one)
    expect(all).toContain('account.enable_two_factor')
  })

  test('a begun secret does not replace one that counts', async () => {
    await switchOn()
    await expect(ann.call('two_factor.begin')).rejects.toMatchObject({ code: 'invalid' })
    const visitor = s.visitor()
    const tmp_id = await firstStep(visitor)
    expect(await visitor.call('login', { otp: code(), tmp_id })).toBe('Logged In')
  })

  test('off again: the password is enough, and the old codes are worth nothing', async () => {
    await switchOn()
    expect(await ann.call('two_factor.disable')).toEqual({ enabled: false })
    await expect(ann.call('two_factor.disable')).rejects.toMatchObject({ code: 'invalid' })
    expect(await s.visitor().call('login', { usr: email, pwd: goodPassword })).toBe('Logged In')
    await expect(ann.call('two_factor.new_recovery_codes')).rejects.toMatchObject({ code: 'invalid' })
    expect(s.mails.filter(({ kind }) => kind === 'second_factor').map(({ subject }) => subject)).toEqual([
      'Two-factor authentication turned on for Easydash',
      'Two-factor authentication turned off for Easydash',
    ])
  })

  test('needs a fresh password for everything but looking', async () => {
    await switchOn()
    await s.database.pool.query("update easydash_session set reauth_at = now() - interval '11 minutes'")
    // As seen by another process with an empty cache.
    await s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, email, { last_name: 'Lee' }))
    for (const method of ['begin', 'confirm', 'disable', 'new_recovery_codes']) {
      await expect(ann.call(`two_factor.${method}`, { otp: code() })).rejects.toMatchObject({
        code: 'forbidden',
        field: 'password',
      })
    }
    expect(await ann.call('two_factor.status')).toMatchObject({ enabled: true })
    await ann.call('confirm_password', { password: goodPassword })
    expect(await ann.call<{ recovery_codes: string[] }>('two_factor.new_recovery_codes')).toHaveProperty(
      'recovery_codes',
    )
  })
})

describe('logging in with it', () => {
  beforeEach(switchOn)

  test('the password alone starts no session, and a wrong one answers as without a second factor', async () => {
    const visitor = s.visitor()
    await firstStep(visitor)
    expect(visitor.sid).toBeNull()
    expect(visitor.extras).toEqual({
      verification: {
        method: 'OTP App',
        setup: true,
        prompt: expect.any(String) as string,
        token_delivery: true,
      },
      tmp_id: expect.stringMatching(/^[A-Za-z0-9]{8}$/) as string,
    })
    await expect(s.visitor().call('login', { usr: email, pwd: 'Wrong-Horse-42!' })).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'Invalid login credentials',
    })
  })

  test('a code works once, in any session, and so does an older one never again', async () => {
    const [first, second] = [s.visitor(), s.visitor('198.51.100.1')]
    const attempts = [await firstStep(first), await firstStep(second)]
    const tries = await Promise.allSettled(
      [first, second].map((visitor, at) => visitor.call('login', { otp: code(), tmp_id: attempts[at] })),
    )
    expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const third = s.visitor()
    const tmp_id = await firstStep(third)
    for (const old of [code(), code(-1)]) {
      await expect(third.call('login', { otp: old, tmp_id })).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'Incorrect Verification code',
      })
    }
    expect(await third.call('login', { otp: code(1), tmp_id })).toBe('Logged In')
    expect(await third.session()).toMatchObject({ user: email })
  })

  test('an attempt ends with its use, after three minutes, and with a new password', async () => {
    const expired = { code: 'unauthorized', message: 'Login session expired, refresh page to retry' }
    const visitor = s.visitor()
    const used = await firstStep(visitor)
    await visitor.call('login', { otp: code(), tmp_id: used })
    later()
    await expect(visitor.call('login', { otp: code(), tmp_id: used })).rejects.toMatchObject(expired)
    for (const unknown of ['AAAAAAAA', "' or 1=1", 'x'.repeat(5000)])
      await expect(visitor.call('login', { otp: code(), tmp_id: unknown })).rejects.toMatchObject(expired)

    const old = await firstStep(visitor)
    const { rows } = await s.database.pool.query<{ life: number }>(
      'select extract(epoch from expires - created)::float8 as life from easydash_login_step',
    )
    expect(rows[0]?.life).toBeCloseTo(180, 3)
    await s.database.pool.query("update easydash_login_step set expires = now() - interval '1 second'")
    await expect(visitor.call('login', { otp: code(), tmp_id: old })).rejects.toMatchObject(expired)

    const before = await firstStep(visitor)
    const owner = s.visitor()
    const tmp_id = await firstStep(owner)
    await owner.call('login', { otp: code(), tmp_id })
    await owner.call('update_password', { old_password: goodPassword, new_password: 'Another-Horse-43!' })
    later()
    await expect(visitor.call('login', { otp: code(), tmp_id: before })).rejects.toMatchObject(expired)
  })

  test('a code may be typed with the full-width digits of East Asian keyboards', async () => {
    const visitor = s.visitor()
    const tmp_id = await firstStep(visitor)
    const otp = code().replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
    expect(await visitor.call('login', { otp, tmp_id })).toBe('Logged In')
  })

  test('each recovery code works once, typed in any way', async () => {
    const [one = '', two = ''] = codes
    const visitor = s.visitor()
    const tmp_id = await firstStep(visitor)
    await expect(visitor.call('login', { otp: 'aaaa-bbbb-cccc-dddd', tmp_id })).rejects.toMatchObject({
      message: 'Incorrect Verification code',
    })
    expect(await visitor.call('login', { otp: ` ${one.toUpperCase().replaceAll('-', ' ')} `, tmp_id })).toBe(
      'Logged In',
    )
    expect(await visitor.call('two_factor.status')).toMatchObject({ recovery_codes_left: 9 })
    const again = await firstStep(visitor)
    await expect(visitor.call('login', { otp: one, tmp_id: again })).rejects.toMatchObject({ code: 'unauthorized' })
    const renewed = await ann.call<{ recovery_codes: string[] }>('two_factor.new_recovery_codes')
    await expect(visitor.call('login', { otp: two, tmp_id: again })).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await visitor.call('login', { otp: renewed.recovery_codes[0], tmp_id: again })).toBe('Logged In')
  })

  test('a disabled account does not get past the second step', async () => {
    const visitor = s.visitor()
    const tmp_id = await firstStep(visitor)
    await s.documents.transaction(s.system, (tx) => tx.update(UserDoctype, email, { enabled: 0 }))
    await expect(visitor.call('login', { otp: code(), tmp_id })).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await visitor.session()).toBeNull()
  })

  test('a new password by mail does not get around it', async () => {
    await s.visitor().call('reset_password', { user: email })
    await s.visitor().call('update_password', { key: s.linkToken(email), new_password: 'Another-Horse-43!' })
    const visitor = s.visitor()
    expect(await visitor.call('login', { usr: email, pwd: 'Another-Horse-43!' })).toBeUndefined()
    expect(visitor.sid).toBeNull()
  })
})

test('five wrong codes close the second step for a while, from everywhere', async () => {
  await s.close()
  await open({ realLimits: true })
  await switchOn()
  const visitor = s.visitor()
  const tmp_id = await firstStep(visitor)
  for (let n = 0; n < 5; n += 1) {
    await expect(visitor.call('login', { otp: '000000', tmp_id })).rejects.toMatchObject({ code: 'unauthorized' })
  }
  const elsewhere = s.visitor('198.51.100.1')
  await expect(elsewhere.call('login', { otp: code(), tmp_id: await firstStep(elsewhere) })).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: expect.any(Number) as number,
  })
})
