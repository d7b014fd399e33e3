import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAccountsFixture, goodPassword, type AccountsFixture } from '#tests/support/accounts.ts'

/** The shortest durations that answers waited for. */
let slept: number[]
let s: AccountsFixture
beforeEach(async () => {
  slept = []
  s = await createAccountsFixture({ sleep: async (ms) => void slept.push(ms) })
  await s.person('known@example.com')
  await s.person('new@example.com', { verified: false })
})
afterEach(() => s.close())

test.each(['known@example.com', 'nobody@example.com'])(
  'an answer about %s takes its shortest duration',
  async (email) => {
    const names = { first_name: 'Ann', last_name: 'Lee', termsAndCondition: 1 }
    await s.visitor().call('sign_up', { email, password: goodPassword, ...names })
    expect(slept.splice(0)).toEqual([400])
    await s.visitor().call('reset_password', { user: email })
    expect(slept.splice(0)).toEqual([150])
    await (await s.loggedIn('new@example.com')).call('change_unverified_email', { email })
    expect(slept).toEqual([150])
  },
)
