import { defineMethod, type MethodContext } from '#server/contracts/method.ts'
import { providerRegions, type ProviderRegion } from '#server/providers/provider-regions.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { providerMetadata, type ProviderCountry, type ProviderMetadata } from '#shared/responses/servers.ts'

/** The only image supported by all providers (docs/contracts/screens.md, section 9). */
const images = ['Ubuntu 24.04 LTS']

const englishNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Countries sorted by English name, regions by description. Regions without a country or name are omitted. */
export function countriesOf(regions: readonly ProviderRegion[]): ProviderCountry[] {
  const countries = new Map<string, ProviderCountry>()
  for (const { code: regionCode, country: code, description: regionDescription } of regions) {
    const name = /^[A-Z]{2}$/.test(code) ? englishNames.of(code) : undefined
    if (name === undefined || regionDescription === '') continue
    const country = countries.get(code) ?? { code, name, regions: [] }
    country.regions.push({ regionCode, regionDescription })
    countries.set(code, country)
  }
  for (const { regions: of } of countries.values())
    of.sort((a, b) => a.regionDescription.localeCompare(b.regionDescription, 'en'))
  return [...countries.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

function metadataOf(regions: readonly ProviderRegion[]): ProviderMetadata[string] {
  return {
    countries: countriesOf(regions),
    regions: Object.fromEntries(
      regions.map(({ code, description, country }) => [code, { region_description: description, country }]),
    ),
    images,
  }
}

/** `get_cloud_provider_metadata`: countries, regions and images by provider label. */
export const providerMetadataMethod = defineMethod({
  name: 'easydash.easydash.doctype.server.server.get_cloud_provider_metadata',
  access: 'member',
  verbs: ['GET', 'POST'],
  tokens: 'servers:read',
  description: 'Countries and regions in which each cloud provider offers machines.',
  returns: providerMetadata,
  async run(_params, context) {
    await assertCanCreateServers(context)
    return Object.fromEntries(Object.entries(providerRegions).map(([label, regions]) => [label, metadataOf(regions)]))
  },
})

/** For methods that are only useful for creating servers: they require that permission (docs/security.md). */
export async function assertCanCreateServers({ session, documents }: MethodContext): Promise<void> {
  const { create } = await documents.permissions(session, 'Server', null)
  if (create !== 1)
    throw new AppError('forbidden', msg`Only people who can create servers can see the cloud providers.`)
}
