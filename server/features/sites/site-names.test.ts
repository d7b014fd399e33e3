import { expect, test } from 'vitest'
import type { Engine } from '#server/engines/engine.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import { chosenName } from './site-names.ts'

/** The name of a new site on a server, where sites have domains of their own. */
const nameOnServer = (text: string) =>
  chosenName({ dashboardHost: 'dash.agency.example' }, { siteNames: 'domain' } as Engine, thisMachine, text)

test('new sites of servers have full domains in lower case', () => {
  expect(nameOnServer('bücher.example')).toBe('xn--bcher-kva.example')
  for (const text of ['Shop.example', 'shop.EXAMPLE', 'Bücher.example'])
    expect(() => nameOnServer(text)).toThrow(
      expect.objectContaining({ field: 'domain', message: `Write the name in lower case: “${text.toLowerCase()}”.` }),
    )
})
