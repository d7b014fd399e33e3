import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { createAccountsFixture, goodPassword, type AccountsFixture, type Visitor } from '#tests/support/accounts.ts'

let s: AccountsFixture
let clock: number
const email = 'ann@example.com'
const minute = 60_000
const hour = 60 * minute

beforeEach(async () => {
  clock = 1_800_000_000_000
  s = await createAccountsFixture({ realLimits: true, now: () => clock })
})
afterEach(() => s.close())

let addresses = 0
/** An unused address. */
const newAddress = () => `100.64.${(addresses += 1) >> 8}.${addresses & 255}`
const stranger = () => s.visitor(newAddress())
const mailsTo = (to: string) => s.mails.filter((mail) => mail.to === to)
const codeOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    },
  )

describe('reset mails that strangers ask for', () => {
  beforeEach(() => s.person(email))
  const ask = (visitor: Visitor, user = email) => visitor.call('reset_password', { user })

  test('are three an hour at most, and there is always one whose link still works', async () => {
    const sent: number[] = []
    const end = clock + 3 * hour
    for (; clock < end; clock += 6 * minute) {
      await ask(stranger())
      while (sent.length < s.mails.length) sent.push(clock)
    }
    for (const from of sent) expect(sent.filter((at) => at >= from && at < from + hour).length).toBeLessThanOrEqual(3)
    const gaps = sent.slice(1).map((at, n) => at - (sent[n] ?? 0))
    // A link works for 30 minutes.
    expect(Math.max(...gaps)).toBeLessThan(30 * minute)
  })

  test('block nobody else, and the earlier link still works', async () => {
    await ask(stranger())
    const key = s.linkToken(email)
    for (let n = 0; n < 20; n += 1) await ask(stranger())
    for (const user of [email, 'nobody@example.com']) expect(await codeOf(ask(stranger(), user))).toBe('done')
    expect(mailsTo(email)).toHaveLength(1)
    const owner = stranger()
    await owner.call('update_password', { key, new_password: 'Another-Horse-43!' })
    expect(await owner.call('login', { usr: email, pwd: 'Another-Horse-43!' })).toBe('Logged In')
  })

  test('leave a device that signed in before its own three', async () => {
    const owner = await s.loggedIn(email, newAddress())
    for (let n = 0; n < 20; n += 1) await ask(stranger())
    s.mails.length = 0
    const back = s.visitor(newAddress(), { device: owner.device })
    for (let n = 0; n < 3; n += 1) expect(await codeOf(ask(back))).toBe('done')
    expect(mailsTo(email)).toHaveLength(3)
    expect(await codeOf(ask(back))).toBe('rate_limited')
  })

  test('are counted for an account that does not exist alike', async () => {
    const one = s.visitor('198.51.100.20')
    const other = s.visitor('198.51.100.21')
    const codes = async (visitor: Visitor, user: string) => {
      const found: string[] = []
      for (let n = 0; n < 5; n += 1) found.push(await codeOf(ask(visitor, user)))
      return found
    }
    expect(await codes(one, email)).toEqual(['done', 'done', 'done', 'rate_limited', 'rate_limited'])
    expect(await codes(other, 'nobody@example.com')).toEqual(['done', 'done', 'done', 'rate_limited', 'rate_limited'])
    expect(one.notices).toEqual(other.notices)
  })
})

describe('mails to a mailbox that strangers sign up with', () => {
  const signUp = (visitor: Visitor, password = goodPassword, to = email) =>
    visitor.call('sign_up', { email: to, password, first_name: 'A', last_name: 'B', termsAndCondition: 1 })
  beforeEach(() => s.person('first@example.com'))

  test.each(['nobody', 'somebody'])('are five an hour, of %s', async (whose) => {
    if (whose === 'somebody') await s.person(email)
    const codes = await Promise.all(Array.from({ length: 30 }, () => codeOf(signUp(stranger()))))
    expect(new Set(codes)).toEqual(new Set(['done']))
    expect(mailsTo(email)).toHaveLength(5)
    clock += hour
    await signUp(stranger())
    expect(mailsTo(email)).toHaveLength(6)
  })

  test('leave the owner a way in by any of their links', async () => {
    const theirs = 'Their-Tiger-81?'
    await Promise.all(Array.from({ length: 10 }, () => signUp(stranger(), theirs)))
    const token = s.linkToken(email)
    const owner = stranger()
    await signUp(owner, goodPassword)
    expect(mailsTo(email)).toHaveLength(5)
    const response = await owner.call<{ redirect: string; choose_password: boolean }>('verify_email', { token })
    expect(response.choose_password).toBe(true)
    const key = new URL(response.redirect, 'http://dash.test').searchParams.get('key')
    await owner.call('update_password', { key, new_password: 'Another-Horse-43!' })
    expect(await codeOf(stranger().call('login', { usr: email, pwd: theirs }))).toBe('unauthorized')
    expect(await owner.call('login', { usr: email, pwd: 'Another-Horse-43!' })).toBe('Logged In')
  })

  test('count those of accounts that want to take the address, known or not', async () => {
    await s.person('taken@example.com')
    const codes: Record<string, string[]> = {}
    for (const to of ['taken@example.com', 'free@example.com']) {
      codes[to] = []
      for (let n = 0; n < 7; n += 1) {
        const account = `bomber${n}.${to}`
        await s.person(account, { verified: false })
        const visitor = await s.loggedIn(account, newAddress())
        codes[to].push(await codeOf(visitor.call('change_unverified_email', { email: to })))
      }
      expect(mailsTo(to)).toHaveLength(5)
    }
    expect(codes['taken@example.com']).toEqual(codes['free@example.com'])
    expect(codes['free@example.com']?.filter((code) => code === 'rate_limited')).toHaveLength(2)
    // Their links do not help the mailbox owner, so they must not replace the owner's own link.
    await signUp(stranger(), goodPassword, 'free@example.com')
    expect(mailsTo('free@example.com')).toHaveLength(6)
    expect(s.mails.at(-1)?.text).toContain('was used to sign up')
  })

  test('a stranger in the account does not use up the requests of its owner', async () => {
    await s.person(email, { verified: false })
    const other = await s.loggedIn(email, newAddress())
    const owner = await s.loggedIn(email, newAddress())
    for (let n = 0; n < 3; n += 1) await other.call('resend_verification')
    expect(await codeOf(other.call('resend_verification'))).toBe('rate_limited')
    expect(await codeOf(owner.call('resend_verification'))).toBe('done')
  })
})
