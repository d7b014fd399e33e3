import { describe, expect, test } from 'vitest'
import type { AccountMail } from './deps.ts'
import {
  accountExistsMail,
  loginAddressMail,
  newSignInMail,
  passwordChangedMail,
  resetMail,
  secondFactorMail,
  tokenCreatedMail,
  verificationMail,
} from './mails.ts'
import { requestDetails } from './sign-in/request-details.ts'

const evil = '<img src=x onerror=alert(1)>" \'&amp; https://evil.example/?a=b'
const sender = { productName: 'Tom & "Jerry" <b>', url: 'https://dash.example' }
const details = requestDetails(
  { countries: { codeOf: () => 'de' } },
  { ip: '198.51.100.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
  new Date('2026-05-03T14:05:00Z'),
)
const to = 'a@b.c'

/** All emails of the feature, with the longest and most hostile values users can choose. */
const mails: AccountMail[] = [
  verificationMail(sender, to, 'TOKEN', details),
  verificationMail(sender, to, 'TOKEN', details, `${'x'.repeat(60)}@${'y'.repeat(180)}.example`),
  accountExistsMail(sender, to, details),
  resetMail(sender, to, 'KEY', details),
  passwordChangedMail(sender, to, details),
  newSignInMail(sender, to, '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', details),
  secondFactorMail(sender, to, 'on', details),
  secondFactorMail(sender, to, 'off', details),
  secondFactorMail(sender, to, 'codes', details),
  tokenCreatedMail(
    sender,
    to,
    {
      title: evil.padEnd(80, '<'),
      organization: 'acme',
      role: 'Organization Admin',
      scopes: ['sites:read', 'servers:write'],
      expires: '2027-01-01 00:00:00.000000',
    },
    details,
  ),
  loginAddressMail(sender, to, { address: 'https://dash.example/web/sso/abcd2345', host: 'login.example' }, details),
]

test('links lead to the configured address', () => {
  expect(mails[0]?.text).toContain('https://dash.example/web/verify-email?token=TOKEN')
  expect(mails[3]?.html).toContain('href="https://dash.example/web/reset-password?key=KEY"')
})

test('a mail says when, with what and from where', () => {
  expect(mails[5]?.text).toContain(
    'Time: 3 May 2026 at 14:05 UTC\nDevice: Firefox on Linux\nCountry: Germany\nAddress: 2001:db8',
  )
  expect(mails[5]?.html).toContain('<strong>Device:</strong> Firefox on Linux')
})

test('omits the country if it is unknown', () => {
  const unknown = requestDetails({ countries: { codeOf: () => '' } }, { ip: '10.0.0.1', userAgent: evil })
  expect(unknown.map(([label]) => label)).toEqual(['Time', 'Device'])
  expect(unknown[1]?.[1]).toBe('Unknown device')
})

describe.each(mails.map((mail, at) => [`${at} ${mail.kind}`, mail] as const))('mail %s', (_kind, mail) => {
  test('says the same in both forms', () => {
    for (const link of mail.text.match(/https:\/\/dash\.example\S*/g) ?? [])
      expect(mail.html).toContain(link.replace(/[.,]$/, ''))
    expect(mail.text).not.toContain('&#')
    expect(mail.subject).toContain('Tom & "Jerry" <b>')
    const words = (text: string) =>
      text.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)))
    const shown = words(mail.html.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ')).replaceAll(/\s+/g, ' ')
    for (const line of mail.text.split('\n').filter((one) => one.trim() !== '' && !one.startsWith('-- ')))
      expect(shown).toContain(line.replaceAll(/\s+/g, ' ').trim().replace(/:$/, ''))
  })

  test('has its lines in reasonable length, one recipient, no control characters', () => {
    for (const line of `${mail.subject}\n${mail.text}\n${mail.html}`.split('\n'))
      expect(Buffer.byteLength(line)).toBeLessThan(998)
    expect(mail.to).toBe(to)
    expect(mail.subject).not.toMatch(/[\r\n]/)
    expect(mail.text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/)
  })

  test('lets nothing of what people typed become HTML, and loads nothing from elsewhere', () => {
    const tags = [...mail.html.matchAll(/<\/?([a-z!]+)/g)].map(([, tag]) => tag)
    const known = ['!doctype', 'html', 'head', 'meta', 'title', 'style', 'body', 'div', 'p', 'a', 'strong', 'br']
    expect(new Set(tags).difference(new Set(known))).toEqual(new Set())
    expect(mail.html).not.toMatch(/url\(|@import/)
    for (const [, href] of mail.html.matchAll(/href="([^"]*)"/g)) expect(href).toMatch(/^https:\/\/dash\.example/)
  })

  test('is readable in dark mode: no color without its counterpart, and none that alone says something', () => {
    expect(mail.html).toContain('<meta name="color-scheme" content="light dark">')
    for (const style of mail.html.match(/style="[^"]*"/g) ?? []) {
      const textColour = /(?<!-)color:(?!inherit)/.test(style)
      expect(textColour).toBe(style.includes('background-color:'))
    }
  })
})
