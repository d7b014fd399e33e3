import { expect, test } from 'vitest'
import { scriptOrigins } from '#server/providers/stripe/browser-script.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { pagePolicy } from '#server/wire/response/headers.ts'

const config = loadConfig({ EASYDASH_URL: 'https://dash.example' }, '/')

function directive(policy: string, name: string): string[] {
  const found = policy.split('; ').find((one) => one.startsWith(`${name} `))
  return found?.split(' ').slice(1) ?? []
}

test('a page that takes cards allows the provider what its script needs, each where it is needed', () => {
  const policy = pagePolicy(config, 'n', scriptOrigins(null))
  const own = ["'nonce-n'", 'https://dash.example/web/assets/']
  expect(directive(policy, 'script-src')).toEqual([...own, 'https://js.stripe.com', 'https://*.js.stripe.com'])
  expect(directive(policy, 'frame-src')).toEqual([
    'https://js.stripe.com',
    'https://*.js.stripe.com',
    'https://hooks.stripe.com',
  ])
  expect(directive(policy, 'connect-src')).toEqual(["'self'", 'wss://dash.example', 'https://api.stripe.com'])
})

test('every other page allows nobody else', () => {
  const policy = pagePolicy(config, 'n')
  expect(policy).not.toContain('stripe')
  expect(directive(policy, 'frame-src')).toEqual(["'none'"])
})
