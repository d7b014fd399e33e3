import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { defaultRateLimits } from '#server/platform/rate-limits.ts'
import { createAccountsFixture, goodPassword, type AccountsFixture, type Visitor } from '#tests/support/accounts.ts'
import { totpCode } from '#tests/support/totp.ts'

let s: AccountsFixture
let seconds: number
const email = 'ann@example.com'
const budget = defaultRateLimits.login_unknown_device.limit

beforeEach(async () => {
  seconds = 1_700_000_000
  s = await createAccountsFixture({ realLimits: true, now: () => seconds * 1000 })
  await s.person(email)
  await s.person('eve@example.com')
})
afterEach(() => s.close())

let addresses = 0
/** An unused address. */
const newAddress = () => `100.64.${(addresses += 1) >> 8}.${addresses & 255}`
const login = (visitor: Visitor, usr = email, pwd = goodPassword) => visitor.call('login', { usr, pwd })

/** Result of an attempt: the error's code, or `in`. */
const codeOf = async (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'in',
    (error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    },
  )

/** Tries wrong passwords for an account, each from a new address; returns how many were checked. */
async function guess(usr: string, tries: number): Promise<number> {
  let checked = 0
  for (let n = 0; n < tries; n += 1)
    if ((await codeOf(login(s.visitor(newAddress()), usr, `wrong ${n}`))) === 'unauthorized') checked += 1
  return checked
}

describe('an account that is guessed at from many addresses', () => {
  test('has a budget of failures, and so has one that does not exist', async () => {
    expect(await guess(email, budget + 20)).toBe(budget)
    expect(await guess('nobody@example.com', budget + 20)).toBe(budget)
    const rejections = await Promise.all(
      [email, 'nobody@example.com'].map((usr) =>
        login(s.visitor(newAddress()), usr).catch((error: unknown) => error as AppError),
      ),
    )
    const errors = rejections.map((error) => ({ ...(error as AppError), message: (error as AppError).message }))
    expect(errors[0]).toMatchObject({
      code: 'rate_limited',
      nextAction: { text: expect.stringContaining('new password') },
    })
    expect({ ...errors[1], retryAfterSeconds: 0, nextAction: null }).toEqual({
      ...errors[0],
      retryAfterSeconds: 0,
      nextAction: null,
    })
    // Other accounts are not affected.
    expect(await codeOf(login(s.visitor(newAddress()), 'eve@example.com'))).toBe('in')
  })

  test('lets its owner in on a device that has signed in before, wherever it is now', async () => {
    const owner = await s.loggedIn(email, '198.51.100.1')
    await owner.call('logout')
    await guess(email, budget + 5)
    const moved = s.visitor(newAddress(), { device: owner.device })
    expect(await codeOf(login(moved))).toBe('in')
    // Its own failures count against the device, not against others, whatever its address.
    const lost = s.visitor(newAddress(), { device: owner.device })
    for (let n = 0; n < 5; n += 1) expect(await codeOf(login(lost, email, `wrong ${n}`))).toBe('unauthorized')
    expect(await codeOf(login(s.visitor(newAddress(), { device: owner.device })))).toBe('rate_limited')
  })

  test('lets its owner in from an address it was used from before', async () => {
    await s.loggedIn(email, '2001:db8:7:7::1')
    await guess(email, budget + 5)
    expect(await codeOf(login(s.visitor('2001:db8:7:7:ffff::2')))).toBe('in')
    expect(await codeOf(login(s.visitor('2001:db8:7:8::1')))).toBe('rate_limited')
  })

  test('confirming the password within a session still works', async () => {
    const owner = await s.loggedIn(email, newAddress())
    await guess(email, budget + 5)
    expect(await owner.call('confirm_password', { password: goodPassword })).toEqual({ valid_seconds: 600 })
  })

  test('lets its owner in on a new device by a mail', async () => {
    await guess(email, budget + 5)
    const phone = s.visitor(newAddress())
    expect(await codeOf(login(phone))).toBe('rate_limited')
    await phone.call('reset_password', { user: email })
    await phone.call('update_password', { key: s.linkToken(email), new_password: 'Another-Horse-43!' })
    expect(await codeOf(login(phone, email, 'Another-Horse-43!'))).toBe('in')
  })

  test('knows only its own devices, and none whose password is another by now', async () => {
    const eve = await s.loggedIn('eve@example.com', newAddress())
    const owner = await s.loggedIn(email, newAddress())
    await guess(email, budget + 5)
    for (const device of [eve.device, 'x'.repeat(43), '', 'x', null])
      expect(await codeOf(login(s.visitor(newAddress(), { device })))).toBe('rate_limited')
    const old = s.visitor(newAddress(), { device: owner.device })
    expect(await codeOf(login(old))).toBe('in')
    await s.visitor(newAddress()).call('reset_password', { user: email })
    await s
      .visitor(newAddress())
      .call('update_password', { key: s.linkToken(email), new_password: 'Another-Horse-43!' })
    expect(await codeOf(login(s.visitor(newAddress(), { device: owner.device })))).toBe('rate_limited')
  })
})

test('right passwords never count, however many are checked at the same time', async () => {
  const tries = Array.from({ length: 12 }, () => codeOf(login(s.visitor('198.51.100.9'))))
  expect(await Promise.all(tries)).toEqual(tries.map(() => 'in'))
  for (let n = 0; n < 5; n += 1)
    expect(await codeOf(login(s.visitor('198.51.100.9'), email, `wrong ${n}`))).toBe('unauthorized')
  expect(await codeOf(login(s.visitor('198.51.100.9')))).toBe('rate_limited')
})

test('of parallel guesses none is answered beyond the limit, not even a right one', async () => {
  await s.close()
  const compared: { right: boolean; resolve(right: boolean): void }[] = []
  const verify = (hash: string | null, password: string) =>
    new Promise<boolean>((resolve) => compared.push({ right: hash !== null && password === goodPassword, resolve }))
  s = await createAccountsFixture({ realLimits: true, hashing: { verify } })
  await s.person(email)
  const passwords = [...Array.from({ length: 7 }, (_, n) => `wrong ${n}`), goodPassword]
  const codes: string[] = []
  const tries = passwords.map(async (one) => codes.push(await codeOf(login(s.visitor('198.51.100.9'), email, one))))
  await expect.poll(() => compared.length).toBe(passwords.length)
  // The right one's result comes last.
  for (const [at, one] of compared.toSorted((a, b) => Number(a.right) - Number(b.right)).entries()) {
    one.resolve(one.right)
    await expect.poll(() => codes.length).toBe(at + 1)
  }
  await Promise.all(tries)
  expect(codes).toEqual([
    ...Array.from({ length: 5 }, () => 'unauthorized'),
    ...Array.from({ length: 3 }, () => 'rate_limited'),
  ])
})

test('one browser is known to each of several accounts, and no value is handed from one to another', async () => {
  const shared = await s.loggedIn(email, newAddress())
  const first = shared.device
  await shared.call('login', { usr: 'eve@example.com', pwd: goodPassword })
  expect(shared.device).not.toBe(first)
  await guess(email, budget + 5)
  await guess('eve@example.com', budget + 5)
  for (const usr of [email, 'eve@example.com'])
    expect(await codeOf(login(s.visitor(newAddress(), { device: shared.device }), usr))).toBe('in')
  expect(await codeOf(login(s.visitor(newAddress(), { device: first }), 'eve@example.com'))).toBe('rate_limited')
})

test('values of devices are stored as hashes, and few for each account', async () => {
  const owner = await s.loggedIn(email, newAddress())
  for (let n = 0; n < 60; n += 1) await s.loggedIn(email, newAddress())
  const { rows } = await s.database.pool.query<{ kind: string }>('select * from easydash_known_device')
  expect(JSON.stringify(rows)).not.toContain(owner.device)
  const ofKind = (kind: string): number => rows.filter((row) => row.kind === kind).length
  expect({ cookies: ofKind('cookie'), addresses: ofKind('address'), all: rows.length }).toEqual({
    cookies: 30,
    addresses: 10,
    all: 40,
  })
})

test('an attempt rejected because of a full queue does not count as a failure', async () => {
  await s.close()
  let busy = true
  s = await createAccountsFixture({
    realLimits: true,
    hashing: {
      verify: (hash, password) =>
        busy
          ? Promise.reject(new AppError('rate_limited', 'busy' as never))
          : Promise.resolve(hash !== null && password === goodPassword),
    },
  })
  await s.person(email)
  for (let n = 0; n < 30; n += 1) expect(await codeOf(login(s.visitor(newAddress())))).toBe('rate_limited')
  for (let n = 0; n < 30; n += 1) expect(await codeOf(login(s.visitor('198.51.100.9')))).toBe('rate_limited')
  busy = false
  expect(await codeOf(login(s.visitor('198.51.100.9')))).toBe('in')
})

test('knowing the password is not enough to use up the codes of the owner’s device', async () => {
  const owner = await s.loggedIn(email, '198.51.100.1')
  const { secret } = await owner.call<{ secret: string }>('two_factor.begin')
  const code = () => totpCode(secret, Math.floor(seconds / 30))
  await owner.call('two_factor.confirm', { otp: code() })
  await owner.call('logout')
  seconds += 30

  const firstStep = async (visitor: Visitor) => {
    await login(visitor)
    return String(visitor.extras['tmp_id'])
  }
  const tries: string[] = []
  for (let n = 0; n < 8; n += 1) {
    const thief = s.visitor(newAddress())
    tries.push(await codeOf(thief.call('login', { otp: '000000', tmp_id: await firstStep(thief) })))
  }
  expect(tries.filter((one) => one === 'unauthorized')).toHaveLength(5)
  const back = s.visitor(newAddress(), { device: owner.device })
  expect(await back.call('login', { otp: code(), tmp_id: await firstStep(back) })).toBe('Logged In')
  // The password alone does not make the thief's device known.
  const thief = s.visitor(newAddress())
  await firstStep(thief)
  expect(thief.device).toBeNull()
})
