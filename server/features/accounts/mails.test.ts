import { expect, test } from 'vitest'
import { accountExistsMail, passwordChangedMail, resetMail, verificationMail } from './mails.ts'

const sender = { productName: 'Tom & "Jerry" <b>', url: 'https://dash.example' }
const mails = [
  verificationMail(sender, 'a@b.c', 'TOKEN'),
  accountExistsMail(sender, 'a@b.c'),
  resetMail(sender, 'a@b.c', 'KEY'),
  passwordChangedMail(sender, 'a@b.c'),
]

test('links lead to the configured address', () => {
  expect(mails[0]?.text).toContain('https://dash.example/web/verify-email?token=TOKEN')
  expect(mails[2]?.html).toContain('href="https://dash.example/web/reset-password?key=KEY"')
})

test.each(mails.map((mail) => [mail.kind, mail] as const))('%s says the same in both forms', (_kind, mail) => {
  for (const link of mail.text.match(/https:\/\/\S+/g) ?? []) expect(mail.html).toContain(link.replace(/[.,]$/, ''))
  expect(mail.html).not.toContain('<b>')
  expect(mail.html).toContain('Tom &#38; &#34;Jerry&#34; &#60;b&#62;')
  expect(mail.text).not.toContain('&#38;')
  expect(mail.subject).toContain('Tom & "Jerry" <b>')
})

test.each(mails.map((mail) => [mail.kind, mail] as const))(
  '%s is readable in dark mode: no colour is set without its counterpart',
  (_kind, { html }) => {
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    for (const style of html.match(/style="[^"]*"/g) ?? []) {
      const textColour = /(?<!-)color:(?!inherit)/.test(style)
      expect(textColour).toBe(style.includes('background-color:'))
    }
  },
)
