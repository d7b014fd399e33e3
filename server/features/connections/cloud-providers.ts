import { ProviderError } from '#server/providers/provider-error.ts'
import type { Provider } from '#server/providers/provider.ts'
import type { Providers } from '#server/providers/providers.ts'
import { connectionFields } from '#shared/doctypes/connections.ts'
import { failureResult, type ConnectionTest, type ConnectionValues } from './connection-test.ts'

/** Tests the credentials of a cloud provider by its `check`. */
function cloudProviderTest<Name extends Exclude<keyof Providers, 'wpcloud' | 'github'>>(
  name: Name,
  vendor: string,
  open: (providers: Providers, values: ConnectionValues) => Provider,
): ConnectionTest {
  return {
    name,
    vendor,
    fields: connectionFields[name],
    required: connectionFields[name],
    async run(values, { providers }) {
      try {
        const message = await open(providers, values).check()
        return { outcome: 'ok', message, advice: null, status: 200 }
      } catch (error) {
        if (error instanceof ProviderError) return failureResult(error)
        throw error
      }
    },
  }
}

export const hetzner = cloudProviderTest('hetzner', 'Hetzner', (providers, values) =>
  providers.hetzner({ token: values['hcloud_token'] ?? '' }),
)

export const digitalocean = cloudProviderTest('digitalocean', 'DigitalOcean', (providers, values) =>
  providers.digitalocean({ token: values['do_token'] ?? '' }),
)

export const aws = cloudProviderTest('aws', 'AWS', (providers, values) =>
  providers.aws({ accessKey: values['aws_access_key'] ?? '', secretKey: values['aws_secret_key'] ?? '' }),
)
