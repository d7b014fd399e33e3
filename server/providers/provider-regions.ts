/** A region of a provider: its own code and name, and the country as ISO 3166-1 alpha-2. */
export interface ProviderRegion {
  readonly code: string
  readonly country: string
  readonly description: string
}

const region = (code: string, country: string, description: string): ProviderRegion => ({ code, country, description })

/**
 * Regions by provider label (server field `cloud_provider`). Codes and names are the vendors' public ones as of August 2026:
 * docs.hetzner.cloud, docs.digitalocean.com and AWS (`partitions.json` of github.com/boto/botocore). Regions closed to new
 * machines are omitted.
 */
export const providerRegions: Readonly<Record<string, readonly ProviderRegion[]>> = {
  Hetzner: [
    region('fsn1', 'DE', 'Falkenstein DC Park 1'),
    region('nbg1', 'DE', 'Nuremberg DC Park 1'),
    region('hel1', 'FI', 'Helsinki DC Park 1'),
    region('ash', 'US', 'Ashburn, VA'),
    region('hil', 'US', 'Hillsboro, OR'),
    region('sin', 'SG', 'Singapore'),
  ],
  DigitalOcean: [
    region('nyc1', 'US', 'New York 1'),
    region('nyc2', 'US', 'New York 2'),
    region('nyc3', 'US', 'New York 3'),
    region('sfo2', 'US', 'San Francisco 2'),
    region('sfo3', 'US', 'San Francisco 3'),
    region('atl1', 'US', 'Atlanta 1'),
    region('tor1', 'CA', 'Toronto 1'),
    region('ams3', 'NL', 'Amsterdam 3'),
    region('lon1', 'GB', 'London 1'),
    region('fra1', 'DE', 'Frankfurt 1'),
    region('blr1', 'IN', 'Bangalore 1'),
    region('sgp1', 'SG', 'Singapore 1'),
    region('syd1', 'AU', 'Sydney 1'),
  ],
  AWS: [
    region('af-south-1', 'ZA', 'Africa (Cape Town)'),
    region('ap-east-1', 'HK', 'Asia Pacific (Hong Kong)'),
    region('ap-east-2', 'TW', 'Asia Pacific (Taipei)'),
    region('ap-northeast-1', 'JP', 'Asia Pacific (Tokyo)'),
    region('ap-northeast-2', 'KR', 'Asia Pacific (Seoul)'),
    region('ap-northeast-3', 'JP', 'Asia Pacific (Osaka)'),
    region('ap-south-1', 'IN', 'Asia Pacific (Mumbai)'),
    region('ap-south-2', 'IN', 'Asia Pacific (Hyderabad)'),
    region('ap-southeast-1', 'SG', 'Asia Pacific (Singapore)'),
    region('ap-southeast-2', 'AU', 'Asia Pacific (Sydney)'),
    region('ap-southeast-3', 'ID', 'Asia Pacific (Jakarta)'),
    region('ap-southeast-4', 'AU', 'Asia Pacific (Melbourne)'),
    region('ap-southeast-5', 'MY', 'Asia Pacific (Malaysia)'),
    region('ap-southeast-6', 'NZ', 'Asia Pacific (New Zealand)'),
    region('ap-southeast-7', 'TH', 'Asia Pacific (Thailand)'),
    region('ca-central-1', 'CA', 'Canada (Central)'),
    region('ca-west-1', 'CA', 'Canada West (Calgary)'),
    region('eu-central-1', 'DE', 'Europe (Frankfurt)'),
    region('eu-central-2', 'CH', 'Europe (Zurich)'),
    region('eu-north-1', 'SE', 'Europe (Stockholm)'),
    region('eu-south-1', 'IT', 'Europe (Milan)'),
    region('eu-south-2', 'ES', 'Europe (Spain)'),
    region('eu-west-1', 'IE', 'Europe (Ireland)'),
    region('eu-west-2', 'GB', 'Europe (London)'),
    region('eu-west-3', 'FR', 'Europe (Paris)'),
    region('il-central-1', 'IL', 'Israel (Tel Aviv)'),
    region('me-central-1', 'AE', 'Middle East (UAE)'),
    region('me-south-1', 'BH', 'Middle East (Bahrain)'),
    region('mx-central-1', 'MX', 'Mexico (Central)'),
    region('sa-east-1', 'BR', 'South America (Sao Paulo)'),
    region('us-east-1', 'US', 'US East (N. Virginia)'),
    region('us-east-2', 'US', 'US East (Ohio)'),
    region('us-west-1', 'US', 'US West (N. California)'),
    region('us-west-2', 'US', 'US West (Oregon)'),
  ],
  Custom: [],
}

/** Name and country of a region whose vendor gives only its code; the code itself and '' if it is new to us. */
export function knownRegion(label: string, code: string): ProviderRegion {
  return providerRegions[label]?.find((known) => known.code === code) ?? region(code, '', code)
}
