import { describe, expect, test } from 'vitest'
import { neutralizeLinks, inviteMail, ownerChangedMail } from './invite-mail.ts'

const sender = { productName: 'Easydash', url: 'https://dash.example' }
const nasty = 'Win\r\nBcc: x@y.example <script>alert(1)</script> https://evil.example/x www.evil.example a@evil.example'

const letters = {
  invitation: inviteMail(sender, {
    to: 'new@example.com',
    organization: nasty,
    inviter: nasty,
    role: 'Organization Manager',
    link: 'https://dash.example/web/invitation?token=abc',
  }),
  'to the new owner': ownerChangedMail(sender, {
    to: 'new@example.com',
    organization: nasty,
    from: nasty,
    by: nasty,
    isNewOwner: true,
  }),
  'to the old owner': ownerChangedMail(sender, {
    to: 'old@example.com',
    organization: nasty,
    from: nasty,
    by: nasty,
    isNewOwner: false,
  }),
}

describe.each(Object.entries(letters))('the mail %s', (_name, mail) => {
  test('leads to this installation only, in both forms', () => {
    const hosts = [...mail.html.matchAll(/href="([^"]+)"/g)].map((match) => new URL(match[1] ?? '').host)
    expect(new Set(hosts)).toEqual(new Set(['dash.example']))
    expect(mail.html).not.toMatch(/<img|<script|src=|url\(/i)
    for (const form of [mail.text, mail.html, mail.subject]) expect(form).not.toMatch(/(?:https?:\/\/|www\.|@)evil/)
  })

  test('is one subject line and short lines, readable on light and dark', () => {
    expect(mail.subject).not.toMatch(/[\r\n]/)
    for (const line of [...mail.text.split('\n'), ...mail.html.split('\n')]) expect(line.length).toBeLessThan(998)
    expect(mail.html).toContain('color-scheme')
    expect(mail.text.length).toBeGreaterThan(50)
  })
})

test('the invitation names the inviter, organization, role, expiry and recipient', () => {
  const { text } = inviteMail(sender, {
    to: 'new@example.com',
    organization: 'Acme Studio',
    inviter: 'Ann Lee',
    role: 'Organization User',
    link: 'https://dash.example/web/invitation?token=abc',
  })
  for (const fact of ['Ann Lee', 'Acme Studio', 'as Member', '7 days', 'new@example.com', 'invitation?token=abc'])
    expect(text).toContain(fact)
})

test.each([
  ['Acme Studio', 'Acme Studio'],
  ['  Żółw & Söhne, Inc. ', 'Żółw & Söhne, Inc.'],
  ['Acme.com', 'Acme.\u200Bcom'],
  ['see HTTP://evil.example', 'see evil.\u200Bexample'],
  ['a\u202Eb\nc', 'a b c'],
])('harmless(%j)', (name, expected) => {
  expect(neutralizeLinks(name)).toBe(expected)
})
