import fc from 'fast-check'
import { expect, test } from 'vitest'
import { thisMachine } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { createEeSettings } from './settings.ts'

const reached = new Error('The server would have been asked.')
const settings = createEeSettings({
  ssh: new Proxy({}, { get: () => () => Promise.reject(reached) }),
} as unknown as EeContext)
const address = { address: '192.0.2.1', hostKey: 'ssh-ed25519 AAAA', credentials: {} }
const site = {
  ...{ id: 'abcdefghij', domain: 'shop.example.com', siteType: 'wp', phpVersion: '8.4' },
  server: { ...thisMachine, ...address },
} as Parameters<typeof settings.change>[0]

const [user, password] = ['ada_b-2', 'Abcdefgh12345678']
const change = (httpAuth: { user: string; password: string }) => settings.change(site, { httpAuth })

test('a name and a password of letters and digits reach the server', async () => {
  await expect(change({ user, password })).rejects.toBe(reached)
})

/** What EasyEngine's own command line would run, close a quote with, or read as an option or another line. */
const hostile = [
  "'",
  '"',
  '$(reboot)',
  '`reboot`',
  '\n',
  '\r',
  ';',
  '&',
  '|',
  '\\',
  '$x',
  ' ',
  '*',
  '<',
  '\0',
  'ä',
  '!',
]

test.each(hostile)('%j in the pair of HTTP authentication is refused before anything is sent', async (text) => {
  for (const one of [`${text}`, `${text}rest1234`, `safe1234${text}`, `safe${text}1234`]) {
    await expect(change({ user: one, password }), one).rejects.toMatchObject({ code: 'invalid' })
    await expect(change({ user, password: one }), one).rejects.toMatchObject({ code: 'invalid' })
  }
})

test('a name is no option, and whatever passes has nothing that a shell interprets', async () => {
  await expect(change({ user: '--ip=0.0.0.0', password })).rejects.toMatchObject({ code: 'invalid' })
  for (const short of ['', 'Abc1234'])
    await expect(change({ user, password: short })).rejects.toMatchObject({ code: 'invalid' })
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary-ascii', maxLength: 20 }), async (text) => {
      const passes = (work: Promise<unknown>) => work.catch((error: unknown) => error === reached)
      if (await passes(change({ user: text, password }))) expect(text).toMatch(/^[a-z][a-z0-9_-]*$/)
      if (await passes(change({ user, password: text }))) expect(text).toMatch(/^[A-Za-z0-9]+$/)
    }),
  )
})
