/** DigitalOcean's account, regions and sizes of 2026 in its API's form. */

export const account = {
  droplet_limit: 25,
  floating_ip_limit: 5,
  email: 'ops@acme.example',
  name: 'Acme',
  uuid: 'b6fr89dbf6d9156cace5f3c78dc9851d957381ef',
  email_verified: true,
  status: 'active',
  status_message: '',
  team: { uuid: '5df3e3004a17e242b7c20ca6c9fc25b701a47ece', name: 'Acme' },
}

const size = (
  slug: string,
  [vcpus, memory, disk, transfer]: readonly [number, number, number, number],
  price: number,
  at: readonly string[],
  available = true,
) => ({
  slug,
  memory,
  vcpus,
  disk,
  transfer,
  price_monthly: price,
  price_hourly: Math.fround(Math.round((price / 672) * 1e5) / 1e5),
  regions: at,
  available,
  description: slug.startsWith('s-') ? 'Basic' : 'General Purpose',
  disk_info: [{ type: 'local', size: { amount: disk, unit: 'gib' } }],
})

const everywhere = ['nyc1', 'nyc3', 'sfo3', 'atl1', 'tor1', 'ams3', 'lon1', 'fra1', 'blr1', 'sgp1', 'syd1']
const large = ['nyc1', 'ams3', 'fra1']
export const sizes = [
  size('s-1vcpu-1gb', [1, 1024, 25, 1], 6, everywhere),
  size('s-1vcpu-2gb', [1, 2048, 50, 2], 12, everywhere),
  size('s-2vcpu-2gb', [2, 2048, 60, 3], 18, everywhere),
  size('s-2vcpu-4gb', [2, 4096, 80, 4], 24, everywhere),
  size('s-4vcpu-8gb', [4, 8192, 160, 5], 48, everywhere),
  size('g-2vcpu-8gb', [2, 8192, 25, 4], 63, large),
  size('s-1vcpu-3gb', [1, 3072, 60, 3], 15, [], false),
]

/** `ams1` takes no new machines. */
export const regions = (
  [
    ['nyc1', 'New York 1'],
    ['nyc3', 'New York 3'],
    ['sfo3', 'San Francisco 3'],
    ['atl1', 'Atlanta 1'],
    ['tor1', 'Toronto 1'],
    ['ams1', 'Amsterdam 1'],
    ['ams3', 'Amsterdam 3'],
    ['lon1', 'London 1'],
    ['fra1', 'Frankfurt 1'],
    ['blr1', 'Bangalore 1'],
    ['sgp1', 'Singapore 1'],
    ['syd1', 'Sydney 1'],
  ] as const
).map(([slug, name]) => ({
  slug,
  name,
  features: ['backups', 'ipv6', 'metadata', 'install_agent', 'storage', 'image_transfer'],
  available: everywhere.includes(slug),
  sizes: sizes.filter(({ regions: at }) => at.includes(slug)).map((one) => one.slug),
}))

export type DigitalOceanSize = (typeof sizes)[number]
export type DigitalOceanRegion = (typeof regions)[number]

/** Ubuntu 24.04. */
export const ubuntu = {
  id: 900000011,
  name: '24.04 (LTS) x64',
  type: 'base',
  distribution: 'Ubuntu',
  slug: 'ubuntu-24-04-x64',
  public: true,
  regions: everywhere,
  created_at: '2024-05-01T10:00:00Z',
  min_disk_size: 7,
  size_gigabytes: 0.6,
  description: 'Ubuntu 24.04 (LTS) x64',
  tags: [],
  status: 'available',
  error_message: '',
}
