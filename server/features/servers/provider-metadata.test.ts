import { expect, it } from 'vitest'
import { countriesOf } from './provider-metadata.ts'
import { providerRegions } from '#server/providers/provider-regions.ts'

it('groups regions by country and drops those without country or name', () => {
  const region = (code: string, country: string, description: string) => ({ code, country, description })
  expect(
    countriesOf([
      region('nbg1', 'DE', 'Nuremberg'),
      region('hel1', 'FI', 'Helsinki'),
      region('fsn1', 'DE', 'Falkenstein'),
      region('x1', '', 'Nowhere'),
      region('x2', 'QQ', 'No such country'),
      region('x3', 'FR', ''),
    ]),
  ).toEqual([
    {
      code: 'FI',
      name: 'Finland',
      regions: [{ regionCode: 'hel1', regionDescription: 'Helsinki' }],
    },
    {
      code: 'DE',
      name: 'Germany',
      regions: [
        { regionCode: 'fsn1', regionDescription: 'Falkenstein' },
        { regionCode: 'nbg1', regionDescription: 'Nuremberg' },
      ],
    },
  ])
})

it('knows a country for every region it offers', () => {
  for (const regions of Object.values(providerRegions)) {
    expect(countriesOf(regions).flatMap((country) => country.regions)).toHaveLength(regions.length)
  }
})
